//! Updates in the field: models in two slots of flash, received in pieces, checked, and only then taken into use.
//!
//! [`Store`] writes to any flash with the traits of `embedded-storage`. [`Receiver`] and [`Sender`] are the ends of a
//! link of bytes; any other link hands its pieces to the store itself. `docs/updates.md` in the repository describes
//! what a power cut, a damaged link and a stranger can do.

mod error;
mod frame;
mod incoming;
mod manifest;
mod policy;
mod receiver;
mod record;
mod sender;
#[cfg(feature = "signature")]
mod signature;
mod slots;
mod store;

pub use error::{Error, Refusal};
pub use frame::Frame;
pub use manifest::{Manifest, Offer, Signed};
pub use policy::Policy;
pub use receiver::{Event, Receiver};
pub use sender::Sender;
pub use store::{Store, Stored};
