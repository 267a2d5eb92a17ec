//! What an outcome means for a document that may come to exist.

use crate::document::product;
use crate::model::{Issued as _, Model, family};
use authority::breaker::is_undue_use;
use base::errors::{Code, Refusal, Rejection};
use fiscal::nfe::event::Family;
use flow::contract::{Documento, Failure, FailureReason, Mensagem, Outcome, Situacao, Success};
use markup::field::{Field, of_pointer};
use store::DbResult;
use store::tables::notas::{NotaRow, Via};

/// Kind under which an adapter gives the protocol of a document of a SEFAZ.
fn protocol(model: Model) -> Option<&'static str> {
    family(model).map(Family::protocol)
}

/// What an outcome means for a document that may come to exist.
pub enum Verdict {
    Issued(Box<Documento>),
    Rejected(Vec<Rejection>),
    /// The authority registered the denial (uso denegado): its number is used
    /// up.
    Denied(Vec<Rejection>),
    /// Nothing exists and nothing will: why.
    NotSent(Refusal),
    /// A query says that there is no such document.
    NotFound,
    Unknown,
}

/// Reads an outcome about a note.
///
/// # Errors
/// What is stored of the note cannot be read.
pub fn verdict(outcome: &Outcome, nota: &NotaRow) -> DbResult<Verdict> {
    Ok(match outcome {
        Ok(success) => match (success.situacao, of_note(success, nota)?) {
            (
                Situacao::Autorizado
                | Situacao::Cancelado
                | Situacao::Substituido
                | Situacao::Consultado,
                Some(documento),
            ) => Verdict::Issued(Box::new(documento.clone())),
            (Situacao::NaoEncontrado, _) => Verdict::NotFound,
            (Situacao::Denegado, Some(documento)) => {
                let value = |name: &str| {
                    let found = documento.valores.iter().find(|value| value.name == name);
                    found.map(|value| value.value.clone()).unwrap_or_default()
                };
                let message = Mensagem {
                    codigo: value("cStat"),
                    texto: value("xMotivo"),
                    correcao: None,
                    campo: None,
                };
                Verdict::Denied(reasons(&[message], &Who::of(nota)))
            }
            _ => Verdict::Unknown,
        },
        Err(failure) if failure.may_exist => Verdict::Unknown,
        Err(failure) => failed(failure, &Who::of(nota)),
    })
}

/// The document of an answer, where it is the note's own.
fn of_note<'a>(success: &'a Success, nota: &NotaRow) -> DbResult<Option<&'a Documento>> {
    let shown = success.documentos.first();
    let Some(shown) = shown.filter(|shown| identified(shown, nota)) else {
        return Ok(None);
    };
    Ok(ours(shown, nota)?.then_some(shown))
}

/// Whether a document is named (key or number) and shown: by its XML, or where
/// a city answers without any, by the code under which the city shows it. A
/// success without both does not prove that anything was issued.
pub fn identified(documento: &Documento, nota: &NotaRow) -> bool {
    let said = |id: &Option<String>| id.as_ref().is_some_and(|id| !id.trim().is_empty());
    let named = said(&documento.chave) || said(&documento.numero);
    let shown = match &documento.xml {
        Some(xml) => !xml.is_empty(),
        None => nota.via == Via::Municipal && said(&documento.codigo_verificacao),
    };
    named && shown
}

/// Whether an answer is about this note. We made the key of a product note
/// before anything was sent, so an answer with another key, or without a
/// protocol, is about something else.
///
/// # Errors
/// The note's earlier keys cannot be read.
pub fn ours(documento: &Documento, nota: &NotaRow) -> DbResult<bool> {
    if !nota.modelo.goes_to_sefaz() {
        return Ok(true);
    }
    let chave = documento.chave.as_deref().unwrap_or_default();
    Ok(protocol(nota.modelo) == Some(documento.tipo.as_str()) && product::is_ours(nota, chave)?)
}

/// The authority that answered, as customers are told of its refusals.
pub struct Who {
    pub model: Model,
    /// `sefaz`, `nacional` or `prefeitura`.
    origin: &'static str,
}

impl Who {
    /// The authority of a note.
    pub fn of(nota: &NotaRow) -> Who {
        let model = nota.modelo;
        let origin = match nota.via {
            _ if model.goes_to_sefaz() => "sefaz",
            Via::Nacional => "nacional",
            Via::Gateway | Via::Municipal | Via::Sefaz => "prefeitura",
        };
        Who { model, origin }
    }

