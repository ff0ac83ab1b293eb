/* A program that predicts once on an ATmega328P, for counting its bytes and its instructions between begin and end.
   MODEL_FILE is the file of the model; EMPTY leaves the prediction out, INTEGERS predicts from integers. */
#include <avr/io.h>
#include MODEL_FILE

/* Readings that a compiler cannot know. */
volatile float readings[2] = {2289.0f, 2048.0f};
volatile int16_t counts[2] = {2289, 2048};
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
    const int16_t z[2] = {counts[0], counts[1]};
    int32_t y = 0;
    failed = model_predict_integers(z, &y) != MODEL_OK;
    result = y;
#else
    const float x[2] = {readings[0], readings[1]};
    prediction = model_predict(x);
#endif
    end();
#endif
    for (;;) {
    }
}
