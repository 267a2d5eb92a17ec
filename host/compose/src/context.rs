//! What is true of the whole note while it is put together, and the lists of
//! what is wrong with it and what should be told.

use crate::arithmetic::{self, TOLERANCE};
use crate::emitter::Emitter;
use crate::frame::{Data, Model};
use data::ufs::Uf;
use fiscal::nfe::order::{
    Destino, Finalidade, IndicadorIe, Number, Pedido, Presenca, TipoOperacao,
};
use markup::field::{Field, Fields};
use markup::layout::normalize_text;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Highest rate of a tax, in percent.
pub const HIGHEST_RATE: u32 = 100;
/// That of the IPI, which cigarettes pay (TIPI, 2402.20.00).
pub const HIGHEST_IPI: u32 = 300;

/// A place in the request; its text is made only when something is wrong there.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    above: Option<&'a Place<'a>>,
    name: &'static str,
    index: Option<usize>,
}

impl<'a> Place<'a> {
    /// The request itself; its text is empty.
    pub const ROOT: Place<'static> = Place {
        above: None,
        name: "",
        index: None,
    };

    /// A member of this place.
    pub fn at(&'a self, name: &'static str) -> Place<'a> {
        Place {
            above: Some(self),
            name,
            index: None,
        }
    }

    /// A member of the request itself.
    pub fn root(name: &'static str) -> Place<'static> {
        Place {
            above: Some(&Place::ROOT),
            name,
            index: None,
        }
    }

    /// An element of a list of the request itself.
    pub fn list(name: &'static str, index: usize) -> Place<'static> {
        Place {
            index: Some(index),
            ..Place::root(name)
        }
    }

    /// Places of what is multiplied, by name: those of amounts are all two, and
    /// none of them is a factor (layout 4.00: `TDec_1104v`, `TDec_0302a04`;
    /// `TDec_1110v` of unit values is as long as any number gets).
    fn decimals(&self) -> Option<u32> {
        match (self.above.map(|above| above.name), self.name) {
            (Some("fornecimentos"), "quantidade") => None,
            (Some("rastreios"), "quantidade") => Some(3),
            (Some("volumes"), "quantidade") => Some(0),
            (Some("devolucao"), "percentual") => Some(2),
            (_, "mva" | "redutor" | "valor_unidade") => Some(4),
            (_, name)
                if ["aliquota", "reducao", "percentual", "quantidade"]
                    .iter()
                    .any(|factor| name.starts_with(factor)) =>
            {
                Some(4)
            }
            _ => None,
        }
    }

    /// Highest rate, by name. Some rates are reais for a unit, and what may be charged of the
    /// selective tax nobody has said yet.
    fn highest(&self) -> Option<u32> {
        match (self.above.map(|above| above.name), self.name) {
            (Some("mono" | "cide" | "is"), _) | (_, "aliquota_unidade") => None,
            (Some("ipi"), "aliquota") => Some(HIGHEST_IPI),
            (_, name) => name.starts_with("aliquota").then_some(HIGHEST_RATE),
        }
    }

    /// An element of a list of this place.
    pub fn n(&'a self, name: &'static str, index: usize) -> Place<'a> {
        Place {
            above: Some(self),
            name,
            index: Some(index),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(above) = self.above.filter(|above| above.above.is_some()) {
            write!(f, "{above}.")?;
        }
        f.write_str(self.name)?;
        match self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

/// Code of a number below zero.
const NEGATIVE: &str = "valor_negativo";

/// Something the customer should know, that does not stop the note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aviso {
    /// Path in the request.
    pub campo: String,
    pub mensagem: String,
}

/// Facts of the note, worked out once.
pub(crate) struct Context<'a> {
    pub request: &'a Pedido,
    pub emitter: &'a Emitter,
    pub given: &'a Data,
    pub fields: Fields,
    pub notices: Vec<Aviso>,
    /// State of the emitter.
    pub uf: &'static Uf,
    /// Sigla of the recipient's state, `EX` abroad; the emitter's without one.
    pub destination_uf: &'static str,
    pub operation: TipoOperacao,
    pub purpose: Finalidade,
    pub presence: Presenca,
    pub destination: Destino,
    pub final_consumer: bool,
    pub ie_indicator: IndicadorIe,
    /// Fill in what tables and profile know.
    pub calcular: bool,
    /// Are the taxes of before the reform asked for?
    pub demands_old: bool,
    /// Official names of the groups the note may not have (rejection 1001).
    pub forbidden: &'static [&'static str],
}

