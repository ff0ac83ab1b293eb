/* Returns the value of prepared input `i`, or of reading `i` where none is prepared: a count. */
static inline int16_t model_reading(const model_model *model, size_t i, const float *x) {
    const uint8_t *input = model->prepared + 8u * i;
    if (i >= model->prepared_count) {
        return model_quantised(x[i], 0.0f, 1.0f);
    }
    return model_quantised(
        x[model_short_at(input + 4)], model_float_at(input, 0u),
        model_float((((uint32_t)input[7] + 127u) & 0xffu) << 23));
}

/* Returns the count of input `i`, or what replaces a missing one. */
static inline int16_t model_present(const model_model *model, size_t i, const float *x) {
    const int16_t count = model_reading(model, i, x);
    if (i >= model->prepared_count || (model->prepared[8u * i + 6u] & 0x40u) == 0u) {
        return count;
    }
    return model_replaced_integer(count, model_half_at(model->replacements, 2u * i));
}

/* Returns the value of input `i`: a count, limited and warped. */
static inline int16_t model_count(const model_model *model, size_t i, const float *x) {
    const uint8_t *input;
    int16_t count = model_present(model, i, x);
    if (i >= model->prepared_count) {
        return count;
    }
    input = model->prepared + 8u * i;
    if ((input[6] & 0x80u) != 0u) {
        const int16_t low = model_half_at(model->input_limits, 2u * i);
        count = model_bounded_integer(count, low, model_half_at(model->input_limits, 2u * i + 1u));
    }
    if ((input[6] & 0x3fu) == 1u) {
        count = model_logarithm_integer(count);
    } else if ((input[6] & 0x3fu) == 2u) {
        count = model_root_integer(count);
    }
    return count;
}

/* The inputs of features: up to 16 are prepared once, more of them wherever they are needed. */
typedef struct model_counts {
    const float *x;
    int16_t counts[16];
#if MODEL_RULES
    int16_t readings[16]; /* as trees see them: neither replaced nor limited nor warped */
#endif
} model_counts;

/* Returns input `i` of features. */
static inline int16_t model_input(const model_model *model, const model_counts *z, size_t i) {
    return model->view <= 16u ? z->counts[i] : model_count(model, i, z->x);
}

/* Returns the argument of a feature without its bias; the indices of a block begin at `list`, those of the feature at
   place `first`. */
static inline uint32_t model_argument(
    const model_model *model, const uint8_t *record, const uint8_t *list, size_t first, size_t order,
    const model_counts *z) {
    const size_t terms = order == 0u ? model->view : order;
    uint32_t sum = 0;
    for (size_t k = 0; k < terms; k++) {
        const uint32_t weight =
            model->number == 2u ? model_widened(model_half_at(record, k)) : model_word_at(record + 4u * k);
        size_t index = k;
        if (order > 0u) {
            index = model_packs(model) ? (size_t)(weight & 15u) : model_index_at(list, first + k, model->view);
        }
        sum += weight * model_widened(model_input(model, z, index));
    }
    return sum << model->shifts[0];
}

/* Adds a block of features to the sums of `count` outputs from output `start` on. Returns where the next block
   begins. */
static inline const uint8_t *model_add_block(
    const model_model *model, const uint8_t *block, const model_counts *z, size_t start, size_t count, uint32_t *sums) {
    const size_t order = model_short_at(block), features = model_short_at(block + 2);
    const uint32_t terms = order == 0u ? model->view : (uint32_t)order;
    const size_t stride = model_stride(model, terms);
    const uint8_t *record = block + 4, *list = block + 4 + 4u * stride * features;
    for (size_t j = 0; j < features; j++, record += 4u * stride) {
        const uint8_t *words = record + 4u * (size_t)model_weight_words(model, terms);
        int32_t values[MODEL_KERNEL_VALUES];
        uint32_t t = model_argument(model, record, list, order * j, order, z);
        t += MODEL_BIASES > 0u ? model_word_at(words) : 0u;
        model_values(t, model->shifts[1], values);
        for (size_t o = start; o < start + count; o++) {
            /* A bias is in the first word, above the amplitude of the first output. */
            const size_t half = MODEL_KERNEL_VALUES * o + (o > 0u ? MODEL_BIASES : 0u);
            for (size_t v = 0; v < MODEL_KERNEL_VALUES; v++) {
                sums[o - start] += (uint32_t)(model_half_at(words, half + v) * values[v]);
            }
        }
    }
    return model_packs(model) ? list : list + 4u * (size_t)model_index_words((uint32_t)(features * order), model->view);
}

