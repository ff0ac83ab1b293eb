//! Faults of the workstation: full disks, closed pipes, signals, folders that cannot be written. An output file is the
//! old one or the new one, and one sentence says what is wrong.

use std::io::PipeWriter;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::interruption::catches_interrupts;
use super::*;

/// The content of files that a fault must not change. It has no words, so that every command may replace it.
const OLD: &[u8] = b"\n";

/// A folder with rows, a model, features and sums.
fn prepared() -> TempDir {
    let folder = folder_with(&[("t.csv", table(400).as_bytes())]);
    for arguments in [
        "fit t.csv --method harfe --max-features 5 -o m.srfm",
        "fit t.csv --method harfe --max-features 5 --features f.features",
        "gram f.features t.csv -o s.sums",
    ] {
        let output = run(&folder, arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}

/// Commands with their outputs, the first of which exists.
const COMMANDS: [(&str, &[&str]); 9] = [
    ("generate friedman1 --rows 400 -o out", &["out"]),
    ("fit t.csv --method harfe --max-features 5 -o out", &["out", "out.json"]),
    ("fit t.csv --method harfe --max-features 5 --features out", &["out"]),
    ("predict m.srfm t.csv -o out", &["out"]),
    ("gram f.features t.csv -o out", &["out"]),
    ("merge f.features s.sums -o out", &["out", "out.json"]),
    ("export m.srfm --c out", &["out"]),
    ("report m.srfm t.csv -o out", &["out"]),
    ("export m.srfm --layout arduino --c folder", &["folder"]),
];

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Checks that a command failed with one sentence.
fn assert_one_sentence(output: &Output, code: i32, arguments: &str) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {said}");
    assert!(said.lines().count() == 1 && said.starts_with("srfm: "), "{arguments}: {said}");
    said
}

/// Runs a command by the shell, which limits the length of files to `blocks` of 512 bytes.
fn run_limited(folder: &TempDir, arguments: &str, blocks: usize) -> Output {
    let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}");
    Command::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_srfm")]).current_dir(folder.path()).output().unwrap()
}

#[test]
fn a_disk_that_is_full_leaves_the_old_files() {
    let folder = prepared();
    for (arguments, outputs) in COMMANDS {
        let made = outputs.iter().filter(|output| **output != "folder");
        made.for_each(|output| fs::write(folder.path().join(output), OLD).unwrap());
        let before = names(folder.path());
        let output = run_limited(&folder, arguments, 0);
        let said = assert_one_sentence(&output, 1, arguments);
        assert!(said.contains("cannot be written") && said.contains(outputs[0]), "{arguments}: {said}");
        assert_eq!(names(folder.path()), before, "{arguments}");
        for output in outputs.iter().filter(|output| **output != "folder") {
            assert_eq!(fs::read(folder.path().join(output)).unwrap(), OLD, "{arguments}");
            fs::remove_file(folder.path().join(output)).unwrap();
        }
    }
}

