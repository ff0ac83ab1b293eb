/* Predicts once from a row of zeros. Replace the zeros by readings of the sensor. */
#include <stdio.h>

#include "@name@.h"

int main(void) {
    const float x[@NAME@_INPUTS] = { 0.0f };
    float y[@NAME@_OUTPUTS];
#if @NAME@_OUTPUTS == 1
    y[0] = @name@_predict(x);
#else
    @name@_predict(x, y);
#endif
    for (int i = 0; i < @NAME@_OUTPUTS; i++) {
        printf("%g\n", (double)y[i]);
    }
    return 0;
}
