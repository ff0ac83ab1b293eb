//! Prints the digest of the model of every job.

use std::error::Error;

use srfm_wasm::{digest, jobs};

fn main() -> Result<(), Box<dyn Error>> {
    for job in jobs() {
        let bytes = job.model()?;
        println!("{:016x} {} of {} bytes", digest(&bytes), job.name(), bytes.len());
    }
    Ok(())
}