    /// The refusal of a code, worded for this authority: the sentences of the
    /// catalogue speak of a city, so a SEFAZ has its own where they differ.
    fn says(&self, code: Code) -> Refusal {
        match code {
            _ if !self.model.goes_to_sefaz() => Refusal::new(code),
            Code::OperacaoNaoSuportada => Refusal::new(Code::OperacaoNaoSuportadaPelaSefaz),
            Code::CredenciaisRecusadas => Refusal::new(code)
                .message("A SEFAZ recusou o certificado do emitente.")
                .hint("Envie um A1 válido em PUT /api/v1/emitters/{id}/certificado e confira se a empresa está credenciada na SEFAZ."),
            Code::FalhaDoAdaptador => Refusal::new(code)
                .message("A resposta da SEFAZ não foi entendida; nada foi cobrado."),
            _ => Refusal::new(code),
        }
    }

    /// The SEFAZ of a document without a note of ours.
    pub fn sefaz(model: Model) -> Who {
        Who {
            model,
            origin: "sefaz",
        }
    }
}

/// A failure after which nothing exists.
pub fn failed(failure: &Failure, who: &Who) -> Verdict {
    let refusal = match &failure.reason {
        FailureReason::Rejected(messages) => return Verdict::Rejected(reasons(messages, who)),
        FailureReason::InvalidInput(errors) => Refusal::fields(
            errors
                .iter()
                .map(|error| Field {
                    campo: of_pointer(&error.campo),
                    codigo: error.regra.clone(),
                    mensagem: error.texto.clone(),
                    correcao: "Corrija o campo conforme o leiaute.".to_owned(),
                    valor: None,
                })
                .collect(),
        ),
        FailureReason::Unavailable(unavailable) => {
            let retry_s = unavailable
                .retry_after_ms
                .map_or(60, |ms| ms.div_ceil(1_000).clamp(1, 3_600));
            let first = unavailable.mensagens.first();
            let code = match first {
                Some(message) if is_undue_use(&message.codigo) => Code::ConsumoIndevidoBloqueado,
                _ => who.model.unavailable(),
            };
            let refusal = Refusal::new(code).retry_after(retry_s);
            match first {
                Some(message) => told(refusal, &message.texto),
                None => refusal,
            }
        }
        FailureReason::Transport(_) => Refusal::new(who.model.unavailable()).retry_after(60),
        FailureReason::Credentials(messages) => {
            let mut refusal = who.says(Code::CredenciaisRecusadas);
            refusal.rejection = reasons(messages, who);
            refusal
        }
        FailureReason::NotSupported(what) => told(who.says(Code::OperacaoNaoSuportada), what),
        FailureReason::Signing(error) => {
            let code = match error {
                flow::contract::SignError::Expired => Code::CertificadoVencido,
                flow::contract::SignError::NoCertificate => Code::CertificadoAusente,
                flow::contract::SignError::Other(_) => Code::CertificadoInvalido,
                // What was to be signed is at fault, not the certificate.
                flow::contract::SignError::ReferenceNotFound(_)
                | flow::contract::SignError::MalformedXml(_)
                | flow::contract::SignError::Unsupported(_) => Code::FalhaDoAdaptador,
            };
            Refusal::new(code)
        }
        FailureReason::UnexpectedResponse(_) | FailureReason::Other(_) => {
            who.says(Code::FalhaDoAdaptador)
        }
    };
    Verdict::NotSent(refusal)
}

/// The hub's own sentence, and behind it what the adapter says, marked as its words:
/// a customer does not take them for the hub's.
fn told(refusal: Refusal, said: &str) -> Refusal {
    if said.trim().is_empty() {
        return refusal;
    }
    let entry = refusal.code.entry();
    let own = refusal.message.as_deref().unwrap_or(entry.message);
    let sentence = format!("{own} O adaptador informa: “{}”", said.trim());
    refusal.message(sentence)
}

fn reasons(messages: &[Mensagem], who: &Who) -> Vec<Rejection> {
    let origin = who.origin;
    let reason = |message: &Mensagem| Rejection {
        origem: origin.to_owned(),
        codigo: message.codigo.clone(),
        motivo: message.texto.clone(),
        correcao: message
            .correcao
            .clone()
            .unwrap_or_else(|| correction(who, &message.codigo).to_owned()),
    };
    if messages.is_empty() {
        return vec![Rejection {
            origem: origin.to_owned(),
            codigo: String::new(),
            motivo: "Recusada sem motivo informado.".to_owned(),
            correcao: "Confira os dados no portal da autoridade.".to_owned(),
        }];
    }
    messages.iter().map(reason).collect()
}

/// What to do about a code, where the authority itself does not say.
fn correction(who: &Who, codigo: &str) -> &'static str {
    if who.model.number_of_another(codigo) {
        return "Envie de novo: a nota sai com o próximo número.";
    }
    let model = match who.model {
        Model::Nfse | Model::Nfe => 55,
        Model::Nfce => 65,
        Model::Cte => 57,
        Model::Mdfe => 58,
    };
    match codigo.parse() {
        Ok(codigo) if who.model.goes_to_sefaz() => data::cstat::hint(model, codigo),
        _ => "Corrija conforme o motivo e envie de novo.",
    }
}
