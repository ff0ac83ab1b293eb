//! The rows of samples that follow each other.

/// The rows of every group in their order.
pub struct Sequences<'a> {
    groups: Option<&'a [usize]>,
    /// The rows of each group; none without groups.
    rows: Vec<Vec<usize>>,
    /// The place of every row among those of its group.
    pub positions: Vec<usize>,
}

impl Sequences<'_> {
    /// Divides so many rows by their groups; all of them are one group without `groups`.
    pub fn new(groups: Option<&[usize]>, count: usize) -> Sequences<'_> {
        let Some(of_rows) = groups else {
            return Sequences { groups, rows: Vec::new(), positions: (0..count).collect() };
        };
        let mut rows = vec![Vec::new(); of_rows.iter().max().map_or(0, |last| last + 1)];
        let mut positions = Vec::with_capacity(count);
        for (row, &group) in of_rows.iter().enumerate() {
            positions.push(rows[group].len());
            rows[group].push(row);
        }
        Sequences { groups, rows, positions }
    }

    /// Returns the row that lies `lag` rows before another row of its group. There must be one.
    pub fn earlier(&self, row: usize, lag: usize) -> usize {
        let position = self.positions[row] - lag;
        self.groups.map_or(position, |groups| self.rows[groups[row]][position])
    }
}
