//! Messages that name settings, for every front end to write in its own way.
//!
//! A message is a list of text and settings. The library writes a setting in backticks, the command as an option and
//! Python as a keyword. No front end searches the text for names.
//!
//! ```
//! use srfm_trainer::message::{Explain, Written};
//! use srfm_trainer::method::MethodError;
//!
//! let error = MethodError::OrderBeyondInputs { order: 9, inputs: 4 };
//! let sentence = "an order of 9 inputs per feature, but the data have 4 inputs; lower ";
//! assert_eq!(error.to_string(), format!("{sentence}`order`"));
//! let option = |setting: &srfm_trainer::message::Setting| Written::As(format!("--{}", setting.path()));
//! assert_eq!(error.message().render(option), format!("{sentence}--order"));
//! ```

use std::borrow::Cow;
use std::fmt;

/// A setting that a message names, by its path, and the value that the message proposes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    path: Cow<'static, str>,
    value: Option<Cow<'static, str>>,
    /// The word between setting and value where the library writes them.
    link: &'static str,
}

impl Setting {
    /// Returns the setting of this path, such as `flash`.
    pub const fn new(path: &'static str) -> Setting {
        Setting { path: Cow::Borrowed(path), value: None, link: "" }
    }

    /// Returns the setting of a path that is known at run time only.
    pub fn named(path: impl Into<Cow<'static, str>>) -> Setting {
        Setting { path: path.into(), value: None, link: "" }
    }

    /// Returns the setting with a value after the verb "set": set `number` to int.
    pub fn to(self, value: impl Into<Cow<'static, str>>) -> Setting {
        Setting { value: Some(value.into()), link: "to ", ..self }
    }

    /// Returns the setting with a value after another word: add `missing` drop.
    pub fn with(self, value: impl Into<Cow<'static, str>>) -> Setting {
        Setting { value: Some(value.into()), link: "", ..self }
    }

    /// Returns the path of the setting.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the value that the message proposes, if it proposes one.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { path, value, link } = self;
        match value {
            Some(value) => write!(f, "`{path}` {link}{value}"),
            None => write!(f, "`{path}`"),
        }
    }
}

/// How a front end writes a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// This text stands for the setting and its value.
    As(String),
    /// The front end has no name of its own; the library's stands.
    Plain,
    /// The front end does not have the setting. Further advice that names it is left out.
    Lacking,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Cow<'static, str>),
    Setting(Setting),
    /// Further advice, which a front end that lacks one of its settings leaves out.
    Further(Message),
}

/// A message for the user, with its settings kept apart from the text.
///
/// Two texts never follow each other, so equal messages have equal parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<Part>);

impl Message {
    /// Adds text, a setting or the parts of another message.
    #[must_use]
    pub fn and(mut self, more: impl Into<Message>) -> Message {
        for part in more.into().0 {
            self.push(part);
        }
        self
    }

    /// Adds advice that a front end leaves out where it lacks one of the settings in it.
    #[must_use]
    pub fn and_further(mut self, advice: Message) -> Message {
        self.push(Part::Further(advice));
        self
    }

    fn push(&mut self, part: Part) {
        match (self.0.last_mut(), part) {
            (_, Part::Text(text)) if text.is_empty() => {}
            (Some(Part::Text(last)), Part::Text(text)) => *last += text,
            (_, part) => self.0.push(part),
        }
    }

    /// Returns whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the settings that the message names, in order.
    pub fn settings(&self) -> Vec<&Setting> {
        let mut settings = Vec::new();
        for part in &self.0 {
            match part {
                Part::Text(_) => {}
                Part::Setting(setting) => settings.push(setting),
                Part::Further(advice) => settings.extend(advice.settings()),
            }
        }
        settings
    }

    /// Returns what stands before a setting; none if the message does not name it outside of further advice.
    pub fn before(&self, path: &str) -> Option<Message> {
        let is_named = |part: &Part| matches!(part, Part::Setting(setting) if setting.path() == path);
        let place = self.0.iter().position(is_named)?;
        Some(Message(self.0[..place].to_vec()))
    }

    /// Returns the text of the message; `write` says how the front end writes a setting.
    pub fn render(&self, write: impl Fn(&Setting) -> Written) -> String {
        let mut text = String::new();
        self.render_to(&mut text, &write);
        text
    }

    fn render_to(&self, text: &mut String, write: &dyn Fn(&Setting) -> Written) {
        for part in &self.0 {
            match part {
                Part::Text(part) => *text += part,
                Part::Setting(setting) => match write(setting) {
                    Written::As(name) => *text += &name,
                    Written::Plain | Written::Lacking => *text += &setting.to_string(),
                },
                Part::Further(advice) => {
                    let lacking = advice.settings().into_iter().any(|setting| write(setting) == Written::Lacking);
                    if !lacking {
                        advice.render_to(text, write);
                    }
                }
            }
        }
    }
}

