/* Whether a model can be evaluated, or why not. */
typedef enum model_status {
    MODEL_OK = 0,
    MODEL_NOT_A_MODEL = 4,            /* the first four bytes are not "SRFM" */
    MODEL_UNSUPPORTED_VERSION = 5,    /* the format has another version */
    MODEL_UNSUPPORTED_NUMBER = 6,     /* the numbers have another format */
    MODEL_UNSUPPORTED_KERNEL = 7,     /* the features have another kernel */
    MODEL_UNSUPPORTED_WARP = 8,       /* an input has a warp that is not known */
    MODEL_UNSUPPORTED_SECTION = 9,    /* a section that must be understood is not known */
    MODEL_TRUNCATED = 10,             /* there are fewer bytes than the file's length says */
    MODEL_CORRUPT = 11,               /* the checksum does not match */
    MODEL_HEADER = 12,                /* the header cannot be decoded */
    MODEL_LAYOUT = 13,                /* a length contradicts another */
    MODEL_INDEX_OUT_OF_RANGE = 14,    /* a feature refers to an input that there is not */
    MODEL_NOT_FINITE = 15,            /* a parameter is infinite or not a number */
    MODEL_TOO_LARGE = 16,             /* more than 16 inputs are prepared, or an array of a history is too short */
    MODEL_NO_CLASSES = 19,            /* of model_classify: the model predicts quantities */
    MODEL_LIMITS = 22,                /* a lower limit is above its upper limit */
    MODEL_WAITING = 23,               /* of model_predict_sample: the model needs more samples */
    MODEL_MISSING_READING = 36,       /* of model_classify: no score is a number, as where a reading is missing */
    MODEL_UNCERTAIN = 37              /* of model_classify: the model is not as sure of a class as it must be */
} model_status;

/* A model in a file whose bytes lie elsewhere. A program reads the first five numbers, and none of the others. */
typedef struct model_model {
    uint16_t inputs;
    uint16_t outputs;
    uint16_t classes;  /* 0 where the model predicts quantities */
    uint16_t channels; /* the readings of a sample */
    uint32_t slots;    /* the numbers that a history keeps */
    uint8_t depth;
    uint8_t number;
    uint16_t name_bytes;
    uint16_t prepared_count;
    uint16_t view;
    uint32_t linear;
    size_t block_count;
    const uint8_t *kernels;
    const uint8_t *names;
    const uint8_t *confidence; /* a level and a margin; NULL where every row has a class */
    const uint8_t *windows;
    const uint8_t *prepared;
    const uint8_t *input_limits;
    const uint8_t *replacements;
    const uint8_t *shifts;
    const uint8_t *scales;
    const uint8_t *intercepts;
    const uint8_t *limits;
    const uint8_t *weights;
    const uint8_t *linear_inputs;
    const uint8_t *blocks;
    const uint8_t *trees; /* NULL where there are no rules */
} model_model;
