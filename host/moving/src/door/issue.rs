//! POST of a note.

use super::Door;
use super::ask::{ask, ask_at_once, by_id, company, found, rehearsed, released, shared};
use super::consult::{is_whole, shown};
use super::entry::{CONSULT, Call, INVALID, invalid, missing_member, only, open};
use super::out::Out;
use crate::answers::{About, Answer, Asked, Told, is_denied, processing, refusal, status};
use crate::kind::Kind;
use crate::orders::{self, Fault, Issuer, Order};
use axum::extract::Request;
use axum::http::Method;
use base::errors::Failure;
use issuing::emitters::profile::Perfil;
use serde_json::{Map, Value};
use store::ids::NotaId;
use store::tables::emitters::EmitterRow;
use store::tables::notas::{NotaRow, NotaStatus};
use store::words::Model;

/// Issues a note.
pub(super) async fn create(door: &Door, kind: Kind, request: Request) -> Result<Out, Out> {
    let issue = format!("{}.create", kind.own());
    // An NFC-e is answered with what a consultation would say.
    let asked: &[&str] = match kind {
        Kind::Nfce => &[&issue, CONSULT],
        _ => &[&issue],
    };
    let call = open(door, kind, request, asked).await?;
    parameters(door, kind, &call)?;
    let reference = reference(door, kind, &call)?;
    let cnpj = orders::cnpj(kind, &call.body);
    let cnpj = cnpj.ok_or_else(|| missing_member(door, kind.company()))?;
    let company = company(door, &call, kind, &cnpj).await?;
    let mut earlier = found(door, &call, kind, &reference).await?;
    if earlier.iter().any(|nota| nota.emitter_id != company.id) {
        return Err(shared(door));
    }
    // A denied note keeps its reference from the other kinds as well. A note of another kind
    // that still holds it is refused by the operation: `in_use`.
    earlier.extend(released(door, &call, kind, &company, &reference).await?);
    for nota in &earlier {
        // Of another environment: the company went on to production since.
        if call.is_test() || nota.ambiente == company.ambiente.shown() {
            free(door, nota)?;
        }
    }
    let issuer = issuer(door, kind, &company)?;
    let order = orders::order(kind, &call.body, &issuer);
    let mut order = order.map_err(|faults| invalid(door, &faults))?;
    order
        .body
        .insert("referencia".to_owned(), reference.as_str().into());
    order
        .body
        .insert("emitente_id".to_owned(), company.id.to_string().into());
    total(door, kind, &call, &order).await?;
    sent(door, kind, &call, order, (&company, &reference)).await
}

/// Sends the order, and says what came of it as far as they would say it now: an NFC-e
/// is answered when it is over, the others are asked for later.
async fn sent(
    door: &Door,
    kind: Kind,
    call: &Call,
    order: Order,
    (company, reference): (&EmitterRow, &str),
) -> Result<Out, Out> {
    let cnpj = &company.cnpj;
    let Order { body, notices } = order;
    let path = format!("/api/v1/{}", kind.own());
    let body = Value::Object(body);
    let reply = if kind == Kind::Nfce {
        ask(door, call, kind, Method::POST, &path, Some(&body)).await?
    } else {
        ask_at_once(door, call, kind, &path, &body).await?
    };
    let answer = reply.json();
    if answer["codigo"] == "ja_autorizada" {
        in_use(door, kind, call, company, &answer).await?;
    }
    if !reply.ok()
        && let Told::Answer(refused) = refusal(asked(kind, &call.body), reply.status, &answer)
    {
        return Ok(Out::of(&reply, refused.with_notices(&notices)));
    }
    if kind != Kind::Nfce {
        let taken = processing(kind, cnpj, reference).with_notices(&notices);
        return Ok(Out::of(&reply, taken));
    }
    let over = reply.status != 202 || status(kind, &answer) != "processando_autorizacao";
    let code = if over { 201 } else { 202 };
    let whole = is_whole(door, call)?;
    let Ok((_, shown)) = shown(door, call, kind, reference, whole).await else {
        // The note was issued: whoever is told of a failure now would issue it again.
        let taken = processing(kind, cnpj, reference).with_notices(&notices);
        return Ok(Out::of(&reply, taken));
    };
    let answer = Answer::new(code, shown).with_notices(&notices);
    Ok(Out::of(&reply, answer))
}

/// How to say a refusal of the body in their names.
fn asked(kind: Kind, body: &Map<String, Value>) -> Asked {
    Asked {
        kind,
        about: About::Issue,
        rows: orders::table(kind),
        items: orders::items_name(body),
    }
}

