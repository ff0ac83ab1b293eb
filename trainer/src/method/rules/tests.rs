use nalgebra::DMatrix;

use super::*;
use crate::method::rules::pool::Candidate;

/// Steps of two inputs, one of them only where the other is large, with noise.
fn steps(rows: usize, noise: f64, seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(rows, 5, |_, _| sampler.normal());
    let step = |x: f64, threshold: f64| f64::from(u8::from(x > threshold));
    let y = DMatrix::from_fn(rows, 2, |row, output| {
        let both = step(x[(row, 0)], 0.4) * step(x[(row, 1)], -0.2);
        [2.0 * both + step(x[(row, 2)], 1.0), 1.0 - both][output] + noise * sampler.normal()
    });
    Dataset::new(x, y).unwrap()
}

fn error(model: &Expansion, data: &Dataset) -> f64 {
    (model.predict(&data.x) - &data.y).norm_squared() / data.rows() as f64
}

#[test]
fn steps_are_found() {
    for seed in 0..5 {
        let rules = Rules { features: 12, lambda: 1e-6, ..Rules::default() };
        let model = rules.fit_expansion(&steps(4000, 0.1, seed), &Run::new(seed)).unwrap();
        // Thresholds lie between quantiles: a row in 256 a step is on the wrong side.
        let off = error(&model, &steps(4000, 0.0, seed + 100));
        assert!(off < 0.05, "seed {seed}: {off}");
    }
}

