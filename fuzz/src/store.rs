//! The store of models in flash: updates, power cuts, restarts and worn bits in any order.

use srfm_runtime::Model;
use srfm_runtime::update::{Manifest, Offer, Policy, Store};
use srfm_testing::{Blob, Flash, OwnedModel, PAGE, Rng, Shape};

use crate::reader::Reader;

pub const APPLICATION: u32 = 0x5EED_CAFE;
pub const POLICY: Policy = Policy::new(APPLICATION, 2, 1);

/// The length of the flash: a page in front of the slots and a page behind them belong to somebody else.
const FLASH: usize = 14 * PAGE;

/// The words of the longest model.
pub const ROOM: usize = (6 * PAGE - 64) / 4;

/// A device: a flash and the store in it.
pub struct Device<const W: usize> {
    pub flash: Flash<W>,
    pub store: Store<Flash<W>>,
}

impl<const W: usize> Device<W> {
    pub fn new(corrects_errors: bool) -> Self {
        let flash = Flash::new(FLASH, corrects_errors, 1);
        Device { store: open(&flash), flash }
    }

    pub fn restart(&mut self) {
        self.flash.power_on(None);
        self.store = open(&self.flash);
    }

    /// Returns the sequence number and the bytes of the model in use, which loads and predicts.
    pub fn in_use(&mut self) -> Option<(u32, Vec<u8>)> {
        let stored = self.store.stored()?;
        let bytes = self.flash.bytes(stored.offset, stored.len);
        let (mut buffer, blob, mut y) = ([0; ROOM], Blob::new(&bytes), [0.0]);
        let model = self.store.load(&mut buffer).expect("the model in use is sound");
        assert_eq!(model.predict(&[0.3, -0.4], &mut y), Ok(()));
        assert!(Model::parse(&blob).is_ok(), "the model in use lies where the store says");
        Some((stored.sequence, bytes))
    }
}

fn open<const W: usize>(flash: &Flash<W>) -> Store<Flash<W>> {
    Store::open(flash.clone(), PAGE as u32..13 * PAGE as u32, POLICY).expect("the area has twelve pages")
}

/// Returns models of two inputs and one output, of different lengths.
pub fn models() -> [Blob; 4] {
    let mut rng = Rng::new(1);
    let mut model = |features| {
        OwnedModel::random(&Shape { inputs: 2, blocks: vec![(2, features)], ..Shape::default() }, &mut rng).blob()
    };
    [model(1), model(7), model(20), model(55)]
}

/// Calls the store in any order, with power that fails at any step: the model in use is the old one or the new one.
pub fn store(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    match reader.byte() % 4 {
        0 => calls::<1>(&mut reader),
        1 => calls::<4>(&mut reader),
        2 => calls::<8>(&mut reader),
        _ => calls::<64>(&mut reader),
    }
}

/// What may be found after a restart.
#[derive(Default)]
struct Expected {
    old: Option<(u32, Vec<u8>)>,
    /// The model whose taking into use power may have cut.
    new: Option<(u32, Vec<u8>)>,
    /// Whether bits were flipped: the store may find the other slot's model, or none.
    is_worn: bool,
}

impl Expected {
    fn check(&mut self, found: Option<(u32, Vec<u8>)>, cut: bool) {
        if !self.is_worn {
            let is_new = cut && self.new.is_some() && found == self.new;
            assert!(found == self.old || is_new, "neither the old model nor the new one");
        }
        self.old = found;
    }
}

fn calls<const W: usize>(reader: &mut Reader<'_>) {
    let mut device = Device::<W>::new(reader.byte().is_multiple_of(2));
    let (models, mut expected, mut cut) = (models(), Expected::default(), false);
    let mut offered: Option<(u32, Vec<u8>)> = None;
    while !reader.is_empty() {
        match reader.byte() % 10 {
            0 | 1 => {
                let (model, sequence) = (&models[reader.below(4)], u32::from(reader.byte()));
                let offer = Offer::from(Manifest::new(model, sequence, APPLICATION).expect("a short model"));
                if device.store.begin(&offer).is_ok() {
                    offered = Some((sequence, model.to_vec()));
                }
                keep_received(&device, &mut offered);
            }
            2 => {
                let words = [reader.word(), reader.word(), reader.word(), reader.word()];
                let [sequence, application, len, checksum] = words;
                let manifest = Manifest { sequence, application: application ^ APPLICATION, len, checksum };
                if device.store.begin(&manifest.into()).is_ok() {
                    offered = None;
                }
                keep_received(&device, &mut offered);
            }
            3..6 => receive(&mut device, reader.byte(), offered.as_ref()),
            6 => commit(&mut device, &mut offered, &mut expected),
            7 => {
                device.flash.power_on(Some(usize::from(reader.byte()) << (reader.byte() % 4)));
                cut = true;
            }
            8 => {
                device.restart();
                let found = device.in_use();
                expected.check(found, cut);
                (offered, expected.new, cut) = (None, None, false);
            }
            _ => {
                let at = PAGE as u32 + (reader.word() % (12 * PAGE) as u32);
                device.flash.flip(at, 1 << reader.below(8));
                expected.is_worn = true;
            }
        }
    }
    device.restart();
    let found = device.in_use();
    expected.check(found, cut);
    for page in [0, FLASH - PAGE] {
        assert_eq!(device.flash.bytes(page as u32, PAGE), [0xFF; PAGE], "pages beside the slots");
    }
}

/// Forgets an offer that the store has dropped. A refused offer leaves the one before.
fn keep_received<const W: usize>(device: &Device<W>, offered: &mut Option<(u32, Vec<u8>)>) {
    if device.store.receiving().is_none() {
        *offered = None;
    }
}

/// Hands the store the next bytes of the model that it wants, or bytes that belong to no model.
fn receive<const W: usize>(device: &mut Device<W>, amount: u8, offered: Option<&(u32, Vec<u8>)>) {
    let at = device.store.receiving().map_or(0, |(_, received)| received as usize);
    let _ = match offered {
        Some((_, model)) => {
            let rest = &model[at.min(model.len())..];
            device.store.receive(&rest[..rest.len().min(8 * usize::from(amount))])
        }
        None => device.store.receive(&vec![amount; usize::from(amount)]),
    };
}

/// Takes the received model into use.
fn commit<const W: usize>(device: &mut Device<W>, offered: &mut Option<(u32, Vec<u8>)>, expected: &mut Expected) {
    let incomplete = device.store.receiving().is_none_or(|(manifest, received)| received < manifest.len);
    let result = device.store.commit_in(&mut [0; ROOM]);
    if incomplete {
        assert!(result.is_err(), "an update that is not complete");
        return;
    }
    match result {
        Ok(()) => {
            let taken = offered.take();
            assert!(taken.is_some() || expected.is_worn, "a model that nobody offered");
            (expected.old, expected.new) = (taken.or_else(|| device.in_use()), None);
        }
        Err(_) => expected.new = offered.take(),
    }
}
