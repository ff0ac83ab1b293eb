//! Limits of memory, and panics that are errors.

use std::panic;
use std::sync::Once;

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// The bytes that reading any file may take, and those for each of its bytes.
const MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 4096;

/// Runs `work` on one thread and checks that it takes memory in proportion to `len` bytes.
pub fn within_memory<T>(len: usize, work: impl FnOnce() -> T) -> T {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("there is no pool yet");
        let fatal = panic::take_hook();
        // The package that reads Parquet files panics over damaged pages, and the caller catches that.
        panic::set_hook(Box::new(move |info| {
            if !info.location().is_some_and(|place| place.file().contains("/parquet-")) {
                fatal(info);
            }
        }));
    });
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let result = work();
    let taken = HEAP.peak_usage().saturating_sub(before);
    assert!(taken <= MEMORY + MEMORY_PER_BYTE * len, "{taken} bytes of memory for {len} bytes");
    result
}
