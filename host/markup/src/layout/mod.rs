//! Official layouts as dated tables, and the one engine that writes,
//! validates and reads documents by them.
//!
//! A [`Layout`] is a compiled set of official XSDs under a name:
//!
//! | name | roots |
//! | --- | --- |
//! | `nfe-010b`, `nfe-010d`, `nfe-010e`, `nfe-010f` | `NFe`, `nfeProc`, `enviNFe`, `retEnviNFe` |
//! | `consReciNFe-4.00` | `consReciNFe`, `retConsReciNFe` |
//! | `consSitNFe-4.00` | `consSitNFe`, `retConsSitNFe` |
//! | `consStatServ-4.00` | `consStatServ`, `retConsStatServ` |
//! | `consCad-2.00` | `ConsCad`, `retConsCad` |
//! | `inutNFe-4.00` | `inutNFe`, `retInutNFe`, `ProcInutNFe` |
//! | `inutNFe-4.00-MT` | `inutNFe` as Mato Grosso takes it |
//! | `distDFeInt-1.01` | `distDFeInt`, `retDistDFeInt`, `resNFe`, `resEvento` |
//! | `evento-NNNNNN` | `evento`, `envEvento`, `retEnvEvento`, `procEventoNFe` with that event's `detEvento`: 110001, 110110 to 110112, 110130, 110131, 110140, 110150, 110192, 110193, 110750, 110751, 111500 to 111503, 112110 to 112150, 2102x0, 211110 to 211150, 212110, 212120, 411500 to 411503, 412120, 412130 |
//! | `evento` | the same with any `detEvento` |
//! | `cte-4.00` | `CTe`, `cteProc`, `retCTe`, and the groups of the modals, of which `infModal` takes one |
//! | `consSitCTe-4.00` | `consSitCTe` |
//! | `consStatServCTe-4.00` | `consStatServCTe`, `retConsStatServCTe` |
//! | `eventoCTe-NNNNNN` | `eventoCTe`, `retEventoCTe`, `procEventoCTe` with that event's group in `detEvento`: 110110, 110111, 110113 |
//! | `eventoCTe` | the same with any `detEvento` |
//! | `mdfe-3.00` | `MDFe`, `mdfeProc`, and the groups of the modals, of which `infModal` takes one |
//! | `consSitMDFe-3.00` | `consSitMDFe` |
//! | `consStatServMDFe-3.00` | `consStatServMDFe`, `retConsStatServMDFe` |
//! | `consMDFeNaoEnc-3.00` | `consMDFeNaoEnc`, `retConsMDFeNaoEnc` |
//! | `eventoMDFe-NNNNNN` | `eventoMDFe`, `retEventoMDFe`, `procEventoMDFe` with that event's group in `detEvento`: 110111, 110112, 110114, 110115 |
//! | `eventoMDFe` | the same with any `detEvento` |
//! | `evtInfoContrib-1.0.1` and six more of `evt…`, `envioLoteDere-1.0.1` | `DeRE`: an event of the DeRE, layout 1.2.0, each in its own namespace, and the batch of them |
//! | `nfse-1.01` | `DPS`, `NFSe`, `pedRegEvento`, `evento` of the national NFS-e |
//!
//! Verdicts are those of libxml2 on the official XSDs (`tests/layouts`), but:
//! what `infModal` and `detEvento` of a CT-e or MDF-e hold is judged by the file
//! of its own; `xsi:type` may only name a type that some element is of; a DTD,
//! more than 64 levels, 64 attributes or 8 MiB are refused, as everywhere in
//! [`crate::xml`]; blanks around an `xs:int` count for nothing, as around other
//! numbers, where libxml2 refuses them; and alternatives of counted classes, such as
//! `[0-9]{2}|[0-9]{8}`, are judged by the letter of XSD part 2 where libxml2
//! miscounts (it takes 9 digits for that one).

mod catalogue;
pub mod compile;
mod error;
mod glushkov;
mod json;
mod judge;
pub mod lexical;
pub mod pattern;
mod phrases;
mod structure;
mod table;
mod text;
mod validate;
mod walk;
mod write;

use std::sync::OnceLock;

use serde_json::Value;
use time::Date;

pub use catalogue::Edition;
pub use error::LayoutError;
pub use text::normalize_text;
pub use write::{Signed, Written};

use crate::tree::Node;
use crate::xml::Document;
use table::Table;

