/* Returns a count less an older one, at most 32767 from zero; missing where one of them is. */
static inline int16_t model_less(int16_t count, int16_t older) {
    const int32_t difference = (int32_t)count - older;
    if (count == MODEL_MISSING || older == MODEL_MISSING) {
        return MODEL_MISSING;
    }
    return (int16_t)(difference < -32767 ? -32767 : (difference > 32767 ? 32767 : difference));
}
