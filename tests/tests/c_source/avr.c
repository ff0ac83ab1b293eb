/* Runs the self tests of models on an AVR and prints how many rows differ, by the serial port. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "models.h"

static void print(char character) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

int main(void) {
    UCSR0B = 1 << TXEN0;
    for (uint8_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const size_t different = tests[i]();
        print('#');
        print((char)('0' + (different > 9 ? 9 : different)));
    }
    print('\n');
    while (!(UCSR0A & (1 << TXC0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
    return 0;
}
