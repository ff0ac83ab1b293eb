/* Bytes that are taken off from the front. */
typedef struct model_rest {
    const uint8_t *bytes;
    size_t length;
} model_rest;

/* Takes a byte. Returns whether there was one. */
static inline int model_take_byte(model_rest *rest, uint8_t *byte) {
    if (rest->length == 0u) {
        return 0;
    }
    *byte = *rest->bytes++;
    rest->length--;
    return 1;
}

/* Takes a number of at most `bits` bits: seven in every byte, the lowest first. Returns whether there was one. */
static inline int model_take_number(model_rest *rest, uint32_t bits, uint32_t *number) {
    uint32_t shift = 0;
    *number = 0;
    while (shift < bits) {
        const uint32_t left = bits - shift;
        uint8_t byte = 0;
        if (!model_take_byte(rest, &byte) || (left < 7u && (uint32_t)byte >> left > 0u)) {
            return 0;
        }
        *number |= ((uint32_t)byte & 0x7fu) << shift;
        if (byte < 0x80u) {
            return 1;
        }
        shift += 7u;
    }
    return 0;
}

/* Takes a number of 16 bits. */
static inline int model_take_short(model_rest *rest, uint16_t *number) {
    uint32_t wide = 0;
    const int taken = model_take_number(rest, 16u, &wide);
    *number = (uint16_t)wide;
    return taken;
}

/* Takes bytes, which follow their number. */
static inline int model_take_bytes(model_rest *rest, model_rest *content) {
    uint32_t length = 0;
    if (!model_take_number(rest, 32u, &length) || length > rest->length) {
        return 0;
    }
    content->bytes = rest->bytes;
    content->length = (size_t)length;
    rest->bytes += content->length;
    rest->length -= content->length;
    return 1;
}

/* Returns the number of bytes behind the first one of a character in UTF-8, and the limits of the second byte; a
   number above 3 where no character begins with the byte. */
static inline size_t model_utf8_behind(uint8_t first, uint8_t *low, uint8_t *high) {
    *low = 0x80u;
    *high = 0xbfu;
    if (first < 0x80u) {
        return 0u;
    }
    if (first >= 0xc2u && first <= 0xdfu) {
        return 1u;
    }
    if (first >= 0xe0u && first <= 0xefu) {
        *low = first == 0xe0u ? 0xa0u : 0x80u;
        *high = first == 0xedu ? 0x9fu : 0xbfu;
        return 2u;
    }
    if (first >= 0xf0u && first <= 0xf4u) {
        *low = first == 0xf0u ? 0x90u : 0x80u;
        *high = first == 0xf4u ? 0x8fu : 0xbfu;
        return 3u;
    }
    return 4u;
}

/* Takes a text in UTF-8, which follows the number of its bytes. */
static inline int model_take_text(model_rest *rest) {
    model_rest text;
    if (!model_take_bytes(rest, &text)) {
        return 0;
    }
    for (size_t i = 0; i < text.length;) {
        uint8_t low, high;
        const size_t behind = model_utf8_behind(text.bytes[i], &low, &high);
        if (behind > 3u || behind >= text.length - i) {
            return 0;
        }
        for (size_t k = 1; k <= behind; k++) {
            const uint8_t byte = text.bytes[i + k];
            if (byte < low || byte > high) {
                return 0;
            }
            low = 0x80u;
            high = 0xbfu;
        }
        i += 1u + behind;
    }
    return 1;
}
