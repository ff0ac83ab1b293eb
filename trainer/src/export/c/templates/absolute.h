/* Returns the absolute value, positive also for negative zero. */
static inline float model_absolute(float x) {
#if defined(__GNUC__)
    return __builtin_fabsf(x);
#else
    return x > 0.0f ? x : 0.0f - x;
#endif
}
