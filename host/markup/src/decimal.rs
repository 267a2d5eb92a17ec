//! Decimals as customers write them. The parser of the library takes more:
//! digits parted by `_`, a plus sign, exponents, a point without digits.

use rust_decimal::Decimal;
use std::str::FromStr;

/// A decimal in plain digits: an optional minus, digits, optionally a point
/// and digits.
pub fn ler(texto: &str) -> Option<Decimal> {
    let digitos = |parte: &str| !parte.is_empty() && parte.bytes().all(|b| b.is_ascii_digit());
    let sem_sinal = texto.strip_prefix('-').unwrap_or(texto);
    let claro = match sem_sinal.split_once('.') {
        Some((inteiros, casas)) => digitos(inteiros) && digitos(casas),
        None => digitos(sem_sinal),
    };
    claro.then(|| Decimal::from_str(texto).ok()).flatten()
}

/// A decimal of JSON: a number, exponents included, or the plain text of one.
pub fn de_json(valor: &serde_json::Value) -> Option<Decimal> {
    match valor {
        serde_json::Value::String(texto) => ler(texto),
        serde_json::Value::Number(numero) => {
            let texto = numero.to_string();
            ler(&texto).or_else(|| Decimal::from_scientific(&texto).ok())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_digits_are_a_decimal() {
        for texto in [
            "0",
            "-0.5",
            "2",
            "1500.00",
            "007",
            "9999999999999.9999999999",
        ] {
            assert!(ler(texto).is_some(), "{texto}");
        }
        for texto in [
            "", "-", ".", "1.", ".5", "+1", "--1", "2_0", "1_8.9_0", "1e5", "1E5", " 1", "1 ",
            "1,5", "1.2.3", "\u{0661}", "NaN", "0x1",
        ] {
            assert_eq!(ler(texto), None, "{texto}");
        }
        let json = |texto: &str| de_json(&serde_json::from_str(texto).expect("JSON"));
        assert_eq!(json("1e3"), Some(Decimal::from(1000)));
        assert_eq!(json("\"1e3\""), None);
        assert_eq!(
            json("18.90").map(|valor| valor.to_string()).as_deref(),
            Some("18.90")
        );
    }
}
