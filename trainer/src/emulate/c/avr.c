/* Runs the exported C of a model on rows, on a simulated ATmega328P.
 *
 * With SIZED the program only predicts, with EMPTY it does nothing: the difference is the flash of the prediction.
 * Otherwise rows.bin holds, for each sequence of rows, their number and the readings; the serial port gives, for each
 * prediction, the clock cycles, the bytes of stack and the outputs, each as # and hexadecimal digits. All are words
 * of 32 bits. */

#include <avr/pgmspace.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(PAINTED)
#define PAINTED 256
#endif
#if !defined(EMPTY)
#include "call.h"
#endif

#if !defined(EMPTY) && !defined(SIZED)
#include "avr.h"

__asm__(".section .progmem.data.rows,\"a\",@progbits\n"
        "rows_begin: .incbin \"rows.bin\"\n"
        "rows_end:\n"
        ".balign 2\n"
        ".text\n");
extern const uint8_t rows_begin[], rows_end[];

static const uint8_t *place = rows_begin;

static void take(void *words, uint16_t count) {
    for (uint8_t *byte = words; count > 0; count--, byte += 4, place += 4) {
        const uint32_t word = pgm_read_dword(place);
        __builtin_memcpy(byte, &word, 4);
    }
}

static void row(void) {
    float y[MODEL_OUTPUTS];
    uint32_t stack, cycles;
    prepare();
    stack = stack_of_prediction();
    cycles = cycles_of(predict);
    if (is_waiting()) {
        return;
    }
    in_units(y);
    give(&cycles);
    give(&stack);
    for (size_t o = 0; o < MODEL_OUTPUTS; o++) {
        give(&y[o]);
    }
}
#endif

int main(void) {
#if defined(SIZED)
    predict();
#elif !defined(EMPTY)
    open_port();
    while (place < rows_end) {
        uint32_t left;
        take(&left, 1);
        begin();
        for (; left > 0; left--) {
            take(board.readings, READINGS);
            row();
        }
    }
    stop();
#endif
    for (;;) {
    }
}
