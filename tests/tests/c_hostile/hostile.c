/*
 * Hostile calls of the C interface: damaged models, any readings, wrong lengths. Every buffer ends at a page that
 * cannot be touched, so that a step beyond its end ends the program. The first argument is the number of damaged copies
 * of each model; the others are model files. Prints the outputs of the undamaged models, and how many copies were
 * accepted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "srfm.h"

#define PAGES 32

typedef struct {
    unsigned char *start, *end;
} region;

static uint64_t state = 1;

static uint32_t bits(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* Returns pages with one behind them that cannot be touched. */
static region pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *start = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    region found = { start, start + PAGES * page };
    if (start == MAP_FAILED || mprotect(found.end, page, PROT_NONE) != 0) {
        exit(2);
    }
    return found;
}

/* Returns the last `len` bytes of a region. */
static void *last(region where, size_t len)
{
    if (len > (size_t)(where.end - where.start)) {
        exit(2);
    }
    return where.end - len;
}

static float reading(int hostile)
{
    static const uint32_t awkward[] = { 0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f7fffffu, 1u };
    union { uint32_t bits; float value; } word;
    switch (hostile ? bits() % 3 : 3) {
    case 0: word.bits = awkward[bits() % 7]; break;
    case 1: word.bits = bits(); break;
    default: word.value = (float)(bits() % 8001) / 1000.0f - 4.0f;
    }
    return word.value;
}

static void mend(unsigned char *bytes, size_t len)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i + 4 < len; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    for (size_t i = 0; i < 4 && len >= 4; i++) bytes[len - 4 + i] = (unsigned char)(~crc >> (8 * i));
}

/* Calls every function; prints the outputs where `print` says so. */
static void use(const srfm_model *model, region from, region to, region slots, region inputs, int print)
{
    size_t width = srfm_inputs(model), outputs = srfm_outputs(model), values = srfm_values(model), number, i;
    srfm_adaptation adaptation = { { 0 } };
    srfm_drift drift;
    float *x = last(from, width * sizeof *x), *y = last(to, outputs * sizeof *y), step, offset;
    int32_t used;
    for (i = 0; i < width; i++) x[i] = reading(!print);
    if (srfm_predict(model, x, width, y, outputs) != SRFM_OK) abort();
    if (print) {
        for (i = 0; i < outputs; i++) {
            uint32_t word;
            memcpy(&word, &y[i], sizeof word);
            printf("%u\n", (unsigned)word);
        }
    }
    if (srfm_predict(model, x, width + 1, y, outputs) != SRFM_WRONG_INPUTS) abort();
    if (srfm_predict(model, x, width, y, outputs + 1) != SRFM_WRONG_OUTPUTS) abort();
    (void)srfm_classify(model, x, width, y, outputs, &number);
    (void)srfm_outside(model, x, width, &number);
    (void)srfm_half_width(model, outputs, &step, &offset);
    (void)srfm_scale(model, bits() % 8, &step, &offset);
    (void)srfm_adapt_start(model, &adaptation);
    for (i = 0; i < 4; i++) {
        (void)srfm_adapt_learn(model, &adaptation, x, width, reading(1), &used);
        (void)srfm_adapt_count(model, &adaptation, x, width, &drift);
        (void)srfm_adapt_predict(model, &adaptation, x, width, y, &step);
        (void)(i % 2 ? srfm_adapt_save(&adaptation) : srfm_adapt_rollback(&adaptation));
        (void)(i == 2 ? srfm_adapt_clear_drift(&adaptation) : SRFM_OK);
    }
    if (srfm_slots(model) < 1024) {
        float *kept = last(slots, srfm_slots(model) * 4);
        srfm_history history = { kept, srfm_slots(model), last(inputs, width * 4), width, 0 };
        float *sample = last(from, srfm_channels(model) * sizeof *sample);
        for (i = 0; i < srfm_channels(model); i++) sample[i] = reading(1);
        for (i = 0; i < 9; i++) {
            (void)srfm_predict_sample(model, &history, sample, srfm_channels(model), y, outputs);
        }
    }
    int16_t *z = last(from, values * sizeof *z);
    int32_t *integers = last(to, outputs * sizeof *integers);
    for (i = 0; i < values; i++) z[i] = (int16_t)(bits() >> 16);
    (void)srfm_predict_integers(model, z, values, integers, outputs);
}

int main(int count, char **arguments)
{
    region file = pages(), from = pages(), to = pages(), slots = pages(), inputs = pages();
    unsigned long accepted = 0, copies = strtoul(arguments[1], NULL, 10);
    for (int model_file = 2; model_file < count; model_file++) {
        unsigned char good[16384];
        FILE *stream = fopen(arguments[model_file], "rb");
        size_t len = stream ? fread(good, 1, sizeof good, stream) : 0;
        if (len == 0 || len == sizeof good) return 2;
        fclose(stream);
        for (unsigned long copy = 0; copy <= copies; copy++) {
            size_t cut = copy > 0 && bits() % 8 == 0 ? bits() % len : len, damages = copy > 0 ? bits() % 3 : 0;
            /* The bytes begin on a four-byte boundary, and end as near to the page as that allows. */
            unsigned char *bytes = last(file, (cut + 3) / 4 * 4);
            static srfm_model model;
            memcpy(bytes, good, cut);
            for (; damages > 0 && cut > 0; damages--) bytes[bits() % cut] ^= (unsigned char)(1u << bits() % 8);
            if (copy > 0 && bits() % 8 > 0) mend(bytes, cut);
            if (srfm_parse(&model, bytes, cut) == SRFM_OK) {
                accepted += copy > 0;
                use(&model, from, to, slots, inputs, copy == 0);
            } else if (copy == 0 || srfm_inputs(&model) != 0) {
                return 3;
            }
        }
    }
    printf("accepted %lu\n", accepted);
    return 0;
}
