/* Returns whether a number is NaN. */
static inline int model_missing(float x) {
    return x != x;
}
