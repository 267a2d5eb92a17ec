//! Reading a code.

use markup::decimal;
use rust_decimal::Decimal;

use super::tlv::{Field, find, parse};
use super::{
    GUI, MAX_AMOUNT, MAX_CITY, MAX_CODE, MAX_NAME, NO_TXID, PixKey, Problem, check_length,
    check_txid, crc16,
};

/// What a code says. Values are as they are written, also where `problems` has
/// something about them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BrCode {
    /// All fields.
    pub fields: Vec<Field>,
    /// Whom to pay, of a static code (26-01).
    pub key: Option<String>,
    /// Where the payer's bank fetches the charge, of a dynamic code (26-25).
    pub url: Option<String>,
    /// What the payer reads (26-02).
    pub description: Option<String>,
    /// R$ (54); None where the payer says how much, or a service does.
    pub amount: Option<Decimal>,
    /// Name of the receiver (59).
    pub name: Option<String>,
    /// City of the receiver (60).
    pub city: Option<String>,
    /// CEP of the receiver (61).
    pub postal_code: Option<String>,
    /// Identifier of the payment (62-05); None for `***`.
    pub txid: Option<String>,
    /// Whether the code is for one payment (01 is 12).
    pub once: bool,
    /// Whether the checksum fits.
    pub crc_fits: bool,
    /// What is not as the manuals ask; empty for a code that every bank takes.
    pub problems: Vec<Problem>,
}

/// Reads a code. Blanks around it are left out: people copy and paste.
pub fn read(text: &str) -> BrCode {
    let text = text.trim();
    let mut code = BrCode::default();
    let characters = text.chars().count();
    if characters > MAX_CODE {
        code.problems.push(Problem::TooLong(characters));
        return code;
    }
    if !text.is_ascii() {
        code.problems.push(Problem::NotAscii);
    }
    code.fields = parse(text, &mut code.problems);
    repeated(&mut code);
    code.crc_fits = checksum(text, &mut code);
    fixed(&mut code);
    account(&mut code);
    receiver(&mut code);
    amount(&mut code);
    code
}

fn value(code: &BrCode, id: &str) -> Option<String> {
    find(&code.fields, id).map(|field| field.value.clone())
}

fn repeated(code: &mut BrCode) {
    let mut seen: Vec<&str> = Vec::new();
    for field in &code.fields {
        if seen.contains(&field.id.as_str()) {
            code.problems.push(Problem::Repeated(field.id.clone()));
        }
        seen.push(&field.id);
    }
}

/// Field 63, over everything before its value. It is always the last.
fn checksum(text: &str, code: &mut BrCode) -> bool {
    let Some(found) = value(code, "63") else {
        code.problems.push(Problem::Missing("63"));
        return false;
    };
    if code.fields.last().is_none_or(|field| field.id != "63") || !text.ends_with(&found) {
        code.problems.push(Problem::CrcNotLast);
        return false;
    }
    let before = text.strip_suffix(&found).unwrap_or(text);
    let expected = format!("{:04X}", crc16(before));
    let fits = expected.eq_ignore_ascii_case(&found);
    if !fits {
        code.problems.push(Problem::Crc { expected, found });
    }
    fits
}

/// Fields that have one possible value, and whether the code is for one payment.
fn fixed(code: &mut BrCode) {
    if code.fields.first().is_none_or(|field| field.id != "00") {
        code.problems.push(Problem::Missing("00"));
    }
    for (field, expected) in [("00", "01"), ("53", "986"), ("58", "BR")] {
        match find(&code.fields, field) {
            Some(found) if found.value == expected => {}
            Some(_) => code.problems.push(Problem::Value { field, expected }),
            None if field == "00" => {}
            None => code.problems.push(Problem::Missing(field)),
        }
    }
    if find(&code.fields, "52").is_none() {
        code.problems.push(Problem::Missing("52"));
    }
    code.once = find(&code.fields, "01").is_some_and(|field| field.value == "12");
}

/// The account of PIX: one of the fields 26 to 51, by its owner.
fn account(code: &mut BrCode) {
    let is_pix = |field: &&Field| {
        let owner = find(&field.fields, "00");
        ("26"..="51").contains(&field.id.as_str())
            && owner.is_some_and(|owner| owner.value.eq_ignore_ascii_case(GUI))
    };
    let Some(account) = code.fields.iter().find(is_pix) else {
        code.problems.push(Problem::NotPix);
        return;
    };
    let value = |id: &str| find(&account.fields, id).map(|field| field.value.clone());
    (code.key, code.description, code.url) = (value("01"), value("02"), value("25"));
    if let Some(key) = &code.key {
        match PixKey::parse(key) {
            Ok(known) if known.as_str() == key => {}
            Ok(_) => code.problems.push(Problem::KeyForm),
            Err(error) => code.problems.push(Problem::Key(error)),
        }
    }
    if code.key.is_none() && code.url.is_none() {
        code.problems.push(Problem::NoKey);
    }
}

fn receiver(code: &mut BrCode) {
    code.name = value(code, "59");
    code.city = value(code, "60");
    code.postal_code = value(code, "61");
    for (field, text, max) in [
        ("59", code.name.as_deref(), MAX_NAME),
        ("60", code.city.as_deref(), MAX_CITY),
    ] {
        match text {
            Some(text) => check_length(&mut code.problems, field, text, max),
            None => code.problems.push(Problem::Missing(field)),
        }
    }
    let additional = find(&code.fields, "62").map_or(&[][..], |field| &field.fields);
    match find(additional, "05").map(|field| field.value.clone()) {
        Some(txid) => {
            check_txid(&mut code.problems, &txid);
            code.txid = Some(txid).filter(|txid| txid != NO_TXID);
        }
        None => code.problems.push(Problem::Missing("62-05")),
    }
}

/// Digits, and at most two decimals behind a point.
fn amount(code: &mut BrCode) {
    let Some(text) = value(code, "54") else {
        return;
    };
    check_length(&mut code.problems, "54", &text, MAX_AMOUNT);
    code.amount = decimal::parse(&text);
    let fits = |amount: Decimal| amount > Decimal::ZERO && amount.scale() <= 2;
    if !code.amount.is_some_and(fits) {
        code.problems.push(Problem::Amount);
    }
}
