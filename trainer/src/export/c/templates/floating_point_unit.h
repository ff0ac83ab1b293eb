/* The model was fitted to a budget of a core with a floating-point unit. */
#if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#warning "model computes in floating point and the compiler uses no floating-point unit: set -mfpu or CONFIG_FPU=y"
#endif
