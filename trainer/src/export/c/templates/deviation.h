/* Returns the standard deviation of the readings of a window. */
static inline float model_deviation(const float *readings, float mean) {
    float sum = 0.0f;
    for (size_t i = 0; i < MODEL_WINDOW; i++) {
        const float difference = readings[i] - mean;
        sum += model_product(difference, difference);
    }
    return model_root(model_quotient(sum, (float)MODEL_WINDOW));
}
