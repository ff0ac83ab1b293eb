/* The serial port and the clock of an ATmega328P. */

#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

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

/* Returns the ticks of a call, up to 2 to the 18th, or the largest number: timer 1 counts cycles, and timer 0 every
   1,024 of them. */
__attribute__((noinline)) static uint32_t ticks_of(void (*call)(void)) {
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

/* Returns the cycles of a call, from its first instruction to its return, or the largest number. */
static uint32_t cycles_of(void (*call)(void)) {
    const uint32_t ticks = ticks_of(call);
    return ticks < UINT32_MAX ? ticks + 4u - ticks_of(nothing) : ticks;
}

static void open_port(void) {
    UCSR0B = 1 << TXEN0;
}

/* Ends the simulation when everything is written. */
static void stop(void) {
    while (!(UCSR0A & (1 << TXC0))) {
    }
    cli();
    sleep_enable();
    sleep_cpu();
}
