//! The inputs of features: readings, or prepared in runs of readings that are prepared alike.

use srfm_runtime::Model;
use srfm_runtime::format::{LIMITED, Prepared, REPLACED, Warp};

use super::features::place;
use super::indices::index_of;
use super::literals::{float, float_of};
use super::parts::Part;
use super::writer::{Type, Writer};

/// The fewest inputs that take a loop.
pub(super) const SHORTEST_LOOP: usize = 3;

/// A step of the preparation: inputs from `start` to `end` of the list that are prepared alike.
struct Run<'a> {
    start: usize,
    inputs: &'a [Prepared],
}

/// Writes the preparation of readings `x` into the array `z` in floating point.
pub(super) fn prepare(w: &mut Writer<'_>, model: &Model<'_>) {
    for run in runs(model.prepared(), |p| p.warp) {
        let warp = run.inputs[0].warp;
        let numbers = |i: usize, p: &Prepared| {
            let limits = (0..2).filter(|_| warp & LIMITED != 0).map(|end| float_of(model.input_limits()[2 * i + end]));
            let replacement = (warp & REPLACED != 0).then(|| float_of(model.replacements()[i]));
            [float(p.centre)].into_iter().chain(limits).chain(replacement).collect()
        };
        write_run(w, &run, Type::Float, &numbers, |w, x, n| format!("{} - {}", warped(w, warp, x, n), n[0]));
    }
}

/// Writes the preparation of readings `x` into the counts `z`.
pub(super) fn quantise(w: &mut Writer<'_>, model: &Model<'_>) {
    w.need(Part::Quantised);
    if model.prepared().is_empty() {
        w.begin_loop("i", model.inputs());
        w.line("z[i] = model_quantised(x[i], 0.0f, 1.0f);");
        return w.line("}");
    }
    for run in runs(model.prepared(), |_| 0) {
        let numbers = |_: usize, p: &Prepared| {
            let factor = f32::from_bits(((i32::from(p.exponent) + 127) as u32) << 23);
            vec![float(p.centre), float(factor)]
        };
        write_run(w, &run, Type::Float, &numbers, |_, x, n| format!("model_quantised({x}, {}, {})", n[0], n[1]));
    }
}

/// Writes the return where an input is missing that the outputs depend on and that nothing replaces; `z` is the array
/// of inputs.
pub(super) fn refuse_missing(w: &mut Writer<'_>, model: &Model<'_>, z: &str) {
    let is_replaced = |i: usize| model.prepared().get(i).is_some_and(|p| p.warp & REPLACED != 0);
    let values = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let needed: Vec<usize> = (0..values).filter(|&i| !is_replaced(i) && model.uses_value(i)).collect();
    if needed.is_empty() {
        return;
    }
    if needed.len() < SHORTEST_LOOP {
        w.outline().add("missing check", needed.len(), needed.len());
        let missing: Vec<String> = needed.iter().map(|i| format!("{z}[{i}] == MODEL_MISSING")).collect();
        w.line(format!("if ({}) {{", missing.join(" || ")));
        w.line("return MODEL_MISSING_READING;");
        w.line("}");
        return;
    }
    let indices: Vec<u16> = needed.iter().map(|&i| i as u16).collect();
    let index = index_of(w, &indices, "i");
    let list = if index == "i" { "counted" } else { "listed" };
    w.outline().add(&format!("missing loop {list}"), 1, needed.len());
    w.begin_loop("i", needed.len());
    w.line(format!("if ({z}[{index}] == MODEL_MISSING) {{"));
    w.line("return MODEL_MISSING_READING;");
    w.line("}");
    w.line("}");
}

