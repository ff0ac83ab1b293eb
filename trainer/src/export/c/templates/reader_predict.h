/* Returns the value of prepared input `i`. */
static inline float model_prepared_input(const model_model *model, size_t i, const float *x) {
    const uint8_t *input = model->prepared + 8u * i;
    const uint8_t warp = input[6];
    float value = x[model_short_at(input + 4)];
    if ((warp & 0x40u) != 0u) {
        value = model_replaced(value, model_float_at(model->replacements, i));
    }
    if ((warp & 0x80u) != 0u) {
        const float low = model_float_at(model->input_limits, 2u * i);
        value = model_bounded(value, low, model_float_at(model->input_limits, 2u * i + 1u));
    }
    if ((warp & 0x3fu) == 1u) {
        value = model_logarithm(value);
    } else if ((warp & 0x3fu) == 2u) {
        value = model_root(value);
    }
    return value - model_float_at(input, 0u);
}

/* Adds a block of features to the outputs. Returns where the next block begins. */
static inline const uint8_t *model_add_block(const model_model *model, const uint8_t *block, const float *z, float *y) {
    const size_t order = model_short_at(block), features = model_short_at(block + 2);
    const size_t terms = order == 0u ? model->view : order;
    const size_t stride = model_stride(model, (uint32_t)terms);
    const uint8_t *record = block + 4, *list = block + 4 + 4u * stride * features;
    for (size_t j = 0; j < features; j++, record += 4u * stride) {
        const uint8_t *amplitudes = record + 4u * (MODEL_BIASES + terms);
        float values[MODEL_KERNEL_VALUES];
        float t = MODEL_BIASES > 0u ? model_float_at(record, 0u) : -0.0f;
        for (size_t k = 0; k < terms; k++) {
            const size_t index = order == 0u ? k : model_index_at(list, order * j + k, model->view);
            t += model_product(model_float_at(record, MODEL_BIASES + k), z[index]);
        }
        model_values(t, values);
        for (size_t o = 0; o < model->outputs; o++) {
            for (size_t v = 0; v < MODEL_KERNEL_VALUES; v++) {
                y[o] += model_product(model_float_at(amplitudes, MODEL_KERNEL_VALUES * o + v), values[v]);
            }
        }
    }
    return list + 4u * (size_t)model_index_words((uint32_t)(features * order), model->view);
}

#if MODEL_RULES
/* Returns whether a reading takes the upper branch of a node. */
static inline int model_is_upper(const model_model *model, uint_fast16_t head, uint16_t threshold, const float *x) {
    const uint8_t *input = model->trees + 4u + 8u * (size_t)(head & 2047u);
    const float reading = x[model_short_at(input + 4)];
    const uint32_t key = model_word_at(input) + ((uint32_t)threshold << model_short_at(input + 6));
    return model_missing(reading) ? (int)(head >> 11 & 1u) : model_key(reading) > model_signed(key);
}

/* Adds the trees to the outputs. */
static inline void model_add_trees(const model_model *model, const float *x, float *y) {
    const uint8_t *steps = model->trees + 4u + 8u * (size_t)model_short_at(model->trees + 2);
    /* Sixteen outputs at a time: the model may have any number of them, and the sums need room. */
    for (size_t start = 0; start < model->outputs; start += 16u) {
        const size_t left = model->outputs - start, count = left < 16u ? left : 16u;
        uint32_t sums[16];
        model_walk(model, steps + 4u * (size_t)model->outputs, x, start, count, sums);
        for (size_t k = 0; k < count; k++) {
            y[start + k] += model_product(model_float_at(steps, start + k), (float)model_signed(sums[k]));
        }
    }
}
#endif

/* Predicts every output from readings, in physical units: `x` has `model->inputs` readings, `y` receives
   `model->outputs` values. The arrays must not overlap, and the model must have been opened. */
static inline void model_predict(const model_model *model, const float x[], float y[]) {
    float prepared[16];
    const float *z = model->prepared_count > 0u ? prepared : x;
    const uint8_t *block = model->blocks;
    for (size_t i = 0; i < model->prepared_count; i++) {
        prepared[i] = model_prepared_input(model, i, x);
    }
    for (size_t o = 0; o < model->outputs; o++) {
        y[o] = model_float_at(model->intercepts, o);
    }
    for (size_t i = 0; i < model->linear; i++) {
        const float input = z[model_index_at(model->linear_inputs, i, model->view)];
        for (size_t o = 0; o < model->outputs; o++) {
            y[o] += model_product(model_float_at(model->weights, i * model->outputs + o), input);
        }
    }
    for (size_t b = 0; b < model->block_count; b++) {
        block = model_add_block(model, block, z, y);
    }
#if MODEL_RULES
    if (model->trees != NULL) {
        model_add_trees(model, x, y);
    }
#endif
    for (size_t o = 0; model->limits != NULL && o < model->outputs; o++) {
        const float low = model_float_at(model->limits, 2u * o);
        y[o] = model_limited(y[o], low, model_float_at(model->limits, 2u * o + 1u), z, model->view);
    }
}
