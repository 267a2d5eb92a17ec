//! The note under examination, by official names.

use std::borrow::Cow;

use rust_decimal::Decimal;
use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime};

use crate::nfe::reading::LeituraError;
use crate::nfe::reading::check::validity::Regras;
use crate::nfe::reading::nota::{filho, nota_de};
use markup::xml::{Document, Element};

pub(in super::super) struct Nota<'d> {
    pub nfe: Element<'d>,
    pub inf: Element<'d>,
    /// Day of emission, or today.
    pub dia: Date,
    /// Rules of that day.
    pub regras: Regras,
    pub itens: Vec<Item<'d>>,
}

/// One `det`.
pub(in super::super) struct Item<'d> {
    /// `infNFe/det[3]`.
    pub caminho: String,
    pub det: Element<'d>,
    pub prod: Option<Element<'d>>,
    pub imposto: Option<Element<'d>>,
    /// The group inside of `ICMS`.
    pub icms: Option<Element<'d>>,
}

impl<'d> Nota<'d> {
    pub fn de(doc: &'d Document<'d>, hoje: Date) -> Result<Nota<'d>, LeituraError> {
        let nfe = nota_de(doc)?;
        let inf = filho(nfe, "infNFe").ok_or(LeituraError::Ausente("infNFe"))?;
        let itens = inf
            .children()
            .filter(|elemento| elemento.name() == "det")
            .enumerate()
            .map(|(posicao, det)| Item::de(posicao + 1, det))
            .collect();
        let mut nota = Nota {
            nfe,
            inf,
            dia: hoje,
            regras: Regras::Reforma,
            itens,
        };
        if let Some(em) = nota.momento(&["ide", "dhEmi"]) {
            nota.dia = em.date();
        }
        let homologacao = nota.texto(&["ide", "tpAmb"]).as_deref() == Some("2");
        nota.regras = Regras::em(nota.dia, homologacao);
        Ok(nota)
    }

    /// Text at a path below `infNFe`; none where it is empty.
    pub fn texto(&self, caminho: &[&str]) -> Option<Cow<'d, str>> {
        texto(self.inf, caminho)
    }

    pub fn momento(&self, caminho: &[&str]) -> Option<OffsetDateTime> {
        momento(&self.texto(caminho)?)
    }

    pub fn modelo(&self) -> u8 {
        match self.texto(&["ide", "mod"]).as_deref() {
            Some("65") => 65,
            _ => 55,
        }
    }

    /// Whether `ide/finNFe` is one of these.
    pub fn finalidade(&self, quais: &[&str]) -> bool {
        self.texto(&["ide", "finNFe"])
            .is_some_and(|finalidade| quais.contains(&&*finalidade))
    }
}

impl<'d> Item<'d> {
    fn de(posicao: usize, det: Element<'d>) -> Item<'d> {
        let imposto = det.child("imposto");
        Item {
            caminho: format!("infNFe/det[{posicao}]"),
            det,
            prod: det.child("prod"),
            imposto,
            icms: imposto
                .and_then(|imposto| imposto.child("ICMS"))
                .and_then(|icms| icms.children().next()),
        }
    }

    /// Text of a member of `prod`.
    pub fn prod(&self, nome: &str) -> Option<Cow<'d, str>> {
        texto(self.prod?, &[nome])
    }

    /// Amount of a member of `prod`; zero where absent.
    pub fn valor(&self, nome: &str) -> Option<Decimal> {
        self.prod
            .map_or(Some(Decimal::ZERO), |prod| valor(prod, &[nome]))
    }

    /// Amount below `imposto`.
    pub fn imposto(&self, caminho: &[&str]) -> Option<Decimal> {
        self.imposto
            .map_or(Some(Decimal::ZERO), |imposto| valor(imposto, caminho))
    }

    /// Amount in the group inside of `ICMS`.
    pub fn icms(&self, nome: &str) -> Option<Decimal> {
        self.icms
            .map_or(Some(Decimal::ZERO), |icms| valor(icms, &[nome]))
    }

    /// Amount in the group inside of `PIS` or `COFINS`.
    pub fn contribuicao(&self, imposto: &str, nome: &str) -> Option<Decimal> {
        let grupo = self
            .imposto
            .and_then(|todos| todos.child(imposto))
            .and_then(|imposto| imposto.children().next());
        grupo.map_or(Some(Decimal::ZERO), |grupo| valor(grupo, &[nome]))
    }

    /// A service, taxed by ISSQN.
    pub fn is_servico(&self) -> bool {
        self.imposto
            .is_some_and(|imposto| imposto.child("ISSQN").is_some())
    }

    /// `indTot` 1.
    pub fn compoe_total(&self) -> bool {
        self.prod("indTot").as_deref() == Some("1")
    }
}

/// Text at a path; none where there is none or it is empty.
pub(super) fn texto<'d>(elemento: Element<'d>, caminho: &[&str]) -> Option<Cow<'d, str>> {
    elemento.text_at(caminho).filter(|texto| !texto.is_empty())
}

/// Amount at a path: zero where absent, none where it is no amount (which the
/// schema tells) or of a size sums cannot take.
pub(super) fn valor(elemento: Element<'_>, caminho: &[&str]) -> Option<Decimal> {
    match texto(elemento, caminho) {
        None => Some(Decimal::ZERO),
        Some(texto) => numero(&texto),
    }
}

pub(super) fn numero(texto: &str) -> Option<Decimal> {
    const LIMITE: i64 = 1_000_000_000_000_000;
    if texto.len() > 28 {
        return None;
    }
    let numero: Decimal = texto.parse().ok()?;
    (numero.abs() < Decimal::from(LIMITE)).then_some(numero)
}

pub(super) fn momento(texto: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(texto, &Rfc3339).ok()
}

/// `1.234,50` for people.
pub(super) fn reais(valor: Decimal) -> String {
    let texto = format!("{:.2}", valor.abs());
    let (inteiros, centavos) = texto.split_once('.').unwrap_or((&texto, "00"));
    let mut saida = String::new();
    for (posicao, algarismo) in inteiros.chars().enumerate() {
        if posicao > 0 && (inteiros.len() - posicao) % 3 == 0 {
            saida.push('.');
        }
        saida.push(algarismo);
    }
    let sinal = if valor.is_sign_negative() && !valor.is_zero() {
        "-"
    } else {
        ""
    };
    format!("R$ {sinal}{saida},{centavos}")
}
