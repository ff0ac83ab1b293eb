/* Returns a count within its limits. */
static inline int16_t model_bounded_integer(int16_t count, int16_t low, int16_t high) {
    return count < low ? low : (count > high ? high : count);
}
