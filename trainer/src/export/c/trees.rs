//! Trees: in small code a table and a loop that walks down every tree, in fast code nested conditions.
//!
//! Compilers join nested conditions of integers, so that the size of such code is not the sum of its conditions. A
//! table takes what it holds.

use srfm_runtime::Model;
use srfm_runtime::format::{MISSING, Node, NodeHead, Prepared, Trees, reading_of};

use super::literals::{float, float_of, long, word};
use super::outputs::{result, sum_of};
use super::parts::Part;
use super::style::Style;
use super::writer::{Type, Writer};
use crate::trees::Walks;

/// The largest depth of a tree: compilers take at least 127 levels of blocks, some of which are around the trees.
pub(super) const DEEPEST: usize = 120;

/// The expressions of a model's conditions and sums.
struct Expressions<'a> {
    /// Returns the condition of the lower branch of a node, or with `true` that of the upper one.
    condition: &'a dyn Fn(&Node<'_>, bool) -> String,
    outputs: usize,
}

/// Writes the trees of a model in floating point; `x` has the readings.
pub(super) fn add_floats(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    let Some(trees) = model.trees() else { return };
    let outputs = model.outputs();
    w.need(Part::Thresholds);
    match style {
        Style::Small => {
            let words = trees.inputs.iter().flat_map(|input| {
                let place = u32::from(input.input) | u32::from(input.shift) << 16;
                [input.base as u32, place].map(word)
            });
            let inputs = w.table(Type::Word, "tree_inputs", words.collect());
            let [base, place] = ["2u * (head & 2047u)", "2u * (head & 2047u) + 1u"];
            let value = [
                format!("const uint32_t place = {};", Type::Word.read(&inputs, place)),
                "const float value = x[place & 65535u];".to_owned(),
                format!(
                    "const uint32_t key = {} + ((uint32_t)threshold << (place >> 16));",
                    Type::Word.read(&inputs, base)
                ),
            ];
            let input = Input {
                kind: "f32",
                value: &value,
                missing: "model_missing(value)",
                above: "(!model_missing(value) && model_key(value) > model_signed(key))",
                above_if_there: "model_key(value) > model_signed(key)",
            };
            add_table(w, &trees, &input, outputs);
        }
        Style::Fast => {
            let condition = |node: &Node<'_>, upper: bool| {
                let input = trees.inputs[node.head.input()];
                let key = input.key(node.threshold);
                let missing = node.head.has(NodeHead::MISSING_UPPER) == upper;
                let function = match (upper, missing) {
                    (false, true) => "model_up_to_or_missing",
                    (false, false) => "model_up_to",
                    (true, true) => "model_above_or_missing",
                    (true, false) => "model_above",
                };
                let threshold = long(key);
                let reading = reading_of(key);
                let note = if reading.is_finite() { format!(" /* {reading:?} */") } else { String::new() };
                format!("{function}(x[{}], {threshold}{note})", input.input)
            };
            add_conditions(w, &trees, &Expressions { condition: &condition, outputs });
        }
    }
    for (output, &step) in trees.steps.iter().enumerate() {
        let sum = rules(outputs, output);
        let y = result(outputs, &output.to_string());
        w.line(format!("{y} += model_product({}, (float){sum});", float_of(step)));
    }
    w.line("}");
}

/// Writes the trees of an integer model; the array `counts` has the counts before limits and warps.
pub(super) fn add_integers(w: &mut Writer<'_>, model: &Model<'_>, counts: &str, style: Style) {
    let Some(trees) = model.trees() else { return };
    let outputs = model.outputs();
    match style {
        Style::Small => {
            let input = Input {
                kind: "integer",
                value: &[format!("const int32_t value = {counts}[head & 2047u];")],
                missing: "value == MODEL_MISSING",
                // The count of a missing reading is the least.
                above: "value > model_lower((uint32_t)threshold)",
                above_if_there: "value > model_lower((uint32_t)threshold)",
            };
            add_table(w, &trees, &input, outputs);
        }
        Style::Fast => {
            w.need(Part::Count);
            let condition = |node: &Node<'_>, upper: bool| integer_condition(model, node, counts, upper);
            add_conditions(w, &trees, &Expressions { condition: &condition, outputs });
        }
    }
    for output in 0..outputs {
        let sum = rules(outputs, output);
        w.line(format!("{} += (uint32_t){sum} << {};", sum_of(outputs, &output.to_string()), trees.shift));
    }
    w.line("}");
}

