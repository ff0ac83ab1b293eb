/* Returns the amplitude of a frequency by the algorithm of Goertzel. The coefficient is twice the cosine of the angle
   from one reading to the next. */
static inline float model_band(const float *readings, float mean, float coefficient) {
    float newer = 0.0f, older = 0.0f, power;
    for (size_t i = 0; i < MODEL_WINDOW; i++) {
        const float next = readings[i] - mean + model_product(coefficient, newer) - older;
        older = newer;
        newer = next;
    }
    power = model_product(newer, newer) + model_product(older, older);
    power -= model_product(model_product(coefficient, newer), older);
    return model_product(2.0f / (float)MODEL_WINDOW, model_root(power));
}
