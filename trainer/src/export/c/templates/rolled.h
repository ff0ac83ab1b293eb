/* A loop that stays one, which is smaller than its statements in a row. */
#if defined(__GNUC__) && __GNUC__ >= 8
#define MODEL_ROLLED _Pragma("GCC unroll 1")
#else
#define MODEL_ROLLED
#endif
