//! The prediction from integers to integers.

use srfm_runtime::Model;

use super::writer::Writer;
use super::{features, inputs, outputs, trees};
use crate::export::c::Style;
use crate::export::c::features::WRITTEN_OUT;

/// Writes the prediction.
pub(super) fn write(w: &mut Writer, model: &Model<'_>, style: Style) {
    let count = model.outputs();
    let missing = "None where one is MISSING that the outputs depend on and that nothing replaces";
    if count == 1 {
        let what = format!("Predicts from a list of VALUES integers. Returns the output, or {missing}.");
        w.function("predict_integers(z)", &what);
    } else {
        let what = format!(
            "Predicts from a list of VALUES integers into the list y, which has OUTPUTS elements. Returns y, or \
             {missing}."
        );
        w.function("predict_integers(z, y)", &what);
    }
    inputs::refuse_missing(w, model, "z");
    let special = model.prepared().iter().any(|p| p.warp != 0);
    if special {
        inputs::warp_counts(w, model);
    }
    let z = if special { "x" } else { "z" };
    let sums: Vec<String> = match count {
        1 => vec!["y".to_owned()],
        2..=WRITTEN_OUT => (0..count).map(|output| format!("y{output}")).collect(),
        _ => (0..count).map(|output| format!("y[{output}]")).collect(),
    };
    if count <= WRITTEN_OUT {
        w.line(format!("{} = 0", sums.join(" = ")));
    } else {
        w.open("for i in range(OUTPUTS):");
        w.line("y[i] = 0");
        w.close();
    }
    let values = features::Values::new(w, model, style, z);
    for block in model.blocks().filter(|block| block.features() > 0) {
        features::add(w, model, &block, style, &values, &sums);
    }
    trees::add(w, model, "z", &sums);
    for (output, sum) in sums.iter().enumerate() {
        outputs::total(w, model, output, z, sum);
        if count > 1 && count <= WRITTEN_OUT {
            w.line(format!("y[{output}] = {sum}"));
        }
    }
    w.line("return y");
    w.close();
    if !model.takes_counts() {
        let y = if count == 1 { "" } else { ", y" };
        w.function(
            &format!("predict(x{y})"),
            "Predicts from readings: prepares them and returns what predict_integers returns.",
        );
        w.line(format!("return predict_integers(prepare(x){y})"));
        w.close();
    }
}
