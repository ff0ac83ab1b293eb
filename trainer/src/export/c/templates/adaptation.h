/* An adaptation. Its contents belong to the functions below; model_start gives it its first state. */
typedef struct @name@_adaptation {
    float removed[MODEL_ENTRIES]; /* the variance that references have removed: the lower triangle, row by row */
    float coefficients[MODEL_COEFFICIENTS];
    float share[5]; /* of the coefficients: gain, power, what is left, references, value */
    float saved[MODEL_COEFFICIENTS];
    float saved_share[5];
    float recent; /* the recent offset, and its share */
    float recent_share[5];
    float usual;  /* the mean magnitude of surprises */
    float mean;   /* the mean magnitude of errors */
    float factor; /* of it, the half-width of the interval */
    float sums[3];
    uint32_t outside;
    uint32_t rows;
} @name@_adaptation;

/* Whether there is a saved state. The numbers are those of srfm.h. */
typedef enum model_status {
    MODEL_OK = 0,                  /* there is one */
    MODEL_UNSUPPORTED_VERSION = 5, /* one of another version of the layout */
    MODEL_CORRUPT = 11,            /* the checksum does not match the bytes, or a number is infinite or NaN */
    MODEL_LAYOUT = 13,             /* one with another number of coefficients */
    MODEL_FOREIGN = 28,            /* one of another model */
    MODEL_EMPTY = 33               /* none: the bytes do not begin as one, as in flash that was never written */
} model_status;

/* The compiler warns where a status is not looked at. */
#if defined(__GNUC__)
#define MODEL_CHECKED __attribute__((warn_unused_result))
#else
#define MODEL_CHECKED
#endif

/* Returns whether a number is neither infinite nor NaN. */
static inline int model_finite(float x) {
    return (model_bits(x) & 0x7f800000u) != 0x7f800000u;
}

/* Returns a number within limits. */
static inline float model_clamped(float x, float low, float high) {
    return x < low ? low : (x > high ? high : x);
}

/* Returns the sum of products. */
static inline float model_sum(const float *a, const float *b) {
    float sum = 0.0f;
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        sum += model_product(a[i], b[i]);
    }
    return sum;
}

/* Begins with no share. One reference that leaves a usual error keeps the mean square of the rest defined. */
static inline void model_no_share(float share[5]) {
    share[0] = 0.0f;
    share[1] = 0.0f;
    share[2] = 1.0f;
    share[3] = 1.0f;
    share[4] = 0.0f;
}

/* Learns the share of a correction from an error without it. */
static inline void model_learn_share(float share[5], float error, float correction) {
    const float left = error - correction;
    share[0] = model_product(0.98f, share[0]) + model_product(error, correction);
    share[1] = model_product(0.98f, share[1]) + model_product(correction, correction);
    share[2] = model_product(0.98f, share[2]) + model_product(left, left);
    share[3] = model_product(0.98f, share[3]) + 1.0f;
    const float value = share[0] / (share[1] + model_product(MODEL_CAUTION, share[2]) / share[3]);
    share[4] = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

/* Gives the covariance of the coefficients times the regressors. */
static inline void model_gains(const @name@_adaptation *adaptation, const float *regressors, float *gains) {
    const float *entry = adaptation->removed;
    for (size_t row = 0; row < MODEL_COEFFICIENTS; row++) {
        float own = 0.0f;
        for (size_t i = 0; i < row; i++) {
            gains[i] += model_product(*entry, regressors[row]);
            own += model_product(*entry, regressors[i]);
            entry++;
        }
        gains[row] = own + model_product(*entry, regressors[row]);
        entry++;
    }
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        gains[i] = model_product(MODEL_VARIANCE, regressors[i]) - gains[i];
    }
}

/* Moves the coefficients and their covariance by a reference, and on to the next one. */
static inline void model_filter(@name@_adaptation *adaptation, const float *regressors, float surprise) {
    float gains[MODEL_COEFFICIENTS];
    float coefficients[MODEL_COEFFICIENTS];
    float *entry = adaptation->removed;
    model_gains(adaptation, regressors, gains);
    float variance = model_sum(regressors, gains) + 1.0f;
    if (!model_finite(variance)) {
        return;
    }
    variance = variance > 1.0f ? variance : 1.0f;
    const float step = surprise / variance;
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        const float moved = adaptation->coefficients[i] + model_product(gains[i], step);
        coefficients[i] = model_product(MODEL_KEEPS, moved);
    }
    const float norm2 = model_sum(coefficients, coefficients);
    const float factor = norm2 > MODEL_MOST ? MODEL_MOST / norm2 : 1.0f;
    if (model_finite(norm2)) {
        for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
            adaptation->coefficients[i] = model_product(factor, coefficients[i]);
        }
    }
    for (size_t row = 0; row < MODEL_COEFFICIENTS; row++) {
        const float scaled = gains[row] / variance;
        for (size_t i = 0; i <= row; i++) {
            *entry = model_product(MODEL_KEPT, *entry + model_product(scaled, gains[i]));
            entry++;
        }
    }
}

