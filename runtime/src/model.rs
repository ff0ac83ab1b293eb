//! A model that is borrowed from flash.

use core::marker::PhantomData;

use crate::Error;
use crate::evaluate::{Evaluator, is_used, prepare};
use crate::format::{
    Block, Blocks, Classes, Confidence, Contents, Header, Indices, Linear, Number, Prepared, Samples, Scale, Shifts,
    Trees,
};
use crate::kernel::Any;
use crate::probability::{self, Odds};

/// A model, borrowed from the bytes of its file: a few pointers, no parameter is copied.
///
/// See the [crate documentation](crate) for the formula and an example. `E` says which [kernels](crate::kernel) the
/// program has.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a, E = Any> {
    contents: Contents<'a>,
    evaluator: PhantomData<E>,
}

impl<'a> Model<'a> {
    /// Checks the model at the start of `bytes` and borrows it. Bytes behind it are ignored.
    ///
    /// Every length, index and value and the checksum are checked here, once, at about 60 instructions a byte. `bytes`
    /// must start on a four-byte boundary: see [`include_model!`](crate::include_model) and `ModelSlot`.
    ///
    /// # Errors
    /// Any [`Error`] except the errors of [`predict`](Self::predict) and [`classify`](Self::classify).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::parse_only(bytes)
    }
}

impl<'a, E: Evaluator> Model<'a, E> {
    /// [`parse`](Model::parse) for a program that has the kernel of `E` alone: for one output, 8 KB of code instead of
    /// 65.
    ///
    /// # Errors
    /// As [`parse`](Model::parse). [`Error::UnsupportedNumber`], [`Error::UnsupportedKernel`] and
    /// [`Error::UnsupportedWarp`] where `E` does not evaluate the model.
    ///
    /// ```
    /// use srfm_runtime::kernel::{Cosine, Sigmoid};
    /// use srfm_runtime::{Error, Model, include_model};
    ///
    /// static BLOB: &[u8] = include_model!("../golden/plane.srfm");
    ///
    /// assert!(Model::<Cosine>::parse_only(BLOB).is_ok());
    /// assert_eq!(Model::<Sigmoid>::parse_only(BLOB).err(), Some(Error::UnsupportedKernel(0)));
    /// ```
    pub fn parse_only(bytes: &'a [u8]) -> Result<Self, Error> {
        let contents = Contents::read::<E>(bytes)?;
        Ok(Model { contents, evaluator: PhantomData })
    }

    /// [`parse_only`](Self::parse_only) for the words of a file, each of four bytes in their order, in constant
    /// expressions: [`static_model!`](crate::static_model) calls it.
    ///
    /// # Errors
    /// As [`parse_only`](Self::parse_only), except [`Error::Misaligned`].
    pub const fn from_words(words: &'a [u32]) -> Result<Self, Error> {
        match Contents::read_words::<E>(words) {
            Ok(contents) => Ok(Model { contents, evaluator: PhantomData }),
            Err(error) => Err(error),
        }
    }

    /// Predicts every output from one row of readings, in physical units.
    ///
    /// `x` holds [`inputs`](Self::inputs) readings, `y` receives [`outputs`](Self::outputs) values. On a core with an
    /// FPU the number of instructions depends on the model alone, except for readings outside of the domain of a warp
    /// and for the branches that trees take. An output of a model of quantities stays within its
    /// [limits](Self::limits). A reading of NaN is missing. It is replaced where the file has a replacement. Otherwise
    /// every output is NaN, if linear terms or features of kernels depend on the reading. The conditions of trees state
    /// themselves which branch a missing reading takes.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] and [`Error::WrongOutputs`] where a slice has another length. Nothing else can fail.
    #[inline]
    pub fn predict(&self, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
        let Contents { header, .. } = &self.contents;
        if x.len() != usize::from(header.inputs) {
            return Err(Error::WrongInputs { expected: header.inputs });
        }
        if y.len() != usize::from(header.outputs) {
            return Err(Error::WrongOutputs { expected: header.outputs });
        }
        E::evaluate(&self.contents, x, y);
        Ok(())
    }

