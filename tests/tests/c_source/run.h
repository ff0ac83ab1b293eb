/* Runs models on rows: `take` reads words and `give` writes words; both return whether they did. */
#include "models.h"

static int run_model(size_t i) {
    static float x[MOST_WORDS];
    static uint32_t words[MOST_WORDS];
    for (size_t row = 0; row < runs[i].rows; row++) {
        if (!take(x, runs[i].inputs)) {
            return 1;
        }
        runs[i].run(x, words);
        if (!give(words, runs[i].words)) {
            return 2;
        }
    }
    return 0;
}

static inline int run_all(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0] && failed == 0; i++) {
        failed = run_model(i);
    }
    return failed;
}
