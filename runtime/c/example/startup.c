/* What happens before main: the vector table and the memory. */
#include "semihosting.h"

extern uint32_t stack_top, data_start, data_end, data_source, bss_start, bss_end;

int main(void);

_Noreturn void reset(void) {
    const uint32_t *source = &data_source;
    for (uint32_t *word = &data_start; word < &data_end; word++) {
        *word = *source++;
    }
    for (uint32_t *word = &bss_start; word < &bss_end; word++) {
        *word = 0;
    }
#ifdef __ARM_FP
    /* Access to the floating-point unit, before anything uses it. */
    volatile uint32_t *cpacr = (volatile uint32_t *)0xe000ed88;
    *cpacr |= 0xfu << 20;
    __asm__ volatile("dsb\nisb" ::: "memory");
#endif
    end(main());
}

static void fault(void) {
    print("fault\n");
    end(1);
}

/* The rest of the table comes to a hard fault. */
__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *initial_stack_pointer;
    void (*reset)(void);
    void (*non_maskable_interrupt)(void);
    void (*hard_fault)(void);
} vectors = { &stack_top, reset, fault, fault };
