//! Which event a request is about, or why there is no such event.

use super::wrong;
use base::errors::Failure;
use dere::catalogue::{KINDS, Kind, Named, named};
use dere::period::Period;

/// The event and the month that a request names, of the layout in force.
///
/// # Errors
/// 400 naming the member: another layout, an event that it does not have or of
/// which only a preview is published, no month.
pub fn subject(layout: &str, name: &str, period: &str) -> Result<(&'static Kind, Period), Failure> {
    if layout != dere::LAYOUT {
        return Err(wrong(
            "leiaute",
            "Este leiaute da DeRE não é aceito.",
            &format!("Use {}.", dere::LAYOUT),
        ));
    }
    let codes = || KINDS.map(|kind| kind.code).join(", ");
    let kind = match named(name) {
        Named::Known(kind) => kind,
        Named::Preview(version) => {
            let message = format!(
                "O leiaute de {name} é só uma prévia ({version}): o evento ainda não é aceito."
            );
            let correction = format!("Use um dos eventos em produção: {}.", codes());
            return Err(wrong("tipo", &message, &correction));
        }
        Named::Unknown => {
            let message = "O leiaute 1.2.0 da DeRE não tem este evento.";
            return Err(wrong(
                "tipo",
                message,
                &format!("Use um destes: {}.", codes()),
            ));
        }
    };
    let period = Period::parse(period).ok_or_else(|| {
        wrong(
            "periodo",
            "O período não é um mês.",
            "Use AAAA-MM, como 2026-10.",
        )
    })?;
    Ok((kind, period))
}
