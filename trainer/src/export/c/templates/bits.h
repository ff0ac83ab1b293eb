typedef union model_number {
    float value;
    uint32_t bits;
} model_number;

/* Returns the bits of a number. */
static inline uint32_t model_bits(float value) {
    model_number number;
    number.value = value;
    return number.bits;
}

/* Returns the number of bits. */
static inline float model_float(uint32_t bits) {
    model_number number;
    number.bits = bits;
    return number.value;
}