/// Returns the condition of a branch of an integer model.
fn integer_condition(model: &Model<'_>, node: &Node<'_>, counts: &str, upper: bool) -> String {
    let of_prepared = |prepared: &Prepared| {
        let unit = f64::from(-i32::from(prepared.exponent)).exp2();
        let threshold = f64::from(prepared.centre) + (f64::from(node.threshold as i16) + 0.5) * unit;
        format!(" /* {} */", float(threshold as f32).trim_end_matches('f'))
    };
    let note = model.prepared().get(node.head.input()).map_or_else(String::new, of_prepared);
    let count = format!("model_count({counts}[{}])", node.head.input());
    let threshold = node.threshold as i16;
    match (upper, node.head.has(NodeHead::MISSING_UPPER)) {
        (false, false) => format!("{count} <= {threshold}{note}"),
        (true, false) => format!("{count} > {threshold}{note}"),
        (false, true) => format!("{count} <= {threshold}{note} && {count} != {MISSING}"),
        (true, true) => format!("{count} > {threshold}{note} || {count} == {MISSING}"),
    }
}

/// What a walk compares with a threshold. The expressions are of `head` and `threshold`, the halves of a node.
struct Input<'a> {
    /// The name in the contents.
    kind: &'a str,
    /// Statements that give the value of the input.
    value: &'a [String],
    /// Whether the reading is missing.
    missing: &'a str,
    /// Whether the value is above the threshold, which a missing one is not.
    above: &'a str,
    /// The same, where the reading is not missing.
    above_if_there: &'a str,
}

/// Begins a block with the sums of all trees, by a loop over their nodes as in the model file.
fn add_table(w: &mut Writer<'_>, trees: &Trees<'_>, input: &Input<'_>, outputs: usize) {
    w.need(Part::Signed);
    let has = |wanted: &dyn Fn(NodeHead) -> bool| trees.nodes().any(|node| wanted(node.head));
    let skips = has(&NodeHead::skips);
    let missing = has(&|head| head.has(NodeHead::MISSING_UPPER));
    outline(w, trees, input.kind, [skips, missing], outputs);
    let halves = trees.halves.iter().map(u16::to_string).collect();
    let table = w.table(Type::Short, "trees", halves);
    let read = |place: &str, index: &str| Type::Short.read(place, index);
    let both = "(head >> 12 & 1u) + (head >> 13 & 1u)";
    let both = if outputs == 1 { both.to_owned() } else { format!("{outputs}u * ({both})") };
    begin_sums(w, outputs);
    w.line(format!("const uint16_t *tree = {table};"));
    w.line(format!("while (tree != &{table}[{}]) {{", trees.halves.len()));
    // Sixteen bits are enough, and eight-bit cores shift by a constant number of bits.
    w.line(format!("uint_fast16_t head = {}, threshold = {};", read("tree", "0"), read("tree", "1")));
    w.line("const uint16_t *node = &tree[2];");
    w.line("if (head >> 14 != 0u) {");
    w.line(format!("tree = &node[1u + {}];", read("node", "0")));
    w.line("node++;");
    w.line("} else {");
    w.line(format!("tree = &node[{both}];"));
    w.line("}");
    w.line("for (;;) {");
    if skips {
        w.line("uint_fast16_t lower = 0u;");
    }
    input.value.iter().for_each(|line| w.line(line));
    let upper = match missing {
        true => format!("{} ? (head >> 11 & 1u) != 0u : {}", input.missing, input.above_if_there),
        false => input.above.to_owned(),
    };
    w.line(format!("const int upper = {upper};"));
    w.line("const uint_fast16_t branch = upper ? head >> 13 : head >> 12;");
    if skips {
        w.line("if (head >> 14 == 3u) {");
        w.line(format!("lower = {};", read("node", "0")));
        w.line("node++;");
        w.line("}");
    }
    w.line("if ((branch & 1u) != 0u) {");
    if outputs == 1 {
        w.line(format!("rules += model_lower({});", read("node", "upper ? head >> 12 & 1u : 0u")));
    } else {
        w.line(format!("const uint16_t *amplitudes = &node[upper ? {outputs}u * (head >> 12 & 1u) : 0u];"));
        w.begin_loop("o", outputs);
        w.line(format!("rules[o] += model_lower({});", read("amplitudes", "o")));
        w.line("}");
    }
    w.line("}");
    w.line("if ((branch & 4u) == 0u) {");
    w.line("break;");
    w.line("}");
    w.line(format!("node += {both}{};", if skips { " + (upper ? lower : 0u)" } else { "" }));
    w.line(format!("head = {};", read("node", "0")));
    w.line(format!("threshold = {};", read("node", "1")));
    w.line("node += 2;");
    w.line("}");
    w.line("}");
}

