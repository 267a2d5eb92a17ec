//! How members of one group bound one another.

use super::rule;
use crate::group::Group;
use markup::field::Fields;
use rust_decimal::Decimal;

/// An amount, where it is there, is not above another that is there.
pub fn at_most(group: &Group<'_>, name: &str, bound: &str, faults: &mut Fields) {
    if let (Some(amount), Some(most)) = (group.amount(name), group.amount(bound))
        && amount > most
    {
        faults.add(
            group.at(name),
            rule::ABOVE,
            format!("{name} é maior que {bound}."),
            format!("Informe até {most}."),
        );
    }
}

/// An amount, where it is there, is what the layout calculates.
pub fn equals(
    group: &Group<'_>,
    name: &str,
    expected: Decimal,
    formula: &str,
    faults: &mut Fields,
) {
    if group.amount(name).is_some_and(|amount| amount != expected) {
        faults.add(
            group.at(name),
            rule::DIFFERENT,
            format!("{name} não é {formula}."),
            format!("Informe {expected:.2}, ou corrija as parcelas."),
        );
    }
}

/// A member that must be there if something holds, and must not otherwise.
pub fn exactly_if(group: &Group<'_>, name: &str, holds: bool, when: &str, faults: &mut Fields) {
    match (group.has(name), holds) {
        (false, true) => faults.add(
            group.at(name),
            rule::MANDATORY,
            format!("Falta {name}: vai quando {when}."),
            format!("Informe {name}."),
        ),
        (true, false) => faults.add(
            group.at(name),
            rule::FORBIDDEN,
            format!("{name} só vai quando {when}."),
            format!("Retire {name}."),
        ),
        _ => {}
    }
}

/// A day is not before the one it ends. Days as `AAAA-MM-DD` compare as text; one
/// with a zone is left to the authority.
pub fn ends_after(group: &Group<'_>, from: &str, until: &str, faults: &mut Fields) {
    let Some(end) = group.text(until) else {
        return;
    };
    let begin = group.value(from);
    if begin.len() == end.len() && end < begin {
        faults.add(
            group.at(until),
            rule::INVERTED,
            format!("{until} é anterior a {from}."),
            format!("Informe em {until} um dia a partir de {begin}."),
        );
    }
}
