
/* Returns whether a class is ahead of all others by more than the margin of the model, if it has one. */
static inline int model_is_certain(const model_model *model, const float scores[], size_t best) {
    const float margin = model->confidence != NULL ? model_float_at(model->confidence, 1) : 0.0f;
    if (model->confidence == NULL) {
        return 1;
    }
    if (model->outputs == 1u) {
        return (scores[0] > 0.5f ? scores[0] - 0.5f : 0.5f - scores[0]) > margin;
    }
    for (size_t i = 0; i < model->outputs; i++) {
        if (i != best && !(scores[best] - scores[i] > margin)) {
            return 0;
        }
    }
    return 1;
}

/* Predicts the class of readings: its number, from 0. `scores` receives `model->outputs` values. A score of NaN is
   never the largest; where every score is NaN, the function returns MODEL_MISSING_READING and gives no number. Where
   the model is not as sure of a class as it must be, the function returns MODEL_UNCERTAIN and gives no number. */
static inline model_status model_classify(const model_model *model, const float x[], float scores[], size_t *number) {
    size_t best = model->outputs;
    if (model->classes == 0u) {
        return MODEL_NO_CLASSES;
    }
    model_predict(model, x, scores);
    for (size_t i = 0; i < model->outputs; i++) {
        if (!model_missing(scores[i]) && (best == model->outputs || scores[i] > scores[best])) {
            best = i;
        }
    }
    if (best == model->outputs) {
        return MODEL_MISSING_READING;
    }
    if (!model_is_certain(model, scores, best)) {
        return MODEL_UNCERTAIN;
    }
    *number = model->outputs > 1u ? best : (scores[0] > 0.5f ? 1u : 0u);
    return MODEL_OK;
}

/* Returns the name of a class in UTF-8 and gives the number of its bytes, behind which no zero stands; NULL for a
   number that is none. */
static inline const char *model_class_name(const model_model *model, size_t number, size_t *length) {
    model_rest names, name = {NULL, 0};
    names.bytes = model->names;
    names.length = model->name_bytes;
    for (size_t i = 0; i <= number; i++) {
        if (i >= model->classes || !model_take_bytes(&names, &name)) {
            return NULL;
        }
    }
    *length = name.length;
    return (const char *)name.bytes;
}

/* The latest samples, and the inputs that a model makes of them, in arrays of the program. At the start, the slots and
   `samples` are zeros. Set `samples` to 0 after a gap, and when another model takes over. */
typedef struct model_history {
    float *slots;
    size_t slots_length;  /* at least `slots` of the model */
    float *inputs;
    size_t inputs_length; /* at least `inputs` of the model */
    uint8_t samples;
} model_history;

/* Takes a sample, one reading of each of `model->channels` channels, and predicts from it and the samples before.
   Returns MODEL_WAITING while there are too few samples; then the outputs are left as they were. A model without
   earlier samples predicts from every sample alone. */
static inline model_status model_predict_sample(
    const model_model *model, model_history *history, const float sample[], float y[]) {
    const uint8_t *windows = model->windows;
    float *own = history->slots;
    if (model->slots > history->slots_length || model->inputs > history->inputs_length) {
        return MODEL_TOO_LARGE;
    }
    for (size_t c = 0; c < model->channels; c++) {
        const size_t window = windows != NULL ? windows[c] : 1u;
        float newer = sample[c];
        for (size_t i = 0; i < window; i++) {
            const float older = own[i];
            own[i] = newer;
            newer = older;
        }
        own += window;
    }
    history->samples = (uint8_t)(history->samples < 255u ? history->samples + 1u : 255u);
    if (history->samples < model->depth) {
        return MODEL_WAITING;
    }
    for (size_t i = 0; i < model->inputs; i++) {
        const uint16_t place = windows != NULL ? model_short_at(windows + model->channels + 2u * i) : 0u;
        const float *slot = history->slots + (windows != NULL ? (size_t)(place & 0x7fffu) : i);
        history->inputs[i] = (place & 0x8000u) != 0u ? slot[0] - slot[1] : slot[0];
    }
    model_predict(model, history->inputs, y);
    return MODEL_OK;
}
