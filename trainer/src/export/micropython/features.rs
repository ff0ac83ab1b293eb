//! The features of a block: one after the other with their constants, in a loop over tuples, or where they have many
//! inputs or outputs in a loop over a table of halves.
//!
//! A phase has 32 bits and small integers of MicroPython 31. Weights are therefore halves, whose sums of products are
//! kept apart: `a` of the upper halves, `b` of the lower ones. Neither usually leaves the small integers, so that a
//! feature allocates no memory; one that does becomes a large integer with the same result.

use std::collections::BTreeSet;

use srfm_runtime::Model;
use srfm_runtime::format::{Block, Kernel, Number};

use super::literals::halves;
use super::writer::{Part, Writer};
use crate::export::c::Style;
use crate::export::c::features::{Feature, WRITTEN_OUT, features, is_written_out};

/// The most inputs that become local variables.
const MOST_LOCAL: usize = 24;

/// The binary points of a block's arguments.
#[derive(Clone, Copy)]
struct Shifts {
    /// Bits by which a sum of products is shifted left; with weights of 16 bits alone.
    weights: Option<u32>,
    /// Bits by which a sigmoid and a square shift their argument right.
    argument: u32,
}

/// Writes a block of features; `z` are the inputs and `sums` the variables of the outputs.
pub(super) fn add(w: &mut Writer, model: &Model<'_>, block: &Block<'_>, style: Style, z: &Values, sums: &[String]) {
    let (number, order) = (model.header().number, usize::from(block.order));
    let all = features(block, number, model.outputs());
    let shifts = Shifts {
        weights: (number == Number::I16).then_some(model.shifts().weights.into()),
        argument: model.shifts().argument.into(),
    };
    tables(w, block.kernel);
    if is_written_out(style, order, model.outputs(), all.len()) {
        for feature in &all {
            write_out(w, block.kernel, shifts, feature, z, sums);
        }
    } else if order <= WRITTEN_OUT && sums.len() <= WRITTEN_OUT {
        add_records(w, block.kernel, shifts, &all, z, sums);
    } else {
        add_loop(w, block.kernel, shifts, &all, z.list, sums);
    }
}

/// The inputs of features: a list, and local variables of the inputs that features with constants look at.
pub(super) struct Values<'a> {
    list: &'a str,
    local: BTreeSet<u16>,
}

impl<'a> Values<'a> {
    /// Writes the local variables.
    pub fn new(w: &mut Writer, model: &Model<'_>, style: Style, list: &'a str) -> Values<'a> {
        let written_out = model.blocks().filter(|block| {
            block.features() > 1 && is_written_out(style, block.order.into(), model.outputs(), block.features())
        });
        let mut local: BTreeSet<u16> = written_out.flat_map(|block| block.indices.iter().collect::<Vec<_>>()).collect();
        if local.len() > MOST_LOCAL {
            local.clear();
        }
        local.iter().for_each(|input| w.line(format!("z{input} = {list}[{input}]")));
        Values { list, local }
    }

    /// Returns the expression of an input.
    fn get(&self, input: u16) -> String {
        if self.local.contains(&input) { format!("z{input}") } else { format!("{}[{input}]", self.list) }
    }
}

/// Binds the tables of a kernel to local names.
fn tables(w: &mut Writer, kernel: Kernel) {
    let (part, name) = match kernel {
        Kernel::Cosine | Kernel::Sincos => (Part::Cosines, "cosine"),
        Kernel::Sigmoid => (Part::Sigmoids, "sigmoid"),
        Kernel::Polynomial | Kernel::Relu | Kernel::Square => return,
    };
    w.need(part);
    w.line(format!("c = _{name}_values"));
    w.line(format!("s = _{name}_slopes"));
}

