//! Probabilities of classes: the logistic function of a score, or the softmax of several.

use crate::format::Scale;
use crate::kernel::{logistic, scaled_power};

/// Writes the probability of every class: two for one score, otherwise one for each.
///
/// All operations are those of the sigmoid, divisions and sums in the order of the classes, so that every core has the
/// same bits. The largest error of a probability is about 5e-6.
pub(crate) fn of_scores(slope: f32, scores: &[f32], probabilities: &mut [f32]) {
    if let ([score], [first, second]) = (scores, &mut *probabilities) {
        *second = logistic(slope * (score - 0.5));
        *first = 1.0 - *second;
        return;
    }
    let mut largest = f32::NEG_INFINITY;
    for (probability, score) in probabilities.iter_mut().zip(scores) {
        *probability = slope * score;
        if *probability > largest {
            largest = *probability;
        }
    }
    let mut total = 0.0;
    for probability in probabilities.iter_mut() {
        *probability = scaled_power(largest - *probability);
        total += *probability;
    }
    for probability in probabilities.iter_mut() {
        *probability /= total;
    }
}

/// How an integer score becomes log-odds to the base of two: `offset + ((factor * score) >> shift)`, in 4096ths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Odds {
    /// The odds of the score 0.
    pub offset: i32,
    /// What a score counts: at most 24 bits and a sign.
    pub factor: i32,
    /// The bits that the product loses, from 0 to 62.
    pub shift: u8,
}

/// Two to the power of 12, over the natural logarithm of two.
const UNITS: f32 = 5909.279;

/// The bits behind the point of odds.
const POINT: u32 = 12;

/// The exponents, as single precision stores them, of factors whose last bit counts 2^-62 and 1.
const EXPONENTS: [u32; 2] = [88, 150];

impl Odds {
    /// Returns the odds of scores with a `scale`, above those of the score `centre`.
    pub(crate) fn new(scale: Scale, slope: f32, centre: f32) -> Odds {
        let units = slope * UNITS;
        let factor = units * scale.step;
        let bits = factor.to_bits();
        let exponent = (bits >> 23) & 0xff;
        let magnitude = match exponent {
            _ if exponent < EXPONENTS[0] => 0,
            // A count is more than 4096 octaves: any mantissa tells classes apart.
            _ if exponent > EXPONENTS[1] => 0xff_ffff,
            _ => (bits & 0x7f_ffff) | 0x80_0000,
        } as i32;
        // The product is rounded down.
        let offset = units * (scale.offset - centre);
        let whole = offset as i32;
        Odds {
            offset: if (whole as f32) < offset { whole.saturating_add(1) } else { whole },
            factor: if factor < 0.0 { -magnitude } else { magnitude },
            shift: (EXPONENTS[1] - exponent.clamp(EXPONENTS[0], EXPONENTS[1])) as u8,
        }
    }

    /// Returns the odds of a score in units of 1/4096.
    fn of(self, score: i32) -> i64 {
        i64::from(self.offset) + ((i64::from(self.factor) * i64::from(score)) >> self.shift)
    }
}

/// Writes the probability of every class in units of 1/65536, at most 65535, by its odds.
pub(crate) fn of_odds(odds: impl Iterator<Item = (Odds, i32)> + Clone, probabilities: &mut [u16]) {
    // The first of two classes has odds of 0.
    let first = (probabilities.len() == 2).then_some(0);
    let all = first.into_iter().chain(odds.map(|(odds, score)| odds.of(score)));
    let largest = all.clone().max().unwrap_or(0);
    // At most 1000 classes: 29 bits.
    let total: u32 = all.clone().map(|odds| power(largest - odds)).sum();
    let divisor = (total >> 4).max(1);
    for (probability, odds) in probabilities.iter_mut().zip(all) {
        let share = ((power(largest - odds) << 12) + divisor / 2) / divisor;
        *probability = share.min(u16::MAX.into()) as u16;
    }
}

/// Returns two to the power of `-t`, in units of 2^-19, for `t >= 0` in units of 1/4096. The largest error is 2e-4 of
/// the power and half a unit.
fn power(t: i64) -> u32 {
    if t >= (20 << POINT) {
        return 0;
    }
    let octaves = (t >> POINT) as u32;
    let f = (t & ((1 << POINT) - 1)) as u32;
    let c = 7580 - ((1299 * f) >> POINT);
    let c = 22_666 - ((c * f) >> POINT);
    let c = 32_768 - ((c * f) >> POINT);
    ((c << 4) + ((1 << octaves) >> 1)) >> octaves
}

#[cfg(test)]
mod tests {
    use srfm_testing::Rng;

    use super::*;

    const SLOPE: f32 = 3.0;

    #[test]
    fn probabilities_are_those_of_log_odds() {
        for step in -400..=400 {
            let score = step as f32 / 50.0;
            let mut found = [0.0; 2];
            of_scores(SLOPE, &[score], &mut found);
            let second = 1.0 / (1.0 + (1.5 - 3.0 * f64::from(score)).exp());
            assert!((f64::from(found[1]) - second).abs() < 2e-6 && (found[0] + found[1] - 1.0).abs() < 1e-6);

            let scores = [score, 0.5, -0.25 * score];
            let mut found = [0.0; 3];
            of_scores(SLOPE, &scores, &mut found);
            let powers = scores.map(|score| (3.0 * f64::from(score)).exp());
            for (found, power) in found.iter().zip(powers) {
                assert!((f64::from(*found) - power / powers.iter().sum::<f64>()).abs() < 1e-5, "{score}");
            }
        }
    }

