/* Returns whether a number is NaN. */
static inline int model_missing(float x) {
    return !(x >= 0.0f || x <= 0.0f);
}
