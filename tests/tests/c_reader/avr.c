/* Reads the FILES files of models in flash on an AVR, and prints their words by the serial port. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>

#include "driver.h"

/* Behind the code, which never returns from main: tables of the reader stay within the first 64 KB. */
__asm__(".section .fini1,\"ax\",@progbits\n"
        "files_in_flash: .incbin \"files.bin\"\n"
        ".balign 2\n"
        ".text\n");
extern const uint8_t files_in_flash[];

static void print(char character) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

static void put(uint32_t word) {
    print('#');
    for (int shift = 28; shift >= 0; shift -= 4) {
        print("0123456789abcdef"[(word >> shift) & 15u]);
    }
    print('\n');
}

int main(void) {
    uint_farptr_t next = pgm_get_far_address(files_in_flash);
    UCSR0B = 1 << TXEN0;
    for (int i = 0; i < FILES; i++) {
        const size_t length = (size_t)pgm_read_dword_far(next);
        uint8_t *bytes = malloc(length);
        next += 4;
        for (size_t k = 0; bytes != NULL && k < length; k++) {
            bytes[k] = pgm_read_byte_far(next + k);
        }
        next += length;
        if (bytes != NULL) {
            use_file(bytes, length);
        }
        free(bytes);
    }
    while (!(UCSR0A & (1 << TXC0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
