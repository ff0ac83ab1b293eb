//! Output files: each has a name of its own, and takes the place of no file of another kind.

use std::fs;

use tempfile::TempDir;

use super::{failure, folder_with, run, table};

const FIT: &str = "fit t.csv --method compact --max-features 3 --order 1 --lambda 1e-3";

/// A folder with rows, a note, a model, features, sums, C, a page and an update.
fn prepared() -> TempDir {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("keep.csv", b"a note\n")]);
    for _ in 0..2 {
        // The second time, every file takes the place of its own kind.
        for arguments in [
            &*format!("{FIT} -o m.srfm --features f.features --c m.h --report m.html --checkpoint c"),
            "gram f.features t.csv -o s.sums",
            "send m.srfm --to update.bin --sequence 1",
        ] {
            let output = run(&folder, arguments);
            assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }
    fs::create_dir(folder.path().join("sub")).unwrap();
    folder
}

/// The names of the files of a folder and their bytes.
fn contents(folder: &TempDir) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap());
    let named = files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap_or_default()));
    let mut contents: Vec<_> = named.collect();
    contents.sort();
    contents
}

#[test]
fn a_fit_does_not_write_one_file_twice() {
    let folder = prepared();
    let before = contents(&folder);
    for (first, second, options) in [
        ("--output", "--checkpoint", "-o x --checkpoint ./x"),
        ("--output", "--checkpoint", "-o x.srfm --checkpoint x.srfm.json"),
        ("--output", "--c", "-o m.srfm --c ./m.srfm"),
        ("--output", "--c", "-o x.srfm --c x.srfm.json"),
        ("--output", "--features", "-o m.srfm --features ./m.srfm"),
        ("--output", "--report", "-o m.srfm --report sub/../m.srfm"),
        ("--output", "--report", "-o m.srfm --report m.srfm.json"),
        ("--features", "--checkpoint", "--features f.features --checkpoint f.features"),
        ("--features", "--c", "--features x --c sub/../x.json"),
        ("--c", "--checkpoint", "--c x.h --checkpoint x.h"),
        ("--report", "--c", "--report x.html --c ./x.html"),
    ] {
        let (code, said) = failure(&folder, &format!("{FIT} {options}"));
        assert_eq!((code, said.lines().count()), (2, 1), "{options}: {said}");
        let expected = format!(": {first} and {second} write this file; name another file\n");
        assert!(said.ends_with(&expected), "{options}: {said}");
        assert!(contents(&folder) == before, "{options}: a file has changed");
    }
}

#[test]
fn files_of_another_kind_and_inputs_are_kept() {
    let folder = prepared();
    let before = contents(&folder);
    let cases: [(&str, i32, &str); 8] = [
        (&format!("{FIT} --features keep.csv"), 1, "keep.csv: is there already and is not a file of features"),
        (&format!("{FIT} --features s.sums"), 1, "s.sums: is there already and is not a file of features"),
        ("gram f.features t.csv -o keep.csv", 1, "keep.csv: is there already and is not a file of sums"),
        ("gram f.features t.csv -o m.srfm", 1, "m.srfm: is there already and is not a file of sums"),
        ("send m.srfm --to keep.csv", 1, "keep.csv: is there already and is not an update"),
        ("send m.srfm --to m.srfm.json", 1, "m.srfm.json: is there already and is not an update"),
        ("predict m.srfm t.csv -o m.srfm.json", 2, "m.srfm.json: is an input of this command"),
        ("merge f.features s.sums ./s.sums -o x.srfm", 2, "./s.sums: is named twice"),
    ];
    for (arguments, code, part) in cases {
        let (found, said) = failure(&folder, arguments);
        assert_eq!((found, said.lines().count()), (code, 1), "{arguments}: {said}");
        assert!(said.contains(part), "{arguments}: {said:?} should contain {part:?}");
        assert!(contents(&folder) == before, "{arguments}: a file has changed");
    }
}

#[test]
fn a_minus_is_no_file() {
    let folder = prepared();
    let before = contents(&folder);
    let fit = |option: &str| format!("{FIT} {option} -");
    for arguments in [
        "generate pressure -o -",
        "demo -o -",
        &fit("-o"),
        &fit("--c"),
        &fit("--report"),
        &fit("--features"),
        &fit("--checkpoint"),
        "predict m.srfm t.csv -o -",
        "compare t.csv -o -",
        "report m.srfm t.csv -o -",
        "gram f.features t.csv -o -",
        "merge f.features s.sums -o -",
        "export m.srfm --c -",
        "export m.srfm --layout cmake --c -",
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        assert!(said.starts_with("srfm: -: cannot be an output; "), "{arguments}: {said}");
        assert!(contents(&folder) == before, "{arguments}: a file has changed");
    }
}
