//! Margins of substitution of the states, in a format of this program: no state
//! publishes its table in one that others share (research of 2026-11).

use super::{Columns, Item, Label, Options};
use crate::ImportError;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use time::{Date, Month};

/// Columns of the file, in any order.
const COLUMNS: [&str; 15] = [
    "uf_destino",
    "uf_origem",
    "cest",
    "ncm_prefixo",
    "acordo",
    "mva_original",
    "mva_4",
    "mva_7",
    "mva_12",
    "pauta",
    "reducao_bc",
    "fcp_st",
    "inicio",
    "fim",
    "fonte",
];
/// Any state of origin.
pub(crate) const ANY: &str = "*";
/// Largest margin, percent: more is a decimal sign that was lost.
const MOST_PERCENT: u32 = 10_000;

/// A row as it is stored. Margins and rates are percent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Margin {
    /// A state, or `*`.
    pub origin: String,
    /// Two to eight digits; empty: every NCM of the CEST.
    pub ncm: String,
    /// Convênio, protocolo or law.
    pub agreement: String,
    /// Of internal operations.
    pub original: Option<Decimal>,
    /// Printed by the state for each rate between states.
    pub at_4: Option<Decimal>,
    pub at_7: Option<Decimal>,
    pub at_12: Option<Decimal>,
    /// Price to consumers that the state fixed, reais a unit.
    pub list_price: Option<Decimal>,
    pub reduction: Option<Decimal>,
    pub fcp: Option<Decimal>,
    /// `AAAA-MM-DD`; empty: open.
    pub from: String,
    pub until: String,
    pub source: String,
}

/// The key of the rows of a CEST, or of none, and of a beginning of NCM in a state.
/// Rules without a CEST are looked up by their NCM, too: a state may have thousands.
pub fn key(state: &str, cest: &str, ncm: &str) -> String {
    format!("{state}/{cest}/{ncm}")
}

pub(super) struct Format {
    places: [usize; COLUMNS.len()],
    today: String,
    /// Rows of each key, until the file was read.
    rows: BTreeMap<String, Vec<Margin>>,
}

impl Format {
    pub(super) fn new(today: &str) -> Format {
        Format {
            places: [0; COLUMNS.len()],
            today: today.to_owned(),
            rows: BTreeMap::new(),
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
        for (place, name) in self.places.iter_mut().zip(COLUMNS) {
            let found = header.iter().position(|column| column == name);
            *place = found.ok_or_else(|| {
                let known = COLUMNS.join(";");
                ImportError::of(
                    file,
                    format!("its header lacks {name}; columns are {known}"),
                )
            })?;
        }
        if header.len() != COLUMNS.len() {
            let known = COLUMNS.join(";");
            return Err(ImportError::of(
                file,
                format!("its columns are not {known}"),
            ));
        }
        Ok(String::new())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        let ordered = self
            .places
            .map(|place| fields.get(place).copied().unwrap_or_default());
        let [
            to,
            from,
            cest,
            ncm,
            agreement,
            original,
            at_4,
            at_7,
            at_12,
            list_price,
            reduction,
            fcp,
            begin,
            end,
            source,
        ] = ordered;
        let state = |column: &str, text: &str| {
            let known = data::ufs::by_uf(text);
            known
                .map(|_| ())
                .ok_or_else(|| format!("{column} is no state"))
        };
        state("uf_destino", to)?;
        if from != ANY {
            state("uf_origem", from)?;
        }
        let margin = Margin {
            origin: from.to_owned(),
            ncm: digits("ncm_prefixo", ncm, 2..=8)?,
            agreement: agreement.to_owned(),
            original: percent("mva_original", original)?,
            at_4: percent("mva_4", at_4)?,
            at_7: percent("mva_7", at_7)?,
            at_12: percent("mva_12", at_12)?,
            list_price: percent("pauta", list_price)?,
            reduction: percent("reducao_bc", reduction)?,
            fcp: percent("fcp_st", fcp)?,
            from: day("inicio", begin)?,
            until: day("fim", end)?,
            source: source.to_owned(),
        };
        let cest = digits("cest", cest, 7..=7)?;
        if cest.is_empty() && margin.ncm.is_empty() {
            return Err("neither cest nor ncm_prefixo".to_owned());
        }
        let margins = [
            margin.original,
            margin.at_4,
            margin.at_7,
            margin.at_12,
            margin.list_price,
        ];
        if margins.iter().all(Option::is_none) {
            return Err("no margin and no pauta".to_owned());
        }
        if !margin.until.is_empty() && margin.until < margin.from {
            return Err("fim is before inicio".to_owned());
        }
        let rows = self.rows.entry(key(to, &cest, &margin.ncm)).or_default();
        let same = |row: &Margin| (&row.origin, &row.from) == (&margin.origin, &margin.from);
        if rows.iter().any(same) {
            return Err("this rule is there already; the first one counts".to_owned());
        }
        rows.push(margin);
        Ok(Item::Gathered)
    }

    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        let rows = std::mem::take(&mut self.rows).into_iter();
        let items = rows.map(|(code, rows)| {
            let content = serde_json::to_string(&rows).map_err(|error| error.to_string())?;
            Ok(Item::Code { code, content })
        });
        items.collect()
    }

    fn label(&mut self) -> Label {
        Label {
            version: self.today.clone(),
            ..Label::default()
        }
    }
}

fn digits(
    column: &str,
    text: &str,
    count: std::ops::RangeInclusive<usize>,
) -> Result<String, String> {
    let plain: String = text.chars().filter(|c| *c != '.').collect();
    let fits = plain.is_empty()
        || count.contains(&plain.len()) && plain.bytes().all(|byte| byte.is_ascii_digit());
    if fits {
        Ok(plain)
    } else {
        Err(format!("{column} has not so many digits"))
    }
}

/// A number of percent or reais, with point or comma; none of an empty column.
fn percent(column: &str, text: &str) -> Result<Option<Decimal>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number: Option<Decimal> = text.replace(',', ".").parse().ok();
    let fits =
        |number: &Decimal| !number.is_sign_negative() && *number <= Decimal::from(MOST_PERCENT);
    number
        .filter(fits)
        .map(Some)
        .ok_or_else(|| format!("{column} is no number"))
}

/// `AAAA-MM-DD`, or nothing.
fn day(column: &str, text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    let date = || {
        let mut parts = text.split('-');
        let year = parts.next()?.parse().ok()?;
        let month: u8 = parts.next()?.parse().ok()?;
        let day = parts.next()?.parse().ok()?;
        Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
    };
    let date = date().ok_or_else(|| format!("{column} is no day AAAA-MM-DD"))?;
    Ok(date.to_string())
}
