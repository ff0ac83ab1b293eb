//! The least errors of a search so far.

use std::fmt;

use srfm_trainer::Tried;

/// The number of sizes that a line of text names: the largest, and its halves.
const SIZES: u32 = 3;

/// The candidates of a search that no other one with as few bytes beats, fewest bytes first.
///
/// As text it is a line such as `error 0.412 in 240 bytes, 0.172 in 1972`. The errors are those of [`Tried`]. Without
/// candidates the line is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front(Vec<(usize, f64)>);

impl Front {
    /// Adds a candidate if the search may return it and no other one beats it.
    pub fn add(&mut self, candidate: &Tried<'_>) {
        let &Tried { flash_bytes, error, is_allowed, .. } = candidate;
        let beaten = self.0.iter().any(|&(bytes, least)| bytes <= flash_bytes && least <= error);
        if !is_allowed || !error.is_finite() || flash_bytes == usize::MAX || beaten {
            return;
        }
        self.0.retain(|&(bytes, larger)| bytes < flash_bytes || larger < error);
        let place = self.0.partition_point(|&(bytes, _)| bytes < flash_bytes);
        self.0.insert(place, (flash_bytes, error));
    }
}

impl fmt::Display for Front {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(&(largest, _)) = self.0.last() else { return Ok(()) };
        let within = |most: usize| self.0.iter().rfind(|&&(bytes, _)| bytes <= most);
        let mut named: Vec<&(usize, f64)> = (0..SIZES).rev().filter_map(|half| within(largest >> half)).collect();
        named.dedup();
        for (index, &(bytes, error)) in named.into_iter().enumerate() {
            let (before, unit) = if index == 0 { ("error ", " bytes") } else { (", ", "") };
            write!(f, "{before}{} in {bytes}{unit}", short(error))?;
        }
        Ok(())
    }
}

/// Returns an error with three decimals, or with two digits below 0.001.
fn short(error: f64) -> String {
    if error == 0.0 || error >= 1e-3 { format!("{error:.3}") } else { format!("{error:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(candidates: &[(usize, f64)]) -> Front {
        let mut front = Front::default();
        for &(flash_bytes, error) in candidates {
            front.add(&Tried { method: "path", flash_bytes, error, is_allowed: true });
        }
        front
    }

    #[test]
    fn only_unbeaten_candidates_stay() {
        let candidates = [(500, 0.3), (500, 0.4), (600, 0.3), (100, 0.9), (300, 0.3), (400, 0.2), (900, 0.1)];
        assert_eq!(front(&candidates).0, [(100, 0.9), (300, 0.3), (400, 0.2), (900, 0.1)]);
        let mut of_refused = front(&candidates);
        for (error, is_allowed) in [(0.01, false), (f64::NAN, true), (f64::INFINITY, true)] {
            of_refused.add(&Tried { method: "path", flash_bytes: 50, error, is_allowed });
        }
        // No file can hold this one.
        of_refused.add(&Tried { method: "path", flash_bytes: usize::MAX, error: 0.01, is_allowed: true });
        assert_eq!(of_refused, front(&candidates));
    }

    #[test]
    fn a_line_names_halves_of_the_largest_size() {
        assert_eq!(front(&[]).to_string(), "");
        assert_eq!(front(&[(1972, 0.1723)]).to_string(), "error 0.172 in 1972 bytes");
        let many = front(&[(120, 0.5), (240, 0.4), (250, 0.35), (700, 0.2), (2000, 0.00012)]);
        assert_eq!(many.to_string(), "error 0.350 in 250 bytes, 0.200 in 700, 1.2e-4 in 2000");
    }
}
