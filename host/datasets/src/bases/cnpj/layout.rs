//! Columns of the open data of the CNPJ, in the order of the Receita Federal's
//! layout (research of 2026-11), and how they are stored: as JSON with a letter
//! for each member, because there are a hundred million of them. Days stay
//! `AAAAMMDD`.

use markup::ids::Cnpj;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use time::{Date, Month};

/// The status of an active establishment.
pub const ACTIVE: &str = "02";
/// Longest text that is stored: longer ones are a quote that was lost.
const MOST_BYTES: usize = 2_000;

/// A struct that is stored as JSON with a letter for each member, and only those
/// that are not empty.
macro_rules! stored {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$detail:meta])* $letter:literal $field:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name {
            $(
                $(#[$detail])*
                #[serde(rename = $letter, default, skip_serializing_if = "String::is_empty")]
                pub $field: String,
            )*
        }
    };
}

stored! {
    /// An establishment: what of `ESTABELE` is kept.
    pub struct Establishment {
        /// `1` of the head office, `2` of a branch.
        "m" head,
        "f" trade_name,
        /// 01 null, 02 active, 03 suspended, 04 unfit, 08 closed.
        "s" status,
        "d" status_day,
        /// Of the status; a code.
        "r" reason,
        "k" country,
        "i" begun,
        "a" activity,
        /// Codes with commas.
        "b" other_activities,
        "t" street_kind,
        "l" street,
        "n" number,
        "c" complement,
        "g" district,
        "p" cep,
        "u" uf,
        /// Code of the Receita Federal (SIAFI/TOM).
        "y" city,
        /// Area code and number.
        "1" phone,
        "2" second_phone,
        "e" email,
    }
}

stored! {
    /// A company: what of `EMPRECSV` is kept.
    pub struct Registration {
        "n" name,
        /// Four digits.
        "j" nature,
        /// Reais, with a point.
        "c" capital,
        /// 00 not told, 01 micro, 03 small, 05 other.
        "p" size,
    }
}

stored! {
    /// Simples and MEI: what of `SIMPLES` is kept. `S` or `N`.
    pub struct Choices {
        "s" simples,
        "i" simples_from,
        "o" simples_until,
        "m" mei,
        "j" mei_from,
        "k" mei_until,
    }
}

stored! {
    /// A partner: what of `SOCIOCSV` is kept. His document, which is published masked, and
    /// who represents him are not needed.
    pub struct Partner {
        "n" name,
        "q" role,
        "d" since,
    }
}

/// The value of a column, within bounds.
fn column<'f>(fields: &[&'f str], place: usize) -> Result<&'f str, String> {
    let text = fields.get(place).copied().unwrap_or_default();
    if text.len() > MOST_BYTES {
        return Err(format!(
            "column {} has more than {MOST_BYTES} bytes",
            place + 1
        ));
    }
    Ok(text)
}

impl Establishment {
    /// Of the 30 columns of a line.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read(fields: &[&str]) -> Result<Establishment, String> {
        let text = |place: usize| column(fields, place).map(str::to_owned);
        let phone = |place: usize| -> Result<String, String> {
            Ok(format!("{}{}", text(place)?, text(place + 1)?)
                .chars()
                .filter(char::is_ascii_digit)
                .collect())
        };
        let status = text(5)?;
        let status = format!("{status:0>2}");
        if !["01", "02", "03", "04", "08"].contains(&status.as_str()) {
            return Err(format!("situacao {status} is none of 01, 02, 03, 04, 08"));
        }
        let uf = text(19)?;
        if uf != "EX" && data::ufs::by_uf(&uf).is_none() {
            return Err(format!("uf {uf} is no state"));
        }
        Ok(Establishment {
            head: text(3)?,
            trade_name: text(4)?,
            status,
            status_day: day("data da situacao", column(fields, 6)?)?,
            reason: short_code(column(fields, 7)?).to_owned(),
            country: short_code(column(fields, 9)?).to_owned(),
            begun: day("inicio", column(fields, 10)?)?,
            activity: text(11)?,
            other_activities: text(12)?,
            street_kind: text(13)?,
            street: text(14)?,
            number: text(15)?,
            complement: text(16)?,
            district: text(17)?,
            cep: text(18)?,
            uf,
            city: text(20)?,
            phone: phone(21)?,
            second_phone: phone(23)?,
            email: text(27)?,
        })
    }
}

