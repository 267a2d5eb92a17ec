//! Sending, and the waits around it.

use crate::Chamada;
use crate::answer::{self, Retorno};
use crate::request::montar;
use crate::service::Servico;
use sdk::{Failure, Fault, Mensagem, Request, Response, TransportFault, TransportKind};

/// What came of a request that may be made only once.
pub enum Enviado {
    Resposta(Response),
    /// Nobody knows whether it arrived.
    Perdido(Failure),
}

impl Chamada<'_> {
    /// # Errors
    /// The registry has no such service.
    pub fn montar(&self, servico: Servico, mensagem: &str) -> Result<Request, Failure> {
        montar(self.flow.ctx(), &self.opcoes, servico, mensagem)
    }

    /// A question: asked once, read once.
    ///
    /// # Errors
    /// No usable answer. Nothing changed, so nothing may exist.
    pub async fn perguntar(&self, servico: Servico, mensagem: &str) -> Result<Retorno, Failure> {
        let pedido = self.montar(servico, mensagem)?;
        let resposta = self.flow.send(pedido).await.map_err(sem_resposta)?;
        answer::abrir(&resposta, servico)
    }

    /// Something that may be done only once.
    ///
    /// # Errors
    /// The request did not leave: nothing can exist.
    pub async fn enviar(&self, pedido: Request) -> Result<Enviado, Failure> {
        match self.flow.send(pedido).await {
            Ok(resposta) => Ok(Enviado::Resposta(resposta)),
            Err(Fault::NoResponse(falha)) if !falha.maybe_arrived => Err(nao_conectado(falha)),
            Err(falha) => Ok(Enviado::Perdido(falha.into())),
        }
    }

    /// Waits so many times the first interval. False: someone gave up, so this
    /// is the last chance to ask.
    pub async fn esperar(&self, vezes: u64, motivo: &str) -> bool {
        let espera = self.opcoes.intervalo_ms.saturating_mul(vezes);
        !self.flow.cancelled() && self.flow.wait(espera, motivo).await.is_ok()
    }
}

/// A question without an answer says nothing, whatever became of it.
fn sem_resposta(falha: Fault) -> Failure {
    let mut falha = match falha {
        Fault::NoResponse(falha) if !falha.maybe_arrived => nao_conectado(falha),
        outra => outra.into(),
    };
    falha.may_exist = false;
    falha
}

/// The request did not leave: nothing can exist.
fn nao_conectado(falha: TransportFault) -> Failure {
    if falha.kind == TransportKind::ClientCertificateRefused {
        return Failure::credentials(vec![Mensagem::new(
            "certificado",
            "A SEFAZ recusou o certificado na conexão.",
        )]);
    }
    Fault::NoResponse(falha).into()
}
