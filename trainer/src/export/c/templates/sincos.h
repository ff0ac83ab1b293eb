/* Gives sine and cosine of an angle in turns, over the scales of the amplitudes. */
static inline void model_sincos(float t, float values[2]) {
    const float rounded = t + 6291456.0f; /* 1.5 times 2 to the 22nd: the last bit tells odd numbers of halves */
    const float r = t - (rounded - 6291456.0f);
    const float u = model_product(r, r);
    const float w = model_product(u, u);
    const float sine_front = -0.08850345015525818f + model_product(u, 0.5822671055793762f);
    const float sine = model_product(r, sine_front + model_product(w, -1.1457502841949463f + u));
    const float cosine_front = 0.017780184745788574f + model_product(u, -0.35096612572669983f);
    const float cosine_back = (1.1545491218566895f + model_product(u, -1.5155919790267944f)) + w;
    const float cosine = cosine_front + model_product(w, cosine_back);
    const int odd = (model_bits(rounded) & 1u) != 0u;
    values[0] = odd ? -sine : sine;
    values[1] = odd ? -cosine : cosine;
}
