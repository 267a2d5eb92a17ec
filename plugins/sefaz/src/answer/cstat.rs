//! What a cStat means when it is not the answer hoped for.

use super::{Retorno, texto};
use sdk::xml::Element;
use sdk::{Failure, FailureReason, Mensagem, Unavailable};

/// Block of a CNPJ after abusive use (656): one hour.
const CONSUMO_INDEVIDO_MS: u64 = 3_600_000;
/// 108: back soon. 109: nobody says when.
const PARADO_MS: u64 = 60_000;
const PARADO_SEM_PREVISAO_MS: u64 = 600_000;

/// cStat and xMotivo of some element of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estado {
    pub cstat: String,
    pub motivo: String,
}

/// What a state says when it is none of the successes of its service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classe {
    /// Not looked at; how long to wait, in milliseconds.
    Indisponivel(u64),
    /// The certificate of the connection was refused.
    Credencial,
    /// An explicit no.
    Recusa,
    /// Says nothing about what was asked.
    Incerto,
}

impl Estado {
    /// None: there is no cStat, so the element says nothing.
    pub fn de(elemento: &Element) -> Option<Self> {
        let cstat = texto(elemento, "cStat")?;
        let numero = (3..=4).contains(&cstat.len()) && cstat.bytes().all(|b| b.is_ascii_digit());
        numero.then(|| Estado {
            cstat,
            motivo: texto(elemento, "xMotivo").unwrap_or_default(),
        })
    }

    /// The authority's words, untouched.
    pub fn mensagem(&self) -> Mensagem {
        Mensagem::new(&self.cstat, &self.motivo)
    }

    pub fn classe(&self) -> Classe {
        match self.cstat.as_str() {
            "108" => Classe::Indisponivel(PARADO_MS),
            "109" => Classe::Indisponivel(PARADO_SEM_PREVISAO_MS),
            "656" => Classe::Indisponivel(CONSUMO_INDEVIDO_MS),
            // The list of revoked certificates could not be read.
            "286" => Classe::Indisponivel(PARADO_MS),
            "280" | "281" | "282" | "283" | "284" | "285" => Classe::Credencial,
            // SVC being closed, SVC closed: nothing is processed there.
            "113" | "114" => Classe::Recusa,
            // An error inside the authority, after which anything may be true;
            // a denial, which says nothing without its protocol.
            "999" | "301" | "302" | "303" => Classe::Incerto,
            // Below 200 are the states of documents, lots and services.
            outro if outro.len() == 3 && outro < "200" => Classe::Incerto,
            _ => Classe::Recusa,
        }
    }

    /// The failure this state is, if it is one of the document and not of
    /// the service it names: see [`Classe`].
    pub fn falha(&self, retorno: &Retorno) -> Failure {
        match self.classe() {
            Classe::Indisponivel(espera_ms) => self.indisponivel(espera_ms),
            Classe::Credencial => Failure::credentials(vec![self.mensagem()]),
            Classe::Recusa => Failure::rejected(vec![self.mensagem()]),
            Classe::Incerto => {
                Failure::unexpected(&format!("cStat {}", self.cstat), retorno.texto())
            }
        }
    }

    fn indisponivel(&self, espera_ms: u64) -> Failure {
        let motivo = Unavailable {
            retry_after_ms: Some(espera_ms),
            mensagens: vec![self.mensagem()],
        };
        Failure::new(
            FailureReason::Unavailable(motivo),
            "serviço da SEFAZ indisponível",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let classe = |cstat: &str| {
            Estado {
                cstat: cstat.into(),
                motivo: String::new(),
            }
            .classe()
        };
        for (cstat, esperada) in [
            ("108", Classe::Indisponivel(60_000)),
            ("109", Classe::Indisponivel(600_000)),
            ("656", Classe::Indisponivel(3_600_000)),
            ("281", Classe::Credencial),
            ("290", Classe::Recusa),
            ("114", Classe::Recusa),
            ("225", Classe::Recusa),
            ("1115", Classe::Recusa),
            ("100", Classe::Incerto),
            ("105", Classe::Incerto),
            ("302", Classe::Incerto),
            ("999", Classe::Incerto),
        ] {
            assert_eq!(classe(cstat), esperada, "{cstat}");
        }
    }
}
