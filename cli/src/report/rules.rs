//! The rules of a model as sentences.

use std::collections::BTreeMap;

use srfm_runtime::Model;
use srfm_runtime::format::{Node, NodeHead, Number, Prepared, Trees};

use crate::report::text::significant;

/// A rule: what its conditions add to the outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The range of every reading that the conditions look at, by its index: above the first number, where there is
    /// one, and up to the second.
    pub ranges: BTreeMap<usize, [Option<f64>; 2]>,
    /// What the rule adds to every output, in units of the target.
    pub amplitudes: Vec<f64>,
}

/// Returns the rules of a model, those of the largest amplitudes first.
pub fn rules(model: &Model<'_>) -> Vec<Rule> {
    let Some(trees) = model.trees() else { return Vec::new() };
    let mut rules: Vec<Rule> = Vec::new();
    // The conditions that lead to the nodes that follow.
    let mut open: Vec<BTreeMap<usize, [Option<f64>; 2]>> = Vec::new();
    for node in trees.nodes() {
        let path = if node.root { BTreeMap::new() } else { open.pop().unwrap_or_default() };
        let (input, threshold) = condition(model, &trees, &node);
        let own = path.get(&input).copied().unwrap_or_default();
        let [low, high] = own;
        let with = |range: [Option<f64>; 2]| {
            let mut path = path.clone();
            path.insert(input, range);
            path
        };
        let lower = with([low, Some(high.map_or(threshold, |high| high.min(threshold)))]);
        let upper = with([Some(low.map_or(threshold, |low| low.max(threshold))), high]);
        for (path, amplitudes) in [(&lower, node.lower), (&upper, node.upper)] {
            if !amplitudes.is_empty() {
                rules.push(Rule { ranges: path.clone(), amplitudes: in_units(model, &trees, amplitudes) });
            }
        }
        // The lower subtree comes first.
        open.extend(node.head.has(NodeHead::UPPER_NODE).then_some(upper));
        open.extend(node.head.has(NodeHead::LOWER_NODE).then_some(lower));
    }
    let size = |rule: &Rule| rule.amplitudes.iter().fold(0.0_f64, |largest, amplitude| largest.max(amplitude.abs()));
    rules.sort_by(|a, b| size(b).total_cmp(&size(a)));
    rules
}

/// Returns the index of the reading and the threshold of a node, in units of the reading.
fn condition(model: &Model<'_>, trees: &Trees<'_>, node: &Node<'_>) -> (usize, f64) {
    let place = node.head.input();
    if model.header().number == Number::F32 {
        let input = trees.inputs.get(place).map_or(place, |input| input.input.into());
        return (input, trees.threshold(node).map_or(f64::NAN, f64::from));
    }
    let plain = Prepared { centre: 0.0, input: place as u16, warp: 0, exponent: 0 };
    let prepared = model.prepared().get(place).unwrap_or(&plain);
    // A count and the next one meet in the middle.
    let count = f64::from(node.threshold as i16) + 0.5;
    (prepared.input.into(), f64::from(prepared.centre) + count * f64::from(prepared.exponent).exp2().recip())
}

/// Returns amplitudes in units of the target.
fn in_units(model: &Model<'_>, trees: &Trees<'_>, amplitudes: &[i16]) -> Vec<f64> {
    let step = |output: usize| match model.scales().get(output) {
        Some(scale) => f64::from(scale.step) * f64::from(1_u32 << trees.shift),
        None => trees.steps.get(output).map_or(0.0, |&word| f32::from_bits(word).into()),
    };
    amplitudes.iter().enumerate().map(|(output, &amplitude)| step(output) * f64::from(amplitude)).collect()
}

/// Returns a rule as a sentence; `name` gives the name of a reading.
pub fn sentence(rule: &Rule, name: impl Fn(usize) -> String) -> String {
    let range = |(&input, range): (&usize, &[Option<f64>; 2])| match *range {
        [Some(low), Some(high)] => format!("{} < {} ≤ {}", significant(low), name(input), significant(high)),
        [Some(low), None] => format!("{} > {}", name(input), significant(low)),
        [None, Some(high)] => format!("{} ≤ {}", name(input), significant(high)),
        [None, None] => name(input),
    };
    let conditions: Vec<String> = rule.ranges.iter().map(range).collect();
    let signed = |amplitude: &f64| {
        let sign = if *amplitude < 0.0 { '-' } else { '+' };
        format!("{sign} {}", significant(amplitude.abs()))
    };
    let amplitudes: Vec<String> = rule.amplitudes.iter().map(signed).collect();
    format!("{}: {}", conditions.join(" and "), amplitudes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_a_sentence() {
        let ranges = BTreeMap::from([(0, [Some(2310.0), None]), (1, [Some(-3.0), Some(41.0)]), (2, [None, Some(0.5)])]);
        let rule = Rule { ranges, amplitudes: vec![3.2, -0.25] };
        let name = |input: usize| ["bridge", "temperature", "flow"][input].to_owned();
        assert_eq!(
            sentence(&rule, name),
            "bridge > 2310 and -3.000 < temperature ≤ 41.00 and flow ≤ 0.5000: + 3.200, - 0.2500"
        );
    }
}
