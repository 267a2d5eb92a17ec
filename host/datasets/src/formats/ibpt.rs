//! The table of the IBPT: approximate taxes of Lei 12.741/2012, one file for each
//! state (`TabelaIBPTaxSP24.2.A.csv`), Latin-1, `;`.

use super::{Columns, Item, Label, Options};
use crate::ImportError;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use time::{Date, Month};

/// Columns of the file, in its order.
const HEADER: [&str; 13] = [
    "codigo",
    "ex",
    "tipo",
    "descricao",
    "nacionalfederal",
    "importadosfederal",
    "estadual",
    "municipal",
    "vigenciainicio",
    "vigenciafim",
    "chave",
    "versao",
    "fonte",
];
/// What the names of the official files begin with.
const FILE: &str = "TABELAIBPTAX";
/// Largest rate, percent: more is a decimal sign that was lost.
const MOST_PERCENT: u32 = 1_000;

/// What a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    Ncm,
    Nbs,
    /// An item of the list of LC 116/2003.
    Service,
}

impl CodeKind {
    /// By the column `tipo`.
    pub fn of(digit: &str) -> Option<CodeKind> {
        Some(match digit {
            "0" => CodeKind::Ncm,
            "1" => CodeKind::Nbs,
            "2" => CodeKind::Service,
            _ => return None,
        })
    }

    /// By how a code looks: eight digits, nine, or the four of a service.
    pub fn of_code(code: &str) -> Option<CodeKind> {
        let digits = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
        match code.len() {
            8 if digits => Some(CodeKind::Ncm),
            9 if digits => Some(CodeKind::Nbs),
            3 | 4 if digits => Some(CodeKind::Service),
            _ => None,
        }
    }

    /// The word of the API.
    pub fn name(self) -> &'static str {
        match self {
            CodeKind::Ncm => "ncm",
            CodeKind::Nbs => "nbs",
            CodeKind::Service => "lc116",
        }
    }
}

/// A row as it is stored. Rates are percent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    pub description: String,
    pub federal_national: Decimal,
    pub federal_imported: Decimal,
    pub state: Decimal,
    pub municipal: Decimal,
    /// `AAAA-MM-DD`.
    pub from: String,
    pub until: String,
    /// The key that a document names.
    pub key: String,
    pub version: String,
    /// As the file has it, `IBPT/empresometro.com.br`.
    pub source: String,
}

/// The key of a row: exceptions of the TIPI (`ex`) are two digits or none.
pub fn key(kind: CodeKind, code: &str, ex: &str) -> String {
    let ex = ex.trim_start_matches('0');
    let code = match kind {
        CodeKind::Service => format!("{code:0>4}"),
        _ => code.to_owned(),
    };
    format!("{}/{code}/{ex}", kind.name())
}

#[derive(Default)]
pub(super) struct Format {
    label: Label,
}

impl Columns for Format {
    fn header(
        &mut self,
        file: &str,
        header: &[String],
        options: &Options,
    ) -> Result<String, ImportError> {
        if header != HEADER {
            let wanted = HEADER.join(";");
            return Err(ImportError::of(
                file,
                format!("its header is not that of the IBPT: {wanted}"),
            ));
        }
        let state = match &options.uf {
            Some(uf) => Some(uf.to_ascii_uppercase()),
            None => file
                .to_ascii_uppercase()
                .strip_prefix(FILE)
                .and_then(|rest| rest.get(..2).map(str::to_owned)),
        };
        let state = state.filter(|state| data::ufs::by_uf(state).is_some());
        self.label.scope = state.ok_or_else(|| {
            ImportError::of(
                file,
                "its name does not say the state (TabelaIBPTaxSP24.2.A.csv): add --uf SP",
            )
        })?;
        Ok(self.label.scope.clone())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        let [
            code,
            ex,
            kind,
            description,
            national,
            imported,
            state,
            municipal,
            from,
            until,
            key_text,
            version,
            source,
        ] = <[&str; 13]>::try_from(fields).map_err(|_| "not 13 columns".to_owned())?;
        let kind = CodeKind::of(kind).ok_or("tipo is none of 0, 1, 2")?;
        let is_code =
            !code.is_empty() && code.len() <= 9 && code.bytes().all(|byte| byte.is_ascii_digit());
        if !is_code {
            return Err("codigo is no number".to_owned());
        }
        let rates = Rates {
            description: description.to_owned(),
            federal_national: percent("nacionalfederal", national)?,
            federal_imported: percent("importadosfederal", imported)?,
            state: percent("estadual", state)?,
            municipal: percent("municipal", municipal)?,
            from: day("vigenciainicio", from)?,
            until: day("vigenciafim", until)?,
            key: key_text.to_owned(),
            version: version.to_owned(),
            source: source.to_owned(),
        };
        if rates.until < rates.from {
            return Err("vigenciafim is before vigenciainicio".to_owned());
        }
        if self.label.version.is_empty() {
            self.label.version.clone_from(&rates.version);
        }
        if rates.until > self.label.valid_until {
            self.label.valid_until.clone_from(&rates.until);
        }
        let content = serde_json::to_string(&rates).map_err(|error| error.to_string())?;
        Ok(Item::Code {
            code: key(kind, code, ex),
            content,
        })
    }

    fn label(&mut self) -> Label {
        std::mem::take(&mut self.label)
    }
}

/// A rate, with point or comma.
fn percent(column: &str, text: &str) -> Result<Decimal, String> {
    let number: Option<Decimal> = text.replace(',', ".").parse().ok();
    let fits =
        |number: &Decimal| !number.is_sign_negative() && *number <= Decimal::from(MOST_PERCENT);
    number
        .filter(fits)
        .ok_or_else(|| format!("{column} is no rate"))
}

/// `DD/MM/AAAA` as `AAAA-MM-DD`.
fn day(column: &str, text: &str) -> Result<String, String> {
    let date = || {
        let mut parts = text.split('/');
        let day = parts.next()?.parse().ok()?;
        let month: u8 = parts.next()?.parse().ok()?;
        let year = parts.next()?.parse().ok()?;
        Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
    };
    let date = date().ok_or_else(|| format!("{column} is no day DD/MM/AAAA"))?;
    Ok(date.to_string())
}
