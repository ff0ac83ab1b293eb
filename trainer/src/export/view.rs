//! The inputs that the features of a file see, and what replaces their missing readings.

use srfm_runtime::format::{LIMITED, Prepared, REPLACED, through};

use crate::scaling::Scaling;

/// The inputs that indices refer to, in the order of the file.
pub(crate) struct View {
    /// The inputs.
    pub inputs: Vec<usize>,
    /// The place of every input.
    places: Vec<u16>,
}

impl View {
    /// Returns the view of a file that prepares the inputs `active`: limited inputs come first, so that the lists of
    /// limits and replacements are short.
    pub fn prepared(active: &[usize], scaling: &Scaling) -> View {
        let mut inputs = active.to_vec();
        inputs.sort_by_key(|&input| rank(scaling.flags(input)));
        View::new(inputs, scaling.warps.len())
    }

    /// Returns the view of a file whose features read `count` readings directly.
    pub fn readings(count: usize) -> View {
        View::new((0..count).collect(), count)
    }

    fn new(inputs: Vec<usize>, count: usize) -> View {
        let mut places = vec![0; count];
        inputs.iter().enumerate().for_each(|(place, &input)| places[input] = place as u16);
        View { inputs, places }
    }

    /// Returns the number of inputs.
    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Returns the place of an input of the view.
    pub fn position(&self, input: usize) -> u16 {
        self.places[input]
    }
}

/// Returns the place of inputs with these flags among the others.
pub(crate) fn rank(flags: u8) -> u8 {
    LIMITED + REPLACED - (flags & (LIMITED | REPLACED))
}

/// Returns the word of what replaces missing readings of each prepared input up to the last one that is replaced;
/// `word` gives that of a reading.
pub(crate) fn replacements(prepared: &[Prepared], scaling: &Scaling, word: impl Fn(&Prepared, f32) -> u32) -> Vec<u32> {
    let replaced = &prepared[..through(prepared, REPLACED)];
    replaced.iter().map(|p| scaling.replacements[usize::from(p.input)].map_or(0, |reading| word(p, reading))).collect()
}
