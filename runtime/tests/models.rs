//! The models of the golden files.

use srfm_runtime::format::{
    self, Band, Confidence, Kernel, LIMITED, Place, Prepared, REPLACED, Statistic, TreeInput, WindowInput, key_of,
};
use srfm_testing::{OwnedBlock, OwnedBranch, OwnedModel, OwnedNode, OwnedTrees, OwnedWindows};

/// y = 1 + u/2 - v/4 + 3 cos(2π · 4u): the example in `docs/format.md`.
pub fn plane() -> OwnedModel {
    OwnedModel {
        method: "plane".into(),
        inputs: 2,
        inputs_hash: format::hash_names(["u", "v"]),
        intercepts: vec![1.0],
        limits: vec![[-5.0, 7.0]],
        linear_weights: vec![0.5, -0.25],
        linear_inputs: vec![0, 1],
        blocks: vec![OwnedBlock::new(Kernel::Cosine, 1, 1, vec![0.0, 4.0, 3.0], vec![0])],
        ..OwnedModel::default()
    }
}

/// `y = x + (x - the reading one sample ago)`.
pub fn history() -> OwnedModel {
    OwnedModel {
        method: "history".into(),
        inputs: 2,
        inputs_hash: format::hash_names(["x"]),
        windows: vec![2],
        places: vec![Place { slot: 0, difference: false }, Place { slot: 0, difference: true }],
        intercepts: vec![0.0],
        limits: vec![[-100.0, 100.0]],
        linear_weights: vec![1.0, 1.0],
        linear_inputs: vec![0, 1],
        ..OwnedModel::default()
    }
}

/// The sum of all statistics of windows of eight samples of the second of two channels; every third sample completes
/// one.
pub fn windows() -> OwnedModel {
    let band = |cycles, coefficient| Statistic::Band(Band { cycles, coefficient });
    let statistics = [
        Statistic::Mean,
        Statistic::Deviation,
        Statistic::Unused,
        Statistic::Minimum,
        Statistic::Maximum,
        Statistic::Crossings,
        band(1, std::f32::consts::SQRT_2),
        band(2, 0.0),
    ];
    let inputs = statistics.map(|statistic| WindowInput { channel: 0, statistic }).to_vec();
    OwnedModel {
        method: "windows".into(),
        inputs: 8,
        inputs_hash: format::hash_names(["u", "v"]),
        statistics: Some(OwnedWindows { samples: 8, step: 3, kept: vec![false, true], inputs }),
        intercepts: vec![0.0],
        limits: vec![[-100.0, 100.0]],
        linear_weights: vec![1.0; 7],
        linear_inputs: vec![0, 1, 3, 4, 5, 6, 7],
        ..OwnedModel::default()
    }
}

/// Six of seven readings prepared, two outputs, a linear block and features of one, two, three and five inputs.
pub fn everything() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    OwnedModel {
        method: "everything".into(),
        inputs: 7,
        inputs_hash: format::hash_names(["a", "b", "c", "d", "e", "f", "g"]),
        prepared: [(6, 0.5), (0, -1.25), (1, 1013.25), (2, 0.0), (4, 20.1), (5, -0.003)].map(prepare).to_vec(),
        intercepts: vec![1.5, -273.15],
        limits: vec![[-0.75, 4.0], [-1288.0, -273.15]],
        linear_weights: vec![0.1, -0.2, 0.003, 0.75, 0.0, 1.0],
        linear_inputs: vec![0, 5, 2],
        blocks: vec![
            OwnedBlock::new(Kernel::Cosine, 1, 2, vec![0.125, 0.31, 1.1, -0.4, -0.25, 0.007, 0.3, 2.5], vec![1, 4]),
            OwnedBlock::new(Kernel::Cosine, 2, 2, vec![0.4, 0.21, -0.17, 0.9, 0.6], vec![3, 0]),
            OwnedBlock::new(Kernel::Cosine, 3, 2, vec![-0.1, 0.05, 0.33, -0.27, -1.2, 0.8], vec![5, 1, 3]),
            OwnedBlock::new(
                Kernel::Cosine,
                5,
                2,
                vec![0.49, 0.11, -0.12, 0.013, 0.14, -0.15, 0.7, -0.35],
                vec![0, 1, 2, 3, 4],
            ),
        ],
        ..OwnedModel::default()
    }
}

