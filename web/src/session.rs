//! The session of a page: the opened file, and the last model.

use serde_json::{Value, json};
use srfm_cli::command::export::Layout;
use srfm_trainer::cost::Core;
use srfm_trainer::data::{Splitter, Table, Task};
use srfm_trainer::message::Explain;

use crate::call::Call;
use crate::labels::said;
use crate::outcome::Fitted;
use crate::search::{self, Page};
use crate::{files, outcome};

/// Rows that a table shows, and points of a drawn column.
const FIRST: usize = 5;
const POINTS: usize = 160;

/// Rows of the built-in example.
const EXAMPLE_ROWS: usize = 500;

/// The file and the model that a page works on.
#[derive(Default)]
pub struct Session {
    /// The bytes of the data file, until they are read as a table.
    file: Vec<u8>,
    /// The checksum of the data file, and its table.
    table: Option<search::File>,
    fitted: Option<Fitted>,
}

impl Session {
    /// A session without a file.
    pub const fn new() -> Session {
        Session { file: Vec::new(), table: None, fitted: None }
    }

    /// Takes the bytes of a data file.
    pub fn open(&mut self, file: Vec<u8>) {
        *self = Session { file, ..Session::new() };
    }

    /// Answers a call in JSON: `{"ok": …}`, or `{"error": …}` with a sentence.
    pub fn answer(&mut self, call: &[u8], page: &dyn Page) -> String {
        let answer = serde_json::from_slice(call)
            .map_err(|error| format!("the call is not understood: {error}"))
            .and_then(|call| self.answered(call, page));
        match answer {
            Ok(value) => json!({ "ok": value }).to_string(),
            Err(problem) => json!({ "error": problem }).to_string(),
        }
    }

    fn answered(&mut self, call: Call, page: &dyn Page) -> Result<Value, String> {
        match call {
            Call::Choices => Ok(json!({
                "version": env!("CARGO_PKG_VERSION"),
                "cores": Core::ALL.map(Core::name),
                "core": Core::default().name(),
                "splits": Splitter::NAMES,
                "layouts": files::LAYOUTS,
            })),
            Call::Example => example(),
            Call::Columns { file } => self.columns(&file),
            Call::Commands { wanted } => {
                wanted.request()?;
                Ok(json!({ "command": wanted.command(), "python": wanted.python() }))
            }
            Call::Search { wanted, kept } => {
                let file = self.table.as_ref().ok_or("no file is open")?;
                self.fitted = None;
                let fitted = search::search(&wanted, file, kept, page)?;
                Ok(self.fitted.insert(fitted).shown())
            }
            Call::Predict { readings } => self.fitted()?.predict(readings),
            Call::Export { name, layout } => {
                let fitted = self.fitted()?;
                let layout: Layout = files::layout(&layout)?;
                files::files(&fitted.blob, &fitted.description, &name, layout)
            }
        }
    }

    fn fitted(&self) -> Result<&outcome::Fitted, String> {
        self.fitted.as_ref().ok_or_else(|| "there is no model yet".to_owned())
    }

    /// Reads the file as a table and returns the contents of its columns.
    fn columns(&mut self, name: &str) -> Result<Value, String> {
        let file = search::File::read(name, std::mem::take(&mut self.file))?;
        let table: &Table = &file.table;
        let columns = table.overview(FIRST, POINTS).map_err(|error| said(&error.message()))?;
        let answer = json!({ "rows": table.rows(), "columns": columns, "remark": table.remark() });
        self.table = Some(file);
        Ok(answer)
    }
}

/// Returns the built-in example.
fn example() -> Result<Value, String> {
    let mut text = Vec::new();
    let rows = Task::Pressure.generate(EXAMPLE_ROWS, Task::Pressure.usual_noise(), 1);
    rows.write_csv(&mut text).map_err(|error| error.to_string())?;
    Ok(json!({ "file": "pressure.csv", "text": String::from_utf8_lossy(&text) }))
}
