//! Pieces of work that are done elsewhere.

/// Does pieces of work elsewhere, such as on other machines.
///
/// Several threads call the methods at the same time. The results do not depend on where the work is done.
pub trait Workers: Sync {
    /// Returns the results of [`work`](crate::search::work) for `tasks` on a table of rows, in the order of the tasks;
    /// none if the workers are lost.
    fn map(&self, table: &[u8], tasks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>>;

    /// Returns how many tasks the workers do at the same time.
    fn count(&self) -> usize;

    /// Returns whether the workers are lost. The run stops then.
    fn are_lost(&self) -> bool;
}
