//! SRFF, Section 5.1: three functions of a few of many inputs.
//!
//! 300 features; 1000 further rows choose λ, and errors are on 4000 others. The text of the paper's tables of errors is
//! not available; statements of its prose about errors and scales γ stand beside ours. Plain random Fourier features
//! choose λ and the kernel's width.

use crate::srff::protocol::{Choice, Errors, Trial};
use crate::table::{Reproduction, Row, mean, median};
use srfm_trainer::FitError;
use srfm_trainer::data::Task;

/// The numbers of validation rows and of test rows.
const VALIDATION: usize = 1000;
const TEST: usize = 4000;

/// The settings: λ, with the paper's width of the kernel.
const CHOICE: Choice = Choice { lambdas: &[10.0, 3.0, 1.0, 0.3, 0.1, 0.03], scales: &[1.0] };

/// The settings for many rows, where a fit takes long and λ matters less.
const FEW: Choice = Choice { lambdas: &[3.0, 0.3], ..CHOICE };

/// The number of rows from which [`FEW`] settings are tried.
const MANY: usize = 20_000;

/// One of the functions.
struct Case {
    task: Task,
    /// The inputs that must be found: the same number of largest scales should be theirs.
    inputs: &'static [usize],
    /// The largest allowed number of missed inputs.
    missed: f64,
    /// The largest allowed number of trials that miss more.
    trials_missed: f64,
    /// Groups of interchangeable inputs.
    groups: &'static [&'static [usize]],
    /// The largest allowed ratio of the error to the error of the mean.
    ratio: f64,
    /// Numbers of training rows, and the number of trials of each.
    sizes: &'static [(usize, usize)],
    /// Whether the published solver is also tried; with a thousand inputs it takes twenty times as long.
    published: bool,
    /// The paper's figures: number of training rows, smallest scale of an input that matters, largest scale of the
    /// others.
    paper: &'static [(usize, f64, f64)],
}

const SE1: Case = Case {
    task: Task::Se1,
    inputs: &[6, 7, 8],
    missed: 0.0,
    trials_missed: 1.0,
    groups: &[&[0, 2], &[6, 7, 8]],
    ratio: 0.97,
    sizes: &[(1000, 6), (5000, 3), (20_000, 2), (50_000, 1)],
    published: true,
    paper: &[],
};

const SE2: Case = Case {
    task: Task::Se2,
    inputs: &[10, 11, 12, 13, 14],
    missed: 1.0,
    trials_missed: 0.0,
    groups: &[&[10, 11, 12, 13, 14]],
    ratio: 0.85,
    sizes: &[(1000, 6), (5000, 3), (20_000, 1)],
    published: true,
    paper: &[(1000, 0.92, 0.06)],
};

const SE3: Case = Case {
    task: Task::Se3,
    inputs: &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    missed: 4.0,
    trials_missed: 0.0,
    groups: &[&[0, 1, 2, 3, 4], &[5, 6, 7, 8, 9]],
    ratio: 0.70,
    sizes: &[(1000, 4), (20_000, 1)],
    published: false,
    paper: &[(1000, 0.37, 0.05), (50_000, 1.19, 0.03)],
};

pub fn product(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = SE1.rows(run)?;
    let of = |rows: &[Row], name: &str| rows.iter().find(|row| row.row == name).map_or(f64::NAN, |row| row.ours);
    let gain = of(&rows, "n = 50000, SRFF, RMSE") / of(&rows, "n = 1000, SRFF, RMSE");
    rows.push(Row::new("RMSE of n = 50000 over n = 1000".to_owned(), Some(0.94), gain, "1", 1));
    Ok(rows)
}

pub fn logarithm(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    SE2.rows(run)
}

pub fn copies(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    SE3.rows(run)
}

