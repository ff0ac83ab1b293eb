//! Why data cannot be used.

/// Why data cannot be used; each message names the place and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be opened or read.
    #[error("{path}: cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file has nothing in it.
    #[error("{path}: the file is empty; it needs one line of values per sample")]
    Empty {
        /// The file.
        path: String,
    },
    /// The file has a header and nothing else.
    #[error("{path}: there are no rows after the header in line 1")]
    NoRows {
        /// The file.
        path: String,
    },
    /// A row has another number of fields than the first.
    #[error("{path}, line {line}: {found} fields where line {first_line} has {expected}; complete or remove the row")]
    Ragged {
        /// The file.
        path: String,
        /// Line of the row, from 1.
        line: u64,
        /// Line that set the number of fields.
        first_line: u64,
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
    },
    /// A value cannot be used as a number.
    #[error("{path}, {place}: {text:?} {problem}")]
    Value {
        /// The file.
        path: String,
        /// Line or row, and column.
        place: String,
        /// The text of the value.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A compressed file is damaged.
    #[error("{path}: cannot be decompressed: {source}; get the file again")]
    Compressed {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: std::io::Error,
    },
    /// A compressed file holds more than is taken.
    #[error("{path}: holds more than {mib} MiB when decompressed, the most that is taken; decompress or divide it")]
    Inflated {
        /// The file.
        path: String,
        /// The most that is taken, in MiB.
        mib: usize,
    },
    /// An array file is of a kind that is not read.
    #[error("{path}: {problem}")]
    Format {
        /// The file.
        path: String,
        /// What kind of file it is, and what to do.
        problem: String,
    },
    /// The header of an array file and the number of bytes behind it do not agree.
    #[error(
        "{path}: the header announces {shape} values, {expected} bytes, but {found} follow; the file is cut short or \
         damaged, get it again"
    )]
    Length {
        /// The file.
        path: String,
        /// The dimensions.
        shape: String,
        /// Bytes that they take.
        expected: u128,
        /// Bytes that follow the header.
        found: usize,
    },
    /// The values take more memory than is allowed.
    #[error(
        "{path}: {rows} rows of {columns} values take {gib:.1} GiB of memory, more than the 8 GiB allowed; take fewer rows"
    )]
    Memory {
        /// The file.
        path: String,
        /// Rows of the file.
        rows: usize,
        /// Columns that are needed.
        columns: usize,
        /// What their values take, in GiB.
        gib: f64,
    },
    /// The bytes are not text.
    #[error("{path}, line {line}: not UTF-8 text; save the file as CSV in UTF-8")]
    NotText {
        /// The file.
        path: String,
        /// Line, from 1.
        line: u64,
    },
    /// There is no column of that name.
    #[error("{path}: no column is called {name:?}; the columns are {available}")]
    UnknownTarget {
        /// The file.
        path: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
    /// A name that is asked for belongs to two columns.
    #[error("{path}: columns {first} and {second} are both called {name:?}; rename one of them")]
    AmbiguousTarget {
        /// The file.
        path: String,
        /// The name asked for.
        name: String,
        /// Number of the first column of that name, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
    },
    /// Another number of targets is named than the model has outputs.
    #[error("{path}: {named} target(s) named, but the model has {outputs} output(s); name each target once")]
    TargetCount {
        /// The file.
        path: String,
        /// Targets named.
        named: usize,
        /// Outputs of the model.
        outputs: usize,
    },
    /// A file that holds inputs alone comes without its targets.
    #[error("{path}: holds inputs alone; name the file of targets as `labels`")]
    NoTargets {
        /// The file.
        path: String,
    },
    /// The files of inputs and of targets do not belong together.
    #[error("{labels}: {found} rows, but {path} has {rows}; the two files must have a row for each sample")]
    RowCount {
        /// The file of inputs.
        path: String,
        /// Its rows.
        rows: usize,
        /// The file of targets.
        labels: String,
        /// Its rows.
        found: usize,
    },
    /// Classes are spread over several columns.
    #[error("{path}: {named} target columns, but classes are in one; name it as `target`")]
    SeveralTargets {
        /// The file.
        path: String,
        /// Number of target columns.
        named: usize,
    },
    /// All rows are of one class.
    #[error("{path}: every row belongs to the class {name:?}; a fit takes rows of two classes at least")]
    OneClass {
        /// The file.
        path: String,
        /// The class.
        name: String,
    },
    /// There are so many classes that the target is none.
    #[error(
        "{path}: {classes} different labels, and a model may have {limit} classes; if these are quantities, leave out \
         set `task` to classification"
    )]
    ManyClasses {
        /// The file.
        path: String,
        /// Different labels.
        classes: usize,
        /// Most classes of a model.
        limit: usize,
    },
    /// A label is none of the classes that a model knows.
    #[error(
        "{path}, {place}: the class {label:?} does not occur in the rows that were fitted; the classes are {classes}"
    )]
    UnknownClass {
        /// The file.
        path: String,
        /// Line or row, and column.
        place: String,
        /// The label.
        label: String,
        /// The first of the classes.
        classes: String,
    },
    /// Every column is a target.
    #[error("{path}: all {columns} columns are targets; at least one column must be left as an input")]
    NoInputs {
        /// The file.
        path: String,
        /// Number of columns.
        columns: usize,
    },
    /// The columns are not those that a model takes.
    #[error(
        "{path}: {columns} columns, but the model takes {inputs} inputs; give the inputs alone, or the inputs and \
         then the {outputs} target column(s)"
    )]
    WrongWidth {
        /// The file.
        path: String,
        /// Number of columns in the file.
        columns: usize,
        /// Number of inputs of the model.
        inputs: usize,
        /// Number of outputs of the model.
        outputs: usize,
    },
    /// The column names are not those that the model was fitted to.
    #[error(
        "{path}: the input columns ({columns}) are not the ones, or not in the order, that the model was fitted to; \
         reorder them, or remove the header line to use them as they are"
    )]
    OtherInputs {
        /// The file.
        path: String,
        /// The names of the input columns.
        columns: String,
    },
}
