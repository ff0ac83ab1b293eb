//! The inputs that the indices of a model file refer to, and what the file says about their readings.

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
        View::of(inputs, scaling.warps.len())
    }

    /// Returns the view of a file whose features read `count` readings directly.
    pub fn readings(count: usize) -> View {
        View::of((0..count).collect(), count)
    }

    fn of(inputs: Vec<usize>, count: usize) -> View {
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

/// Returns what replaces missing readings of the prepared inputs up to the last one that is replaced.
pub(crate) fn replacements(prepared: &[Prepared], scaling: &Scaling) -> Vec<f32> {
    let replaced = &prepared[..through(prepared, REPLACED)];
    replaced.iter().map(|p| scaling.replacements[usize::from(p.input)].unwrap_or(0.0)).collect()
}
