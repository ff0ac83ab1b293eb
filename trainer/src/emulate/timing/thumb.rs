//! Clock cycles of Thumb instructions, by Arm's documented tables.
//!
//! The tables are those of the technical reference manuals of the Cortex-M0 (DDI 0432), M0+ (DDI 0484), M3 (DDI 0337)
//! and M4 (DDI 0439), at zero wait states. A Cortex-M0 and an M0+ are taken to have the multiplier of one cycle. The
//! tables of the Cortex-M3 and M4 leave the refill of the pipeline and the overlap of loads open, so that their cycles
//! are intervals. Arm publishes no tables for the Cortex-M7 and M33.

use super::cycles::{Cycles, ONE};

/// What an instruction does, as far as its cycles depend on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Arithmetic, comparisons, moves, hints, and everything else that takes one cycle.
    Simple,
    /// `IT`, which may be folded into the instruction before it.
    IfThen,
    /// A load or a store of one register.
    Transfer,
    /// A load or a store of several registers.
    Multiple(u32),
    /// A load of the program counter and of so many other registers from the stack.
    Return(u32),
    /// A load of the program counter, or a table branch.
    LoadedBranch,
    /// A branch, by an offset, a register or the result of a sum; only a taken branch takes more than one cycle.
    Branch,
    /// A call by an offset.
    Call,
    /// A move from or to a special register, or a barrier.
    Special,
    /// A multiplication whose product is added to a register.
    MultiplyAdd,
    /// A multiplication to 64 bits.
    MultiplyLong,
    /// A multiplication to 64 bits that is added to a register.
    MultiplyAddLong,
    /// An integer division.
    Divide,
    /// A product in single precision that is added to a register.
    FloatMultiplyAdd,
    /// A division or a square root in single precision.
    FloatDivide,
}

/// A table of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The cycles of a taken branch by an offset or a register.
    branch: Cycles,
    /// The cycles of a call by an offset.
    call: Cycles,
    /// The cycles of a return beyond one for each register beside the program counter.
    back: Cycles,
    special: Cycles,
    /// Whether a load or a store that follows another may overlap with it.
    overlaps: bool,
    multiply_add: Cycles,
    multiply_long: Cycles,
    multiply_add_long: Cycles,
}

/// The cycles of the refill of the pipeline of a Cortex-M3 or M4, with those of the branch.
const REFILL: Cycles = Cycles::between(2, 4);

pub const M0: Timing = Timing {
    branch: Cycles::exactly(3),
    call: Cycles::exactly(4),
    back: Cycles::exactly(4),
    special: Cycles::exactly(4),
    overlaps: false,
    multiply_add: ONE,
    multiply_long: ONE,
    multiply_add_long: ONE,
};

pub const M0_PLUS: Timing = Timing {
    branch: Cycles::exactly(2),
    call: Cycles::exactly(3),
    back: Cycles::exactly(3),
    special: Cycles::exactly(3),
    ..M0
};

pub const M4: Timing = Timing {
    branch: REFILL,
    call: REFILL,
    back: Cycles::between(3, 5),
    special: Cycles::between(1, 4),
    overlaps: true,
    ..M0
};

pub const M3: Timing = Timing {
    multiply_add: Cycles::exactly(2),
    multiply_long: Cycles::between(3, 5),
    multiply_add_long: Cycles::between(4, 7),
    ..M4
};

impl Timing {
    /// Returns the cycles of executed instructions by their addresses, from the first to the one before the last.
    pub fn cycles(&self, addresses: &[u32], code: impl Fn(u32) -> u16) -> Cycles {
        let mut sum = Cycles::default();
        let mut follows_transfer = false;
        for pair in addresses.windows(2) {
            let [address, next] = [pair[0], pair[1]];
            let first = code(address);
            let is_wide = first >= 0xe800;
            let kind = if is_wide { wide(first, code(address.wrapping_add(2))) } else { narrow(first) };
            let is_taken = next != address.wrapping_add(if is_wide { 4 } else { 2 });
            sum += self.of_kind(kind, is_taken, follows_transfer);
            follows_transfer = kind == Kind::Transfer;
        }
        sum
    }

