//! Classes: the decision by integers, and their names.

use srfm_runtime::format::{Confidence, Scale};
use srfm_runtime::{Model, Odds};

use super::literals::text;
use super::writer::{Part, Writer};
use crate::export::c::sections::{condition, has_one_unit};
use crate::export::lines::in_lines;

/// The largest magnitude of scores: those of single precision end just above.
const LARGEST: f64 = 1e38;

/// Returns whether the scores of classes stay within single precision.
pub(super) fn are_in_range(model: &Model<'_>) -> bool {
    let largest = |scale: &Scale| libm::exp2(32.0) * f64::from(scale.step).abs() + f64::from(scale.offset).abs();
    model.classes().count() == 0 || model.scales().iter().all(|scale| largest(scale) < LARGEST)
}

/// Writes the decision and the names.
pub(super) fn write(w: &mut Writer, model: &Model<'_>) {
    let names: Vec<String> = model.classes().map(text).collect();
    if names.is_empty() {
        return;
    }
    w.constant(&format!("CLASSES = ({})\n", in_lines(&names)));
    let uncertain =
        if model.confidence().is_some() { ", UNCERTAIN where it is not as sure of one as it must be" } else { "" };
    let (argument, what) = if model.outputs() == 1 { ("y", "integer") } else { ("y", "integers") };
    w.function(
        &format!("class_of_integers({argument})"),
        &format!("Returns the class of the {what} that predict_integers gives: its number in CLASSES{uncertain}."),
    );
    match model.scales() {
        [scale] => by_one_score(w, *scale, model.confidence()),
        scales if has_one_unit(scales) && model.confidence().is_none() => by_unit(w),
        scales => by_scores(w, scales, model.confidence()),
    }
    w.close();
    if model.slope().is_finite() {
        probabilities(w, model);
    }
    let several = if model.outputs() == 1 { "" } else { ", [0] * OUTPUTS" };
    w.function(
        "classify_integers(z)",
        &format!(
            "Returns the number of the class of the integers z in CLASSES{uncertain}; None where a reading is missing \
             and nothing replaces it."
        ),
    );
    w.line(format!("y = predict_integers(z{several})"));
    w.line("return None if y is None else class_of_integers(y)");
    w.close();
}

/// Writes the probabilities by integers.
fn probabilities(w: &mut Writer, model: &Model<'_>) {
    let odds: Vec<Odds> = model.odds().collect();
    let mut constant = |name: &str, of: &dyn Fn(&Odds) -> i64| {
        let numbers: Vec<String> = odds.iter().map(|odds| of(odds).to_string()).collect();
        match numbers.as_slice() {
            [number] => w.constant(&format!("{name} = {number}\n")),
            _ => w.constant(&format!("{name} = ({})\n", in_lines(&numbers))),
        }
    };
    constant("_odds", &|odds| odds.offset.into());
    constant("_factors", &|odds| odds.factor.into());
    constant("_shifts", &|odds| odds.shift.into());
    let what = if model.outputs() == 1 { "integer" } else { "integers" };
    w.function(
        "probabilities_of_integers(y, p)",
        &format!(
            "Sets p, a list of the length of CLASSES, to the probability of every class in units of 1/65536, at most \
             65535, by the {what} that predict_integers gives. Returns p."
        ),
    );
    if model.outputs() == 1 {
        w.line("p[0] = 0");
        w.line("p[1] = _odds + (_factors * y >> _shifts)");
    } else {
        w.open("for i in range(OUTPUTS):");
        w.line("p[i] = _odds[i] + (_factors[i] * y[i] >> _shifts[i])");
        w.close();
    }
    w.line("most = max(p)");
    w.line("total = 0");
    w.open("for i in range(len(p)):");
    w.line("t = most - p[i]");
    w.line("n = t >> 12");
    w.line("f = t & 4095");
    w.line("c = 22666 - ((7580 - (1299 * f >> 12)) * f >> 12)");
    w.line("p[i] = ((32768 - (c * f >> 12)) * 16 + (1 << n >> 1)) >> n if n < 20 else 0");
    w.line("total += p[i]");
    w.close();
    w.line("total >>= 4");
    w.open("for i in range(len(p)):");
    w.line("p[i] = min(((p[i] << 12) + total // 2) // total, 65535)");
    w.close();
    w.line("return p");
    w.close();
}

