//! Trying candidates.

use serde::{Deserialize, Serialize};

use crate::cost::flash::{Storage, flash_bytes, largest};
use crate::cost::instruction_bound;
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::FitConfig;
use crate::method::{MethodConfig, MethodError};
use crate::run::Run;
use crate::search::budget::{Budget, Instructions};
use crate::search::candidate::{Candidate, Family};
use crate::search::clock::Clock;
use crate::search::{MOST_ROWS, SearchConfig, Stop, Tried};
use crate::validate::cross_validation::{Validated, validate};

/// Rows of which there are enough for one division into folds; fewer are divided several times.
const ENOUGH_ROWS: usize = 600;
const MOST_DIVISIONS: u64 = 3;

/// What a model may differ by on the device while candidates are compared, as a multiple of what it may in the end.
const ALLOWANCE: f64 = 2.0;

/// What was asked for, before sizes were known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    candidate: Candidate,
    lambdas: Vec<Option<f64>>,
    /// Whether it may be too large for the budget.
    scout: bool,
}

/// A search on its way.
pub(crate) struct Search<'a> {
    /// The rows that candidates are compared on.
    pub(crate) data: &'a Dataset,
    /// All rows that there are.
    pub(crate) all: &'a Dataset,
    pub(crate) config: &'a SearchConfig,
    pub(crate) clock: Clock<'a>,
    pub(crate) tried: Vec<Tried>,
    /// Why the first candidate that could not be had was refused.
    pub(crate) refused: Option<FitError>,
    /// What was asked for in this part, and the places of the answers.
    pub(crate) asked: Vec<(Question, Vec<usize>)>,
    /// Where a search for the inputs that there are too many of began, and those that it ended without.
    pub(crate) forbidden: Vec<(Candidate, Vec<usize>)>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(data: &'a Dataset, all: &'a Dataset, config: &'a SearchConfig, clock: Clock<'a>) -> Search<'a> {
        let (tried, asked, forbidden) = (Vec::new(), Vec::new(), Vec::new());
        Search { data, all, config, clock, tried, refused: None, asked, forbidden }
    }

    /// The rows and the settings that a candidate stands for.
    pub(crate) fn posed(&self, data: &Dataset, candidate: &Candidate) -> (Dataset, FitConfig) {
        let warps = candidate.warps.clone();
        let mut config = self.config.fit.with(candidate.method.clone());
        (config.preprocessing.warps, config.encoding.number) = (warps, candidate.number);
        (data.without(&candidate.without), config)
    }

    /// The same to be compared: errors are those of the device anyway, so that a fold that loses a little more than the model
    /// may in the end does not decide.
    pub(crate) fn posed_to_compare(&self, candidate: &Candidate) -> (Dataset, FitConfig) {
        let (data, mut config) = self.posed(self.data, candidate);
        config.encoding.max_error *= ALLOWANCE;
        (data, config)
    }

    /// Tries a candidate with each of the λ, or with its own alone where the list is empty or the search has its own list; the
    /// places of what could be had of them.
    pub(crate) fn attempt(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<Vec<usize>, Stop> {
        let own = candidate.method.tunable().lambda;
        let lambdas: Vec<Option<f64>> = match (own, &self.config.fit.grid.lambdas) {
            (None, _) => vec![None],
            (Some(_), given) if !given.is_empty() => given.iter().copied().map(Some).collect(),
            (Some(_), _) if lambdas.is_empty() => vec![own],
            (Some(_), _) => lambdas.iter().copied().map(Some).collect(),
        };
        // How many weights a frequency can do without depends on λ.
        let apart = if candidate.family() == Family::Thinned { 1 } else { lambdas.len() };
        let mut places = Vec::new();
        for lambdas in lambdas.chunks(apart) {
            let tuned = candidate.method.clone().tuned(|t| t.lambda = lambdas[0]);
            places.extend(self.evaluate(&candidate.with(tuned), lambdas, false)?);
        }
        Ok(places)
    }

    /// Tries a candidate in place of that at `place`; the place of the better one.
    pub(crate) fn improve(&mut self, place: usize, candidate: &Candidate) -> Result<usize, Stop> {
        let found = self.attempt(candidate, &[])?.into_iter().filter(|&found| self.allowed(&self.tried[found]));
        Ok(self.better([place].into_iter().chain(found)).unwrap_or(place))
    }

    /// Tries a candidate that may be too large, to see what settings are good for; its place.
    pub(crate) fn scout(&mut self, candidate: &Candidate) -> Result<Option<usize>, Stop> {
        let places = self.evaluate(candidate, &[candidate.method.tunable().lambda], true)?;
        Ok(places.first().copied())
    }

    fn evaluate(&mut self, candidate: &Candidate, lambdas: &[Option<f64>], scout: bool) -> Result<Vec<usize>, Stop> {
        self.clock.show();
        let run = self.patience();
        if run.interrupted() {
            return Err(self.stop());
        }
        let question = Question { candidate: candidate.clone(), lambdas: lambdas.to_vec(), scout };
        if let Some((_, places)) = self.asked.iter().find(|(asked, _)| *asked == question) {
            return Ok(places.clone());
        }
        // What an earlier run of the same search has tried is found again, unless time let it ask something else here.
        let flash = self.config.budget.flash.unwrap_or(usize::MAX);
        let name = format!("search {} {flash}/{}", self.data.rows(), self.asked.len());
        let kept = self.clock.whole().resume::<(Question, Vec<Tried>)>(&name).filter(|(of, _)| *of == question);
        let answer = match kept {
            Some((_, answer)) => answer,
            None => {
                let answer = self.answer(&question, &run)?;
                if !answer.is_empty() {
                    self.clock.whole().store(&name, &(&question, &answer));
                }
                answer
            }
        };
        let places: Vec<usize> = answer.into_iter().map(|tried| self.place(tried)).collect();
        self.asked.push((question, places.clone()));
        Ok(places)
    }

    /// The place of a candidate that was tried, at the end where it is new.
    fn place(&mut self, tried: Tried) -> usize {
        self.tried.iter().position(|known| known.candidate == tried.candidate).unwrap_or_else(|| {
            self.tried.push(tried);
            self.tried.len() - 1
        })
    }

    /// The candidates that a question stands for and their scores; none where they cannot be had.
    fn answer(&mut self, question: &Question, run: &Run<'_>) -> Result<Vec<Tried>, Stop> {
        let Question { candidate, lambdas, scout } = question;
        let (data, mut config) = self.posed_to_compare(candidate);
        let sized = if *scout { Ok((config.method.tunable().features, None)) } else { self.sized(&data, &config)? };
        let (features, outcome) = match sized {
            Ok(sized) => sized,
            Err(error) => return self.refuse(error),
        };
        config.method = self.affordable(config.method.tuned(|t| t.features = features));
        let (mut answer, mut methods) = (Vec::new(), Vec::new());
        for &lambda in lambdas {
            let new = candidate.with(config.method.clone().tuned(|t| t.lambda = lambda));
            match self.tried.iter().find(|tried| tried.candidate == new) {
                Some(known) => answer.push(known.clone()),
                None => methods.push(new.method),
            }
        }
        if methods.is_empty() {
            return Ok(answer);
        }
        // What a thinned model takes is known after a fit, for which there is a core free beside the last of five folds.
        let shaped = || match outcome {
            None if candidate.family() == Family::Thinned => {
                self.shaped(&data, &config, &config.method).map(|fit| Some(fit.blob))
            }
            known => Ok(known),
        };
        let (validated, outcome) = rayon::join(|| self.validated(&methods, &data, &config, run), shaped);
        let (validated, outcome) = match validated.and_then(|validated| Ok((validated, outcome?))) {
            Ok(results) => results,
            Err(FitError::Interrupted) => return Err(self.stop()),
            Err(error) => return self.refuse(error),
        };
        let scaling = config.preprocessing.learn(&data);
        for (method, Validated { score, half_widths }) in methods.into_iter().zip(validated) {
            let intervals = !half_widths.is_empty();
            let storage = Storage { scaling: &scaling, number: config.encoding.number, intervals };
            let flash = match &outcome {
                Some(blob) => Ok(blob.bytes().len()),
                None => flash_bytes(&data, storage, &method, method.tunable().features),
            };
            let blob = outcome.clone().map_or_else(|| largest(&data, storage, &method), Ok);
            let core = self.config.budget.instructions.map(|instructions| instructions.core);
            let (candidate, flash_bytes) = (candidate.with(method), flash.unwrap_or(usize::MAX));
            let instructions = core.and_then(|core| instruction_bound(&blob.ok()?.model(), core));
            let mut new = Tried { candidate, score, scout: false, half_widths, flash_bytes, instructions };
            new.scout = self.exceeds(&new);
            answer.push(new);
        }
        Ok(answer)
    }

    /// Whether a candidate may take more of the device than there is, or looks at more inputs than it may.
    pub(crate) fn exceeds(&self, tried: &Tried) -> bool {
        let Budget { flash, instructions } = self.config.budget;
        let over = |most: Instructions| tried.instructions.is_none_or(|needed| needed > most.at_most);
        let many = |most| self.inputs(&tried.candidate.without) > most;
        flash.is_some_and(|flash| tried.flash_bytes > flash)
            || instructions.is_some_and(over)
            || self.config.inputs.is_some_and(many)
    }

    /// The scores of methods, each on as many divisions into folds as the rows ask for.
    pub(crate) fn validated(
        &self,
        methods: &[MethodConfig],
        data: &Dataset,
        config: &FitConfig,
        run: &Run<'_>,
    ) -> Result<Vec<Validated>, FitError> {
        let divisions = (ENOUGH_ROWS / data.rows()).clamp(1, MOST_DIVISIONS as usize) as u64;
        let divided =
            |division| validate(methods, data, &config.folds(), &run.with_seed(run.seed().wrapping_add(division)));
        let divided = (0..divisions).map(divided).collect::<Result<Vec<Vec<Validated>>, FitError>>()?;
        let mean = |place: usize| Validated::mean(divided.iter().map(|validated| &validated[place]));
        Ok((0..methods.len()).map(mean).collect())
    }

    /// Goes on without a candidate that cannot be had, unless it is the settings asked for that cannot be.
    fn refuse(&mut self, error: FitError) -> Result<Vec<Tried>, Stop> {
        if matches!(error, FitError::Method(MethodError::Setting { .. } | MethodError::OrderBeyondInputs { .. })) {
            return Err(Stop::Refused(error));
        }
        self.refused.get_or_insert(error);
        Ok(Vec::new())
    }

    /// Time ends a part that has found something, and all parts but the last; what was found is compared on all rows only in
    /// time.
    pub(crate) fn patience(&self) -> Run<'a> {
        let mut places = self.asked.iter().flat_map(|(_, places)| places);
        let found = self.data.rows() > MOST_ROWS || places.any(|&place| self.allowed(&self.tried[place]));
        let run = if found || self.clock.is_part() { self.clock.limited() } else { self.clock.whole() };
        run.quiet()
    }

    pub(crate) fn stop(&self) -> Stop {
        if self.clock.whole().interrupted() { Stop::Interrupted } else { Stop::Time }
    }
}
