//! Telephone numbers of Brazil, by their form alone (Anatel Resolution 749/2022,
//! numbering regulation). Whether somebody answers is not known.

/// Why a text is no telephone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// Something else than digits, blanks, `( ) - . /` and a plus at the
    /// beginning; or no digit at all.
    #[error("something else than digits")]
    Characters,
    /// No number has so many digits, prefixes left out.
    #[error("{0} digits are no telephone number")]
    Length(usize),
    /// No such area code.
    #[error("{0} is no area code")]
    Ddd(u8),
    /// Eight or nine digits: the area code is missing.
    #[error("the area code is missing")]
    NoDdd,
    /// Eight digits that begin with 6 to 9: a mobile number of before 2016.
    #[error("the ninth digit is missing")]
    NinthDigit,
    /// A number does not begin with this digit.
    #[error("no number begins with {0}")]
    FirstDigit(char),
    /// `00` and another country: behind it stands a carrier in Brazil and none
    /// elsewhere, so that the country is not certain.
    #[error("write numbers of other countries with a plus")]
    NoPlus,
}

/// What a number is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Mobile: nine digits that begin with 9.
    Mobile,
    /// Landline: eight digits that begin with 2 to 5.
    Landline,
    /// 0800: the one who is called pays.
    TollFree,
    /// 0300: both pay.
    SharedCost,
    /// 0303: calls of telemarketing.
    Telemarketing,
    /// 0500: donations.
    Donation,
    /// 0900: services that cost more than the call.
    Premium,
    /// `3003`, `4003` or `4004` and four digits: one number in the whole country,
    /// dialled without area code.
    Nationwide,
    /// Three digits that begin with 1: police, ambulance, authorities.
    PublicService,
    /// A number of another country, only its length is checked.
    International,
}

impl Kind {
    /// The word of the API.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Mobile => "movel",
            Kind::Landline => "fixo",
            Kind::TollFree => "gratuito",
            Kind::SharedCost => "tarifa_compartilhada",
            Kind::Telemarketing => "telemarketing",
            Kind::Donation => "doacao",
            Kind::Premium => "valor_adicionado",
            Kind::Nationwide => "numero_unico",
            Kind::PublicService => "utilidade_publica",
            Kind::International => "internacional",
        }
    }
}

/// A telephone number with a possible form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Phone {
    /// What it is for.
    pub kind: Kind,
    /// The area code, of mobile numbers and landlines.
    pub ddd: Option<u8>,
    /// The digits as one writes them in Brazil: area code and number, `0800` and
    /// number, or what follows the plus of another country.
    pub digits: String,
    /// Plus, country, number (ITU-T E.164), where the number is reached from
    /// everywhere: mobile, landline, international.
    pub e164: Option<String>,
}

impl Phone {
    /// Reads a number with any punctuation, with or without `+55`, `0` before
    /// the area code, and a carrier between them. `is_ddd` says which area codes
    /// exist.
    ///
    /// # Errors
    /// What exactly is wrong.
    pub fn parse(text: &str, is_ddd: impl Fn(u8) -> bool) -> Result<Phone, PhoneError> {
        let (digits, plus) = cleaned(text)?;
        if plus {
            return match digits.strip_prefix("55") {
                Some(national) => significant(national, is_ddd),
                None => international(&digits),
            };
        }
        match digits.len() {
            3 if digits.starts_with('1') => Ok(plain(Kind::PublicService, &digits)),
            8 if NATIONWIDE.iter().any(|code| digits.starts_with(code)) => {
                Ok(plain(Kind::Nationwide, &digits))
            }
            _ => significant(without_prefix(&digits)?, is_ddd),
        }
    }
}

/// Codes of numbers without area, of those in wide use; a landline without its
/// area code may begin with other digits of the series 300X and 400X.
const NATIONWIDE: [&str; 3] = ["3003", "4003", "4004"];

/// Most characters of a text that is looked at; a number with its punctuation has
/// far fewer.
const LONGEST: usize = 64;

