/* Returns twice the positive part of a number. */
static inline float model_relu(float t) {
    return t + model_absolute(t);
}