impl Registration {
    /// Of the 7 columns of a line.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read(fields: &[&str]) -> Result<Registration, String> {
        let text = |place: usize| column(fields, place).map(str::to_owned);
        let capital = text(4)?.replace(',', ".");
        if !capital.is_empty() && capital.parse::<Decimal>().is_err() {
            return Err("capital is no number".to_owned());
        }
        Ok(Registration {
            name: text(1)?,
            nature: text(2)?,
            capital,
            size: text(5)?,
        })
    }
}

impl Choices {
    /// Of the 7 columns of a line.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read(fields: &[&str]) -> Result<Choices, String> {
        let choice = |name: &str, place: usize| match column(fields, place)? {
            text @ ("S" | "N" | "") => Ok(text.to_owned()),
            _ => Err(format!("{name} is none of S, N")),
        };
        let day = |name: &str, place: usize| day(name, column(fields, place)?);
        Ok(Choices {
            simples: choice("opcao pelo simples", 1)?,
            simples_from: day("opcao pelo simples", 2)?,
            simples_until: day("exclusao do simples", 3)?,
            mei: choice("opcao pelo mei", 4)?,
            mei_from: day("opcao pelo mei", 5)?,
            mei_until: day("exclusao do mei", 6)?,
        })
    }
}

impl Partner {
    /// Of the 11 columns of a line.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read(fields: &[&str]) -> Result<Partner, String> {
        let text = |place: usize| column(fields, place).map(str::to_owned);
        Ok(Partner {
            name: text(2)?,
            role: short_code(column(fields, 4)?).to_owned(),
            since: day("entrada", column(fields, 5)?)?,
        })
    }
}

/// The eight positions that all establishments of a company share.
///
/// # Errors
/// They have another form.
pub fn base(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    if text.len() == 8 && text.bytes().all(fits) {
        return Ok(text.to_owned());
    }
    Err("cnpj basico has not 8 positions".to_owned())
}

/// Both parts of the CNPJ of an establishment.
///
/// # Errors
/// Its check digits are wrong.
pub fn keys(fields: &[&str]) -> Result<(String, String), String> {
    let [base, order, digits, ..] = fields else {
        return Err("no cnpj".to_owned());
    };
    let whole = format!("{base}{order}{digits}");
    let cnpj = Cnpj::parse(&whole).map_err(|_| "the cnpj is wrong".to_owned())?;
    match cnpj.as_str().split_at_checked(8) {
        // Small letters and a mask are not how it is published.
        Some((base, branch)) if cnpj.as_str() == whole => Ok((base.to_owned(), branch.to_owned())),
        _ => Err("the cnpj is wrong".to_owned()),
    }
}

/// A code without zeros before it: tables and references differ in them.
pub fn short_code(code: &str) -> &str {
    match code.trim_start_matches('0') {
        "" if !code.is_empty() => "0",
        short => short,
    }
}

/// `AAAAMMDD`; empty: there is none, which is also written with zeros. A day that
/// no calendar has is none.
fn day(name: &str, text: &str) -> Result<String, String> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{name} is no day AAAAMMDD"));
    }
    Ok(match shown_day(text) {
        Some(_) => text.to_owned(),
        None => String::new(),
    })
}

/// `AAAA-MM-DD` of `AAAAMMDD`.
pub fn shown_day(text: &str) -> Option<String> {
    let (year, rest) = text.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2)?;
    let month = Month::try_from(month.parse::<u8>().ok()?).ok()?;
    let date = Date::from_calendar_date(year.parse().ok()?, month, day.parse().ok()?);
    date.ok()
        .filter(|_| text.len() == 8)
        .map(|date| date.to_string())
}
