/* Returns 104.49 times e to the power of -t. */
static inline float model_power(float t) {
    float p = model_product(t, -1.4426950216293335f);
    float rounded, f, power, c;
    if (p < -64.0f) {
        p = -64.0f;
    }
    if (p > 64.0f) {
        p = 64.0f;
    }
    rounded = p + 12583039.0f; /* its last bits are those of an exponent */
    f = p - (rounded - 12583039.0f);
    power = model_float(model_bits(rounded) << 23);
    c = 25.103954315185547f + model_product(f, 5.842824935913086f + f);
    c = 104.49200439453125f + model_product(f, 72.42576599121094f + model_product(f, c));
    return model_product(c, power);
}