/// Amplitudes minimise the penalised squared error: its gradient is zero.
#[test]
fn amplitudes_are_ridge_regression() {
    let data = steps(300, 0.3, 1);
    for (lambda, batch) in [(1e-4, 1000), (1e-2, 1000), (1e-2, 100)] {
        let rules = Rules { features: 10, batch, ..Rules::default() };
        let model = rules.fit_path(&data, &[lambda], &Run::new(2)).unwrap().swap_remove(0);
        let residuals = model.predict(&data.x) - &data.y;
        assert!(residuals.row_sum().amax() < 1e-9);
        let rows: Vec<Vec<f64>> = data.x.row_iter().map(|row| row.iter().copied().collect()).collect();
        let mut checked = 0;
        for tree in &model.trees {
            for (path, amplitudes) in paths(tree) {
                for (output, amplitude) in amplitudes.iter().enumerate() {
                    let inside = |row: &usize| path.iter().all(|condition| holds(condition, &rows[*row]));
                    let sum: f64 = (0..300).filter(inside).map(|row| residuals[(row, output)]).sum();
                    assert!((sum + 300.0 * lambda * amplitude).abs() < 1e-8, "{sum} {amplitude}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 4, "{checked}");
    }
}

/// An input, a threshold, and whether the path goes on above it.
type Step = (usize, f64, bool);

fn holds(&(input, threshold, upper): &Step, row: &[f64]) -> bool {
    (row[input] > threshold) == upper
}

/// Returns the conditions and the amplitudes of every rule.
fn paths(tree: &Tree) -> Vec<(Vec<Step>, Vec<f64>)> {
    let mut found = Vec::new();
    let mut open = vec![(0, Vec::new())];
    while let Some((place, path)) = open.pop() {
        let condition = &tree.conditions[place];
        for (branch, upper) in [(&condition.lower, false), (&condition.upper, true)] {
            let mut path: Vec<Step> = path.clone();
            path.push((condition.input, condition.threshold, upper));
            found.extend(branch.amplitudes.iter().map(|amplitudes| (path.clone(), amplitudes.clone())));
            open.extend(branch.next.map(|next| (next, path)));
        }
    }
    found
}

#[test]
fn the_first_rules_lower_the_error_most_per_byte() {
    let data = steps(500, 0.2, 4);
    let bins = Bins::new(&data.x);
    let mut pool = Pool::default();
    let growth = Growth { leaves: 4, least_rows: 5 };
    pool.boost(&bins, (&data.y, &[]), &[0, 1, 2, 3, 4], (6, growth), &mut Sampler::new(1));
    let selection = select(&pool, (&data.y, &Masses::default()), (60, true), || false);
    let mean = data.y.row_mean();
    let centred = DMatrix::from_fn(500, 2, |row, output| data.y[(row, output)] - mean[output]);
    let column = |place: usize| {
        let set = &pool.candidates[place].bits;
        let mut column = DMatrix::zeros(500, 1);
        set.rows().for_each(|row| column[row] = 1.0);
        column.add_scalar(-(set.count() as f64) / 500.0)
    };
    let explained = |places: &[usize]| {
        let columns: Vec<_> = places.iter().map(|&place| column(place).column(0).into_owned()).collect();
        let q = DMatrix::from_columns(&columns).qr().q();
        (q.transpose() * &centred).norm_squared()
    };
    let best = explained(&selection.chosen[..1]) / selection.bytes[0] as f64;
    let stored = bytes::Stored::new(&pool, 2);
    for (place, candidate) in pool.candidates.iter().enumerate() {
        assert!(explained(&[place]) / stored.marginal(&pool, candidate) as f64 <= best * (1.0 + 1e-9));
    }
    let first = explained(&selection.chosen[..1]);
    let second = (explained(&selection.chosen[..2]) - first) / (selection.bytes[1] - selection.bytes[0]) as f64;
    let mut after = bytes::Stored::new(&pool, 2);
    after.add(&pool, &pool.candidates[selection.chosen[0]]);
    for (place, candidate) in pool.candidates.iter().enumerate() {
        if column(place).norm_squared() > 1.0 && place != selection.chosen[0] {
            let gain = explained(&[selection.chosen[0], place]) - first;
            let cost = after.marginal(&pool, candidate) as f64;
            let collinear = gain.is_nan() || pool.candidates[place].bits == pool.candidates[selection.chosen[0]].bits;
            assert!(collinear || gain / cost <= second * (1.0 + 1e-6) + 1e-9, "{gain} {cost} {second}");
        }
    }
}

/// Given the candidates, rows of weight k give the rules, their number and their amplitudes of k copies.
#[test]
fn weights_are_copies_of_rows() {
    for seed in 0..4 {
        let data = steps(300, 0.3, seed);
        let weights: Vec<f64> = (0..300).map(|row| (1 + row % 4) as f64).collect();
        let copies: Vec<usize> = (0..300).flat_map(|row| vec![row; 1 + row % 4]).collect();
        let bins = Bins::new(&data.x);
        let growth = Growth { leaves: 8, least_rows: 5 };
        let mut pool = Pool::default();
        pool.boost(&bins, (&data.y, &weights), &[0, 1, 2, 3, 4], (6, growth), &mut Sampler::new(seed));
        let copied_set = |set: &Bits| {
            let within: Vec<usize> = set.rows().collect();
            Bits::new(copies.len(), |row| within.binary_search(&copies[row]).is_ok())
        };
        let copied = |candidate: &Candidate| Candidate { bits: copied_set(&candidate.bits), ..candidate.clone() };
        let other = Pool { trees: pool.trees.clone(), candidates: pool.candidates.iter().map(copied).collect() };
        let y = data.y.select_rows(&copies);
        let (masses, alike) = (Masses::new(&weights, BITS_OF_SELECTION), Masses::default());
        let chosen = select(&pool, (&data.y, &masses), (200, true), || false).chosen;
        let chosen_of_copies = select(&other, (&y, &alike), (200, true), || false).chosen;
        // Branches of one split explain the same where their parent was taken, and rounding chooses between them: what
        // all rules explain together is the same.
        let predicted = |places: &[usize]| {
            let sets: Vec<Bits> = places.iter().map(|&place| other.candidates[place].bits.clone()).collect();
            let equations = Rules::default().equations(&sets, &y, &alike).reduce().unwrap();
            let (intercept, amplitudes) = equations.solve(1e-9).unwrap();
            let mut sum = DMatrix::from_fn(y.nrows(), 2, |_, output| intercept[output]);
            for (set, of_set) in sets.iter().zip(amplitudes.row_iter()) {
                set.rows().for_each(|row| sum.set_row(row, &(sum.row(row) + of_set)));
            }
            sum
        };
        let apart = (predicted(&chosen) - predicted(&chosen_of_copies)).amax();
        assert!(apart < 1e-6, "seed {seed}: {apart:e}");
        let sets: Vec<Bits> = chosen.iter().map(|&place| pool.candidates[place].bits.clone()).collect();
        let others: Vec<Bits> = sets.iter().map(copied_set).collect();
        let best = |sets: &[Bits], y: &DMatrix<f64>, masses: &Masses| {
            let sets: Vec<&Bits> = sets.iter().collect();
            // Trained and validated on the same rows, so that a penalty matters.
            let part = || Part { sets: &sets, y, masses };
            Sizes::new(part(), part(), true).best(0.05)
        };
        assert_eq!(best(&sets, &data.y, &masses), best(&others, &y, &alike), "seed {seed}");
        let rules = Rules::default();
        let amplitudes = |sets: &[Bits], y: &DMatrix<f64>, masses: &Masses| {
            rules.equations(sets, y, masses).reduce().unwrap().solve(1e-2 * y.nrows() as f64).unwrap().1
        };
        let exact = Masses::new(&weights, BITS_OF_FIT);
        let apart = (amplitudes(&sets, &data.y, &exact) - amplitudes(&others, &y, &alike)).amax();
        assert!(apart < 1e-9, "seed {seed}: {apart:e}");
    }
}

#[test]
fn settings_are_checked() {
    assert!(Rules { leaves: 1, ..Rules::default() }.check().is_err());
    assert!(Rules { leaves: 65, ..Rules::default() }.check().is_err());
    assert!(Rules { trees: 0, ..Rules::default() }.check().is_err());
    assert!(Rules::default().check().is_ok());
}

#[test]
fn the_seed_decides() {
    let data = steps(200, 0.2, 7);
    let fit = |seed| Rules { features: 8, ..Rules::default() }.fit_expansion(&data, &Run::new(seed)).unwrap();
    assert_eq!(fit(1), fit(1));
    assert_ne!(fit(1), fit(2));
}
