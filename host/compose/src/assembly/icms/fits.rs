//! Which members each CST and CSOSN has a place for (MOC 7.0 annex I group N;
//! layout of the groups of `ICMS`).

use super::Obra;
use crate::assembly::leftovers::{self, Situacao};
use fiscal::nfe::order::{GrupoIcms, Icms};

/// Own operation.
const PROPRIA: [&str; 4] = ["modalidade_bc", "base", "aliquota", "valor"];
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
const DIFERIDA: [&str; 4] = [
    "cbenef_reducao",
    "diferimento.percentual",
    "diferimento.valor_operacao",
    "diferimento.valor",
];
const MONO: [&str; 3] = ["mono.quantidade", "mono.aliquota", "mono.valor"];
const RETENCAO: [&str; 4] = [
    "mono.quantidade_retencao",
    "mono.aliquota_retencao",
    "mono.valor_retencao",
    "mono.reducao",
];
const ADIADA: [&str; 3] = [
    "mono.diferimento",
    "mono.valor_operacao",
    "mono.valor_diferido",
];
/// Members that decide.
const SEMPRE: [&str; 3] = ["cst", "csosn", "difal.dispensado"];

impl Obra<'_, '_> {
    /// Tells the members that the situation leaves out: `proprio`'s, where the
    /// item has any, and the profile's, where the situation is from there.
    pub(super) fn fora(&mut self, proprio: Option<&Icms>, perfil: Option<&Icms>) {
        let texto = |codigo: &Option<String>| codigo.as_deref().map(|c| c.trim().to_owned());
        let (cst, csosn) = (texto(&self.icms.cst), texto(&self.icms.csosn));
        let (nome, mut cabem) = match (cst, csosn) {
            (Some(cst), None) => match self.do_cst(&cst) {
                Some(cabem) => (format!("no CST {cst} do ICMS"), cabem),
                None => return,
            },
            (None, Some(csosn)) => match self.do_csosn(&csosn) {
                Some(cabem) => (format!("no CSOSN {csosn}"), cabem),
                None => return,
            },
            (None, None) if self.ctx.emitente.regime.usa_csosn() && self.ctx.calcular => {
                ("no CSOSN 102".to_owned(), Vec::new())
            }
            _ => return,
        };
        cabem.extend(SEMPRE);
        // A group of its own, which goods from abroad do not have.
        if !self.linha.importacao {
            cabem.push("difal");
        }
        for (dados, do_perfil) in [(proprio, false), (perfil, true)] {
            let Some(dados) = dados else { continue };
            let situacao = Situacao {
                tributo: "icms",
                nome: &nome,
                do_perfil,
            };
            leftovers::diz(self.ctx, self.linha.onde, &situacao, dados, &cabem);
        }
    }

    /// None for a CST that does not exist.
    fn do_cst(&self, cst: &str) -> Option<Vec<&'static str>> {
        let com_st: &[&str] = &["st.desonerado"];
        let partes: &[&[&'static str]] = match (self.icms.grupo, cst) {
            (Some(GrupoIcms::Partilha), _) => &[
                &PROPRIA,
                &ST,
                &["reducao", "percentual_base_operacao", "uf_st", "desonerado"],
            ],
            (Some(GrupoIcms::StRepasse), _) => &[&["retido", "efetivo", "st_destino"]],
            (None, "00") => &[&PROPRIA, &["fcp"]],
            (None, "10") => &[&PROPRIA, &ST, com_st, &["fcp"]],
            (None, "20") => &[&PROPRIA, &["reducao", "fcp", "desonerado"]],
            (None, "30") => &[&ST, &["aliquota", "desonerado"]],
            // The rate is for the amount that is not charged.
            (None, "40" | "41" | "50") if self.icms.desonerado.is_some() => {
                &[&["aliquota", "desonerado"]]
            }
            (None, "40" | "41" | "50") => &[],
            (None, "51") if self.so_a_situacao() => &[],
            (None, "51") => &[&PROPRIA, &DIFERIDA, self.do_fcp(), &["reducao"]],
            (None, "60") => &[&["retido", "efetivo"]],
            (None, "70") => &[&PROPRIA, &ST, com_st, &["reducao", "fcp", "desonerado"]],
            (None, "90") => return Some(self.do_90()),
            (None, "02" | "61") => &[&MONO],
            (None, "15") if self.reduz_mono() => &[&MONO, &RETENCAO, &["mono.motivo_reducao"]],
            (None, "15") => &[&MONO, &RETENCAO],
            (None, "53") => &[&MONO, &ADIADA],
            (None, _) => return None,
        };
        let mut cabem = partes.concat();
        cabem.push("grupo");
        Some(cabem)
    }

    /// Own operation and ST are there or not.
    fn do_90(&self) -> Vec<&'static str> {
        let mut cabem = vec!["grupo", "desonerado"];
        if self.tem_propria() {
            cabem.extend(PROPRIA);
            cabem.extend(["reducao", "cbenef_reducao", "fcp"]);
            if self.icms.diferimento.is_some() {
                cabem.extend(DIFERIDA);
                cabem.extend(self.do_fcp());
            }
        }
        if self.icms.st.is_some() {
            cabem.extend(ST);
            cabem.push("st.desonerado");
        }
        cabem
    }

    /// None for a CSOSN that does not exist.
    fn do_csosn(&self, csosn: &str) -> Option<Vec<&'static str>> {
        let propria: &[&str] = &["modalidade_bc", "base", "aliquota", "valor", "reducao"];
        let partes: &[&[&'static str]] = match csosn {
            "101" => &[&["credito_sn"]],
            "102" | "103" | "300" | "400" => &[],
            "201" => &[&ST, &["aliquota", "credito_sn"]],
            "202" | "203" => &[&ST, &["aliquota"]],
            "500" => &[&["retido", "efetivo"]],
            "900" => &[
                &["credito_sn"],
                if self.tem_propria() { propria } else { &[] },
                if self.icms.st.is_some() { &ST } else { &[] },
            ],
            _ => return None,
        };
        Some(partes.concat())
    }

    /// FCP, and the part of it put off: of nothing, without one.
    fn do_fcp(&self) -> &'static [&'static str] {
        match self.icms.fcp.is_some() {
            true => &["fcp", "diferimento.percentual_fcp"],
            false => &[],
        }
    }

    fn reduz_mono(&self) -> bool {
        let mono = self.icms.mono.as_ref();
        mono.is_some_and(|mono| mono.reducao.is_some())
    }
}
