//! Trees as nested conditions.

use srfm_runtime::Model;
use srfm_runtime::format::{MISSING, Node, NodeHead, Trees, reading_of};

use super::literals::{float, float_of, long};
use super::outputs::{result, sum_of};
use super::parts::Part;
use super::writer::Writer;

/// The largest depth of a tree: compilers take at least 127 levels of blocks, some of which are around the trees.
pub(super) const DEEPEST: usize = 120;

/// The expressions of a model's conditions and sums.
struct Expressions<'a> {
    /// Returns the condition of the lower branch of a node, or with `true` that of the upper one.
    condition: &'a dyn Fn(&Node<'_>, bool) -> String,
    outputs: usize,
}

/// Writes the trees of a model in floating point; `x` has the readings.
pub(super) fn add_floats(w: &mut Writer<'_>, model: &Model<'_>) {
    let Some(trees) = model.trees() else { return };
    w.need(Part::Thresholds);
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
    let outputs = model.outputs();
    add(w, &trees, &Expressions { condition: &condition, outputs });
    for (output, &step) in trees.steps.iter().enumerate() {
        let sum = rules(outputs, output);
        let y = result(outputs, &output.to_string());
        w.line(format!("{y} += model_product({}, (float){sum});", float_of(step)));
    }
    w.line("}");
}

/// Writes the trees of an integer model; the array `counts` has the counts before limits and warps.
pub(super) fn add_integers(w: &mut Writer<'_>, model: &Model<'_>, counts: &str) {
    let Some(trees) = model.trees() else { return };
    w.need(Part::Count);
    let note = |node: &Node<'_>| {
        let Some(prepared) = model.prepared().get(node.head.input()) else { return String::new() };
        let unit = f64::from(-i32::from(prepared.exponent)).exp2();
        let threshold = f64::from(prepared.centre) + (f64::from(node.threshold as i16) + 0.5) * unit;
        format!(" /* {} */", float(threshold as f32).trim_end_matches('f'))
    };
    let condition = |node: &Node<'_>, upper: bool| {
        let count = format!("model_count({counts}[{}])", node.head.input());
        let threshold = node.threshold as i16;
        let missing_upper = node.head.has(NodeHead::MISSING_UPPER);
        let note = note(node);
        match (upper, missing_upper) {
            (false, false) => format!("{count} <= {threshold}{note}"),
            (true, false) => format!("{count} > {threshold}{note}"),
            (false, true) => format!("{count} <= {threshold}{note} && {count} != {MISSING}"),
            (true, true) => format!("{count} > {threshold}{note} || {count} == {MISSING}"),
        }
    };
    let outputs = model.outputs();
    add(w, &trees, &Expressions { condition: &condition, outputs });
    for output in 0..outputs {
        let sum = rules(outputs, output);
        w.line(format!("{} += (uint32_t){sum} << {};", sum_of(outputs, &output.to_string()), trees.shift));
    }
    w.line("}");
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

/// Begins a block with the sums of all trees.
fn add(w: &mut Writer<'_>, trees: &Trees<'_>, expressions: &Expressions<'_>) {
    let outputs = expressions.outputs;
    w.line("{");
    w.line(if outputs == 1 { "int32_t rules = 0;".to_owned() } else { format!("int32_t rules[{outputs}] = {{0}};") });
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
