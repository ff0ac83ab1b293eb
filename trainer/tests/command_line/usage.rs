//! Wrong usage: one line, whose exit code is 2.

use super::{failure, folder_with, table};

#[test]
fn wrong_usage_is_said_in_one_line() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (arguments, expected) in [
        ("fit t.csv --time -5", "'-5' for '--time <TIME>': give a time such as 60s"),
        ("fit t.csv --threads -1", "'-1' for '--threads <N>': -1 is not in 0..=1024"),
        ("fit t.csv --seed -1", "'-1' for '--seed <N>': give a whole number without a sign"),
        ("fit t.csv --max-features -3", "'-3' for '--max-features <N>'"),
        ("fit t.csv --flash -64k", "'-64k' for '--flash <BYTES>': give a number of bytes such as 512"),
        ("fit t.csv --holdout 25%", "'25%' for '--holdout <SHARE>': give a share such as 0.25"),
        ("fit t.csv --lambda small", "give a number such as 0.25"),
        ("fit t.csv --flsh 60", "unexpected argument '--flsh' found; a similar argument exists: '--flash'"),
        ("fit t.csv --core m4", "riscv32imafc]; did you mean 'cortex-m4f'?"),
        ("fit t.csv --core cortex-m4", "riscv32imafc]; a similar value exists: 'cortex-m4f'"),
        ("fit t.csv --holdout 0.2 --test t.csv", "'--holdout <SHARE>' cannot be used with '--test <FILE>'"),
        ("fit t.csv --name probe", "arguments were not provided: --c <FILE.h>"),
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
