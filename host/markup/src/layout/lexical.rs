//! Lexical forms of the built-in types of XSD part 2, with the verdicts of
//! libxml2 where it is laxer or stricter than the letter: the authorities'
//! validators and our oracle agree on what occurs, and a table of exotic forms
//! is in the tests.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::layout::table::{Base, Brancos};

/// White space handling (XSD part 2, §4.3.6).
pub(super) fn normaliza(brancos: Brancos, texto: &str) -> Cow<'_, str> {
    let branco = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    match brancos {
        Brancos::Preserva => Cow::Borrowed(texto),
        Brancos::Troca if !texto.contains(['\t', '\n', '\r']) => Cow::Borrowed(texto),
        Brancos::Troca => Cow::Owned(texto.replace(['\t', '\n', '\r'], " ")),
        Brancos::Junta => {
            let limpo = texto.trim_matches(branco);
            let simples = !limpo.contains(['\t', '\n', '\r']) && !limpo.contains("  ");
            if simples {
                return Cow::Borrowed(limpo);
            }
            let partes = limpo.split(branco).filter(|parte| !parte.is_empty());
            Cow::Owned(partes.collect::<Vec<_>>().join(" "))
        }
    }
}

/// Is the text, normalized already, a form of the type?
pub(super) fn aceita(base: Base, texto: &str) -> bool {
    match base {
        Base::String | Base::NormalizedString | Base::Token => true,
        Base::Id | Base::NcName => ncname(texto),
        Base::AnyUri => uri(texto),
        Base::Base64 => octetos(texto).is_some(),
        Base::Date => data(texto),
        Base::DateTime => data_hora(texto),
        Base::GYearMonth => ano_mes(texto).is_some(),
        Base::Boolean => matches!(texto, "true" | "false" | "0" | "1"),
        Base::Decimal => decimal(texto).is_some(),
        Base::Inteiro(min, max) => inteiro(texto)
            .is_some_and(|n| min.is_none_or(|min| n >= min) && max.is_none_or(|max| n <= max)),
    }
}

/// Compares two values of a type that has an order; none if they have none.
pub(super) fn compara(base: Base, a: &str, b: &str) -> Option<Ordering> {
    match base {
        Base::GYearMonth => {
            let (a, fuso) = ano_mes(a)?;
            let (b, _) = ano_mes(b)?;
            match (a.cmp(&b), fuso) {
                // The limits of the layouts have no time zone, so by XSD part 2,
                // §3.2.7.4, the same month with one is neither before nor after.
                // libxml2 lets it pass when it lies east of Greenwich.
                (Ordering::Equal, Some(fuso)) => (fuso > 0).then_some(Ordering::Greater),
                (ordem, _) => Some(ordem),
            }
        }
        Base::Inteiro(..) => Some(inteiro(a)?.cmp(&inteiro(b)?)),
        Base::Decimal => {
            let a: rust_decimal::Decimal = a.trim_start_matches('+').parse().ok()?;
            let b: rust_decimal::Decimal = b.trim_start_matches('+').parse().ok()?;
            Some(a.cmp(&b))
        }
        _ => None,
    }
}

/// Significant digits in all and after the point.
pub(super) fn digitos(texto: &str) -> Option<(u32, u32)> {
    let (inteiros, fracao) = decimal(texto)?;
    let inteiros = inteiros.trim_start_matches('0').len();
    let fracao = fracao.trim_end_matches('0').len();
    Some(((inteiros + fracao).max(1) as u32, fracao as u32))
}

fn decimal(texto: &str) -> Option<(&str, &str)> {
    let numero = texto.strip_prefix(['+', '-']).unwrap_or(texto);
    let (inteiros, fracao) = numero.split_once('.').unwrap_or((numero, ""));
    let so_digitos = |parte: &str| parte.bytes().all(|b| b.is_ascii_digit());
    let algum = !inteiros.is_empty() || !fracao.is_empty();
    (algum && so_digitos(inteiros) && so_digitos(fracao)).then_some((inteiros, fracao))
}

fn inteiro(texto: &str) -> Option<i128> {
    let digitos = texto.strip_prefix(['+', '-']).unwrap_or(texto);
    if digitos.is_empty() || !digitos.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let significativos = digitos.trim_start_matches('0');
    // libxml2 reads up to 24 digits.
    if significativos.len() > 24 {
        return None;
    }
    let valor: i128 = if significativos.is_empty() {
        0
    } else {
        significativos.parse().ok()?
    };
    Some(if texto.starts_with('-') {
        -valor
    } else {
        valor
    })
}