    /// Predicts every output of an integer model from its inputs, without floating point.
    ///
    /// `z` holds the [prepared](Self::prepare) inputs, before any warp. Where the model prepares none, it holds as many
    /// integers as there are readings: counts of a converter go in as they are. `y` receives [`outputs`](Self::outputs)
    /// integers, whose meaning [`scales`](Self::scales) gives. An input of [`MISSING`](crate::MISSING) is replaced
    /// where the file has a replacement. Where a model has neither linear terms nor warps, the number of instructions
    /// is the same for all inputs that are not missing and whose outputs are within their limits.
    ///
    /// # Errors
    /// [`Error::NotIntegers`] for a model in floating point, [`Error::WrongInputs`] and [`Error::WrongOutputs`] where a
    /// slice has another length, and [`Error::MissingReading`] where an input is missing that the outputs depend on and
    /// that nothing replaces; `y` is then left as it was.
    #[inline]
    pub fn predict_integers(&self, z: &[i16], y: &mut [i32]) -> Result<(), Error> {
        let (header, view) = (&self.contents.header, self.contents.view);
        if header.number.is_float() {
            return Err(Error::NotIntegers);
        }
        if z.len() != usize::from(view) {
            return Err(Error::WrongInputs { expected: view });
        }
        if y.len() != usize::from(header.outputs) {
            return Err(Error::WrongOutputs { expected: header.outputs });
        }
        if E::evaluate_integers(&self.contents, z, y) { Ok(()) } else { Err(Error::MissingReading) }
    }

    /// Turns readings into the inputs that [`predict_integers`](Self::predict_integers) takes. NaN becomes
    /// [`MISSING`](crate::MISSING), and no other reading does.
    ///
    /// # Errors
    /// [`Error::NotIntegers`] for a model in floating point, and [`Error::WrongInputs`] where a slice has another
    /// length.
    pub fn prepare(&self, x: &[f32], z: &mut [i16]) -> Result<(), Error> {
        let (Contents { header, preparation, .. }, view) = (&self.contents, self.contents.view);
        if header.number.is_float() {
            return Err(Error::NotIntegers);
        }
        if x.len() != usize::from(header.inputs) {
            return Err(Error::WrongInputs { expected: header.inputs });
        }
        if z.len() != usize::from(view) {
            return Err(Error::WrongInputs { expected: view });
        }
        prepare(x, preparation, z);
        Ok(())
    }

    /// Predicts the class of one row of readings: its number among [`classes`](Self::classes), from 0. There is none
    /// where every score is NaN, as after a missing reading that nothing replaces, and where the model is not as sure
    /// of it as its [`confidence`](Self::confidence) demands.
    ///
    /// `scores` receives the outputs of [`predict`](Self::predict). Two classes share one score, and the second class
    /// is the answer where the score is above one half. Three or more classes have a score each, and the class with the
    /// largest score is the answer; the first of equal ones. A score of NaN is never the largest.
    ///
    /// # Errors
    /// [`Error::NoClasses`] for a model that predicts quantities, otherwise as [`predict`](Self::predict).
    #[inline]
    pub fn classify(&self, x: &[f32], scores: &mut [f32]) -> Result<Option<usize>, Error> {
        if !self.contents.limits.is_empty() {
            return Err(Error::NoClasses);
        }
        self.predict(x, scores)?;
        let class = decide(scores);
        match self.confidence() {
            Some(Confidence { margin, .. }) => Ok(class.filter(|&class| is_ahead(scores, class, margin))),
            None => Ok(class),
        }
    }

    /// Turns the scores that [`predict`](Self::predict) gives into the probability of every class, in the order of the
    /// classes.
    ///
    /// The trainer calibrates probabilities on rows that a model was not fitted to. They lie between 0 and 1, and their
    /// sum is 1 but for rounding. [`classify`](Self::classify) names the class of the largest one. Where a score is
    /// NaN, every probability is NaN.
    ///
    /// ```
    /// # use srfm_runtime::{Error, Model, include_model};
    /// # fn main() -> Result<(), Error> {
    /// static BLOB: &[u8] = include_model!("../golden/classes.srfm");
    ///
    /// let model = Model::parse(BLOB)?;
    /// let mut scores = [0.0; 3];
    /// let mut probabilities = [0.0; 3];
    /// model.predict(&[1.0, 2.0], &mut scores)?;
    /// model.probabilities(&scores, &mut probabilities)?;
    /// assert!((probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::NoClasses`] for a model that predicts quantities, [`Error::WrongOutputs`] where there are not as many
    /// `scores` as outputs or not as many `probabilities` as classes.
    pub fn probabilities(&self, scores: &[f32], probabilities: &mut [f32]) -> Result<(), Error> {
        self.check_classes(scores.len(), probabilities.len())?;
        probability::of_scores(self.slope(), scores, probabilities);
        Ok(())
    }