/// Writes the replacements, limits and warps of the counts `x` into `z`.
pub(super) fn warp_counts(w: &mut Writer<'_>, model: &Model<'_>) {
    let prepared: Vec<Prepared> = (0_u16..).zip(model.prepared()).map(|(input, p)| Prepared { input, ..*p }).collect();
    for run in runs(&prepared, |p| p.warp) {
        let warp = run.inputs[0].warp;
        let numbers = |i: usize, _: &Prepared| {
            let limits = (warp & LIMITED != 0).then(|| {
                let word = model.input_limits()[i];
                [word as i16, (word >> 16) as i16]
            });
            let replacement = (warp & REPLACED != 0).then(|| model.replacements()[i] as i16);
            limits.into_iter().flatten().chain(replacement).map(|count| count.to_string()).collect()
        };
        write_run(w, &run, Type::Half, &numbers, |w, x, n| {
            let mut count = x.to_owned();
            if let (true, Some(replacement)) = (warp & REPLACED != 0, n.last()) {
                w.need(Part::ReplacedInteger);
                count = format!("model_replaced_integer({count}, {replacement})");
            }
            if let (true, [low, high, ..]) = (warp & LIMITED != 0, n) {
                w.need(Part::BoundedInteger);
                count = format!("model_bounded_integer({count}, {low}, {high})");
            }
            match Warp::of(warp & !(LIMITED | REPLACED)) {
                Some(Warp::Log) => {
                    w.need(Part::LogarithmInteger);
                    format!("model_logarithm_integer({count})")
                }
                Some(Warp::Sqrt) => {
                    w.need(Part::RootInteger);
                    format!("model_root_integer({count})")
                }
                Some(Warp::Identity) | None => count,
            }
        });
    }
}

/// Returns a reading that is replaced, limited and warped as `warp` says; `n` are its numbers.
fn warped(w: &mut Writer<'_>, warp: u8, x: &str, n: &[String]) -> String {
    let mut value = x.to_owned();
    if let (true, Some(replacement)) = (warp & REPLACED != 0, n.last()) {
        w.need(Part::Replaced);
        value = format!("model_replaced({value}, {replacement})");
    }
    if warp & LIMITED != 0 {
        w.need(Part::Bounded);
        value = format!("model_bounded({value}, {}, {})", n[1], n[2]);
    }
    match Warp::of(warp & !(LIMITED | REPLACED)) {
        Some(Warp::Log) => {
            w.need(Part::Logarithm);
            format!("model_logarithm({value})")
        }
        Some(Warp::Sqrt) => {
            w.need(Part::Root);
            format!("model_root({value})")
        }
        Some(Warp::Identity) | None => value,
    }
}

/// Writes a run: statements, or a loop over a table of the numbers of each input.
fn write_run(
    w: &mut Writer<'_>,
    run: &Run<'_>,
    kind: Type,
    numbers: &dyn Fn(usize, &Prepared) -> Vec<String>,
    value: impl Fn(&mut Writer<'_>, &str, &[String]) -> String,
) {
    let (start, len) = (run.start, run.inputs.len());
    let all = (start..).zip(run.inputs);
    w.outline().add_preparation(kind.name(), run.inputs[0].warp, len, len < SHORTEST_LOOP);
    if len < SHORTEST_LOOP {
        for (i, p) in all {
            let value = value(w, &format!("x[{}]", p.input), &numbers(i, p));
            w.line(format!("z[{i}] = {value};"));
        }
        return;
    }
    let records: Vec<Vec<String>> = all.map(|(i, p)| numbers(i, p)).collect();
    let stride = records[0].len();
    let successive = run.inputs.iter().enumerate().all(|(i, p)| usize::from(p.input) == start + i);
    let index = if start == 0 { "i".to_owned() } else { format!("{start}u + i") };
    let reading = if successive {
        format!("x[{index}]")
    } else {
        let last = run.inputs.iter().map(|p| usize::from(p.input)).max().unwrap_or(0);
        let kind = Type::of_indices(last + 1);
        w.outline().add("preparation readings", 1, len);
        let table = w.table(kind, "readings", run.inputs.iter().map(|p| p.input.to_string()).collect());
        format!("x[{}]", kind.read(&table, "i"))
    };
    let read: Vec<String> = if stride > 0 {
        let table = w.table(kind, "preparation", records.into_iter().flatten().collect());
        (0..stride).map(|k| kind.read(&table, &place(k, stride, "i"))).collect()
    } else {
        Vec::new()
    };
    let value = value(w, &reading, &read);
    w.begin_loop("i", len);
    w.line(format!("z[{index}] = {value};"));
    w.line("}");
}

/// Divides prepared inputs into runs of those that are alike.
fn runs(prepared: &[Prepared], alike: impl Fn(&Prepared) -> u8) -> Vec<Run<'_>> {
    let mut start = 0;
    let run = |inputs| {
        let run = Run { start, inputs };
        start += run.inputs.len();
        run
    };
    prepared.chunk_by(|a, b| alike(a) == alike(b)).map(run).collect()
}
