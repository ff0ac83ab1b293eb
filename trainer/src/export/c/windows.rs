//! Predictions from statistics of windows of samples.

use srfm_runtime::Model;
use srfm_runtime::format::{Statistic, WindowInput, Windows};

use super::literals::float;
use super::parts::Part;
use super::writer::Writer;

/// Writes the type that keeps samples, and the prediction from the samples of a window.
pub(super) fn predict_sample(w: &mut Writer<'_>, model: &Model<'_>, windows: &Windows<'_>) {
    let single = model.outputs() == 1;
    w.comment(
        "The samples of a window. All of it is zeros at the start, as a static history is. Set `samples` to 0 after a \
         gap.",
    );
    w.line("typedef struct model_history {");
    w.line("float slots[MODEL_SLOTS];");
    w.line("uint16_t samples;");
    w.line("} model_history;");
    w.comment(&format!(
        "Takes a sample, one reading of every channel, and predicts from the last MODEL_WINDOW ones where they \
         complete a window: at first, and then after every {}. NaN stands for a missing reading. Returns MODEL_OK, or \
         MODEL_WAITING where no window is complete; then the outputs are left as they were.",
        match windows.step() {
            1 => "sample".to_owned(),
            step => format!("{step} samples"),
        }
    ));
    w.line("MODEL_CHECKED static inline model_status model_predict_sample(");
    let y = if single { "float *y" } else { "float y[MODEL_OUTPUTS]" };
    w.line(format!("    model_history *history, const float sample[MODEL_CHANNELS], {y}) {{"));
    take(w, model, windows);
    statistics(w, windows);
    keep(w, windows);
    w.line(if single { "*y = model_predict(x);" } else { "model_predict(x, y);" });
    w.line("return MODEL_OK;");
    w.line("}");
}

/// Writes the steps that take a sample, and the return where no window is complete.
fn take(w: &mut Writer<'_>, model: &Model<'_>, windows: &Windows<'_>) {
    w.line("float x[MODEL_INPUTS];");
    w.line("float *slots = history->slots;");
    if windows.inputs().any(|input| takes_mean(input.statistic)) {
        w.line("float mean;");
    }
    w.line("const size_t place = history->samples < MODEL_WINDOW ? history->samples : 0u;");
    let kept = windows.kept().enumerate().filter(|(_, kept)| *kept);
    for (place, (channel, _)) in kept.enumerate() {
        w.line(format!("slots[{}place] = sample[{channel}];", offset(place, windows)));
        w.outline().add("float window channel", 1, 1);
    }
    w.line("history->samples = (uint16_t)(place + 1u);");
    w.line("if (history->samples < MODEL_WINDOW) {");
    w.line("return MODEL_WAITING;");
    w.line("}");
    w.outline().add("float window", 1, 1);
    w.outline().arrays += size_of::<f32>() * model.inputs();
}

/// Returns what stands before the place of a reading in the slots of a channel.
fn offset(channel: usize, windows: &Windows<'_>) -> String {
    let first = channel * usize::from(windows.samples());
    if first == 0 { String::new() } else { format!("{first}u + ") }
}

/// Returns whether a statistic takes the mean of its channel.
fn takes_mean(statistic: Statistic) -> bool {
    matches!(statistic, Statistic::Mean | Statistic::Deviation | Statistic::Crossings | Statistic::Band(_))
}

/// The inputs of a line of zeros.
const ZEROS: usize = 8;

/// Writes the inputs. Those that the model does not use are zero: an initialiser would call `memset`.
fn statistics(w: &mut Writer<'_>, windows: &Windows<'_>) {
    let is_unused = |(_, input): &(usize, WindowInput)| input.statistic == Statistic::Unused;
    let unused: Vec<String> =
        windows.inputs().enumerate().filter(is_unused).map(|(place, _)| format!("x[{place}]")).collect();
    for inputs in unused.chunks(ZEROS) {
        w.line(format!("{} = 0.0f;", inputs.join(" = ")));
    }
    let samples = usize::from(windows.samples());
    let mut mean_of = None;
    for (place, WindowInput { channel, statistic }) in windows.inputs().enumerate() {
        if statistic == Statistic::Unused {
            continue;
        }
        let readings = match usize::from(channel) * samples {
            0 => "slots".to_owned(),
            first => format!("&slots[{first}]"),
        };
        if takes_mean(statistic) && mean_of != Some(channel) {
            w.need(Part::Mean);
            w.line(format!("mean = model_mean({readings});"));
            add(w, "mean", samples);
            mean_of = Some(channel);
        }
        let (part, name, value) = match statistic {
            Statistic::Unused | Statistic::Mean => {
                w.line(format!("x[{place}] = mean;"));
                continue;
            }
            Statistic::Deviation => (Part::Deviation, "deviation", format!("model_deviation({readings}, mean)")),
            Statistic::Minimum => (Part::LeastReading, "extreme", format!("model_least_reading({readings})")),
            Statistic::Maximum => (Part::LargestReading, "extreme", format!("model_largest_reading({readings})")),
            Statistic::Crossings => (Part::Crossings, "crossings", format!("model_crossings({readings}, mean)")),
            Statistic::Band(band) => {
                (Part::Band, "band", format!("model_band({readings}, mean, {})", float(band.coefficient)))
            }
        };
        w.need(part);
        w.line(format!("x[{place}] = {value};"));
        add(w, name, samples);
    }
}

/// Adds a call of the function of a statistic to the contents.
fn add(w: &mut Writer<'_>, name: &str, samples: usize) {
    w.outline().add(&format!("float window {name}"), 1, 1);
    w.outline().add(&format!("float window {name} reading"), 0, samples);
}

/// Writes the move of the samples that begin the next window to the front.
fn keep(w: &mut Writer<'_>, windows: &Windows<'_>) {
    let [samples, step] = [windows.samples(), windows.step()].map(usize::from);
    let kept = samples - step;
    if kept > 0 {
        let channels = windows.kept_channels();
        w.line(format!("for (size_t i = 0; i < {kept}u; i++) {{"));
        for channel in 0..channels {
            let first = offset(channel, windows);
            w.line(format!("slots[{first}i] = slots[{first}i + {step}u];"));
        }
        w.line("}");
        w.outline().add("float window move", channels, kept * channels);
    }
    w.line(format!("history->samples = {kept}u;"));
}
