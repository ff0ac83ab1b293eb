/* Returns two to the power of -t, in units of 2^-19, for t in units of 1/4096. */
static inline uint32_t model_power_of_two(int64_t t) {
    const uint32_t octaves = t < 81920 ? (uint32_t)t >> 12 : 20u;
    const uint32_t f = (uint32_t)t & UINT32_C(4095);
    uint32_t c = UINT32_C(7580) - ((UINT32_C(1299) * f) >> 12);
    c = UINT32_C(22666) - ((c * f) >> 12);
    c = UINT32_C(32768) - ((c * f) >> 12);
    return octaves < 20u ? ((c << 4) + ((UINT32_C(1) << octaves) >> 1)) >> octaves : 0u;
}

/* Gives probabilities in units of 1/65536, by odds to the base of two in units of 1/4096. */
static inline void model_shares(const int64_t *odds, uint16_t *shares, size_t count) {
    int64_t largest = odds[0];
    uint32_t divisor = 0;
    for (size_t i = 1; i < count; i++) {
        largest = odds[i] > largest ? odds[i] : largest;
    }
    for (size_t i = 0; i < count; i++) {
        divisor += model_power_of_two(largest - odds[i]);
    }
    divisor >>= 4;
    for (size_t i = 0; i < count; i++) {
        const uint32_t share = ((model_power_of_two(largest - odds[i]) << 12) + divisor / 2u) / divisor;
        shares[i] = (uint16_t)(share > 65535u ? 65535u : share);
    }
}
