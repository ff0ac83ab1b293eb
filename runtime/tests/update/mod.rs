//! Models in flash: power cuts, refusals, links.

mod answers;
mod link;
mod power;
mod reads;
mod refusals;
mod signed;
mod writes;

use srfm_runtime::Model;
use srfm_runtime::update::{Error, Manifest, Offer, Policy, Store};
use srfm_testing::{Blob, Flash, OwnedModel, PAGE, Rng, Shape};

/// The application of the tests.
const APPLICATION: u32 = 0x5EED_CAFE;

/// The area of the slots: a page in front of it and a page behind it belong to somebody else.
const AREA: std::ops::Range<u32> = PAGE as u32..13 * PAGE as u32;

/// The length of the flash.
const FLASH: usize = 14 * PAGE;

/// The bytes of a slot, less its record.
const ROOM: usize = 6 * PAGE - 64;

const POLICY: Policy = Policy::new(APPLICATION, 2, 1);

/// A model of two inputs and one output.
fn model(features: usize, rng: &mut Rng) -> Blob {
    OwnedModel::random(&Shape { inputs: 2, blocks: vec![(2, features)], ..Shape::default() }, rng).blob()
}

fn offer(model: &[u8], sequence: u32) -> Offer {
    Manifest::new(model, sequence, APPLICATION).unwrap().into()
}

fn open<const W: usize>(flash: &Flash<W>, policy: Policy) -> Store<Flash<W>> {
    Store::open(flash.clone(), AREA, policy).unwrap()
}

/// Sends a model to a store in pieces of random lengths and takes it into use.
fn update<const W: usize>(
    store: &mut Store<Flash<W>>,
    offer: &Offer,
    model: &[u8],
    rng: &mut Rng,
) -> Result<(), Error> {
    store.begin(offer)?;
    let (longest, mut rest) = ([1, 7, 64, 200][rng.below(4)], model);
    while !rest.is_empty() {
        let (piece, later) = rest.split_at((1 + rng.below(longest)).min(rest.len()));
        store.receive(piece)?;
        rest = later;
    }
    store.commit_in(&mut [0; ROOM / 4])
}

/// The bytes of the model in use, and its sequence number.
fn in_use<const W: usize>(store: &mut Store<Flash<W>>, flash: &Flash<W>) -> Option<(u32, Vec<u8>)> {
    let stored = store.stored()?;
    let bytes = flash.bytes(stored.offset, stored.len);
    // Both ways to the model lead to the same predictions.
    let (mut buffer, blob, x) = ([0; ROOM / 4], Blob::new(&bytes), [0.3, -0.4]);
    let (mut copied, mut mapped, mut original) = ([0.0], [0.0], [0.0]);
    store.load(&mut buffer).unwrap().predict(&x, &mut copied).unwrap();
    store.view(|_| &blob).unwrap().predict(&x, &mut mapped).unwrap();
    Model::parse(&blob).unwrap().predict(&x, &mut original).unwrap();
    assert_eq!((copied[0].to_bits(), mapped[0].to_bits()), (original[0].to_bits(), original[0].to_bits()));
    Some((stored.sequence, bytes))
}
