//! The compilers of C for the cores.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cost::Core;
use crate::emulate::DeviceError;
use crate::emulate::build::last_lines;

/// Files beside a program: the memory layout of an emulated Cortex-M or RISC-V, and the port of an AVR.
const BESIDE: [(&str, &str); 2] = [("board.ld", include_str!("board.ld")), ("avr.h", include_str!("avr.h"))];

/// A compiler with its options for a core.
pub(crate) struct Toolchain {
    compiler: &'static str,
    /// The program that states sizes.
    size: &'static str,
    /// The Debian package of both.
    package: &'static str,
    /// The options of every program for the core.
    options: &'static [&'static str],
    /// The libraries, behind the sources.
    libraries: &'static [&'static str],
    /// The source of the program that predicts rows.
    pub program: &'static str,
}

macro_rules! cortex_m {
    ([$($core:literal),*], $flash:literal, $ram:literal) => {
        Toolchain {
            compiler: "arm-none-eabi-gcc",
            size: "arm-none-eabi-size",
            package: "gcc-arm-none-eabi",
            options: &[
                $($core,)* "-mthumb", "-Os", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns",
                "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-T", "board.ld",
                concat!("-Wl,--defsym=FLASH_START=", $flash), concat!("-Wl,--defsym=RAM_START=", $ram),
            ],
            libraries: &["-lgcc"],
            program: include_str!("program.c"),
        }
    };
    ([$($core:literal),*]) => { cortex_m!([$($core),*], "0", "0x20000000") };
}

macro_rules! riscv {
    ($($core:literal),*) => {
        Toolchain {
            compiler: "riscv64-unknown-elf-gcc",
            size: "riscv64-unknown-elf-size",
            package: "gcc-riscv64-unknown-elf",
            options: &[
                $($core,)* "-mcmodel=medany", "-Os", "-ffreestanding", "-nostdlib",
                "-fno-tree-loop-distribute-patterns", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections",
                "-T", "board.ld", "-Wl,--defsym=FLASH_START=0x80000000", "-Wl,--defsym=RAM_START=0x80800000",
            ],
            libraries: &["-lgcc"],
            program: include_str!("program.c"),
        }
    };
}

impl Toolchain {
    /// Returns the compiler for a core with `-Os`.
    pub fn of(core: Core) -> Toolchain {
        match core {
            Core::CortexM0 => cortex_m!(["-mcpu=cortex-m0"]),
            Core::CortexM0Plus => cortex_m!(["-mcpu=cortex-m0plus"]),
            Core::CortexM3 => cortex_m!(["-mcpu=cortex-m3"]),
            Core::CortexM4f => cortex_m!(["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]),
            Core::CortexM7 => cortex_m!(["-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"]),
            Core::CortexM33 => {
                cortex_m!(["-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"], "0x10000000", "0x38000000")
            }
            Core::Atmega328p => Toolchain {
                compiler: "avr-gcc",
                size: "avr-size",
                package: "gcc-avr avr-libc",
                options: &["-mmcu=atmega328p", "-Os", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
                libraries: &[],
                program: include_str!("avr.c"),
            },
            Core::Riscv32imac => riscv!("-march=rv32imac", "-mabi=ilp32"),
            Core::Riscv32imafc => riscv!("-march=rv32imafc", "-mabi=ilp32f"),
        }
    }

    /// Compiles `source`, a file in a folder, to `image` in the same folder.
    ///
    /// # Errors
    /// [`DeviceError::CompilerMissing`], [`DeviceError::BuildFailed`].
    pub fn compile(&self, folder: &Path, source: &str, image: &str, options: &[String]) -> Result<(), DeviceError> {
        for (name, text) in BESIDE {
            fs::write(folder.join(name), text)?;
        }
        let mut compiler = Command::new(self.compiler);
        compiler.args(self.options).args(options).args([source, "-I."]).args(self.libraries).args(["-o", image]);
        self.output(compiler.current_dir(folder)).map(|_| ())
    }

    /// Returns the bytes of code, constants and initial values of an image.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn size(&self, image: &Path) -> Result<usize, DeviceError> {
        let text = self.output(Command::new(self.size).arg(image))?;
        // The second line starts with the bytes of code with constants, and those of initial values.
        let mut figures =
            text.lines().nth(1).unwrap_or_default().split_whitespace().map_while(|part| part.parse().ok());
        let figures: Option<[usize; 2]> = figures.next().zip(figures.next()).map(|(code, data)| [code, data]);
        let figures = figures.ok_or_else(|| DeviceError::BuildFailed(format!("{} states no size", self.size)))?;
        Ok(figures.iter().sum())
    }

    /// Runs a program of the compiler and returns what it wrote.
    fn output(&self, command: &mut Command) -> Result<String, DeviceError> {
        let Toolchain { compiler: program, package, .. } = *self;
        let output = command.output().map_err(|source| DeviceError::CompilerMissing { program, package, source })?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(DeviceError::BuildFailed(last_lines(&String::from_utf8_lossy(&output.stderr)))),
        }
    }
}
