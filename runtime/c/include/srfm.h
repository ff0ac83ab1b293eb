/*
 * srfm: sparse random feature models on microcontrollers.
 *
 * The library evaluates a model file of `srfm fit` where it lies in flash. It copies and allocates nothing, and no call
 * can fail once its arguments fit. The results have the bits that the workstation computed.
 *
 *     static srfm_model model;
 *
 *     if (srfm_parse(&model, model_bytes, sizeof model_bytes) != SRFM_OK) { ... }   // once
 *
 *     float reading[2] = { 1090.0f, 3037.0f }, pressure;
 *     srfm_predict(&model, reading, 2, &pressure, 1);                               // as often as you like
 *
 * Link with libsrfm.a, built as a release for the target of your core:
 *
 *     cargo build --release --target thumbv7em-none-eabihf          # Cortex-M4F, M7: -mfloat-abi=hard
 *     cargo build --release --target thumbv7m-none-eabi             # Cortex-M3
 *     cargo build --release --target thumbv6m-none-eabi             # Cortex-M0, M0+
 *     cargo build --release --target thumbv8m.main-none-eabihf      # Cortex-M33: -mfloat-abi=hard
 *
 * Linking with -Wl,--gc-sections leaves out functions that are not called. With `--features cosine-only` the library
 * evaluates models of cosine features in floating point alone, with less than half of the code; with `--features
 * int-cosine-only`, models of cosine features in integers.
 *
 * No function has state of its own. Parsing writes to the srfm_model, and every other function only reads it: any
 * number of threads and interrupt handlers may use a parsed model at the same time, also while the next model is being
 * received elsewhere. No function panics, aborts or waits, with one exception: with `--features signature`, the
 * package that checks signatures contains bounds checks, and a failed one would wait for the watchdog.
 */
#ifndef SRFM_H
#define SRFM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define SRFM_RESTRICT
#else
#define SRFM_RESTRICT restrict
#endif

/* Success, or why not. Not the type of the enumeration below, whose size depends on the compiler's options. */
typedef int32_t srfm_status;

enum {
    /* The call did what it says. */
    SRFM_OK = 0,

    /* A pointer is null. */
    SRFM_NULL = 1,
    /* The srfm_model has not been parsed, or its last parsing failed. */
    SRFM_NOT_PARSED = 2,

    /* Of srfm_parse. The model does not start on a four-byte boundary: declare its bytes with _Alignas(4). */
    SRFM_MISALIGNED = 3,
    /* The first four bytes are not "SRFM". */
    SRFM_NOT_A_MODEL = 4,
    /* The library does not read this version of the format. */
    SRFM_UNSUPPORTED_VERSION = 5,
    /* The library does not evaluate the number format of the model: see int-cosine-only and cosine-only above. */
    SRFM_UNSUPPORTED_NUMBER = 6,
    /* The library does not evaluate a kernel of the model: see cosine-only above. */
    SRFM_UNSUPPORTED_KERNEL = 7,
    /* The library does not evaluate a warp of the model: see cosine-only above. */
    SRFM_UNSUPPORTED_WARP = 8,
    /* The model has a section that a reader must understand, and the library does not know it. */
    SRFM_UNSUPPORTED_SECTION = 9,
    /* There are fewer bytes than the file's length says. */
    SRFM_TRUNCATED = 10,
    /* The checksum does not match the bytes. */
    SRFM_CORRUPT = 11,
    /* The header cannot be decoded. */
    SRFM_HEADER = 12,
    /* A length or count in the model contradicts another. */
    SRFM_LAYOUT = 13,
    /* A feature refers to an input that the model does not have. */
    SRFM_INDEX_OUT_OF_RANGE = 14,
    /* A parameter is infinite or not a number. */
    SRFM_NOT_FINITE = 15,
    /* A buffer is too small for the model. */
    SRFM_TOO_LARGE = 16,