/// Adds a walk to the contents.
fn outline(w: &mut Writer<'_>, trees: &Trees<'_>, kind: &str, [skips, missing]: [bool; 2], outputs: usize) {
    let walks = Walks::of(trees);
    let several = if outputs == 1 { "" } else { " outputs" };
    let outline = w.outline();
    outline.add(&format!("{kind} trees{several}"), 1, 1);
    outline.add(&format!("{kind} tree{several}"), 0, walks.trees);
    outline.add(&format!("{kind} condition{several}"), 0, walks.conditions);
    outline.add(&format!("{kind} rule{several}"), 0, walks.amplitudes);
    if skips {
        outline.add(&format!("{kind} trees with skips"), 1, walks.conditions);
    }
    if missing {
        outline.add(&format!("{kind} trees with missing readings"), 1, walks.conditions);
    }
    if outputs > 1 {
        outline.add(&format!("{kind} rule output"), 0, outputs * walks.amplitudes);
        outline.add(&format!("{kind} sum of trees"), outputs, outputs);
        outline.arrays += 4 * outputs;
    }
}

/// Returns whether a tree is too deep for compilers.
pub(super) fn are_too_deep(trees: &Trees<'_>) -> bool {
    let mut open: Vec<usize> = Vec::new();
    trees.nodes().any(|node| {
        let depth = 1 + if node.root { 0 } else { open.pop().unwrap_or_default() };
        let children = [NodeHead::UPPER_NODE, NodeHead::LOWER_NODE].into_iter().filter(|&flag| node.head.has(flag));
        open.extend(children.map(|_| depth));
        depth > DEEPEST
    })
}

/// Begins a block with the sums.
fn begin_sums(w: &mut Writer<'_>, outputs: usize) {
    w.line("{");
    if outputs == 1 {
        return w.line("int32_t rules = 0;");
    }
    // Not by braces, which can become a call of memset.
    w.line(format!("int32_t rules[{outputs}];"));
    (0..outputs).for_each(|output| w.line(format!("{} = 0;", rules(outputs, output))));
}

/// Begins a block with the sums of all trees, by nested conditions.
fn add_conditions(w: &mut Writer<'_>, trees: &Trees<'_>, expressions: &Expressions<'_>) {
    begin_sums(w, expressions.outputs);
    let mut nodes = trees.nodes();
    for _ in 0..trees.count() {
        write(w, &mut nodes, expressions);
    }
}

/// Writes the next node and all below it.
fn write<'a>(w: &mut Writer<'_>, nodes: &mut impl Iterator<Item = Node<'a>>, expressions: &Expressions<'_>) {
    let Some(node) = nodes.next() else { return };
    let empty = |amplitudes: &[i16], flag: u16| amplitudes.is_empty() && !node.head.has(flag);
    let no_upper = empty(node.upper, NodeHead::UPPER_NODE);
    if empty(node.lower, NodeHead::LOWER_NODE) {
        if !no_upper {
            w.line(format!("if ({}) {{", (expressions.condition)(&node, true)));
            branch(w, nodes, node.upper, node.head.has(NodeHead::UPPER_NODE), expressions);
            w.line("}");
        }
        return;
    }
    w.line(format!("if ({}) {{", (expressions.condition)(&node, false)));
    branch(w, nodes, node.lower, node.head.has(NodeHead::LOWER_NODE), expressions);
    if !no_upper {
        w.line("} else {");
        branch(w, nodes, node.upper, node.head.has(NodeHead::UPPER_NODE), expressions);
    }
    w.line("}");
}

/// Writes the amplitudes of a branch and the node that it leads to.
fn branch<'a>(
    w: &mut Writer<'_>,
    nodes: &mut impl Iterator<Item = Node<'a>>,
    amplitudes: &[i16],
    leads_on: bool,
    expressions: &Expressions<'_>,
) {
    for (output, amplitude) in amplitudes.iter().enumerate() {
        w.line(format!("{} += {amplitude};", rules(expressions.outputs, output)));
    }
    if leads_on {
        write(w, nodes, expressions);
    }
}

/// Returns the expression of the sum of an output.
fn rules(outputs: usize, output: usize) -> String {
    if outputs == 1 { "rules".to_owned() } else { format!("rules[{output}]") }
}
