/* Returns whether the binary points of an integer model are those of one. */
static inline int model_are_sound(const uint8_t *shifts, uint8_t number) {
    return (number != 1u || shifts[0] == 0u) && (shifts[0] | shifts[1]) < 32 && shifts[2] < 64u;
}

/* Returns whether scales or, in floating point, intercepts, `limits` pairs of limits and linear weights are finite. */
static inline int model_numbers_are_finite(const model_model *model, size_t limits) {
    const size_t outputs = model->outputs;
    if (MODEL_INTEGERS > 0u) {
        return model_are_finite(model->scales, 2u * outputs);
    }
    return model_are_finite(model->intercepts, outputs) && model_are_finite(model->limits, 2u * limits)
        && model_are_finite(model->weights, (size_t)model->linear * outputs);
}

/* Divides the tensors and checks them. */
static inline model_status model_tensors(model_model *model, model_rest rest) {
    const uint32_t outputs = model->outputs;
    const uint32_t limits = model->classes == 0u ? outputs : 0u;
    uint32_t limited;
    model_status status;
    if (model->inputs == 0u || outputs == 0u) {
        return MODEL_HEADER;
    }
    if ((model->number != 0u) != (MODEL_INTEGERS > 0u)) {
        return MODEL_UNSUPPORTED_NUMBER;
    }
    if (MODEL_INTEGERS == 0u && model->prepared_count > 16u) {
        return MODEL_TOO_LARGE;
    }
    model->view = model->prepared_count > 0u ? model->prepared_count : model->inputs;
    model->prepared = model_take_words(&rest, 2u * (uint32_t)model->prepared_count);
    if (model->prepared == NULL) {
        return MODEL_LAYOUT;
    }
    limited = model_through(model->prepared, model->prepared_count, 0x80u);
    model->input_limits = model_take_words(&rest, MODEL_INTEGERS > 0u ? limited : 2u * limited);
    model->replacements = model_take_words(&rest, model_through(model->prepared, model->prepared_count, 0x40u));
    model->shifts = model_take_words(&rest, MODEL_INTEGERS);
    model->scales = model_take_words(&rest, MODEL_INTEGERS * 2u * outputs);
    model->intercepts = model_take_words(&rest, outputs);
    model->limits = model_take_words(&rest, 2u * limits);
    model->weights = model_take_words(&rest, model->linear * outputs);
    model->linear_inputs = model_take_words(&rest, model_index_words(model->linear, model->view));
    if (model->input_limits == NULL || model->replacements == NULL || model->shifts == NULL || model->scales == NULL
        || model->intercepts == NULL || model->limits == NULL || model->weights == NULL
        || model->linear_inputs == NULL) {
        return MODEL_LAYOUT;
    }
    status = model_check_prepared(model);
    if (status != MODEL_OK) {
        return status;
    }
    if (MODEL_INTEGERS > 0u && !model_are_sound(model->shifts, model->number)) {
        return MODEL_HEADER;
    }
    if (!model_numbers_are_finite(model, limits)) {
        return MODEL_NOT_FINITE;
    }
    if (!model_are_ascending(model->limits, limits)) {
        return MODEL_LIMITS;
    }
    if (!model_are_below(model->linear_inputs, model->linear, model->view)) {
        return MODEL_INDEX_OUT_OF_RANGE;
    }
    if (limits == 0u) {
        model->limits = NULL;
    }
    model->blocks = rest.bytes;
    return model_check_blocks(model, rest);
}

/* Takes the message at the start of the header. */
static inline model_status model_header(model_model *model, model_rest *rest) {
    uint32_t number = 0, hash = 0;
    uint16_t linear = 0;
    model_rest kernels;
    if (!model_take_number(rest, 32u, &number)) {
        return MODEL_HEADER;
    }
    if (number > 2u) {
        return MODEL_UNSUPPORTED_NUMBER;
    }
    model->number = (uint8_t)number;
    if (!model_take_short(rest, &model->inputs) || !model_take_short(rest, &model->outputs)
        || !model_take_short(rest, &model->prepared_count) || !model_take_short(rest, &linear)
        || !model_take_bytes(rest, &kernels) || !model_take_number(rest, 32u, &hash) || !model_take_text(rest)) {
        return MODEL_HEADER;
    }
    model->linear = linear;
    model->kernels = kernels.bytes;
    model->block_count = kernels.length;
    return MODEL_OK;
}

/* Checks every length, index and value of the model at the start of `bytes`, and its checksum, and borrows the bytes:
   they must neither move nor change as long as `model` is used. Bytes behind the model are ignored. */
static inline model_status model_open(const uint8_t *bytes, size_t length, model_model *model) {
    const model_model none = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                              NULL, NULL, NULL, NULL, NULL, NULL};
    uint32_t file, header_end, tensors;
    model_rest rest;
    model_status status;
    *model = none;
    if (length < 12u) {
        return MODEL_TRUNCATED;
    }
    if (model_word_at(bytes) != 0x4d465253u) {
        return MODEL_NOT_A_MODEL;
    }
    if (model_short_at(bytes + 4) != 1u) {
        return MODEL_UNSUPPORTED_VERSION;
    }
    file = model_word_at(bytes + 8);
    if (file > length) {
        return MODEL_TRUNCATED;
    }
    if (file < 4u) {
        return MODEL_LAYOUT;
    }
    if (model_checksum(bytes, (size_t)file - 4u) != model_word_at(bytes + (size_t)file - 4u)) {
        return MODEL_CORRUPT;
    }
    header_end = 12u + (uint32_t)model_short_at(bytes + 6);
    if (header_end > file - 4u) {
        return MODEL_LAYOUT;
    }
    rest.bytes = bytes + 12;
    rest.length = (size_t)header_end - 12u;
    status = model_header(model, &rest);
    if (status == MODEL_OK) {
        status = model_sections(rest, model);
    }
    if (status != MODEL_OK) {
        return status;
    }
    tensors = (header_end + 3u) & ~(uint32_t)3u;
    if (tensors > file - 4u || (file & 3u) != 0u) {
        return MODEL_LAYOUT;
    }
    rest.bytes = bytes + tensors;
    rest.length = (size_t)(file - 4u - tensors);
    return model_tensors(model, rest);
}
