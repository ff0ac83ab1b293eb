//! The integers of a prediction: prepared from readings, refused where one is missing, replaced, limited and warped.

use srfm_runtime::Model;
use srfm_runtime::format::{LIMITED, Prepared, REPLACED, Warp};

use super::writer::{Part, Writer};
use crate::export::c::sections::values;
use crate::export::lines::in_lines;

/// The most values that are looked at one after the other in one line.
const FEW: usize = 3;

/// Writes the preparation of readings.
pub(super) fn prepare(w: &mut Writer, model: &Model<'_>) {
    w.need(Part::Exact);
    w.need(Part::Rounded);
    let words = |value: &dyn Fn(&Prepared) -> String| in_lines(&model.prepared().iter().map(value).collect::<Vec<_>>());
    let centres = words(&|p| format!("0x{:08x}", p.centre.to_bits()));
    w.constant(&format!("_centres = tuple([_number(bits) for bits in ({centres})])\n"));
    let readings: Vec<u16> = model.prepared().iter().map(|p| p.input).collect();
    let readings = w.indices("readings", &readings);
    // Numbers are in units of 2 to the power of −149.
    let shifts: Vec<String> = model.prepared().iter().map(|p| (149 - i32::from(p.exponent)).to_string()).collect();
    let shifts = w.table("exponents", &shifts);
    w.function(
        "prepare(x, z=None)",
        "Returns the integers that predict_integers takes for readings, each rounded to single precision; in the list \
         z where it is given. None and NaN become MISSING.",
    );
    w.line("return _prepared([_exact(reading) for reading in x], z)");
    w.close();
    w.function("_prepared(x, z=None)", "The same for readings that are whole numbers of units of 2 ** -149.");
    w.line("z = [0] * VALUES if z is None else z");
    w.open("for i in range(VALUES):");
    w.line(format!("n = x[{readings}[i]]"));
    w.open("if n is None:");
    w.line("z[i] = MISSING");
    w.line("continue");
    w.close();
    w.line("n = _rounded(n - _centres[i])");
    w.line(format!("q = min(_nearest(abs(n), {shifts}[i]), 32767)"));
    w.line("z[i] = -q if n < 0 else q");
    w.close();
    w.line("return z");
    w.close();
}

/// Writes the return where an input is missing that the outputs depend on and that nothing replaces; `z` is the list of
/// inputs.
pub(super) fn refuse_missing(w: &mut Writer, model: &Model<'_>, z: &str) {
    let is_replaced = |i: usize| model.prepared().get(i).is_some_and(|p| p.warp & REPLACED != 0);
    let needed: Vec<usize> = (0..values(model)).filter(|&i| !is_replaced(i) && model.uses_value(i)).collect();
    if needed.is_empty() {
        return;
    }
    if needed.len() <= FEW {
        let conditions: Vec<String> = needed.iter().map(|i| format!("{z}[{i}] == MISSING")).collect();
        w.open(format!("if {}:", conditions.join(" or ")));
    } else {
        let counts = needed.iter().enumerate().all(|(i, &value)| i == value);
        let index = if counts {
            "i".to_owned()
        } else {
            let needed: Vec<u16> = needed.iter().map(|&i| i as u16).collect();
            format!("{}[i]", w.indices("needed", &needed))
        };
        w.open(format!("for i in range({}):", needed.len()));
        w.open(format!("if {z}[{index}] == MISSING:"));
    }
    w.line("return None");
    w.close();
    if needed.len() > FEW {
        w.close();
    }
}

/// Writes the replacements, limits and warps of the counts `z` into the list `x`.
pub(super) fn warp_counts(w: &mut Writer, model: &Model<'_>) {
    w.constant("_warped = [0] * VALUES\n");
    w.line("x = _warped");
    for (i, prepared) in model.prepared().iter().enumerate() {
        if prepared.warp == 0 {
            w.line(format!("x[{i}] = z[{i}]"));
            continue;
        }
        w.line(format!("v = z[{i}]"));
        if let (true, Some(&word)) = (prepared.warp & REPLACED != 0, model.replacements().get(i)) {
            w.open("if v == MISSING:");
            w.line(format!("v = {}", word as i16));
            w.close();
        }
        if let (true, Some(&word)) = (prepared.warp & LIMITED != 0, model.input_limits().get(i)) {
            let [low, high] = [word as i16, (word >> 16) as i16];
            w.line(format!("v = {low} if v < {low} else {high} if v > {high} else v"));
        }
        let function = match Warp::of(prepared.warp_number()) {
            Some(Warp::Log) => Some((Part::Logarithm, "_logarithm")),
            Some(Warp::Sqrt) => Some((Part::Root, "_root")),
            Some(Warp::Identity) | None => None,
        };
        if let Some((part, function)) = function {
            w.need(part);
            w.line(format!("x[{i}] = {function}(v)"));
        } else {
            w.line(format!("x[{i}] = v"));
        }
    }
}