impl Context<'_> {
    pub fn nfce(&self) -> bool {
        self.given.modelo == Model::Nfce
    }

    /// Complements and adjustments carry amounts that no product of base and
    /// rate gives.
    pub fn values_only(&self) -> bool {
        matches!(self.purpose, Finalidade::Complementar | Finalidade::Ajuste)
    }

    /// Does the note carry IBS and CBS alone?
    pub fn only_ibs_cbs(&self) -> bool {
        !self.forbidden.is_empty()
    }

    pub fn forbids(&self, group: &str) -> bool {
        self.forbidden.contains(&group)
    }

    pub fn error(
        &mut self,
        place: Place<'_>,
        codigo: &str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        self.fields
            .add(place.to_string(), codigo, message, correction);
    }

    pub fn missing(&mut self, place: Place<'_>, correction: impl Into<String>) {
        let (name, place) = (place.name, place.to_string());
        // A number that cannot be is not missing.
        let is_told = |last: &Field| last.codigo == NEGATIVE && last.campo == place;
        if !self.fields.0.last().is_some_and(is_told) {
            let message = format!("Falta o campo {name}.");
            self.fields.add(place, "obrigatorio", message, correction);
        }
    }

    pub fn aviso(&mut self, place: Place<'_>, message: impl Into<String>) {
        self.notice_at(place.to_string(), message);
    }

    /// The same at a place that is not in the request.
    pub fn notice_at(&mut self, field: String, message: impl Into<String>) {
        let message = message.into();
        // Said once, at the first place: 990 items are not 990 messages.
        if self.notices.iter().all(|aviso| aviso.mensagem != message) {
            self.notices.push(Aviso {
                campo: field,
                mensagem: message,
            });
        }
    }

    /// A text as the layout takes it, from 1 to `maximo` characters. Empty
    /// counts as absent.
    pub fn text(&mut self, place: Place<'_>, text: Option<&str>, maximum: usize) -> Option<String> {
        let original = text?;
        // Bounds the work on hostile input; the widest field has 5000.
        if original.len() > maximum.saturating_mul(8).saturating_add(64) {
            self.long(place, maximum);
            return None;
        }
        let clean = normalize_text(original);
        if clean.len() != original.len() && lost(original, &clean) {
            self.aviso(
                place,
                "Caracteres que o layout não aceita foram trocados ou retirados do texto.",
            );
        }
        if clean.is_empty() {
            return None;
        }
        if clean.len() > maximum && clean.chars().count() > maximum {
            self.long(place, maximum);
            return None;
        }
        Some(clean)
    }

    fn long(&mut self, place: Place<'_>, maximum: usize) {
        self.error(
            place,
            "tamanho_invalido",
            format!("O texto passa de {maximum} caracteres."),
            "Encurte o texto.",
        );
    }

    /// The same, told when absent.
    pub fn mandatory_text(
        &mut self,
        place: Place<'_>,
        text: Option<&str>,
        maximum: usize,
    ) -> String {
        if text.is_none_or(|text| text.trim().is_empty()) {
            self.missing(place, "Informe o campo.");
            return String::new();
        }
        self.text(place, text, maximum).unwrap_or_default()
    }

    /// Only the digits (and letters) of a code that people punctuate.
    pub fn codigo(&self, text: Option<&str>) -> Option<String> {
        const LONGEST: usize = 60;
        let text = text?;
        // Most come without marks.
        if text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return (!text.is_empty()).then(|| text.to_owned());
        }
        let clean: String = text
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(LONGEST)
            .collect();
        (!clean.is_empty()).then_some(clean)
    }

    /// A number that must come; zero after telling so.
    pub fn number(&mut self, place: Place<'_>, number: Option<Number>) -> Decimal {
        match number {
            Some(number) if !number.is_sign_negative() || number.is_zero() => {
                self.factor(place, *number);
                *number
            }
            Some(_) => {
                self.negative(place);
                Decimal::ZERO
            }
            None => {
                self.missing(place, "Informe o valor.");
                Decimal::ZERO
            }
        }
    }

    /// A number that may come; zero if not.
    pub fn optional(&mut self, place: Place<'_>, number: Option<Number>) -> Option<Decimal> {
        let number = *number?;
        if number.is_sign_negative() && !number.is_zero() {
            self.negative(place);
            return None;
        }
        self.factor(place, number);
        Some(number)
    }

    /// What is wrong with a quantity or a rate that is not negative.
    fn factor(&mut self, place: Place<'_>, number: Decimal) {
        match place.highest() {
            Some(highest) if number > Decimal::from(highest) => self.fields.add_value(
                place.to_string(),
                "percentual_invalido",
                &number.to_string(),
                format!("A alíquota vai de 0 a {highest}%."),
                "Informe em percentual: 2.5 é 2,5 %.",
            ),
            _ => self.decimals(place, number),
        }
    }

    /// A quantity or a rate with more places than the layout writes would be
    /// rounded there and not where it is multiplied: the product would be that
    /// of another number (rejections 528 and 629).
    fn decimals(&mut self, place: Place<'_>, number: Decimal) {
        let Some(maximum) = place.decimals() else {
            return;
        };
        if number.scale() > maximum && number.normalize().scale() > maximum {
            self.fields.add_value(
                place.to_string(),
                "casas_decimais",
                &number.to_string(),
                match maximum {
                    0 => "O leiaute leva aqui um número inteiro.".to_owned(),
                    _ => format!("O leiaute leva aqui até {maximum} casas decimais."),
                },
                "Arredonde o número, e com ele os valores que dele resultam.",
            );
        }
    }

    fn negative(&mut self, place: Place<'_>) {
        self.error(
            place,
            NEGATIVE,
            "O valor não pode ser negativo.",
            "Informe zero ou um valor positivo.",
        );
    }

    /// What was given, if it agrees with what it should be; else the latter.
    pub fn checked(
        &mut self,
        place: Place<'_>,
        stated: Option<Number>,
        computed: Decimal,
    ) -> Decimal {
        let Some(stated) = self.optional(place, stated).map(arithmetic::r2) else {
            return computed;
        };
        if !self.values_only() && (stated - computed).abs() > TOLERANCE {
            let expected = arithmetic::f2(computed);
            self.fields.add_value(
                place.to_string(),
                "valor_divergente",
                &stated.to_string(),
                format!("O valor informado difere do calculado, {expected}."),
                format!("Informe {expected}, corrija a base ou a alíquota, ou omita o valor."),
            );
        }
        stated
    }
}

/// Was more than white space changed?
fn lost(original: &str, clean: &str) -> bool {
    let without_spaces = |text: &str| -> String { text.split_whitespace().collect() };
    without_spaces(original) != without_spaces(clean)
}
