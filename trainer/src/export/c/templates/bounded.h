/* Returns a reading within its limits; NaN stays NaN. */
static inline float model_bounded(float x, float low, float high) {
    return x < low ? low : (x > high ? high : x);
}
