//! The operator's list of products: columns by name, any order, `;`, `,` or tab.

use super::{Columns, Item, Label, Options};
use crate::ImportError;
use crate::catalog::product::Product;
use rust_decimal::Decimal;
use tools::barcode::Barcode;

/// Columns there may be; the first two must be.
const COLUMNS: [&str; 11] = [
    "gtin",
    "nome",
    "marca",
    "ncm",
    "cest",
    "unidade",
    "imagem_url",
    "peso_kg",
    "altura_cm",
    "largura_cm",
    "profundidade_cm",
];
const REQUIRED: usize = 2;
const NAME_CHARS: usize = 200;
const TEXT_CHARS: usize = 500;

pub(super) struct Format {
    /// The place of each of `COLUMNS` in the file.
    places: [Option<usize>; COLUMNS.len()],
    today: String,
}

impl Format {
    pub(super) fn new(today: &str) -> Format {
        Format {
            places: [None; COLUMNS.len()],
            today: today.to_owned(),
        }
    }
}

impl Columns for Format {
    fn header(
        &mut self,
        file: &str,
        header: &[String],
        _: &Options,
    ) -> Result<String, ImportError> {
        let known = COLUMNS.join(", ");
        if let Some(other) = header.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
            return Err(ImportError::of(
                file,
                format!("its header has {other:?}; columns are {known}"),
            ));
        }
        for (place, name) in self.places.iter_mut().zip(COLUMNS) {
            *place = header.iter().position(|column| column == name);
        }
        if self.places.iter().take(REQUIRED).any(Option::is_none) {
            return Err(ImportError::of(
                file,
                format!("its header lacks gtin or nome; columns are {known}"),
            ));
        }
        Ok(String::new())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        let field = |name: &str| {
            let column = COLUMNS.iter().position(|column| *column == name);
            let place = column.and_then(|column| self.places.get(column).copied().flatten());
            place
                .and_then(|place| fields.get(place))
                .copied()
                .unwrap_or_default()
        };
        let barcode = Barcode::parse(field("gtin")).map_err(|error| format!("gtin: {error}"))?;
        if barcode.is_restricted() {
            return Err(
                "gtin: a number of a shop, which means another product elsewhere".to_owned(),
            );
        }
        let name = short("nome", field("nome"), NAME_CHARS)?;
        if name.is_empty() {
            return Err("nome is empty".to_owned());
        }
        let product = Product {
            gtin: barcode.as_str().to_owned(),
            name,
            brand: short("marca", field("marca"), NAME_CHARS)?,
            ncm: code("ncm", field("ncm"), 8)?,
            cest: code("cest", field("cest"), 7)?,
            unit: short("unidade", field("unidade"), 6)?,
            image_url: address(field("imagem_url"))?,
            weight_kg: amount("peso_kg", field("peso_kg"))?,
            height_cm: amount("altura_cm", field("altura_cm"))?,
            width_cm: amount("largura_cm", field("largura_cm"))?,
            depth_cm: amount("profundidade_cm", field("profundidade_cm"))?,
        };
        Ok(Item::Product {
            gtin: number(&barcode),
            product: Box::new(product),
        })
    }

    fn label(&mut self) -> Label {
        Label {
            version: self.today.clone(),
            ..Label::default()
        }
    }
}

/// The GTIN-14 as a number.
pub(super) fn number(barcode: &Barcode) -> i64 {
    barcode.gtin14().parse().unwrap_or_default()
}

fn short(column: &str, text: &str, most: usize) -> Result<String, String> {
    if text.chars().count() > most {
        return Err(format!("{column} is longer than {most} characters"));
    }
    Ok(text.to_owned())
}

/// A code of so many digits, its points left out; empty where there is none.
fn code(column: &str, text: &str, digits: usize) -> Result<String, String> {
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | ' '))
        .collect();
    let fits = plain.is_empty()
        || plain.len() == digits && plain.bytes().all(|byte| byte.is_ascii_digit());
    if fits {
        Ok(plain)
    } else {
        Err(format!("{column} has not {digits} digits"))
    }
}

/// The address of a picture: `https` alone, because pages show it.
fn address(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with("https://") && text.len() <= TEXT_CHARS {
        return Ok(text.to_owned());
    }
    Err("imagem_url does not begin with https://, or is too long".to_owned())
}

/// A positive number, with point or comma.
fn amount(column: &str, text: &str) -> Result<Option<Decimal>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number: Option<Decimal> = text.replace(',', ".").parse().ok();
    let fits = |number: &Decimal| !number.is_sign_negative() && *number < Decimal::from(100_000);
    number
        .filter(fits)
        .map(Some)
        .ok_or_else(|| format!("{column} is no number"))
}
