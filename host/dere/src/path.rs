//! Where something is in the request: `dados.infoContas.infoConta[0].cCta`.

/// The member of the request that holds an event's content.
pub const DATA: &str = "dados";

/// The place in the request of a path of the layout, which begins with the
/// event's own element and counts items from 1.
pub fn of_layout(path: &str) -> String {
    let mut place = DATA.to_owned();
    for step in path.split('/').skip(1) {
        place.push('.');
        let step = step.strip_prefix('@').unwrap_or(step);
        match numbered(step) {
            Some((name, number)) => place.push_str(&item(name, number - 1)),
            None => place.push_str(step),
        }
    }
    place
}

/// An item of a list, counted from 0.
pub fn item(name: &str, index: usize) -> String {
    format!("{name}[{index}]")
}

/// `infoConta[2]` in its parts.
fn numbered(step: &str) -> Option<(&str, usize)> {
    let (name, rest) = step.split_once('[')?;
    let number = rest.strip_suffix(']')?.parse().ok()?;
    (number > 0).then_some((name, number))
}
