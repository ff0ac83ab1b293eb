/* Returns the sum of features and linear terms; a sum beyond 32 bits becomes the last number there. The
   comparisons come before the sum: behind it, clang 14 compares 32 bits of the sum where it vectorises. */
static inline int32_t model_total(uint32_t features, int64_t linear) {
    const int64_t sum = model_signed(features);
    if (linear > 2147483647 - sum) {
        return 2147483647;
    }
    if (linear < -2147483647 - 1 - sum) {
        return -2147483647 - 1;
    }
    return model_signed((uint32_t)linear + features);
}
