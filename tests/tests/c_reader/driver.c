/* Reads files of models from the file of the first argument, and writes their status and predictions to the second. */
#include <stdio.h>
#include <stdlib.h>

#include "sensor.h"

enum { ROWS = 3 };

static void put(FILE *to, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        fputc((int)(word >> (8 * i) & 0xffu), to);
    }
}

/* Returns reading `i` of a row. The last row has missing and infinite ones. */
static float reading(uint32_t row, uint32_t i) {
    const uint32_t hash = (i + 1u) * 2654435761u + row * 2246822519u;
    union { uint32_t bits; float value; } special;
    special.bits = i % 3u == 1u ? 0x7fc00000u : 0x7f800000u;
    return row == 2u && i % 5u < 2u ? special.value : (float)((int32_t)(hash >> 20) - 2048) / 512.0f;
}

/* Returns an array of this length exactly, so that a sanitizer sees what is behind it. */
static float *floats(size_t length) {
    float *array = (float *)malloc(sizeof(float) * length);
    if (array == NULL) {
        exit(2);
    }
    return array;
}

static void put_outputs(const sensor_model *model, const float *y, FILE *to) {
    for (uint32_t o = 0; o < model->outputs; o++) {
        union { float value; uint32_t bits; } result;
        result.value = y[o];
        put(to, result.value != result.value ? 0x7fc00000u : result.bits);
    }
}

static void fill(float *x, uint32_t count, uint32_t row) {
    for (uint32_t i = 0; i < count; i++) {
        x[i] = reading(row, i);
    }
}

/* Predicts rows and their classes. */
static void predict(const sensor_model *model, FILE *to) {
    float *x = floats(model->inputs), *y = floats(model->outputs);
    for (uint32_t row = 0; row < ROWS; row++) {
        size_t number = 0;
        sensor_status status;
        fill(x, model->inputs, row);
        sensor_predict(model, x, y);
        put_outputs(model, y, to);
        status = sensor_classify(model, x, y, &number);
        put(to, (uint32_t)status);
        put(to, (uint32_t)number);
    }
    free(x);
    free(y);
}

/* Writes the checksums of the names of the classes, and whether there is one more. */
static void name(const sensor_model *model, FILE *to) {
    size_t length = 0;
    put(to, model->classes);
    for (size_t number = 0; number < model->classes; number++) {
        const char *text = sensor_class_name(model, number, &length);
        put(to, text == NULL ? 0u : sensor_checksum((const uint8_t *)text, length));
    }
    put(to, sensor_class_name(model, model->classes, &length) == NULL ? 0u : 1u);
}

/* Predicts two samples more than fill a history; before, a history that is too short takes one. */
static void predict_samples(const sensor_model *model, FILE *to) {
    sensor_history history = {NULL, 0, NULL, 0, 0};
    float *sample = floats(model->channels), *y = floats(model->outputs);
    put(to, model->channels);
    put(to, model->slots);
    history.slots = floats(model->slots);
    history.inputs = floats(model->inputs);
    fill(sample, model->channels, 0);
    history.slots_length = model->slots - 1u;
    history.inputs_length = model->inputs;
    put(to, (uint32_t)sensor_predict_sample(model, &history, sample, y));
    history.slots_length = model->slots;
    history.inputs_length = model->inputs - 1u;
    put(to, (uint32_t)sensor_predict_sample(model, &history, sample, y));
    history.inputs_length = model->inputs;
    for (uint32_t row = 0; row < model->depth + 2u; row++) {
        sensor_status status;
        fill(sample, model->channels, row);
        status = sensor_predict_sample(model, &history, sample, y);
        put(to, (uint32_t)status);
        if (status == SENSOR_OK) {
            put_outputs(model, y, to);
        }
    }
    free(history.slots);
    free(history.inputs);
    free(sample);
    free(y);
}

int main(int count, char **paths) {
    FILE *from = count == 3 ? fopen(paths[1], "rb") : NULL, *to = count == 3 ? fopen(paths[2], "wb") : NULL;
    uint8_t head[4];
    if (from == NULL || to == NULL) {
        return 1;
    }
    while (fread(head, 1, 4, from) == 4) {
        const size_t length = sensor_word_at(head);
        uint8_t *bytes = (uint8_t *)malloc(length > 0u ? length : 1u);
        sensor_model model;
        sensor_status status;
        if (bytes == NULL || fread(bytes, 1, length, from) != length) {
            return 1;
        }
        status = sensor_open(bytes, length, &model);
        put(to, (uint32_t)status);
        if (status == SENSOR_OK) {
            predict(&model, to);
            name(&model, to);
            predict_samples(&model, to);
        }
        free(bytes);
    }
    fclose(from);
    return fclose(to) == 0 ? 0 : 1;
}
