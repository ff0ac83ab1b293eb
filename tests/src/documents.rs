//! The Rust code of the documents, as documentation tests.

macro_rules! documents {
    ($($name:ident = $path:literal),* $(,)?) => {
        $(
            #[doc = include_str!($path)]
            pub struct $name;
        )*
    };
}

documents! {
    Adaptation = "../../docs/adaptation.md",
    Readme = "../../README.md",
    Board = "../../docs/board.md",
    Boards = "../../docs/boards.md",
    Choosing = "../../docs/choosing.md",
    Costs = "../../docs/costs.md",
    DataFiles = "../../docs/data-files.md",
    Extending = "../../docs/extending.md",
    FirstModel = "../../docs/first-model.md",
    Frontier = "../../docs/frontier.md",
    Integers = "../../docs/integers.md",
    Papers = "../../docs/papers.md",
    Updates = "../../docs/updates.md",
}
