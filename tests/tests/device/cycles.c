/* Times predictions of a generated integer model by the timer of an ATmega328P, and prints their cycles. COUNTS has the
   readings of all rows. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct board {
    int16_t values[MODEL_VALUES];
    int status;
    int32_t outputs[MODEL_OUTPUTS];
};

struct board board;

__attribute__((noinline)) static void predict(void) {
    __asm__ volatile("" ::: "memory");
    board.status = (int)model_predict_integers(board.values, board.outputs);
    __asm__ volatile("" ::: "memory");
}

/* Only returns, which takes 4 cycles. */
__attribute__((noinline)) static void nothing(void) {
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) static uint16_t ticks_of(void (*call)(void)) {
    TCNT1 = 0;
    call();
    return TCNT1;
}

static void print(char character) {
    while (!(UCSR0A & (1 << UDRE0))) {
    }
    UDR0 = (uint8_t)character;
}

static const float rows[][MODEL_INPUTS] = COUNTS;

int main(void) {
    UCSR0B = 1 << TXEN0;
    TCCR1B = 1 << CS10;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        model_prepare(rows[row], board.values);
        const uint16_t ticks = (uint16_t)(ticks_of(predict) - ticks_of(nothing) + 4u);
        print('#');
        for (int shift = 12; shift >= 0; shift -= 4) {
            print("0123456789abcdef"[(ticks >> shift) & 15]);
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
