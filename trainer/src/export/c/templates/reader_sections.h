/* Returns whether the content of a history has the right length and states only slots that exist. */
static inline int model_is_history(const model_rest *content, size_t inputs) {
    size_t windows;
    uint32_t slots = 0; /* size_t may have 16 bits */
    if (content->length < 2u) {
        return 0;
    }
    windows = model_short_at(content->bytes);
    if (windows == 0u || content->length - 2u < windows || content->length - 2u - windows != 2u * (uint32_t)inputs) {
        return 0;
    }
    for (size_t i = 0; i < windows; i++) {
        slots += content->bytes[2u + i];
    }
    for (size_t i = 0; i < inputs; i++) {
        const uint16_t place = model_short_at(content->bytes + 2u + windows + 2u * i);
        if ((place & 0x7fffu) + (uint32_t)(place >> 15) >= slots) {
            return 0;
        }
    }
    return 1;
}

/* Takes the content of a history that is one. */
static inline void model_take_history(const model_rest *content, model_model *model) {
    model->channels = model_short_at(content->bytes);
    model->windows = content->bytes + 2;
    model->slots = 0;
    model->depth = 0;
    for (size_t i = 0; i < model->channels; i++) {
        const uint8_t window = model->windows[i];
        model->slots += window;
        model->depth = window > model->depth ? window : model->depth;
    }
}

/* Checks the sections behind the header's message, and finds the samples and the classes that they state. */
static inline model_status model_sections(model_rest rest, model_model *model) {
    model_rest importance = {NULL, 0}, names = {NULL, 0}, history = {NULL, 0}, confidence = {NULL, 0};
    size_t classes = 0;
    while (rest.length > 0u) {
        uint8_t tag = 0;
        model_rest content, *known;
        if (!model_take_byte(&rest, &tag) || !model_take_bytes(&rest, &content)) {
            return MODEL_HEADER;
        }
        if (tag == 1u) {
            known = &importance;
        } else if (tag == 2u) {
            known = &names;
        } else if (tag == 0x82u) {
            known = &history;
        } else if (tag == 0x84u) {
            known = &confidence;
        } else if ((tag & 0x80u) != 0u) {
            return MODEL_UNSUPPORTED_SECTION;
        } else {
            continue;
        }
        if (known->length > 0u) {
            return MODEL_HEADER;
        }
        *known = content;
    }
    if (importance.length > 0u && importance.length != model->inputs) {
        return MODEL_LAYOUT;
    }
    if (confidence.length > 0u && confidence.length != 8u) {
        return MODEL_LAYOUT;
    }
    model->confidence = confidence.length > 0u ? confidence.bytes : NULL;
    if (history.length > 0u && !model_is_history(&history, model->inputs)) {
        return MODEL_LAYOUT;
    }
    model->channels = model->inputs;
    model->slots = model->inputs;
    model->depth = 1;
    if (history.length > 0u) {
        model_take_history(&history, model);
    }
    model->names = names.bytes;
    model->name_bytes = (uint16_t)names.length;
    while (names.length > 0u) {
        if (!model_take_text(&names)) {
            return MODEL_HEADER;
        }
        classes++;
    }
    model->classes = (uint16_t)classes;
    if (classes == 0u) {
        return MODEL_OK;
    }
    return classes > 1u && (classes == 2u ? 1u : classes) == model->outputs ? MODEL_OK : MODEL_LAYOUT;
}
