/* Runs all models on the rows of a file and writes the words of their results. */
#include <stdio.h>
#include <stdlib.h>

#include "models.h"

int main(int count, char **arguments) {
    static float x[MOST_WORDS];
    static uint32_t words[MOST_WORDS];
    FILE *rows = count == 3 ? fopen(arguments[1], "rb") : NULL;
    FILE *results = rows != NULL ? fopen(arguments[2], "wb") : NULL;
    if (results == NULL) {
        return 1;
    }
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        for (size_t row = 0; row < runs[i].rows; row++) {
            if (fread(x, sizeof x[0], runs[i].inputs, rows) != runs[i].inputs) {
                return 2;
            }
            runs[i].run(x, words);
            if (fwrite(words, sizeof words[0], runs[i].words, results) != runs[i].words) {
                return 3;
            }
        }
    }
    return fclose(rows) == 0 && fclose(results) == 0 ? 0 : 4;
}
