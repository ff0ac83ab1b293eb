//! Fits and searches whose models are the same bytes natively and as WebAssembly.

use srfm_trainer::cost::Budget;
use srfm_trainer::data::Task;
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::{METHODS, MethodConfig};
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::{Dataset, Fit, FitConfig, FitError, Run, fit};

/// The tasks: one target of ten inputs, several targets, and integers on the device.
const TASKS: [(Task, NumberFormat); 3] =
    [(Task::Friedman1, NumberFormat::F32), (Task::Bme280, NumberFormat::F32), (Task::GasSensor, NumberFormat::Int)];

const ROWS: usize = 120;
const FEATURES: usize = 8;

/// The flash of a search in bytes.
const FLASH: usize = 512;

/// A model of one of the tasks, by a method or by a search.
pub struct Job {
    task: Task,
    number: NumberFormat,
    method: Option<&'static str>,
}

/// Returns the fits of every method of the library to every task, and a search for every task.
pub fn jobs() -> Vec<Job> {
    let methods: Vec<_> = METHODS.iter().map(|method| Some(method.name)).chain([None]).collect();
    let of_task = |(task, number)| methods.iter().map(move |&method| Job { task, number, method });
    TASKS.into_iter().flat_map(of_task).collect()
}

impl Job {
    /// Returns the task and the method.
    pub fn name(&self) -> String {
        format!("{} {}", self.task.name(), self.method.unwrap_or("search"))
    }

    /// Returns the bytes of the model.
    ///
    /// # Errors
    /// Those of [`fit()`] and [`search()`].
    pub fn model(&self) -> Result<Vec<u8>, FitError> {
        let data = self.task.generate(ROWS, self.task.usual_noise(), 1);
        let mut config = FitConfig { folds: 3, ..FitConfig::default() };
        config.encoding.number = self.number;
        let found = match self.method {
            Some(name) => {
                config.method = MethodConfig::named(name)?.tuned(|settings| settings.features = FEATURES);
                fit(&data, &config, &run())?
            }
            None => searched(&data, &config)?,
        };
        Ok(found.blob.bytes().to_vec())
    }
}

/// Returns what a search of effort 1 finds.
fn searched(data: &Dataset, config: &FitConfig) -> Result<Fit, FitError> {
    let budget = Budget { flash: Some(FLASH), ..Budget::default() };
    let config = SearchConfig { effort: Some(1.0), ..SearchConfig::new(config.conditions(), budget) };
    Ok(search(data, &config, &run())?.fit)
}

fn run() -> Run<'static> {
    Run::new(1).with_threads(1)
}

/// Returns a digest of bytes (FNV-1a of 64 bits).
pub fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |digest, &byte| (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Returns the number of jobs.
#[unsafe(no_mangle)]
pub extern "C" fn job_count() -> u32 {
    jobs().len() as u32
}

/// Returns the digest of the model of a job.
#[unsafe(no_mangle)]
pub extern "C" fn job_digest(job: u32) -> u64 {
    digest(&jobs()[job as usize].model().expect("every job has a model"))
}