    /// Turns the integers that [`predict_integers`](Self::predict_integers) gives into the probability of every class,
    /// in the order of the classes, in units of 1/65536 and at most 65535.
    ///
    /// With up to a hundred classes, they differ by at most 0.0003 from what [`probabilities`](Self::probabilities)
    /// gives. The class of the largest score has the largest one, but for scores whose odds differ by less than a
    /// 4096th part of a factor of two.
    ///
    /// # Errors
    /// [`Error::NotIntegers`] for a model in floating point, otherwise as [`probabilities`](Self::probabilities).
    pub fn probabilities_of_integers(&self, scores: &[i32], probabilities: &mut [u16]) -> Result<(), Error> {
        if self.contents.header.number.is_float() {
            return Err(Error::NotIntegers);
        }
        self.check_classes(scores.len(), probabilities.len())?;
        probability::of_odds(self.odds().zip(scores.iter().copied()), probabilities);
        Ok(())
    }

    /// Returns how the integers of scores become log-odds, for every output of an integer model with classes.
    pub fn odds(&self) -> impl Iterator<Item = Odds> + Clone + use<'a, E> {
        let slope = self.slope();
        let scales = self.scales();
        let centre = if scales.len() == 1 { 0.5 } else { 0.0 };
        scales.iter().map(move |&scale| Odds::new(scale, slope, centre))
    }

    /// Checks that there are as many scores as outputs, and as many probabilities as classes.
    fn check_classes(&self, scores: usize, probabilities: usize) -> Result<(), Error> {
        let outputs = self.contents.header.outputs;
        if !self.contents.limits.is_empty() {
            return Err(Error::NoClasses);
        }
        if scores != usize::from(outputs) {
            return Err(Error::WrongOutputs { expected: outputs });
        }
        let classes = if outputs == 1 { 2 } else { outputs };
        if probabilities != usize::from(classes) {
            return Err(Error::WrongOutputs { expected: classes });
        }
        Ok(())
    }

    /// Returns how sure of a class the model must be to name it; none where every row has a class.
    pub fn confidence(&self) -> Option<Confidence> {
        self.contents.sections.confidence()
    }

    /// Returns the slope that turns scores of classes into log-odds.
    pub fn slope(&self) -> f32 {
        self.contents.sections.slope()
    }

    /// Returns the number of readings that a prediction takes.
    pub const fn inputs(&self) -> usize {
        self.contents.header.inputs as usize
    }

    /// Returns the number of values that a prediction gives.
    pub const fn outputs(&self) -> usize {
        self.contents.header.outputs as usize
    }

    /// Returns the number of features, without the rules.
    pub fn features(&self) -> usize {
        self.blocks().map(|block| block.features()).sum()
    }

    /// Returns the readings of a sample, for a [`History`](crate::History). Without lagged inputs and
    /// windows they are the [inputs](Self::inputs).
    pub const fn channels(&self) -> usize {
        self.samples().channels()
    }

    /// Returns the numbers of earlier and present readings that a [`History`](crate::History) keeps.
    pub const fn slots(&self) -> usize {
        self.samples().slots()
    }

    /// Returns the samples that the inputs come from.
    pub const fn samples(&self) -> Samples<'a> {
        self.contents.sections.samples(self.contents.header.inputs)
    }

    /// Returns the length of the model in bytes, all of which lie in flash.
    pub fn flash_bytes(&self) -> usize {
        self.contents.len
    }

    /// Returns the header of the file.
    pub const fn header(&self) -> &Header<'a> {
        &self.contents.header
    }

    /// Returns the share of every input in what the model computes, in 255ths; empty where the file has no importance.
    pub fn importance(&self) -> &'a [u8] {
        self.contents.sections.importance()
    }

    /// Returns the names of the classes, in the order of their numbers; none in a model that predicts quantities.
    pub fn classes(&self) -> Classes<'a> {
        self.contents.sections.classes()
    }

    /// Returns the indices of the readings in `x` that lie outside of the range of their input in the rows that were
    /// fitted: there a prediction is a guess.
    ///
    /// NaN is outside; a reading that the outputs do not depend on never is. The result is empty where the file has no
    /// [ranges](Self::ranges).
    pub fn outside<'x>(&self, x: &'x [f32]) -> impl Iterator<Item = usize> + use<'a, 'x, E> {
        let within = |x: f32, [low, high]: [f32; 2]| x >= low && x <= high;
        self.ranges().zip(x).enumerate().filter(move |&(_, (range, &x))| !within(x, range)).map(|(input, _)| input)
    }

    /// Returns the smallest and the largest reading of every input in the rows that were fitted; none where the file
    /// has no ranges.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = [f32; 2]> + use<'a, E> {
        self.contents.sections.ranges(self.inputs())
    }

    /// Returns half the width of the interval around a prediction of `output`; none where the file has no intervals.
    ///
    /// The interval holds the target of a share of [`level`](Self::level) of rows like those that were fitted.
    pub fn half_width(&self, output: usize) -> Option<f32> {
        self.contents.sections.intervals(self.outputs()).skip(1).nth(output)
    }

    /// Returns the level of the intervals, such as 0.9; none where the file has no intervals.
    pub fn level(&self) -> Option<f32> {
        self.contents.sections.intervals(self.outputs()).next()
    }

    /// Returns the prepared inputs; empty where features read the readings directly.
    pub const fn prepared(&self) -> &'a [Prepared] {
        self.contents.preparation.inputs
    }

    /// Returns whether whole numbers are the inputs of an integer model as they are: nothing is subtracted from a
    /// reading, and its unit stays. Statistics of windows are no whole numbers.
    pub fn takes_counts(&self) -> bool {
        let unchanged = |prepared: &Prepared| prepared.centre == 0.0 && prepared.exponent == 0;
        let is_integer = !self.contents.header.number.is_float() && self.samples().windows().is_none();
        is_integer && self.prepared().iter().all(unchanged)
    }

    /// Returns the words of the limits of the first prepared inputs: in floating point two each, the smallest and the
    /// largest reading; in integers one, the smallest count in its lower half and the largest in its upper one.
    pub fn input_limits(&self) -> &'a [u32] {
        self.contents.preparation.limits_and_replacements().0
    }

    /// Returns the words of what replaces missing readings of the first prepared inputs: in floating point readings, in
    /// integers counts in their lower halves.
    pub fn replacements(&self) -> &'a [u32] {
        self.contents.preparation.limits_and_replacements().1
    }

    /// Returns the binary points of an integer model; zeros in floating point.
    pub const fn shifts(&self) -> Shifts {
        self.contents.shifts
    }

    /// Returns one intercept per output: an integer in an integer model, otherwise the word of a floating-point number.
    pub fn intercepts(&self) -> &'a [u32] {
        self.contents.intercepts
    }

    /// Returns the lowest and the highest value of every output, in physical units: predictions never leave them. None
    /// for a classifier.
    pub fn limits(&self) -> impl ExactSizeIterator<Item = [f32; 2]> + use<'a, E> {
        let (limits, scales) = (self.contents.limits, self.contents.scales);
        limits.iter().enumerate().map(|(output, limits)| match scales.get(output) {
            Some(scale) => {
                // A negative step turns the integers around.
                let [one, other] = limits.map(|limit| scale.of(limit as i32));
                [one.min(other), one.max(other)]
            }
            None => limits.map(f32::from_bits),
        })
    }

    /// Returns the words of [`limits`](Self::limits): integers in an integer model, otherwise floating-point numbers.
    pub const fn limit_words(&self) -> &'a [[u32; 2]] {
        self.contents.limits
    }

    /// Returns the meaning of the integers of an integer model, one entry per output; otherwise empty.
    pub const fn scales(&self) -> &'a [Scale] {
        self.contents.scales
    }

    /// Returns the linear block.
    pub fn linear(&self) -> Linear<'a> {
        self.contents.linear
    }

    /// Returns the features, in blocks of equal kernel and order.
    pub fn blocks(&self) -> Blocks<'a> {
        self.contents.blocks()
    }

    /// Returns the trees; none where the model has none.
    pub fn trees(&self) -> Option<Trees<'a>> {
        self.blocks().trees()
    }

    /// Returns the number of rules: branches of trees that have amplitudes.
    pub fn rules(&self) -> usize {
        self.trees().map_or(0, |trees| trees.rules())
    }

    /// Returns whether the outputs depend on reading `index` at all. Where they do not, the board does not need its
    /// sensor.
    pub fn uses_input(&self, index: usize) -> bool {
        self.linear().inputs.iter().any(|i| self.reading(i) == index) || self.occurrences(index) > 0
    }

    /// Returns whether a linear term or a feature refers to value `index` of those that features look at: a prepared
    /// input, or a reading where none is prepared. A missing value that nothing refers to does no harm. Trees take
    /// missing values.
    pub fn uses_value(&self, index: usize) -> bool {
        is_used(&self.contents, index)
    }

    /// Returns the number of features and of conditions of trees that look at reading `index`. A weight of zero in a
    /// feature of all inputs does not count.
    pub fn occurrences(&self, index: usize) -> usize {
        let of_blocks: usize = self.blocks().map(|block| self.occurrences_in(&block, index)).sum();
        of_blocks + self.trees().map_or(0, |trees| self.occurrences_in_trees(&trees, index))
    }

    fn occurrences_in_trees(&self, trees: &Trees<'_>, index: usize) -> usize {
        let reading = |input: usize| match self.header().number {
            Number::F32 => trees.inputs.get(input).map_or(input, |input| input.input.into()),
            Number::I32 | Number::I16 => self.reading(input as u16),
        };
        trees.nodes().filter(|node| reading(node.head.input()) == index).count()
    }

    fn occurrences_in(&self, block: &Block<'_>, index: usize) -> usize {
        let looks = |&i: &u16| self.reading(i) == index;
        let Indices::All { features, inputs } = block.indices else {
            return block.indices.iter().filter(looks).count();
        };
        let words = block.records.len() / usize::from(features).max(1);
        let (number, first) = (self.header().number, block.kernel.words(0, 0));
        let weighs = |record: &[u32], i: u16| weighs(number, first, record, i.into());
        let records = || block.records.chunks_exact(words.max(1));
        (0..inputs).filter(looks).map(|i| records().filter(|record| weighs(record, i)).count()).sum()
    }

    /// Returns the reading behind an index of the file.
    fn reading(&self, index: u16) -> usize {
        self.prepared().get(usize::from(index)).map_or(index, |prepared| prepared.input).into()
    }
}

