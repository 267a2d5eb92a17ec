//! Identifiers and dates of the national layout.

use sdk::FieldError;

/// Positions of an NFS-e key.
const CHAVE_LEN: usize = 50;

/// Id of a DPS, 45 positions: `DPS`, municipality (7), kind of inscription
/// (1 CPF, 2 CNPJ), inscription (14), series (5), number (15). Nothing is cut
/// or guessed: a wrong size would be a valid id of somebody else.
///
/// # Errors
/// The field that does not fit.
pub fn id_dps(
    municipality: &str,
    documento: &str,
    serie: &str,
    number: u64,
) -> Result<String, FieldError> {
    if municipality.len() != 7 || !digits(municipality) {
        return Err(FieldError::new(
            "codigo_municipio_emissor",
            "formato",
            "Esperados os 7 dígitos do código IBGE.",
        ));
    }
    let registration = match documento.len() {
        11 if digits(documento) => format!("1000{documento}"),
        14 if documento
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()) =>
        {
            format!("2{documento}")
        }
        _ => {
            return Err(FieldError::new(
                "emitente.documento",
                "formato",
                "Esperado CPF ou CNPJ sem pontuação.",
            ));
        }
    };
    if !is_valid_serie(serie) {
        return Err(FieldError::new(
            "identificacao.serie",
            "formato",
            "A série da DPS tem até 5 dígitos, de 0 a 89999.",
        ));
    }
    if number == 0 || number > 999_999_999_999_999 {
        return Err(FieldError::new(
            "identificacao.numero",
            "formato",
            "O número da DPS tem de 1 a 15 dígitos.",
        ));
    }
    Ok(format!(
        "DPS{municipality}{registration}{serie:0>5}{number:015}"
    ))
}

/// TSSerieDPS: `[0-9]{1,4}|[0-8][0-9]{4}`.
pub fn is_valid_serie(serie: &str) -> bool {
    digits(serie) && (serie.len() <= 4 || (serie.len() == 5 && !serie.starts_with('9')))
}

/// TSIdDPS of the bundle of 2026-07-27.
pub fn is_valid_dps_id(id: &str) -> bool {
    let Some(rest) = id
        .strip_prefix("DPS")
        .filter(|rest| rest.is_ascii() && rest.len() == 42)
    else {
        return false;
    };
    let (municipality, rest) = rest.split_at(7);
    let (kind, rest) = rest.split_at(1);
    let (registration, numbers) = rest.split_at(14);
    let registration_ok = match kind {
        "1" => digits(registration),
        "2" => registration
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()),
        _ => false,
    };
    digits(municipality) && registration_ok && digits(numbers)
}

/// Whether this can be an NFS-e key. The key is given by the server; the
/// official patterns disagree on where its letters may be (TSChaveNFSe and
/// TSIdNFSe), so both places are accepted.
pub fn is_valid_chave(chave: &str) -> bool {
    chave.len() == CHAVE_LEN
        && chave
            .bytes()
            .enumerate()
            .all(|(at, b)| b.is_ascii_digit() || (b.is_ascii_uppercase() && (6..23).contains(&at)))
}

/// An RFC 3339 moment as the layout writes it: no fraction, no `Z`, whole
/// hours of offset (TSDateTimeUTC). None when it is not one.
pub fn date_time(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.is_ascii() || text.len() < 20 {
        return None;
    }
    let (base, rest) = text.split_at(19);
    let base_ok = base.bytes().enumerate().all(|(at, b)| match at {
        4 | 7 => b == b'-',
        10 => b == b'T',
        13 | 16 => b == b':',
        _ => b.is_ascii_digit(),
    });
    let offset = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let offset = if offset == "Z" { "+00:00" } else { offset };
    let offset_ok = offset.len() == 6
        && offset.starts_with(['+', '-'])
        && offset.ends_with(":00")
        && offset
            .get(1..3)
            .is_some_and(|hours| digits(hours) && hours <= "12");
    (base_ok && offset_ok).then(|| format!("{base}{offset}"))
}

pub fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_size_or_do_not_exist() {
        assert_eq!(
            id_dps("4106902", "00000000000191", "1", 42).ok().as_deref(),
            Some("DPS410690220000000000019100001000000000000042")
        );
        assert_eq!(
            id_dps("4106902", "52998224725", "49999", 999_999_999_999_999)
                .ok()
                .as_deref(),
            Some("DPS410690210005299822472549999999999999999999")
        );
        let letters = id_dps("4106902", "12ABC34501DE35", "900", 7).expect("alphanumeric CNPJ");
        assert_eq!(letters, "DPS4106902212ABC34501DE3500900000000000000007");
        assert!(is_valid_dps_id(&letters));
        for (municipality, documento, serie, number) in [
            ("410690", "00000000000191", "1", 1),
            ("4106902", "0000000000191", "1", 1),
            ("4106902", "12abc34501de35", "1", 1),
            ("4106902", "00000000000191", "90000", 1),
            ("4106902", "00000000000191", "A", 1),
            ("4106902", "00000000000191", "", 1),
            ("4106902", "00000000000191", "1", 0),
            ("4106902", "00000000000191", "1", 1_000_000_000_000_000),
        ] {
            assert!(id_dps(municipality, documento, serie, number).is_err());
        }
        for junk in [
            "",
            "DPS",
            "DPS41069022000000000001910000100000000000004",
            "DPS41069023000000000001910000100000000000004a",
            "DPSção",
        ] {
            assert!(!is_valid_dps_id(junk), "{junk}");
        }
    }

    #[test]
    fn keys() {
        assert!(is_valid_chave(
            "41069022200000000000191000000000004226105000000010"
        ));
        let letters = format!("41069022212ABC34501DE35{}", "0".repeat(27));
        assert!(is_valid_chave(&letters));
        assert!(!is_valid_chave(&letters[..49]));
        assert!(!is_valid_chave(&format!("{}A", &letters[..49])));
        assert!(!is_valid_chave("ção"));
    }

    #[test]
    fn moments() {
        for (given, expected) in [
            (
                "2026-10-05T10:15:00-03:00",
                Some("2026-10-05T10:15:00-03:00"),
            ),
            (
                "2026-10-05T10:15:00.123456-03:00",
                Some("2026-10-05T10:15:00-03:00"),
            ),
            ("2026-10-05T13:15:00Z", Some("2026-10-05T13:15:00+00:00")),
            ("2026-10-05T13:15:00", None),
            ("2026-10-05", None),
            ("2026-10-05T10:15:00-03:30", None),
            ("2026-10-05 10:15:00-03:00", None),
            ("", None),
        ] {
            assert_eq!(date_time(given).as_deref(), expected, "{given}");
        }
    }
}
