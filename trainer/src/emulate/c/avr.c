/* Runs the exported C of a model on rows, on an ATmega328P in QEMU.
 *
 * With SIZED the program only predicts, with EMPTY it does nothing: the difference is the flash of the prediction.
 * Otherwise rows.bin holds, for each sequence of rows, their number and the readings; the serial port gives, for each
 * prediction, the bytes of stack and the outputs, as hexadecimal digits. All are words of 32 bits. */

#include <avr/io.h>
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

static void print(char character) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

static void give(const void *word) {
    uint32_t digits;
    __builtin_memcpy(&digits, word, 4);
    for (uint8_t i = 0; i < 8; i++, digits <<= 4) {
        print("0123456789abcdef"[digits >> 28]);
    }
    print('\n');
}

static void row(void) {
    float y[MODEL_OUTPUTS];
    uint32_t stack;
    prepare();
    stack = stack_of_prediction();
    predict();
    if (is_waiting()) {
        return;
    }
    in_units(y);
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
    UCSR0B = 1 << TXEN0;
    while (place < rows_end) {
        uint32_t left;
        take(&left, 1);
        begin();
        for (; left > 0; left--) {
            take(board.readings, READINGS);
            row();
        }
    }
    finished();
    print('.');
#endif
    for (;;) {
    }
}
