/* Runs all models on an AVR with rows in flash and prints a hash of the words of every model by the serial port. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <stddef.h>
#include <stdint.h>

/* Behind the code, which never returns from main: tables of models stay within the first 64 KB. */
__asm__(".section .fini1,\"ax\",@progbits\n"
        "rows_in_flash: .incbin \"rows.bin\"\n"
        ".balign 2\n"
        ".text\n");
extern const uint8_t rows_in_flash[];

static uint_farptr_t next_byte;
static uint32_t hash;

static int take(void *words, size_t count) {
    for (uint8_t *byte = words; count > 0; count--, byte += 4, next_byte += 4) {
        const uint32_t word = pgm_read_dword_far(next_byte);
        __builtin_memcpy(byte, &word, 4);
    }
    return 1;
}

/* FNV-1a of 32 bits, a word at a time. */
static int give(const void *words, size_t count) {
    for (const uint32_t *word = words; count > 0; count--, word++) {
        hash = (hash ^ *word) * UINT32_C(16777619);
    }
    return 1;
}

#include "run.h"

static void print(char character) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

int main(void) {
    UCSR0B = 1 << TXEN0;
    next_byte = pgm_get_far_address(rows_in_flash);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        hash = UINT32_C(2166136261);
        print(run_model(i) == 0 ? '#' : '!');
        for (int shift = 28; shift >= 0; shift -= 4) {
            print("0123456789abcdef"[(hash >> shift) & 15]);
        }
    }
    print('\n');
    while (!(UCSR0A & (1 << TXC0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
