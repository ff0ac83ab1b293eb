//! The values of `--lag` and `--difference`.

/// The largest lag.
const MOST: u8 = u8::MAX - 1;

/// Parses a column and its lags, such as `flow=0..4`.
pub fn parse_lag(text: &str) -> Result<(String, Vec<u8>), String> {
    match text.rsplit_once('=') {
        Some((name, lags)) => Ok((name.to_owned(), parse_lags(lags)?)),
        None => Err(format!("give a column and its lags, such as {text}=0..4 or {text}=0,1,5")),
    }
}

/// Parses a column, or a column and the lags of its differences, such as `flow=0,1`.
pub fn parse_difference(text: &str) -> Result<(String, Vec<u8>), String> {
    match text.rsplit_once('=') {
        Some((name, lags)) => Ok((name.to_owned(), parse_lags(lags)?)),
        None => Ok((text.to_owned(), vec![0])),
    }
}

/// Parses a list of lags and ranges of lags, which include both ends.
fn parse_lags(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("lags are whole numbers from 0 to {MOST}, as in 0..4 or 0,1,5");
    let lag = |text: &str| text.trim().parse().ok().filter(|lag: &u8| *lag <= MOST).ok_or_else(wrong);
    let mut lags = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let (first, last) = (lag(first)?, lag(last)?);
        if first > last {
            return Err(format!("the range {part} has no lags; write {last}..{first}"));
        }
        lags.extend(first..=last);
    }
    Ok(lags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let lags = |text: &str| parse_lag(text).map(|(name, lags)| (name == "t", lags));
        assert_eq!(lags("t=0..4"), Ok((true, vec![0, 1, 2, 3, 4])));
        assert_eq!(lags("t=0, 1,5"), Ok((true, vec![0, 1, 5])));
        assert_eq!(lags("t=1..2,7..7"), Ok((true, vec![1, 2, 7])));
        assert_eq!(parse_lag("a=b=254"), Ok(("a=b".to_owned(), vec![254])));
        assert_eq!(parse_difference("t"), Ok(("t".to_owned(), vec![0])));
        assert_eq!(parse_difference("t=1..2"), Ok(("t".to_owned(), vec![1, 2])));
        for (text, part) in [("t", "t=0..4"), ("t=", "whole"), ("t=-1", "whole"), ("t=4..0", "0..4"), ("t=255", "254")]
        {
            assert!(parse_lag(text).unwrap_err().contains(part), "{text}");
        }
        for text in ["t=0..", "t=..4", "t=0...4", "t=1.5", "t=x", "t=0..1000000000"] {
            assert!(parse_lag(text).is_err(), "{text}");
        }
    }
}
