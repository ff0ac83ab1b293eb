#include "semihosting.h"

/* Numbers of the Arm semihosting interface. */
enum { SYS_WRITE0 = 0x04, SYS_EXIT = 0x18, APPLICATION_EXIT = 0x20026, RUN_TIME_ERROR = 0x20023 };

static void call(uint32_t operation, uintptr_t argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register uintptr_t r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void print(const char *text) {
    call(SYS_WRITE0, (uintptr_t)text);
}

/* Prints at least `digits` digits. */
static void print_digits(uint32_t number, uint32_t base, int digits) {
    char text[11];
    char *first = text + sizeof text - 1;
    *first = '\0';
    for (; number > 0 || digits > 0; number /= base, digits--) {
        *--first = "0123456789abcdef"[number % base];
    }
    print(first);
}

void print_number(uint32_t number) {
    print_digits(number, 10, 1);
}

void print_hex(uint32_t bits) {
    print_digits(bits, 16, 8);
}

_Noreturn void end(int status) {
    for (;;) {
        call(SYS_EXIT, status == 0 ? APPLICATION_EXIT : RUN_TIME_ERROR);
    }
}
