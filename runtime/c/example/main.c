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
        union { float value; uint32_t bits; } result = { pressure };
        print_number((uint32_t)pressure);
        print(" hPa, bits ");
        print_hex(result.bits);
        print("\n");
    }
    return 0;
}
