/* Whether there is a prediction. The numbers are those of srfm.h. */
typedef enum model_status {
    MODEL_OK = 0,               /* there is one */
    MODEL_WAITING = 23,         /* not yet: the model needs more samples */
    MODEL_MISSING_READING = 36, /* none: a reading is missing, and the model has no replacement for it */
    MODEL_UNCERTAIN = 37        /* none: the model is not as sure of a class as it must be */
} model_status;

/* The compiler warns where a status is not looked at. */
#if defined(__GNUC__)
#define MODEL_CHECKED __attribute__((warn_unused_result))
#else
#define MODEL_CHECKED
#endif
