/* Text and the end of the program, by way of a debugger or emulator. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

/* Prints text that ends in a zero. */
void print(const char *text);

/* Prints a number in decimal. */
void print_number(uint32_t number);

/* Prints eight hexadecimal digits. */
void print_hex(uint32_t bits);

/* Ends the emulator, whose exit status is 0 where `status` is. */
_Noreturn void end(int status);

#endif
