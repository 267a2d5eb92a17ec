//! What the municipality demands to cancel a note.

use time::Date;

use super::coverage::Answer;
use super::model::{Evidence, Regime, Registry};
use super::route::{evidence, place};

/// Demands of one municipality.
#[derive(Debug, Clone)]
pub struct Exigencias {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Does the hub cancel there?
    pub cancels_by_api: Answer,
    /// Demands, or the reason of a refusal, pt-BR.
    pub exigencias: Vec<String>,
    /// Days after issuing. None: no source gives a fixed number.
    pub deadline_days: Option<u32>,
    /// Accepted reasons, in the words of the API.
    pub accepted_reasons: Vec<String>,
    /// Who says so.
    pub evidence: Evidence,
}

impl Registry {
    /// What cancelling a note of competence `em` takes, for the general
    /// regime. None: the code is no municipality.
    pub fn exigencias(&self, ibge: u32, on: Date) -> Option<Exigencias> {
        let m = self.municipality(ibge)?;
        let answer = |cancels_by_api, exigencias, evidence| Exigencias {
            ibge,
            cancels_by_api,
            exigencias,
            deadline_days: None,
            accepted_reasons: Vec::new(),
            evidence,
        };
        if let Some(refusal) = m.refusals.get("cancelar") {
            let evidence = Evidence::of(&refusal.cited, refusal.cited.data);
            return Some(answer(Answer::Nao, vec![refusal.reason.clone()], evidence));
        }
        let Some(found) = self.leg(m, Regime::Normal, on) else {
            let why = format!(
                "Nenhuma fonte consultada diz como {} cancela NFS-e.",
                place(m)
            );
            let evidence = Evidence::of(&self.national_issuer_source, self.verified);
            return Some(answer(Answer::NotMeasured, vec![why], evidence));
        };
        let system = &found.leg.system;
        if system.adapter.is_none() {
            let why = format!("Ainda não há adaptador para o sistema {}.", system.name);
            return Some(answer(Answer::Nao, vec![why], evidence(m, found.leg)));
        }
        let Some(known) = &system.cancelamento else {
            let why = format!(
                "As exigências do sistema {} não foram medidas.",
                system.name
            );
            return Some(answer(
                Answer::NotMeasured,
                vec![why],
                evidence(m, found.leg),
            ));
        };
        let sure = if m.conflicts.is_empty() {
            Answer::Sim
        } else {
            Answer::Partial
        };
        let mut exigencias = known.exigencias.clone();
        exigencias.extend(m.conflicts.iter().map(|conflict| conflict.reason.clone()));
        Some(Exigencias {
            ibge,
            cancels_by_api: sure,
            exigencias,
            deadline_days: known.deadline_days,
            accepted_reasons: known.reasons.clone(),
            evidence: Evidence::of(&known.cited, known.cited.data),
        })
    }
}