    /// Returns the cycles of an instruction.
    fn of_kind(&self, kind: Kind, is_taken: bool, follows_transfer: bool) -> Cycles {
        match kind {
            Kind::Simple => ONE,
            Kind::IfThen => Cycles::between(0, 1),
            Kind::Transfer if self.overlaps && follows_transfer => Cycles::between(1, 2),
            Kind::Transfer => Cycles::exactly(2),
            Kind::Multiple(registers) => Cycles::exactly(1 + registers),
            Kind::Return(registers) => Cycles::exactly(registers) + self.back,
            Kind::LoadedBranch => ONE + self.branch,
            Kind::Branch if is_taken => self.branch,
            Kind::Branch => ONE,
            Kind::Call => self.call,
            Kind::Special => self.special,
            Kind::MultiplyAdd => self.multiply_add,
            Kind::MultiplyLong => self.multiply_long,
            Kind::MultiplyAddLong => self.multiply_add_long,
            Kind::Divide => Cycles::between(2, 12),
            Kind::FloatMultiplyAdd => Cycles::exactly(3),
            Kind::FloatDivide => Cycles::exactly(14),
        }
    }
}

/// Returns the kind of an instruction of 16 bits.
fn narrow(code: u16) -> Kind {
    let registers = (code & 0xff).count_ones();
    match code >> 8 {
        // Data of registers: the high bits of the destination are apart from the others.
        0x44 | 0x46 if code & 0x87 == 0x87 => Kind::Branch,
        0x47 => Kind::Branch,
        0x48..=0x9f => Kind::Transfer,
        0xb1 | 0xb3 | 0xb9 | 0xbb => Kind::Branch,
        0xb4 | 0xb5 => Kind::Multiple(registers + u32::from(code >> 8 & 1)),
        0xbc => Kind::Multiple(registers),
        0xbd => Kind::Return(registers),
        0xbf if code & 0xf != 0 => Kind::IfThen,
        0xc0..=0xcf => Kind::Multiple(registers),
        0xd0..=0xdd | 0xe0..=0xe7 => Kind::Branch,
        _ => Kind::Simple,
    }
}

/// Returns the kind of an instruction of 32 bits.
fn wide(first: u16, second: u16) -> Kind {
    const PROGRAM_COUNTER: u16 = 15;
    let destination = second >> 8 & 15;
    match first {
        0xe800..=0xe9ff if first & 0x40 == 0 => match first & 0x10 != 0 && second & 0x8000 != 0 {
            true => Kind::Return((second & 0x7fff).count_ones()),
            false => Kind::Multiple(second.count_ones()),
        },
        0xe8d0..=0xe8df if second & 0xffe0 == 0xf000 => Kind::LoadedBranch,
        0xe800..=0xe9ff => Kind::Multiple(2),
        0xea00..=0xebff if destination == PROGRAM_COUNTER && first & 0x10 == 0 => Kind::Branch,
        0xec40..=0xec5f => Kind::Multiple(1),
        0xec00..=0xedff if first & 0x120 == 0x100 && second >> 8 & 1 == 0 => Kind::Transfer,
        0xec00..=0xedff if first & 0x120 == 0x100 => Kind::Multiple(2),
        0xec00..=0xedff => Kind::Multiple((second & 0xff).into()),
        0xee00..=0xeeff if second & 0x10 == 0 => float(first, second),
        0xf000..=0xf7ff if second & 0x8000 == 0 => Kind::Simple,
        0xf000..=0xf7ff if second & 0xd000 == 0xd000 => Kind::Call,
        // Special registers and barriers have the place of conditions that no branch has.
        0xf380..=0xf3ff if second & 0x5000 == 0 => Kind::Special,
        0xf000..=0xf7ff => Kind::Branch,
        0xf800..=0xf9ff if first & 0x70 == 0x50 && second >> 12 == PROGRAM_COUNTER => Kind::LoadedBranch,
        0xf800..=0xf9ff => Kind::Transfer,
        0xfb00..=0xfb7f if second >> 12 != PROGRAM_COUNTER => Kind::MultiplyAdd,
        0xfb90..=0xfb9f | 0xfbb0..=0xfbbf => Kind::Divide,
        0xfb80..=0xfbbf => Kind::MultiplyLong,
        0xfbc0..=0xfbff => Kind::MultiplyAddLong,
        _ => Kind::Simple,
    }
}

