//! The sizes of programs.

use object::elf::SHF_ALLOC;
use object::read::elf::ElfFile32;
use object::{LittleEndian, Object, ObjectSection, SectionFlags};

/// Returns the bytes of flash of a program: code, constants and initial values. There are none for a file that is no
/// ELF file of 32 bits, little end first.
pub(crate) fn flash(image: &[u8]) -> Option<usize> {
    let file = ElfFile32::<LittleEndian>::parse(image).ok()?;
    let in_memory = |flags| matches!(flags, SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & SHF_ALLOC.0 != 0);
    let sections = file.sections().filter(|section| in_memory(section.flags()));
    // A section without bytes in the file, such as .bss, has no range.
    Some(sections.filter_map(|section| section.file_range()).map(|(_, size)| size as usize).sum())
}
