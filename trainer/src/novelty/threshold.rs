//! From a regression of novelty to a model of the classes normal and novel.

use crate::data::{NORMAL, NOVEL};
use crate::error::FitError;
use crate::export::{self, Blob, Encoding, Exported, NumberFormat};
use crate::fit::{FalseAlarms, Fit};
use crate::novelty::Lesson;

/// The score above which a model of two classes decides for the second one.
const DECISION: f64 = 0.5;

/// What the threshold of a repeated export aims below the decision, doubled at every attempt, and the largest number
/// of exports.
const SPARE: f64 = 1e-7;
const MOST_EXPORTS: i32 = 16;

impl Lesson {
    /// Turns a regression of the taught rows into a model of two classes with its threshold at the decision.
    ///
    /// The threshold is that of the device's own scores of the held-out rows.
    ///
    /// # Errors
    /// [`FitError::Export`] for a model that the device does not reproduce.
    pub fn finish(&self, fit: Fit, encoding: Encoding) -> Result<Fit, FitError> {
        let number = NumberFormat::from_number(fit.blob.model().header().number);
        let encoding = Encoding { number, ..encoding };
        let mut fit = fit;
        let mut spare = 0.0;
        let mut model = fit.model.clone();
        model.output_names = vec![NOVEL.to_owned()];
        model.classes = [NORMAL, NOVEL].map(str::to_owned).to_vec();
        model.limits = Vec::new();
        model.half_widths = Vec::new();
        if number == NumberFormat::F32 {
            // Those of integers are also the ranges that the numbers hold.
            model.ranges = self.ranges.clone();
        }
        for _ in 0..MOST_EXPORTS {
            model.scaling.y.mean[0] += DECISION - spare - self.threshold(&fit.blob);
            let exported = export::finished(model, &self.taught, encoding)?;
            let Exported { model: next, blob, agreement } = exported;
            fit = Fit { model: next.clone(), blob, agreement, ..fit };
            if self.threshold(&fit.blob) <= DECISION {
                break;
            }
            model = next;
            spare = if spare > 0.0 { 2.0 * spare } else { SPARE };
        }
        let found = self.scores(&fit.blob).into_iter().filter(|&score| score > DECISION).count();
        let false_alarms = FalseAlarms { level: self.level, rows: self.held_out.rows(), found, alike: self.alike };
        Ok(Fit { false_alarms: Some(false_alarms), ..fit })
    }

    /// Returns the least score that at most the stated share of fresh normal rows exceed.
    fn threshold(&self, blob: &Blob) -> f64 {
        let mut scores = self.scores(blob);
        scores.sort_by(f64::total_cmp);
        let rank = (scores.len() + 1) as f64 * (1.0 - self.level) * (1.0 - 1e-12);
        scores[(rank.ceil() as usize).clamp(1, scores.len()) - 1]
    }

    /// Returns the device's scores of the held-out rows.
    fn scores(&self, blob: &Blob) -> Vec<f64> {
        blob.predict(&self.held_out.x).column(0).iter().copied().collect()
    }
}
