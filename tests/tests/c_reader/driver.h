/* Writes the status and the predictions of files of models by the function `put` of the program. */
#include <stdlib.h>

#include "sensor.h"

enum { ROWS = 3 };

static void put(uint32_t word);

/* Returns reading `i` of a row. The last row has missing and infinite ones. */
static float reading(uint32_t row, uint32_t i) {
    const uint32_t hash = (i + 1u) * 2654435761u + row * 2246822519u;
    const uint32_t special = i % 3u == 1u ? 0x7fc00000u : 0x7f800000u;
    return row == 2u && i % 5u < 2u ? sensor_float(special) : (float)((int32_t)(hash >> 20) - 2048) / 512.0f;
}

/* Returns zeros in an array of this length exactly, so that a sanitizer sees what is behind it. */
static float *floats(size_t length) {
    float *array = (float *)calloc(length, sizeof(float));
    if (array == NULL) {
        exit(2);
    }
    return array;
}

static void put_outputs(const sensor_model *model, const float *y) {
    for (uint32_t o = 0; o < model->outputs; o++) {
        put(y[o] != y[o] ? 0x7fc00000u : sensor_bits(y[o]));
    }
}

static void fill(float *x, uint32_t count, uint32_t row) {
    for (uint32_t i = 0; i < count; i++) {
        x[i] = reading(row, i);
    }
}

/* Predicts rows and their classes. */
static void predict(const sensor_model *model) {
    float *x = floats(model->inputs), *y = floats(model->outputs);
    for (uint32_t row = 0; row < ROWS; row++) {
        size_t number = 0;
        sensor_status status;
        fill(x, model->inputs, row);
        sensor_predict(model, x, y);
        put_outputs(model, y);
        status = sensor_classify(model, x, y, &number);
        put((uint32_t)status);
        put((uint32_t)number);
    }
    free(x);
    free(y);
}

/* Writes the checksums of the names of the classes, and whether there is one more. */
static void name(const sensor_model *model) {
    size_t length = 0;
    put(model->classes);
    for (size_t number = 0; number < model->classes; number++) {
        const char *text = sensor_class_name(model, number, &length);
        put(text == NULL ? 0u : sensor_checksum((const uint8_t *)text, length));
    }
    put(sensor_class_name(model, model->classes, &length) == NULL ? 0u : 1u);
}

/* Predicts two samples more than fill a history; before, a history that is too short takes one. */
static void predict_samples(const sensor_model *model) {
    sensor_history history = {NULL, 0, NULL, 0, 0};
    float *sample = floats(model->channels), *y = floats(model->outputs);
    put(model->channels);
    put(model->slots);
    history.slots = floats((size_t)model->slots);
    history.inputs = floats(model->inputs);
    fill(sample, model->channels, 0);
    history.slots_length = (size_t)model->slots - 1u;
    history.inputs_length = model->inputs;
    put((uint32_t)sensor_predict_sample(model, &history, sample, y));
    history.slots_length = (size_t)model->slots;
    history.inputs_length = (size_t)model->inputs - 1u;
    put((uint32_t)sensor_predict_sample(model, &history, sample, y));
    history.inputs_length = model->inputs;
    for (uint32_t row = 0; row < model->depth + 2u; row++) {
        sensor_status status;
        fill(sample, model->channels, row);
        status = sensor_predict_sample(model, &history, sample, y);
        put((uint32_t)status);
        if (status == SENSOR_OK) {
            put_outputs(model, y);
        }
    }
    free(history.slots);
    free(history.inputs);
    free(sample);
    free(y);
}

/* Opens a file, and writes its status and what a sound one predicts. */
static void use_file(const uint8_t *bytes, size_t length) {
    sensor_model model;
    const sensor_status status = sensor_open(bytes, length, &model);
    put((uint32_t)status);
    if (status == SENSOR_OK) {
        predict(&model);
        name(&model);
        predict_samples(&model);
    }
}
