/* Returns the cosine of an angle in turns, over the scale of the amplitudes. */
static inline float model_cosine(float t) {
    const float whole = (t + 12582912.0f) - 12582912.0f; /* rounded: 1.5 times 2 to the 23rd */
    const float s = 0.25f - model_absolute(t - whole);
    const float u = model_product(s, s);
    const float p = -1.1457502841949463f + u;
    return model_product(s, -0.08850345015525818f + model_product(u, 0.5822671055793762f + model_product(u, p)));
}
