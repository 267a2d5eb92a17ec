//! Dates as the layouts write them and as the contract wants them.

use crate::message::Campos;
use sdk::Context;

/// A date, or a date and time without offset, from RFC 3339 or `AAAA-MM-DD`.
pub fn data(texto: &str, com_hora: bool, campo: &str, campos: &mut Campos) -> String {
    let dia = texto.get(..10).filter(|dia| eh_dia(dia));
    let hora = match texto.get(10..19) {
        None => "T00:00:00",
        Some(hora) => hora,
    };
    match dia {
        Some(dia) if !com_hora => dia.to_owned(),
        Some(dia) if eh_hora(hora) => format!("{dia}{hora}"),
        _ => {
            campos.erro(campo, "formato", "Informe a data como AAAA-MM-DD.");
            String::new()
        }
    }
}

/// The city's moment as RFC 3339. Cities write local time without offset, so
/// the one of their state is added; None when it is no date.
pub fn momento(texto: &str, ctx: &Context) -> Option<String> {
    let texto = texto.trim();
    let dia = texto.get(..10).filter(|dia| eh_dia(dia))?;
    let fuso = fuso(ctx);
    let Some(resto) = texto.get(10..).filter(|resto| !resto.is_empty()) else {
        return Some(format!("{dia}T00:00:00{fuso}"));
    };
    let hora = resto.get(..9)?.replace(' ', "T");
    if !eh_hora(&hora) {
        return None;
    }
    let depois = resto.get(9..)?;
    let digitos = depois
        .strip_prefix('.')
        .map_or(0, |f| 1 + f.bytes().take_while(u8::is_ascii_digit).count());
    let (fracao, zona) = depois.split_at_checked(digitos)?;
    let fracao = if fracao.len() == 1 { "" } else { fracao };
    match zona {
        "" => Some(format!("{dia}{hora}{fracao}{fuso}")),
        "Z" => Some(format!("{dia}{hora}{fracao}Z")),
        zona if eh_fuso(zona) => Some(format!("{dia}{hora}{fracao}{zona}")),
        _ => None,
    }
}

/// Offset of the state's time; no state has daylight saving time since 2019
/// (Decreto 9.772/2019).
fn fuso(ctx: &Context) -> &'static str {
    let uf = ctx.municipio.as_ref().map(|m| m.uf.as_str());
    match uf.or(ctx.uf.as_deref()) {
        Some("AC") => "-05:00",
        Some("AM" | "MS" | "MT" | "RO" | "RR") => "-04:00",
        _ => "-03:00",
    }
}

fn eh_dia(texto: &str) -> bool {
    confere(texto, "0000-00-00")
}

fn eh_hora(texto: &str) -> bool {
    confere(texto, "T00:00:00")
}

fn eh_fuso(texto: &str) -> bool {
    confere(texto, "+00:00") || confere(texto, "-00:00")
}

/// A zero of the mask is any digit, the rest is itself.
fn confere(texto: &str, mascara: &str) -> bool {
    texto.len() == mascara.len()
        && texto.bytes().zip(mascara.bytes()).all(|(byte, mascara)| {
            if mascara == b'0' {
                byte.is_ascii_digit()
            } else {
                byte == mascara
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
        for (texto, esperado) in [
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
            ("19/09/2026", None),
            ("2026-09-19T1", None),
            ("2026-09-19T10:00:00 BRT", None),
            ("", None),
            ("ççççççççççç", None),
        ] {
            assert_eq!(momento(texto, &ctx("PR")).as_deref(), esperado, "{texto}");
        }
        assert_eq!(
            momento("2026-09-19", &ctx("AM")).as_deref(),
            Some("2026-09-19T00:00:00-04:00")
        );
    }
}
