//! Sizes and instructions of the code of generated C, by piece and core.
//!
//! `cargo test --release -p srfm-trainer --lib measure_programs -- --ignored` measures the table anew.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::cost::Core;
use crate::export::Outline;

/// The table: piece, then bytes and instructions on every core.
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

/// The sizes and instructions of all pieces.
pub(crate) struct Programs {
    cores: Vec<&'static str>,
    rows: HashMap<&'static str, Vec<[f64; 2]>>,
}

impl Programs {
    /// Returns the table.
    pub fn table() -> &'static Programs {
        static PROGRAMS: LazyLock<Programs> = LazyLock::new(|| Programs::read(TABLE));
        &PROGRAMS
    }

    fn read(table: &'static str) -> Programs {
        let mut lines = table.lines().map(|line| line.split(','));
        let head = lines.next().into_iter().flat_map(|head| head.skip(1).step_by(2));
        let cores = head.map(|name| name.trim_end_matches(" bytes")).collect();
        let row = |mut line: std::str::Split<'static, char>| {
            let piece = line.next()?;
            let numbers: Vec<f64> = line.map(|number| number.parse().unwrap_or(f64::INFINITY)).collect();
            Some((piece, numbers.as_chunks().0.to_vec()))
        };
        Programs { cores, rows: lines.filter_map(row).collect() }
    }

    /// Returns the bytes and the instructions of a piece, or of one that is nearly the same; infinite for a piece or a
    /// core that the table lacks.
    pub fn price(&self, piece: &str, core: Core) -> [f64; 2] {
        let price = self.price_of(piece, core);
        let nearly_the_same = SAME.into_iter().find(|(rare, _)| piece.contains(rare));
        match nearly_the_same.filter(|_| price[0].is_infinite()) {
            Some((rare, usual)) => self.price(&piece.replace(rare, usual), core),
            None => price,
        }
    }

    fn price_of(&self, piece: &str, core: Core) -> [f64; 2] {
        let column = self.cores.iter().position(|&name| name == core.target());
        let row = self.rows.get(piece);
        column.and_then(|column| row?.get(column)).copied().unwrap_or([f64::INFINITY; 2])
    }

    /// Returns the bytes of the code of a program, and the instructions of a prediction.
    pub fn code(&self, outline: &Outline, core: Core) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (piece, counts) in &outline.pieces {
            let price = self.price(piece, core);
            for ((sum, price), &count) in sums.iter_mut().zip(price).zip(counts).filter(|&(_, &count)| count > 0) {
                *sum += price * count as f64;
            }
        }
        sums
    }
}
