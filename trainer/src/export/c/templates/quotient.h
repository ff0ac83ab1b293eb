/* Returns a quotient. */
static inline float model_quotient(float a, float b) {
#if defined(__clang__)
    __asm__("" : "+m"(b)); /* With -freciprocal-math, Clang multiplies by the reciprocal of a common divisor. */
#endif
    return a / b;
}
