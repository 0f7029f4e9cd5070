//! The one clock: when a reply came. It goes into recordings, and nowhere else.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `2026-01-31T12:00:00Z`, by the provider's `Date` header, else by this machine.
pub(super) fn received_at(date_header: Option<&str>) -> String {
    iso(date_header.and_then(http_date).unwrap_or_else(now))
}

/// Seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "stands in recordings, which are inputs, and in no table")]
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// How long `Retry-After` asks for: seconds, or a date.
pub(super) fn retry_after(header: &str) -> Option<Duration> {
    let header = header.trim();
    match header.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        Err(_) => http_date(header).map(|at| Duration::from_secs(at.saturating_sub(now()))),
    }
}

/// `Sat, 31 Jan 2026 12:00:00 GMT` in seconds since 1970.
fn http_date(text: &str) -> Option<u64> {
    let (_, date) = text.split_once(", ")?;
    let mut words = date.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words.next()?.split(':').map(str::parse::<u64>);
    let mut next = || clock.next()?.ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    (year >= 1970).then(|| days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

/// Days from 1970-01-01; months are counted from March, so that the leap day comes last.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day - 1 - 719_468
}

pub(super) fn iso(seconds: u64) -> String {
    let (mut day, second) = (seconds / 86_400, seconds % 86_400);
    let mut year = 1970;
    while day >= days(year + 1, 1, 1) - days(year, 1, 1) {
        day -= days(year + 1, 1, 1) - days(year, 1, 1);
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days(year, *month, 1) - days(year, 1, 1) <= day).unwrap_or(1);
    let day = day - (days(year, month, 1) - days(year, 1, 1)) + 1;
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_headers_are_read_over_leap_days() {
        let cases = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
            ("Tue, 29 Feb 2000 23:59:59 GMT", "2000-02-29T23:59:59Z"),
            ("Fri, 01 Mar 2024 00:00:01 GMT", "2024-03-01T00:00:01Z"),
            ("Thu, 31 Dec 2026 12:30:00 GMT", "2026-12-31T12:30:00Z"),
            ("Fri, 31 Dec 2100 12:30:00 GMT", "2100-12-31T12:30:00Z"),
        ];
        for (header, expected) in cases {
            assert_eq!(received_at(Some(header)), expected);
        }
        assert_eq!(received_at(Some("soon")).len(), 20);
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(retry_after("2"), Some(Duration::from_secs(2)));
        assert_eq!(retry_after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(retry_after("-1"), None);
        assert_eq!(retry_after("later"), None);
    }
}