/// Writes the decision between two classes, which share a score.
fn by_one_score(w: &mut Writer, scale: Scale, confidence: Option<Confidence>) {
    let Some(Confidence { margin, .. }) = confidence else {
        return w.line(format!("return 1 if {} else 0", condition_of(scale, &|score| score > 0.5)));
    };
    w.open(format!("if {}:", condition_of(scale, &|score| score - 0.5 > margin && score > 0.5)));
    w.line("return 1");
    w.close();
    let first = condition_of(scale, &|score| 0.5 - score > margin && score <= 0.5);
    w.line(format!("return 0 if {first} else UNCERTAIN"));
}

/// Returns the condition on the integer `y` of a score.
fn condition_of(scale: Scale, holds: &dyn Fn(f32) -> bool) -> String {
    condition(scale, holds).replace("score", "y")
}

/// Writes the decision among scores that are their integers, rounded to single precision, times the same number.
fn by_unit(w: &mut Writer) {
    w.need(Part::Rounded);
    w.line("best = 0");
    w.line("most = _rounded(y[0])");
    w.open("for i in range(1, OUTPUTS):");
    w.line("score = _rounded(y[i])");
    w.open("if score > most:");
    w.line("best = i");
    w.line("most = score");
    w.close();
    w.close();
    w.line("return best");
}

/// Writes the decision among scores in single precision, which are whole numbers of a unit.
fn by_scores(w: &mut Writer, scales: &[Scale], confidence: Option<Confidence>) {
    w.need(Part::Rounded);
    let numbers = scales.iter().flat_map(|scale| [scale.step, scale.offset]).chain(confidence.map(|c| c.margin));
    let unit = numbers.map(last_bit).min().unwrap_or(0);
    let units = |numbers: &dyn Fn(&Scale) -> f32| {
        in_lines(&scales.iter().map(|scale| in_units(numbers(scale), unit)).collect::<Vec<_>>())
    };
    w.constant(&format!("_steps = ({})\n", units(&|scale| scale.step)));
    w.constant(&format!("_offsets = ({})\n", units(&|scale| scale.offset)));
    let score = "_rounded(_offsets[i] + _rounded(_steps[i] * _rounded(y[i])))";
    w.line(format!("scores = [{score} for i in range(OUTPUTS)]"));
    w.line("best = 0");
    w.open("for i in range(1, OUTPUTS):");
    w.open("if scores[i] > scores[best]:");
    w.line("best = i");
    w.close();
    w.close();
    if let Some(Confidence { margin, .. }) = confidence {
        w.open("for i in range(OUTPUTS):");
        w.open(format!("if i != best and _rounded(scores[best] - scores[i]) <= {}:", in_units(margin, unit)));
        w.line("return UNCERTAIN");
        w.close();
        w.close();
    }
    w.line("return best");
}

/// Returns the exponent of the last bit of a number that is set.
fn last_bit(number: f32) -> i32 {
    let (mantissa, exponent) = parts(number);
    if mantissa == 0 { i32::MAX } else { exponent + mantissa.trailing_zeros() as i32 }
}

/// Returns a number as a whole number of units of two to the power of `unit`.
fn in_units(number: f32, unit: i32) -> String {
    let (mantissa, exponent) = parts(number);
    let shift = i64::from(exponent) - i64::from(unit);
    let sign = if number < 0.0 { "-" } else { "" };
    match (mantissa, shift) {
        (0, _) => "0".to_owned(),
        (mantissa, 0..) => format!("{sign}{mantissa} << {shift}"),
        (mantissa, _) => format!("{sign}{}", mantissa >> -shift),
    }
}

/// Returns the magnitude of a number as a product of a whole number and a power of two.
fn parts(number: f32) -> (u32, i32) {
    let bits = number.to_bits() & 0x7fff_ffff;
    let (fraction, exponent) = (bits & 0x7f_ffff, (bits >> 23) as i32);
    if exponent == 0 { (fraction, -149) } else { (fraction | 0x80_0000, exponent - 150) }
}
