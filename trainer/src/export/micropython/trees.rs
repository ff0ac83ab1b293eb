//! Trees: a loop that walks down every tree of a table.

use srfm_runtime::Model;
use srfm_runtime::format::NodeHead;

use super::writer::Writer;

/// Adds the trees of a model; `z` is the list of counts before limits and warps, `sums` the variables of the outputs.
pub(super) fn add(w: &mut Writer, model: &Model<'_>, z: &str, sums: &[String]) {
    let Some(trees) = model.trees() else { return };
    let outputs = model.outputs();
    let has = |wanted: &dyn Fn(NodeHead) -> bool| trees.nodes().any(|node| wanted(node.head));
    let skips = has(&NodeHead::skips);
    let missing = has(&|head| head.has(NodeHead::MISSING_UPPER));
    // In two's complement, in which thresholds and amplitudes are.
    let halves: Vec<String> = trees.halves.iter().map(|&half| (half as i16).to_string()).collect();
    let table = w.table("trees", &halves);
    let rules: Vec<String> =
        if outputs == 1 { vec!["r".into()] } else { (0..outputs).map(|o| format!("r[{o}]")).collect() };
    w.line(format!("f = {table}"));
    w.line(if outputs == 1 { "r = 0".to_owned() } else { format!("r = [0] * {outputs}") });
    w.line("k = 0");
    w.open(format!("while k < {}:", trees.halves.len()));
    w.line("t = f[k]");
    w.line("c = f[k + 1]");
    w.line("i = k + 2");
    let both = "(t >> 12 & 1) + (t >> 13 & 1)";
    let both = if outputs == 1 { both.to_owned() } else { format!("{outputs} * ({both})") };
    w.open("if t & 49152:");
    w.line("i += 1");
    w.line("k = i + (f[i - 1] & 65535)");
    w.close();
    w.open("else:");
    w.line(format!("k = i + {both}"));
    w.close();
    walk(w, z, [skips, missing], outputs, &both);
    w.close();
    for (sum, rule) in sums.iter().zip(&rules) {
        w.line(match trees.shift {
            0 => format!("{sum} += {rule}"),
            shift => format!("{sum} += {rule} << {shift}"),
        });
    }
}

/// Writes the walk down a tree, whose first node is `t` with the threshold `c`.
fn walk(w: &mut Writer, z: &str, [skips, missing]: [bool; 2], outputs: usize, both: &str) {
    w.open("while True:");
    w.line(format!("v = {z}[t & 2047]"));
    w.line(if missing { "u = t & 2048 if v == MISSING else v > c" } else { "u = v > c" });
    if skips {
        w.line("s = 0");
        w.open("if t & 49152 == 49152:");
        w.line("s = f[i] & 65535");
        w.line("i += 1");
        w.close();
    }
    branch(
        w,
        "if u:",
        "t & 8192",
        if outputs == 1 { "i + (t >> 12 & 1)" } else { "i + (t >> 12 & 1) * OUTPUTS" },
        outputs,
    );
    w.open("if not t & 32768:");
    w.line("break");
    w.close();
    w.line(format!("i += {both}{}", if skips { " + s" } else { "" }));
    w.close();
    branch(w, "else:", "t & 4096", "i", outputs);
    w.open("if not t & 16384:");
    w.line("break");
    w.close();
    w.line(format!("i += {both}"));
    w.close();
    w.line("t = f[i]");
    w.line("c = f[i + 1]");
    w.line("i += 2");
    w.close();
}

/// Begins a branch with the amplitudes that it adds.
fn branch(w: &mut Writer, head: &str, has: &str, place: &str, outputs: usize) {
    w.open(head);
    w.open(format!("if {has}:"));
    if outputs == 1 {
        w.line(format!("r += f[{place}]"));
    } else {
        w.line(format!("v = {place}"));
        w.open("for o in range(OUTPUTS):");
        w.line("r[o] += f[v + o]");
        w.close();
    }
    w.close();
}
