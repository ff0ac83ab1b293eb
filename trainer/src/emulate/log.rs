//! Logs of external programs.

/// Returns the last lines of a log, where errors are.
pub fn last_lines(log: &str) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
