/* Returns the largest reading of a window; NaN where one is NaN. */
static inline float model_largest_reading(const float *readings) {
    float largest = readings[0];
    for (size_t i = 1; i < MODEL_WINDOW; i++) {
        if (readings[i] > largest || model_missing(readings[i])) {
            largest = readings[i];
        }
    }
    return largest;
}
