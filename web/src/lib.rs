//! Tables, searches, predictions and files for the page in `web/page/`, which calls this library as WebAssembly.
//!
//! [`Session`] answers calls. [`glue`] exports it to JavaScript.

mod call;
mod files;
pub mod glue;
mod labels;
mod outcome;
mod search;
mod session;
mod wanted;

pub use search::Page;
pub use session::Session;
pub use wanted::Wanted;
