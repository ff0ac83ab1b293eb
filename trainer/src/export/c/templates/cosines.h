/* The lines of the cosine: the offset in the upper half of a word, the slope in the lower one. */
static const int32_t model_cosines[256] MODEL_FLASH = {@lines@};
