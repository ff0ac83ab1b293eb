/* Returns the size of a number, rounded to the 24 bits of single precision. */
static inline uint32_t model_rounded(int32_t number) {
    uint32_t size = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
    uint8_t shift = 0;
    while (size >> shift > 0xffffffu) {
        shift++;
    }
    if (shift > 0u) {
        size += ((uint32_t)1 << (shift - 1)) - 1u + ((size >> shift) & 1u);
    }
    return size >> shift << shift;
}

/* Returns whether a score is above another in single precision, in which the class of readings is decided. */
static inline int model_larger(int32_t score, int32_t other) {
    if (score <= other) {
        return 0;
    }
    if ((uint32_t)score - (uint32_t)other > 128u || (score >= 0) != (other >= 0)) {
        return 1;
    }
    return model_rounded(score) != model_rounded(other);
}
