//! What a run on a device gives.

/// What a device computed, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Number of values per row.
    pub outputs: usize,
    /// The values, one row after the other.
    pub predictions: Vec<f32>,
    /// Instructions that each prediction executed.
    pub instructions: Vec<u32>,
    /// Instructions that the history executed before each prediction; 0 of a model without one.
    pub history_instructions: Vec<u32>,
    /// Bytes of RAM that the parsed model takes: what it knows of the parameters, which stay in flash.
    pub ram_bytes: u32,
    /// Most bytes of stack that a prediction used.
    pub stack_bytes: u32,
}

impl Run {
    /// Mean number of instructions of a prediction; not a number where there was no row.
    pub fn instructions_mean(&self) -> f64 {
        self.instructions.iter().map(|&n| f64::from(n)).sum::<f64>() / self.instructions.len() as f64
    }

    /// Largest number of instructions of a prediction; 0 where there was no row.
    pub fn instructions_max(&self) -> u32 {
        self.instructions.iter().copied().max().unwrap_or(0)
    }

    /// Takes apart the results of one model at the front of the words that the firmware wrote: the numbers of rows and
    /// of outputs, the bytes of a parsed model, then per row the instructions, the bytes of stack, the instructions of
    /// the history, the outputs.
    pub(crate) fn decode(words: &mut &[u32]) -> Option<Self> {
        let &[rows, outputs, ram_bytes] = words.split_off(..3)?.as_array()?;
        let outputs = outputs as usize;
        let predictions = vec![];
        let instructions = vec![];
        let history_instructions = vec![];
        let mut run = Run { outputs, predictions, instructions, history_instructions, ram_bytes, stack_bytes: 0 };
        for _ in 0..rows {
            let row = words.split_off(..3 + outputs)?;
            run.instructions.push(row[0]);
            run.stack_bytes = run.stack_bytes.max(row[1]);
            run.history_instructions.push(row[2]);
            run.predictions.extend(row[3..].iter().copied().map(f32::from_bits));
        }
        Some(run)
    }
}
