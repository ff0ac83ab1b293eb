/* Hides a product from the compiler on targets with a fused multiply-add: fused operations round once instead of
   twice, and the bits differ. The statement takes no instruction. */
#if !defined(__GNUC__)
#define MODEL_UNFUSED(product) ((void)0)
#define MODEL_STORED volatile
#else
#define MODEL_STORED
#if defined(__aarch64__)
#define MODEL_UNFUSED(product) __asm__("" : "+w"(product))
#elif defined(__arm__) && defined(__ARM_FEATURE_FMA)
#define MODEL_UNFUSED(product) __asm__("" : "+t"(product))
#elif (defined(__x86_64__) || defined(__i386__)) && (defined(__FMA__) || defined(__FMA4__) || defined(__AVX512F__))
#define MODEL_UNFUSED(product) __asm__("" : "+x"(product))
#elif defined(__riscv_flen)
#define MODEL_UNFUSED(product) __asm__("" : "+f"(product))
#elif defined(__arm__) || defined(__x86_64__) || defined(__i386__) || defined(__AVR__)
#define MODEL_UNFUSED(product) ((void)0)
#elif defined(__riscv) && !defined(__riscv_zfinx)
#define MODEL_UNFUSED(product) ((void)0)
#else
#define MODEL_UNFUSED(product) __asm__("" : "+m"(product))
#endif
#endif

/* Returns a product that no later addition is fused with. */
static inline float model_product(float a, float b) {
    MODEL_STORED float product = a * b;
    MODEL_UNFUSED(product);
    return product;
}