/// Returns the kind of an operation in single precision.
fn float(first: u16, second: u16) -> Kind {
    match first >> 4 & 0b1011 {
        0b0000 | 0b0001 | 0b1001 | 0b1010 => Kind::FloatMultiplyAdd,
        0b1000 => Kind::FloatDivide,
        0b1011 if first & 15 == 1 && second & 0xc0 == 0xc0 => Kind::FloatDivide,
        _ => Kind::Simple,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the cycles of the code at these addresses on a Cortex-M0, M0+, M3 and M4.
    fn of_all(code: &[u16], addresses: &[u32]) -> [[u32; 2]; 4] {
        let halfword = |address: u32| code.get(address as usize / 2).copied().unwrap_or_default();
        [M0, M0_PLUS, M3, M4].map(|timing| {
            let Cycles { least, most } = timing.cycles(addresses, halfword);
            [least, most]
        })
    }

    #[test]
    fn a_loop_takes_what_a_count_by_hand_gives() {
        // ldr r0, [r1]; adds r1, #4; subs r2, #1; bne to the start, three times, and bx lr.
        let code = [0x6808, 0x3104, 0x3a01, 0xd1fb, 0x4770];
        let addresses = [0, 2, 4, 6, 0, 2, 4, 6, 0, 2, 4, 6, 8, 100];
        // 3 * (2 + 1 + 1), two branches, one that is not taken, and the return.
        let expected = [[12 + 2 * 3 + 1 + 3; 2], [12 + 2 * 2 + 1 + 2; 2], [12 + 2 * 2 + 1 + 2, 12 + 2 * 4 + 1 + 4]];
        assert_eq!(of_all(&code, &addresses), [expected[0], expected[1], expected[2], expected[2]]);
    }

    #[test]
    fn calls_and_stacks_take_their_registers() {
        // push {r4, r5, lr}; bl; pop {r4, r5, pc}.
        let code = [0xb530, 0xf000, 0xf800, 0xbd30];
        let expected = [[4 + 4 + 6; 2], [4 + 3 + 5; 2], [4 + 2 + 5, 4 + 4 + 7], [4 + 2 + 5, 4 + 4 + 7]];
        assert_eq!(of_all(&code, &[0, 2, 6, 200]), expected);
    }

    #[test]
    fn neighbouring_loads_may_overlap_on_large_cores() {
        // ldr r0, [r1]; str r0, [r2]; ldrh r0, [r1].
        let code = [0x6808, 0x6010, 0x8808];
        assert_eq!(of_all(&code, &[0, 2, 4, 6]), [[6, 6], [6, 6], [4, 6], [4, 6]]);
    }

    #[test]
    fn products_and_quotients_have_their_own_cycles() {
        let wide = |first: u16, second: u16| of_all(&[first, second], &[0, 4])[2..].to_vec();
        for ([first, second], expected) in [
            // mul r0, r1, r2; mla r0, r1, r2, r3; umull r0, r1, r2, r3; umlal; udiv.
            ([0xfb01, 0xf002], [[1, 1], [1, 1]]),
            ([0xfb01, 0x3002], [[2, 2], [1, 1]]),
            ([0xfba2, 0x0103], [[3, 5], [1, 1]]),
            ([0xfbe2, 0x0103], [[4, 7], [1, 1]]),
            ([0xfbb1, 0xf0f2], [[2, 12], [2, 12]]),
            // vmul.f32, vmla.f32, vdiv.f32, vsqrt.f32 and vldr of single precision, vldr of double precision.
            ([0xee20, 0x0a81], [[1, 1], [1, 1]]),
            ([0xee00, 0x0a81], [[3, 3], [3, 3]]),
            ([0xee80, 0x0a81], [[14, 14], [14, 14]]),
            ([0xeeb1, 0x0ac0], [[14, 14], [14, 14]]),
            ([0xed90, 0x0a00], [[2, 2], [2, 2]]),
            ([0xed90, 0x0b00], [[3, 3], [3, 3]]),
        ] {
            assert_eq!(wide(first, second), expected, "{first:04x} {second:04x}");
        }
    }
}
