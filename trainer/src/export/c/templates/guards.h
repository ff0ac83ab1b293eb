/* The results have the bits of the workstation only where the compiler keeps the order and the rounding of every
   operation. */
#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "model needs the order of its operations: compile without -ffast-math, -Ofast and /fp:fast"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#error "model has to recognise missing readings: compile without -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "model needs float operations that round to float: compile with -msse2 -mfpmath=sse"
#endif
/* Clang has no macro for -funsafe-math-optimizations and -fassociative-math. This holds up to the end of the file that
   is compiled. */
#if defined(__clang__) && __clang_major__ >= 13
#pragma clang fp reassociate(off)
#endif
