/* Returns a count for comparisons. */
static inline int32_t model_count(int16_t count) {
    return count;
}
