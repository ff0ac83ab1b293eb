/* Returns an output within its limits. */
static inline int32_t model_limited_integer(int32_t y, int32_t low, int32_t high) {
#if defined(__clang__)
    __asm__("" : "+r"(y)); /* Clang 14 compares other bits of a sum that it vectorises. */
#endif
    return y < low ? low : (y > high ? high : y);
}