    /* Of srfm_predict and srfm_classify. The number of readings is not srfm_inputs. */
    SRFM_WRONG_INPUTS = 17,
    /* The number of results is not srfm_outputs. */
    SRFM_WRONG_OUTPUTS = 18,
    /* Of srfm_classify. The model predicts quantities: use srfm_predict. */
    SRFM_NO_CLASSES = 19,
    /* Of srfm_prepare and srfm_predict_integers. The model is in floating point: use srfm_predict. */
    SRFM_NOT_INTEGERS = 20,
    /* Of srfm_outside and srfm_half_width. The file of the model has no ranges or no intervals. Of functions with a
       srfm_adaptation or a srfm_store: it has not been started or opened. */
    SRFM_ABSENT = 21,
    /* Of srfm_parse. The lower limit of an output or of a reading is above its upper limit. */
    SRFM_LIMITS = 22,
    /* Of srfm_predict_sample. The history has taken the sample, and the model needs more. */
    SRFM_WAITING = 23,
    /* Any other failure. */
    SRFM_OTHER = 24,

    /* Of functions with a srfm_store. The flash reports a failure. */
    SRFM_FLASH = 25,
    /* The area or the sizes of words and pages do not fit the flash. */
    SRFM_AREA = 26,
    /* The sequence number is not above that of the model in use: the update is old, or was sent before. */
    SRFM_OLD_SEQUENCE = 27,
    /* The update is for another application, or its model has other numbers of inputs or outputs, or lags that the
       policy does not allow. */
    SRFM_FOREIGN = 28,
    /* The policy has a key, and the update is not signed. */
    SRFM_UNSIGNED = 29,
    /* The signature does not match the update. */
    SRFM_SIGNATURE = 30,
    /* No update was begun, or a failure ended it. */
    SRFM_NOT_STARTED = 31,
    /* Pieces of the model are missing, or the offer has another length than offers have. */
    SRFM_INCOMPLETE = 32,
    /* No model is stored. */
    SRFM_EMPTY = 33,
    /* Of srfm_receiver_feed. The model is complete and waits for srfm_store_commit or srfm_store_commit_in. */
    SRFM_RECEIVED = 34,
    /* The policy has a key, and the library was built without `--features signature`. */
    SRFM_NO_SIGNATURES = 35,

    /* Of srfm_predict_integers and srfm_classify. A reading is missing, and the model has no replacement for it. */
    SRFM_MISSING_READING = 36,
    /* Of srfm_classify. The model is not as sure of a class as it must be to name it. */
    SRFM_UNCERTAIN = 37
};

/* Stands for a missing reading in the inputs of srfm_predict_integers. No reading becomes this integer. */
#define SRFM_MISSING INT16_MIN

/* Size of srfm_model, in words of a pointer's size. */
#define SRFM_MODEL_WORDS 40

/*
 * A parsed model: pointers into the bytes of the model, 160 bytes on a 32-bit core. Allocate it where you like; its
 * contents belong to the library. A srfm_model of zeros, as a static one is from the start, counts as not parsed. It
 * may be copied.
 */
typedef struct srfm_model {
    uintptr_t opaque[SRFM_MODEL_WORDS];
} srfm_model;

/*
 * Checks the model at the start of `len` bytes and borrows it: the bytes must neither move nor change as long as
 * `model` is used. They start on a four-byte boundary; bytes behind the model are ignored. The function checks every
 * length, index and value and the checksum, in about 60 instructions a byte, and refuses damaged or hostile bytes.
 *
 * After a failure `model` counts as not parsed.
 *
 * Returns SRFM_OK, SRFM_NULL, or one of SRFM_MISALIGNED to SRFM_NOT_FINITE, or SRFM_LIMITS.
 */
srfm_status srfm_parse(srfm_model *model, const void *bytes, size_t len);