impl fmt::Display for Message {
    /// Writes settings in backticks.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(|_| Written::Plain))
    }
}

impl serde::Serialize for Message {
    /// Writes the text with settings in backticks.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<Setting> for Message {
    fn from(setting: Setting) -> Message {
        Message(vec![Part::Setting(setting)])
    }
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        Message::default().and(Part::Text(text.into()))
    }
}

impl From<&'static str> for Message {
    fn from(text: &'static str) -> Message {
        Message::default().and(Part::Text(text.into()))
    }
}

impl From<&Message> for Message {
    fn from(message: &Message) -> Message {
        message.clone()
    }
}

impl From<Part> for Message {
    fn from(part: Part) -> Message {
        Message(vec![part])
    }
}

/// An error whose message names settings.
pub trait Explain: std::error::Error {
    /// Returns the message. `Display` writes the same with settings in backticks.
    fn message(&self) -> Message;
}

/// Gives errors whose messages name no settings the text of their `Display`.
macro_rules! message_by_display {
    ($($error:ty),* $(,)?) => {
        $(impl $crate::message::Explain for $error {
            fn message(&self) -> $crate::message::Message {
                self.to_string().into()
            }
        })*
    };
}
pub(crate) use message_by_display;

/// Creates a [`Message`] from texts, settings and messages one after the other. A literal is a format string whose
/// arguments are variables in braces: `message!("takes {bytes} bytes; raise ", FLASH, " or lower ", FEATURES)`.
macro_rules! message {
    (@ $message:ident) => {};
    (@ $message:ident $text:literal $(, $($rest:tt)*)?) => {
        let $message = $message.and(format!($text));
        $($crate::message::message!(@ $message $($rest)*);)?
    };
    (@ $message:ident $part:expr $(, $($rest:tt)*)?) => {
        let $message = $message.and($part);
        $($crate::message::message!(@ $message $($rest)*);)?
    };
    ($($parts:tt)*) => {{
        let message = $crate::message::Message::default();
        $crate::message::message!(@ message $($parts)*);
        message
    }};
}
pub(crate) use message;

/// Writes errors by their messages.
macro_rules! display_by_message {
    ($($error:ty),* $(,)?) => {
        $(impl std::fmt::Display for $error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::message::Explain::message(self).fmt(f)
            }
        })*
    };
}
pub(crate) use display_by_message;

/// The settings that messages name.
pub mod setting {
    use super::Setting;