/// Returns whether a feature's weight of input `i` is not zero; `first` is the place of the first weight in floating
/// point.
fn weighs(number: Number, first: usize, record: &[u32], i: usize) -> bool {
    match number {
        Number::F32 => record.get(first + i).is_some_and(|&word| f32::from_bits(word) != 0.0),
        Number::I32 => record.get(i).is_some_and(|&weight| weight != 0),
        Number::I16 => bytemuck::must_cast_slice::<u32, u16>(record).get(i).is_some_and(|&weight| weight != 0),
    }
}

/// Returns the class with the best score; none where every score is NaN.
fn decide(scores: &[f32]) -> Option<usize> {
    if let [score] = scores {
        return if score.is_nan() { None } else { Some(usize::from(*score > 0.5)) };
    }
    let mut class = None;
    let mut largest = f32::NEG_INFINITY;
    for (i, &score) in scores.iter().enumerate() {
        if score > largest || class.is_none() && !score.is_nan() {
            class = Some(i);
            largest = score;
        }
    }
    class
}

/// Returns whether the score of a class is above all others by more than the margin.
fn is_ahead(scores: &[f32], class: usize, margin: f32) -> bool {
    if let [score] = scores {
        return (score - 0.5).abs() > margin;
    }
    let Some(own) = scores.get(class) else { return false };
    scores.iter().enumerate().all(|(other, score)| other == class || own - score > margin)
}