/// Their parameters; offline emission is contingency.
fn parameters(door: &Door, kind: Kind, call: &Call) -> Result<(), Out> {
    if call.query.contains_key("forma_emissao") {
        return Err(Out::error(
            door,
            422,
            "contingencia_nao_oferecida",
            "Não há emissão em contingência: envie sem forma_emissao.",
        ));
    }
    let known: &[&str] = match kind {
        Kind::Nfce => &["ref", "completa"],
        _ => &["ref"],
    };
    only(door, call, known)?;
    is_whole(door, call).map(|_| ())
}

fn reference(door: &Door, kind: Kind, call: &Call) -> Result<String, Out> {
    let given = call.query.get("ref").filter(|text| !text.is_empty());
    let code = if kind == Kind::Nfce {
        "ref_ausente"
    } else {
        INVALID
    };
    let given = given.ok_or_else(|| Out::error(door, 400, code, "Falta o parâmetro \"ref\"."))?;
    // The address of this note would be that of voiding numbers.
    if kind.is_product() && given == "inutilizacao" {
        let message = "Use outra referência: esta é o nome de um endereço.";
        return Err(Out::error(door, 400, INVALID, message));
    }
    Ok(given.clone())
}

/// Refuses a reference that the operation found in use, as the note that has it is by now.
///
/// # Errors
/// Always, unless the operation did not say which note it is.
async fn in_use(
    door: &Door,
    kind: Kind,
    call: &Call,
    company: &EmitterRow,
    answer: &Value,
) -> Result<(), Out> {
    let Some(id) = answer["nota_id"].as_str() else {
        return Ok(());
    };
    let Some(nota) = by_id(door, call, kind, &NotaId::from(id)).await? else {
        return Ok(());
    };
    if nota.emitter_id != company.id {
        return Err(shared(door));
    }
    free(door, &nota)?;
    // It came to nothing since. Who asks for it at the address of its kind is told; sent
    // once more, the reference is free.
    Err(processed(door))
}

/// The refusal of a reference whose note is being processed.
fn processed(door: &Door) -> Out {
    Out::error(
        door,
        422,
        "em_processamento",
        "A nota desta referência está em processamento: consulte-a.",
    )
}

/// Whether the authority denied a note for good.
fn was_denied(nota: &NotaRow) -> bool {
    let kind = match nota.modelo {
        Model::Nfe => Kind::Nfe,
        Model::Nfce => Kind::Nfce,
        Model::Nfse | Model::Cte | Model::Mdfe => return false,
    };
    let rejection: Value = serde_json::from_str(&nota.rejeicao).unwrap_or_default();
    is_denied(kind, &rejection)
}

/// Whether a reference that was used before may be used again: after a note that does
/// not exist, and was not denied for good.
fn free(door: &Door, earlier: &NotaRow) -> Result<(), Out> {
    let refused = |code: &str, message: &str| Err(Out::error(door, 422, code, message));
    match earlier.status {
        NotaStatus::InTransmission | NotaStatus::PendingCity => Err(processed(door)),
        NotaStatus::Authorized | NotaStatus::Validated | NotaStatus::Cancelled => refused(
            "nfe_autorizada",
            "Já existe uma nota autorizada com esta referência.",
        ),
        NotaStatus::Rejected if was_denied(earlier) => refused(
            "nfe_denegada",
            "A nota desta referência foi denegada: use outra referência.",
        ),
        NotaStatus::Rejected | NotaStatus::NotSent | NotaStatus::Draft => Ok(()),
    }
}

fn issuer(door: &Door, kind: Kind, company: &EmitterRow) -> Result<Issuer, Out> {
    let perfil: Result<Perfil, _> = serde_json::from_str(&company.perfil);
    let perfil = perfil.map_err(|error| Out::failed(door, kind, Failure::from(error)))?;
    Ok(Issuer {
        cnpj: company.cnpj.clone(),
        perfil,
    })
}

/// Holds the total that the body says against the one the hub comes to. Nothing is
/// stored or sent for it.
async fn total(door: &Door, kind: Kind, call: &Call, order: &Order) -> Result<(), Out> {
    let Some(stated) = orders::stated_total(kind, &call.body) else {
        return Ok(());
    };
    let body = Value::Object(order.body.clone());
    let reply = rehearsed(door, call, kind, body).await?;
    // What is refused here is refused by the operation, too, and told from there.
    if !reply.ok() {
        return Ok(());
    }
    let own = markup::decimal::from_json(&reply.json()["valor_total"]);
    match own {
        Some(own) if own != stated => Err(invalid(
            door,
            &[Fault {
                field: "valor_total".to_owned(),
                message: format!("O total ({stated}) difere do que o hub calcula ({own})."),
            }],
        )),
        _ => Ok(()),
    }
}