/// A model of so many readings that an index takes two bytes.
pub fn wide() -> OwnedModel {
    OwnedModel {
        method: "wide".into(),
        inputs: 300,
        intercepts: vec![-0.7],
        limits: vec![[-3.0, 2.0]],
        linear_weights: vec![0.3],
        linear_inputs: vec![256],
        blocks: vec![OwnedBlock::new(
            Kernel::Cosine,
            2,
            1,
            vec![0.1, 0.23, -0.41, 1.7, 0.2, -0.37, 0.19, -0.6],
            vec![299, 0, 255, 258],
        )],
        ..OwnedModel::default()
    }
}

/// The plane with the shares of its inputs.
pub fn importance() -> OwnedModel {
    OwnedModel { importance: vec![204, 51], ..plane() }
}

/// As [`classes`], but a class is named only where its score is ahead of the others by more than 0.25.
pub fn certain() -> OwnedModel {
    OwnedModel { confidence: Some(Confidence { level: 0.9, margin: 0.25 }), ..classes() }
}

/// Three classes and the shares of two inputs.
pub fn classes() -> OwnedModel {
    OwnedModel {
        method: "classes".into(),
        classes: ["setosa", "", "Größe"].map(String::from).to_vec(),
        intercepts: vec![0.3, 0.4, 0.3],
        limits: vec![],
        linear_weights: vec![],
        linear_inputs: vec![],
        blocks: vec![OwnedBlock::new(Kernel::Cosine, 2, 3, vec![0.2, 0.31, -0.42, 0.7, -0.5, -0.2], vec![0, 1])],
        ..importance()
    }
}

/// Three classes told apart by pairs: one of one input, one of all.
pub fn sincos() -> OwnedModel {
    let amplitudes = |first: f32| (0..6).map(move |i| first + 0.125 * i as f32);
    let record = |weights: &[f32], first| weights.iter().copied().chain(amplitudes(first)).collect();
    OwnedModel {
        method: "sincos".into(),
        importance: vec![],
        linear_weights: vec![0.1, -0.2, 0.05],
        linear_inputs: vec![1],
        blocks: vec![
            OwnedBlock::new(Kernel::Sincos, 1, 3, record(&[0.37], -0.25), vec![1]),
            OwnedBlock::all(Kernel::Sincos, 2, 3, record(&[0.11, -0.23], 0.4)),
        ],
        ..classes()
    }
}

/// Two classes, two of three readings prepared.
pub fn sigmoid() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    OwnedModel {
        method: "sigmoid".into(),
        inputs: 3,
        inputs_hash: format::hash_names(["r", "s", "t"]),
        importance: vec![101, 0, 154],
        classes: ["no", "yes"].map(String::from).to_vec(),
        prepared: [(2, 0.75), (0, -20.5)].map(prepare).to_vec(),
        intercepts: vec![0.25],
        linear_weights: vec![0.03],
        linear_inputs: vec![1],
        blocks: vec![
            OwnedBlock::new(Kernel::Sigmoid, 1, 1, vec![0.5, -1.5, 0.6, 20.0, 3.0, -0.2], vec![0, 1]),
            OwnedBlock::new(Kernel::Sigmoid, 2, 1, vec![-0.3, 2.5, 0.125, 0.4], vec![1, 0]),
        ],
        ..OwnedModel::default()
    }
}

/// Features of one, five and all four of the prepared readings, two outputs.
pub fn relu() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    let five = vec![0.5, 1.0, -2.0, 0.25, 0.5, 0.125, 3.0, -1.0];
    OwnedModel {
        method: "relu".into(),
        inputs: 300,
        prepared: [(0, 0.5), (255, 1.5), (256, -2.5), (299, 0.0)].map(prepare).to_vec(),
        intercepts: vec![0.1, -0.1],
        blocks: vec![
            OwnedBlock::new(Kernel::Relu, 1, 2, vec![-0.7, 1.3, 0.9, 1.1], vec![3]),
            OwnedBlock::new(Kernel::Relu, 5, 2, five, vec![3, 2, 1, 0, 3]),
            OwnedBlock::all(Kernel::Relu, 4, 2, vec![0.3, 0.1, 0.2, 0.3, 0.4, 1.0, 2.0]),
        ],
        ..OwnedModel::default()
    }
}