impl Case {
    fn rows(&self, run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
        let mut rows = Vec::new();
        for &(size, usual) in self.sizes {
            // One size after the other, because several large sizes at a time need too much memory.
            let seeds = if size == self.sizes[0].0 { run.seeds_or(usual) } else { usual };
            let choice = if size < MANY { CHOICE } else { FEW };
            let trials =
                run.over_seeds_of(&[()], seeds, |(), seed| self.trial(size, seed).errors(choice, &run.seeded(seed)))?;
            rows.extend(self.of_size(size, &trials[0]));
            if self.published && size == self.sizes[0].0 {
                let published = run.over_seeds_of(&[()], seeds, |(), seed| {
                    self.trial(size, seed).as_published(choice, &run.seeded(seed))
                })?;
                let name = format!("n = {size}, SRFF as published, RMSE");
                rows.push(Row::new(name, None, mean(&published[0]), "1", seeds));
            }
        }
        Ok(rows)
    }

    fn trial(&self, size: usize, seed: u64) -> Trial {
        let data = |rows, part| self.task.generate(rows, self.task.usual_noise(), 3 * seed + part);
        Trial::new(&data(size, 0), &data(VALIDATION, 1), &data(TEST, 2))
    }

    fn of_size(&self, size: usize, trials: &[Errors]) -> Vec<Row> {
        let row = |what: &str, paper: Option<f64>, ours: f64| {
            Row::new(format!("n = {size}, {what}"), paper, ours, "1", trials.len())
        };
        let of = |pick: fn(&Errors) -> f64| mean(&trials.iter().map(pick).collect::<Vec<f64>>());
        let (constant, plain, srff) = (of(|e| e.mean), of(|e| e.plain), of(|e| e.srff));
        let missed: Vec<f64> = trials.iter().map(|trial| self.missed(&trial.scales)).collect();
        let too_many = missed.iter().filter(|&&missed| missed > self.missed).count() as f64;
        let groups = trials.iter().map(|trial| self.groups_missed(&trial.scales)).fold(0.0, f64::max);
        let paper = self.paper.iter().find(|(of, ..)| *of == size);
        let (least, largest) = self.border(trials);
        let most = format!("trials that miss over {} of {}", self.missed, self.inputs.len());
        vec![
            row("mean, RMSE", None, constant),
            row("plain features, RMSE", None, plain),
            row("SRFF, RMSE", None, srff),
            row("SRFF over mean", None, srff / constant).at_most(Some(self.ratio)),
            row("inputs missed, mean", None, mean(&missed)),
            row(&most, None, too_many).at_most(Some(self.trials_missed)),
            row("blocks missed, most", None, groups).at_most((self.task == Task::Se3).then_some(0.0)),
            row("least γ of an input that matters", paper.map(|p| p.1), least),
            row("largest γ of the others", paper.map(|p| p.2), largest),
        ]
    }

    /// Returns the number of inputs that are not among the largest scales.
    fn missed(&self, scales: &[f64]) -> f64 {
        let found = largest(scales, self.inputs.len());
        self.inputs.iter().filter(|&input| !found.contains(input)).count() as f64
    }

    /// Returns the number of groups without an input among the largest scales; as many scales count as inputs matter.
    fn groups_missed(&self, scales: &[f64]) -> f64 {
        let found = largest(scales, self.matter().count());
        self.groups.iter().filter(|group| !group.iter().any(|input| found.contains(input))).count() as f64
    }

    /// Returns the inputs that the function depends on.
    fn matter(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().copied().flatten().copied()
    }

    /// Returns the smallest scale of an input that matters and the largest of the others, medians over the trials.
    fn border(&self, trials: &[Errors]) -> (f64, f64) {
        let of_input = |input: usize| median(&trials.iter().map(|trial| trial.scales[input]).collect::<Vec<f64>>());
        let least = self.matter().map(of_input).fold(f64::INFINITY, f64::min);
        let others = (0..trials[0].scales.len()).filter(|&input| !self.matter().any(|other| other == input));
        (least, others.map(of_input).fold(0.0, f64::max))
    }
}

/// Returns the inputs with the largest scales.
fn largest(scales: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scales.len()).collect();
    order.sort_by(|&i, &j| scales[j].total_cmp(&scales[i]));
    order.truncate(count);
    order
}
