/* Returns the place of a number in the order of all numbers; -0 comes before 0. */
static inline int32_t model_key(float x) {
    uint32_t bits = model_bits(x);
    return model_signed(bits >> 31 ? bits ^ 0x7fffffffu : bits);
}

/* Returns whether a reading is up to, or above, the number with a key; a missing one is neither. */
static inline int model_up_to(float x, int32_t key) {
    return !model_missing(x) && model_key(x) <= key;
}

static inline int model_above(float x, int32_t key) {
    return !model_missing(x) && model_key(x) > key;
}

/* The same, or missing. */
static inline int model_up_to_or_missing(float x, int32_t key) {
    return model_missing(x) || model_key(x) <= key;
}

static inline int model_above_or_missing(float x, int32_t key) {
    return model_missing(x) || model_key(x) > key;
}
