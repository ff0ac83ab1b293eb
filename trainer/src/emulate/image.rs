//! Programs as ELF files of 32 bits, little end first.

use object::elf::SHF_ALLOC;
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionFlags};

/// A program.
pub(crate) struct Image<'a> {
    file: ElfFile32<'a, LittleEndian>,
    /// The start and the bytes of sections in memory.
    sections: Vec<(u32, &'a [u8])>,
}

impl<'a> Image<'a> {
    /// Parses a file. There is no program in a file that is no ELF file of 32 bits, little end first.
    pub fn parse(bytes: &'a [u8]) -> Option<Image<'a>> {
        let file = ElfFile32::<LittleEndian>::parse(bytes).ok()?;
        let in_memory = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & SHF_ALLOC.0 != 0);
        let of_section = |section: object::read::elf::ElfSection32<'a, '_, LittleEndian>| {
            // A section without bytes in the file, such as .bss, has no range.
            let is_stored = in_memory(section.flags()) && section.file_range().is_some();
            is_stored.then(|| Some((u32::try_from(section.address()).ok()?, section.data().ok()?)))?
        };
        let sections = file.sections().filter_map(of_section).collect();
        Some(Image { file, sections })
    }

    /// Returns the bytes of flash of the program: code, constants and initial values.
    pub fn flash(&self) -> usize {
        self.sections.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    /// Returns the address of a function.
    pub fn function(&self, name: &str) -> Option<u32> {
        let symbol = self.file.symbols().find(|symbol| symbol.name() == Ok(name))?;
        // The lowest bit of an address says that a function is in Thumb instructions.
        u32::try_from(symbol.address()).ok().map(|address| address & !1)
    }

    /// Returns the halfword at an address; zero outside the program.
    pub fn halfword(&self, address: u32) -> u16 {
        let of_section = |&(start, bytes): &(u32, &[u8])| {
            let place = usize::try_from(address.checked_sub(start)?).ok()?;
            bytes.get(place..)?.first_chunk().copied().map(u16::from_le_bytes)
        };
        self.sections.iter().find_map(of_section).unwrap_or_default()
    }
}
