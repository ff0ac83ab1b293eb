/* Returns the square root; 0 for a number below the least normal one. */
static inline float model_root(float x) {
    float r;
    if (x < 1.1754943508222875e-38f) {
        x = 0.0f;
    }
    if (!(x <= 3.4028234663852886e38f)) {
        return x;
    }
    r = model_float(0x5f3759dfu - (model_bits(x) >> 1));
    for (int step = 0; step < 3; step++) {
        r = model_product(r, 1.5f - model_product(0.5f, model_product(model_product(x, r), r)));
    }
    return model_product(x, r);
}
