/* Returns a reading, or what replaces a missing one. */
static inline float model_replaced(float x, float replacement) {
    return model_missing(x) ? replacement : x;
}
