//! Messages with the labels of the page in place of settings.

use srfm_trainer::message::{Message, Setting, Written};

/// The labels of the page by the settings that messages name.
const LABELS: [(&str, &str); 17] = [
    ("categorical", "the role “category”"),
    ("decimal", "“Decimal comma”"),
    ("deploy", "“Budget counts”"),
    ("effort", "“Effort”"),
    ("flash", "“Bytes of flash”"),
    ("folds", "“Folds”"),
    ("group", "the role “group”"),
    ("holdout", "“Held-out rows”"),
    ("ignore", "the role “not used”"),
    ("instructions", "“Instructions”"),
    ("lag", "“Earlier samples”"),
    ("missing", "“Missing values”"),
    ("split", "“Division of rows”"),
    ("step", "“Step”"),
    ("target", "the role “target”"),
    ("task", "“Target is”"),
    ("window", "“Window”"),
];

/// Returns a message with the labels of the page in place of settings.
pub fn said(message: &Message) -> String {
    message.render(|setting: &Setting| match LABELS.iter().find(|(path, _)| *path == setting.path()) {
        Some((_, label)) => Written::As(match setting.value() {
            Some(value) => format!("{label}: {value}"),
            None => (*label).to_owned(),
        }),
        None => Written::Lacking,
    })
}
