//! The moment of an emission, as the customer gives it.

use base::when;
use markup::field::Fields;
use time::OffsetDateTime;

/// How far a client's clock may be ahead of ours.
const CLOCK_SKEW_MS: i64 = 60_000;

/// `data_emissao`, by default the moment `now` of the emitter's state.
pub fn emission(fields: &mut Fields, text: Option<&str>, now: OffsetDateTime) -> OffsetDateTime {
    let Some(text) = text else { return now };
    let parsed = when::parse(text).and_then(|moment| moment.replace_nanosecond(0).ok());
    match parsed {
        Some(moment) if when::ms(moment) > when::ms(now) + CLOCK_SKEW_MS => {
            fields.add_value(
                "data_emissao",
                "data_futura",
                text,
                "A emissão não pode estar no futuro.",
                "Deixe data_emissao de fora para usar o horário atual.",
            );
            now
        }
        Some(moment) => moment,
        None => {
            fields.add_value(
                "data_emissao",
                "data_invalida",
                text,
                "Data inválida.",
                "Use RFC 3339 com fuso: 2026-10-05T10:15:00-03:00.",
            );
            now
        }
    }
}