/// Two of three readings warped, two limited, one replaced where it is NaN.
pub fn warps() -> OwnedModel {
    let prepare = |(input, warp, centre)| Prepared { centre, input, warp, exponent: 0 };
    OwnedModel {
        method: "warps".into(),
        inputs: 3,
        prepared: [(0, 1 | LIMITED, 1.5), (2, 2 | REPLACED, 0.75), (1, LIMITED, -0.5)].map(prepare).to_vec(),
        input_limits: vec![[0.5, 4.0], [0.0, 0.0], [-2.0, 1.0]],
        replacements: vec![0.0, 2.25],
        intercepts: vec![0.25],
        linear_weights: vec![0.03],
        linear_inputs: vec![0],
        blocks: vec![OwnedBlock::new(
            Kernel::Cosine,
            2,
            1,
            vec![0.1, 0.23, -0.41, 1.7, 0.2, -0.37, 0.19, -0.6],
            vec![0, 1, 1, 2],
        )],
        ..OwnedModel::default()
    }
}

/// The plane with ranges and an interval.
pub fn intervals() -> OwnedModel {
    OwnedModel { ranges: vec![[-1.5, 2.25], [f32::NEG_INFINITY, f32::INFINITY]], half_widths: vec![0.75], ..plane() }
}

/// Blocks of all four kernels, two of three readings prepared, one of them warped.
pub fn mixed() -> OwnedModel {
    let prepare = |(input, warp, centre)| Prepared { centre, input, warp, exponent: 0 };
    OwnedModel {
        method: "mixed".into(),
        inputs: 3,
        inputs_hash: format::hash_names(["r", "s", "t"]),
        prepared: [(2, 2, 0.75), (0, 0, -1.5)].map(prepare).to_vec(),
        intercepts: vec![0.25, -0.5],
        linear_weights: vec![0.03, -0.07],
        linear_inputs: vec![1],
        blocks: vec![
            OwnedBlock::new(Kernel::Sigmoid, 1, 2, vec![0.5, -1.5, 0.6, -0.3], vec![0]),
            OwnedBlock::new(Kernel::Cosine, 2, 2, vec![0.2, 0.31, -0.42, 0.7, -0.5], vec![0, 1]),
            OwnedBlock::all(Kernel::Sincos, 2, 2, vec![0.11, -0.23, 0.4, 0.525, 0.65, 0.775]),
            OwnedBlock::new(Kernel::Relu, 1, 2, vec![-0.7, 1.3, 0.9, 1.1], vec![1]),
        ],
        ..OwnedModel::default()
    }
}

/// Two trees of three readings, of which the second has three nodes, beside a cosine of a prepared reading.
pub fn trees() -> OwnedModel {
    let input = |input, base: f32, shift| TreeInput { base: key_of(base), input, shift };
    let branch = |amplitudes: &[i16]| OwnedBranch { amplitudes: amplitudes.to_vec(), node: None };
    let node = |input, threshold, lower, upper| OwnedNode { input, threshold, missing_upper: false, lower, upper };
    let with = |amplitudes: &[i16], node| OwnedBranch { amplitudes: amplitudes.to_vec(), node: Some(Box::new(node)) };
    let below = [
        node(0, 8192, branch(&[-700, 30]), branch(&[])),
        OwnedNode { missing_upper: true, ..node(2, 300, branch(&[]), branch(&[32_767, -32_768])) },
    ];
    let [lower, upper] = below;
    OwnedModel {
        method: "trees".into(),
        inputs: 4,
        prepared: vec![Prepared { centre: 1.5, input: 3, warp: LIMITED, exponent: 0 }],
        input_limits: vec![[-1.0, 2.0]],
        intercepts: vec![0.25, -0.5],
        blocks: vec![OwnedBlock::new(Kernel::Cosine, 1, 2, vec![0.2, 0.31, 0.7, -0.5], vec![0])],
        trees: OwnedTrees {
            inputs: vec![input(2, 0.5, 9), input(0, -3.0, 14), input(1, 0.0, 15)],
            steps: vec![0.0001, 0.000_25],
            shift: 0,
            roots: vec![
                node(1, 20, branch(&[]), branch(&[1000, 500])),
                node(1, 40_000, with(&[], lower), with(&[12, -5], upper)),
            ],
        },
        ..OwnedModel::default()
    }
}