/*
 * Predicts every output from one row of readings.
 *
 * `x`        srfm_inputs(model) readings, raw, in the order of the training data's columns
 * `inputs`   their number
 * `y`        receives srfm_outputs(model) values in physical units; must not overlap `x`
 * `outputs`  their number
 *
 * On a core with an FPU the number of instructions depends on the model alone. A model of quantities limits every
 * result to a range that its file states. A reading of NaN is missing. A model that was fitted with replacements for
 * missing readings takes those. Otherwise every result is NaN, if the results depend on the reading.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_INPUTS or SRFM_WRONG_OUTPUTS; `y` is written only with
 * SRFM_OK.
 */
srfm_status srfm_predict(const srfm_model *model, const float *SRFM_RESTRICT x, size_t inputs,
                         float *SRFM_RESTRICT y, size_t outputs);

/*
 * Predicts the class of one row of readings: its number, from 0, in the order that `srfm inspect` shows.
 *
 * `x`, `inputs`        as for srfm_predict
 * `scores`, `outputs`  the outputs of srfm_predict: for two classes one score, and the second class is the answer where
 *                      the score is above one half; otherwise a score for each class, and the largest is the answer
 * `class_number`       receives the number
 *
 * A score of NaN is never the largest. Where every score is NaN, as after a missing reading that nothing replaces,
 * there is no answer: the function returns SRFM_MISSING_READING, and `class_number` is not written. Nor is it written
 * with SRFM_UNCERTAIN, where no class is ahead of all others by more than the margin that the model states.
 *
 * Returns the results of srfm_predict, SRFM_NO_CLASSES, SRFM_MISSING_READING or SRFM_UNCERTAIN; `scores` and
 * `class_number` are not written with other failures.
 */
srfm_status srfm_classify(const srfm_model *model, const float *SRFM_RESTRICT x, size_t inputs,
                          float *SRFM_RESTRICT scores, size_t outputs, size_t *SRFM_RESTRICT class_number);

/*
 * Turns readings into the inputs of an integer model; NaN becomes SRFM_MISSING. A model that was fitted to counts of a
 * converter may prepare nothing: then the counts go in as they are, and this function is not needed.
 *
 * `x`, `inputs`  as for srfm_predict
 * `z`            receives srfm_values(model) integers; must not overlap `x`
 * `values`       their number
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_INPUTS or SRFM_NOT_INTEGERS.
 */
srfm_status srfm_prepare(const srfm_model *model, const float *SRFM_RESTRICT x, size_t inputs,
                         int16_t *SRFM_RESTRICT z, size_t values);

/*
 * Predicts every output of an integer model without floating point, in the same number of instructions for every input
 * where the model has no linear terms and warps no inputs.
 *
 * `z`        srfm_values(model) integers: the results of srfm_prepare, or counts of a converter
 * `values`   their number
 * `y`        receives srfm_outputs(model) integers, each worth `offset + step * y` by srfm_scale; must not overlap `z`
 * `outputs`  their number
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_INPUTS, SRFM_WRONG_OUTPUTS, SRFM_NOT_INTEGERS, or
 * SRFM_MISSING_READING where an input is SRFM_MISSING, the outputs depend on it and the model has no replacement for
 * it; `y` is written only with SRFM_OK.
 */
srfm_status srfm_predict_integers(const srfm_model *model, const int16_t *SRFM_RESTRICT z, size_t values,
                                  int32_t *SRFM_RESTRICT y, size_t outputs);

/* The meaning of the integers of an output; SRFM_WRONG_OUTPUTS where there is no such output. */
srfm_status srfm_scale(const srfm_model *model, size_t output, float *step, float *offset);

/*
 * Counts the readings outside of the range of their input in the rows that the model was fitted to: where there is any,
 * a prediction is a guess. NaN is outside; a reading that the outputs do not depend on never is.
 *
 * `x`, `inputs`  as for srfm_predict
 * `count`        receives the number
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_INPUTS or SRFM_ABSENT; `count` is written only with SRFM_OK.
 */
srfm_status srfm_outside(const srfm_model *model, const float *SRFM_RESTRICT x, size_t inputs,
                         size_t *SRFM_RESTRICT count);

