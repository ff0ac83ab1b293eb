//! Fits that are killed and go on: the same bytes, whatever the moment.

use std::os::unix::fs::MetadataExt;
use std::process::Stdio;
use std::time::Duration;

use super::*;

const SETTINGS: &str = "\
folds = 3
[grid]
lambdas = [1e-4, 1e-2]
[method.arff]
features = 12
steps = 300
batch = 100
";

const FIT: &str = "fit data.csv --method arff --config s.toml --order 1,2 -o model.srfm --checkpoint c";

fn prepared() -> TempDir {
    let folder = folder_with(&[("s.toml", SETTINGS.as_bytes())]);
    for seed in [1, 2] {
        let name = if seed == 1 { "data.csv" } else { "other.csv" };
        assert!(run(&folder, &format!("generate friedman2 --rows 240 --seed {seed} -o {name}")).status.success());
    }
    folder
}

/// Ends a fit without notice after it has written its checkpoint some times.
fn kill_after(folder: &TempDir, writes: u64) {
    kill(folder, FIT, writes);
}

fn kill(folder: &TempDir, arguments: &str, writes: u64) {
    let mut fit = srfm();
    fit.args(arguments.split(' ')).args(["--checkpoint-every", "0"]).current_dir(folder.path());
    let mut fit = fit.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Every write is a new file in the place of the last.
    let written = || fs::metadata(folder.path().join("c")).map_or(0, |file| file.ino());
    let (mut last, mut seen) = (written(), 0);
    while seen < writes {
        assert!(fit.try_wait().unwrap().is_none(), "the fit ended after {seen} writes");
        std::thread::sleep(Duration::from_micros(100));
        let now = written();
        seen += u64::from(now != last);
        last = now;
    }
    fit.kill().unwrap();
    fit.wait().unwrap();
}

/// Numbers of writes from 1 to 60, from a linear congruential generator (Knuth's MMIX).
fn moments() -> impl Iterator<Item = u64> {
    let step =
        |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    std::iter::successors(Some(11), step).skip(1).map(|state| 1 + (state >> 33) % 60)
}

#[test]
fn a_killed_search_goes_on_to_the_same_bytes() {
    let folder = folder_with(&[("t.csv", table(30).as_bytes())]);
    let search = "fit t.csv --folds 2 --max-features 2 --lambda 1e-3 -o model.srfm --checkpoint c";
    assert!(run(&folder, search).status.success());
    let undisturbed = fs::read(folder.path().join("model.srfm")).unwrap();
    for writes in [3, 9] {
        kill(&folder, search, writes);
    }
    let output = run(&folder, search);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("resumed"));
    assert_eq!(fs::read(folder.path().join("model.srfm")).unwrap(), undisturbed);
}

#[test]
fn a_killed_fit_goes_on_to_the_same_bytes() {
    let folder = prepared();
    let model = folder.path().join("model.srfm");
    assert!(run(&folder, FIT.strip_suffix(" --checkpoint c").unwrap()).status.success());
    let undisturbed = fs::read(&model).unwrap();
    fs::remove_file(&model).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().count();
    let mut moments = moments();
    // Killed once at three moments, then three times on the way.
    for kills in [1, 1, 1, 3] {
        for _ in 0..kills {
            // Of some 2000 writes: a busy machine sees but a part of them.
            kill_after(&folder, moments.next().unwrap());
        }
        assert!(!model.exists());
        let resumed = run(&folder, FIT);
        let said = String::from_utf8_lossy(&resumed.stderr);
        assert!(resumed.status.success() && said.contains("resumed from c"), "{said}");
        assert_eq!(fs::read(&model).unwrap(), undisturbed);
        fs::remove_file(&model).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files, "the checkpoint is gone");
    }
}

#[test]
fn a_checkpoint_of_another_metric_is_refused() {
    let row = |i: usize| format!("{},{},{}\n", (i as f64 * 1.7).sin(), (i as f64 * 2.9).sin(), ["a", "b", "c"][i % 3]);
    let text = "x,y,class\n".to_owned() + &(0..240).map(row).collect::<String>();
    let folder = folder_with(&[("s.toml", SETTINGS.as_bytes()), ("data.csv", text.as_bytes())]);
    let fit = format!("{FIT} --task classification");
    kill(&folder, &fit, 20);
    let (code, said) = failure(&folder, &format!("{fit} --metric brier"));
    assert!(code == 1 && said.contains("c: is the checkpoint of a fit with other settings; delete it"), "{said}");
    assert!(run(&folder, &fit).status.success());
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let folder = prepared();
    kill_after(&folder, 20);
    let checkpoint = folder.path().join("c");
    let good = fs::read(&checkpoint).unwrap();
    let with_data = FIT.replace("data.csv", "other.csv");
    let cases: [(&str, &[u8], &[&str]); 8] = [
        (&with_data, &good, &["other data", "delete", "--checkpoint"]),
        (&format!("{FIT} --max-features 9"), &good, &["other settings"]),
        (&format!("{FIT} --holdout 0.2"), &good, &["other data"]),
        (&format!("{FIT} --seed 7"), &good, &["with seed 1"]),
        (&format!("{FIT} --split forward"), &good, &["other settings"]),
        (FIT, &good[..good.len() / 2], &["damaged", "delete"]),
        (FIT, b"a,b\n1,2\n", &["no srfm checkpoint", "another file"]),
        (FIT, b"", &["no srfm checkpoint"]),
    ];
    for (arguments, bytes, expected) in cases {
        fs::write(&checkpoint, bytes).unwrap();
        let output = run(&folder, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.lines().count()), (Some(1), 1), "{said}");
        for part in ["c: "].iter().chain(expected) {
            assert!(said.contains(part), "{said:?} should name {part:?}");
        }
        assert_eq!(fs::read(&checkpoint).unwrap(), bytes, "the file was touched");
        assert!(!folder.path().join("model.srfm").exists());
    }
    let cases = [("-o model.srfm", "-o c", "c: "), ("--checkpoint c", "--checkpoint data.csv", "data.csv")];
    for (from, to, expected) in cases {
        let output = run(&folder, &FIT.replace(from, to));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(expected) && said.contains("another file"), "{said}");
    }
}
