/* Takes `count` words of 4 bytes off the front; NULL where there are fewer. */
static inline const uint8_t *model_take_words(model_rest *rest, uint32_t count) {
    const uint8_t *words = rest->bytes;
    if (count > rest->length / 4u) {
        return NULL;
    }
    rest->bytes += 4u * (size_t)count;
    rest->length -= 4u * (size_t)count;
    return words;
}

/* Returns the words of `count` indices that refer to `view` values. */
static inline uint32_t model_index_words(uint32_t count, size_t view) {
    return view > 256u ? count / 2u + (count & 1u) : count / 4u + (uint32_t)((count & 3u) != 0u);
}

/* Returns whether no lower half of a word stands for a missing reading. */
static inline int model_are_present(const uint8_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (model_short_at(words + 4u * i) == 0x8000u) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether words stand for finite numbers. */
static inline int model_are_finite(const uint8_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if ((model_word_at(words + 4u * i) & 0x7f800000u) == 0x7f800000u) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether the second number of every pair is at least the first. */
static inline int model_are_ascending(const uint8_t *words, size_t pairs) {
    for (size_t i = 0; i < pairs; i++) {
        const uint8_t *low = words + 8u * i, *high = low + 4;
        const int ascending = MODEL_INTEGERS > 0u
            ? model_signed(model_word_at(low)) <= model_signed(model_word_at(high))
            : model_float_at(low, 0u) <= model_float_at(high, 0u);
        if (!ascending) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether the limits of `count` readings ascend: pairs of numbers, in integers the halves of a word. */
static inline int model_limits_ascend(const uint8_t *words, size_t count) {
    if (MODEL_INTEGERS == 0u) {
        return model_are_ascending(words, count);
    }
    for (size_t i = 0; i < count; i++) {
        if (model_half_at(words, 2u * i) > model_half_at(words, 2u * i + 1u)) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether indices are below `view`. */
static inline int model_are_below(const uint8_t *list, size_t count, size_t view) {
    for (size_t i = 0; i < count; i++) {
        if (model_index_at(list, i, view) >= view) {
            return 0;
        }
    }
    return 1;
}

/* Returns the number of prepared inputs up to the last one that has a flag. */
static inline uint32_t model_through(const uint8_t *prepared, size_t count, uint8_t flag) {
    uint32_t through = 0;
    for (size_t i = 0; i < count; i++) {
        if ((prepared[8u * i + 6u] & flag) != 0u) {
            through = (uint32_t)i + 1u;
        }
    }
    return through;
}

/* Checks the prepared inputs, their limits and what replaces missing readings. */
static inline model_status model_check_prepared(const model_model *model) {
    const size_t limits = model_through(model->prepared, model->prepared_count, 0x80u);
    const size_t replaced = model_through(model->prepared, model->prepared_count, 0x40u);
    for (size_t i = 0; i < model->prepared_count; i++) {
        const uint8_t *input = model->prepared + 8u * i;
        if (!model_are_finite(input, 1u)) {
            return MODEL_NOT_FINITE;
        }
        if (model_short_at(input + 4) >= model->inputs) {
            return MODEL_INDEX_OUT_OF_RANGE;
        }
        if ((input[6] & 0x3fu) > 2u) {
            return MODEL_UNSUPPORTED_WARP;
        }
        if (MODEL_INTEGERS > 0u && (input[7] == 0x80u || input[7] == 0x81u)) {
            return MODEL_HEADER; /* an exponent below -126 */
        }
    }
    if (MODEL_INTEGERS == 0u
        && !(model_are_finite(model->replacements, replaced) && model_are_finite(model->input_limits, 2u * limits))) {
        return MODEL_NOT_FINITE;
    }
    if (MODEL_INTEGERS > 0u && !model_are_present(model->replacements, replaced)) {
        return MODEL_NOT_FINITE;
    }
    return model_limits_ascend(model->input_limits, limits) ? MODEL_OK : MODEL_LIMITS;
}

/* Returns whether weights hold the number of their input in their last four bits. */
static inline int model_packs(const model_model *model) {
    return MODEL_INTEGERS > 0u && model->number == 1u && model->view <= 16u;
}

/* Returns the words of the weights of a feature of `terms` terms. */
static inline uint32_t model_weight_words(const model_model *model, uint32_t terms) {
    return MODEL_INTEGERS > 0u && model->number == 2u ? (terms + 1u) / 2u : terms;
}

/* Returns the words of the record of a feature of `terms` terms. */
static inline uint32_t model_stride(const model_model *model, uint32_t terms) {
    const uint32_t others = MODEL_BIASES + (uint32_t)MODEL_KERNEL_VALUES * model->outputs;
    return model_weight_words(model, terms) + (MODEL_INTEGERS > 0u ? (others + 1u) / 2u : others);
}

/* Returns whether the numbers of inputs in the weights of records are below `view`. */
static inline int model_packed_are_below(const uint8_t *records, size_t features, size_t stride, size_t order,
                                         size_t view) {
    for (size_t j = 0; j < features; j++) {
        for (size_t k = 0; k < order; k++) {
            if ((records[4u * (stride * j + k)] & 15u) >= view) {
                return 0;
            }
        }
    }
    return 1;
}

/* Checks a block of features and takes it off the front. */
static inline model_status model_check_block(const model_model *model, uint8_t kernel, model_rest *rest) {
    const uint8_t *head, *records, *list;
    uint32_t order, features, stride, listed;
    if (kernel != MODEL_KERNEL) {
        return MODEL_UNSUPPORTED_KERNEL;
    }
    head = model_take_words(rest, 1u);
    if (head == NULL) {
        return MODEL_LAYOUT;
    }
    order = model_short_at(head);
    features = model_short_at(head + 2);
    stride = model_stride(model, order == 0u ? model->view : order);
    if (features > 0u && stride > 0xffffffffu / features) {
        return MODEL_LAYOUT;
    }
    records = model_take_words(rest, features * stride);
    if (records == NULL) {
        return MODEL_LAYOUT;
    }
    listed = model_packs(model) ? 0u : features * order;
    list = model_take_words(rest, model_index_words(listed, model->view));
    if (list == NULL) {
        return MODEL_LAYOUT;
    }
    if (MODEL_INTEGERS == 0u && !model_are_finite(records, (size_t)(features * stride))) {
        return MODEL_NOT_FINITE;
    }
    if (model_packs(model) && !model_packed_are_below(records, features, stride, order, model->view)) {
        return MODEL_INDEX_OUT_OF_RANGE;
    }
    return model_are_below(list, (size_t)listed, model->view) ? MODEL_OK : MODEL_INDEX_OUT_OF_RANGE;
}

#if MODEL_RULES
/* Returns the halves of the node at half `node`, which is the root of a tree or not; 0 where it is not complete. */
static inline uint32_t model_node_length(
    const model_model *model, const uint8_t *halves, uint32_t count, uint32_t node, int root) {
    uint32_t head, length;
    if (node >= count || count - node < 2u) {
        return 0;
    }
    head = model_short_at(halves + 2u * (size_t)node);
    length = 2u + (uint32_t)(root && head >> 14 != 0u) + (uint32_t)(head >> 14 == 3u);
    length += model->outputs * ((head >> 12 & 1u) + (head >> 13 & 1u));
    return length <= count - node ? length : 0u;
}

/* Returns the halves of the first `subtrees` subtrees from half `node` on; `count` + 1 where they are not complete. */
static inline uint32_t model_subtrees_length(
    const model_model *model, const uint8_t *halves, uint32_t count, uint32_t node, uint32_t subtrees) {
    const uint32_t start = node;
    while (subtrees > 0u) {
        const uint32_t length = model_node_length(model, halves, count, node, 0);
        uint32_t head;
        if (length == 0u) {
            return count + 1u;
        }
        head = model_short_at(halves + 2u * (size_t)node);
        subtrees += (head >> 14 & 1u) + (head >> 15) - 1u;
        node += length;
    }
    return node - start;
}

/* Checks the nodes of all trees, which look at `inputs` inputs: nodes follow their parents, so that every walk ends. */
static inline model_status model_check_nodes(
    const model_model *model, const uint8_t *halves, uint32_t count, size_t inputs) {
    uint32_t node = 0, pending = 0;
    while (node < count || pending > 0u) {
        const int root = pending == 0u;
        const uint32_t length = model_node_length(model, halves, count, node, root);
        uint32_t head, children;
        const uint8_t *links;
        if (length == 0u) {
            return MODEL_LAYOUT;
        }
        head = model_short_at(halves + 2u * (size_t)node);
        children = (head >> 14 & 1u) + (head >> 15);
        links = halves + 2u * (size_t)node + 4u;
        if ((head & 2047u) >= inputs) {
            return MODEL_INDEX_OUT_OF_RANGE;
        }
        if (root && children > 0u) {
            const uint32_t below = model_subtrees_length(model, halves, count, node + length, children);
            if (below > count || length - 3u + below != model_short_at(links)) {
                return MODEL_LAYOUT;
            }
            links += 2;
        }
        if (children == 2u) {
            const uint32_t lower = model_subtrees_length(model, halves, count, node + length, 1u);
            if (lower > count || lower != model_short_at(links)) {
                return MODEL_LAYOUT;
            }
        }
        pending += children - (root ? 0u : 1u);
        node += length;
    }
    return MODEL_OK;
}

/* Checks the block of trees and takes it off the front. */
static inline model_status model_check_trees(const model_model *model, model_rest *rest) {
    const uint8_t *head = model_take_words(rest, 1u), *inputs, *steps, *halves;
    uint32_t count, upper;
    if (head == NULL) {
        return MODEL_LAYOUT;
    }
    count = model_short_at(head);
    upper = model_short_at(head + 2);
    inputs = model_take_words(rest, MODEL_INTEGERS > 0u ? 0u : 2u * upper);
    steps = model_take_words(rest, MODEL_INTEGERS > 0u ? 0u : model->outputs);
    halves = model_take_words(rest, (count + 1u) / 2u);
    if (inputs == NULL || steps == NULL || halves == NULL) {
        return MODEL_LAYOUT;
    }
    if (MODEL_INTEGERS > 0u) {
        return upper < 32u ? model_check_nodes(model, halves, count, model->view) : MODEL_LAYOUT;
    }
    for (size_t i = 0; i < upper; i++) {
        if (model_short_at(inputs + 8u * i + 4u) >= model->inputs) {
            return MODEL_INDEX_OUT_OF_RANGE;
        }
        if (model_short_at(inputs + 8u * i + 6u) >= 32u) {
            return MODEL_LAYOUT;
        }
    }
    if (!model_are_finite(steps, model->outputs)) {
        return MODEL_NOT_FINITE;
    }
    return model_check_nodes(model, halves, count, (size_t)upper);
}
#endif

/* Checks all blocks, of which the last may be trees. */
static inline model_status model_check_blocks(model_model *model, model_rest rest) {
    const size_t blocks = model->block_count;
    for (size_t i = 0; i < blocks; i++) {
        model_status status;
#if MODEL_RULES
        if (model->kernels[i] == 128u) {
            model->block_count = i;
            model->trees = rest.bytes;
            status = i + 1u == blocks ? model_check_trees(model, &rest) : MODEL_LAYOUT;
            if (status != MODEL_OK) {
                return status;
            }
            break;
        }
#endif
        status = model_check_block(model, model->kernels[i], &rest);
        if (status != MODEL_OK) {
            return status;
        }
    }
    return rest.length == 0u ? MODEL_OK : MODEL_LAYOUT;
}
