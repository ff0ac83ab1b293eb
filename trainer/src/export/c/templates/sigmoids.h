/* The lines of the sigmoid: the offset in the upper half of a word, the slope in the lower one. */
static const int32_t model_sigmoids[256] MODEL_FLASH = {@lines@};
