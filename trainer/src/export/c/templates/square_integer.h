/* Returns the square of an argument, in 32768ths of the largest one, beyond which it is constant. */
static inline int32_t model_square_integer(int32_t argument) {
    int32_t t = argument > 32767 ? 32767 : argument;
    t = t < -32768 ? -32768 : t;
    return (t * t) >> 15;
}