/* Returns output `o` with its linear terms and within its limits, from the sum of its features. */
static inline int32_t model_result(const model_model *model, const model_counts *z, size_t o, uint32_t sum) {
    int64_t linear = 0;
    int32_t result;
    for (size_t i = 0; i < model->linear; i++) {
        const int32_t weight = model_signed(model_word_at(model->weights + 4u * (i * model->outputs + o)));
        linear += (int64_t)weight * model_input(model, z, model_index_at(model->linear_inputs, i, model->view));
    }
    result = model_total(sum, linear >> model->shifts[2]);
    if (model->limits != NULL) {
        const int32_t low = model_signed(model_word_at(model->limits + 8u * o));
        result = model_limited_integer(result, low, model_signed(model_word_at(model->limits + 8u * o + 4u)));
    }
    return result;
}

/* Returns whether a linear term or a feature refers to input `i`. */
static inline int model_uses(const model_model *model, size_t i) {
    const uint8_t *block = model->blocks;
    for (size_t term = 0; term < model->linear; term++) {
        if (model_index_at(model->linear_inputs, term, model->view) == i) {
            return 1;
        }
    }
    for (size_t b = 0; b < model->block_count; b++) {
        const size_t order = model_short_at(block), features = model_short_at(block + 2);
        const size_t stride = model_stride(model, order == 0u ? model->view : (uint32_t)order);
        const uint8_t *records = block + 4, *list = records + 4u * stride * features;
        if (order == 0u && features > 0u) {
            return 1;
        }
        for (size_t k = 0; k < features * order; k++) {
            const uint8_t *weight = records + 4u * (k / order * stride + k % order);
            const size_t index =
                model_packs(model) ? (size_t)(model_word_at(weight) & 15u) : model_index_at(list, k, model->view);
            if (index == i) {
                return 1;
            }
        }
        block = list;
        if (!model_packs(model)) {
            block += 4u * (size_t)model_index_words((uint32_t)(features * order), model->view);
        }
    }
    return 0;
}

#if MODEL_RULES
/* Returns whether a reading takes the upper branch of a node. */
static inline int model_is_upper(
    const model_model *model, uint_fast16_t head, uint16_t threshold, const model_counts *z) {
    const size_t i = (size_t)(head & 2047u);
    const int16_t count = model->view <= 16u ? z->readings[i] : model_reading(model, i, z->x);
    return count == MODEL_MISSING ? (int)(head >> 11 & 1u) : count > model_lower(threshold);
}
#endif

/* Predicts every output from readings, in physical units: `x` has `model->inputs` readings, `y` receives
   `model->outputs` values. Where a reading is missing that nothing replaces and that the outputs depend on, they are
   NaN. The arrays must not overlap, and the model must have been opened. */
static inline void model_predict(const model_model *model, const float x[], float y[]) {
    model_counts z;
    z.x = x;
    for (size_t i = 0; i < model->view; i++) {
        if (model_present(model, i, x) == MODEL_MISSING && model_uses(model, i)) {
            for (size_t o = 0; o < model->outputs; o++) {
                y[o] = model_float(0x7fc00000u);
            }
            return;
        }
    }
    for (size_t i = 0; i < model->view && model->view <= 16u; i++) {
        z.counts[i] = model_count(model, i, x);
#if MODEL_RULES
        z.readings[i] = model_reading(model, i, x);
#endif
    }
    /* Sixteen outputs at a time: the model may have any number of them, and the sums need room. */
    for (size_t start = 0; start < model->outputs; start += 16u) {
        const size_t left = model->outputs - start, count = left < 16u ? left : 16u;
        const uint8_t *block = model->blocks;
        uint32_t sums[16];
        for (size_t k = 0; k < count; k++) {
            sums[k] = model_word_at(model->intercepts + 4u * (start + k));
        }
        for (size_t b = 0; b < model->block_count; b++) {
            block = model_add_block(model, block, &z, start, count, sums);
        }
#if MODEL_RULES
        if (model->trees != NULL) {
            uint32_t rules[16];
            model_walk(model, model->trees + 4u, &z, start, count, rules);
            for (size_t k = 0; k < count; k++) {
                sums[k] += rules[k] << model_short_at(model->trees + 2);
            }
        }
#endif
        for (size_t k = 0; k < count; k++) {
            const uint8_t *scale = model->scales + 8u * (start + k);
            const float result = (float)model_result(model, &z, start + k, sums[k]);
            y[start + k] = model_float_at(scale, 1u) + model_product(model_float_at(scale, 0u), result);
        }
    }
}
