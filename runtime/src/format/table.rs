//! The tables of number formats, kernels and warps: everything that has a number in model files.
//!
//! A new kernel is a row of [`kernels!`] and a type of the row's name in `kernel`; a new number format or warp is a
//! row.

/// Defines an enumeration whose variants have a number in model files and a name.
macro_rules! numbered {
    ($(#[$of_enum:meta])* $enum:ident {
        $($(#[$of_variant:meta])* $variant:ident = $number:literal, $name:literal;)*
    }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $enum {
            $($(#[$of_variant])* $variant = $number,)*
        }

        impl $enum {
            /// Every variant, in the order of their numbers.
            pub const ALL: &[$enum] = &[$($enum::$variant),*];

            /// Returns the variant with this number in model files.
            pub const fn of(number: u8) -> Option<Self> {
                match number {
                    $($number => Some($enum::$variant),)*
                    _ => None,
                }
            }

            /// Returns the number of the variant in model files.
            pub const fn number(self) -> u8 {
                self as u8
            }

            /// Returns the name of the variant.
            pub const fn name(self) -> &'static str {
                match self {
                    $($enum::$variant => $name,)*
                }
            }
        }
    };
}

numbered! {
    /// The number format of the tensors.
    Number {
        /// IEEE 754 single precision.
        F32 = 0, "f32";
        /// Integers: inputs and amplitudes of 16 bits, weights of 32.
        I32 = 1, "int";
        /// Integers: inputs, amplitudes and weights of 16 bits.
        I16 = 2, "int16";
    }
}

numbered! {
    /// A function of one input.
    ///
    /// In floating point the reading is warped before its centre is subtracted. In integers the input of 16 bits is
    /// warped.
    Warp {
        /// The input itself.
        Identity = 0, "identity";
        /// The logarithm to base 2.
        Log = 1, "log";
        /// The square root.
        Sqrt = 2, "sqrt";
    }
}

/// Hands the rows of the table of kernels to the macro `$apply`, followed by any further arguments.
///
/// A row states a kernel's variant, number in model files, name, whether a feature has a bias, the integer that stands
/// for its largest value, and its scales: a file stores each amplitude times the scale of its value.
macro_rules! kernels {
    ($apply:ident $(, $($argument:tt)*)?) => {
        $apply! {
            [
                /// `cos(2πt)`, angles in turns.
                Cosine = 0, "cosine", true, 4096, [-70.993_437_319_360_91];
                /// `sin(2πt)` and `cos(2πt)`, angles in turns.
                Sincos = 1, "sine and cosine", false, 4096, [-70.993_437_319_360_91, 56.242_382_534_530_8];
                /// `1 / (1 + e^-t)`.
                Sigmoid = 2, "sigmoid", true, 4096, [104.492_080_688_476_56];
                /// `max(t, 0)`.
                Relu = 3, "ReLU", true, 16_384, [0.5];
                /// `cos(2πt)`, angles in turns; in integers a polynomial instead of a table.
                Polynomial = 4, "polynomial cosine", true, 4096, [-70.993_437_319_360_91];
                /// `t²`.
                Square = 5, "square", true, 32_768, [1.0];
            ]
            $($($argument)*)?
        }
    };
}
pub(crate) use kernels;

/// Defines [`Kernel`] from the rows of [`kernels!`].
macro_rules! define_kernels {
    ([$(
        $(#[$doc:meta])*
        $kernel:ident = $number:literal, $name:literal, $bias:literal, $one:literal, [$($scale:literal),*];
    )*]) => {
        numbered! {
            /// The function φ of a block of features.
            Kernel {
                $($(#[$doc])* $kernel = $number, $name;)*
            }
        }

        impl Kernel {
            /// Returns the factors that a file stores amplitudes times: one for every value of a feature.
            pub const fn scales(self) -> &'static [f64] {
                match self {
                    $(Kernel::$kernel => &[$($scale),*],)*
                }
            }

            /// Returns the integer that stands for a value of one; of the rectified argument and of the square, for the
            /// largest one.
            pub const fn one(self) -> i32 {
                match self {
                    $(Kernel::$kernel => $one,)*
                }
            }

            /// Returns whether a feature has a bias. The pairs of a sine and a cosine have theirs in the amplitudes.
            pub const fn has_bias(self) -> bool {
                match self {
                    $(Kernel::$kernel => $bias,)*
                }
            }
        }
    };
}
kernels!(define_kernels);

impl Number {
    /// Returns whether this is a format of floating-point numbers.
    pub(crate) const fn is_float(self) -> bool {
        matches!(self, Number::F32)
    }

    /// Returns the words that the weights of a feature with `order` inputs take.
    pub const fn weight_words(self, order: usize) -> usize {
        match self {
            Number::F32 | Number::I32 => order,
            Number::I16 => order.div_ceil(2),
        }
    }

    /// Returns the words of a feature's record beside its weights.
    ///
    /// These hold the bias, where the kernel has one, and the amplitudes: one a word in floating point, two in
    /// integers.
    pub const fn other_words(self, kernel: Kernel, outputs: usize) -> usize {
        let numbers = kernel.words(0, outputs);
        match self {
            Number::F32 => numbers,
            Number::I32 | Number::I16 => numbers.div_ceil(2),
        }
    }
}

impl Kernel {
    /// Returns the words of a feature's record with `order` inputs in floating point: a bias, where the kernel has one,
    /// the weights, and the amplitudes of every output.
    pub const fn words(self, order: usize, outputs: usize) -> usize {
        self.has_bias() as usize + order + self.scales().len() * outputs
    }
}
