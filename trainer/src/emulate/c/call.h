/* The prediction of a row by the exported C of a model.
 *
 * INTEGERS says that the model is in integers, COUNTS that its readings go in as they are, SAMPLES that it looks back
 * in time. STEPS and OFFSETS give integer outputs in physical units. */

#include <stddef.h>
#include <stdint.h>

#include "model.h"

#if defined(SAMPLES)
#define READINGS MODEL_CHANNELS
#else
#define READINGS MODEL_INPUTS
#endif

#if defined(INTEGERS) && (defined(COUNTS) || !defined(SAMPLES))
#define INTEGER_OUTPUTS
#endif

/* What the call reads and writes, at one address, as a program has it. Not static: the compiler would know that a
   program which is only linked leaves the readings at zero. */
struct board {
    float readings[READINGS];
    int status;
#if defined(INTEGER_OUTPUTS)
    int32_t outputs[MODEL_OUTPUTS];
#else
    float outputs[MODEL_OUTPUTS];
#endif
#if defined(INTEGERS) && defined(SAMPLES) && defined(COUNTS)
    int16_t values[MODEL_CHANNELS];
    model_integer_history history;
#elif defined(INTEGERS) && !defined(SAMPLES)
    int16_t values[MODEL_VALUES];
#elif defined(SAMPLES)
    model_history history;
#endif
};

struct board board;

/* The call that budgets count. */
__attribute__((noinline)) static void predict(void) {
    __asm__ volatile("" ::: "memory");
#if defined(SAMPLES) && defined(INTEGER_OUTPUTS)
    board.status = (int)model_predict_sample_integers(&board.history, board.values, board.outputs);
#elif defined(SAMPLES)
    board.status = (int)model_predict_sample(&board.history, board.readings, board.outputs);
#elif defined(INTEGERS)
#if !defined(COUNTS)
    model_prepare(board.readings, board.values);
#endif
    board.status = (int)model_predict_integers(board.values, board.outputs);
#elif MODEL_OUTPUTS > 1
    model_predict(board.readings, board.outputs);
#else
    board.outputs[0] = model_predict(board.readings);
#endif
    __asm__ volatile("" ::: "memory");
}

#if !defined(SIZED)
/* Puts the readings of a row where the call looks for them. */
static void prepare(void) {
#if defined(INTEGERS) && defined(SAMPLES) && defined(COUNTS)
    for (size_t i = 0; i < MODEL_CHANNELS; i++) {
        const float reading = board.readings[i];
        board.values[i] = reading != reading ? (int16_t)MODEL_MISSING : (int16_t)reading;
    }
#elif defined(INTEGERS) && !defined(SAMPLES) && defined(COUNTS)
    model_prepare(board.readings, board.values);
#endif
}

/* Starts a sequence of rows. */
static void begin(void) {
#if defined(SAMPLES)
    board.history.samples = 0;
#endif
}

/* Returns whether the model has taken too few samples yet. */
static int is_waiting(void) {
#if defined(SAMPLES)
    return board.status == 23;
#else
    return 0;
#endif
}

/* Gives the outputs in physical units. */
static void in_units(float y[MODEL_OUTPUTS]) {
#if defined(INTEGER_OUTPUTS)
    static const float steps[MODEL_OUTPUTS] = STEPS, offsets[MODEL_OUTPUTS] = OFFSETS;
    for (size_t o = 0; o < MODEL_OUTPUTS; o++) {
        const float output = (float)board.outputs[o];
        y[o] = board.status != 0 ? model_float(0x7fc00000u) : offsets[o] + model_product(steps[o], output);
    }
#else
    for (size_t o = 0; o < MODEL_OUTPUTS; o++) {
        y[o] = board.outputs[o];
    }
#endif
}

/* The words of stack that are painted below a caller's frame. */
#if !defined(PAINTED)
#define PAINTED 4096
#endif
#define PAINT ((uintptr_t)0xa5a5a5a5u)

/* Returns the bytes of stack that the call takes: it overwrites the paint. */
__attribute__((noinline)) static uint32_t stack_of(void (*call)(void)) {
    volatile uintptr_t *top = (volatile uintptr_t *)__builtin_frame_address(0) - 16;
    volatile uintptr_t *lowest = top - PAINTED;
    for (volatile uintptr_t *word = lowest; word < top; word++) {
        *word = PAINT;
    }
    call();
    while (lowest < top && *lowest == PAINT) {
        lowest++;
    }
    return (uint32_t)((uintptr_t)__builtin_frame_address(0) - (uintptr_t)lowest);
}

/* Returns the bytes of stack that a prediction takes, and leaves the history as it was. */
static uint32_t stack_of_prediction(void) {
#if defined(SAMPLES)
    static __typeof__(board.history) before;
    before = board.history;
    const uint32_t bytes = stack_of(predict);
    board.history = before;
    return bytes;
#else
    return stack_of(predict);
#endif
}

/* What a trace ends at; no other function has the same code. */
__attribute__((noinline, unused)) static void finished(void) {
    __asm__ volatile("nop\nnop" ::: "memory");
}
#endif
