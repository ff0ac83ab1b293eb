/* Runs the exported C of a model on rows, on a simulated ATmega328P.
 *
 * With SIZED the program only predicts, with EMPTY it does nothing: the difference is the flash of the prediction.
 * Otherwise rows.bin holds, for each sequence of rows, their number and the readings; the serial port gives, for each
 * prediction, the clock cycles, the bytes of stack and the outputs, each as # and hexadecimal digits. All are words
 * of 32 bits. */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
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
    print('#');
    for (uint8_t i = 0; i < 8; i++, digits <<= 4) {
        print("0123456789abcdef"[digits >> 28]);
    }
    print('\n');
}

/* Only returns, which takes 4 cycles. */
__attribute__((noinline)) static void nothing(void) {
    __asm__ volatile("" ::: "memory");
}

/* Returns the cycles of a call, up to 2 to the 18th, or the largest number: timer 1 counts cycles, and timer 0 every
   1,024 of them. */
__attribute__((noinline)) static uint32_t cycles_of(void (*call)(void)) {
    TCCR1B = 1 << CS10;
    TCCR0B = 1 << CS02 | 1 << CS00;
    GTCCR = 1 << PSRSYNC;
    TCNT0 = 0;
    TIFR0 = 1 << TOV0;
    TCNT1 = 0;
    call();
    const uint16_t cycles = TCNT1;
    const uint32_t about = (uint32_t)TCNT0 * 1024u + 512u;
    if (TIFR0 & (1 << TOV0)) {
        return UINT32_MAX;
    }
    return cycles + ((about + 32768u - cycles) & ~UINT32_C(65535));
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
    if (cycles < UINT32_MAX) {
        cycles += 4u - cycles_of(nothing);
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
    while (!(UCSR0A & (1 << TXC0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
#endif
    for (;;) {
    }
}