/* Takes the residual of the model at a reference, in usual errors. */
static inline void model_recalibrate(@name@_adaptation *adaptation, const float *regressors, float residual) {
    const float correction = model_sum(adaptation->coefficients, regressors);
    const float largest = model_product(5.0f, adaptation->usual);
    const float in_use = model_product(adaptation->share[4], correction);
    const float left = model_clamped(residual - in_use, -largest, largest);
    const float surprise = model_clamped(residual - correction, -largest, largest);
    const float usual = adaptation->usual + (model_absolute(surprise) - adaptation->usual) / 10.0f;
    adaptation->usual = model_clamped(usual, 1.0f, MODEL_BOUND);
    model_learn_share(adaptation->share, correction + surprise, correction);
    model_learn_share(adaptation->recent_share, left, adaptation->recent);
    const float recent = model_product(0.5f, adaptation->recent) + model_product(0.25f, left);
    adaptation->recent = model_clamped(recent, -MODEL_BOUND, MODEL_BOUND);
    model_filter(adaptation, regressors, surprise);
}

/* Learns the interval from the error of a prediction. */
static inline void model_learn_interval(@name@_adaptation *adaptation, float error) {
    const float size = model_absolute(error);
    const float outside = size > model_product(adaptation->factor, adaptation->mean) ? 1.0f : 0.0f;
    const float change = 1.0f + model_product(0.1f, outside - MODEL_OUTSIDE);
    const float largest = model_product(4.0f, adaptation->mean);
    adaptation->factor = model_clamped(model_product(adaptation->factor, change), 0.5f, 20.0f);
    adaptation->mean += ((size < largest ? size : largest) - adaptation->mean) / 10.0f;
    adaptation->mean = model_clamped(adaptation->mean, MODEL_LEAST_MEAN, MODEL_LARGEST_MEAN);
}

/* Learns the alarms from the residual of a reference, in usual errors. */
static inline void model_learn_drift(@name@_adaptation *adaptation, float residual) {
    const float limited = model_clamped(residual, -3.0f, 3.0f);
    const float steps[3] = { limited, -limited, model_absolute(limited) - 0.8f };
    for (size_t i = 0; i < 3u; i++) {
        adaptation->sums[i] = model_clamped(adaptation->sums[i] + steps[i] - 0.5f, 0.0f, 24.0f);
    }
}

/* Returns a number as a regressor: -1 and 1 are the ends of range `i`, and 0 stands for what is no number. */
static inline float model_standardised(float value, size_t i) {
    const float middle = model_float(MODEL_READ_WORD(&@scales@[2u * i]));
    const float half = model_float(MODEL_READ_WORD(&@scales@[2u * i + 1u]));
    const float standardised = (value - middle) / half;
    return model_missing(standardised) ? 0.0f : model_clamped(standardised, -3.0f, 3.0f);
}

/* Gives the regressors of readings and of their prediction. */
static inline void model_regressors(const float *x, float factory, float *regressors) {
    regressors[0] = 1.0f;
    regressors[1] = model_standardised(factory, 0);
@readings@@products@}

/* Returns the prediction of the model with the correction. */
static inline float model_corrected(const @name@_adaptation *adaptation, const float *x, float factory) {
    float regressors[MODEL_COEFFICIENTS];
    const float share = adaptation->share[4], recent_share = adaptation->recent_share[4];
    if (!(share > 0.0f || recent_share > 0.0f) || model_missing(factory)) {
        return factory;
    }
    model_regressors(x, factory, regressors);
    const float learned = model_product(share, model_sum(adaptation->coefficients, regressors));
    const float correction = learned + model_product(recent_share, adaptation->recent);
    const float corrected = factory + model_product(MODEL_USUAL_ERROR, correction);
    return model_clamped(corrected, MODEL_LOW, MODEL_HIGH);
}

