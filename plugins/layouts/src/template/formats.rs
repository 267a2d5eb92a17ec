//! How a value becomes the text of a layout. A value that does not fit is an
//! error, never cut or rounded.

use super::Kind;
use crate::{cities, tom};
use rps::countries;
use sdk::{Decimal, Encoding, b64};

/// One step from a value to its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Exactly so many decimal places, with this separator.
    Places(u32, char),
    /// A percentage as a fraction.
    Fraction,
    /// A date or moment by a mask of `AAAA`, `MM`, `DD`, `hh`, `mm`, `ss`.
    Moment(String),
    /// The digits; with a number: exactly so many.
    Digits(Option<usize>),
    /// At most so many characters.
    Most(usize),
    /// Zeros in front up to so many characters; a longer text is an error.
    Zeros(usize),
    /// Blanks behind up to so many characters; a longer text is an error.
    Blanks(usize),
    /// Digits in a form in which each `0` is one of them.
    Mask(String),
    /// Without zeros in front.
    Bare,
    Upper,
    Lower,
    /// Letters lose their accents, an apostrophe becomes a blank.
    Plain,
    /// Codes of words; `*` is any other word.
    Map(Vec<(String, String)>),
    /// The TOM code of an IBGE code.
    Tom,
    /// The name of the municipality of an IBGE code.
    City,
    /// The state of the municipality of an IBGE code.
    State,
    /// The Banco Central's code of a country.
    Country,
    /// Area code of a Brazilian telephone number.
    AreaCode,
    /// A Brazilian telephone number without its area code.
    Subscriber,
    /// What stands for an absent value.
    Default(String),
    /// In a CDATA section.
    Cdata,
    /// As it is.
    Raw,
    Base64,
    /// A secret by its digest; the host makes it.
    Digest(Encoding),
}

/// Why a value has no text in this format: the rule of the API and a sentence
/// for the customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    pub rule: &'static str,
    pub text: String,
}

fn misfit(rule: &'static str, text: impl Into<String>) -> Misfit {
    Misfit {
        rule,
        text: text.into(),
    }
}

impl Format {
    /// Reads one format with its arguments.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        let size = || rest.parse::<usize>().ok().filter(|size| *size > 0);
        Some(match name {
            "casas" => {
                let (places, separator) = rest.split_once(' ').unwrap_or((rest, "."));
                let separator = separator.trim().chars().next()?;
                let places = places.parse().ok().filter(|places| *places <= 10)?;
                Format::Places(places, separator)
            }
            "fracao" => Format::Fraction,
            "data" => Format::Moment(Some(rest).filter(|mask| !mask.is_empty())?.to_owned()),
            "digitos" if rest.is_empty() => Format::Digits(None),
            "digitos" => Format::Digits(Some(size()?)),
            "max" => Format::Most(size()?),
            "zeros" => Format::Zeros(size()?),
            "brancos" => Format::Blanks(size()?),
            "mascara" => Format::Mask(Some(rest).filter(|mask| mask.contains('0'))?.to_owned()),
            "sem_zeros" => Format::Bare,
            "sem_acentos" => Format::Plain,
            "maiusculas" => Format::Upper,
            "minusculas" => Format::Lower,
            "mapa" => Format::Map(map(rest)?),
            "tom" => Format::Tom,
            "cidade" => Format::City,
            "uf" => Format::State,
            "pais" => Format::Country,
            "ddd" => Format::AreaCode,
            "fone" => Format::Subscriber,
            "ou" => Format::Default(rest.to_owned()),
            "cdata" => Format::Cdata,
            "crua" => Format::Raw,
            "base64" => Format::Base64,
            "md5" => Format::Digest(Encoding::Md5Hex),
            "sha1" => Format::Digest(Encoding::Sha1Hex),
            "sha1_base64" => Format::Digest(Encoding::Sha1Base64),
            "sha256" => Format::Digest(Encoding::Sha256Hex),
            _ => return None,
        })
    }

    /// What comes out of a kind; None: the format is not for it.
    pub fn of(&self, kind: Kind) -> Option<Kind> {
        match (self, kind) {
            (Format::Default(_), kind) => Some(kind),
            (Format::Places(..), Kind::Decimal) => Some(Kind::Text),
            (Format::Fraction, Kind::Decimal) => Some(Kind::Decimal),
            (Format::Map(_), Kind::Text | Kind::Flag | Kind::Word) => Some(Kind::Text),
            (Format::Cdata | Format::Raw | Format::Base64, Kind::Document) => Some(Kind::Document),
            (Format::Digest(_), Kind::Secret) => Some(Kind::Secret),
            (
                Format::Places(..)
                | Format::Fraction
                | Format::Map(_)
                | Format::Cdata
                | Format::Raw
                | Format::Base64
                | Format::Digest(_),
                _,
            ) => None,
            (_, Kind::Text) => Some(Kind::Text),
            _ => None,
        }
    }

    /// The text of a decimal; the other formats of decimals are applied before.
    pub fn decimal(&self, value: Decimal) -> Result<String, Misfit> {
        let Format::Places(places, separator) = self else {
            return Ok(value.to_string());
        };
        match value.fixed(*places) {
            Some(text) if !value.is_negative() && text.len() <= 18 => {
                Ok(text.replace('.', &separator.to_string()))
            }
            _ => Err(misfit(
                "valor",
                format!("Informe um valor não negativo com até {places} casas decimais."),
            )),
        }
    }

    /// The next text of a text.
    pub fn text(&self, text: String) -> Result<String, Misfit> {
        let fits = |text: String| Ok(text);
        match self {
            Format::Moment(mask) => moment(&text, mask)
                .ok_or_else(|| misfit("formato", "Informe a data como AAAA-MM-DD.")),
            Format::Digits(length) => digits(&text, *length),
            Format::Mask(mask) => masked(&text, mask),
            Format::Most(most) if text.chars().count() > *most => Err(misfit(
                "tamanho",
                format!("O leiaute da prefeitura aceita até {most} caracteres."),
            )),
            Format::Zeros(width) | Format::Blanks(width) if text.chars().count() > *width => {
                Err(misfit(
                    "tamanho",
                    format!("O leiaute da prefeitura aceita até {width} caracteres."),
                ))
            }
            Format::Zeros(width) => fits(format!("{text:0>width$}")),
            Format::Blanks(width) => fits(format!("{text:<width$}")),
            Format::Bare => {
                let bare = text.trim_start_matches('0');
                let bare = if bare.is_empty() && !text.is_empty() {
                    "0"
                } else {
                    bare
                };
                fits(bare.to_owned())
            }
            Format::Plain => fits(plain(&text)),
            Format::Upper => fits(text.to_uppercase()),
            Format::Lower => fits(text.to_lowercase()),
            Format::Map(codes) => coded(&text, codes),
            Format::Tom => municipality(tom::code(&text)),
            Format::City => municipality(cities::name(&text)),
            Format::State => municipality(cities::state(&text)),
            Format::Country => countries::bacen(&text)
                .map(str::to_owned)
                .ok_or_else(|| misfit("formato", "Informe o país pela sigla ISO de duas letras.")),
            Format::AreaCode => fits(telephone(&text).0),
            Format::Subscriber => fits(telephone(&text).1),
            Format::Base64 => fits(b64::encode(text.as_bytes())),
            // What is not about a text leaves it as it is.
            _ => fits(text),
        }
    }
}

