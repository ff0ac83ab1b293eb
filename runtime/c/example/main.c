/* Evaluates an embedded model on sensor readings and reports over semihosting: firmware-example in C. */
#include "semihosting.h"
#include "srfm.h"

/* The model, in flash, on the four-byte boundary that srfm_parse asks for. It tells the pressure from a bridge and a
   thermistor, in counts of a 12-bit converter. */
__asm__(".section .rodata.pressure, \"a\"\n"
        ".balign 4\n"
        ".global pressure_model, pressure_model_end\n"
        "pressure_model:\n"
        ".incbin \"pressure.srfm\"\n"
        "pressure_model_end:\n"
        ".previous\n");
extern const uint8_t pressure_model[], pressure_model_end[];

/* Readings of the bridge and the thermistor, in place of a converter. */
static const float readings[][2] = {
    { 1090.0f, 3037.0f }, /* 500 hPa at 0 degrees Celsius */
    { 2289.0f, 2048.0f }, /* 800 hPa at 25 degrees Celsius */
    { 3116.0f, 2248.0f }, /* 1013.25 hPa at 20 degrees Celsius */
    { 3246.0f, 1191.0f }, /* 1100 hPa at 50 degrees Celsius */
};

static srfm_model model;
static srfm_adaptation adaptation;

/* Follows a reference instrument that shows 50 hPa more, and predicts the first reading. */
static srfm_status follow(float *pressure, float *half_width) {
    srfm_status status = srfm_adapt_start(&model, &adaptation);
    for (size_t i = 0; i < 40 && status == SRFM_OK; i++) {
        const float *reading = readings[i % 4];
        float predicted;
        int32_t used;
        status = srfm_predict(&model, reading, 2, &predicted, 1);
        if (status == SRFM_OK) {
            status = srfm_adapt_learn(&model, &adaptation, reading, 2, predicted + 50.0f, &used);
        }
    }
    return status == SRFM_OK ? srfm_adapt_predict(&model, &adaptation, readings[0], 2, pressure, half_width) : status;
}

static void print_bits(const char *name, float value) {
    union { float value; uint32_t bits; } result = { value };
    print(name);
    print_hex(result.bits);
    print("\n");
}

int main(void) {
    /* Parsing checks every length, index and value, once. */
    srfm_status status = srfm_parse(&model, pressure_model, (size_t)(pressure_model_end - pressure_model));
    if (status != SRFM_OK) {
        print("the model is refused: ");
        print_number((uint32_t)status);
        print("\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        /* One output, in its physical unit. */
        float pressure;
        status = srfm_predict(&model, readings[i], 2, &pressure, 1);
        if (status != SRFM_OK) {
            return 1;
        }
        print_number((uint32_t)pressure);
        print_bits(" hPa, bits ", pressure);
    }
    float pressure, half_width;
    if (follow(&pressure, &half_width) != SRFM_OK) {
        return 1;
    }
    print_bits("adapted ", pressure);
    print_bits("half-width ", half_width);
    return 0;
}
