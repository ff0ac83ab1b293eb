//! Clock cycles of the instructions of an AVR with a program counter of 16 bits, by Microchip's AVR Instruction Set
//! Manual (DS40002198), columns AVRe+.

use super::cycles::{Cycles, Step};

/// Returns the cycles of executed instructions, from the first to the one before the last.
pub fn cycles(steps: &[Step], code: impl Fn(u32) -> u16) -> Cycles {
    let of_pair = |pair: &[Step]| {
        let word = code(pair[0].address);
        match pair[0].is_skipped {
            true => words(word),
            false => of_word(word, pair[1].address.wrapping_sub(pair[0].address)),
        }
    };
    Cycles::exactly(steps.windows(2).map(of_pair).sum())
}

/// Returns the length of an instruction in words.
fn words(word: u16) -> u32 {
    // LDS, STS; JMP, CALL.
    if word & 0xfc0f == 0x9000 || word & 0xfe0c == 0x940c { 2 } else { 1 }
}

/// Returns the cycles of an instruction that is followed by one so many bytes behind.
fn of_word(word: u16, behind: u32) -> u32 {
    match word {
        // MULS, MULSU, FMUL, FMULS, FMULSU.
        0x0200..=0x03ff => 2,
        // Skips: CPSE; SBIC, SBIS; SBRC, SBRS.
        0x1000..=0x13ff | 0x9900..=0x99ff | 0x9b00..=0x9bff | 0xfc00..=0xffff => behind / 2,
        // LDD, STD.
        0x8000..=0x8fff | 0xa000..=0xafff => 2,
        // LPM, loads, POP; stores, PUSH.
        0x9000..=0x91ff if matches!(word & 15, 4 | 5) => 3,
        0x9000..=0x93ff => 2,
        // IJMP; RET, RETI; ICALL; LPM.
        0x9409 => 2,
        0x9508 | 0x9518 => 4,
        0x9509 => 3,
        0x95c8 => 3,
        // JMP; CALL.
        0x9400..=0x95ff if word & 0xe == 0xc => 3,
        0x9400..=0x95ff if word & 0xe == 0xe => 4,
        // ADIW, SBIW, CBI; SBI; MUL.
        0x9600..=0x98ff | 0x9a00..=0x9aff | 0x9c00..=0x9fff => 2,
        // RJMP; RCALL; branches.
        0xc000..=0xcfff => 2,
        0xd000..=0xdfff => 3,
        0xf000..=0xf7ff if behind != 2 => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_takes_what_a_count_by_hand_gives() {
        // ld r24, X+; lpm r0, Z+; mul r24, r0; add r2, r0; dec r18; brne to the start, twice, and ret.
        let code = [0x918d, 0x9005, 0x9d80, 0x0c20, 0x952a, 0xf7d1, 0x9508];
        let addresses = [0, 2, 4, 6, 8, 10, 0, 2, 4, 6, 8, 10, 12, 500];
        let steps = addresses.map(|address| Step { address, is_skipped: false });
        let halfword = |address: u32| code.get(address as usize / 2).copied().unwrap_or_default();
        assert_eq!(cycles(&steps, halfword), Cycles::exactly(2 * (2 + 3 + 2 + 1 + 1) + 2 + 1 + 4));
    }

    #[test]
    fn a_skip_takes_the_words_that_it_skips() {
        // cpse r0, r1; call; nop: the call is skipped.
        let code = [0x1001, 0x940e, 0x0000, 0x0000];
        let steps = [(0, false), (2, true), (6, false), (8, false)];
        let steps = steps.map(|(address, is_skipped)| Step { address, is_skipped });
        let halfword = |address: u32| code.get(address as usize / 2).copied().unwrap_or_default();
        assert_eq!(cycles(&steps, halfword), Cycles::exactly(1 + 2 + 1));
        // Nothing is skipped.
        let steps = [0, 2, 100].map(|address| Step { address, is_skipped: false });
        assert_eq!(cycles(&steps, halfword), Cycles::exactly(1 + 4));
    }
}