/*
 * Gives half the width of the interval around a prediction of an output. The interval holds the target of a share of
 * `level`, such as 0.9, of rows like those that the model was fitted to.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_OUTPUTS where there is no such output, or SRFM_ABSENT.
 */
srfm_status srfm_half_width(const srfm_model *model, size_t output, float *half_width, float *level);

/*
 * The latest samples, for a model that looks at earlier ones, or whose inputs are statistics of windows. The program
 * gives the buffers: `slots` holds at least srfm_slots(model) numbers, `inputs` at least srfm_inputs(model). Both and
 * `samples` are zeros at the start, as static ones are. Set `samples` to 0 after a gap, and when another model takes
 * over:
 *
 *     static float slots[12], inputs[9];
 *     static srfm_history history = { slots, 12, inputs, 9, 0 };
 */
typedef struct srfm_history {
    float *slots;
    size_t slots_len;
    float *inputs;
    size_t inputs_len;
    uint16_t samples;
} srfm_history;

/*
 * Takes a sample, which is one reading of every channel, and predicts every output from it and the samples before.
 *
 * `history`       the samples before
 * `sample`        srfm_channels(model) readings
 * `channels`      their number
 * `y`, `outputs`  as for srfm_predict
 *
 * A model without earlier samples predicts from every sample alone, as srfm_predict does. A model with windows predicts
 * from the sample that completes one.
 *
 * Returns SRFM_OK, SRFM_WAITING while there are too few samples or a window is not complete, SRFM_NULL,
 * SRFM_NOT_PARSED, SRFM_WRONG_INPUTS, SRFM_WRONG_OUTPUTS, or SRFM_TOO_LARGE where a buffer is too small; `y` is written
 * only with SRFM_OK.
 */
srfm_status srfm_predict_sample(const srfm_model *model, srfm_history *history, const float *SRFM_RESTRICT sample,
                                size_t channels, float *SRFM_RESTRICT y, size_t outputs);

/*
 * Size of srfm_adaptation, in words of 32 bits: 476 bytes, or 1216 with products. Build the library with `--features
 * products` and define SRFM_PRODUCTS for the second one. A program with one of the two alone does not link.
 */
#ifdef SRFM_PRODUCTS
#define SRFM_ADAPTATION_WORDS 304
#define SRFM_ADAPTATION_BYTES 1204
#define srfm_adapt_start srfm_adapt_start_with_products
#else
#define SRFM_ADAPTATION_WORDS 119
#define SRFM_ADAPTATION_BYTES 464
#endif

/*
 * The adaptation of a model of one quantity to its sensor, by references: true values for some of the rows. It holds
 * coefficients, the recent offset, the interval, and alarms of drift. The coefficients are those of the offset, the
 * gain, the inputs, and the products of the prediction with itself and with each input, in this order. There are eleven
 * of them, enough for nine inputs without products and for four with them; or 21, enough for nine inputs with products.
 *
 * Allocate it where you like; its contents belong to the library. A srfm_adaptation of zeros counts as not started. It
 * may be copied. Functions that take it as `const` only read it; the others must not run at the same time as any other
 * function with the same srfm_adaptation.
 */
typedef struct srfm_adaptation {
    uint32_t opaque[SRFM_ADAPTATION_WORDS];
} srfm_adaptation;

/*
 * Starts with the factory's model, or returns to it: predictions have the bits of srfm_predict. Start anew when another
 * model takes over.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, or SRFM_WRONG_OUTPUTS where the model has several outputs or classes.
 */
srfm_status srfm_adapt_start(const srfm_model *model, srfm_adaptation *adaptation);

/*
 * Predicts with the correction, within the limits of the model, and gives half the width of the interval. The share of
 * references within the interval is that of srfm_half_width in the long run, 0.9 for a model without intervals.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_WRONG_INPUTS, SRFM_ABSENT, or SRFM_WRONG_OUTPUTS where the model
 * has several outputs or classes; `y` and `half_width` are written only with SRFM_OK.
 */
