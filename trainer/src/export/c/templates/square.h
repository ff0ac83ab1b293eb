/* Returns the square of a number. */
static inline float model_square(float t) {
    return model_product(t, t);
}
