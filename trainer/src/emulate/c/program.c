/* Runs the exported C of a model on rows, on a Cortex-M or a RISC-V in QEMU.
 *
 * With SIZED the program only predicts, with EMPTY it does nothing: the difference is the flash of the prediction.
 * Otherwise rows.bin holds, for each sequence of rows, their number and the readings; results.bin receives, for each
 * prediction, the instructions, the bytes of stack and the outputs. All are words of 32 bits. */

#include <stddef.h>
#include <stdint.h>

#if !defined(EMPTY)
#include "call.h"
#endif

#if !defined(EMPTY) && !defined(SIZED)
enum { OPEN = 0x01, WRITE = 0x05, READ = 0x06, EXIT = 0x18, PASSED = 0x20026, FAILED = 0x20023 };

static uintptr_t host(uintptr_t operation, uintptr_t argument) {
#if defined(__riscv)
    register uintptr_t a0 __asm__("a0") = operation;
    register uintptr_t a1 __asm__("a1") = argument;
    __asm__ volatile(".option push\n.option norvc\n.balign 16\nslli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(a0)
                     : "r"(a1)
                     : "memory");
    return a0;
#else
    register uintptr_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#endif
}

static uintptr_t open_file(const char *name, uintptr_t length, uintptr_t mode) {
    const uintptr_t block[3] = {(uintptr_t)name, mode, length};
    return host(OPEN, (uintptr_t)block);
}

/* Reads or writes words; returns whether all of them were. */
static int exchange(uintptr_t operation, uintptr_t file, const void *words, size_t count) {
    const uintptr_t block[3] = {file, (uintptr_t)words, 4 * count};
    return host(operation, (uintptr_t)block) == 0;
}

__attribute__((noinline)) static void nothing(void) {
    __asm__ volatile("" ::: "memory");
}

#if defined(__riscv)
static void start_counting(void) {
}

/* The core counts the instructions that it executed. */
static uint32_t executed(void) {
    uint32_t count;
    __asm__ volatile(".option arch, +zicsr\ncsrr %0, minstret" : "=r"(count) : : "memory");
    return count;
}

__attribute__((noinline)) static uint32_t count(void (*call)(void)) {
    const uint32_t start = executed();
    call();
    return executed() - start;
}
#else
/* Timer 0 of the board counts down. One instruction takes 1024 ns of the emulator's time with -icount shift=10, one
   tick of the timer 40 ns, on the board of a Cortex-M33 50 ns. */
#if defined(__ARM_ARCH_8M_MAIN__)
#define TIMER ((volatile uint32_t *)0x50000000)
#define TICK 50u
#else
#define TIMER ((volatile uint32_t *)0x40000000)
#define TICK 40u
#endif

static void start_counting(void) {
    TIMER[2] = 0xffffffffu;
    TIMER[1] = 0xffffffffu;
    TIMER[0] = 1;
}

__attribute__((noinline)) static uint32_t count(void (*call)(void)) {
    const uint32_t start = TIMER[1];
    call();
    return ((start - TIMER[1]) * (TICK / 2u) + 256u) / 512u;
}
#endif

/* Predicts a row; returns whether the results could be written. */
static int row(uintptr_t results, uint32_t overhead) {
    uint32_t figures[2];
    float y[MODEL_OUTPUTS];
    prepare();
    figures[1] = stack_of_prediction();
    figures[0] = count(predict) - overhead;
    if (is_waiting()) {
        return 1;
    }
    in_units(y);
    return exchange(WRITE, results, figures, 2) && exchange(WRITE, results, y, MODEL_OUTPUTS);
}

/* Not part of the function that enables the floating-point unit, which must not save its registers. */
__attribute__((noinline)) static int run(void) {
    const uintptr_t rows = open_file("rows.bin", 8, 1), results = open_file("results.bin", 11, 5);
    uint32_t overhead, left;
    start_counting();
    overhead = count(nothing);
    if (rows == (uintptr_t)-1 || results == (uintptr_t)-1) {
        return 0;
    }
    while (exchange(READ, rows, &left, 1)) {
        begin();
        for (; left > 0; left--) {
            if (!exchange(READ, rows, board.readings, READINGS) || !row(results, overhead)) {
                return 0;
            }
        }
    }
    return 1;
}
#endif

void *memset(void *bytes, int value, size_t count);
void *memset(void *bytes, int value, size_t count) {
    for (volatile uint8_t *byte = bytes; count > 0; count--) {
        *byte++ = (uint8_t)value;
    }
    return bytes;
}

void *memcpy(void *target, const void *source, size_t count);
void *memcpy(void *target, const void *source, size_t count) {
    const volatile uint8_t *from = source;
    for (uint8_t *byte = target; count > 0; count--) {
        *byte++ = *from++;
    }
    return target;
}

#if defined(__riscv)
#define WORK __attribute__((noinline, used)) static
#else
#define WORK __attribute__((always_inline)) static inline
#endif

/* What the core does once the stack is there and its floating-point unit runs. */
WORK void work(void) {
#if defined(SIZED)
    predict();
#elif !defined(EMPTY)
    const int passed = run();
    finished();
    host(EXIT, passed ? PASSED : FAILED);
#endif
    for (;;) {
    }
}

void reset(void);
#if defined(__riscv)
__attribute__((naked, used, section(".first"))) void reset(void) {
    __asm__ volatile(".option arch, +zicsr\nla sp, stack_top\nli t0, 0x2000\ncsrs mstatus, t0\nj %0" : : "i"(work));
}
#else
void reset(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;
    __asm__ volatile("dsb\nisb" ::: "memory");
#endif
    work();
}

extern uint32_t stack_top;
typedef struct {
    uint32_t *stack;
    void (*handlers[3])(void);
} vectors;
__attribute__((section(".first"), used)) static const vectors first = {&stack_top, {reset, reset, reset}};
#endif
