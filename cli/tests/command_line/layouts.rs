//! Folders with a C source for build systems.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{failure, folder_with, run, table};

/// What the sketch needs of the Arduino core.
const ARDUINO: &str = "#include <stdint.h>\n#include <stddef.h>\n\
    struct Port { void begin(long) {} template <class T> void print(T value) { volatile T kept = value; (void)kept; }\n\
    void print(float value, int) { print(value); } template <class T> void println(T value) { print(value); } };\n\
    static Port Serial;\nstatic inline void delay(unsigned long) {}\nenum { A0, A1, A2, A3, A4, A5 };\n\
    #define F(text) text\nstatic inline int analogRead(uint8_t pin) { return 100 * pin; }\n";

/// The first line of a file whose comments begin with a number sign.
const SPDX: &str = "# SPDX-License-Identifier: MIT OR Apache-2.0\n";

/// Returns a folder with the model `m.srfm` and its layouts, each in a folder of its name.
fn exported(layouts: &[&str]) -> TempDir {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    for layout in layouts {
        let output = run(&folder, &format!("export m.srfm --c {layout} --layout {layout} --name probe"));
        assert!(output.status.success(), "{layout}: {}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let expected = "include probe.h and call probe_predict, as the example does\n";
        assert_eq!(said, format!("written       {layout}: {expected}"));
    }
    folder
}

/// Runs a program in a folder; `None` where it cannot be started, which is reported.
fn tool(folder: &Path, program: &str, package: &str, arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new(program).args(arguments).current_dir(folder).output() else {
        srfm_testing::skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Returns the paths of the files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn cmake_builds_the_library_and_its_example() {
    let folder = exported(&["cmake"]);
    let path = folder.path().join("cmake");
    if tool(&path, "cmake", "cmake", &["-S", ".", "-B", "build"]).is_none() {
        return;
    }
    tool(&path, "cmake", "cmake", &["--build", "build"]);
    let printed = Command::new(path.join("build/probe_example")).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    let printed: f32 = printed.strip_prefix("y ").unwrap().split_whitespace().next().unwrap().parse().unwrap();
    fs::write(folder.path().join("x.csv"), "a,b\n0,0\n").unwrap();
    let predicted = String::from_utf8(run(&folder, "predict m.srfm x.csv").stdout).unwrap();
    let predicted: f32 = predicted.lines().last().unwrap().parse().unwrap();
    assert!((printed - predicted).abs() < 1e-5, "{printed} {predicted}");
}

#[test]
fn arduino_and_platformio_compile_as_cpp_for_an_avr() {
    let folder = exported(&["arduino", "platformio"]);
    assert_eq!(
        files(&folder.path().join("arduino")),
        ["examples/predict/predict.ino", "library.properties", "src/probe.h"]
    );
    let properties = fs::read_to_string(folder.path().join("arduino/library.properties")).unwrap();
    let keys: Vec<&str> = properties.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    for key in ["name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures"]
    {
        assert!(keys.contains(&key), "{key}");
    }
    let library = fs::read_to_string(folder.path().join("platformio/library.json")).unwrap();
    let library: Value = serde_json::from_str(&library).unwrap();
    assert_eq!((&library["name"], &library["headers"]), (&"probe".into(), &"probe.h".into()));
    let file = library["examples"][0]["files"][0].as_str().unwrap();
    assert!(folder.path().join("platformio/examples/predict").join(file).exists());
    fs::write(folder.path().join("Arduino.h"), ARDUINO).unwrap();
    fs::write(folder.path().join("core.cpp"), "void setup(); void loop();\nint main() { setup(); loop(); }\n").unwrap();
    for (include, example) in [
        ("-Iarduino/src", "arduino/examples/predict/predict.ino"),
        ("-Iplatformio/include", "platformio/examples/predict/main.cpp"),
    ] {
        let arguments = ["-mmcu=atmega328p", "-Os", "-Wall", "-Wextra", "-Werror", "-I.", include];
        let last = ["-x", "c++", example, "core.cpp", "-o", "sketch.elf"];
        if tool(folder.path(), "avr-g++", "gcc-avr avr-libc", &[&arguments[..], &last[..]].concat()).is_none() {
            return;
        }
    }
}

#[test]
fn zephyr_and_esp_idf_find_their_files() {
    let folder = exported(&["zephyr", "esp-idf"]);
    assert_eq!(
        files(&folder.path().join("zephyr")),
        [
            "CMakeLists.txt",
            "Kconfig",
            "include/probe.h",
            "samples/predict/CMakeLists.txt",
            "samples/predict/prj.conf",
            "samples/predict/src/main.c",
            "zephyr/module.yml"
        ]
    );
    let text = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
    assert_eq!(
        text("zephyr/zephyr/module.yml"),
        format!("{SPDX}name: probe\nbuild:\n  cmake: .\n  kconfig: Kconfig\n")
    );
    assert!(text("zephyr/Kconfig").starts_with(&format!("{SPDX}config PROBE_MODEL\n\tbool ")));
    let options = text("zephyr/samples/predict/prj.conf");
    assert!(options.contains("CONFIG_PROBE_MODEL=y\n") && options.contains("CONFIG_FPU=y\n"), "{options}");
    assert!(text("esp-idf/idf_component.yml").starts_with(&format!("{SPDX}version: \"1.0.0\"\ndescription: ")));
    // The functions of both build systems, each of which says where it looks for headers.
    let stub = "set(CONFIG_PROBE_MODEL y)\nfunction(zephyr_include_directories)\n  message(STATUS \"found ${ARGV}\")\n\
                endfunction()\nfunction(idf_component_register)\n  message(STATUS \"found ${ARGV}\")\nendfunction()\n\
                include(${FILE})\n";
    fs::write(folder.path().join("stub.cmake"), stub).unwrap();
    for (file, found) in [
        ("zephyr/CMakeLists.txt", "found include"),
        ("esp-idf/CMakeLists.txt", "found INCLUDE_DIRS;include"),
        ("esp-idf/examples/predict/main/CMakeLists.txt", "found SRCS;main.c;REQUIRES;esp-idf"),
    ] {
        let file = format!("-DFILE={file}");
        let Some(said) = tool(folder.path(), "cmake", "cmake", &[&file, "-P", "stub.cmake"]) else { return };
        assert!(said.contains(found), "{said}");
    }
    fs::create_dir_all(folder.path().join("stub/zephyr/sys")).unwrap();
    fs::write(folder.path().join("stub/zephyr/sys/printk.h"), "#include <stdio.h>\n#define printk printf\n").unwrap();
    for (include, main) in [
        ("-Izephyr/include", "zephyr/samples/predict/src/main.c"),
        ("-Iesp-idf/include", "esp-idf/examples/predict/main/main.c"),
    ] {
        let arguments = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Istub", include, main];
        tool(folder.path(), "gcc", "gcc", &arguments);
    }
}

#[test]
fn every_generated_file_states_its_licence() {
    let layouts = ["arduino", "cmake", "esp-idf", "platformio", "zephyr"];
    let folder = exported(&layouts);
    for file in
        layouts.iter().flat_map(|layout| files(&folder.path().join(layout)).into_iter().map(move |f| (layout, f)))
    {
        let text = fs::read_to_string(folder.path().join(file.0).join(&file.1)).unwrap();
        let head: String = text.lines().take(4).collect();
        assert!(head.contains("MIT OR Apache-2.0"), "{file:?}: {head}");
    }
}

/// A folder of the same layout is exported anew, and a file that the user added stays.
#[test]
fn an_export_takes_the_place_of_its_own() {
    let folder = exported(&["zephyr"]);
    let main = folder.path().join("zephyr/samples/predict/src/main.c");
    let before = fs::read_to_string(&main).unwrap();
    fs::write(&main, "changed").unwrap();
    fs::write(folder.path().join("zephyr/notes.txt"), "mine").unwrap();
    let output = run(&folder, "export m.srfm --c zephyr --layout zephyr --name probe");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&main).unwrap(), before);
    assert_eq!(fs::read_to_string(folder.path().join("zephyr/notes.txt")).unwrap(), "mine");
}

/// Tables of the tasks whose examples are built.
fn tasks() -> [(&'static str, String, &'static str); 4] {
    let counts = |i: usize| [(i * 37) % 1024, (i * 91 + 5) % 1024, (i * i * 13) % 1024];
    let row = |last: fn([usize; 3]) -> String| {
        let rows = (0..200).map(|i| {
            let [a, b, c] = counts(i);
            format!("{a},{b},{c},{}\n", last([a, b, c]))
        });
        "low,mid,high,level\n".to_owned() + &rows.collect::<String>()
    };
    let quantity = row(|[a, b, c]| format!("{:.3}", a as f64 / 50.0 + (b as f64 / 200.0).sin() - c as f64 / 300.0));
    let class = row(|[a, b, _]| if a + b > 1000 { "wet".to_owned() } else { "dry".to_owned() });
    [
        ("channels", quantity.clone(), "--number int"),
        ("lags", quantity.clone(), "--number int --lag low=0..1 --lag mid=0..1"),
        ("classes", class, "--number int --task classification"),
        ("floats", quantity, "--number f32"),
    ]
}

#[test]
fn examples_call_what_budgets_count() {
    for (name, rows, options) in tasks() {
        let folder = folder_with(&[("t.csv", rows.as_bytes())]);
        let fit = format!("fit t.csv {options} --method harfe --max-features 4 --folds 3 -o m.srfm");
        let output = run(&folder, &fit);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        for layout in ["cmake", "arduino", "zephyr", "esp-idf"] {
            let output = run(&folder, &format!("export m.srfm --c {layout} --layout {layout} --name probe"));
            let said = String::from_utf8(output.stdout).unwrap();
            let function = match name {
                "channels" => "probe_predict_integers",
                "lags" => "probe_predict_sample_integers",
                "classes" => "probe_classify_integers",
                _ => "probe_predict",
            };
            assert!(said.contains(&format!("call {function}, as")), "{name}: {said}");
        }
        fs::write(folder.path().join("Arduino.h"), ARDUINO).unwrap();
        let sketch = fs::read_to_string(folder.path().join("arduino/examples/predict/predict.ino")).unwrap();
        assert!(sketch.contains("analogRead(pins[0])") && sketch.contains("A0, /* low */"), "{name}: {sketch}");
        fs::create_dir_all(folder.path().join("stub/zephyr/sys")).unwrap();
        let printk = "#include <stdio.h>\n#define printk printf\n";
        fs::write(folder.path().join("stub/zephyr/sys/printk.h"), printk).unwrap();
        let options = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I.", "-Istub"];
        for (program, language, include, example) in [
            ("g++", "c++", "-Iarduino/src", "arduino/examples/predict/predict.ino"),
            ("gcc", "c", "-Icmake/include", "cmake/examples/main.c"),
            ("gcc", "c", "-Izephyr/include", "zephyr/samples/predict/src/main.c"),
            ("gcc", "c", "-Iesp-idf/include", "esp-idf/examples/predict/main/main.c"),
        ] {
            let last = [include, "-x", language, example];
            if tool(folder.path(), program, "g++", &[&options[..], &last[..]].concat()).is_none() {
                return;
            }
        }
    }
}

#[test]
fn a_folder_that_exists_stays_as_it_is() {
    let folder = exported(&["arduino"]);
    let before = files(folder.path());
    let said = "srfm: arduino: cannot be written: it exists already; name a new folder\n".to_owned();
    assert_eq!(failure(&folder, "export m.srfm --c arduino --layout cmake"), (1, said));
    let said = "srfm: none/probe: cannot be written: the folder none does not exist\n".to_owned();
    assert_eq!(failure(&folder, "export m.srfm --c none/probe --layout cmake"), (1, said));
    let (code, said) = failure(&folder, "export m.srfm --c other --layout cmake --name 2x");
    assert!(code == 2 && said.contains("is no C identifier"), "{said}");
    assert_eq!(files(folder.path()), before);
}
