/* Returns the sigmoid of a number, over the scale of the amplitudes. */
static inline float model_sigmoid(float t) {
    return 1.0f / (104.4920806884765625f + model_power(t));
}
