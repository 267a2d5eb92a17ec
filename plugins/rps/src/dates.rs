//! Dates as the layouts write them and as the contract wants them.

use crate::Fields;
use sdk::Context;

/// A date, or a date and time without offset, from RFC 3339 or `AAAA-MM-DD`.
pub fn data(text: &str, with_hour: bool, field: &str, fields: &mut Fields) -> String {
    let day = text.get(..10).filter(|day| is_day(day));
    let hour = match text.get(10..19) {
        None => "T00:00:00",
        Some(hour) => hour,
    };
    match day {
        Some(day) if !with_hour => day.to_owned(),
        Some(day) if is_hour(hour) => format!("{day}{hour}"),
        _ => {
            fields.error(field, "formato", "Informe a data como AAAA-MM-DD.");
            String::new()
        }
    }
}

/// The city's moment as RFC 3339. Cities write local time without offset, so
/// the one of their state is added; None when it is no date.
pub fn moment(text: &str, ctx: &Context) -> Option<String> {
    let text = text.trim();
    let turned = brazilian(text);
    let text = turned.as_deref().unwrap_or(text);
    let day = text.get(..10).filter(|day| is_day(day))?;
    let offset = offset(ctx);
    let Some(rest) = text.get(10..).filter(|rest| !rest.is_empty()) else {
        return Some(format!("{day}T00:00:00{offset}"));
    };
    // " 10:17": some systems leave the seconds out.
    let whole = (rest.len() == 6).then(|| format!("{rest}:00"));
    let rest = whole.as_deref().unwrap_or(rest);
    let hour = rest.get(..9)?.replace(' ', "T");
    if !is_hour(&hour) {
        return None;
    }
    let after = rest.get(9..)?;
    let digits = after
        .strip_prefix('.')
        .map_or(0, |f| 1 + f.bytes().take_while(u8::is_ascii_digit).count());
    let (fraction, zone) = after.split_at_checked(digits)?;
    let fraction = if fraction.len() == 1 { "" } else { fraction };
    match zone {
        "" => Some(format!("{day}{hour}{fraction}{offset}")),
        "Z" => Some(format!("{day}{hour}{fraction}Z")),
        zone if is_offset(zone) => Some(format!("{day}{hour}{fraction}{zone}")),
        _ => None,
    }
}

/// "05/10/2026 10:16:02" as "2026-10-05 10:16:02".
fn brazilian(text: &str) -> Option<String> {
    let (day, rest) = text.split_at_checked(10)?;
    if !matches(day, "00/00/0000") {
        return None;
    }
    let parts: Vec<&str> = day.split('/').collect();
    let [day, month, year] = parts.as_slice() else {
        return None;
    };
    Some(format!("{year}-{month}-{day}{rest}"))
}

/// Offset of the state's time; no state has daylight saving time since 2019
/// (Decreto 9.772/2019).
fn offset(ctx: &Context) -> &'static str {
    let uf = ctx.municipio.as_ref().map(|m| m.uf.as_str());
    match uf.or(ctx.uf.as_deref()) {
        Some("AC") => "-05:00",
        Some("AM" | "MS" | "MT" | "RO" | "RR") => "-04:00",
        _ => "-03:00",
    }
}

fn is_day(text: &str) -> bool {
    matches(text, "0000-00-00")
}

fn is_hour(text: &str) -> bool {
    matches(text, "T00:00:00")
}

fn is_offset(text: &str) -> bool {
    matches(text, "+00:00") || matches(text, "-00:00")
}

/// A zero of the mask is any digit, the rest is itself.
fn matches(text: &str, mask: &str) -> bool {
    text.len() == mask.len()
        && text.bytes().zip(mask.bytes()).all(|(byte, mask)| {
            if mask == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == mask
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::{Ambiente, Emitente, Municipio};

    fn ctx(uf: &str) -> Context {
        Context {
            flow: String::new(),
            step: 0,
            now: String::new(),
            entropy: Vec::new(),
            ambiente: Ambiente::Homologacao,
            municipio: Some(Municipio {
                codigo: 0,
                nome: String::new(),
                uf: uf.into(),
                codigo_tom: None,
            }),
            uf: None,
            emitente: Emitente {
                documento: String::new(),
                inscricao_municipal: None,
                inscricao_estadual: None,
                razao_social: String::new(),
                extras: Vec::new(),
            },
            endpoints: Vec::new(),
            options: Vec::new(),
            secrets: Vec::new(),
        }
    }

    #[test]
    fn moments_get_the_offset_of_the_state() {
        for (text, expected) in [
            ("2026-09-19T10:00:00", Some("2026-09-19T10:00:00-03:00")),
            (
                "2019-10-24T15:10:04.57",
                Some("2019-10-24T15:10:04.57-03:00"),
            ),
            (
                "2016-09-08T10:03:16.850-03:00",
                Some("2016-09-08T10:03:16.850-03:00"),
            ),
            ("2026-09-19T10:00:00Z", Some("2026-09-19T10:00:00Z")),
            ("2026-09-19 10:00:00", Some("2026-09-19T10:00:00-03:00")),
            ("2026-09-19", Some("2026-09-19T00:00:00-03:00")),
            ("19/09/2026", Some("2026-09-19T00:00:00-03:00")),
            ("19/09/2026 10:00:00", Some("2026-09-19T10:00:00-03:00")),
            ("2026-09-19 10:05", Some("2026-09-19T10:05:00-03:00")),
            ("2026-09-19 10:5x", None),
            ("19-09-2026", None),
            ("2026-09-19T1", None),
            ("2026-09-19T10:00:00 BRT", None),
            ("", None),
            ("ççççççççççç", None),
        ] {
            assert_eq!(moment(text, &ctx("PR")).as_deref(), expected, "{text}");
        }
        assert_eq!(
            moment("2026-09-19", &ctx("AM")).as_deref(),
            Some("2026-09-19T00:00:00-04:00")
        );
    }
}
