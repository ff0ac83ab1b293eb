/* Returns whether a reading takes the upper branch of a node. */
static inline int model_is_upper(
    const model_model *model, uint_fast16_t head, uint16_t threshold, const model_readings *x);

/* Gives the sums of the trees, whose nodes begin at `tree`, of `count` outputs from output `start` on. */
static inline void model_walk(
    const model_model *model, const uint8_t *tree, const model_readings *x, size_t start, size_t count,
    uint32_t *sums) {
    const uint8_t *end = tree + 2u * (size_t)model_short_at(model->trees);
    const size_t outputs = model->outputs;
    for (size_t k = 0; k < count; k++) {
        sums[k] = 0;
    }
    while (tree != end) {
        const uint8_t *node = tree;
        uint_fast16_t head = model_short_at(node);
        uint16_t threshold = model_short_at(node + 2);
        node += 4;
        if (head >> 14 != 0u) {
            node += 2;
            tree = node + 2u * (size_t)model_short_at(node - 2);
        } else {
            tree = node + 2u * outputs * (size_t)((head >> 12 & 1u) + (head >> 13 & 1u));
        }
        for (;;) {
            const int upper = model_is_upper(model, head, threshold, x);
            const uint_fast16_t branch = upper ? head >> 13 : head >> 12;
            size_t lower = 0;
            if (head >> 14 == 3u) {
                lower = 2u * (size_t)model_short_at(node);
                node += 2;
            }
            if ((branch & 1u) != 0u) {
                const uint8_t *amplitudes = node + (upper ? 2u * outputs * (size_t)(head >> 12 & 1u) : 0u);
                for (size_t k = 0; k < count; k++) {
                    sums[k] += model_widened(model_half_at(amplitudes, start + k));
                }
            }
            if ((branch & 4u) == 0u) {
                break;
            }
            node += 2u * outputs * (size_t)((head >> 12 & 1u) + (head >> 13 & 1u)) + (upper ? lower : 0u);
            head = model_short_at(node);
            threshold = model_short_at(node + 2);
            node += 4;
        }
    }
}
