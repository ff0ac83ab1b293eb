//! The work of fits, in a unit that does not depend on the machine: about a second of one core of a desktop computer of
//! the 2020s.

use crate::method::MethodConfig;

/// Operations of a unit.
const UNIT: f64 = 1.5e10;

/// Operations of a fit beside those that grow with rows and features.
const FIXED: f64 = 2e6;

/// The evaluations of the log loss that its minimisation usually takes.
const EVALUATIONS: f64 = 40.0;

/// The rows that a method is fitted to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fitted {
    pub rows: usize,
    pub inputs: usize,
    /// The number of scores of classes; 0 for quantities.
    pub scores: usize,
}

/// Returns the units of fits of a method. `fits` has the number of fits for each λ that is fitted together with the
/// others.
pub(crate) fn of_fits(method: &MethodConfig, fits: &[usize], Fitted { rows, inputs, scores }: Fitted) -> f64 {
    let (shared, of_lambda) = method.method().operations(rows, inputs);
    let paths = fits.iter().max().map_or(0, |&most| most);
    let all: usize = fits.iter().sum();
    // The lines and the amplitudes of every size are fitted again by the log loss: one Gram matrix, then values and
    // derivatives.
    let lines = if method.tunable().terms.has_lines() { inputs } else { 0 };
    let of_size = |features: usize| {
        let columns = (lines + features) as f64;
        rows as f64 * columns * (columns + 2.0 * EVALUATIONS * scores as f64)
    };
    let of_scores = if scores > 0 { method.method().sizes().into_iter().map(of_size).sum() } else { 0.0 };
    (paths as f64 * shared + all as f64 * (FIXED + of_lambda + of_scores)) / UNIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Compact, Path};

    #[test]
    fn work_grows_with_fits_rows_and_steps() {
        let path = Path { features: 12, ..Path::default() };
        let of =
            |method: &MethodConfig, fits: &[usize], rows| of_fits(method, fits, Fitted { rows, inputs: 5, scores: 0 });
        let usual = MethodConfig::from(path.clone());
        let one = of(&usual, &[1], 700);
        assert!((of(&usual, &[10], 700) - 10.0 * one).abs() < 1e-12);
        // All but the fixed part grows with the rows, up to those that waves are selected by.
        assert!((of(&usual, &[1], 1400) - 2.0 * one + FIXED / UNIT).abs() < 1e-12);
        assert!(of(&usual, &[1], 5600) < 7.5 * one);
        let longer = MethodConfig::from(Path { refine: 40, ..path });
        assert!((1.01 * one..2.0 * one).contains(&of(&longer, &[1], 700)));
    }

    #[test]
    fn lambdas_share_what_does_not_depend_on_them() {
        let arff = MethodConfig::named("arff").unwrap();
        let data = Fitted { rows: 1000, inputs: 5, scores: 0 };
        let of = |fits: &[usize]| of_fits(&arff, fits, data);
        // The walk of the frequencies is the same for any λ. Compaction refines for each λ.
        assert!(of(&[5, 5, 5]) < 1.1 * of(&[5]) && of(&[5, 1]) < 1.1 * of(&[5]));
        let compact = MethodConfig::from(Compact { features: 12, ..Compact::default() });
        assert_eq!(of_fits(&compact, &[5, 1], data), of_fits(&compact, &[6], data));
    }

    #[test]
    fn the_log_loss_takes_work_for_each_score_and_line() {
        let of = |method: &MethodConfig, inputs, scores| of_fits(method, &[1], Fitted { rows: 1000, inputs, scores });
        let compact = MethodConfig::from(Compact { features: 12, ..Compact::default() });
        let of_scores = |scores| of(&compact, 5, scores);
        let one = of_scores(2) - of_scores(1);
        assert!(one > 0.0 && (of_scores(6) - of_scores(1) - 5.0 * one).abs() < 1e-12);
        // A line of 784 inputs and ten classes takes more than twice as much as one by least squares.
        let line = MethodConfig::named("linear").unwrap();
        assert!(of(&line, 784, 10) > 2.0 * of(&line, 784, 0) && of(&line, 784, 10) > 1.15 * of(&line, 784, 5));
    }
}
