//! Uses all that the runtime offers, with lengths that the compiler does not know, and nothing else.
//!
//! The link proves that nothing of it can panic.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
use probes as _;
use srfm_runtime::adapt::Adaptation;
use srfm_runtime::{Error, Model, ModelSlot, include_model};

static MODEL: &[u8] = include_model!("../../../../models/pressure.srfm");

#[entry]
fn main() -> ! {
    let mut slot = ModelSlot::<128>::new();
    loop {
        black_box(use_all(&mut slot, black_box(MODEL)).is_ok());
    }
}

fn use_all(slot: &mut ModelSlot<128>, bytes: &[u8]) -> Result<(), Error> {
    let model = Model::parse(bytes)?;
    let (x, mut y) = (black_box([0.0; 32]), [0.0; 32]);
    let x = x.get(..model.inputs()).unwrap_or_default();
    let y = y.get_mut(..model.outputs()).unwrap_or_default();
    model.predict(x, y)?;
    let class = model.classify(x, y)?.unwrap_or_default();
    let (mut z, mut integers) = (black_box([0; 32]), [0; 32]);
    let z = z.get_mut(..model.inputs()).unwrap_or_default();
    model.prepare(x, z)?;
    model.predict_integers(z, integers.get_mut(..model.outputs()).unwrap_or_default())?;
    black_box((integers, model.scales()));
    black_box((model.outside(x).count(), model.ranges().next(), model.half_width(class), model.level()));
    black_box((model.classes().nth(class), model.importance(), model.features(), model.uses_input(class)));
    adapt(&model, x, black_box(1013.25))?;
    slot.receive(bytes)?;
    slot.commit()?;
    black_box(slot.model());
    Ok(())
}

fn adapt(model: &Model<'_>, x: &[f32], reference: f32) -> Result<(), Error> {
    let mut adapted = Adaptation::<7, 28>::new(model);
    let mut state = black_box([0; Adaptation::<7, 28>::STATE_BYTES]);
    black_box(adapted.restore(model, &state).is_ok());
    black_box((adapted.learn(model, x, reference)?, adapted.predict(model, x)?, adapted.interval.half_width()));
    adapted.drift.count(model.outside(x).count());
    adapted.recalibration.save();
    adapted.recalibration.rollback();
    black_box((adapted.store(model, &mut state).is_ok(), adapted.drift.is_alarmed(), state));
    Ok(())
}
