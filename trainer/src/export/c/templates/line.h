/* Returns the value of a function that consists of 256 lines, in 4096ths. The argument's upper half counts. */
static inline int32_t model_line(const int32_t *lines, uint32_t argument) {
    const uint32_t word = (uint32_t)MODEL_READ_LONG(&lines[argument >> 24]);
    const int32_t rise = model_lower(word) * (model_signed(argument) >> 16);
    return model_signed(word + (uint32_t)rise) >> 16;
}
