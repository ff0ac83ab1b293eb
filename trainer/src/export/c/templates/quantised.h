/* Returns the integer nearest to `factor` times the distance to the centre, at most 32767 from zero. NaN gives
   MODEL_MISSING. */
static inline int16_t model_quantised(float x, float centre, float factor) {
    float scaled = model_product(x - centre, factor);
    if (model_missing(scaled)) {
        return MODEL_MISSING;
    }
    if (scaled < -65536.0f) {
        scaled = -65536.0f;
    }
    if (scaled > 65536.0f) {
        scaled = 65536.0f;
    }
    scaled = (scaled + 12582912.0f) - 12582912.0f; /* rounded: 1.5 times 2 to the 23rd */
    if (scaled > 32767.0f) {
        return 32767;
    }
    if (scaled < -32767.0f) {
        return -32767;
    }
    return (int16_t)scaled;
}
