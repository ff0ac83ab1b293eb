/* Returns the sigmoid of an argument with 20 binary places, in 4096ths. */
static inline int32_t model_sigmoid_line(int32_t argument) {
    const int32_t end = (int32_t)8 * 1048576;
    if (argument < -end) {
        argument = -end;
    }
    if (argument > end - 1) {
        argument = end - 1;
    }
    return model_line(model_sigmoids, (uint32_t)argument << 8);
}
