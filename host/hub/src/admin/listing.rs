//! Lists of operators, a page at a time.

/// Rows of a page.
const PAGE: i64 = 100;
/// Rows that are read for one: another page follows if the last of them is there.
pub(super) const READ: i64 = PAGE + 1;

/// Leaves what a page shows of what was read; whether another page follows.
pub(super) fn cut<T>(rows: &mut Vec<T>) -> bool {
    let page = usize::try_from(PAGE).unwrap_or(usize::MAX);
    let more = rows.len() > page;
    rows.truncate(page);
    more
}
