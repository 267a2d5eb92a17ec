//! POST /api/v1/documentos/{ref}/email: the XML and the printout of a note,
//! by mail.

use super::load;
use accounts::letters;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use events::mail::document::{self, MailOrder};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::{body, idempotency};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::{MailContentId, NotaId};

/// Characters of the sender's own words.
const MESSAGE_CHARS: usize = 2_000;

pub fn built() -> Built {
    Built {
        operation: "documentos.email",
        route: |method| on(method, post),
        docs: Docs::new("Envia por e-mail o XML e o PDF (DANFE ou DANFSe) do documento, aos endereços informados ou ao do próprio destinatário da nota. Um e-mail por endereço; o limite em 24 horas é da conta. O de uma nota cancelada diz que ela foi cancelada.")
            .body::<EmailIn>()
            .idempotent()
            .answers(&[(202, "Os e-mails estão na fila.")])
            .success::<EmailOut>(),
    }
}

#[derive(Deserialize, JsonSchema)]
struct EmailIn {
    /// Endereços, até 10 se o hub não disser outro limite; ausente: o do
    /// destinatário da nota.
    para: Option<Vec<String>>,
    /// Palavras de quem envia, até 2.000 caracteres.
    mensagem: Option<String>,
}

/// Um envio que está na fila.
#[derive(Serialize, JsonSchema)]
struct EmailOut {
    /// O id do envio.
    id: MailContentId,
    /// O mesmo que `id`.
    envio_id: MailContentId,
    nota_id: NotaId,
    status: SendingStatus,
    /// A quantos endereços vai.
    destinatarios: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StatusDoEnvio")]
#[serde(rename_all = "snake_case")]
enum SendingStatus {
    NaFila,
}

async fn post(
    call: Call,
    Path(reference): Path<String>,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<EmailOut> {
    let mut value = body::parse(&call, &headers, &bytes)?;
    let key = idempotency::key(&call, &headers, &mut value)?;
    let body: EmailIn = body::read(value, call.tolerant)?;
    let message = body.mensagem.unwrap_or_default().trim().to_owned();
    if message.chars().count() > MESSAGE_CHARS {
        return Err(wrong(
            "mensagem",
            "A mensagem passa de 2.000 caracteres.",
            "Escreva menos.",
        )
        .into());
    }
    let most = call.app.config.mail.per_call;
    let to = body.para.map(|list| addresses(&list, most)).transpose()?;
    let mut conn = call.app.db.read().await?;
    let nota = load(&call, &mut conn, &reference).await?;
    drop(conn);
    letters::offered(&call.app)?;
    let nota_id = nota.id.clone();
    let request = MailOrder {
        nota,
        to,
        message,
        idempotency: key,
    };
    let requested = document::send(&call.app.events, request).await?;
    let body = EmailOut {
        id: requested.id.clone(),
        envio_id: requested.id,
        nota_id,
        status: SendingStatus::NaFila,
        destinatarios: requested.recipients,
    };
    Ok(call.answer(202, body)?.replayed(requested.replayed))
}

/// Addresses of a request, each once.
fn addresses(list: &[String], most: usize) -> Result<Vec<String>, Failure> {
    if list.is_empty() || list.len() > most {
        return Err(wrong(
            "para",
            &format!("São de 1 a {most} endereços por chamada."),
            "Sem para, o e-mail vai ao destinatário da nota.",
        ));
    }
    let mut refusal = Refusal::new(Code::ParametroInvalido);
    let mut found: Vec<String> = Vec::new();
    for (index, text) in list.iter().enumerate() {
        match document::address(text) {
            Some(address) if found.contains(&address) => {}
            Some(address) => found.push(address),
            None => {
                let one = Refusal::field(
                    Code::ParametroInvalido,
                    &format!("para[{index}]"),
                    "O endereço não tem a forma de um e-mail.",
                    "Informe só o endereço, como nome@exemplo.com.br.",
                );
                refusal.fields.extend(one.fields);
            }
        }
    }
    if refusal.fields.is_empty() {
        Ok(found)
    } else {
        Err(refusal.into())
    }
}

fn wrong(field: &str, message: &str, correction: &str) -> Failure {
    Refusal::field(Code::ParametroInvalido, field, message, correction).into()
}
