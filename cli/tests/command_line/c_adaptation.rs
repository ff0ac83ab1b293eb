//! Adaptations in generated C.

use std::fs;
use std::process::Command;

use super::{failure, folder_with, run, table};

/// A program that adapts a model.
const MAIN: &str = r#"#include <stdio.h>
#include "sensor_adaptation.h"

static probe_adaptation adaptation;

int main(void) {
    const float x[PROBE_INPUTS] = { 0.37f, 0.91f };
    probe_adapt_start(&adaptation);
    const float before = probe_adapt_predict(&adaptation, x);
    for (int i = 0; i < 100; i++) {
        (void)probe_adapt_learn(&adaptation, x, before + 0.5f);
    }
    printf("%d\n", before == probe_predict(x) && probe_adapt_predict(&adaptation, x) > before + 0.4f);
    return 0;
}
"#;

#[test]
fn an_adaptation_is_written_beside_the_model() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("main.c", MAIN.as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let output = run(&folder, "export m.srfm --c sensor.h --name probe --adaptation products");
    let said = "written       sensor.h: include it and call probe_predict\nwritten       sensor_adaptation.h: include \
                it and call probe_adapt_start\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), said);
    assert!(run(&folder, "export m.srfm --c library --adaptation inputs --layout arduino").status.success());
    let text = fs::read_to_string(folder.path().join("library/src/library_adaptation.h")).unwrap();
    assert!(text.contains("#include \"library.h\"\n"), "{text}");
    let (code, said) = failure(&folder, "export m.srfm --adaptation inputs --c-reader reader.h");
    assert!(code == 2 && said.contains("--c"), "{said}");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/golden/classes.srfm");
    fs::copy(golden, folder.path().join("classes.srfm")).unwrap();
    let (code, said) = failure(&folder, "export classes.srfm --c classes.h --adaptation inputs");
    assert!(code == 2 && said.contains("only models of one quantity adapt"), "{said}");
    assert!(!folder.path().join("classes.h").exists());
    let Ok(compiled) = Command::new("cc").args(["main.c", "-o", "main"]).current_dir(folder.path()).output() else {
        return srfm_testing::skip("cc cannot be started: run `apt-get install gcc`");
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(folder.path().join("main")).output().unwrap().stdout;
    assert_eq!(String::from_utf8_lossy(&printed), "1\n");
}
