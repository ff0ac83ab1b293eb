/* Runs all models on a board in QEMU, with files by semihosting: rows.bin to results.bin. */
#include <stddef.h>
#include <stdint.h>

enum { OPEN = 0x01, WRITE = 0x05, READ = 0x06, EXIT = 0x18, PASSED = 0x20026, FAILED = 0x20023 };
enum { READ_BINARY = 1, WRITE_BINARY = 5 };

static uintptr_t rows, results;

static uintptr_t call(uintptr_t operation, uintptr_t argument) {
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

static uintptr_t open_file(const char *name, uintptr_t mode) {
    uintptr_t length = 0;
    while (name[length] != '\0') {
        length++;
    }
    const uintptr_t block[3] = { (uintptr_t)name, mode, length };
    return call(OPEN, (uintptr_t)block);
}

/* Semihosting returns the number of bytes that are left over. */
static int take(void *words, size_t count) {
    const uintptr_t block[3] = { rows, (uintptr_t)words, 4 * count };
    return call(READ, (uintptr_t)block) == 0;
}

static int give(const void *words, size_t count) {
    const uintptr_t block[3] = { results, (uintptr_t)words, 4 * count };
    return call(WRITE, (uintptr_t)block) == 0;
}

#include "run.h"

void *memset(void *bytes, int value, size_t count) {
    for (volatile uint8_t *byte = bytes; count > 0; count--) {
        *byte++ = (uint8_t)value;
    }
    return bytes;
}

void *memcpy(void *target, const void *source, size_t count) {
    const volatile uint8_t *from = source;
    for (uint8_t *byte = target; count > 0; count--) {
        *byte++ = *from++;
    }
    return target;
}

static void start(void) {
    rows = open_file("rows.bin", READ_BINARY);
    results = open_file("results.bin", WRITE_BINARY);
    const int passed = rows != (uintptr_t)-1 && results != (uintptr_t)-1 && run_all() == 0;
    for (;;) {
        call(EXIT, passed ? PASSED : FAILED);
    }
}

#if defined(__riscv)
__attribute__((naked, used, section(".first"))) void reset(void) {
    __asm__ volatile(".option arch, +zicsr\nla sp, stack_top\nli t0, 0x2000\ncsrs mstatus, t0\nj continued");
}
__attribute__((used)) void continued(void) {
    start();
}
#else
extern uint32_t stack_top;

__attribute__((used)) void reset(void) {
#ifdef __ARM_FP
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;
    __asm__ volatile("dsb\nisb" ::: "memory");
#endif
    start();
}

static void fault(void) {
    for (;;) {
        call(EXIT, FAILED);
    }
}

__attribute__((section(".first"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[3])(void);
} vectors = { &stack_top, { reset, fault, fault } };
#endif
