//! Model files and output files.

use std::fs;
use std::process::Command;

use super::{failure, folder_with, json, run, table};

#[test]
fn bad_models_and_samples_of_the_wrong_width_are_refused() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("wide.csv", b"1,2,3,4\n5,6,7,8\n")]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let good = fs::read(folder.path().join("m.srfm")).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    let mut future = good.clone();
    future[4] = 9;
    let long = [&good[..], b"x"].concat();
    let swapped = table(10).replace("a,b,y", "b,a,y");
    for (name, bytes) in [
        ("cut.srfm", &good[..good.len() - 1]),
        ("flipped.srfm", &flipped),
        ("future.srfm", &future),
        ("swapped.csv", swapped.as_bytes()),
        ("inputs.csv", b"a,b\n1,2\n"),
        ("none.srfm", b""),
        ("long.srfm", &long),
        ("alone.srfm", &good),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let cases: [(&str, &[&str]); 12] = [
        ("predict cut.srfm t.csv", &["cut.srfm", "cut short"]),
        ("predict none.srfm t.csv", &["none.srfm", "the file is empty"]),
        ("inspect flipped.srfm", &["flipped.srfm", "corrupt"]),
        ("inspect future.srfm", &["future.srfm", "version 9"]),
        ("inspect long.srfm", &["long.srfm", "after the end of the model (1)"]),
        ("inspect t.csv", &["t.csv", "not an srfm model"]),
        (
            "inspect absent.srfm",
            &["absent.srfm: cannot be read: there is no such file; check its name and its folder\n"],
        ),
        ("predict alone.srfm wide.csv", &["4 columns", "(alone.srfm.json, which names the columns, is missing)\n"]),
        ("evaluate alone.srfm swapped.csv", &["(alone.srfm.json, which names the columns, is missing)\n"]),
        ("predict m.srfm wide.csv", &["wide.csv", "4 columns", "2 inputs"]),
        ("evaluate alone.srfm swapped.csv", &["swapped.csv", "b, a", "order"]),
        ("evaluate m.srfm inputs.csv", &["inputs.csv", "target"]),
    ];
    for (arguments, expected) in cases {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (1, 1), "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
}

#[test]
fn a_file_that_is_read_is_never_written() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("s.toml", b"folds = 3\n")]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    fs::create_dir(folder.path().join("sub")).unwrap();
    let before = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let (data, model, settings) = (before("t.csv"), before("m.srfm"), before("s.toml"));
    for arguments in [
        "fit t.csv --method harfe -o t.csv",
        "fit t.csv --method harfe -o sub/../t.csv",
        "fit t.csv --config s.toml -o s.toml",
        "predict m.srfm t.csv -o t.csv",
        "predict m.srfm t.csv -o ./m.srfm",
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("is an input of this command") && said.contains("name another file"), "{said}");
    }
    assert_eq!((data, model, settings), (before("t.csv"), before("m.srfm"), before("s.toml")));
    // A model has no name of another kind of file, whether there is such a file or not.
    for (output, other) in
        [("new.csv", "new.srfm"), ("sub/m.JSON", "sub/m.srfm"), ("m.c", "m.srfm"), ("m.html", "m.srfm")]
    {
        let (code, said) = failure(&folder, &format!("fit t.csv --method harfe -o {output}"));
        assert_eq!((code, said.lines().count()), (2, 1), "{said}");
        let expected = format!("file; name another file, such as {other}\n");
        assert!(
            said.starts_with(&format!("srfm: {output}: a model file is no .")) && said.ends_with(&expected),
            "{said}"
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "a file was left behind");
    let (_, said) = failure(&folder, "generate pressure -o nowhere/p.csv");
    assert!(said.contains("the folder nowhere does not exist"), "{said}");
}

#[cfg(unix)]
#[test]
fn output_files_keep_their_place_and_their_rights() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let folder = folder_with(&[("own.csv", b"old"), ("goal.csv", b"old")]);
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    let generate = |name: &str| {
        let output = run(&folder, &format!("generate ishigami --rows 20 -o {name}"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    generate("new.csv");
    let rows = fs::read(path("new.csv")).unwrap();
    fs::write(path("plain"), b"").unwrap(); // what the umask leaves of 0666
    assert_eq!(mode("new.csv"), mode("plain"));

    fs::set_permissions(path("own.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    generate("own.csv");
    assert_eq!(mode("own.csv"), 0o640);

    symlink("goal.csv", path("link.csv")).unwrap();
    symlink("later.csv", path("dangling.csv")).unwrap();
    for (link, goal) in [("link.csv", "goal.csv"), ("dangling.csv", "later.csv")] {
        generate(link);
        assert!(fs::symlink_metadata(path(link)).unwrap().is_symlink());
        assert_eq!(fs::read(path(goal)).unwrap(), rows);
    }

    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = path("pipe");
        move || fs::read(pipe).unwrap()
    });
    generate("pipe");
    assert_eq!(reader.join().unwrap(), rows);
    assert!(fs::metadata(path("pipe")).unwrap().file_type().is_fifo());
    generate("/dev/null");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn predictions_go_to_the_file_and_to_json() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let printed = run(&folder, "predict m.srfm t.csv").stdout;
    let document = json(&folder, "predict m.srfm t.csv -o p.csv");
    assert_eq!((&document["output"], &document["rows"]), (&"p.csv".into(), &60.into()));
    assert_eq!(fs::read(folder.path().join("p.csv")).unwrap(), printed);
}
