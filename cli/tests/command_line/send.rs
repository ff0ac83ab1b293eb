//! Updates that are sent to a device, which the tests play.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

use srfm_runtime::update::{Event, Manifest, Policy, Receiver, Sender, Store};
use srfm_testing::{Flash, OwnedModel, Rng, Shape};
use tempfile::TempDir;

use super::{failure, folder_with, json, run};

/// The key of RFC 8410, section 10.3, and its public key.
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
    -----END PRIVATE KEY-----\n";
const PUBLIC: [u8; 32] = [
    0x19, 0xBF, 0x44, 0x09, 0x69, 0x84, 0xCD, 0xFE, 0x85, 0x41, 0xBA, 0xC1, 0x67, 0xDC, 0x3B, 0x96, 0xC8, 0x50, 0x86,
    0xAA, 0x30, 0xB6, 0xB6, 0xCB, 0x0C, 0x5C, 0x38, 0xAD, 0x70, 0x31, 0x66, 0xE1,
];

const POLICY: Policy = Policy::new(0x5eed, 2, 1);

fn open(flash: &Flash<8>, policy: Policy) -> Store<Flash<8>> {
    Store::open(flash.clone(), 0..8192, policy).unwrap()
}

/// A folder with a model and the key, and the bytes of the model.
fn folder() -> (TempDir, Vec<u8>) {
    let shape = Shape { inputs: 2, blocks: vec![(2, 40)], ..Shape::default() };
    let model = OwnedModel::random(&shape, &mut Rng::new(1)).blob().to_vec();
    (folder_with(&[("m.srfm", &model), ("key.pem", KEY.as_bytes())]), model)
}

/// A device behind a port, which leaves every `deaf`th of its answers out. It ends with the connection and returns the
/// bytes of its model.
fn device(policy: Policy, deaf: usize) -> (u16, JoinHandle<Option<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let played = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let flash = Flash::<8>::new(8192, true, 1);
        let (mut store, mut receiver, mut answers) = (open(&flash, policy), Receiver::new(), 0);
        let mut byte = [0];
        while stream.read(&mut byte).is_ok_and(|len| len == 1) {
            let answer = match receiver.feed(byte[0], &mut store) {
                Event::Nothing => continue,
                Event::Answer(frame) => frame,
                Event::Received => {
                    let result = store.commit_in(&mut [0; 1024]);
                    Receiver::answer(result, &store)
                }
            };
            answers += 1;
            if answers % deaf != 0 {
                stream.write_all(answer.as_bytes()).unwrap();
            }
        }
        store.stored().map(|stored| flash.bytes(stored.offset, stored.len))
    });
    (port, played)
}

#[test]
fn a_device_takes_the_update_and_frames_without_an_answer_are_repeated() {
    let (folder, model) = folder();
    let frames = 2 + model.len().div_ceil(128);
    for (deaf, repeated) in [(usize::MAX, 0), (4, (frames - 1) / 3)] {
        let (port, played) = device(POLICY, deaf);
        let to = format!("--to tcp:127.0.0.1:{port} --timeout 0.2s");
        let sent = json(&folder, &format!("send m.srfm {to} --application 0x5eed --sequence 9"));
        assert_eq!(
            (&sent["sequence"], &sent["application"], &sent["confirmed"]),
            (&9.into(), &0x5eed.into(), &true.into())
        );
        assert_eq!((&sent["bytes"], &sent["public_key"]), (&model.len().into(), &serde_json::Value::Null));
        assert_eq!((&sent["frames"], &sent["repeated"]), (&(frames + repeated).into(), &repeated.into()));
        assert_eq!(played.join().unwrap().as_ref(), Some(&model));
    }
}

