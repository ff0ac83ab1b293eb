/* A program with a generated model, on an emulated Cortex-M or a simulated ATmega328P.
 *
 * Without MODEL it is empty, for the size of a program without a model. With MODEL it predicts once. With COUNTED it
 * prints the instructions of a prediction on a Cortex-M. With TRACED it predicts and calls finished, or on an
 * ATmega328P writes its cycles; a history takes BEFORE samples first. MODEL and READINGS, a list of numbers, come from
 * the command line; with INTEGERS predictions go from integers to integers, with PREPARED from readings that have to
 * be prepared first, with SAMPLES from samples, with CLASSES to a class. CALL is a statement that takes the place of
 * the prediction. */

#include <stddef.h>
#include <stdint.h>

#if defined(MODEL)
#include "model.h"

#ifndef READINGS
#define READINGS { 0 }
#endif

#if defined(SAMPLES)
#define READ MODEL_CHANNELS
#define COUNTS MODEL_CHANNELS
#else
#define READ MODEL_INPUTS
#define COUNTS MODEL_VALUES
#endif

static volatile float readings[READ] = READINGS;

/* The function whose cost budgets count. SAMPLES and CLASSES say that the model looks back or has classes. */
#if defined(INTEGERS) && !(defined(SAMPLES) && defined(PREPARED))
static volatile int16_t integers[COUNTS];
static volatile int32_t outputs[MODEL_OUTPUTS];
#define VALUES ((const int16_t *)(uintptr_t)integers)
#define RESULTS ((int32_t *)(uintptr_t)outputs)
#else
static volatile float outputs[MODEL_OUTPUTS];
#define VALUES ((const float *)(uintptr_t)readings)
#define RESULTS ((float *)(uintptr_t)outputs)
#endif
static volatile int status;
static volatile size_t number;
#if defined(PREPARED)
#define PREPARE model_prepare((const float *)(uintptr_t)readings, (int16_t *)(uintptr_t)integers)
#else
#define PREPARE (void)0
#endif
#if defined(CALL)
#define FLOATS ((const float *)(uintptr_t)readings)
#define NUMBER ((size_t *)(uintptr_t)&number)
static volatile float scores[MODEL_OUTPUTS + 1], results[32];
#define SCORES ((float *)(uintptr_t)scores)
#define SHARES ((uint16_t *)(uintptr_t)results)
#endif

__attribute__((noinline)) static void predict(void) {
#if defined(CALL)
    CALL;
#elif defined(SAMPLES) && defined(INTEGERS) && !defined(PREPARED)
    static model_integer_history history;
    status = (int)model_predict_sample_integers(&history, VALUES, RESULTS);
#elif defined(SAMPLES)
    static model_history history;
    status = (int)model_predict_sample(&history, VALUES, RESULTS);
#elif defined(CLASSES) && defined(INTEGERS)
    PREPARE;
    status = (int)model_classify_integers(VALUES, (size_t *)(uintptr_t)&number);
#elif defined(CLASSES)
    status = (int)model_classify(VALUES, (size_t *)(uintptr_t)&number);
#elif defined(INTEGERS)
    PREPARE;
    status = (int)model_predict_integers(VALUES, RESULTS);
#elif MODEL_OUTPUTS > 1
    model_predict(VALUES, RESULTS);
#else
    outputs[0] = model_predict(VALUES);
#endif
}
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
#if defined(INTEGERS) && !defined(SAMPLES) && !defined(PREPARED)
    model_prepare((const float *)(uintptr_t)readings, (int16_t *)(uintptr_t)integers);
#endif
#if defined(SAMPLES)
    /* Until there are enough samples. */
    for (volatile int sample = 0; sample < 256; sample++) {
        predict();
    }
#endif
    uint32_t figure = instructions(ticks_of(predict) - ticks_of(nothing));
    *place = 0;
    do {
        *--place = (char)('0' + figure % 10);
        figure /= 10;
    } while (figure > 0);
    host(4, (uintptr_t)place);
    host(0x18, 0x20026);
}
#endif

#if defined(TRACED)
#if defined(__AVR__)
#include "avr.h"

static void last_call(void) {
    const uint32_t cycles = cycles_of(predict);
    open_port();
    give(&cycles);
    stop();
}
#else
/* No other function has the same code. */
__attribute__((noinline)) static void finished(void) {
    __asm__ volatile("nop\nnop" ::: "memory");
}

static void last_call(void) {
    predict();
    finished();
}
#endif

static void trace(void) {
#if defined(INTEGERS) && !defined(SAMPLES) && !defined(PREPARED)
    model_prepare((const float *)(uintptr_t)readings, (int16_t *)(uintptr_t)integers);
#endif
#if defined(SAMPLES)
    for (volatile int sample = 0; sample < BEFORE; sample++) {
        predict();
    }
#endif
    last_call();
}
#endif

/* Not part of the function that enables the floating-point unit, which must not save its registers. */
__attribute__((noinline)) static void run(void) {
#if (defined(COUNTED) || defined(TRACED)) && defined(MODEL)
    static const float row[] = READINGS;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        readings[i] = row[i];
    }
#endif
#if defined(COUNTED)
    count();
#elif defined(TRACED)
    trace();
#elif defined(MODEL)
    predict();
#endif
}

#if defined(__AVR__)
int main(void) {
    run();
    for (;;) {
    }
}
#else
void reset(void);
void reset(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;
    __asm__ volatile("dsb\nisb" ::: "memory");
#endif
    run();
    for (;;) {
    }
}

extern uint32_t stack_top;
typedef struct {
    uint32_t *stack;
    void (*handlers[3])(void);
} vectors;
__attribute__((section(".first"), used)) static const vectors first = { &stack_top, { reset, reset, reset } };
#endif