/// Writes a feature with its constants.
fn write_out(w: &mut Writer, kernel: Kernel, shifts: Shifts, feature: &Feature, z: &Values, sums: &[String]) {
    let Feature { bias, weights, inputs, amplitudes } = feature;
    let product = |weight: i32, input: u16| (weight != 0).then(|| format!("{weight} * {}", z.get(input)));
    let bias = halves(*bias).map(i32::from);
    let sum = |weight: &dyn Fn(u32) -> i32, constant: i32| {
        let terms = weights.iter().zip(inputs).filter_map(|(&word, &input)| product(weight(word), input));
        let mut terms: Vec<String> = terms.collect();
        if constant != 0 || terms.is_empty() {
            terms.push(constant.to_string());
        }
        terms
    };
    match shifts.weights {
        None => {
            w.sum("b", &sum(&|word| halves(word)[1].into(), bias[1]));
            w.sum("a", &sum(&|word| halves(word)[0].into(), bias[0]));
        }
        Some(shift) => {
            w.sum("p", &sum(&|word| word as i32, 0));
            of_halves(w, shift, kernel.has_bias().then(|| bias.map(|half| half.to_string())));
        }
    }
    let values = kernel_values(w, kernel, shifts.argument);
    let count = values.len();
    for (output, sum) in sums.iter().enumerate() {
        let amplitudes = &amplitudes[output * count..][..count];
        let terms: Vec<String> = amplitudes.iter().zip(&values).map(|(a, v)| format!("{} * {v}", *a as i32)).collect();
        w.line(format!("{sum} += {}", terms.join(" + ")));
    }
}

/// Writes the two parts of the argument from the sum of products with weights of 16 bits.
fn of_halves(w: &mut Writer, shift: u32, bias: Option<[String; 2]>) {
    let plus = |half: usize| bias.as_ref().map_or_else(String::new, |bias| format!(" + {}", bias[half]));
    let (upper, lower) = match shift {
        0 => ("(p >> 16)".to_owned(), "(p & 65535)".to_owned()),
        1..16 => (format!("(p >> {})", 16 - shift), format!("((p & {}) << {shift})", (1 << (16 - shift)) - 1)),
        _ => (format!("(p << {})", shift - 16), "0".to_owned()),
    };
    w.line(format!("b = {lower}{}", plus(1)));
    w.line(format!("a = {upper}{}", plus(0)));
}

/// Returns the values of a record in the table of a loop: the halves of every weight and of the bias, or the weights of
/// 16 bits and the halves of the bias; then the amplitudes.
fn record_of(kernel: Kernel, shifts: Shifts, feature: &Feature) -> Vec<String> {
    let mut record: Vec<i16> = match shifts.weights {
        None => feature.weights.iter().flat_map(|&weight| halves(weight)).collect(),
        Some(_) => feature.weights.iter().map(|&weight| weight as i16).collect(),
    };
    if kernel.has_bias() {
        record.extend(halves(feature.bias));
    }
    record.extend(feature.amplitudes.iter().map(|&amplitude| amplitude as i16));
    record.iter().map(i16::to_string).collect()
}

/// Returns the indices of the inputs of a block where all of its features look at the same few ones.
fn known(all: &[Feature]) -> Option<&[u16]> {
    let first = &all[0].inputs;
    all.iter().all(|feature| feature.inputs == *first).then_some(&first[..])
}

/// Writes a loop over the features of a block of few inputs and outputs: a tuple each, whose elements become local
/// variables.
fn add_records(w: &mut Writer, kernel: Kernel, shifts: Shifts, all: &[Feature], z: &Values, sums: &[String]) {
    let order = all[0].inputs.len();
    let known = known(all);
    let halves = shifts.weights.is_none();
    let count = all[0].amplitudes.len();
    let weights =
        (0..order).flat_map(|k| if halves { vec![format!("a{k}"), format!("b{k}")] } else { vec![format!("w{k}")] });
    let indices = (0..order).filter(|_| known.is_none()).map(|k| format!("i{k}"));
    let bias = ["g", "h"].into_iter().filter(|_| kernel.has_bias()).map(str::to_owned);
    let names: Vec<String> = weights.chain(indices).chain(bias).chain((0..count).map(|m| format!("m{m}"))).collect();
    let first = order * if halves { 2 } else { 1 };
    let record = |feature: &Feature| {
        let mut record = record_of(kernel, shifts, feature);
        let indices = feature.inputs.iter().filter(|_| known.is_none()).map(u16::to_string);
        record.splice(first..first, indices);
        record[0].insert(0, '(');
        record.last_mut().into_iter().for_each(|last| last.push(')'));
        record
    };
    let records: Vec<String> = all.iter().flat_map(record).collect();
    let table = w.table("features", &records);
    // Inputs that all features share are read before the loop.
    known.into_iter().flatten().enumerate().for_each(|(k, &input)| w.line(format!("v{k} = {}", z.get(input))));
    w.open(format!("for {} in {table}:", names.join(", ")));
    if known.is_none() {
        (0..order).for_each(|k| w.line(format!("v{k} = {}[i{k}]", z.list)));
    }
    let sum = |letter: &str, bias: Option<&str>| {
        let terms = (0..order).map(|k| format!("{letter}{k} * v{k}"));
        terms.chain(bias.filter(|_| kernel.has_bias()).map(str::to_owned)).collect::<Vec<_>>()
    };
    match shifts.weights {
        None => {
            w.sum("a", &sum("a", Some("g")));
            w.sum("b", &sum("b", Some("h")));
        }
        Some(shift) => {
            w.sum("p", &sum("w", None));
            of_halves(w, shift, kernel.has_bias().then(|| ["g", "h"].map(str::to_owned)));
        }
    }
    let values = kernel_values(w, kernel, shifts.argument);
    for (output, sum) in sums.iter().enumerate() {
        let term = |(v, value): (usize, &&str)| format!("m{} * {value}", values.len() * output + v);
        w.line(format!("{sum} += {}", values.iter().enumerate().map(term).collect::<Vec<_>>().join(" + ")));
    }
    w.close();
}