#[test]
fn refusals_and_deaf_devices_are_failures() {
    let (folder, _) = folder();
    let (port, played) = device(POLICY, usize::MAX);
    let (code, said) = failure(&folder, &format!("send m.srfm --to tcp:127.0.0.1:{port} --sequence 9"));
    let foreign =
        "the update is refused: the update is for another application, or its model has other inputs, outputs or lags";
    assert_eq!((code, said), (1, format!("srfm: tcp:127.0.0.1:{port}: {foreign}\n")));
    assert_eq!(played.join().unwrap(), None);

    let (port, played) = device(POLICY, 1);
    let (code, said) = failure(&folder, &format!("send m.srfm --to tcp:127.0.0.1:{port} --timeout 0.05s"));
    let unanswered = "cannot be reached: 5 frames had no answer within 50ms; check the line, its rate and the firmware";
    assert_eq!((code, said), (1, format!("srfm: tcp:127.0.0.1:{port}: {unanswered}\n")));
    assert_eq!(played.join().unwrap(), None);

    let closed = format!("send m.srfm --to tcp:127.0.0.1:{port}");
    assert!(failure(&folder, &closed).1.contains("cannot be reached"));
    assert!(failure(&folder, "send key.pem --to u").1.starts_with("srfm: key.pem: "));
    let (code, said) = failure(&folder, "send m.srfm --to u --key m.srfm");
    assert_eq!((code, said.lines().count()), (1, 1), "{said}");
    assert!(failure(&folder, "send m.srfm --to no/u").1.contains("the folder no does not exist"));
    assert_eq!(failure(&folder, "send m.srfm --to u --sequence -1").0, 2);
    assert_eq!(failure(&folder, "send m.srfm --to - --json").0, 2);
    assert!(!folder.path().join("u").exists());
}

#[test]
fn a_file_and_standard_output_get_the_frames() {
    let (folder, model) = folder();
    let sent = json(&folder, "send m.srfm --to update.bin --application 24301 --sequence 7");
    assert_eq!(sent["confirmed"], false);
    let update = fs::read(folder.path().join("update.bin")).unwrap();
    let printed = run(&folder, "send m.srfm --to - --application 0x5eed --sequence 7");
    assert_eq!((printed.stdout, printed.stderr), (update.clone(), vec![]));
    let mut expected: Vec<u8> = Vec::new();
    let mut sender = Sender::new(Manifest::new(&model, 7, 0x5eed).unwrap().into(), &model);
    while let Some(frame) = sender.frame() {
        expected.extend(frame.as_bytes());
        sender.advance();
    }
    assert_eq!(update, expected);
}

#[test]
fn the_model_and_the_key_are_kept() {
    let (folder, model) = folder();
    for arguments in ["--to m.srfm", "--to ./m.srfm --key key.pem", "--to key.pem --key key.pem"] {
        let (code, said) = failure(&folder, &format!("send m.srfm {arguments}"));
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("is an input of this command and cannot be its output"), "{said}");
    }
    let kept = ["m.srfm", "key.pem"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(kept, [model, KEY.as_bytes().to_vec()]);
}

#[test]
fn a_signed_update_is_taken_by_its_device_and_an_unsigned_one_is_not() {
    let (folder, model) = folder();
    let policy = POLICY.signed_by(PUBLIC);
    let (port, played) = device(policy, usize::MAX);
    let sent = json(&folder, &format!("send m.srfm --to tcp:127.0.0.1:{port} --application 0x5eed --key key.pem"));
    let public: String = PUBLIC.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(sent["public_key"], public);
    assert!(sent["sequence"].as_u64().unwrap() > 1_700_000_000, "the seconds since 1970");
    assert_eq!(played.join().unwrap(), Some(model));
    let (port, played) = device(policy, usize::MAX);
    let (_, said) = failure(&folder, &format!("send m.srfm --to tcp:127.0.0.1:{port} --application 0x5eed"));
    assert!(said.contains("the update is not signed, and the device has a key"), "{said}");
    assert_eq!(played.join().unwrap(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_serial_device_that_is_silent_is_a_failure() {
    let (folder, _) = folder();
    let (code, said) = failure(&folder, "send m.srfm --to /dev/null --timeout 0.05s");
    assert_eq!((code, said.as_str()), (1, "srfm: /dev/null: cannot be reached: the other end has closed\n"));
    let (code, said) = failure(&folder, "send m.srfm --to /dev/null --baud 115200");
    assert_eq!(code, 1);
    assert!(said.starts_with("srfm: /dev/null: the rate of 115200 baud cannot be set: "), "{said}");
}

#[test]
fn names_of_lines_and_hosts_are_no_files() {
    let (folder, _) = folder();
    for (to, advice) in [
        ("/dev/no-such-line", "connect the device, or correct its name"),
        ("COM3", "connect the device, or correct its name"),
        ("localhost:4321", "a connection is written tcp:HOST:PORT"),
    ] {
        let expected = format!("srfm: --to {to}: there is no such device; {advice}\n");
        assert_eq!(failure(&folder, &format!("send m.srfm --application 1 --to {to}")), (2, expected));
        assert!(!folder.path().join(to).exists());
    }
    assert!(run(&folder, "send m.srfm --application 1 --to COMMON:a").status.success());
}
