/* Returns an output within its limits. */
static inline int32_t model_limited_integer(int32_t y, int32_t low, int32_t high) {
    return y < low ? low : (y > high ? high : y);
}