srfm_status srfm_adapt_predict(const srfm_model *model, const srfm_adaptation *adaptation,
                               const float *SRFM_RESTRICT x, size_t inputs,
                               float *SRFM_RESTRICT y, float *SRFM_RESTRICT half_width);

/*
 * Takes the true value of the row `x`, after its prediction. `used` receives 1, or 0 where the reference or the
 * prediction is not a finite number: such a reference changes nothing.
 *
 * Returns the results of srfm_adapt_predict.
 */
srfm_status srfm_adapt_learn(const srfm_model *model, srfm_adaptation *adaptation,
                             const float *SRFM_RESTRICT x, size_t inputs, float reference,
                             int32_t *SRFM_RESTRICT used);

/* Alarms: whether residuals are shifted or larger than at the factory; counted rows; those with readings outside. */
typedef struct srfm_drift {
    uint32_t alarmed;
    uint32_t outside;
    uint32_t rows;
} srfm_drift;

/*
 * Counts the row `x` and whether readings of it are outside of the range of the fitted rows, and gives the alarms.
 *
 * Returns the results of srfm_adapt_predict.
 */
srfm_status srfm_adapt_count(const srfm_model *model, srfm_adaptation *adaptation,
                             const float *SRFM_RESTRICT x, size_t inputs, srfm_drift *SRFM_RESTRICT drift);

/* Clears the alarms and the counts, as after a service of the sensor. Returns SRFM_OK, SRFM_NULL or SRFM_ABSENT. */
srfm_status srfm_adapt_clear_drift(srfm_adaptation *adaptation);

/*
 * Keeps the coefficients and the weight of their correction for srfm_adapt_rollback.
 *
 * Returns SRFM_OK, SRFM_NULL or SRFM_ABSENT.
 */
srfm_status srfm_adapt_save(srfm_adaptation *adaptation);

/*
 * Returns to the saved coefficients and weight, at first those of the factory, without a recent offset.
 *
 * Returns SRFM_OK, SRFM_NULL or SRFM_ABSENT.
 */
srfm_status srfm_adapt_rollback(srfm_adaptation *adaptation);

/*
 * Writes the whole state to `len` bytes, SRFM_ADAPTATION_BYTES of them, so that a reset loses nothing. The layout is
 * that of docs/adaptation.md.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_ABSENT or SRFM_LAYOUT where `len` is another number.
 */
srfm_status srfm_adapt_store(const srfm_model *model, const srfm_adaptation *adaptation, uint8_t *bytes, size_t len);

/*
 * Goes on with the state that srfm_adapt_store wrote, with the same bits. The adaptation has been started before.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_NOT_PARSED, SRFM_ABSENT, SRFM_LAYOUT where `len` or the number of coefficients
 * differs, SRFM_EMPTY where the bytes do not begin as a state, SRFM_UNSUPPORTED_VERSION, SRFM_CORRUPT, or SRFM_FOREIGN
 * for the state of another model; then the adaptation stays as it is.
 */
srfm_status srfm_adapt_restore(const srfm_model *model, srfm_adaptation *adaptation, const uint8_t *bytes, size_t len);

/*
 * The store keeps models in two slots of flash and takes updates. Build the library with `--features store`, or with
 * `--features signature` for updates that are signed. A power cut at any moment leaves the old model or the new one.
 *
 *     static srfm_store store;
 *     static srfm_receiver receiver;
 *     static uint32_t buffer[1024];
 *
 *     srfm_store_open(&store, &flash, start, end, &policy);       // once
 *     srfm_store_load(&store, buffer, 1024, &model);              // then predict
 *
 *     status = srfm_receiver_feed(&receiver, &store, byte, &answer);      // for every byte of the link
 *     if (status == SRFM_RECEIVED) {
 *         srfm_store_commit_in(&store, buffer, 1024, &answer);            // then parse and load anew
 *     }
 *     send(answer.bytes, answer.len);
 *
 * Functions that take a srfm_store as `const` only read it; the others must not run at the same time as any other
 * function with the same srfm_store, also not from the functions of its flash.
 */

