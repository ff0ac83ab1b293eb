//! The outputs of a prediction in C: a returned value, or an array.

use super::writer::Writer;

/// Returns the expression of an output.
pub(super) fn result(outputs: usize, output: &str) -> String {
    if outputs == 1 { "y".to_owned() } else { format!("y[{output}]") }
}

/// Returns the expression of the sum that becomes an output of an integer model.
pub(super) fn sum_of(outputs: usize, output: &str) -> String {
    if outputs == 1 { "sum".to_owned() } else { format!("sums[{output}]") }
}

/// Begins the function that predicts from readings.
pub(super) fn begin_predict(w: &mut Writer<'_>, outputs: usize) {
    if outputs == 1 {
        w.comment("Predicts from readings, in physical units.");
        w.line("static inline float model_predict(const float x[MODEL_INPUTS]) {");
    } else {
        w.comment("Predicts every output from readings, in physical units. The arrays must not overlap.");
        w.line("static inline void model_predict(const float x[MODEL_INPUTS], float y[MODEL_OUTPUTS]) {");
    }
}
