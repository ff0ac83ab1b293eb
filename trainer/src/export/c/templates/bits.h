#if defined(__cplusplus)
#if defined(__GNUC__)
#define MODEL_COPY(to, from) __builtin_memcpy(to, from, 4)
#else
/* Copies the bytes of a number. */
static inline void model_copy(void *to, const void *from) {
    for (int i = 0; i < 4; i++) {
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
}
#define MODEL_COPY model_copy
#endif
#else
typedef union model_number {
    float value;
    uint32_t bits;
} model_number;
#endif

/* Returns the bits of a number. */
static inline uint32_t model_bits(float value) {
#if defined(__cplusplus)
    uint32_t bits;
    MODEL_COPY(&bits, &value);
    return bits;
#else
    model_number number;
    number.value = value;
    return number.bits;
#endif
}

/* Returns the number of bits. */
static inline float model_float(uint32_t bits) {
#if defined(__cplusplus)
    float value;
    MODEL_COPY(&value, &bits);
    return value;
#else
    model_number number;
    number.bits = bits;
    return number.value;
#endif
}
