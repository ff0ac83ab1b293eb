//! The parameters of a model in floating point, for other formats.

use serde_json::{Value, json};
use srfm_runtime::Model;
use srfm_runtime::format::{Block, LIMITED, Node, NodeHead, Number, REPLACED, Trees, Warp};

/// Returns the parameters as JSON, or the sentence that says why there are none. Bits of numbers are exact.
///
/// `prepared` has the inputs of features: the reading, what replaces it where it is missing, its limits, its warp and
/// what is subtracted; empty where they are the readings. `blocks` have a kernel, and for every feature its bias,
/// inputs, weights and amplitudes for every output and value of the kernel. `conditions` are those of all trees, every
/// tree from its root downwards, lower branches first.
pub fn parts(model: &Model<'_>) -> Result<String, String> {
    let number = model.header().number;
    if number != Number::F32 {
        return Err(format!("the model has the number format {}, but ONNX takes f32 models alone", number.name()));
    }
    let floats = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect::<Vec<f32>>();
    let (limits, replacements) = (floats(model.input_limits()), floats(model.replacements()));
    let prepared = model.prepared().iter().enumerate().map(|(place, input)| {
        let limited = input.warp & LIMITED != 0;
        let limits = limits.get(2 * place..2 * place + 2).filter(|_| limited);
        let replacement = replacements.get(place).filter(|_| input.warp & REPLACED != 0);
        let warp = Warp::of(input.warp & !(LIMITED | REPLACED)).map(Warp::name);
        json!({
            "input": input.input, "centre": input.centre, "warp": warp, "limits": limits, "replacement": replacement,
        })
    });
    let (linear, outputs) = (model.linear(), model.outputs());
    let weights = floats(linear.weights);
    let terms = linear.inputs.iter().zip(weights.chunks_exact(outputs.max(1)));
    Ok(json!({
        "prepared": prepared.collect::<Vec<Value>>(),
        "intercepts": floats(model.intercepts()),
        "linear": terms.map(|(input, weights)| json!([input, weights])).collect::<Vec<Value>>(),
        "blocks": model.blocks().map(|block| block_parts(&block, outputs)).collect::<Vec<Value>>(),
        "conditions": model.trees().map_or_else(Vec::new, |trees| conditions(&trees)),
        "limits": model.limits().collect::<Vec<[f32; 2]>>(),
        "classes": model.classes().count(),
    })
    .to_string())
}

/// Returns the conditions of all trees: whether a tree begins, the reading, the threshold, whether a missing reading
/// takes the upper branch, and for the lower and the upper branch what it adds to every output, if anything, and
/// whether a condition follows.
fn conditions(trees: &Trees<'_>) -> Vec<Value> {
    let steps: Vec<f64> = trees.steps.iter().map(|&word| f64::from(f32::from_bits(word))).collect();
    let added = |amplitudes: &[i16]| -> Vec<f64> {
        amplitudes.iter().zip(&steps).map(|(&amplitude, step)| f64::from(amplitude) * step).collect()
    };
    let condition = |node: Node<'_>| {
        json!({
            "root": node.root,
            "input": trees.inputs.get(node.head.input()).map(|input| input.input),
            "threshold": trees.threshold(&node),
            "missing_upper": node.head.has(NodeHead::MISSING_UPPER),
            "added": [added(node.lower), added(node.upper)],
            "leads_on": [node.head.has(NodeHead::LOWER_NODE), node.head.has(NodeHead::UPPER_NODE)],
        })
    };
    trees.nodes().map(condition).collect()
}

/// Returns the features of a block.
fn block_parts(block: &Block<'_>, outputs: usize) -> Value {
    let (order, bias) = (usize::from(block.order), usize::from(block.kernel.has_bias()));
    let scales = block.kernel.scales();
    let stride = bias + order + outputs * scales.len();
    let features = block.records.chunks_exact(stride.max(1)).enumerate().map(|(feature, record)| {
        let floats = |words: &[u32]| words.iter().map(|&word| f32::from_bits(word)).collect::<Vec<f32>>();
        let inputs: Vec<u16> = (0..order).filter_map(|k| block.indices.get(feature * order + k)).collect();
        let stored = floats(&record[bias + order..]);
        let amplitudes: Vec<Vec<f64>> = stored
            .chunks_exact(scales.len())
            .map(|values| values.iter().zip(scales).map(|(&value, scale)| f64::from(value) / scale).collect())
            .collect();
        json!({
            "bias": floats(&record[..bias]).first().copied().unwrap_or(0.0),
            "inputs": inputs,
            "weights": floats(&record[bias..bias + order]),
            "amplitudes": amplitudes,
        })
    });
    json!({ "kernel": block.kernel.name(), "features": features.collect::<Vec<Value>>() })
}
