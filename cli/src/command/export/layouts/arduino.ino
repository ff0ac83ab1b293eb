// Predicts once a second from a row of zeros. Replace the zeros by readings of the sensor.
#include <Arduino.h>
#include <@name@.h>

void setup() {
    Serial.begin(9600);
}

void loop() {
    const float x[@NAME@_INPUTS] = { 0.0f };
    float y[@NAME@_OUTPUTS];
#if @NAME@_OUTPUTS == 1
    y[0] = @name@_predict(x);
#else
    @name@_predict(x, y);
#endif
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        Serial.println(y[i], 6);
    }
    delay(1000);
}
