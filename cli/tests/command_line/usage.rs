//! Wrong usage: one line, whose exit code is 2.

use super::{failure, folder_with, json, run, table};

#[test]
fn a_share_may_be_in_percent() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (share, expected) in [
        ("25", "srfm: --holdout is a share of the rows between 0 and 1; write 0.25 or 25% in place of 25\n"),
        ("0", "srfm: --holdout 0 holds out no rows; leave the option out\n"),
        ("1", "srfm: --holdout must be between 0 and 1, not 1\n"),
    ] {
        assert_eq!(failure(&folder, &format!("fit t.csv --holdout {share}")), (2, expected.to_owned()));
    }
    let fit = json(&folder, "fit t.csv --method harfe --max-features 5 --holdout 25%");
    assert_eq!(fit["holdout"]["rows"], 15);
}

#[test]
fn a_fit_without_a_file_says_so_first() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = "fit t.csv --method linear --lambda 1";
    let said = |more: &str| String::from_utf8(run(&folder, &format!("{fit}{more}")).stderr).unwrap();
    let expected = "srfm: the model will not be kept; name a file with -o, such as -o model.srfm\n";
    assert!(said("").starts_with(expected), "{}", said(""));
    for more in [" --quiet", " -o m.srfm", " --c m.h", " --report m.html"] {
        assert!(!said(more).contains("will not be kept"), "{more}");
    }
}

#[test]
fn wrong_usage_is_said_in_one_line() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (arguments, expected) in [
        ("fit t.csv --time -5", "'-5' for '--time <TIME>': give a time such as 60s"),
        ("fit t.csv --threads -1", "'-1' for '--threads <N>': give a number from 0 to 1024 (see"),
        ("fit t.csv --max-features 0", "'0' for '--max-features <N>': give a number from 1 to 65535 (see"),
        ("fit t.csv --sample 50", "'50' for '--sample <ROWS>': give a number of at least 100 (see"),
        ("fit t.csv --instructions 0", "'0' for '--instructions <N>': give a number of at least 1 (see"),
        ("fit t.csv --instructions 9999999999", "<N>': give a number from 1 to 4294967295 (see"),
        ("fit t.csv --seed 99999999999999999999", "for '--seed <N>': give a smaller number (see"),
        ("fit t.csv --seed -1", "'-1' for '--seed <N>': give a whole number without a sign"),
        ("fit t.csv --max-features -3", "'-3' for '--max-features <N>'"),
        ("fit t.csv --flash -64k", "'-64k' for '--flash <BYTES>': give a number of bytes such as 512"),
        ("fit t.csv --holdout quarter", "'quarter' for '--holdout <SHARE>': give a share such as 0.25 or 25%"),
        ("fit t.csv --lambda small", "give a number such as 0.25"),
        ("fit t.csv --flsh 60", "unexpected argument '--flsh' found; a similar argument exists: '--flash'"),
        ("fit t.csv --core m4", "atmega328p]; did you mean 'cortex-m4f'?"),
        ("fit t.csv --core cortex-m4", "atmega328p]; a similar value exists: 'cortex-m4f'"),
        ("fit t.csv --holdout 0.2 --test t.csv", "'--holdout <SHARE>' cannot be used with '--test <FILE>'"),
        ("fit", "the following required arguments were not provided: <DATA>"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        assert!(said.starts_with("srfm: ") && said.ends_with(" (see srfm fit --help)\n"), "{said}");
        assert!(said.contains(expected), "{arguments}: {said:?} should contain {expected:?}");
    }
    let (code, said) = failure(&folder, "--flsh");
    assert!(code == 2 && said.ends_with(" (see srfm --help)\n"), "{said}");
}
