//! What waves take of a budget.

use std::fmt;
use std::sync::Arc;

use crate::features::Feature;

type Share = dyn Fn(&[Feature]) -> f64 + Send + Sync;

/// What waves take of the budget of a fit, as a setting of a method; nothing without a budget.
///
/// It follows from the data, the budget and the other settings. So it is neither stored nor compared with these.
#[derive(Clone, Default)]
pub struct Taken(Option<Arc<Share>>);

impl Taken {
    /// Waves take what `share` returns: 0 of the room that a budget leaves beside the rest of the model, 1 of all of
    /// it, more than 1 where they exceed the budget.
    pub(crate) fn new(share: impl Fn(&[Feature]) -> f64 + Send + Sync + 'static) -> Taken {
        Taken(Some(Arc::new(share)))
    }

    /// Waves take as much of a part of the room.
    pub(in crate::method) fn of_part(&self, part: f64) -> Taken {
        Taken(self.0.clone().map(|share| Arc::new(move |waves: &[Feature]| share(waves) / part) as Arc<Share>))
    }

    /// Returns the share of the room that waves take.
    pub(crate) fn by(&self, waves: &[Feature]) -> f64 {
        self.0.as_ref().map_or(0.0, |share| share(waves))
    }
}

impl PartialEq for Taken {
    fn eq(&self, _: &Taken) -> bool {
        true
    }
}

impl fmt::Debug for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Taken")
    }
}
