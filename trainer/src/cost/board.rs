//! The table of boards that a model can be fitted for by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::cost::Core;
use crate::message::message_by_display;

/// A board: its core, clock and memory, and the build system that its users usually have.
///
/// Settings name a board by its [`name`](Board::name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Board(&'static Row);

/// A row of the table.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Row {
    name: &'static str,
    title: &'static str,
    core: Core,
    megahertz: u32,
    /// Flash for programs and RAM in units of 1024 bytes.
    flash: u32,
    ram: u32,
    layout: &'static str,
}

const fn row(
    name: &'static str,
    title: &'static str,
    core: Core,
    (megahertz, flash, ram): (u32, u32, u32),
    layout: &'static str,
) -> Row {
    Row { name, title, core, megahertz, flash, ram, layout }
}

/// Name, title, core, clock in MHz with flash and RAM in kB, layout.
static BOARDS: [Row; 16] = [
    row("uno", "Arduino Uno R3", Core::Atmega328p, (16, 32, 2), "arduino"),
    row("nano", "Arduino Nano", Core::Atmega328p, (16, 30, 2), "arduino"),
    row("zero", "Arduino Zero, MKR", Core::CortexM0Plus, (48, 256, 32), "arduino"),
    row("nano33ble", "Arduino Nano 33 BLE", Core::CortexM4f, (64, 1024, 256), "arduino"),
    row("microbit", "BBC micro:bit V1", Core::CortexM0, (16, 256, 16), "arduino"),
    row("microbit2", "BBC micro:bit V2", Core::CortexM4f, (64, 512, 128), "zephyr"),
    row("pico", "Raspberry Pi Pico", Core::CortexM0Plus, (125, 2048, 264), "cmake"),
    row("pico2", "Raspberry Pi Pico 2", Core::CortexM33, (150, 4096, 520), "cmake"),
    row("nrf52840", "Nordic nRF52840 DK", Core::CortexM4f, (64, 1024, 256), "zephyr"),
    row("bluepill", "STM32F103 Blue Pill", Core::CortexM3, (72, 64, 20), "arduino"),
    row("nucleo-f411", "ST Nucleo-F411RE", Core::CortexM4f, (100, 512, 128), "cmake"),
    row("nucleo-g071", "ST Nucleo-G071RB", Core::CortexM0Plus, (64, 128, 36), "cmake"),
    row("nucleo-h743", "ST Nucleo-H743ZI", Core::CortexM7, (480, 2048, 1024), "cmake"),
    row("teensy4", "PJRC Teensy 4.0", Core::CortexM7, (600, 1984, 1024), "arduino"),
    row("esp32-c3", "Espressif ESP32-C3", Core::Riscv32imac, (160, 4096, 400), "esp-idf"),
    row("gd32vf103", "Sipeed Longan Nano", Core::Riscv32imac, (108, 128, 32), "platformio"),
];

/// The share of a board's flash that a model may take where no budget is named, and the largest such budget in bytes.
const SHARE: usize = 8;
const MOST_FLASH: usize = 8192;

impl Board {
    /// Returns all boards.
    pub fn all() -> impl Iterator<Item = Board> {
        BOARDS.iter().map(Board)
    }

    /// Returns the name, such as `uno`.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the name that the maker gives the board.
    pub fn title(self) -> &'static str {
        self.0.title
    }

    /// Returns the core.
    pub fn core(self) -> Core {
        self.0.core
    }

    /// Returns the usual clock in hertz.
    pub fn clock(self) -> f64 {
        f64::from(self.0.megahertz) * 1e6
    }

    /// Returns the flash for programs in bytes.
    pub fn flash(self) -> usize {
        self.0.flash as usize * 1024
    }

    /// Returns the RAM in bytes.
    pub fn ram(self) -> usize {
        self.0.ram as usize * 1024
    }

    /// Returns the budget of flash in bytes where none is named: an eighth of the board's flash, and at most 8 kB.
    pub fn budget(self) -> usize {
        (self.flash() / SHARE).min(MOST_FLASH)
    }

    /// Returns the name of the layout of exported C that the usual build system of the board expects.
    pub fn layout(self) -> &'static str {
        self.0.layout
    }
}

/// No board has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no board is called `{0}`: choose {names}, or name a core", names = names())]
pub struct UnknownBoard(
    /// The name.
    String,
);

message_by_display!(UnknownBoard);

fn names() -> String {
    let names: Vec<&str> = Board::all().map(Board::name).collect();
    names.join(", ")
}

impl FromStr for Board {
    type Err = UnknownBoard;

    fn from_str(name: &str) -> Result<Self, UnknownBoard> {
        Board::all().find(|board| board.name() == name).ok_or_else(|| UnknownBoard(name.to_owned()))
    }
}

impl TryFrom<String> for Board {
    type Error = UnknownBoard;

    fn try_from(name: String) -> Result<Self, UnknownBoard> {
        name.parse()
    }
}

impl From<Board> for String {
    fn from(board: Board) -> String {
        board.name().to_owned()
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
