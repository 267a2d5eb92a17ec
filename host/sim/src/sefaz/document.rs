//! A note, a CT-e or an MDF-e as the rules read it.

use rust_decimal::Decimal;

use super::family::{Family, NFE};
use super::soap::alone;
use crate::documents::abbreviation_of;
use crate::xml::{Element, parse};

/// A document taken out of its batch, or alone.
pub(super) struct Dfe {
    /// The document alone.
    pub text: String,
    pub root: Element,
    pub family: &'static Family,
}

impl Dfe {
    /// The document of an element; `None` when it has no signed part.
    pub fn from(family: &'static Family, batch: &str, element: &Element) -> Option<Self> {
        let text = alone(element.source(batch), element);
        let root = parse(&text).ok()?;
        root.child(family.inf)?;
        Some(Self { text, root, family })
    }

    /// The note of a text that was read already.
    pub fn note(text: String, root: Element) -> Self {
        let family = &NFE;
        Self { text, root, family }
    }

    /// The signed part: `infNFe`, `infCte`, `infMDFe`.
    pub fn inf(&self) -> &Element {
        self.root.child(self.family.inf).unwrap_or(&self.root)
    }

    /// Text at a path below the signed part; empty when absent.
    pub fn t(&self, path: &str) -> String {
        self.inf().text_at(path).unwrap_or_default()
    }

    /// Number at a path below it; zero when absent.
    pub fn n(&self, path: &str) -> Decimal {
        number(self.inf(), path)
    }

    pub fn has(&self, path: &str) -> bool {
        self.inf().at(path).is_some()
    }

    /// The key of the attribute `Id`; empty without the literal before it.
    pub fn chave(&self) -> String {
        self.inf()
            .attr("Id")
            .and_then(|id| id.strip_prefix(self.family.name))
            .unwrap_or_default()
            .to_owned()
    }

    pub fn model(&self) -> String {
        self.t("ide/mod")
    }

    /// CNPJ or CPF of the issuer.
    pub fn emitter(&self) -> String {
        document(self.inf().child("emit"))
    }

    /// Its number, without leading zeros.
    pub fn number(&self) -> u64 {
        let number = self.t(&format!("ide/{}", self.family.number));
        number.parse().unwrap_or(0)
    }

    /// CNPJ or CPF of the recipient, empty for a foreigner or nobody.
    pub fn recipient(&self) -> String {
        document(self.inf().child("dest"))
    }

    /// Sigla of the issuer's state, from `ide/cUF`.
    pub fn uf(&self) -> &'static str {
        abbreviation_of(&self.t("ide/cUF")).unwrap_or_default()
    }

    pub fn items(&self) -> impl Iterator<Item = &Element> {
        self.inf().elements().filter(|e| e.name == "det")
    }

    pub fn nfce(&self) -> bool {
        self.model() == "65"
    }

    /// Carrier and those the issuer names, without the recipient.
    pub fn interested(&self) -> Vec<String> {
        let carrier = document(self.inf().at("transp/transporta"));
        let mut list: Vec<String> = self
            .inf()
            .elements()
            .filter(|e| e.name == "autXML")
            .map(|e| document(Some(e)))
            .chain([carrier])
            .filter(|d| !d.is_empty())
            .collect();
        list.sort();
        list.dedup();
        list
    }
}

/// CNPJ or CPF directly in an element.
pub(super) fn document(element: Option<&Element>) -> String {
    element
        .and_then(|e| e.text_at("CNPJ").or_else(|| e.text_at("CPF")))
        .unwrap_or_default()
}

/// Number at a path of an element; zero when absent or no number.
pub(super) fn number(element: &Element, path: &str) -> Decimal {
    element
        .text_at(path)
        .and_then(|t| t.parse().ok())
        .unwrap_or_default()
}

/// First child of a group whose name varies: `ICMS/ICMS00`, `PIS/PISAliq`.
pub(super) fn only(element: &Element, path: &str) -> Option<Element> {
    element.at(path)?.elements().next().cloned()
}
