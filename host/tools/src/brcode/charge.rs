//! Making a code.

use rust_decimal::Decimal;

use super::fold::fold;
use super::tlv::push;
use super::{
    GUI, MAX_AMOUNT, MAX_CITY, MAX_CODE, MAX_NAME, NO_TXID, PixKey, Problem, check_length,
    check_txid, crc16,
};

/// A static code: whoever scans it pays to the key.
#[derive(Debug, Clone, Copy)]
pub struct Charge<'a> {
    /// Whom to pay.
    pub key: &'a PixKey,
    /// Name of the receiver. Folded to ASCII, then at most [`MAX_NAME`]
    /// characters; [`super::fit`] cuts longer ones.
    pub name: &'a str,
    /// City of the receiver, likewise at most [`MAX_CITY`].
    pub city: &'a str,
    /// How much to pay in R$, above zero, at most two decimals; None lets the payer
    /// say.
    pub amount: Option<Decimal>,
    /// Identifier by which the receiver knows the payment: 1 to 25 letters and
    /// digits. None is `***`.
    pub txid: Option<&'a str>,
    /// What the payer reads, folded to ASCII. With the key at most 99 characters,
    /// ids and lengths counted.
    pub description: Option<&'a str>,
    /// Whether the code says that it is for one payment (field 01 is 12). Banks do
    /// not enforce it for static codes.
    pub once: bool,
}

impl Charge<'_> {
    /// The text of the code, within the limits of the manuals.
    ///
    /// # Errors
    /// Everything that is not within them.
    pub fn encode(&self) -> Result<String, Vec<Problem>> {
        let mut problems = self.problems();
        match self.layout() {
            Ok(code) if problems.is_empty() => return Ok(code),
            Ok(_) => {}
            // The same field, with the limit of the form: told already.
            Err(Problem::Length { field, .. }) if has_length(&problems, field) => {}
            Err(problem) if problems.contains(&problem) => {}
            Err(problem) => problems.push(problem),
        }
        Err(problems)
    }

    /// The text of the code without the limits of name, city and identifier: what
    /// other programs make of the same data. Not to be given to payers.
    ///
    /// # Errors
    /// A field, or the account with its description, is empty or has more than 99
    /// characters; more than 512 in all; an amount that cannot be paid.
    pub fn layout(&self) -> Result<String, Problem> {
        let mut account = String::new();
        push(&mut account, "26-00", GUI)?;
        push(&mut account, "26-01", self.key.as_str())?;
        let description = self.description.map(fold).unwrap_or_default();
        if !description.is_empty() {
            push(&mut account, "26-02", &description)?;
        }
        let mut additional = String::new();
        push(&mut additional, "62-05", self.txid.unwrap_or(NO_TXID))?;

        let mut code = String::new();
        push(&mut code, "00", "01")?;
        if self.once {
            push(&mut code, "01", "12")?;
        }
        push(&mut code, "26", &account)?;
        push(&mut code, "52", "0000")?;
        push(&mut code, "53", "986")?;
        if let Some(amount) = self.amount {
            if !payable(amount) {
                return Err(Problem::Amount);
            }
            push(&mut code, "54", &written(amount))?;
        }
        push(&mut code, "58", "BR")?;
        push(&mut code, "59", &fold(self.name))?;
        push(&mut code, "60", &fold(self.city))?;
        push(&mut code, "62", &additional)?;
        code.push_str("6304");
        let crc = crc16(&code);
        code.push_str(&format!("{crc:04X}"));
        match code.chars().count() {
            ..=MAX_CODE => Ok(code),
            found => Err(Problem::TooLong(found)),
        }
    }

    /// What is outside of the manuals' limits.
    fn problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        check_length(&mut problems, "59", &fold(self.name), MAX_NAME);
        check_length(&mut problems, "60", &fold(self.city), MAX_CITY);
        check_txid(&mut problems, self.txid.unwrap_or(NO_TXID));
        if let Some(amount) = self.amount {
            if !payable(amount) {
                problems.push(Problem::Amount);
            }
            check_length(&mut problems, "54", &written(amount), MAX_AMOUNT);
        }
        problems
    }
}

fn has_length(problems: &[Problem], of: &str) -> bool {
    let is_it =
        |problem: &Problem| matches!(problem, Problem::Length { field, .. } if *field == of);
    problems.iter().any(is_it)
}

/// Above zero, with at most two decimals.
fn payable(amount: Decimal) -> bool {
    amount > Decimal::ZERO && amount.normalize().scale() <= 2
}

/// An amount with two decimals and a point.
fn written(amount: Decimal) -> String {
    format!("{amount:.2}")
}
