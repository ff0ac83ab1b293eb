/* Returns an output within its limits. Without a number, this is the lower limit, or NaN where one of the `count`
   inputs is missing. */
static inline float model_limited(float y, float low, float high, const float *z, size_t count) {
    if (y >= low && y <= high) {
        return y;
    }
    if (y > high) {
        return high;
    }
    if (model_missing(y)) {
        for (size_t i = 0; i < count; i++) {
            if (model_missing(z[i])) {
                return y;
            }
        }
    }
    return low;
}
