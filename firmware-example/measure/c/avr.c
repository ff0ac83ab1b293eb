/* A program that predicts once on an ATmega328P, for counting its bytes and its instructions between begin and end.
   MODEL_FILE is the file of the model and READINGS a list of numbers; EMPTY leaves the prediction out, INTEGERS
   predicts from integers. */
#include <avr/io.h>
#include MODEL_FILE

/* Readings that a compiler cannot know. */
volatile float readings[MODEL_INPUTS] = READINGS;
volatile int16_t counts[MODEL_INPUTS] = READINGS;
volatile float prediction;
volatile int32_t result;
volatile uint8_t failed;

__attribute__((noinline)) void begin(void) {
    __asm__ volatile("nop");
}

__attribute__((noinline)) void end(void) {
    __asm__ volatile("nop");
}

int main(void) {
#ifndef EMPTY
    begin();
#ifdef INTEGERS
    int16_t z[MODEL_INPUTS];
    int32_t y = 0;
    for (uint8_t i = 0; i < MODEL_INPUTS; i++) {
        z[i] = counts[i];
    }
    failed = model_predict_integers(z, &y) != MODEL_OK;
    result = y;
#else
    float x[MODEL_INPUTS];
    for (uint8_t i = 0; i < MODEL_INPUTS; i++) {
        x[i] = readings[i];
    }
    prediction = model_predict(x);
#endif
    end();
#endif
    for (;;) {
    }
}
