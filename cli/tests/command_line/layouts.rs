//! Folders with a C source for build systems.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{failure, folder_with, run, table};

/// What the sketch needs of the Arduino core.
const ARDUINO: &str = "#include <stdint.h>\n#include <stddef.h>\n\
    struct Port { void begin(long) {} void println(float value, int) { volatile float kept = value; (void)kept; } };\n\
    static Port Serial;\nstatic inline void delay(unsigned long) {}\n";

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
    let printed: f32 = String::from_utf8(printed).unwrap().trim().parse().unwrap();
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
    assert_eq!(text("zephyr/zephyr/module.yml"), "name: probe\nbuild:\n  cmake: .\n  kconfig: Kconfig\n");
    assert!(text("zephyr/Kconfig").starts_with("config PROBE_MODEL\n\tbool "));
    assert!(text("zephyr/samples/predict/prj.conf").contains("CONFIG_PROBE_MODEL=y\n"));
    assert!(text("esp-idf/idf_component.yml").starts_with("version: \"1.0.0\"\ndescription: "));
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
