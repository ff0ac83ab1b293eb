//! The folders that build systems expect: one table of their files.

use clap::ValueEnum;
use srfm_trainer::cost::Board;
use srfm_trainer::export::{CSource, Platform};

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

/// The text of a file of a layout.
#[derive(Clone, Copy)]
enum Content {
    /// `@name@` and `@NAME@` stand for the name of the model, `@float@` for the options of floating point in Zephyr.
    Text(&'static str),
    /// An example for a library.
    Example(Platform),
}

use Content::{Example, Text};

/// The files of a layout besides the header: their paths and their contents.
type Files = &'static [(&'static str, Content)];

/// The options of Zephyr for a model in floating point.
const ZEPHYR_FLOAT: &str = "CONFIG_FPU=y\nCONFIG_CBPRINTF_FP_SUPPORT=y\n";

impl Layout {
    /// Returns the path of the header in the folder.
    fn header(self) -> &'static str {
        match self {
            Layout::Arduino => "src/@name@.h",
            _ => "include/@name@.h",
        }
    }

    /// Returns the other files of the folder.
    fn others(self) -> Files {
        match self {
            Layout::Header => &[],
            Layout::Cmake => &[
                ("CMakeLists.txt", Text(include_str!("layouts/cmake.txt"))),
                ("examples/main.c", Example(Platform::Standard)),
            ],
            Layout::Arduino => &[
                ("library.properties", Text(include_str!("layouts/library.properties"))),
                ("examples/predict/predict.ino", Example(Platform::Arduino)),
            ],
            Layout::Platformio => &[
                ("library.json", Text(include_str!("layouts/library.json"))),
                ("examples/predict/main.cpp", Example(Platform::Arduino)),
            ],
            Layout::Zephyr => &[
                ("zephyr/module.yml", Text(include_str!("layouts/module.yml"))),
                ("Kconfig", Text(include_str!("layouts/Kconfig"))),
                ("CMakeLists.txt", Text(include_str!("layouts/zephyr.txt"))),
                ("samples/predict/CMakeLists.txt", Text(include_str!("layouts/zephyr_sample.txt"))),
                ("samples/predict/prj.conf", Text(include_str!("layouts/prj.conf"))),
                ("samples/predict/src/main.c", Example(Platform::Zephyr)),
            ],
            Layout::EspIdf => &[
                ("idf_component.yml", Text(include_str!("layouts/idf_component.yml"))),
                ("CMakeLists.txt", Text(include_str!("layouts/esp_idf.txt"))),
                ("examples/predict/CMakeLists.txt", Text(include_str!("layouts/esp_idf_example.txt"))),
                ("examples/predict/main/CMakeLists.txt", Text(include_str!("layouts/esp_idf_main.txt"))),
                ("examples/predict/main/main.c", Example(Platform::EspIdf)),
            ],
        }
    }

    /// Returns the paths of the files for a model of this name, that of the header first.
    pub fn paths(self, name: &str) -> Vec<String> {
        let paths = self.others().iter().map(|(path, _)| *path);
        [self.header()].into_iter().chain(paths).map(|path| path.replace("@name@", name)).collect()
    }

    /// Returns the layout of a board.
    pub fn of(board: Board) -> Layout {
        Layout::from_str(board.layout(), false).expect("the table of boards names layouts")
    }

    /// Returns the paths and texts of the files for a model whose source is `text`.
    pub fn files(self, source: &CSource<'_>, text: String) -> Vec<(String, Vec<u8>)> {
        let name = source.name();
        let float = if source.is_float() { ZEPHYR_FLOAT } else { "" };
        let named =
            |text: &str| text.replace("@name@", name).replace("@NAME@", &name.to_uppercase()).replace("@float@", float);
        let content = |content: &Content| match *content {
            Text(text) => named(text),
            Example(platform) => source.example(platform),
        };
        let others = self.others().iter().map(|(_, of_file)| content(of_file));
        let texts = [text].into_iter().chain(others).map(String::into_bytes);
        self.paths(name).into_iter().zip(texts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_a_layout() {
        assert!(Board::all().all(|board| Layout::of(board) != Layout::Header));
    }
}