#[test]
fn a_model_and_its_description_are_written_together() {
    let folder = prepared();
    assert!(run(&folder, "fit t.csv --method harfe --max-features 60 --order 2 -o large.srfm").status.success());
    let length = |name: &str| fs::metadata(folder.path().join(name)).unwrap().len();
    // The description fits within the limit, the model does not.
    let blocks = length("large.srfm.json").div_ceil(512);
    assert!(length("large.srfm") > 512 * blocks, "{} and {}", length("large.srfm"), length("large.srfm.json"));
    let before = ["m.srfm", "m.srfm.json"].map(|name| fs::read(folder.path().join(name)).unwrap());
    let output =
        run_limited(&folder, "fit t.csv --method harfe --max-features 60 --order 2 -o m.srfm", blocks as usize);
    assert_one_sentence(&output, 1, "fit");
    assert_eq!(before, ["m.srfm", "m.srfm.json"].map(|name| fs::read(folder.path().join(name)).unwrap()));
    let said = String::from_utf8(run(&folder, "predict m.srfm t.csv").stderr).unwrap();
    assert_eq!(said, "", "the description belongs to the model");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_that_is_full_is_named() {
    let folder = prepared();
    for arguments in ["generate friedman1 --rows 400 -o /dev/full", "predict m.srfm t.csv -o /dev/full"] {
        let said = assert_one_sentence(&run(&folder, arguments), 1, arguments);
        assert!(said.contains("/dev/full: cannot be written: No space left"), "{said}");
    }
    for arguments in
        ["generate friedman1 --rows 400", "predict m.srfm t.csv", "inspect m.srfm", "inspect m.srfm --json"]
    {
        let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let command = |stderr| {
            srfm().args(arguments.split(' ')).current_dir(folder.path()).stdout(full()).stderr(stderr).output().unwrap()
        };
        let said = assert_one_sentence(&command(Stdio::piped()), 1, arguments);
        assert!(said.contains("No space left"), "{said}");
        // Nobody hears the sentence, and the exit code stays.
        assert_eq!(command(Stdio::from(full())).status.code(), Some(1), "{arguments}");
    }
}

/// Returns the end of a pipe that nobody reads.
fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let folder = prepared();
    for arguments in
        ["generate friedman1 --rows 20000", "predict m.srfm t.csv", "inspect m.srfm", "inspect m.srfm --json"]
    {
        let output = srfm()
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .stdout(closed_pipe())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
    }
    // With standard error closed as well, messages are lost and the exit codes stay.
    for (arguments, code) in [
        ("predict absent.srfm t.csv", 1),
        ("fit t.csv -o t.csv", 2),
        ("generate friedman1 --rows 9 -o new.csv", 0),
        ("fit --unknown", 2),
    ] {
        let mut child = srfm();
        child.args(arguments.split(' ')).current_dir(folder.path()).stdout(Stdio::null()).stderr(closed_pipe());
        assert_eq!(child.status().unwrap().code(), Some(code), "{arguments}");
    }
}

#[test]
fn a_fit_that_is_terminated_ends_in_order() {
    let folder = folder_with(&[("m.srfm", OLD)]);
    assert!(run(&folder, "generate friedman1 --rows 4000 -o d.csv").status.success());
    for name in ["-TERM", "-HUP"] {
        let arguments = "fit d.csv --method harfe --lambda 1e-9 --max-features 4000 -o m.srfm";
        let mut command = srfm();
        command.args(arguments.split(' ')).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        while !catches_interrupts(child.id()) {
            sleep(Duration::from_millis(20));
        }
        sleep(Duration::from_millis(300)); // in the middle of the work
        assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
        let begun = Instant::now();
        let output = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: the fit goes on");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{name}: {said}");
        assert_eq!(said.lines().filter(|line| line.starts_with("srfm: ")).count(), 1, "{name}: {said}");
        assert_eq!(names(folder.path()), ["d.csv", "m.srfm"], "{name}");
        assert_eq!(fs::read(folder.path().join("m.srfm")).unwrap(), OLD, "{name}");
    }
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_file_or_the_new_one() {
    let folder = folder_with(&[]);
    let generate = |rows: usize, seed: usize| format!("generate friedman1 --rows {rows} --seed {seed} -o out.csv");
    let mut outcomes = [0, 0];
    assert!(run(&folder, &generate(3000, 0)).status.success());
    let mut old = fs::read(folder.path().join("out.csv")).unwrap();
    // Each outcome moves the next kill towards the other one, so that kills gather around the moment of writing on a
    // machine of any speed and load.
    let mut delay = Duration::from_millis(1);
    for seed in 1..60 {
        let mut child = srfm()
            .args(generate(3000, seed).split(' '))
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(delay);
        let _ = child.kill();
        child.wait().unwrap();
        let found = fs::read(folder.path().join("out.csv")).unwrap();
        let is_new = found != old;
        if is_new {
            assert!(run(&folder, &generate(3000, seed)).status.success());
            assert!(fs::read(folder.path().join("out.csv")).unwrap() == found, "kill {seed}: neither old nor new");
        }
        outcomes[usize::from(is_new)] += 1;
        delay = delay.mul_f64(if is_new { 0.8 } else { 1.25 });
        old = found;
    }
    assert!(outcomes[0] > 5 && outcomes[1] > 5, "{outcomes:?} old and new");
}