/// The digits, and whether a plus stood before them.
fn cleaned(text: &str) -> Result<(String, bool), PhoneError> {
    let text = text.trim();
    if text.len() > LONGEST {
        return Err(PhoneError::Length(text.len()));
    }
    let (text, plus) = match text.strip_prefix('+') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut digits = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
        } else if !c.is_whitespace() && !"()-./".contains(c) {
            return Err(PhoneError::Characters);
        }
    }
    if digits.is_empty() {
        return Err(PhoneError::Characters);
    }
    Ok((digits, plus))
}

/// Takes away what is dialled before a number: `55`, `0055`, `0`, `0` and the two
/// digits of a carrier.
fn without_prefix(digits: &str) -> Result<&str, PhoneError> {
    let long = |rest: &str| matches!(rest.len(), 10 | 11);
    if let Some(rest) = digits.strip_prefix("00") {
        let national = rest.strip_prefix("55").filter(|rest| long(rest));
        return national.ok_or(PhoneError::NoPlus);
    }
    if let Some(rest) = digits.strip_prefix('0') {
        let behind_carrier = rest.get(2..).filter(|rest| long(rest));
        return Ok(behind_carrier.filter(|_| !long(rest)).unwrap_or(rest));
    }
    // 55 is the country, and the area of Santa Maria: ten or eleven digits
    // remain of the one, and are all of the other.
    let national = digits.strip_prefix("55").filter(|rest| long(rest));
    Ok(national.filter(|_| !long(digits)).unwrap_or(digits))
}

/// A number of Brazil without any prefix.
fn significant(national: &str, is_ddd: impl Fn(u8) -> bool) -> Result<Phone, PhoneError> {
    if let Some(kind) = non_geographic(national) {
        return Ok(plain(kind, &format!("0{national}")));
    }
    let (ddd, number) = match national.len() {
        8 | 9 => return Err(PhoneError::NoDdd),
        10 | 11 => national.split_at_checked(2),
        other => return Err(PhoneError::Length(other)),
    }
    .ok_or(PhoneError::Characters)?;
    let ddd: u8 = ddd.parse().map_err(|_| PhoneError::Characters)?;
    if !is_ddd(ddd) {
        return Err(PhoneError::Ddd(ddd));
    }
    let first = number.chars().next().unwrap_or('0');
    let kind = match (number.len(), first) {
        (9, '9') => Kind::Mobile,
        (8, '2'..='5') => Kind::Landline,
        (8, '6'..='9') => return Err(PhoneError::NinthDigit),
        _ => return Err(PhoneError::FirstDigit(first)),
    };
    Ok(Phone {
        kind,
        ddd: Some(ddd),
        digits: national.to_owned(),
        e164: Some(format!("+55{national}")),
    })
}

/// A code that is of no area, and seven digits: `0X00 ABC MCDU`, without the 0. No
/// area code ends in 0.
fn non_geographic(national: &str) -> Option<Kind> {
    if national.len() != 10 {
        return None;
    }
    match national.get(..3)? {
        "800" => Some(Kind::TollFree),
        "300" => Some(Kind::SharedCost),
        "303" => Some(Kind::Telemarketing),
        "500" => Some(Kind::Donation),
        "900" => Some(Kind::Premium),
        _ => None,
    }
}

/// A number of another country: 7 to 15 digits, the first not 0 (ITU-T E.164).
fn international(digits: &str) -> Result<Phone, PhoneError> {
    if digits.starts_with('0') {
        return Err(PhoneError::FirstDigit('0'));
    }
    if !matches!(digits.len(), 7..=15) {
        return Err(PhoneError::Length(digits.len()));
    }
    Ok(Phone {
        e164: Some(format!("+{digits}")),
        ..plain(Kind::International, digits)
    })
}

/// A number without area, dialled as it is.
fn plain(kind: Kind, digits: &str) -> Phone {
    Phone {
        kind,
        ddd: None,
        digits: digits.to_owned(),
        e164: None,
    }
}
