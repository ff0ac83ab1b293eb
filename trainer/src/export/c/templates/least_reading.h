/* Returns the smallest reading of a window; NaN where one is NaN. */
static inline float model_least_reading(const float *readings) {
    float least = readings[0];
    for (size_t i = 1; i < MODEL_WINDOW; i++) {
        if (readings[i] < least || model_missing(readings[i])) {
            least = readings[i];
        }
    }
    return least;
}
