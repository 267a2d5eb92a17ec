//! The rules that the schemas of layout 1.2.0 state in words, over one event
//! whose structure is right.

mod accounts;
mod closing;
mod deductions;
mod monthly;
mod operation;
mod taxpayer;
mod validity;
mod values;

use crate::catalogue::Kind;
use crate::group::Group;
use markup::field::{Field, Fields};

/// Stable ids of the rules.
pub mod rule {
    pub const MANDATORY: &str = "obrigatorio";
    pub const FORBIDDEN: &str = "vedado";
    /// Two values that must be the same are not.
    pub const DIFFERENT: &str = "diverge";
    /// A value above the one that bounds it.
    pub const ABOVE: &str = "acima_do_limite";
    pub const REPEATED: &str = "repetido";
    /// It ends before it begins.
    pub const INVERTED: &str = "periodo_invertido";
    pub const CPF: &str = "cpf_invalido";
}

/// What the rules refuse in an event.
pub fn check(kind: &Kind, event: &Group<'_>) -> Vec<Field> {
    let mut faults = Fields::default();
    match kind.code {
        "D-1001" => {
            validity::check(event, &mut faults);
            taxpayer::check(event, &mut faults);
        }
        "D-1011" => {
            validity::check(event, &mut faults);
            accounts::check(event, &mut faults);
        }
        "D-1101" => {
            operation::check(event, operation::Strict::No, &mut faults);
            monthly::balance(event, &mut faults);
        }
        "D-1106" => {
            operation::check(event, operation::Strict::No, &mut faults);
            monthly::investments(event, &mut faults);
        }
        "D-1121" => {
            operation::check(event, operation::Strict::Yes, &mut faults);
            deductions::check(event, &mut faults);
        }
        "D-1198" => closing::reopening(event, &mut faults),
        "D-1199" => closing::closing(event, &mut faults),
        _ => {}
    }
    faults.0
}
