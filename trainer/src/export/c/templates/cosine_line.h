/* Returns the cosine of a phase of 2 to the 32nd a turn, in 4096ths. */
static inline int32_t model_cosine_line(uint32_t phase) {
    return model_line(model_cosines, phase);
}
