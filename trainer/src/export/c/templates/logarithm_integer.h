/* Returns 4096 times the logarithm to base 2 of a count, less 8. */
static inline int16_t model_logarithm_integer(int16_t count) {
    int32_t f = count > 1 ? count : 1, exponent = 7, p;
    while (f < 32768) {
        f *= 2;
        exponent--;
    }
    f -= 32768;
    p = ((1483 * f) >> 15) - 6348;
    p = ((p * f) >> 15) + 13624;
    p = ((p * f) >> 15) - 23237;
    p = ((p * f) >> 15) + 47249;
    return (int16_t)(exponent * 4096 + ((p * f + 131072) >> 18));
}