/*
 * A flash: functions of the program, which return 0 where they succeed, and its sizes in bytes. Places count from the
 * start of the flash.
 *
 * `read`      copies `len` bytes, at most 64, to `bytes`
 * `write`     writes `len` bytes, at most 64, in whole words that are erased
 * `erase`     erases the page that begins at `offset`: all of its bits are set
 * `context`   goes to the functions
 * `capacity`  the length of the flash
 * `word`      the smallest write: a power of two, at most 64
 * `page`      the smallest erasure: a multiple of 64
 */
typedef struct srfm_flash {
    int (*read)(void *context, uint32_t offset, uint8_t *bytes, size_t len);
    int (*write)(void *context, uint32_t offset, const uint8_t *bytes, size_t len);
    int (*erase)(void *context, uint32_t offset);
    void *context;
    uint32_t capacity;
    uint32_t word;
    uint32_t page;
} srfm_flash;

/*
 * What a device demands of an update.
 *
 * `application`  a number of your choice, such as that of a product
 * `after`        sequence numbers are above this one, such as the number of the model in the firmware
 * `inputs`       srfm_inputs of a model: the readings of a sample, or for a model with lags the inputs after lags
 * `outputs`      srfm_outputs of a model
 * `key`          the public key of Ed25519, 32 bytes, that updates are signed with; null where they need not be
 * `channels`     the number of readings that srfm_predict_sample gets; 0 for a program that calls srfm_predict: then
 *                models with lags are refused
 * `slots`        the length of `slots` of the program's srfm_history: models with more srfm_slots are refused
 */
typedef struct srfm_policy {
    uint32_t application;
    uint32_t after;
    size_t inputs;
    size_t outputs;
    const uint8_t *key;
    size_t channels;
    size_t slots;
} srfm_policy;

/* Sizes of srfm_store and srfm_receiver, in words of a pointer's size. */
#define SRFM_STORE_WORDS 64
#define SRFM_RECEIVER_WORDS 40

/* A store. Allocate it where you like; its contents belong to the library. Zeros count as not opened. */
typedef struct srfm_store {
    uintptr_t opaque[SRFM_STORE_WORDS];
} srfm_store;

/* The device's end of a link, likewise. Zeros are a link on which nothing was received. */
typedef struct srfm_receiver {
    uintptr_t opaque[SRFM_RECEIVER_WORDS];
} srfm_receiver;

/* A frame for the other end of a link: `len` bytes; 0 where there is nothing to send. */
typedef struct srfm_answer {
    size_t len;
    uint8_t bytes[16];
} srfm_answer;

/* Where the model in use lies: the number of its update, the place of its first byte in flash, and its length. */
typedef struct srfm_stored {
    uint32_t sequence;
    uint32_t offset;
    uint32_t len;
} srfm_stored;

/*
 * Opens the store in the bytes from `start` to before `end` of a flash, and finds the model in use. A page begins at
 * `start`, and each half of the area is a slot of whole pages: 64 bytes for a record, the rest for a model. `flash` and
 * `policy` are copied; the key is, too.
 *
 * Returns SRFM_OK, also where no model is stored, SRFM_NULL, SRFM_AREA, SRFM_NO_SIGNATURES, or SRFM_FLASH where
 * neither record can be read, each tried twice: then open the store again later, and erase the area where that fails
 * at every start. Erased flash has to be readable. After a failure `store` counts as not opened.
 */
srfm_status srfm_store_open(srfm_store *store, const srfm_flash *flash, uint32_t start, uint32_t end,
                            const srfm_policy *policy);

/* Says where the model in use lies; SRFM_OK, SRFM_NULL, SRFM_ABSENT or SRFM_EMPTY. */
srfm_status srfm_store_stored(const srfm_store *store, srfm_stored *stored);

