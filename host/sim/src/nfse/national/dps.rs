//! A DPS as the rules and the note need it.

use rust_decimal::Decimal;

use super::package;
use crate::xml::{Element, parse};

/// Namespace of the national layout.
pub(super) const NS: &str = "http://www.sped.fazenda.gov.br/nfse";

/// The group `infDPS` with short ways to its fields.
pub(super) struct Dps<'a> {
    pub inf: &'a Element,
    pub version: &'a str,
}

impl<'a> Dps<'a> {
    pub fn of(root: &'a Element) -> Option<Self> {
        Some(Self {
            inf: root.child("infDPS")?,
            version: root.attr("versao").unwrap_or_default(),
        })
    }

    pub fn text(&self, path: &str) -> Option<String> {
        self.inf.text_at(path)
    }

    /// Text, empty when absent.
    pub fn get(&self, path: &str) -> String {
        self.text(path).unwrap_or_default()
    }

    pub fn has(&self, path: &str) -> bool {
        self.inf.at(path).is_some()
    }

    /// Amount; zero when absent. The structure was checked before.
    pub fn money(&self, path: &str) -> Decimal {
        self.amount(path).unwrap_or_default()
    }

    pub fn amount(&self, path: &str) -> Option<Decimal> {
        self.text(path).and_then(|t| t.parse().ok())
    }

    pub fn id(&self) -> &'a str {
        self.inf.attr("Id").unwrap_or_default()
    }

    /// CNPJ or CPF in a group.
    pub fn document(&self, group: &str) -> Option<String> {
        self.text(&format!("{group}/CNPJ"))
            .or_else(|| self.text(&format!("{group}/CPF")))
    }

    pub fn provider(&self) -> String {
        self.document("prest").unwrap_or_default()
    }

    /// 1 none, 2 MEI, 3 ME/EPP.
    pub fn simples(&self) -> String {
        self.get("prest/regTrib/opSimpNac")
    }

    pub fn special_regime(&self) -> bool {
        self.get("prest/regTrib/regEspTrib") != "0"
    }

    pub fn taxation(&self) -> String {
        self.get("valores/trib/tribMun/tribISSQN")
    }

    /// 1 not withheld, 2 by the customer, 3 by the intermediary.
    pub fn withheld(&self) -> bool {
        self.get("valores/trib/tribMun/tpRetISSQN") != "1"
    }

    /// The `Id` these fields form: 45 positions.
    pub fn expected_id(&self) -> String {
        let document = self.provider();
        let kind = if document.len() == 14 { 2 } else { 1 };
        format!(
            "DPS{}{kind}{:0>14}{:0>5}{:0>15}",
            self.get("cLocEmi"),
            document,
            self.get("serie"),
            self.get("nDPS")
        )
    }
}

/// The provider's document in a request body, if it can be read.
pub(super) fn provider(body: &[u8]) -> Option<String> {
    let xml = package::open(body, "dpsXmlGZipB64").ok()?;
    let root = parse(&xml).ok()?;
    Dps::of(&root)?.document("prest")
}

/// True when a prefix is used on an element or declared anywhere (rule E1228).
pub(super) fn uses_prefix(element: &Element) -> bool {
    !element.prefix.is_empty()
        || element.declared.iter().any(|(p, _)| !p.is_empty())
        || element.elements().any(uses_prefix)
}
