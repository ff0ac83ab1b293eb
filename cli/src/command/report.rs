//! `srfm report`: a model and rows with targets as a page with charts.

use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_trainer::data::Prepared;

use crate::columns::remark_on_missing;
use crate::common::Common;
use crate::data::{DataArgs, no_targets};
use crate::description::unsuited;
use crate::failure::Failure;
use crate::output;
use crate::report::{Evaluated, ModelPage, Part};

#[derive(clap::Args)]
#[command(after_help = "Example:\n  srfm report sensor.srfm sensor.csv -o sensor.html")]
pub struct Args {
    /// The model file
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// HTML page to write; the page needs no other file [default: the model file with .html]
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    evaluated: Evaluated,
    /// The page.
    output: PathBuf,
}

/// Writes the page.
pub fn run(args: &Args, common: &Common) -> Result<(), Failure> {
    let blob = output::read_model(&args.model)?;
    let output = args.output.clone().unwrap_or_else(|| args.model.with_extension("html"));
    output::check_writable(&output, args.data.files().chain([args.model.as_path()]))?;
    output::check_page(&output)?;
    let source = args.data.for_model(&args.model, &blob, common)?;
    let Prepared { data, counts, .. } =
        source.for_model(&blob.model()).map_err(|error| unsuited(&args.model, error))?;
    remark_on_missing(&counts, common);
    if data.outputs() == 0 {
        return Err(no_targets(&args.data.data, "--labels"));
    }
    let evaluated = Evaluated::of(&blob, &data, &[]);
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let page = ModelPage {
        title: name(&args.model),
        file: name(&args.model),
        blob: &blob,
        parts: vec![Part { name: "given", detail: name(&args.data.data), data: &data, evaluated: &evaluated }],
        host: None,
        validation: None,
        search: None,
    };
    output::write(&output, page.html().as_bytes())?;
    if common.json {
        return output::print_json(&Report { evaluated, output });
    }
    output::print(&format!("{evaluated}written       {}\n", output.display()))
}