/// A text without the accents of Portuguese.
fn plain(text: &str) -> String {
    let letter = |c| match c {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        'Á' | 'À' | 'Â' | 'Ã' | 'Ä' => 'A',
        'É' | 'È' | 'Ê' | 'Ë' => 'E',
        'Í' | 'Ì' | 'Î' | 'Ï' => 'I',
        'Ó' | 'Ò' | 'Ô' | 'Õ' | 'Ö' => 'O',
        'Ú' | 'Ù' | 'Û' | 'Ü' => 'U',
        'Ç' => 'C',
        'Ñ' => 'N',
        '\'' | '’' => ' ',
        c => c,
    };
    text.chars().map(letter).collect()
}

/// What a table says of a municipality.
fn municipality(found: Option<&'static str>) -> Result<String, Misfit> {
    found.map(str::to_owned).ok_or_else(|| {
        misfit(
            "formato",
            "Informe o código IBGE de um município, com sete dígitos.",
        )
    })
}

/// "a=1 b=2 *=9"
fn map(text: &str) -> Option<Vec<(String, String)>> {
    let codes: Option<Vec<(String, String)>> = text
        .split_whitespace()
        .map(|pair| {
            let (word, code) = pair.split_once('=')?;
            Some((word.to_owned(), code.to_owned()))
        })
        .collect();
    codes.filter(|codes| !codes.is_empty())
}

fn coded(word: &str, codes: &[(String, String)]) -> Result<String, Misfit> {
    let found = codes.iter().find(|(known, _)| known == word);
    let any = || codes.iter().find(|(known, _)| known == "*");
    match found.or_else(any) {
        Some((_, code)) => Ok(code.clone()),
        None => {
            let known: Vec<&str> = codes.iter().map(|(known, _)| known.as_str()).collect();
            Err(misfit(
                "sem_equivalente",
                format!("O leiaute da prefeitura aceita {}.", known.join(", ")),
            ))
        }
    }
}

fn digits(text: &str, length: Option<usize>) -> Result<String, Misfit> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    match length {
        Some(length) if digits.len() != length => {
            Err(misfit("formato", format!("Informe {length} dígitos.")))
        }
        _ => Ok(digits),
    }
}

/// The digits of a text, each in the place of a zero of the mask.
fn masked(text: &str, mask: &str) -> Result<String, Misfit> {
    let text = digits(text, Some(mask.matches('0').count()))?;
    let mut digits = text.chars();
    let place = |c| match c {
        '0' => digits.next().unwrap_or(c),
        other => other,
    };
    Ok(mask.chars().map(place).collect())
}