    /// The waves of a feature: one, or a pair of cosine and sine.
    pub const BASIS: Setting = Setting::new("basis");
    /// The number of features that are drawn to select from.
    pub const CANDIDATES: Setting = Setting::new("candidates");
    /// The board.
    pub const BOARD: Setting = Setting::new("board");
    /// The input columns of categories.
    pub const CATEGORICAL: Setting = Setting::new("categorical");
    /// The clock of the core.
    pub const CLOCK: Setting = Setting::new("clock");
    /// How sure of a class a model must be to name it.
    pub const CONFIDENCE: Setting = Setting::new("confidence");
    /// The character before the decimals of a number.
    pub const DECIMAL: Setting = Setting::new("decimal");
    /// The largest share of normal rows that a model of novelty finds novel.
    pub const FALSE_ALARMS: Setting = Setting::new("false_alarms");
    /// The largest number of features.
    pub const FEATURES: Setting = Setting::new("features");
    /// The largest flash of a model, in bytes.
    pub const FLASH: Setting = Setting::new("flash");
    /// The number of cross-validation folds.
    pub const FOLDS: Setting = Setting::new("folds");
    /// The column whose rows of one value stay in one fold.
    pub const GROUP: Setting = Setting::new("group");
    /// The share of the rows that is held out for testing.
    pub const HOLDOUT: Setting = Setting::new("holdout");
    /// The columns to leave out.
    pub const IGNORE: Setting = Setting::new("ignore");
    /// The columns of inputs.
    pub const INPUTS: Setting = Setting::new("inputs");
    /// The largest number of instructions of a prediction.
    pub const INSTRUCTIONS: Setting = Setting::new("instructions");
    /// The file of targets, beside a file of inputs.
    pub const LABELS: Setting = Setting::new("labels");
    /// The columns whose earlier samples are inputs.
    pub const LAG: Setting = Setting::new("lag");
    /// The longest time of a prediction.
    pub const LATENCY: Setting = Setting::new("latency");
    /// The ridge parameter.
    pub const LAMBDA: Setting = Setting::new("lambda");
    /// The largest difference of a prediction on the device, in standard deviations of the target.
    pub const MAX_ERROR: Setting = Setting::new("max_error");
    /// The memory for blocks of rows.
    pub const MEMORY: Setting = Setting::new("memory");
    /// What candidates for classes are chosen by.
    pub const METRIC: Setting = Setting::new("metric");
    /// What happens to rows with missing values.
    pub const MISSING: Setting = Setting::new("missing");
    /// The number format on the device.
    pub const NUMBER: Setting = Setting::new("number");
    /// The number of inputs per feature.
    pub const ORDER: Setting = Setting::new("order");
    /// The number of rows that features are fitted to, in a table that is read in blocks.
    pub const SAMPLE: Setting = Setting::new("sample");
    /// How rows are divided into folds.
    pub const SPLIT: Setting = Setting::new("split");
    /// The samples from the start of a window to that of the next.
    pub const STEP: Setting = Setting::new("step");
    /// The column of the target.
    pub const TARGET: Setting = Setting::new("target");
    /// The kind of the targets.
    pub const TASK: Setting = Setting::new("task");
    /// The terms beside the features.
    pub const TERMS: Setting = Setting::new("terms");
    /// The time limit of a search.
    pub const TIME: Setting = Setting::new("time");
    /// How the model gets on the board.
    pub const DEPLOY: Setting = Setting::new("deploy");
    /// The folder of the sources of programs.
    pub const FIRMWARE: Setting = Setting::new("firmware");
    /// The method.
    pub const METHOD: Setting = Setting::new("method");
    /// The warp of an input.
    pub const WARP: Setting = Setting::new("warp");
    /// The column of what rows count.
    pub const WEIGHT: Setting = Setting::new("weight");
    /// The samples of a window.
    pub const WINDOW: Setting = Setting::new("window");
}

#[cfg(test)]
mod tests {
    use super::setting::{FEATURES, FLASH, LAMBDA, MAX_ERROR, MISSING, NUMBER};
    use super::{Message, Setting, Written};

    /// Writes options; `lambda` has none, and `max_error` is lacking.
    fn option(setting: &Setting) -> Written {
        match (setting.path(), setting.value()) {
            ("lambda", _) => Written::Plain,
            ("max_error", _) => Written::Lacking,
            (path, None) => Written::As(format!("--{path}")),
            (path, Some(value)) => Written::As(format!("--{path} {value}")),
        }
    }

    #[test]
    fn settings_are_written_by_the_front_end() {
        let bytes = 300;
        let message = message!("{bytes} bytes; raise ", FLASH, " or lower ", FEATURES);
        assert_eq!(message.to_string(), "300 bytes; raise `flash` or lower `features`");
        assert_eq!(message.render(option), "300 bytes; raise --flash or lower --features");
        let message = message!("set ", NUMBER.to("int"), " or ", LAMBDA, "; add ", MISSING.with("drop"));
        assert_eq!(message.to_string(), "set `number` to int or `lambda`; add `missing` drop");
        assert_eq!(message.render(option), "set --number int or `lambda`; add --missing drop");
    }

    #[test]
    fn text_of_the_user_is_never_taken_for_a_setting() {
        let column = "the `flash` of {bytes}";
        let message = message!("the column {column:?} is missing; raise ", FLASH);
        assert_eq!(message.render(option), "the column \"the `flash` of {bytes}\" is missing; raise --flash");
        assert_eq!(message.settings(), [&FLASH]);
        assert_eq!(message.before("flash"), Some(message!("the column {column:?} is missing; raise ")));
        assert_eq!(message.before("bytes"), None);
    }

    #[test]
    fn further_advice_with_a_lacking_setting_is_left_out() {
        let advice = message!("raise ", LAMBDA).and_further(message!(" or ", MAX_ERROR));
        let message = message!(advice, ", or rescale the target");
        assert_eq!(message.to_string(), "raise `lambda` or `max_error`, or rescale the target");
        assert_eq!(message.render(option), "raise `lambda`, or rescale the target");
        let alone = message!("raise ", MAX_ERROR);
        assert_eq!(alone.render(option), "raise `max_error`");
    }

    #[test]
    fn equal_messages_have_equal_parts() {
        assert_eq!(message!("a ", "b", FLASH, ""), message!("a b", FLASH));
        assert_ne!(message!("`flash`"), Message::from(FLASH));
        assert!(Message::from("").is_empty() && message!().is_empty());
    }
}
