//! Earlier samples of models that look back in time.

use srfm_runtime::Model;
use srfm_runtime::format::{Lags, Place};

use super::writer::{Part, Writer};
use crate::export::c::sections::values;

/// Writes the class that keeps samples; none for a model without lags.
pub(super) fn write(w: &mut Writer, model: &Model<'_>) {
    let Some(lags) = model.samples().lags().filter(|lags| !lags.is_empty()) else { return };
    let counts = model.takes_counts();
    w.line("");
    w.line("");
    w.open("class History:");
    w.comment("The latest samples. Set `samples` to 0 after a gap.");
    w.line("");
    w.open("def __init__(self):");
    w.line("self.samples = 0");
    w.line(format!("self._slots = [{}] * SLOTS", if counts { "0" } else { "None" }));
    w.line(format!("self._x = [0] * {}", if counts { "VALUES" } else { "INPUTS" }));
    w.close();
    w.line("");
    let (name, readings) = if counts { ("predict_integers", "integers") } else { ("predict", "readings") };
    let y = if model.outputs() == 1 { "" } else { ", y" };
    w.open(format!("def {name}(self, sample{y}):"));
    w.comment(&format!(
        "Takes a sample, the {readings} of every channel, and returns what predict_integers returns. Returns None, \
         too, while `samples` is below DEPTH."
    ));
    take(w, model, &lags);
    let places: Vec<Place> = lags.places().collect();
    let inputs: Vec<usize> = match counts {
        true => (0..values(model)).map(|i| model.prepared().get(i).map_or(i, |p| p.input.into())).collect(),
        false => (0..model.inputs()).collect(),
    };
    for (i, input) in inputs.into_iter().enumerate() {
        let Some(&Place { slot, difference }) = places.get(input) else { continue };
        w.line(match difference {
            true => format!("x[{i}] = _less(slots[{slot}], slots[{}])", slot + 1),
            false => format!("x[{i}] = slots[{slot}]"),
        });
    }
    w.line(format!("return predict_integers({}{y})", if counts { "x" } else { "_prepared(x)" }));
    w.close();
    w.close();
    if places.iter().any(|place| place.difference) {
        less(w, counts);
    }
}

/// Writes the steps that take a sample, and the return while there are too few.
fn take(w: &mut Writer, model: &Model<'_>, lags: &Lags<'_>) {
    w.line("x = self._x");
    w.line("slots = self._slots");
    let mut first = 0;
    for (channel, window) in lags.windows().map(usize::from).enumerate() {
        if window > 1 {
            w.open(format!("for i in range({}, {first}, -1):", first + window - 1));
            w.line("slots[i] = slots[i - 1]");
            w.close();
        }
        if window > 0 {
            let reading = format!("sample[{channel}]");
            let reading = if model.takes_counts() { reading } else { format!("_exact({reading})") };
            w.line(format!("slots[{first}] = {reading}"));
        }
        first += window;
    }
    w.open("if self.samples < 255:");
    w.line("self.samples += 1");
    w.close();
    w.open("if self.samples < DEPTH:");
    w.line("return None");
    w.close();
}

/// Writes the difference of readings.
fn less(w: &mut Writer, counts: bool) {
    if counts {
        w.function("_less(count, older)", "Returns a count less an older one, at most 32767 from zero.");
        w.open("if count == MISSING or older == MISSING:");
        w.line("return MISSING");
        w.close();
        w.line("return max(-32767, min(count - older, 32767))");
    } else {
        w.need(Part::Rounded);
        w.function("_less(reading, older)", "Returns the difference of readings; None where there is none.");
        w.open("if reading is None or older is None or (reading == older and abs(reading) == 1 << 277):");
        w.line("return None");
        w.close();
        w.line("return _rounded(reading - older)");
    }
    w.close();
}