/// A date or a moment in another form; None where it is none.
fn moment(text: &str, mask: &str) -> Option<String> {
    let part = |from: usize, to: usize, separator: &str| {
        let part = text.get(from..to)?;
        let before = from.checked_sub(1).and_then(|at| text.get(at..from));
        let fits = part.bytes().all(|b| b.is_ascii_digit())
            && (from == 0 || before.is_some_and(|b| separator.contains(b)));
        fits.then_some(part)
    };
    let (year, month, day) = (part(0, 4, "")?, part(5, 7, "-")?, part(8, 10, "-")?);
    // A day without time begins at midnight.
    let (hour, minute, second) = if text.len() == 10 {
        ("00", "00", "00")
    } else {
        (part(11, 13, "T ")?, part(14, 16, ":")?, part(17, 19, ":")?)
    };
    let filled = mask
        .replace("AAAA", year)
        .replace("MM", month)
        .replace("DD", day)
        .replace("hh", hour)
        .replace("mm", minute)
        .replace("ss", second);
    Some(filled)
}

/// Area code and number of a Brazilian telephone number; both empty where it
/// is none.
fn telephone(text: &str) -> (String, String) {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let national = match digits.strip_prefix("55") {
        Some(rest) if matches!(rest.len(), 10 | 11) => rest,
        _ => digits.as_str(),
    };
    match national.len() {
        8 | 9 => (String::new(), national.to_owned()),
        10 | 11 => {
            let (area, number) = national.split_at(2);
            (area.to_owned(), number.to_owned())
        }
        _ => (String::new(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formatted(format: &str, text: &str) -> Result<String, &'static str> {
        let format = Format::parse(format).expect(format);
        format.text(text.to_owned()).map_err(|misfit| misfit.rule)
    }

    #[test]
    fn texts_in_their_formats() {
        for (format, text, expected) in [
            ("max 3", "abc", Ok("abc")),
            ("max 3", "abcd", Err("tamanho")),
            ("digitos", "1.05-a", Ok("105")),
            ("digitos 8", "80045-165", Ok("80045165")),
            ("digitos 8", "8004516", Err("formato")),
            ("mascara 0.00-0", "1052", Ok("1.05-2")),
            ("mascara 0.00-0", "105", Err("formato")),
            ("zeros 4", "105", Ok("0105")),
            ("zeros 4", "10555", Err("tamanho")),
            ("brancos 4", "A1", Ok("A1  ")),
            ("brancos 4", "A1234", Err("tamanho")),
            ("sem_zeros", "0105", Ok("105")),
            ("sem_zeros", "000", Ok("0")),
            ("maiusculas", "ação", Ok("AÇÃO")),
            (
                "sem_acentos",
                "Santa Bárbara d'Oeste",
                Ok("Santa Barbara d Oeste"),
            ),
            ("mapa a=1 b=2", "b", Ok("2")),
            ("mapa a=1 *=9", "c", Ok("9")),
            ("mapa a=1 b=2", "c", Err("sem_equivalente")),
            ("tom", "4106902", Ok("7535")),
            ("tom", "1", Err("formato")),
            ("cidade", "4106902", Ok("Curitiba")),
            ("cidade", "1", Err("formato")),
            ("uf", "4106902", Ok("PR")),
            ("pais", "AR", Ok("0639")),
            ("ddd", "+55 41 99999-0000", Ok("41")),
            ("fone", "+55 41 99999-0000", Ok("999990000")),
            ("fone", "3333-4444", Ok("33334444")),
            ("ddd", "12", Ok("")),
            ("data DD/MM/AAAA", "2026-10-05", Ok("05/10/2026")),
            (
                "data DD/MM/AAAA hh:mm:ss",
                "2026-10-05T10:15:07-03:00",
                Ok("05/10/2026 10:15:07"),
            ),
            ("data hh:mm:ss", "2026-10-05", Ok("00:00:00")),
            ("data AAAA", "05/10/2026", Err("formato")),
            ("data AAAA", "2026-10-05T1", Err("formato")),
            ("data AAAA", "", Err("formato")),
            ("base64", "abc", Ok("YWJj")),
        ] {
            assert_eq!(
                formatted(format, text),
                expected.map(str::to_owned),
                "{format} {text}"
            );
        }
    }

    #[test]
    fn decimals_keep_all_their_digits() {
        for (format, value, expected) in [
            ("casas 2 ,", "1500.5", Ok("1500,50")),
            ("casas 4", "2.5", Ok("2.5000")),
            ("casas 2", "1.005", Err("valor")),
            ("casas 2", "-1", Err("valor")),
        ] {
            let format = Format::parse(format).expect(format);
            let value: Decimal = value.parse().expect("decimal");
            let text = format.decimal(value).map_err(|misfit| misfit.rule);
            assert_eq!(text, expected.map(str::to_owned));
        }
    }

    #[test]
    fn other_forms_are_no_formats() {
        for text in [
            "",
            "casas",
            "casas x",
            "casas 99",
            "max",
            "max 0",
            "max x",
            "mapa",
            "mapa a",
            "data",
            "mascara",
            "mascara x",
            "corta 3",
        ] {
            assert_eq!(Format::parse(text), None, "{text}");
        }
    }
}