/* Starts with the model as it is: the factory reset. */
static inline void model_start(@name@_adaptation *adaptation) {
    for (size_t i = 0; i < MODEL_ENTRIES; i++) {
        adaptation->removed[i] = 0.0f;
    }
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        adaptation->coefficients[i] = 0.0f;
        adaptation->saved[i] = 0.0f;
    }
    model_no_share(adaptation->share);
    model_no_share(adaptation->saved_share);
    model_no_share(adaptation->recent_share);
    adaptation->recent = 0.0f;
    adaptation->usual = 1.0f;
    adaptation->mean = MODEL_MEAN;
    adaptation->factor = MODEL_FACTOR;
    for (size_t i = 0; i < 3u; i++) {
        adaptation->sums[i] = 0.0f;
    }
    adaptation->outside = 0;
    adaptation->rows = 0;
}

/* Predicts from readings, with the correction. NaN where the model gives none. */
static inline float model_predict(const @name@_adaptation *adaptation, const float x[@NAME@_INPUTS]) {
    return model_corrected(adaptation, x, @name@_predict(x));
}

/* Returns half the width of the interval around a prediction. */
static inline float model_half_width(const @name@_adaptation *adaptation) {
    return model_product(adaptation->factor, adaptation->mean);
}

/* Takes the true value for readings. Returns whether it was used: 0 for one that is no number, and for readings from
   which there is no prediction. */
static inline int model_learn(@name@_adaptation *adaptation, const float x[@NAME@_INPUTS], float reference) {
    float regressors[MODEL_COEFFICIENTS];
    const float factory = @name@_predict(x);
    const float predicted = model_corrected(adaptation, x, factory);
    if (!model_finite(reference) || !model_finite(factory) || !model_finite(predicted)) {
        return 0;
    }
    const float residual = (reference - factory) / MODEL_USUAL_ERROR;
    model_learn_interval(adaptation, reference - predicted);
    model_learn_drift(adaptation, residual);
    model_regressors(x, factory, regressors);
    model_recalibrate(adaptation, regressors, residual);
    return 1;
}

/* Returns whether residuals are shifted, or larger than those of the fit. */
static inline int model_is_alarmed(const @name@_adaptation *adaptation) {
    return adaptation->sums[0] > 12.0f || adaptation->sums[1] > 12.0f || adaptation->sums[2] > 12.0f;
}

/* Counts a row, and whether readings of it are outside of the fitted ranges. */
static inline void model_count(@name@_adaptation *adaptation, const float x[@NAME@_INPUTS]) {
    adaptation->rows += adaptation->rows < 0xffffffffu ? 1u : 0u;
@outside@}

/* Clears the alarms and the counts, as after a service of the sensor. */
static inline void model_clear_drift(@name@_adaptation *adaptation) {
    adaptation->sums[0] = 0.0f;
    adaptation->sums[1] = 0.0f;
    adaptation->sums[2] = 0.0f;
    adaptation->outside = 0;
    adaptation->rows = 0;
}

/* Keeps the coefficients and their share for model_rollback. */
static inline void model_save(@name@_adaptation *adaptation) {
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        adaptation->saved[i] = adaptation->coefficients[i];
    }
    for (size_t i = 0; i < 5u; i++) {
        adaptation->saved_share[i] = adaptation->share[i];
    }
}

/* Returns to the saved coefficients and their share, at first those of the factory, without a recent offset. */
static inline void model_rollback(@name@_adaptation *adaptation) {
    for (size_t i = 0; i < MODEL_COEFFICIENTS; i++) {
        adaptation->coefficients[i] = adaptation->saved[i];
    }
    for (size_t i = 0; i < 5u; i++) {
        adaptation->share[i] = adaptation->saved_share[i];
    }
    for (size_t i = 0; i < MODEL_ENTRIES; i++) {
        adaptation->removed[i] = 0.0f;
    }
    adaptation->recent = 0.0f;
    model_no_share(adaptation->recent_share);
    adaptation->usual = 1.0f;
}

/* Returns the CRC-32 of bytes. */
static inline uint32_t model_checksum(const uint8_t *bytes, size_t length) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return crc ^ 0xffffffffu;
}

/* Writes a word of four bytes, the lowest first, and returns the place behind it. */
static inline uint8_t *model_put(uint8_t *bytes, uint32_t word) {
    for (size_t i = 0; i < 4u; i++) {
        bytes[i] = (uint8_t)(word >> (8u * i) & 0xffu);
    }
    return bytes + 4;
}

