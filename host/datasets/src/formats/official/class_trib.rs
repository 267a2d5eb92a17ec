//! The workbook of the NF-e portal with CST and cClassTrib of IBS and CBS
//! (IT 2025.002): a sheet of each, columns by name.

use super::fields::{
    Column, Places, day, digits, line, mark, optional, plain, rate, required, told,
};
use super::item;
use crate::ImportError;
use crate::formats::{Columns, Item, Label, Options};
use data::search::fold;
use std::collections::BTreeSet;

/// Behind code and description stand the groups, in the order of the embedded table.
const OF_CST: [Column; 10] = [
    required(&["cstibscbs"]),
    required(&["descricaocstibscbs"]),
    required(&["indgibscbs"]),
    required(&["indgibscbsmono"]),
    required(&["indgred"]),
    required(&["indgdif"]),
    required(&["indgtransfcred"]),
    required(&["indgcredpresibszfm"]),
    required(&["indgajustecompet"]),
    required(&["indredutorbc"]),
];
/// From the eighth on marks of groups, in the order of the embedded table. Columns that
/// came or went between versions of the workbook may be missing.
const OF_CLASS: [Column; 22] = [
    required(&["cclasstrib"]),
    required(&["nomecclasstrib"]),
    required(&["lc21425", "lc2142025"]),
    required(&["tipodealiquota"]),
    required(&["predibs"]),
    required(&["predcbs"]),
    optional(&["tprbsn"]),
    required(&["dinivig"]),
    required(&["dfimvig"]),
    optional(&["dataatualizacao"]),
    required(&["indgtribregular"]),
    required(&["indgcredpresoper"]),
    required(&["indgmonopadrao"]),
    required(&["indgmonoreten"]),
    required(&["indgmonoret"]),
    optional(&["indgmonodif"]),
    optional(&["indgpbiodiferenca"]),
    required(&["indgestornocred"]),
    required(&["indnfe"]),
    required(&["indnfce"]),
    required(&["indcte"]),
    required(&["indnfse"]),
];
/// Where the marks of groups begin in `OF_CLASS`, and those of documents.
const GROUPS: usize = 10;
const DOCUMENTS: usize = 18;

#[derive(Default)]
pub(super) struct Format {
    places: Places,
    /// The sheet that is being read is that of cClassTrib.
    classes: bool,
    /// CST that are there, and that classifications name.
    known: BTreeSet<String>,
    named: BTreeSet<String>,
    given: Option<String>,
    today: String,
    /// The newest day of a row.
    updated: String,
}

impl Format {
    pub(super) fn new(options: &Options) -> Format {
        Format {
            given: options.date.clone(),
            today: options.today.clone(),
            ..Format::default()
        }
    }

    fn cst(&mut self, fields: &[&str]) -> Result<Item, String> {
        let field = |column| self.places.field(fields, column);
        // Notes stand below the rows, without a code.
        if field(0).is_empty() {
            return Ok(Item::Skipped);
        }
        let code = digits("CST-IBS/CBS", field(0), 3)?;
        let mut columns = vec![code.clone()];
        for (column, named) in OF_CST.iter().enumerate().skip(2) {
            let name = named.names.first().copied().unwrap_or_default();
            columns.push(mark(name, field(column))?);
        }
        columns.push(told("Descrição CST-IBS/CBS", field(1))?);
        self.known.insert(code);
        item("cst_ibs_cbs", &columns)
    }

    fn class(&mut self, fields: &[&str]) -> Result<Item, String> {
        let field = |column| self.places.field(fields, column);
        if field(0).is_empty() {
            return Ok(Item::Skipped);
        }
        let code = digits("cClassTrib", field(0), 6)?;
        let mut columns = vec![code.clone(), kind(field(3))?.to_owned()];
        for (column, name) in [(4, "pRedIBS"), (5, "pRedCBS")] {
            columns.push(match field(column) {
                "" => "0".to_owned(),
                percent => rate(name, percent, 100)?,
            });
        }
        let marks = |from: usize, until: usize, columns: &mut Vec<String>| {
            for (column, named) in OF_CLASS.iter().enumerate().take(until).skip(from) {
                let name = named.names.first().copied().unwrap_or_default();
                columns.push(mark(name, field(column))?);
            }
            Ok::<(), String>(())
        };
        marks(GROUPS, DOCUMENTS, &mut columns)?;
        let income = match field(6) {
            "" => "0",
            income => income.strip_suffix(".0").unwrap_or(income),
        };
        if income.len() != 1 || !income.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("tpRBSN is no digit".to_owned());
        }
        columns.push(income.to_owned());
        columns.push(day("dIniVig", field(7))?);
        columns.push(day("dFimVig", field(8))?);
        marks(DOCUMENTS, OF_CLASS.len(), &mut columns)?;
        columns.push(line("LC 214/25", field(2))?);
        columns.push(told("Nome cClassTrib", field(1))?);
        let updated = day("DataAtualização", field(9))?;
        if updated > self.updated {
            self.updated = updated;
        }
        self.named.insert(code.chars().take(3).collect());
        item("class_trib", &columns)
    }
}

impl Columns for Format {
    fn is_header(&self, names: &[String]) -> bool {
        Places::fit(names, &OF_CLASS) || Places::fit(names, &OF_CST)
    }

    fn header(
        &mut self,
        file: &str,
        header: &[String],
        _: &Options,
    ) -> Result<String, ImportError> {
        self.classes = header.iter().any(|name| plain(name) == "cclasstrib");
        self.places = match self.classes {
            true => Places::of(file, header, &OF_CLASS)?,
            false => Places::of(file, header, &OF_CST)?,
        };
        Ok(String::new())
    }

    fn row(&mut self, fields: &[&str]) -> Result<Item, String> {
        match self.classes {
            true => self.class(fields),
            false => self.cst(fields),
        }
    }

    fn gathered(&mut self) -> Result<Vec<Item>, String> {
        if self.known.is_empty() || self.named.is_empty() {
            return Err("lacks the sheet of CST or that of cClassTrib".to_owned());
        }
        match self.named.difference(&self.known).next() {
            Some(cst) => Err(format!("CST {cst} of a cClassTrib is not in its sheet")),
            None => Ok(Vec::new()),
        }
    }

    fn label(&mut self) -> Label {
        let updated = Some(&self.updated).filter(|day| !day.is_empty());
        let version = self.given.as_ref().or(updated).unwrap_or(&self.today);
        Label {
            version: version.clone(),
            ..Label::default()
        }
    }
}

/// The mark of the embedded table for where a rate comes from.
fn kind(text: &str) -> Result<&'static str, String> {
    let text = fold(text);
    Ok(
        match text.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["padrao", ..] => "p",
            ["uniforme", "setorial", ..] => "s",
            ["uniforme", "nacional", ..] => "n",
            ["fixa", ..] => "f",
            ["sem", "aliquota", ..] => "-",
            _ => return Err("Tipo de Alíquota is none of those that are known".to_owned()),
        },
    )
}
