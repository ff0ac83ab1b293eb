//! What a model takes as a program: generated C by a table of measured pieces, `static_model!` by an estimate.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use srfm_runtime::Model;
use srfm_runtime::format::{LIMITED, Number, REPLACED, Warp};

use crate::cost::{Core, Unit, instruction_bound};
use crate::export::{Blob, Outline, outline};

/// The table: piece, then bytes and instructions on every target, and cycles on every core whose timing is published.
const TABLE: &str = include_str!("programs.csv");

/// The piece whose bytes are the stack beside arrays.
pub(crate) const STACK: &str = "stack";

/// Parts of the names of rare pieces, and those of usual ones that take nearly the same.
const SAME: [(&str, &str); 6] = [
    (" counted", " known"),
    (" known", " listed"),
    ("int loop listed ", "int loop packed "),
    (" once", " straight"),
    (" straight", " loop"),
    (" limited loop", " replaced loop"),
];

/// What code takes of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    pub bytes: f64,
    pub instructions: f64,
    /// Clock cycles at zero wait states, the most where the documented timing is an interval.
    pub cycles: f64,
}

impl Price {
    /// The price of what the table lacks.
    const UNKNOWN: Price = Price { bytes: f64::INFINITY, instructions: f64::INFINITY, cycles: f64::INFINITY };
}

/// The prices of all pieces.
pub(crate) struct Programs {
    /// The columns of bytes, instructions and cycles of every core.
    columns: HashMap<Core, [Option<usize>; 3]>,
    rows: HashMap<&'static str, Vec<f64>>,
}

impl Programs {
    /// Returns the table.
    pub fn table() -> &'static Programs {
        static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| Programs::read(TABLE));
        &PROGRAMS
    }

    /// Reads a table. Bytes and instructions have columns for every target, cycles for every core.
    pub fn read(table: &'static str) -> Programs {
        let mut lines = table.lines().map(|line| line.split(','));
        let head: Vec<&str> = lines.next().into_iter().flatten().skip(1).collect();
        let column = |key: &str, figure: &str| {
            head.iter().position(|name| name.strip_suffix(figure).is_some_and(|rest| rest.trim_end() == key))
        };
        let of_core = |core: Core| {
            let of_target = |figure| column(core.target(), figure);
            (core, [of_target("bytes"), of_target("instructions"), column(core.name(), "cycles")])
        };
        let row = |mut line: std::str::Split<'static, char>| {
            let piece = line.next()?;
            Some((piece, line.map(|number| number.parse().unwrap_or(f64::INFINITY)).collect()))
        };
        Programs { columns: Core::ALL.map(of_core).into(), rows: lines.filter_map(row).collect() }
    }

    /// Returns the price of a piece, or of one that is nearly the same; infinite for a piece or a core that the table
    /// lacks.
    pub fn price(&self, piece: &str, core: Core) -> Price {
        let price = self.price_of(piece, core);
        let nearly_the_same = SAME.into_iter().find(|(rare, _)| piece.contains(rare));
        match nearly_the_same.filter(|_| price.bytes.is_infinite()) {
            Some((rare, usual)) => self.price(&piece.replace(rare, usual), core),
            None => price,
        }
    }

    fn price_of(&self, piece: &str, core: Core) -> Price {
        let Some((row, columns)) = self.rows.get(piece).zip(self.columns.get(&core)) else { return Price::UNKNOWN };
        let figure = |column: Option<usize>| column.and_then(|column| row.get(column)).copied();
        let [bytes, instructions, cycles] = columns.map(|column| figure(column).unwrap_or(f64::INFINITY));
        Price { bytes, instructions, cycles }
    }

    /// Returns the price of the code of a program and of a prediction.
    pub fn code(&self, outline: &Outline, core: Core) -> Price {
        let mut sum = Price::default();
        for (piece, &[copies, runs]) in &outline.pieces {
            let price = self.price(piece, core);
            let add = |to: &mut f64, price: f64, count: usize| {
                if count > 0 {
                    *to += price * count as f64;
                }
            };
            add(&mut sum.bytes, price.bytes, copies);
            add(&mut sum.instructions, price.instructions, runs);
            add(&mut sum.cycles, price.cycles, runs);
        }
        sum
    }
}

/// Returns whether the table has the work of generated C on a core in a unit.
pub(crate) fn counts(core: Core, unit: Unit) -> bool {
    let columns = Programs::table().columns.get(&core);
    columns.is_some_and(|[_, instructions, cycles]| match unit {
        Unit::Instructions => instructions.is_some(),
        Unit::Cycles => cycles.is_some(),
    })
}

/// Bytes of code in floating point and in integers: of one loop over features, of loops over several orders or kernels,
/// of several outputs, and of logarithms and square roots.
const BYTES: [[f64; 4]; 2] = [[640.0, 370.0, 175.0, 520.0], [440.0, 1040.0, 650.0, 300.0]];

/// Returns an estimate of the flash that a model takes.
pub fn estimated_flash(blob: &Blob, core: Core) -> usize {
    let model = blob.model();
    let [one, several, outputs, warps] = BYTES[usize::from(model.header().number != Number::F32)];
    let loops: BTreeSet<_> =
        model.blocks().filter(|block| block.features() > 0).map(|block| (block.kernel.name(), block.order)).collect();
    let costly = |warp: u8| matches!(Warp::of(warp & !(LIMITED | REPLACED)), Some(Warp::Log | Warp::Sqrt));
    let parts = [
        (true, one),
        (loops.len() > 1, several),
        (model.outputs() > 1, outputs),
        (model.prepared().iter().any(|prepared| costly(prepared.warp)), warps),
    ];
    let code: f64 = parts.iter().filter(|(has, _)| *has).map(|(_, bytes)| bytes).sum();
    // Code of other cores was 6 to 12 % larger.
    let factor = if core.target() == Core::CortexM4f.target() { 1.0 } else { 1.1 };
    blob.bytes().len() + outline(&model).constants + (factor * code) as usize
}

/// Returns an estimate of the instructions of a prediction.
pub fn estimated_instructions(model: &Model<'_>, core: Core) -> u32 {
    let mut features = 0.0;
    let mut inputs = 0.0;
    let mut in_loops = 0.0;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    for block in model.blocks() {
        let count = block.features() as f64;
        let order = view.min(block.order.into()) as f64;
        features += count;
        inputs += count * order;
        in_loops += if order > 1.0 { count * order } else { 0.0 };
    }
    if model.trees().is_some() {
        // The general loops, as for a model file.
        return instruction_bound(model, core);
    }
    let outputs = model.outputs() as f64;
    let blocks = model.blocks().count() as f64;
    let bound = f64::from(instruction_bound(model, core));
    let estimate = match model.header().number {
        Number::F32 => {
            let prepared = 23.4 * model.prepared().len() as f64;
            37.0 + 73.0 * blocks + features * (6.7 + 5.8 * outputs) + 14.5 * inputs + prepared
        }
        number => {
            // Loops over the inputs of a feature stay loops.
            let rolled = if number == Number::I16 { 14.4 } else { 5.0 };
            (if model.outputs() > 1 { 0.66 } else { 0.95 }) * bound + rolled * in_loops
        }
    };
    estimate as u32
}