#[test]
fn processes_with_one_output_leave_the_file_of_one_of_them() {
    let folder = prepared();
    let whole: Vec<Vec<u8>> =
        (0..6).map(|seed| run(&folder, &format!("generate friedman1 --rows 3000 --seed {seed}")).stdout).collect();
    let before = names(folder.path());
    for _ in 0..5 {
        let fits = (0..3).map(|seed| format!("fit t.csv --method harfe --max-features 5 --seed {seed} -o m.srfm"));
        let generated = (0..6).map(|seed| format!("generate friedman1 --rows 3000 --seed {seed} -o out.csv"));
        let start = |arguments: String| {
            let mut command = srfm();
            command.args(arguments.split(' ')).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
            command.spawn().unwrap()
        };
        let children: Vec<Child> = fits.chain(generated).map(start).collect();
        for mut child in children {
            assert_eq!(child.wait().unwrap().code(), Some(0));
        }
        assert!(whole.contains(&fs::read(folder.path().join("out.csv")).unwrap()), "a file of no process");
        assert!(run(&folder, "inspect m.srfm").status.success());
        fs::remove_file(folder.path().join("out.csv")).unwrap();
        assert_eq!(names(folder.path()), before);
    }
}

/// Runs the command as a user who is not the superuser, to whom every folder is open. None where there is no such user.
fn run_as_other_user(folder: &TempDir, arguments: &str) -> Option<Output> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0);
    if !is_root {
        return Some(run(folder, arguments));
    }
    let program = folder.path().join("srfm");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_srfm"), &program).unwrap();
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(program);
    command.args(arguments.split(' ')).current_dir(folder.path()).output().ok()
}

#[test]
fn a_folder_that_cannot_be_written_is_named_at_once() {
    let folder = prepared();
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::write(locked.join("out"), OLD).unwrap();
    fs::write(locked.join("out.json"), OLD).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    for (arguments, _) in COMMANDS {
        let arguments = arguments.replace(" out", " locked/out").replace(" folder", " locked/folder");
        let Some(output) = run_as_other_user(&folder, &arguments) else {
            return srfm_testing::skip("setpriv cannot be started: run `apt-get install util-linux`");
        };
        let said = assert_one_sentence(&output, 1, &arguments);
        assert!(said.contains("cannot be written: permission denied"), "{arguments}: {said}");
        assert_eq!(names(&locked), ["out", "out.json"], "{arguments}");
        assert_eq!(fs::read(locked.join("out")).unwrap(), OLD, "{arguments}");
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn links_lead_to_the_file_that_is_written() {
    let folder = prepared();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("other")).unwrap();
    fs::write(path("other/goal"), OLD).unwrap();
    symlink("other/goal", path("first")).unwrap();
    symlink("first", path("second")).unwrap();
    assert!(run(&folder, "generate friedman1 --rows 9 -o second").status.success());
    assert!(fs::symlink_metadata(path("first")).unwrap().is_symlink());
    assert!(fs::symlink_metadata(path("second")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(path("other/goal")).unwrap().lines().count(), 10);
    assert_eq!(names(&path("other")), ["goal"]);
    // Links that lead nowhere.
    symlink("b", path("a")).unwrap();
    symlink("a", path("b")).unwrap();
    symlink("absent/goal", path("lost")).unwrap();
    symlink("other", path("to_folder")).unwrap();
    let before = names(folder.path());
    for link in ["a", "lost", "to_folder"] {
        let arguments = format!("generate friedman1 --rows 9 -o {link}");
        let said = assert_one_sentence(&run(&folder, &arguments), 1, &arguments);
        assert!(said.contains("cannot be written"), "{said}");
    }
    assert_eq!(names(folder.path()), before);
}
