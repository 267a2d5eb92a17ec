//! Days and moments that stand in texts.

use time::{Date, Duration, Month, PrimitiveDateTime, Time};

/// A day, or a moment to the second, as a text has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    pub text: String,
    day: Date,
    time: Option<Time>,
}

fn digits(text: &[u8]) -> Option<u32> {
    let all = text.iter().all(u8::is_ascii_digit);
    all.then(|| {
        text.iter()
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    })
}

fn part(text: &[u8], from: usize, to: usize) -> Option<u8> {
    u8::try_from(digits(text.get(from..to)?)?).ok()
}

/// `2026-11-30` at the beginning of a text, with `T10:00:00` or a space for the T.
fn read(text: &[u8]) -> Option<(Date, Option<Time>)> {
    let sign = |at: usize, sign: u8| text.get(at) == Some(&sign);
    if !(sign(4, b'-') && sign(7, b'-')) {
        return None;
    }
    let year = i32::try_from(digits(text.get(..4)?)?).ok()?;
    let month = Month::try_from(part(text, 5, 7)?).ok()?;
    let day = Date::from_calendar_date(year, month, part(text, 8, 10)?).ok()?;
    let timed = (sign(10, b'T') || sign(10, b' ')) && sign(13, b':') && sign(16, b':');
    let time = timed.then(|| {
        Time::from_hms(
            part(text, 11, 13)?,
            part(text, 14, 16)?,
            part(text, 17, 19)?,
        )
        .ok()
    });
    Some((day, time.flatten()))
}

/// The days and moments of a text that are near a day.
pub fn found(text: &[u8], near: Date) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    let mut at = 0;
    while at + 10 <= text.len() {
        let Some((day, time)) =
            read(&text[at..]).filter(|(day, _)| (*day - near).whole_days().abs() <= 2)
        else {
            at += 1;
            continue;
        };
        let length = if time.is_some() { 19 } else { 10 };
        let written = String::from_utf8_lossy(&text[at..at + length]).into_owned();
        if !found.iter().any(|known| known.text == written) {
            found.push(Written {
                text: written,
                day,
                time,
            });
        }
        at += length;
    }
    found
}

impl Written {
    /// The same, so many days later, or so many seconds later where it has a time.
    pub fn later(&self, days: i64, seconds: i64) -> String {
        match self.time {
            None => (self.day + Duration::days(days)).to_string(),
            Some(time) => {
                let moment = PrimitiveDateTime::new(self.day, time) + Duration::seconds(seconds);
                let between = self.text.get(10..11).unwrap_or("T");
                let (hour, minute, second) = moment.time().as_hms();
                format!(
                    "{}{between}{hour:02}:{minute:02}:{second:02}",
                    moment.date()
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn days_and_moments_near_a_day_are_found_and_moved() {
        let text = b"<dhEmi>2026-11-30T23:59:58-03:00</dhEmi><dCompet>2026-11-30</dCompet><old>2020-01-01</old> 2026-12-01 03:00:01 2026-11-30";
        let found = found(text, date!(2026 - 11 - 30));
        let texts: Vec<&str> = found.iter().map(|written| written.text.as_str()).collect();
        assert_eq!(
            texts,
            ["2026-11-30T23:59:58", "2026-11-30", "2026-12-01 03:00:01"]
        );
        assert_eq!(found[0].later(3, 5), "2026-12-01T00:00:03");
        assert_eq!(found[1].later(-30, 0), "2026-10-31");
        assert_eq!(found[2].later(0, -2), "2026-12-01 02:59:59");
    }
}
