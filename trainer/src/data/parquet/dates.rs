//! Dates and times as text, for messages and categories.

const DAY: i128 = 86_400;

/// Returns the day that lies `days` days after 1970-01-01 in the Gregorian calendar.
pub fn day(days: i128) -> String {
    // Years begin in March here, so that the leap day is the last of a year; eras have 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i128::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the time of a day in units of which a second has `per_second`, without the fraction of the second.
pub fn time(value: i128, per_second: i128) -> String {
    let seconds = value.div_euclid(per_second);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the day and the time, `value` units after the start of 1970.
pub fn instant(value: i128, per_second: i128) -> String {
    let days = value.div_euclid(DAY * per_second);
    let rest = value.rem_euclid(DAY * per_second);
    format!("{} {}", day(days), time(rest, per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_around_leap_years() {
        let days = [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
        ];
        for (count, text) in days {
            assert_eq!(day(count), text);
        }
        assert_eq!(instant(1_709_210_096_789, 1000), "2024-02-29 12:34:56");
        assert_eq!(instant(-1, 1_000_000_000), "1969-12-31 23:59:59");
        assert!(!instant(i64::MAX.into(), 1).is_empty() && !instant(i64::MIN.into(), 1).is_empty());
    }
}
