//! The note under examination, by official names, and what is read of any
//! document that is examined.

use std::borrow::Cow;

use rust_decimal::Decimal;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};

use crate::nfe::reading::ReadingError;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{child, nota_of};
use markup::xml::{Document, Element};

/// What a document is called in sentences, in pt-BR.
#[derive(Clone, Copy, Debug)]
pub struct Called {
    /// `a nota`.
    pub it: &'static str,
    /// `da nota`.
    pub of: &'static str,
}

/// An NF-e or NFC-e in sentences.
pub const A_NOTE: Called = Called {
    it: "a nota",
    of: "da nota",
};

pub(in super::super) struct Nota<'d> {
    pub nfe: Element<'d>,
    pub inf: Element<'d>,
    /// Day of emission, or today.
    pub day: Date,
    /// Rules of that day.
    pub regras: Regras,
    pub items: Vec<Item<'d>>,
}

/// One `det`.
pub(in super::super) struct Item<'d> {
    /// `infNFe/det[3]`.
    pub caminho: String,
    pub det: Element<'d>,
    pub prod: Option<Element<'d>>,
    pub tax: Option<Element<'d>>,
    /// The group inside of `ICMS`.
    pub icms: Option<Element<'d>>,
}

impl<'d> Nota<'d> {
    pub fn of(doc: &'d Document<'d>, today: Date) -> Result<Nota<'d>, ReadingError> {
        let nfe = nota_of(doc)?;
        let inf = child(nfe, "infNFe").ok_or(ReadingError::Absent("infNFe"))?;
        let items = inf
            .children()
            .filter(|element| element.name() == "det")
            .enumerate()
            .map(|(position, det)| Item::of(position + 1, det))
            .collect();
        let mut nota = Nota {
            nfe,
            inf,
            day: today,
            regras: Regras::Reforma,
            items,
        };
        if let Some(at) = nota.moment(&["ide", "dhEmi"]) {
            nota.day = at.date();
        }
        let homologacao = nota.text(&["ide", "tpAmb"]).as_deref() == Some("2");
        nota.regras = Regras::at(nota.day, homologacao);
        Ok(nota)
    }

    /// Text at a path below `infNFe`; none where it is empty.
    pub fn text(&self, caminho: &[&str]) -> Option<Cow<'d, str>> {
        text(self.inf, caminho)
    }

    pub fn moment(&self, caminho: &[&str]) -> Option<OffsetDateTime> {
        moment(&self.text(caminho)?)
    }

    pub fn model(&self) -> u8 {
        match self.text(&["ide", "mod"]).as_deref() {
            Some("65") => 65,
            _ => 55,
        }
    }

    /// Whether `ide/finNFe` is one of these.
    pub fn purpose(&self, which: &[&str]) -> bool {
        self.text(&["ide", "finNFe"])
            .is_some_and(|purpose| which.contains(&&*purpose))
    }
}

impl<'d> Item<'d> {
    fn of(position: usize, det: Element<'d>) -> Item<'d> {
        let tax = det.child("imposto");
        Item {
            caminho: format!("infNFe/det[{position}]"),
            det,
            prod: det.child("prod"),
            tax,
            icms: tax
                .and_then(|tax| tax.child("ICMS"))
                .and_then(|icms| icms.children().next()),
        }
    }

    /// Text of a member of `prod`.
    pub fn prod(&self, name: &str) -> Option<Cow<'d, str>> {
        text(self.prod?, &[name])
    }

    /// Amount of a member of `prod`; zero where absent.
    pub fn value(&self, name: &str) -> Option<Decimal> {
        self.prod
            .map_or(Some(Decimal::ZERO), |prod| value(prod, &[name]))
    }

    /// Amount below `imposto`.
    pub fn tax(&self, caminho: &[&str]) -> Option<Decimal> {
        self.tax
            .map_or(Some(Decimal::ZERO), |tax| value(tax, caminho))
    }

    /// Amount in the group inside of `ICMS`.
    pub fn icms(&self, name: &str) -> Option<Decimal> {
        self.icms
            .map_or(Some(Decimal::ZERO), |icms| value(icms, &[name]))
    }

    /// Amount in the group inside of `PIS` or `COFINS`.
    pub fn contribution(&self, tax: &str, name: &str) -> Option<Decimal> {
        let group = self
            .tax
            .and_then(|all| all.child(tax))
            .and_then(|tax| tax.children().next());
        group.map_or(Some(Decimal::ZERO), |group| value(group, &[name]))
    }

    /// A service, taxed by ISSQN.
    pub fn is_service(&self) -> bool {
        self.tax.is_some_and(|tax| tax.child("ISSQN").is_some())
    }

    /// `indTot` 1.
    pub fn composes_total(&self) -> bool {
        self.prod("indTot").as_deref() == Some("1")
    }
}

/// Text at a path; none where there is none or it is empty.
pub fn text<'d>(element: Element<'d>, caminho: &[&str]) -> Option<Cow<'d, str>> {
    element.text_at(caminho).filter(|text| !text.is_empty())
}

/// Amount at a path: zero where absent, none where it is no amount (which the
/// schema tells) or of a size sums cannot take.
pub fn value(element: Element<'_>, caminho: &[&str]) -> Option<Decimal> {
    match text(element, caminho) {
        None => Some(Decimal::ZERO),
        Some(text) => number(&text),
    }
}

/// A decimal number of a size that sums can take.
pub fn number(text: &str) -> Option<Decimal> {
    const LIMIT: i64 = 1_000_000_000_000_000;
    if text.len() > 28 {
        return None;
    }
    let number: Decimal = text.parse().ok()?;
    (number.abs() < Decimal::from(LIMIT)).then_some(number)
}

/// A moment with its offset.
pub fn moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// `1.234,50` for people.
pub fn reais(value: Decimal) -> String {
    let text = format!("{:.2}", value.abs());
    let (integers, cents) = text.split_once('.').unwrap_or((&text, "00"));
    let mut output = String::new();
    for (position, numeral) in integers.chars().enumerate() {
        if position > 0 && (integers.len() - position) % 3 == 0 {
            output.push('.');
        }
        output.push(numeral);
    }
    let sign = if value.is_sign_negative() && !value.is_zero() {
        "-"
    } else {
        ""
    };
    format!("R$ {sign}{output},{cents}")
}
