//! Which members each CST and CSOSN has a place for (MOC 7.0 annex I group N;
//! layout of the groups of `ICMS`).

use super::Work;
use crate::assembly::leftovers::{self, Situation};
use fiscal::nfe::order::{GrupoIcms, Icms};

/// Own operation.
const OWN: [&str; 4] = ["modalidade_bc", "base", "aliquota", "valor"];
/// ST charged in this note.
const ST: [&str; 7] = [
    "st.modalidade_bc",
    "st.mva",
    "st.reducao",
    "st.base",
    "st.aliquota",
    "st.valor",
    "fcp_st",
];
const DEFERRED: [&str; 4] = [
    "cbenef_reducao",
    "diferimento.percentual",
    "diferimento.valor_operacao",
    "diferimento.valor",
];
const MONO: [&str; 3] = ["mono.quantidade", "mono.aliquota", "mono.valor"];
const WITHHOLDING: [&str; 4] = [
    "mono.quantidade_retencao",
    "mono.aliquota_retencao",
    "mono.valor_retencao",
    "mono.reducao",
];
const POSTPONED: [&str; 3] = [
    "mono.diferimento",
    "mono.valor_operacao",
    "mono.valor_diferido",
];
/// Members that decide.
const ALWAYS: [&str; 3] = ["cst", "csosn", "difal.dispensado"];

impl Work<'_, '_> {
    /// Tells the members that the situation leaves out: `own_data`'s, where the
    /// item has any, and the profile's, where the situation is from there.
    pub(super) fn outside(&mut self, own_data: Option<&Icms>, perfil: Option<&Icms>) {
        let text = |codigo: &Option<String>| codigo.as_deref().map(|c| c.trim().to_owned());
        let (cst, csosn) = (text(&self.icms.cst), text(&self.icms.csosn));
        let (name, mut fitting) = match (cst, csosn) {
            (Some(cst), None) => match self.of_cst(&cst) {
                Some(fitting) => (format!("no CST {cst} do ICMS"), fitting),
                None => return,
            },
            (None, Some(csosn)) => match self.of_csosn(&csosn) {
                Some(fitting) => (format!("no CSOSN {csosn}"), fitting),
                None => return,
            },
            (None, None) if self.ctx.emitter.regime.uses_csosn() && self.ctx.calcular => {
                ("no CSOSN 102".to_owned(), Vec::new())
            }
            _ => return,
        };
        fitting.extend(ALWAYS);
        // A group of its own, which goods from abroad do not have.
        if !self.line.import {
            fitting.push("difal");
        }
        for (given, of_perfil) in [(own_data, false), (perfil, true)] {
            let Some(given) = given else { continue };
            let situation = Situation {
                tax: "icms",
                name: &name,
                of_perfil,
            };
            leftovers::tell(self.ctx, self.line.place, &situation, given, &fitting);
        }
    }

    /// None for a CST that does not exist.
    fn of_cst(&self, cst: &str) -> Option<Vec<&'static str>> {
        let with_st: &[&str] = &["st.desonerado"];
        let parts: &[&[&'static str]] = match (self.icms.grupo, cst) {
            (Some(GrupoIcms::Partilha), _) => &[
                &OWN,
                &ST,
                &["reducao", "percentual_base_operacao", "uf_st", "desonerado"],
            ],
            (Some(GrupoIcms::StRepasse), _) => &[&["retido", "efetivo", "st_destino"]],
            (None, "00") => &[&OWN, &["fcp"]],
            (None, "10") => &[&OWN, &ST, with_st, &["fcp"]],
            (None, "20") => &[&OWN, &["reducao", "fcp", "desonerado"]],
            (None, "30") => &[&ST, &["aliquota", "desonerado"]],
            // The rate is for the amount that is not charged.
            (None, "40" | "41" | "50") if self.icms.desonerado.is_some() => {
                &[&["aliquota", "desonerado"]]
            }
            (None, "40" | "41" | "50") => &[],
            (None, "51") if self.situation_only() => &[],
            (None, "51") => &[&OWN, &DEFERRED, self.of_fcp(), &["reducao"]],
            (None, "60") => &[&["retido", "efetivo"]],
            (None, "70") => &[&OWN, &ST, with_st, &["reducao", "fcp", "desonerado"]],
            (None, "90") => return Some(self.of_90()),
            (None, "02" | "61") => &[&MONO],
            (None, "15") if self.reduces_mono() => &[&MONO, &WITHHOLDING, &["mono.motivo_reducao"]],
            (None, "15") => &[&MONO, &WITHHOLDING],
            (None, "53") => &[&MONO, &POSTPONED],
            (None, _) => return None,
        };
        let mut fitting = parts.concat();
        fitting.push("grupo");
        Some(fitting)
    }

    /// Own operation and ST are there or not.
    fn of_90(&self) -> Vec<&'static str> {
        let mut fitting = vec!["grupo", "desonerado"];
        if self.has_own() {
            fitting.extend(OWN);
            fitting.extend(["reducao", "cbenef_reducao", "fcp"]);
            if self.icms.diferimento.is_some() {
                fitting.extend(DEFERRED);
                fitting.extend(self.of_fcp());
            }
        }
        if self.icms.st.is_some() {
            fitting.extend(ST);
            fitting.push("st.desonerado");
        }
        fitting
    }

    /// None for a CSOSN that does not exist.
    fn of_csosn(&self, csosn: &str) -> Option<Vec<&'static str>> {
        let own: &[&str] = &["modalidade_bc", "base", "aliquota", "valor", "reducao"];
        let parts: &[&[&'static str]] = match csosn {
            "101" => &[&["credito_sn"]],
            "102" | "103" | "300" | "400" => &[],
            "201" => &[&ST, &["aliquota", "credito_sn"]],
            "202" | "203" => &[&ST, &["aliquota"]],
            "500" => &[&["retido", "efetivo"]],
            "900" => &[
                &["credito_sn"],
                if self.has_own() { own } else { &[] },
                if self.icms.st.is_some() { &ST } else { &[] },
            ],
            _ => return None,
        };
        Some(parts.concat())
    }

    /// FCP, and the part of it put off: of nothing, without one.
    fn of_fcp(&self) -> &'static [&'static str] {
        match self.icms.fcp.is_some() {
            true => &["fcp", "diferimento.percentual_fcp"],
            false => &[],
        }
    }

    fn reduces_mono(&self) -> bool {
        let mono = self.icms.mono.as_ref();
        mono.is_some_and(|mono| mono.reducao.is_some())
    }
}
