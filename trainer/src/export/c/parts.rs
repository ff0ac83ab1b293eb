//! The functions that a C source is made of: one table of parts, each with the parts that it needs and its text.

use srfm_runtime::format::Kernel;
use srfm_runtime::kernel::lines;

/// Defines [`Part`] from rows of a part, the parts that it needs, and the file of its text.
macro_rules! parts {
    ($($part:ident [$($needed:ident)*] $file:literal;)*) => {
        /// A function, or a few that belong together, in the order in which a source has them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Part {
            $(#[doc = $file] $part,)*
        }

        impl Part {
            /// Returns the parts that this one calls.
            pub fn needs(self) -> &'static [Part] {
                match self {
                    $(Part::$part => &[$(Part::$needed),*],)*
                }
            }

            /// Returns the text, in which `model_` and `MODEL_` stand for the name of the model.
            pub fn text(self) -> &'static str {
                match self {
                    $(Part::$part => include_str!(concat!("templates/", $file, ".h")),)*
                }
            }
        }
    };
}

parts! {
    Guards [] "guards";
    FloatingPointUnit [] "floating_point_unit";
    Status [] "status";
    Flash [] "flash";
    Rolled [] "rolled";
    Product [] "product";
    Bits [] "bits";
    Missing [] "missing";
    Absolute [] "absolute";
    Cosine [Product Absolute] "cosine";
    Sincos [Product Bits] "sincos";
    Power [Product Bits] "power";
    Sigmoid [Power] "sigmoid";
    Relu [Absolute] "relu";
    Square [Product] "square";
    Replaced [Missing] "replaced";
    ReplacedInteger [] "replaced_integer";
    Less [] "less";
    Bounded [] "bounded";
    Logarithm [Product Bits] "logarithm";
    Root [Product Bits] "root";
    Limited [Missing] "limited";
    Signed [] "signed";
    Thresholds [Bits Missing Signed] "thresholds";
    Count [] "count";
    Widened [] "widened";
    Cosines [Flash] "cosines";
    Sigmoids [Flash] "sigmoids";
    Line [Flash Signed] "line";
    CosineLine [Cosines Line] "cosine_line";
    CosinePolynomial [Signed] "cosine_polynomial";
    SigmoidLine [Sigmoids Line] "sigmoid_line";
    ReluInteger [Signed] "relu_integer";
    SquareInteger [] "square_integer";
    Quantised [Product Missing] "quantised";
    BoundedInteger [] "bounded_integer";
    LogarithmInteger [] "logarithm_integer";
    RootInteger [] "root_integer";
    Total [Signed] "total";
    LimitedInteger [] "limited_integer";
    Larger [] "larger";
    Shares [] "shares";
    Quotient [] "quotient";
    Mean [Quotient] "mean";
    Deviation [Product Quotient Root] "deviation";
    LeastReading [Missing] "least_reading";
    LargestReading [Missing] "largest_reading";
    Crossings [Missing] "crossings";
    Band [Product Root] "band";
    ReaderTypes [] "reader_types";
    ReaderBytes [Bits Signed] "reader_bytes";
    ReaderMessage [] "reader_message";
    ReaderSections [ReaderBytes ReaderMessage ReaderTypes] "reader_sections";
    ReaderChecks [ReaderBytes ReaderMessage ReaderTypes] "reader_checks";
    Reader [Product Missing Signed ReaderSections ReaderChecks] "reader_open";
}

impl Part {
    /// Returns the table of the part; empty where it has none.
    pub fn lines(self) -> &'static [i32] {
        let kernel = match self {
            Part::Cosines => Kernel::Cosine,
            Part::Sigmoids => Kernel::Sigmoid,
            _ => return &[],
        };
        lines(kernel).map_or(&[], |lines| lines)
    }
}
