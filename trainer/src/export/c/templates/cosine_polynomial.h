/* Returns the cosine of a phase of 2 to the 32nd a turn, in 4096ths. */
static inline int32_t model_cosine_polynomial(uint32_t phase) {
    const int32_t t = model_signed(phase);
    const int32_t s = (0x3fffffff - (t ^ (t >> 31))) >> 15; /* the distance to the quarter turn */
    /* The square has no sign: of a signed one, clang 14 makes wrong vectors at half a turn. */
    const int32_t u = (int32_t)((uint32_t)s * (uint32_t)s) >> 16;
    const int32_t p = 25728 - ((u * (10523 - ((u * 1180) >> 14))) >> 14);
    return (s * p + 65536) >> 17;
}
