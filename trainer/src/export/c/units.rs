//! Outputs of an integer model in units of the user's choice, by integer arithmetic alone.

use srfm_runtime::Model;
use srfm_runtime::format::{Number, Scale};

use super::writer::Writer;

/// The share of an output's range that its unit is at most, where the user chooses none.
const FINE: f64 = 1e-3;

/// The most bits behind the binary point of a factor; the factor has 31 bits before them.
const MOST_BITS: u32 = 60;

/// How an integer output becomes a whole number of units: `(factor * output + offset) >> bits`.
pub(in crate::export) struct Conversion {
    pub factor: i64,
    pub offset: i64,
    pub bits: u32,
}

impl Conversion {
    /// Returns the conversion of an output with a scale and limits; none where a number of units has more than 32 bits.
    fn new(scale: Scale, limits: [i32; 2], unit: f64) -> Option<Conversion> {
        let slope = f64::from(scale.step) / unit;
        let base = f64::from(scale.offset) / unit;
        let fits = |limit: i32| (base + slope * f64::from(limit)).abs() < f64::from(i32::MAX);
        if !limits.into_iter().all(fits) {
            return None;
        }
        let of_bits = |bits: u32| {
            let one = libm::exp2(f64::from(bits));
            let factor = (slope * one).round();
            let offset = ((base + 0.5) * one).round();
            let room = libm::exp2(62.0) - offset.abs();
            let fits = factor.abs() < libm::exp2(31.0) && factor.abs() * libm::exp2(31.0) < room;
            fits.then_some(Conversion { factor: factor as i64, offset: offset as i64, bits })
        };
        (0..=MOST_BITS).rev().find_map(of_bits)
    }
}

/// Returns the conversions of all outputs; none for models in floating point, for classes, and where a number of units
/// has more than 32 bits.
pub(in crate::export) fn conversions(model: &Model<'_>, unit: f64) -> Option<Vec<Conversion>> {
    let limits = model.limit_words().iter().map(|limits| limits.map(u32::cast_signed));
    let all = model.scales().iter().zip(limits).map(|(&scale, limits)| Conversion::new(scale, limits, unit));
    all.collect::<Option<Vec<_>>>().filter(|all| !all.is_empty())
}

/// Returns whether outputs can be given in a unit.
pub(in crate::export) fn is_usable(model: &Model<'_>, unit: f64) -> bool {
    unit.is_finite() && unit > 0.0 && conversions(model, unit).is_some()
}

/// Returns the unit of outputs where the user chooses none: a power of ten, at most a thousandth of the smallest range
/// of an output; none where outputs have no units.
pub(in crate::export) fn usual(model: &Model<'_>) -> Option<f64> {
    if model.header().number == Number::F32 {
        return None;
    }
    let ranges = model.limits().map(|[low, high]| f64::from(high) - f64::from(low));
    let smallest = ranges.filter(|range| *range > 0.0).fold(f64::INFINITY, f64::min);
    if !smallest.is_finite() {
        return None;
    }
    let first = libm::log10(smallest * FINE).floor() as i32;
    (first..first + 10).map(power_of_ten).find(|&unit| is_usable(model, unit))
}

/// Returns the number nearest to a power of ten.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// Returns the digits behind the decimal point that a unit stands for; none for a unit that is not one, a tenth, a
/// hundredth and so on.
pub(in crate::export) fn decimals(unit: f64) -> Option<u32> {
    (0..=9).find(|&decimals| power_of_ten(-(decimals as i32)) == unit)
}

/// Writes the functions that give outputs in units, and half the widths of intervals in them.
pub(super) fn write(w: &mut Writer<'_>, model: &Model<'_>, unit: f64) {
    let Some(conversions) = conversions(model, unit) else { return };
    let suffix = |output: usize| if model.outputs() == 1 { String::new() } else { format!("_{output}") };
    w.line("");
    if let Some(decimals) = decimals(unit) {
        w.line(format!(
            "#define MODEL_DECIMALS {decimals} /* the digits behind the decimal point of model_in_units */"
        ));
    }
    for output in 0..model.outputs() {
        let Some(width) = model.half_width(output).filter(|width| width.is_finite()) else { continue };
        let units = (f64::from(width) / unit).ceil();
        if units < f64::from(i32::MAX) {
            w.line(format!("#define MODEL_HALF_WIDTH_UNITS{} INT32_C({units})", suffix(output)));
        }
    }
    let which = |output: usize| match model.outputs() {
        1 => "the output".to_owned(),
        _ => format!("output {output}"),
    };
    for (output, Conversion { factor, offset, bits }) in conversions.into_iter().enumerate() {
        let suffix = suffix(output);
        w.comment(&format!(
            "Returns {} of model_predict_integers in units of {unit}, to the nearest whole number.",
            which(output)
        ));
        w.line(format!("static inline int32_t model_in_units{suffix}(int32_t y) {{"));
        w.line(format!("return (int32_t)(((int64_t)y * {} + {}) >> {bits});", long_long(factor), long_long(offset)));
        w.line("}");
    }
}

/// Returns a literal of 64 bits.
fn long_long(value: i64) -> String {
    if value < 0 { format!("(-INT64_C({}))", value.unsigned_abs()) } else { format!("INT64_C({value})") }
}
