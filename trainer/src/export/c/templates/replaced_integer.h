/* Returns a count, or what replaces a missing one. */
static inline int16_t model_replaced_integer(int16_t count, int16_t replacement) {
    return count == MODEL_MISSING ? replacement : count;
}
