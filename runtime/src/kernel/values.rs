//! The values of a feature, and how they are added to outputs.

/// The values of a feature in floating point.
pub trait Values: Copy + Sized {
    /// Divides the amplitudes of a feature by outputs.
    fn by_output(amplitudes: &[f32]) -> &[Self];

    /// Adds each value times its amplitude to the output `y`, one after the other.
    fn add_to(self, y: f32, amplitudes: &Self) -> f32;
}

impl Values for [f32; 1] {
    #[inline(always)]
    fn by_output(amplitudes: &[f32]) -> &[Self] {
        amplitudes.as_chunks().0
    }

    #[inline(always)]
    fn add_to(self, y: f32, [amplitude]: &Self) -> f32 {
        let [value] = self;
        y + amplitude * value
    }
}

impl Values for [f32; 2] {
    #[inline(always)]
    fn by_output(amplitudes: &[f32]) -> &[Self] {
        amplitudes.as_chunks().0
    }

    #[inline(always)]
    fn add_to(self, y: f32, [amplitude_0, amplitude_1]: &Self) -> f32 {
        let [value_0, value_1] = self;
        y + amplitude_0 * value_0 + amplitude_1 * value_1
    }
}

/// The values of a feature in an integer model, with amplitudes of 16 bits.
pub trait IntegerValues: Copy {
    /// Adds each value times its amplitude to the only output; `word` is the last one of a record.
    fn add_to(self, y: i32, word: u32) -> i32;

    /// Adds each value times its amplitude to every output; `words` follow the weights.
    fn add_to_all(self, y: &mut [i32], words: &[u32]);
}

impl IntegerValues for [i32; 1] {
    #[inline(always)]
    fn add_to(self, y: i32, word: u32) -> i32 {
        let [value] = self;
        y.wrapping_add(lower(word) * value)
    }

    #[inline(always)]
    fn add_to_all(self, y: &mut [i32], words: &[u32]) {
        let (Some((&first, words)), Some((y_0, y))) = (words.split_first(), y.split_first_mut()) else { return };
        *y_0 = self.add_to(*y_0, first);
        let amplitudes: &[i16] = bytemuck::must_cast_slice(words);
        for (y, &amplitude) in y.iter_mut().zip(amplitudes) {
            *y = y.wrapping_add(i32::from(amplitude) * self[0]);
        }
    }
}

impl IntegerValues for [i32; 2] {
    #[inline(always)]
    fn add_to(self, y: i32, word: u32) -> i32 {
        let [first, second] = self;
        y.wrapping_add(lower(word) * first).wrapping_add(upper(word) * second)
    }

    #[inline(always)]
    fn add_to_all(self, y: &mut [i32], words: &[u32]) {
        for (y, &word) in y.iter_mut().zip(words) {
            *y = self.add_to(*y, word);
        }
    }
}

/// Returns the lower half of a word, a number in two's complement.
#[inline(always)]
fn lower(word: u32) -> i32 {
    i32::from(word as i16)
}

/// Returns the upper half of a word, a number in two's complement.
#[inline(always)]
fn upper(word: u32) -> i32 {
    word as i32 >> 16
}
