/* Returns the sum of features and linear terms; a sum beyond 32 bits becomes the last number there. */
static inline int32_t model_total(uint32_t features, int64_t linear) {
    const int64_t sum = linear + model_signed(features);
    if (sum > 2147483647) {
        return 2147483647;
    }
    if (sum < -2147483647) {
        return -2147483647 - 1;
    }
    return (int32_t)sum;
}