/*
 * Copies the model in use to `buffer`, which has `len` words of 32 bits, and parses it there.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_ABSENT, SRFM_EMPTY, SRFM_TOO_LARGE, SRFM_FLASH, SRFM_CORRUPT, or why the model is
 * refused; then `model` counts as not parsed.
 */
srfm_status srfm_store_load(srfm_store *store, uint32_t *buffer, size_t len, srfm_model *model);

/* Parses the model in use where it lies. `base` is the address of the first byte of the flash, which may be 0. */
srfm_status srfm_store_view(const srfm_store *store, const void *base, srfm_model *model);

/*
 * Takes a byte from a link. `answer` receives what is to be sent; a link of one direction leaves it out.
 *
 * Returns SRFM_OK, SRFM_RECEIVED, SRFM_NULL or SRFM_ABSENT. The answer of a refused update says why to the other end.
 */
srfm_status srfm_receiver_feed(srfm_receiver *receiver, srfm_store *store, uint8_t byte, srfm_answer *answer);

/*
 * Checks the received model where it lies, and takes it into use. A srfm_model of the store is then parsed anew. `base`
 * is as for srfm_store_view, and `answer` is null or receives the answer for the other end of the link.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_ABSENT, SRFM_NOT_STARTED, SRFM_INCOMPLETE, after which the update goes on,
 * SRFM_CORRUPT, SRFM_FOREIGN, SRFM_FLASH, or why the model is refused; then the model in use stays.
 */
srfm_status srfm_store_commit(srfm_store *store, const void *base, srfm_answer *answer);

/* As srfm_store_commit, in a buffer of `len` words to which the model is copied, for flash without addresses. */
srfm_status srfm_store_commit_in(srfm_store *store, uint32_t *buffer, size_t len, srfm_answer *answer);

/*
 * Begins an update that arrives without frames. `offer` has 16 bytes, or 112 with a signature: see docs/updates.md.
 *
 * Returns SRFM_OK, SRFM_NULL, SRFM_ABSENT, SRFM_INCOMPLETE, SRFM_FOREIGN, SRFM_OLD_SEQUENCE, SRFM_TOO_LARGE,
 * SRFM_UNSIGNED, SRFM_SIGNATURE or SRFM_FLASH. Nothing is erased before the offer is accepted.
 */
srfm_status srfm_store_begin(srfm_store *store, const void *offer, size_t len);

/* Writes the next piece of the model; SRFM_OK, SRFM_NULL, SRFM_ABSENT, SRFM_NOT_STARTED, SRFM_TOO_LARGE, SRFM_FLASH. */
srfm_status srfm_store_receive(srfm_store *store, const void *piece, size_t len);

/* Says which update is being received and how many bytes there are; SRFM_NOT_STARTED where there is none. */
srfm_status srfm_store_receiving(const srfm_store *store, uint32_t *sequence, uint32_t *received);

/* Drops the update that is being received; SRFM_OK, SRFM_NULL or SRFM_ABSENT. */
srfm_status srfm_store_discard(srfm_store *store);

/* Number of readings of a sample; 0 where the model is null or not parsed. */
size_t srfm_channels(const srfm_model *model);

/* Number of slots that a history needs; 0 where the model is null or not parsed. */
size_t srfm_slots(const srfm_model *model);

/* Number of integers that srfm_predict_integers takes; 0 where the model is null or not parsed. */
size_t srfm_values(const srfm_model *model);

/* Number of readings that a prediction takes; 0 where the model is null or not parsed. */
size_t srfm_inputs(const srfm_model *model);

/* Number of values that a prediction gives, likewise. */
size_t srfm_outputs(const srfm_model *model);

/* Number of classes, likewise; 0 in a model that predicts quantities. */
size_t srfm_classes(const srfm_model *model);

#ifdef __cplusplus
}
#endif

#endif
