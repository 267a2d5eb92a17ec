//! One flow's means: the options, and sending with the answer read.

use crate::answer::{self, Classe, Conteudo, Leitura};
use crate::message::query::{self, Rps};
use crate::options::Opcoes;
use crate::request;
use crate::service::Servico;
use sdk::{Failure, Fault, Flow, Mensagem, Response};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a flow works with.
pub struct Sessao<'a> {
    pub flow: &'a Flow,
    pub opcoes: Opcoes,
    /// Messages of this run, by label.
    montadas: RefCell<BTreeMap<String, String>>,
}

/// Why there is no answer.
pub enum Falta {
    SemResposta(Fault),
    /// The request could not even be built.
    NaoEnviada(Failure),
}

/// Someone gave up on the flow: nothing more is asked, and nothing is known.
pub fn desistencia() -> Failure {
    Failure::from(Fault::Cancelled).maybe_exists()
}

/// Our message for 401 and 403, which bring none of the city's.
pub fn barrada(status: u16) -> Mensagem {
    Mensagem::new(
        &format!("HTTP {status}"),
        "A prefeitura não aceitou o certificado ou o acesso.",
    )
}

/// An answer, read, with its bytes for evidence.
pub struct Recebida {
    pub leitura: Leitura,
    pub resposta: Response,
}

/// What an answer to a sending says that has no message of the model.
pub enum SemConteudo {
    /// An explicit no.
    Recusada(Failure),
    /// Not known.
    Incerta(Failure),
}

impl Recebida {
    /// The content of an answer to a sending, and the answer.
    ///
    /// # Errors
    /// See [`SemConteudo`].
    pub fn conteudo(self) -> Result<(Box<Conteudo>, Response), SemConteudo> {
        let sem_conteudo = match self.leitura {
            Leitura::Conteudo(conteudo) => return Ok((conteudo, self.resposta)),
            Leitura::Fault(ref fault) => {
                let mensagem = || vec![Mensagem::new(&fault.code, &fault.text)];
                match answer::fault(fault) {
                    Some(Classe::Credencial) => {
                        SemConteudo::Recusada(Failure::credentials(mensagem()))
                    }
                    Some(_) => SemConteudo::Recusada(
                        Failure::rejected(mensagem()).with_evidence(&self.resposta.body),
                    ),
                    None => SemConteudo::Incerta(self.indefinida("SOAP Fault do servidor")),
                }
            }
            Leitura::Barrada => {
                let mensagem = barrada(self.resposta.status);
                SemConteudo::Recusada(Failure::credentials(vec![mensagem]))
            }
            Leitura::Contida(espera) => {
                SemConteudo::Recusada(Failure::unavailable(espera, "envios demais"))
            }
            Leitura::Ilegivel(motivo) => SemConteudo::Incerta(self.indefinida(motivo)),
        };
        Err(sem_conteudo)
    }

    /// An end for an answer that says nothing certain.
    pub fn indefinida(&self, motivo: &str) -> Failure {
        Failure::unexpected(motivo, &self.resposta.body)
    }
}

impl<'a> Sessao<'a> {
    /// # Errors
    /// The registry's options are wrong.
    pub fn nova(flow: &'a Flow) -> Result<Self, Failure> {
        let opcoes = Opcoes::ler(flow.ctx())?;
        Ok(Sessao {
            flow,
            opcoes,
            montadas: RefCell::default(),
        })
    }

    /// Sends a message and reads the answer.
    ///
    /// # Errors
    /// See [`Falta`].
    pub async fn enviar(&self, servico: Servico, mensagem: &str) -> Result<Recebida, Falta> {
        let ctx = self.flow.ctx();
        let request =
            request::montar(ctx, &self.opcoes, servico, mensagem).map_err(Falta::NaoEnviada)?;
        let resposta = self.flow.send(request).await.map_err(Falta::SemResposta)?;
        let leitura = answer::ler(&resposta, servico, ctx);
        Ok(Recebida { leitura, resposta })
    }

    /// The query by RPS, built once for the whole flow.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn consulta_rps(&self, rps: &Rps) -> Result<String, Failure> {
        let montar = || query::por_rps(&self.opcoes, self.flow.ctx(), rps);
        self.uma_vez("consulta-rps", montar).await
    }

    /// The query by protocol, built once for each protocol.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn consulta_protocolo(
        &self,
        servico: Servico,
        protocolo: &str,
    ) -> Result<String, Failure> {
        let ctx = self.flow.ctx();
        let montar = || query::por_protocolo(&self.opcoes, ctx, servico, protocolo);
        self.uma_vez(&format!("{} {protocolo}", servico.metodo()), montar)
            .await
    }

    /// The query by number, built once for the whole flow.
    ///
    /// # Errors
    /// It cannot be built or signed.
    pub async fn consulta_numero(&self, numero: &str) -> Result<String, Failure> {
        let montar = || query::por_numero(&self.opcoes, self.flow.ctx(), numero);
        self.uma_vez("consulta-numero", montar).await
    }

    /// Remembers in the flow's state, and asks the state only once per run:
    /// a poll of hours would fill it otherwise.
    async fn uma_vez(
        &self,
        rotulo: &str,
        montar: impl FnOnce() -> Result<String, Failure>,
    ) -> Result<String, Failure> {
        let conhecida = self.montadas.borrow().get(rotulo).cloned();
        if let Some(mensagem) = conhecida {
            return Ok(mensagem);
        }
        let mensagem = self.flow.keep(rotulo, montar).await?;
        self.montadas
            .borrow_mut()
            .insert(rotulo.to_owned(), mensagem.clone());
        Ok(mensagem)
    }
}
