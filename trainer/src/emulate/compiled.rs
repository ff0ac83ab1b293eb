//! Programs with a model that the compiler knows, built and counted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::cost::{BudgetError, Core, Deployment, Footprint, Measured};
use crate::emulate::DeviceError;
use crate::emulate::build::{Settings, built};
use crate::emulate::emulator::printed;
use crate::emulate::image::Image;
use crate::export::Blob;

/// The programs: without a model, with one, and one that counts its instructions.
const PROGRAMS: [&str; 3] = ["empty", "fixed", "counted"];

/// The packages that have them.
const PACKAGES: [&str; 2] = ["probes", "host"];

/// Returns what a program with the model takes. None stands for a model file, for generated C whose price is not known
/// (floating point on a core without a floating-point unit), and for `static_model!` without the folder of its sources;
/// with the folder, the program is compiled and counted.
///
/// # Errors
/// [`BudgetError::Program`] if the program cannot be compiled or run.
pub fn footprint(blob: &Blob, deployment: &Deployment) -> Result<Option<Footprint>, BudgetError> {
    match deployment.compiled() {
        None => Ok(deployment.footprint(&blob.model())),
        Some((core, firmware)) => {
            measured(blob, core, firmware).map(Some).map_err(|error| BudgetError::Program(error.to_string()))
        }
    }
}

/// Builds programs that have a model by `static_model!`, with `opt-level = "s"`, from the sources in the folder
/// `firmware`, and runs one in the emulator. Returns what the prediction takes of the core.
///
/// # Errors
/// [`DeviceError`]: the sources, cargo, the target or the emulator are missing, or the build fails.
fn measured(blob: &Blob, core: Core, firmware: &Path) -> Result<Footprint, DeviceError> {
    let folder = tempfile::tempdir()?;
    let model = folder.path().join("model.srfm");
    fs::write(&model, blob.bytes())?;
    let machine = core.machine();
    let images = folder.path();
    {
        // Builds of several models would replace each other's programs.
        let lock = File::create(build_folder(firmware)?.join("srfm.lock"))?;
        lock.lock()?;
        let settings = Settings { packages: &PACKAGES, small: true, model: Some(&model) };
        for (program, path) in PROGRAMS.iter().zip(built(machine, firmware, &PROGRAMS, settings)?) {
            fs::copy(path, images.join(program))?;
        }
    }
    let size = |program: &str| -> Result<usize, DeviceError> {
        let image = fs::read(images.join(program))?;
        let parsed = Image::parse(&image).map(|image| image.flash());
        parsed.ok_or_else(|| DeviceError::BuildFailed(format!("{program} is no program of 32 bits")))
    };
    let flash = size("fixed")?.saturating_sub(size("empty")?);
    let text = printed(machine, &images.join("counted"))?;
    let mut numbers = text.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
    let (Some(instructions), Some(stack)) = (numbers.next(), numbers.next()) else {
        return Err(DeviceError::Failed(text));
    };
    Ok(Footprint::from_compiled(blob, core, Measured { flash, instructions, stack: stack as usize }))
}

/// Returns the folder that cargo builds the programs in. The folder is created if it is missing.
fn build_folder(firmware: &Path) -> Result<PathBuf, DeviceError> {
    let workspace = firmware.join("measure");
    if !workspace.is_dir() {
        return Err(DeviceError::FirmwareMissing(firmware.to_owned()));
    }
    let folder = workspace.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
