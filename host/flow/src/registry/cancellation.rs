//! What the municipality demands to cancel a note.

use time::Date;

use super::coverage::Resposta;
use super::model::{Evidencia, Regime, Registry};
use super::route::{evidence, place};

/// Demands of one municipality.
#[derive(Debug, Clone)]
pub struct Exigencias {
    /// Seven-digit IBGE code.
    pub ibge: u32,
    /// Does the hub cancel there?
    pub cancela_por_api: Resposta,
    /// Demands, or the reason of a refusal, pt-BR.
    pub exigencias: Vec<String>,
    /// Days after issuing. None: no source gives a fixed number.
    pub prazo_dias: Option<u32>,
    /// Accepted reasons, in the words of the API.
    pub motivos_aceitos: Vec<String>,
    /// Who says so.
    pub evidencia: Evidencia,
}

impl Registry {
    /// What cancelling a note of competence `em` takes, for the general
    /// regime. None: the code is no municipality.
    pub fn exigencias(&self, ibge: u32, em: Date) -> Option<Exigencias> {
        let m = self.municipio(ibge)?;
        let answer = |cancela_por_api, exigencias, evidencia| Exigencias {
            ibge,
            cancela_por_api,
            exigencias,
            prazo_dias: None,
            motivos_aceitos: Vec::new(),
            evidencia,
        };
        if let Some(recusa) = m.recusas.get("cancelar") {
            let evidencia = Evidencia::of(&recusa.fonte, recusa.fonte.data);
            return Some(answer(
                Resposta::Nao,
                vec![recusa.motivo.clone()],
                evidencia,
            ));
        }
        let Some(found) = self.leg(m, Regime::Normal, em) else {
            let why = format!(
                "Nenhuma fonte consultada diz como {} cancela NFS-e.",
                place(m)
            );
            let evidencia = Evidencia::of(&self.emissor_nacional_fonte, self.verificado);
            return Some(answer(Resposta::NaoMedido, vec![why], evidencia));
        };
        let system = &found.leg.system;
        if system.adapter.is_none() {
            let why = format!("Ainda não há adaptador para o sistema {}.", system.nome);
            return Some(answer(Resposta::Nao, vec![why], evidence(m, found.leg)));
        }
        let Some(known) = &system.cancelamento else {
            let why = format!(
                "As exigências do sistema {} não foram medidas.",
                system.nome
            );
            return Some(answer(
                Resposta::NaoMedido,
                vec![why],
                evidence(m, found.leg),
            ));
        };
        let sure = if m.conflitos.is_empty() {
            Resposta::Sim
        } else {
            Resposta::Parcial
        };
        let mut exigencias = known.exigencias.clone();
        exigencias.extend(m.conflitos.iter().map(|conflito| conflito.motivo.clone()));
        Some(Exigencias {
            ibge,
            cancela_por_api: sure,
            exigencias,
            prazo_dias: known.prazo_dias,
            motivos_aceitos: known.motivos.clone(),
            evidencia: Evidencia::of(&known.fonte, known.fonte.data),
        })
    }
}
