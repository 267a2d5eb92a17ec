//! Where something is in the request: `dados.infoContas.infoConta[0].cCta`.

use markup::field;

/// The member of the request that holds an event's content.
pub const DATA: &str = "dados";

/// The place in the request of a path of the layout, which begins with the
/// event's own element and counts items from 1.
pub fn of_layout(path: &str) -> String {
    match path.split_once('/') {
        Some((_, inside)) => format!("{DATA}.{}", field::of_layout(inside)),
        None => DATA.to_owned(),
    }
}

/// An item of a list, counted from 0.
pub fn item(name: &str, index: usize) -> String {
    format!("{name}[{index}]")
}
