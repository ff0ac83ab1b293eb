/* Returns the mean of the readings of a window. */
static inline float model_mean(const float *readings) {
    float sum = 0.0f;
    for (size_t i = 0; i < MODEL_WINDOW; i++) {
        sum += readings[i];
    }
    return model_quotient(sum, (float)MODEL_WINDOW);
}