/// One compiled layout. Made once, lives as long as the program.
#[derive(Debug)]
pub struct Layout {
    name: &'static str,
    text: &'static str,
    table: OnceLock<Option<Table>>,
}

impl Layout {
    /// Package of NF-e/NFC-e in force in production on an emission date.
    /// Dates before the oldest package get the oldest.
    pub fn nfe(data: Date) -> &'static Layout {
        catalogue::nfe(data)
    }

    /// The same by the calendar of the homologation environment.
    pub fn nfe_homologacao(data: Date) -> &'static Layout {
        catalogue::nfe_homologacao(data)
    }

    /// The packages of NF-e and NFC-e, by their days.
    pub fn nfe_editions() -> &'static [Edition] {
        &catalogue::NFE
    }

    /// A layout by its name.
    pub fn get(name: &str) -> Option<&'static Layout> {
        catalogue::get(name)
    }

    /// Names of all layouts, sorted.
    pub fn names() -> impl Iterator<Item = &'static str> {
        catalogue::names()
    }

    /// Name of the layout, as in [`Layout::names`].
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The compiled table as text, as in the folder `layouts`.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Patterns of the table that do not compile and so accept nothing; none in
    /// a good table.
    ///
    /// # Errors
    /// A sentence in English with the line: the table's text does not read.
    pub fn bad_patterns(&self) -> Result<Vec<&'static str>, String> {
        Table::read(self.text).map(|table| table.bad_patterns())
    }

    /// Every error of a document, the most useful first; none means that the
    /// official XSD accepts it.
    pub fn validate(&self, xml: &str) -> Vec<LayoutError> {
        match self.table() {
            Some(table) => validate::validate(table, xml),
            None => vec![LayoutError::without_table(self.name)],
        }
    }

    /// The table; none only if its text is broken, which a test excludes.
    fn table(&self) -> Option<&Table> {
        self.table
            .get_or_init(|| Table::read(self.text).ok())
            .as_ref()
    }

    /// The same before the signature: a missing `Signature` is no error.
    pub fn validate_without_signature(&self, xml: &str) -> Vec<LayoutError> {
        let mut errors = self.validate(xml);
        errors.retain(|error| !(error.regra == error::rule::MANDATORY && error.of_signature()));
        errors
    }

    /// Writes canonical XML (C14N 1.0) in the official order, without signature.
    /// Values are not judged: that is [`Layout::validate`].
    ///
    /// # Errors
    /// A root the layout does not know, members that it has no place for, a
    /// group where a value belongs, characters that XML does not admit.
    pub fn write(&self, root: &Node) -> Result<Written, Vec<LayoutError>> {
        write::write(self.table_or_error()?, root)
    }

    /// Writes as [`Layout::write`] and judges as
    /// [`Layout::validate_without_signature`]: in one walk where nothing is wrong,
    /// by those two where something is.
    ///
    /// # Errors
    /// As [`Layout::write`]: there is no text to be judged.
    pub fn validate_and_write(
        &self,
        root: &Node,
    ) -> Result<(Written, Vec<LayoutError>), Vec<LayoutError>> {
        if let Some(written) = judge::write(self.table_or_error()?, root) {
            return Ok((written, Vec::new()));
        }
        let written = self.write(root)?;
        let errors = self.validate_without_signature(&written.xml);
        Ok((written, errors))
    }

    /// Does [`Layout::validate_and_write`] know in one walk that nothing is wrong? Tests hold
    /// this against the two walks.
    pub fn accepts_while_writing(&self, root: &Node) -> Option<Written> {
        judge::write(self.table()?, root)
    }

    /// The document as JSON with official names: values are texts, attributes
    /// have `@` before their name, what may repeat is a list.
    pub fn to_json(&self, doc: &Document<'_>) -> Value {
        self.table()
            .map_or(Value::Null, |table| json::to_json(table, doc))
    }

    /// A tree from JSON with official names, which [`Layout::write`] puts into
    /// the official order. Attributes as `"@Id"` or `"Id"`; numbers get the
    /// decimal places the layout wants; `null` is absence. `root` may be any
    /// element of the layout.
    ///
    /// # Errors
    /// Members the layout does not know, values of the wrong shape.
    pub fn from_json(&self, root: &str, value: &Value) -> Result<Node, Vec<LayoutError>> {
        json::from_json(self.table_or_error()?, root, value)
    }

    fn table_or_error(&self) -> Result<&Table, Vec<LayoutError>> {
        self.table()
            .ok_or_else(|| vec![LayoutError::without_table(self.name)])
    }
}
