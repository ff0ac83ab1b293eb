/* Returns the number that bits stand for in two's complement. */
static inline int32_t model_signed(uint32_t bits) {
    return (int32_t)bits;
}

/* Returns the number that the lower half of a word stands for in two's complement. */
static inline int32_t model_lower(uint32_t word) {
    return (int16_t)(uint16_t)(word & 0xffffu);
}
