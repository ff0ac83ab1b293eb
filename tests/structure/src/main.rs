//! Prints the graph of modules and its cycles: `cargo run -p srfm-structure`.

use std::error::Error;

use srfm_structure::graph::Graph;
use srfm_structure::repository;

fn main() -> Result<(), Box<dyn Error>> {
    for krate in repository::crates()? {
        let graph = Graph::of(&krate);
        print!("{graph}");
        for cycle in graph.cycles() {
            print!("\n{cycle}");
        }
        println!();
    }
    Ok(())
}
