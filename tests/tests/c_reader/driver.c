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

static void predict(const sensor_model *model, FILE *to) {
    /* Of these lengths exactly, so that a sanitizer sees what is behind them. */
    float *x = (float *)malloc(sizeof(float) * model->inputs), *y = (float *)malloc(sizeof(float) * model->outputs);
    for (uint32_t row = 0; row < ROWS && x != NULL && y != NULL; row++) {
        for (uint32_t i = 0; i < model->inputs; i++) {
            x[i] = reading(row, i);
        }
        sensor_predict(model, x, y);
        for (uint32_t o = 0; o < model->outputs; o++) {
            union { float value; uint32_t bits; } result;
            result.value = y[o];
            put(to, result.value != result.value ? 0x7fc00000u : result.bits);
        }
    }
    free(x);
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
        }
        free(bytes);
    }
    fclose(from);
    return fclose(to) == 0 ? 0 : 1;
}
