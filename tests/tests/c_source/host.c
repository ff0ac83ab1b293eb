/* Runs all models on the rows of the file rows.bin and writes the words of their results to another file. */
#include <stddef.h>
#include <stdio.h>

static FILE *rows, *results;

static int take(void *words, size_t count) {
    return fread(words, 4, count, rows) == count;
}

static int give(const void *words, size_t count) {
    return fwrite(words, 4, count, results) == count;
}

#include "run.h"

int main(int count, char **arguments) {
    rows = count == 3 ? fopen(arguments[1], "rb") : NULL;
    results = rows != NULL ? fopen(arguments[2], "wb") : NULL;
    return results != NULL && run_all() == 0 && fclose(results) == 0 ? 0 : 1;
}