/// Returns the element of the record that begins at `i`.
fn element(place: usize) -> String {
    if place == 0 { "f[i]".to_owned() } else { format!("f[i + {place}]") }
}

/// The inputs of the features in a loop.
enum Inputs {
    /// All features look at these inputs.
    Known(Vec<u16>),
    /// A list, from place `k` on.
    Listed,
}

impl Inputs {
    fn new(w: &mut Writer, all: &[Feature]) -> Inputs {
        let first = &all[0].inputs;
        let counts = first.iter().enumerate().all(|(i, &input)| usize::from(input) == i);
        let same = all.iter().all(|feature| feature.inputs == *first);
        if same && (counts || first.len() <= WRITTEN_OUT) {
            return Inputs::Known(first.clone());
        }
        let lists: Vec<u16> = all.iter().flat_map(|feature| feature.inputs.iter().copied()).collect();
        let name = w.indices("inputs", &lists);
        w.line(format!("n = {name}"));
        w.line("k = 0");
        Inputs::Listed
    }

    /// Returns the expression of input `k` of a feature.
    fn get(&self, z: &str, k: usize) -> String {
        match self {
            Inputs::Known(inputs) => format!("{z}[{}]", inputs[k]),
            Inputs::Listed if k == 0 => format!("{z}[n[k]]"),
            Inputs::Listed => format!("{z}[n[k + {k}]]"),
        }
    }

    /// Returns the expression of the input in a loop over `j`.
    fn in_loop(&self, z: &str) -> String {
        match self {
            Inputs::Known(_) => format!("{z}[j]"),
            Inputs::Listed => format!("{z}[n[k + j]]"),
        }
    }
}

/// Writes a loop over the features of a block.
fn add_loop(w: &mut Writer, kernel: Kernel, shifts: Shifts, all: &[Feature], z: &str, sums: &[String]) {
    let order = all[0].inputs.len();
    let records: Vec<Vec<String>> = all.iter().map(|feature| record_of(kernel, shifts, feature)).collect();
    let stride = records[0].len();
    let table = w.table("features", &records.concat());
    w.line(format!("f = {table}"));
    let inputs = Inputs::new(w, all);
    w.line("i = 0");
    w.open(format!("while i < {}:", stride * all.len()));
    let width = if shifts.weights.is_none() { 2 } else { 1 };
    let looped = order > WRITTEN_OUT;
    if looped {
        sum_in_loop(w, shifts, order, &inputs.in_loop(z));
    } else {
        sum_of_few(w, kernel, shifts, order, &|k| inputs.get(z, k));
    }
    // Behind a loop over the inputs, `i` is the place of what follows the weights.
    let mut place = if looped { 0 } else { width * order };
    if kernel.has_bias() && (looped || shifts.weights.is_some()) {
        let bias = [element(place), element(place + 1)];
        match shifts.weights {
            None => {
                w.line(format!("a += {}", bias[0]));
                w.line(format!("b += {}", bias[1]));
            }
            Some(shift) => of_halves(w, shift, Some(bias)),
        }
    } else if let Some(shift) = shifts.weights {
        of_halves(w, shift, None);
    }
    place += if kernel.has_bias() { 2 } else { 0 };
    let values = kernel_values(w, kernel, shifts.argument);
    add_to_outputs(w, &values, place, sums);
    let step = place + values.len() * sums.len();
    w.line(format!("i += {step}"));
    if matches!(inputs, Inputs::Listed) {
        w.line(format!("k += {order}"));
    }
    w.close();
}

