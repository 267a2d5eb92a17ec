//! The month an event is about.

/// A month, `AAAA-MM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period(String);

impl Period {
    /// Reads `2026-10`; the layout has the years 2000 to 2099.
    pub fn parse(text: &str) -> Option<Period> {
        let (year, month) = text.split_once('-')?;
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let year_fits = year.len() == 4 && year.starts_with("20") && digits(year);
        let month_fits = month.len() == 2 && digits(month);
        let month: u8 = month.parse().ok()?;
        (year_fits && month_fits && (1..=12).contains(&month)).then(|| Period(text.to_owned()))
    }

    /// `2026-10`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first day, `2026-10-01`.
    pub fn first_day(&self) -> String {
        format!("{}-01", self.0)
    }
}

/// The month of a receipt's characters 6 to 11, as `2026-10`.
pub(crate) fn of_receipt(receipt: &str) -> Option<String> {
    let (year, month) = receipt.get(5..11)?.split_at_checked(4)?;
    Some(format!("{year}-{month}"))
}
