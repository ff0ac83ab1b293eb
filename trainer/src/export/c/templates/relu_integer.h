/* Returns the positive part of an argument, in 16384ths of the largest one. */
static inline int32_t model_relu_integer(uint32_t argument) {
    const int32_t t = model_signed(argument);
    return t > 0 ? t >> 17 : 0;
}