/* Writes numbers and returns the place behind them. */
static inline uint8_t *model_put_all(uint8_t *bytes, const float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bytes = model_put(bytes, model_bits(numbers[i]));
    }
    return bytes;
}

/* Returns the word of four bytes. */
static inline uint32_t model_word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Reads numbers and returns the place behind them. */
static inline const uint8_t *model_take_all(const uint8_t *bytes, float *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        numbers[i] = model_float(model_word_at(bytes));
        bytes += 4;
    }
    return bytes;
}

/* Writes the whole state, from which model_restore goes on with the same bits. */
static inline void model_store(const @name@_adaptation *adaptation, uint8_t bytes[MODEL_STATE_BYTES]) {
    uint8_t *at = model_put(bytes, 0x41465253u);
    at = model_put(at, (uint32_t)MODEL_COEFFICIENTS << 16 | 1u);
    at = model_put(at, MODEL_FINGERPRINT);
    at = model_put_all(at, adaptation->removed, MODEL_ENTRIES);
    at = model_put_all(at, adaptation->coefficients, MODEL_COEFFICIENTS);
    at = model_put_all(at, adaptation->share, 5);
    at = model_put_all(at, adaptation->saved, MODEL_COEFFICIENTS);
    at = model_put_all(at, adaptation->saved_share, 5);
    at = model_put_all(at, &adaptation->recent, 1);
    at = model_put_all(at, adaptation->recent_share, 5);
    at = model_put_all(at, &adaptation->usual, 1);
    at = model_put_all(at, &adaptation->mean, 1);
    at = model_put_all(at, &adaptation->factor, 1);
    at = model_put_all(at, adaptation->sums, 3);
    at = model_put(at, adaptation->outside);
    at = model_put(at, adaptation->rows);
    (void)model_put(at, model_checksum(bytes, MODEL_STATE_BYTES - 4u));
}

/* Returns whether bytes are a saved adaptation of this model. */
static inline model_status model_stored(const uint8_t bytes[MODEL_STATE_BYTES]) {
    const size_t end = MODEL_STATE_BYTES - 4u;
    const uint32_t head = model_word_at(bytes + 4);
    if (model_word_at(bytes) != 0x41465253u) {
        return MODEL_EMPTY;
    }
    if ((head & 0xffffu) != 1u) {
        return MODEL_UNSUPPORTED_VERSION;
    }
    if (head >> 16 != MODEL_COEFFICIENTS) {
        return MODEL_LAYOUT;
    }
    if (model_checksum(bytes, end) != model_word_at(bytes + end)) {
        return MODEL_CORRUPT;
    }
    if (model_word_at(bytes + 8) != MODEL_FINGERPRINT) {
        return MODEL_FOREIGN;
    }
    /* Two counts are before the checksum. */
    for (size_t i = 12; i < end - 8u; i += 4u) {
        if (!model_finite(model_float(model_word_at(bytes + i)))) {
            return MODEL_CORRUPT;
        }
    }
    return MODEL_OK;
}

/* Goes on with the state that model_store wrote. Without one, the adaptation stays as it is. */
MODEL_CHECKED static inline model_status model_restore(
    @name@_adaptation *adaptation, const uint8_t bytes[MODEL_STATE_BYTES]) {
    const model_status status = model_stored(bytes);
    if (status != MODEL_OK) {
        return status;
    }
    const uint8_t *at = model_take_all(bytes + 12, adaptation->removed, MODEL_ENTRIES);
    at = model_take_all(at, adaptation->coefficients, MODEL_COEFFICIENTS);
    at = model_take_all(at, adaptation->share, 5);
    at = model_take_all(at, adaptation->saved, MODEL_COEFFICIENTS);
    at = model_take_all(at, adaptation->saved_share, 5);
    at = model_take_all(at, &adaptation->recent, 1);
    at = model_take_all(at, adaptation->recent_share, 5);
    at = model_take_all(at, &adaptation->usual, 1);
    at = model_take_all(at, &adaptation->mean, 1);
    at = model_take_all(at, &adaptation->factor, 1);
    at = model_take_all(at, adaptation->sums, 3);
    adaptation->outside = model_word_at(at);
    adaptation->rows = model_word_at(at + 4);
    return MODEL_OK;
}
