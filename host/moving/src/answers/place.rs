//! Their name of a place in a body of ours.

use crate::names::{Form, Row, Rows, SUMS, lines};

/// What a path of ours is in a body of theirs: the member that was read into it, or
/// one of the group it is about, or the list around it. Theirs of a list of items is
/// given, because it has two names. A path that nothing was read into stays as it is.
pub fn place(rows: Rows, path: &str, items: &str) -> String {
    told(rows, path, items).unwrap_or_else(|| path.to_owned())
}

fn told(rows: Rows, path: &str, items: &str) -> Option<String> {
    let exact = |row: &&Row| !row.ours.is_empty() && row.ours == path;
    let found = lines(rows).filter(usual(items)).find(exact);
    if let Some(row) = found {
        return Some(row.theirs.to_owned());
    }
    inside(rows, path, items)
        .or_else(|| in_groups(rows, path, items))
        .or_else(|| about(rows, path, items))
        .or_else(|| divided(rows, path))
}

/// The sum of a note that was read into a member of ours which is divided among the items.
fn divided(rows: Rows, path: &str) -> Option<String> {
    let sum = SUMS.iter().find(|sum| sum.divided == Some(path))?;
    let row = lines(rows).find(|row| row.theirs == sum.total && matches!(row.form, Form::Sum))?;
    Some(row.theirs.to_owned())
}

/// Of the two names of the list of items, the one that was used.
fn usual(items: &str) -> impl Fn(&&'static Row) -> bool {
    move |row| row.ours != "itens" || row.theirs == items
}

/// `itens[2].ncm` is a member of an entry, `volumes[1]` an entry.
fn inside(rows: Rows, path: &str, items: &str) -> Option<String> {
    for row in lines(rows).filter(usual(items)) {
        if row.ours.is_empty() {
            continue;
        }
        let Some(rest) = path.strip_prefix(row.ours) else {
            continue;
        };
        match row.form {
            Form::List(entry) => {
                let Some((index, rest)) = indexed(rest) else {
                    continue;
                };
                let name = row.theirs;
                return Some(match rest {
                    "" => format!("{name}[{index}]"),
                    rest => format!("{name}[{index}].{}", place(entry, rest, items)),
                });
            }
            Form::First(entry) => {
                if let Some(rest) = rest.strip_prefix('.') {
                    return Some(format!("{}[0].{}", row.theirs, place(entry, rest, items)));
                }
            }
            Form::Texts(_) => {
                if let Some((index, _)) = indexed(rest) {
                    return Some(format!("{}[{index}]", row.theirs));
                }
            }
            _ => {}
        }
    }
    None
}

/// The number and the rest of `[2].ncm`.
fn indexed(text: &str) -> Option<(&str, &str)> {
    let (index, rest) = text.strip_prefix('[')?.split_once(']')?;
    Some((index, rest.strip_prefix('.').unwrap_or(rest)))
}

/// A member of an object of theirs.
fn in_groups(rows: Rows, path: &str, items: &str) -> Option<String> {
    lines(rows).find_map(|row| match row.form {
        Form::Group(members) => {
            told(members, path, items).map(|name| format!("{}.{name}", row.theirs))
        }
        _ => None,
    })
}

/// The first member of the group a path names, or the member that a path leads into.
fn about(rows: Rows, path: &str, items: &str) -> Option<String> {
    let begins = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        rest.is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    let plain = |row: &&'static Row| !matches!(row.form, Form::Group(_)) && !row.ours.is_empty();
    let first = lines(rows)
        .filter(usual(items))
        .filter(plain)
        .find(|row| begins(row.ours, path));
    let around = || {
        lines(rows)
            .filter(usual(items))
            .filter(plain)
            .filter(|row| begins(path, row.ours))
            .max_by_key(|row| row.ours.len())
    };
    first.or_else(around).map(|row| row.theirs.to_owned())
}
