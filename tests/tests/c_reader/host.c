/* Reads files of models from the file of the first argument, and writes their words to the second. */
#include <stdio.h>

#include "driver.h"

static FILE *results;

static void put(uint32_t word) {
    for (int i = 0; i < 4; i++) {
        fputc((int)(word >> (8 * i) & 0xffu), results);
    }
}

int main(int count, char **paths) {
    FILE *files = count == 3 ? fopen(paths[1], "rb") : NULL;
    uint8_t head[4];
    results = files != NULL ? fopen(paths[2], "wb") : NULL;
    if (results == NULL) {
        return 1;
    }
    while (fread(head, 1, 4, files) == 4) {
        const size_t length = sensor_word_at(head);
        uint8_t *bytes = (uint8_t *)malloc(length > 0u ? length : 1u);
        if (bytes == NULL || fread(bytes, 1, length, files) != length) {
            return 1;
        }
        use_file(bytes, length);
        free(bytes);
    }
    fclose(files);
    return fclose(results) == 0 ? 0 : 1;
}
