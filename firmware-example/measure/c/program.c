/* A program with a generated model, on a Cortex-M in QEMU.
 *
 * Without MODEL it is empty, for the size of a program without a model. With MODEL it predicts once. With COUNTED it
 * prints the instructions of a prediction. MODEL and READINGS, a list of numbers, come from the command line; with
 * INTEGERS predictions go from integers to integers. */

#include <stddef.h>
#include <stdint.h>

#if defined(MODEL)
#include "model.h"

#ifndef READINGS
#define READINGS { 0 }
#endif

static volatile float readings[MODEL_INPUTS] = READINGS;

#if defined(INTEGERS)
static volatile int16_t integers[MODEL_VALUES];
static volatile int32_t outputs[MODEL_OUTPUTS];

__attribute__((noinline)) static void predict(void) {
#if MODEL_OUTPUTS > 1
    model_predict_integers((const int16_t *)(uintptr_t)integers, (int32_t *)(uintptr_t)outputs);
#else
    outputs[0] = model_predict_integers((const int16_t *)(uintptr_t)integers);
#endif
}
#else
static volatile float outputs[MODEL_OUTPUTS];

__attribute__((noinline)) static void predict(void) {
#if MODEL_OUTPUTS > 1
    model_predict((const float *)(uintptr_t)readings, (float *)(uintptr_t)outputs);
#else
    outputs[0] = model_predict((const float *)(uintptr_t)readings);
#endif
}
#endif
#endif

#if defined(COUNTED)
#define REPEATS 64

/* One instruction takes 64 ns of the emulator with -icount shift=6, one tick of its timer 40 ns, on the board of a
 * Cortex-M33 50 ns. */
#if defined(__ARM_ARCH_8M_MAIN__)
#define TICK 50u
#else
#define TICK 40u
#endif

static uint32_t instructions(uint32_t ticks) {
    return ticks * TICK / 64u / REPEATS;
}

static volatile uint32_t *const timer = (volatile uint32_t *)0xe000e010;

__attribute__((noinline)) static void nothing(void) {
    __asm__ volatile("");
}

static uint32_t ticks_of(void (*call)(void)) {
    timer[1] = 0xffffff;
    timer[2] = 0;
    timer[0] = 5;
    uint32_t start = timer[2];
    for (volatile int i = 0; i < REPEATS; i++) {
        call();
    }
    return (start - timer[2]) & 0xffffff;
}

static void host(uint32_t operation, uintptr_t argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void count(void) {
    char text[12];
    char *place = text + 11;
#if defined(INTEGERS)
    model_prepare((const float *)(uintptr_t)readings, (int16_t *)(uintptr_t)integers);
#endif
    uint32_t number = instructions(ticks_of(predict) - ticks_of(nothing));
    *place = 0;
    do {
        *--place = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    host(4, (uintptr_t)place);
    host(0x18, 0x20026);
}
#endif

void reset(void);
void reset(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;
    __asm__ volatile("dsb\nisb" ::: "memory");
#endif
#if defined(COUNTED)
#if defined(MODEL)
    static const float row[] = READINGS;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        readings[i] = row[i];
    }
#endif
    count();
#elif defined(MODEL)
    predict();
#endif
    for (;;) {
    }
}

extern uint32_t stack_top;
typedef struct {
    uint32_t *stack;
    void (*handlers[3])(void);
} vectors;
__attribute__((section(".first"), used)) static const vectors first = { &stack_top, { reset, reset, reset } };
