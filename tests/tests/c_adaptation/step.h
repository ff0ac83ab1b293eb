/* Does a step of model @name@ and gives its words. `x` has what to do, a number for it, and the readings. */
static void step_@name@(const float *x, uint32_t *out) {
    static @name@_adaptation adaptation;
    static int started = 0;
    static uint8_t state[@NAME@_ADAPT_STATE_BYTES];
    const int what = (int)x[0];
    if (started == 0) {
        @name@_adapt_start(&adaptation);
        started = 1;
    }
    const float predicted = @name@_adapt_predict(&adaptation, x + 2);
    out[0] = predicted == predicted ? @name@_adapt_bits(predicted) : 0x7fc00000u;
    out[1] = @name@_adapt_bits(@name@_adapt_half_width(&adaptation));
    out[2] = 0;
    @name@_adapt_count(&adaptation, x + 2);
    if (what == 1) {
        out[2] = (uint32_t)@name@_adapt_learn(&adaptation, x + 2, x[1]);
    } else if (what == 2) {
        /* A reset: the state goes to flash, memory is lost, and the state comes back. */
        @name@_adapt_store(&adaptation, state);
        @name@_adapt_start(&adaptation);
        out[2] = (uint32_t)@name@_adapt_restore(&adaptation, state);
    } else if (what == 3) {
        @name@_adapt_save(&adaptation);
    } else if (what == 4) {
        @name@_adapt_rollback(&adaptation);
    } else if (what == 5) {
        @name@_adapt_clear_drift(&adaptation);
    } else if (what == 6) {
        @name@_adapt_start(&adaptation);
    } else if (what == 7) {
        /* A damaged state is refused, and nothing changes. */
        @name@_adapt_store(&adaptation, state);
        state[(uint32_t)x[1] % @NAME@_ADAPT_STATE_BYTES] ^= 0x10u;
        out[2] = (uint32_t)@name@_adapt_restore(&adaptation, state);
    }
    @name@_adapt_store(&adaptation, state);
    out[3] = (uint32_t)@name@_adapt_is_alarmed(&adaptation);
    out[4] = adaptation.outside;
    out[5] = adaptation.rows;
    out[6] = @name@_adapt_word_at(state + 8);
    out[7] = @name@_adapt_word_at(state + @NAME@_ADAPT_STATE_BYTES - 4u);
    out[8] = @NAME@_ADAPT_STATE_BYTES;
}