/// Writes the sums of products of a feature of many inputs; `i` moves behind the weights.
fn sum_in_loop(w: &mut Writer, shifts: Shifts, order: usize, input: &str) {
    w.line(if shifts.weights.is_none() { "a = b = 0" } else { "p = 0" });
    w.open(format!("for j in range({order}):"));
    if shifts.weights.is_none() {
        w.line(format!("v = {input}"));
        w.line("a += f[i] * v");
        w.line("b += f[i + 1] * v");
        w.line("i += 2");
    } else {
        w.line(format!("p += f[i] * {input}"));
        w.line("i += 1");
    }
    w.close();
}

/// Writes the sums of products of a feature of few inputs, with the bias where weights have two halves.
fn sum_of_few(w: &mut Writer, kernel: Kernel, shifts: Shifts, order: usize, input: &dyn Fn(usize) -> String) {
    if shifts.weights.is_some() {
        let terms: Vec<String> = (0..order).map(|k| format!("{} * {}", element(k), input(k))).collect();
        return w.sum("p", &terms);
    }
    (0..order).for_each(|k| w.line(format!("v{k} = {}", input(k))));
    for (half, sum) in ["a", "b"].into_iter().enumerate() {
        let terms = (0..order).map(|k| format!("{} * v{k}", element(2 * k + half)));
        let bias = kernel.has_bias().then(|| element(2 * order + half));
        w.sum(sum, &terms.chain(bias).collect::<Vec<_>>());
    }
}

/// Writes the statements that add the values of a feature, whose amplitudes begin at `place`, to the outputs.
fn add_to_outputs(w: &mut Writer, values: &[&str], place: usize, sums: &[String]) {
    let count = values.len();
    if sums.len() <= WRITTEN_OUT {
        for (output, sum) in sums.iter().enumerate() {
            let term = |(v, value): (usize, &&str)| format!("{} * {value}", element(place + count * output + v));
            let terms: Vec<String> = values.iter().enumerate().map(term).collect();
            w.line(format!("{sum} += {}", terms.join(" + ")));
        }
        return;
    }
    w.open("for o in range(OUTPUTS):");
    let term = |(v, value): (usize, &&str)| {
        let start = if place + v == 0 { String::new() } else { format!(" + {}", place + v) };
        let output = if count == 1 { "o".to_owned() } else { format!("{count} * o") };
        format!("f[i + {output}{start}] * {value}")
    };
    let terms: Vec<String> = values.iter().enumerate().map(term).collect();
    w.line(format!("y[o] += {}", terms.join(" + ")));
    w.close();
}

/// Writes the values of a kernel with the argument of which `a` is the upper half, and `b` what carries into it.
/// Returns their names.
fn kernel_values(w: &mut Writer, kernel: Kernel, shift: u32) -> Vec<&'static str> {
    let line = |w: &mut Writer, value: &str| {
        w.line("v = t >> 8");
        w.line(format!("{value} = (c[v] + s[v] * (t & 255)) >> 16"));
    };
    if kernel != Kernel::Polynomial {
        w.line("t = (a + (b >> 16)) & 65535");
    }
    match kernel {
        Kernel::Cosine => line(w, "v"),
        Kernel::Sincos => {
            line(w, "u");
            w.line("t = (t - 16384) & 65535");
            line(w, "v");
            return vec!["v", "u"];
        }
        Kernel::Polynomial => {
            w.line("t = ((a << 1) + (b >> 15)) & 131071");
            w.line("v = 32767 - t if t < 65536 else t - 98304");
            w.line("t = v * v >> 16");
            w.line("t = 25728 - (t * (10523 - (t * 1180 >> 14)) >> 14)");
            w.line("v = (v * t + 65536) >> 17");
        }
        Kernel::Sigmoid => {
            w.line(format!("t = (((t ^ 32768) - 32768 << 8) + (b >> 8 & 255)) >> {shift}"));
            w.line("t = (-32768 if t < -32768 else 32767 if t > 32767 else t) & 65535");
            line(w, "v");
        }
        Kernel::Relu => w.line("v = t >> 1 if t < 32768 else 0"),
        Kernel::Square => {
            w.line(match shift {
                16.. => format!("t = (t ^ 32768) - 32768 >> {}", shift - 16),
                _ => format!("t = ((t ^ 32768) - 32768 << {}) + ((b & 65535) >> {shift})", 16 - shift),
            });
            w.line("t = -32768 if t < -32768 else 32767 if t > 32767 else t");
            w.line("v = t * t >> 15");
        }
    }
    vec!["v"]
}
