/* Returns how often two readings in a row lie on different sides of the mean. */
static inline float model_crossings(const float *readings, float mean) {
    uint16_t count = 0;
    int above = readings[0] > mean;
    if (model_missing(mean)) {
        return mean;
    }
    for (size_t i = 1; i < MODEL_WINDOW; i++) {
        const int now = readings[i] > mean;
        if (now != above) {
            count++;
        }
        above = now;
    }
    return (float)count;
}
