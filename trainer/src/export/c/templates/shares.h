/* Gives probabilities in units of 1/65536, by odds to the base of two in units of 1/4096. */
static inline void model_shares(const int64_t *odds, uint16_t *shares, size_t count) {
    int64_t largest = odds[0];
    uint32_t total = 0;
    for (size_t i = 1; i < count; i++) {
        largest = odds[i] > largest ? odds[i] : largest;
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t behind = largest - odds[i];
        uint32_t power = 0;
        if (behind < 65536) {
            const uint32_t t = (uint32_t)behind;
            const uint32_t f = t & UINT32_C(4095);
            power = UINT32_C(7580) - ((UINT32_C(1299) * f) >> 12);
            power = UINT32_C(22666) - ((power * f) >> 12);
            power = (UINT32_C(32768) - ((power * f) >> 12)) >> (t >> 12);
        }
        shares[i] = (uint16_t)power;
        total += power;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t share = (((uint32_t)shares[i] << 16) + total / 2u) / total;
        shares[i] = (uint16_t)(share > 65535u ? 65535u : share);
    }
}
