/* Returns the word of four bytes, the lowest first. */
static inline uint32_t model_word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Returns the number of two bytes, the lower one first. */
static inline uint16_t model_short_at(const uint8_t *bytes) {
    return (uint16_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8);
}

/* Returns the number in single precision of word `i`. */
static inline float model_float_at(const uint8_t *words, size_t i) {
    return model_float(model_word_at(words + 4u * i));
}

/* Returns the integer in two's complement of half a word: the lower half of word 0, then its upper half. */
static inline int16_t model_half_at(const uint8_t *words, size_t i) {
    return (int16_t)model_lower(model_short_at(words + 2u * i));
}

/* Returns the index at place `i` of a list that refers to `view` values. */
static inline size_t model_index_at(const uint8_t *list, size_t i, size_t view) {
    return view > 256u ? (size_t)model_short_at(list + 2u * i) : (size_t)list[i];
}

/* Returns the CRC-32 of bytes. */
static inline uint32_t model_checksum(const uint8_t *bytes, size_t length) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}
