//! Prints the graph of modules and its cycles, and the public items of libraries: `cargo run -p srfm-structure`.

use std::error::Error;

use srfm_structure::graph::Graph;
use srfm_structure::interface::public_items;
use srfm_structure::repository;

fn main() -> Result<(), Box<dyn Error>> {
    for krate in repository::crates()? {
        let graph = Graph::of(&krate);
        print!("{graph}");
        for cycle in graph.cycles() {
            print!("\n{cycle}");
        }
        if krate.name.contains(" lib ") {
            for (module, items) in public_items(&krate) {
                println!("{module}: {} public items\n    {}", items.len(), items.join("\n    "));
            }
        }
        println!();
    }
    Ok(())
}
