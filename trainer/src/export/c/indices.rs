//! The inputs of features as expressions of their indices: counted, known, or read from a table.

use super::features::{Feature, place};
use super::writer::{Type, Writer};

/// The inputs of the features of a block.
pub(super) enum InputList {
    /// Every feature looks at the inputs from 0 on.
    Counted,
    /// Every feature looks at these few inputs.
    Known(Vec<u16>),
    /// Every feature has its list in a table of this name.
    Table { name: String, kind: Type, order: usize },
}

impl InputList {
    /// Chooses the expression, and adds a table where it takes one.
    pub fn new(w: &mut Writer<'_>, all: &[Feature], order: usize, unrolled: bool) -> Self {
        let first = &all[0].inputs;
        if all.iter().all(|feature| feature.inputs == *first) {
            if counts(first) {
                return InputList::Counted;
            } else if unrolled {
                return InputList::Known(first.clone());
            }
        }
        let lists: Vec<u16> = all.iter().flat_map(|feature| feature.inputs.clone()).collect();
        let kind = kind_of(&lists);
        let name = w.table(kind, "inputs", lists.iter().map(u16::to_string).collect());
        InputList::Table { name, kind, order }
    }

    /// Returns the name of the expression.
    pub fn name(&self) -> &'static str {
        match self {
            InputList::Counted => "counted",
            InputList::Known(_) => "known",
            InputList::Table { .. } => "listed",
        }
    }

    /// Writes what the loop over features `j` begins with.
    pub fn begin(&self, w: &mut Writer<'_>) {
        if let InputList::Table { name, kind, order } = self {
            w.line(format!("const {} *input = &{name}[{}];", kind.name(), place(0, *order, "j")));
        }
    }

    /// Returns the index of input `k` of the feature.
    pub fn input(&self, k: &str) -> String {
        match self {
            InputList::Known(inputs) => {
                let input = k.parse().ok().and_then(|k: usize| inputs.get(k));
                input.map_or_else(|| k.to_owned(), u16::to_string)
            }
            InputList::Counted => k.to_owned(),
            InputList::Table { kind, .. } => kind.read("input", k),
        }
    }
}

/// Returns the expression of the index of an input; a list that counts up from zero takes no table.
pub(super) fn index_of(w: &mut Writer<'_>, inputs: &[u16], index: &str) -> String {
    if counts(inputs) {
        return index.to_owned();
    }
    let kind = kind_of(inputs);
    let table = w.table(kind, "inputs", inputs.iter().map(u16::to_string).collect());
    kind.read(&table, index)
}

/// Returns whether a list counts from zero.
fn counts(inputs: &[u16]) -> bool {
    inputs.iter().enumerate().all(|(i, &input)| usize::from(input) == i)
}

/// Returns the type of a table of inputs.
fn kind_of(inputs: &[u16]) -> Type {
    Type::of_indices(inputs.iter().copied().max().map_or(0, |last| usize::from(last) + 1))
}
