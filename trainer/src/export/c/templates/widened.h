/* Returns the bits of an integer, for sums that wrap around at 32 bits. */
static inline uint32_t model_widened(int16_t number) {
    return (uint32_t)(int32_t)number;
}

/* Returns the product of a weight and an input. */
static inline uint32_t model_of_halves(int16_t weight, int16_t input) {
    return (uint32_t)((int32_t)weight * (int32_t)input);
}

/* Returns the word of an upper and a lower half. */
static inline uint32_t model_word(int16_t upper, int16_t lower) {
    return (uint32_t)(uint16_t)upper << 16 | (uint32_t)(uint16_t)lower;
}
