//! Recordings of gestures by a simulated accelerometer.

use std::f64::consts::TAU;

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::classes::indicators;
use crate::sampling::Sampler;

/// The gestures, as the classes of a data set are ordered.
const GESTURES: [&str; 4] = ["circle", "rest", "shake", "wave"];

/// Samples a second.
const RATE: f64 = 100.0;

/// Samples of a recording: 2.4 s.
const SAMPLES: usize = 240;

/// Steps of the sensor, in g: 12 bits for ±4 g.
const STEP: f64 = 1.0 / 512.0;

/// Simulates recordings of an accelerometer with three axes, in g. `noise` is the standard deviation of a reading.
///
/// A recording is one gesture of a hand that holds the sensor about level, with its first axis along a wave. The last
/// recording may be shorter.
pub fn gestures(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    let mut x = DMatrix::zeros(rows, 4);
    let mut members = Vec::with_capacity(rows);
    let mut recording = None;
    for row in 0..rows {
        let motion = match recording.filter(|_| row % SAMPLES > 0) {
            Some(motion) => motion,
            None => Motion::draw(sampler),
        };
        recording = Some(motion);
        let acceleration = motion.at((row % SAMPLES) as f64 / RATE);
        x[(row, 0)] = (row / SAMPLES) as f64;
        for (axis, reading) in acceleration.into_iter().enumerate() {
            x[(row, 1 + axis)] = ((reading + noise * sampler.normal()) / STEP).round() * STEP;
        }
        members.push(motion.gesture);
    }
    Dataset {
        x,
        y: indicators(&members, GESTURES.len()),
        input_names: ["recording", "ax", "ay", "az"].map(str::to_owned).to_vec(),
        output_names: GESTURES.map(|gesture| format!("gesture = {gesture}")).to_vec(),
        classes: GESTURES.map(str::to_owned).to_vec(),
        weights: Vec::new(),
        groups: (0..rows).map(|row| row / SAMPLES).collect(),
        history: Default::default(),
    }
}

/// The motion of a recording: a sine along one direction, one a quarter of a cycle later along another, and trembling.
#[derive(Clone, Copy)]
struct Motion {
    /// The number of the gesture.
    gesture: usize,
    /// Cycles a second.
    frequency: f64,
    phase: f64,
    /// How fast the amplitude swells, in cycles a second.
    swell: f64,
    /// Gravity, and the accelerations of the two sines and of trembling, in g.
    gravity: [f64; 3],
    along: [f64; 3],
    across: [f64; 3],
    trembling: [f64; 3],
}

impl Motion {
    /// Draws a gesture.
    fn draw(sampler: &mut Sampler) -> Motion {
        let gesture = sampler.below(GESTURES.len());
        let [frequencies, amplitudes, roundness] = match GESTURES[gesture] {
            "circle" => [[1.2, 2.4], [0.2, 0.6], [0.7, 1.0]],
            "rest" => [[0.3, 2.0], [0.0, 0.12], [0.0, 1.0]],
            "shake" => [[3.2, 7.0], [0.2, 1.2], [0.0, 0.3]],
            _ => [[1.4, 3.4], [0.2, 0.8], [0.0, 0.4]],
        };
        let mut draw = |[low, high]: [f64; 2]| sampler.uniform(low, high);
        let [frequency, amplitude, roundness] = [frequencies, amplitudes, roundness].map(&mut draw);
        let [phase, swell] = [[0.0, TAU], [0.2, 0.6]].map(&mut draw);
        let trembling = draw([0.01, 0.08]);
        // Gravity is along the third axis, tilted by up to half a right angle.
        let [tilt, turn] = [[0.0, TAU / 8.0], [0.0, TAU]].map(&mut draw);
        let gravity = direction(tilt, turn);
        // The hand moves roughly in the plane of the first two axes, and mostly along the first.
        let [lift, angle] = [[TAU / 6.0, TAU / 4.0], [-TAU / 12.0, TAU / 12.0]].map(&mut draw);
        let along = direction(lift, angle).map(|part| amplitude * part);
        let across = direction(lift, angle + TAU / 4.0).map(|part| amplitude * roundness * part);
        let trembling = direction(draw([0.0, TAU]), draw([0.0, TAU])).map(|part| trembling * part);
        Motion { gesture, frequency, phase, swell, gravity, along, across, trembling }
    }

    /// Returns the acceleration after so many seconds.
    fn at(&self, seconds: f64) -> [f64; 3] {
        let angle = TAU * self.frequency * seconds + self.phase;
        let strength = 1.0 + 0.4 * libm::sin(TAU * self.swell * seconds + 2.0 * self.phase);
        let [sine, cosine] = [libm::sin(angle), libm::cos(angle)].map(|part| strength * part);
        let tremor = libm::sin(TAU * 9.0 * seconds + 3.0 * self.phase);
        std::array::from_fn(|axis| {
            self.gravity[axis] + sine * self.along[axis] + cosine * self.across[axis] + tremor * self.trembling[axis]
        })
    }
}

/// Returns the direction that is `tilt` away from the third axis, turned by `turn` about it.
fn direction(tilt: f64, turn: f64) -> [f64; 3] {
    [libm::sin(tilt) * libm::cos(turn), libm::sin(tilt) * libm::sin(turn), libm::cos(tilt)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_gestures_around_gravity() {
        let data = gestures(40 * SAMPLES + 7, 0.02, &mut Sampler::new(2));
        let [first, last] = [0, 40].map(|group| data.groups.iter().filter(|&&other| other == group).count());
        assert_eq!((first, last), (SAMPLES, 7));
        let mut seen = [0; GESTURES.len()];
        for group in 0..40 {
            let rows = group * SAMPLES..(group + 1) * SAMPLES;
            let class = (0..GESTURES.len()).find(|&class| data.y[(rows.start, class)] == 1.0).unwrap();
            seen[class] += 1;
            assert!(rows.clone().all(|row| data.y[(row, class)] == 1.0), "one gesture a recording");
            let norm = |row: usize| (1..4).map(|axis| data.x[(row, axis)].powi(2)).sum::<f64>().sqrt();
            let mean = rows.map(norm).sum::<f64>() / SAMPLES as f64;
            // The largest amplitude, 1.2 g with a swell of 0.4, has a mean of its square of 1.
            assert!((0.9..1.7).contains(&mean), "{mean}");
        }
        assert!(seen.iter().all(|&count| count >= 3), "{seen:?}");
    }
}
