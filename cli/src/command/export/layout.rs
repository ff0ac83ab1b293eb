//! The folders that build systems expect: one table of their files.

use clap::ValueEnum;

/// A form in which a C file is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// The file alone
    Header,
    /// A folder with a CMake library and an example
    Cmake,
    /// A folder with an Arduino library and a sketch
    Arduino,
    /// A folder with a PlatformIO library and an example
    Platformio,
    /// A folder with a Zephyr module and a sample
    Zephyr,
    /// A folder with an ESP-IDF component and an example
    EspIdf,
}

/// The files of a layout besides the header: their paths and their texts.
type Files = &'static [(&'static str, &'static str)];

impl Layout {
    /// Returns the path of the header in the folder.
    fn header(self) -> &'static str {
        match self {
            Layout::Arduino => "src/@name@.h",
            _ => "include/@name@.h",
        }
    }

    /// Returns the other files of the folder. `@name@` and `@NAME@` stand for the name of the model.
    fn others(self) -> Files {
        match self {
            Layout::Header => &[],
            Layout::Cmake => &[
                ("CMakeLists.txt", include_str!("layouts/cmake.txt")),
                ("examples/main.c", include_str!("layouts/main.c")),
            ],
            Layout::Arduino => &[
                ("library.properties", include_str!("layouts/library.properties")),
                ("examples/predict/predict.ino", include_str!("layouts/arduino.ino")),
            ],
            Layout::Platformio => &[
                ("library.json", include_str!("layouts/library.json")),
                ("examples/predict/main.cpp", include_str!("layouts/arduino.ino")),
            ],
            Layout::Zephyr => &[
                ("zephyr/module.yml", include_str!("layouts/module.yml")),
                ("Kconfig", include_str!("layouts/Kconfig")),
                ("CMakeLists.txt", include_str!("layouts/zephyr.txt")),
                ("samples/predict/CMakeLists.txt", include_str!("layouts/zephyr_sample.txt")),
                ("samples/predict/prj.conf", include_str!("layouts/prj.conf")),
                ("samples/predict/src/main.c", include_str!("layouts/zephyr.c")),
            ],
            Layout::EspIdf => &[
                ("idf_component.yml", include_str!("layouts/idf_component.yml")),
                ("CMakeLists.txt", include_str!("layouts/esp_idf.txt")),
                ("examples/predict/CMakeLists.txt", include_str!("layouts/esp_idf_example.txt")),
                ("examples/predict/main/CMakeLists.txt", include_str!("layouts/esp_idf_main.txt")),
                ("examples/predict/main/main.c", include_str!("layouts/esp_idf.c")),
            ],
        }
    }

    /// Returns the paths and texts of the files for a model of this name whose source is `text`.
    pub fn files(self, name: &str, text: String) -> Vec<(String, String)> {
        let named = |text: &str| text.replace("@name@", name).replace("@NAME@", &name.to_uppercase());
        let others = self.others().iter().map(|(path, text)| (named(path), named(text)));
        [(named(self.header()), text)].into_iter().chain(others).collect()
    }
}