    #[test]
    fn extreme_scores_give_probabilities_and_missing_ones_none() {
        for scores in [[1e38, 0.0, -1e38], [-1e38, 1.0, 1.0], [-1e38; 3]] {
            let mut found = [0.0; 3];
            of_scores(SLOPE, &scores, &mut found);
            let is_share = |probability: &f32| (0.0..=1.0).contains(probability);
            assert!(found.iter().all(is_share), "{scores:?} {found:?}");
        }
        let mut found = [0.0; 3];
        of_scores(SLOPE, &[0.3, f32::NAN, 0.4], &mut found);
        assert!(found.iter().all(|probability| probability.is_nan()), "{found:?}");
        let mut found = [0.0; 2];
        of_scores(SLOPE, &[f32::NAN], &mut found);
        assert!(found.iter().all(|probability| probability.is_nan()), "{found:?}");
        of_scores(SLOPE, &[-1e38], &mut found);
        assert!(found[0] == 1.0 && found[1] < 1e-18, "{found:?}");
    }

    /// Probabilities from integers are those in double precision, for units and offsets of any size.
    #[test]
    fn integers_give_the_probabilities_of_their_scores() {
        let mut rng = Rng::new(4);
        for case in 0..4000 {
            let classes = [2, 2, 3, 10, 100][case % 5];
            let slope = (rng.float(4.0)).exp2();
            let scales: Vec<Scale> = (0..if classes == 2 { 1 } else { classes })
                .map(|_| Scale { step: (rng.float(15.0) - 15.0).exp2(), offset: rng.float(1.0) })
                .collect();
            let score = |scale: &Scale, rng: &mut Rng| (rng.float(2.0) / scale.step).clamp(-2e9, 2e9) as i32;
            let scores: Vec<i32> = scales.iter().map(|scale| score(scale, &mut rng)).collect();
            let centre = if classes == 2 { 0.5 } else { 0.0 };
            let odds = scales.iter().map(|&scale| Odds::new(scale, slope, centre)).zip(scores.iter().copied());
            let mut found = vec![0; classes];
            of_odds(odds, &mut found);

            let of = |(scale, &y): (&Scale, &i32)| {
                f64::from(slope) * (f64::from(scale.offset) + f64::from(scale.step) * f64::from(y) - f64::from(centre))
            };
            let odds: Vec<f64> =
                (classes == 2).then_some(0.0).into_iter().chain(scales.iter().zip(&scores).map(of)).collect();
            let largest = odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let total: f64 = odds.iter().map(|odds| (odds - largest).exp()).sum();
            for (found, odds) in found.iter().zip(&odds) {
                let expected = (odds - largest).exp() / total;
                let found = f64::from(*found) / 65_536.0;
                // The power, the rounding of odds, and that of the factor: less than three units of 1e-4.
                assert!((found - expected).abs() < 3e-4, "case {case}: {found} for {expected}");
            }
        }
    }

    #[test]
    fn powers_fall() {
        let all: Vec<u32> = (0..21 << POINT).map(power).collect();
        assert!(all.is_sorted_by(|a, b| a >= b));
        let at = [0, 1, 3, 19, 20].map(|octaves| all[octaves << POINT]);
        assert_eq!(at, [1 << 19, 1 << 18, 1 << 16, 1, 0]);
        let error = |(t, &found): (usize, &u32)| {
            let power = (-(t as f64) / 4096.0).exp2();
            (f64::from(found) / f64::from(1 << 19) - power).abs() - 2e-4 * power
        };
        assert!(all.iter().enumerate().map(error).fold(0.0, f64::max) < 1.01 / f64::from(1 << 19));
    }

    /// The class of the larger score is never the less probable one, unless the scores differ by less than a unit.
    #[test]
    fn the_second_class_is_probable_where_it_is_decided() {
        let mut rng = Rng::new(5);
        for _ in 0..2000 {
            let scale = Scale { step: (rng.float(6.0) - 20.0).exp2(), offset: rng.float(2.0) };
            let (slope, centre) = (rng.float(2.0).exp2(), 0.5);
            let border = ((f64::from(centre) - f64::from(scale.offset)) / f64::from(scale.step)) as i32;
            for score in border - 40..border + 40 {
                let mut found = [0; 2];
                of_odds([(Odds::new(scale, slope, centre), score)].into_iter(), &mut found);
                let ahead = f64::from(scale.offset) + f64::from(scale.step) * f64::from(score) - f64::from(centre);
                let units = ahead * f64::from(slope * UNITS);
                // Offset and factor have 24 bits.
                let rounding = 4096.0 * 1e-6;
                assert!(found[1] >= found[0] || units < rounding, "{units} {found:?}");
                assert!(found[0] >= found[1] || units > -1.0 - rounding, "{units} {found:?}");
            }
        }
    }

    #[test]
    fn extreme_units_say_which_class_is_ahead() {
        for (step, offset) in [(1e30, 0.0), (f32::MAX, f32::MAX), (-1e30, 0.0), (f32::INFINITY, f32::NAN)] {
            let mut found = [0; 2];
            of_odds([(Odds::new(Scale { step, offset }, 3.0, 0.5), 1 << 20)].into_iter(), &mut found);
            let expected = if step < 0.0 { [65_535, 0] } else { [0, 65_535] };
            assert_eq!(found, expected, "{step}");
        }
        let mut found = [0; 2];
        of_odds([(Odds::new(Scale { step: 1e-30, offset: 0.5 }, 3.0, 0.5), i32::MAX)].into_iter(), &mut found);
        assert_eq!(found, [32_768, 32_768]);
    }
}
