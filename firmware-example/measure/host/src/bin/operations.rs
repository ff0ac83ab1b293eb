//! Counts the instructions of operations in floating point on pairs of numbers from the file `samples.f32`. Writes the
//! count of each operation on each pair to `results.bin`: addition, multiplication, division, comparison.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::{Counter, entry};
use bytemuck::{bytes_of, cast_slice_mut};
use host::fail;
use semihosting::fs::File;
use semihosting::io::{Read, Write};
use semihosting::process;

#[entry]
fn main() -> ! {
    let counter = Counter::start().unwrap_or_else(|error| fail(error));
    let (Ok(mut samples), Ok(mut results)) = (File::open(c"samples.f32"), File::create(c"results.bin")) else {
        fail("cannot open samples.f32 and results.bin")
    };
    let mut pair = [0.0_f32; 2];
    while samples.read(cast_slice_mut(&mut pair)).is_ok_and(|bytes| bytes == size_of_val(&pair)) {
        let [a, b] = pair;
        let count = |operation: fn(f32, f32) -> u32| {
            let (count, result) = counter.count(|| operation(black_box(a), black_box(b)));
            black_box(result);
            count
        };
        // The loads, the call and the return are not part of the operation.
        let rest = count(|a, b| a.to_bits() ^ b.to_bits());
        let operations: [fn(f32, f32) -> u32; 4] =
            [|a, b| (a + b).to_bits(), |a, b| (a * b).to_bits(), |a, b| (a / b).to_bits(), |a, b| (a < b).into()];
        let counts = operations.map(|operation| count(operation).saturating_sub(rest));
        if results.write_all(bytes_of(&counts)).is_err() {
            fail("cannot write results.bin")
        }
    }
    process::exit(0)
}
