/* Returns the logarithm to base 2; a number below the least normal one counts as that. */
static inline float model_logarithm(float x) {
    int32_t bits, exponent;
    float f, p;
    if (x < 1.1754943508222875e-38f) {
        x = 1.1754943508222875e-38f;
    }
    if (!(x <= 3.4028234663852886e38f)) {
        return x;
    }
    bits = (int32_t)model_bits(x);
    exponent = (bits - 0x3f3504f3) >> 23;
    f = model_float((uint32_t)bits - ((uint32_t)exponent << 23)) - 1.0f;
    p = -0.27269804477691650f + model_product(f, 0.17063456773757935f);
    p = 0.29726260900497437f + model_product(f, p);
    p = -0.35896185040473938f + model_product(f, p);
    p = 0.48046502470970154f + model_product(f, p);
    p = -0.72137588262557983f + model_product(f, p);
    p = 1.4426996707916260f + model_product(f, p);
    return (float)exponent + model_product(f, p);
}
