/* Returns whether the content of a history has the right length and states only slots that exist. */
static inline int model_is_history(const model_rest *content, size_t inputs) {
    size_t windows, slots = 0;
    if (content->length < 2u) {
        return 0;
    }
    windows = model_short_at(content->bytes);
    if (windows == 0u || content->length - 2u < windows || content->length - 2u - windows != 2u * inputs) {
        return 0;
    }
    for (size_t i = 0; i < windows; i++) {
        slots += content->bytes[2u + i];
    }
    for (size_t i = 0; i < inputs; i++) {
        const uint16_t place = model_short_at(content->bytes + 2u + windows + 2u * i);
        if ((size_t)(place & 0x7fffu) + (place >> 15) >= slots) {
            return 0;
        }
    }
    return 1;
}

/* Checks the sections behind the header's message, and counts the classes. */
static inline model_status model_sections(model_rest rest, const model_model *model, size_t *classes) {
    model_rest importance = {NULL, 0}, names = {NULL, 0}, history = {NULL, 0};
    *classes = 0;
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
    if (history.length > 0u && !model_is_history(&history, model->inputs)) {
        return MODEL_LAYOUT;
    }
    while (names.length > 0u) {
        if (!model_take_text(&names)) {
            return MODEL_HEADER;
        }
        ++*classes;
    }
    if (*classes == 0u) {
        return MODEL_OK;
    }
    return *classes > 1u && (*classes == 2u ? 1u : *classes) == model->outputs ? MODEL_OK : MODEL_LAYOUT;
}
