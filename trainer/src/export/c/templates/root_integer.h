/* Returns the square root of 32768 times a count. */
static inline int16_t model_root_integer(int16_t count) {
    uint32_t rest = count > 0 ? (uint32_t)count << 15 : 0u, root = 0u;
    for (uint32_t bit = (uint32_t)1 << 28; bit > 0u; bit >>= 2) {
        const uint32_t trial = root + bit;
        root >>= 1;
        if (rest >= trial) {
            rest -= trial;
            root += bit;
        }
    }
    return (int16_t)(root + (rest > root ? 1u : 0u));
}