fn ncname(texto: &str) -> bool {
    let inicio = |c: char| c == '_' || c.is_alphabetic();
    let resto = |c: char| inicio(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{b7}');
    let mut chars = texto.chars();
    chars.next().is_some_and(inicio) && chars.all(resto)
}

/// Octets that base64 stands for. As in libxml2 and RFC 2045, characters
/// outside of the alphabet count for nothing.
pub(super) fn octetos(texto: &str) -> Option<usize> {
    const ALFABETO: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut letras = 0usize;
    let mut ultima = 0usize;
    let mut iguais = 0usize;
    for byte in texto.bytes() {
        if byte == b'=' {
            iguais += 1;
        } else if let Some(valor) = ALFABETO.iter().position(|letra| *letra == byte) {
            if iguais > 0 {
                return None;
            }
            letras += 1;
            ultima = valor;
        }
    }
    let resto = letras % 4;
    match (resto, iguais) {
        (0, 0) => Some(letras / 4 * 3),
        (2, 2) if ultima.is_multiple_of(16) => Some(letras / 4 * 3 + 1),
        (3, 1) if ultima.is_multiple_of(4) => Some(letras / 4 * 3 + 2),
        _ => None,
    }
}

/// As far as libxml2 looks: RFC 3986 syntax after characters that a URI cannot
/// hold were replaced.
fn uri(texto: &str) -> bool {
    let mut fragmentos = 0;
    let bytes = texto.as_bytes();
    for (indice, byte) in bytes.iter().enumerate() {
        match byte {
            b'[' | b']' if !texto.contains("//[") => return false,
            b'#' => fragmentos += 1,
            b'%' => {
                let par = bytes.get(indice + 1..indice + 3);
                if !par.is_some_and(|par| par.iter().all(u8::is_ascii_hexdigit)) {
                    return false;
                }
            }
            _ => {}
        }
    }
    let primeiro = texto.split(['/', '?', '#']).next().unwrap_or("");
    let esquema = primeiro.split_once(':').is_none_or(|(esquema, _)| {
        esquema.starts_with(|c: char| c.is_ascii_alphabetic())
            && esquema
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    });
    fragmentos <= 1 && esquema && porta(texto)
}

/// The port of an authority is a number.
fn porta(texto: &str) -> bool {
    let hierarquia = texto.split_once(':').map_or(texto, |(_, resto)| resto);
    let Some(autoridade) = [texto, hierarquia]
        .iter()
        .find_map(|t| t.strip_prefix("//"))
    else {
        return true;
    };
    let autoridade = autoridade.split(['/', '?', '#']).next().unwrap_or("");
    let maquina = autoridade.rsplit_once('@').map_or(autoridade, |(_, m)| m);
    let depois = maquina.rsplit_once(']').map_or(maquina, |(_, resto)| resto);
    depois
        .split_once(':')
        .is_none_or(|(_, porta)| porta.bytes().all(|b| b.is_ascii_digit()))
}

/// Year and month, and what follows them.
fn ano_mes_e_resto(texto: &str) -> Option<(i64, u32, &str)> {
    let (sinal, numero) = match texto.strip_prefix('-') {
        Some(numero) => (-1, numero),
        None => (1, texto),
    };
    let digitos = numero.bytes().take_while(u8::is_ascii_digit).count();
    if !(4..=12).contains(&digitos) || (digitos > 4 && numero.starts_with('0')) {
        return None;
    }
    let ano: i64 = numero.get(..digitos)?.parse().ok()?;
    let resto = numero.get(digitos..)?.strip_prefix('-')?;
    let (mes, resto) = dois(resto)?;
    ((1..=12).contains(&mes) && ano != 0).then_some((sinal * ano, mes, resto))
}

fn ano_mes(texto: &str) -> Option<((i64, u32), Option<i32>)> {
    let (ano, mes, resto) = ano_mes_e_resto(texto)?;
    let fuso = if resto.is_empty() {
        None
    } else {
        Some(minutos_do_fuso(resto)?)
    };
    Some(((ano, mes), fuso))
}

fn data(texto: &str) -> bool {
    data_e_resto(texto).is_some_and(fuso)
}

fn data_hora(texto: &str) -> bool {
    let Some(hora) = data_e_resto(texto).and_then(|resto| resto.strip_prefix('T')) else {
        return false;
    };
    let Some(resto) = hora_e_resto(hora) else {
        return false;
    };
    // libxml2 takes blanks after a time zone, and nowhere else.
    resto.is_empty() || minutos_do_fuso(resto.trim_end_matches(' ')).is_some()
}

fn data_e_resto(texto: &str) -> Option<&str> {
    let (ano, mes, resto) = ano_mes_e_resto(texto)?;
    let (dia, resto) = dois(resto.strip_prefix('-')?)?;
    let bissexto = ano % 4 == 0 && (ano % 100 != 0 || ano % 400 == 0);
    let ultimo = match mes {
        2 => 28 + u32::from(bissexto),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=ultimo).contains(&dia).then_some(resto)
}

fn hora_e_resto(texto: &str) -> Option<&str> {
    let (hora, resto) = dois(texto)?;
    let (minuto, resto) = dois(resto.strip_prefix(':')?)?;
    let (segundo, mut resto) = dois(resto.strip_prefix(':')?)?;
    let mut fracao = "";
    if let Some(depois) = resto.strip_prefix('.') {
        let digitos = depois.bytes().take_while(u8::is_ascii_digit).count();
        if digitos == 0 {
            return None;
        }
        fracao = depois.get(..digitos)?;
        resto = depois.get(digitos..)?;
    }
    let meia_noite = hora == 24 && minuto == 0 && segundo == 0 && fracao.bytes().all(|b| b == b'0');
    ((hora < 24 && minuto < 60 && segundo < 60) || meia_noite).then_some(resto)
}

fn dois(texto: &str) -> Option<(u32, &str)> {
    let par = texto.get(..2)?;
    if !par.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((par.parse().ok()?, texto.get(2..)?))
}

fn fuso(texto: &str) -> bool {
    texto.is_empty() || minutos_do_fuso(texto).is_some()
}

/// Minutes east of Greenwich.
fn minutos_do_fuso(texto: &str) -> Option<i32> {
    if texto == "Z" {
        return Some(0);
    }
    let oeste = texto.starts_with('-');
    let (horas, resto) = dois(texto.strip_prefix(['+', '-'])?)?;
    let (minutos, fim) = dois(resto.strip_prefix(':')?)?;
    let total = i32::try_from(horas * 60 + minutos).ok()?;
    let vale = fim.is_empty() && minutos < 60 && total <= 14 * 60;
    vale.then_some(if oeste { -total } else { total })
}
