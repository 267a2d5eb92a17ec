//! Asking the hub's operations and its records.

use super::Door;
use super::entry::Call;
use super::out::Out;
use crate::kind::Kind;
use api::inside::Reply;
use axum::http::{HeaderMap, HeaderValue, Method};
use base::errors::Failure;
use serde_json::Value;
use store::DbError;
use store::ids::NotaId;
use store::tables::emitters::{self, EmitterRow};
use store::tables::eventos::{self, EventoRow, EventoStatus};
use store::tables::notas::{self, NotaRow};

/// Asks an operation with the caller's key.
///
/// # Errors
/// It could not be asked at all.
pub(super) async fn ask(
    door: &Door,
    call: &Call,
    kind: Kind,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Reply, Out> {
    ask_with(door, call, kind, HeaderMap::new(), method, path, body).await
}

/// Asks an issuing operation to answer before the authority does.
///
/// # Errors
/// As [`ask`].
pub(super) async fn ask_at_once(
    door: &Door,
    call: &Call,
    kind: Kind,
    path: &str,
    body: &Value,
) -> Result<Reply, Out> {
    let mut headers = HeaderMap::new();
    headers.insert("prefer", HeaderValue::from_static("respond-async"));
    ask_with(door, call, kind, headers, Method::POST, path, Some(body)).await
}

async fn ask_with(
    door: &Door,
    call: &Call,
    kind: Kind,
    headers: HeaderMap,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Reply, Out> {
    let body = body.map(|body| body.to_string().into_bytes());
    let body = body.unwrap_or_default();
    let (inside, let_in, path) = (door.inside.clone(), call.let_in.clone(), path.to_owned());
    let asked = apart(async move {
        let asked = inside.ask_as(&let_in, method, &path, headers, body);
        asked.await
    });
    asked
        .await
        .map_err(|error| Out::failed(door, kind, error.into()))
}

/// What an issuing operation would make of a body.
///
/// # Errors
/// It could not be asked at all.
pub(super) async fn rehearsed(
    door: &Door,
    call: &Call,
    kind: Kind,
    body: Value,
) -> Result<Reply, Out> {
    let (inside, known) = (door.inside.clone(), call.let_in.known.clone());
    let asked = apart(async move { inside.rehearse(&known, kind.model(), body).await });
    asked
        .await
        .map_err(|error| Out::failed(door, kind, error.into()))
}

/// Does work in a task of its own. A call and the operations it is made of, one inside
/// the other, are deeper than the stack of a thread in a build without optimization.
///
/// # Errors
/// Those of the work, or that it panicked.
pub(super) async fn apart<T: Send + 'static>(
    work: impl Future<Output = anyhow::Result<T>> + Send + 'static,
) -> anyhow::Result<T> {
    base::traces::spawn(work).await?
}

/// The newest note of a reference, of each company that used it, at most two; none where
/// the key sees none.
///
/// # Errors
/// The database failed.
pub(super) async fn found(
    door: &Door,
    call: &Call,
    kind: Kind,
    reference: &str,
) -> Result<Vec<NotaRow>, Out> {
    if !usable(reference) {
        return Ok(Vec::new());
    }
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let found = notas::newest_by_reference(
        &mut conn,
        call.account(),
        kind.model(),
        reference,
        call.unseen(),
    );
    found.await.map_err(failed)
}

/// Whether a note can have the reference. None has a control character, and PostgreSQL cannot
/// even compare a NUL.
fn usable(reference: &str) -> bool {
    !reference.is_empty() && !reference.chars().any(char::is_control)
}

/// The newest note of each kind that a company sent under a reference and that came to
/// nothing; none where the key sees none.
///
/// # Errors
/// The database failed.
pub(super) async fn released(
    door: &Door,
    call: &Call,
    kind: Kind,
    company: &EmitterRow,
    reference: &str,
) -> Result<Vec<NotaRow>, Out> {
    if !usable(reference) {
        return Ok(Vec::new());
    }
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let (account, unseen) = (call.account(), call.unseen());
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let released = notas::newest_released(&mut conn, account, &company.id, reference, unseen);
    released.await.map_err(failed)
}

/// A note of the account by its id.
///
/// # Errors
/// The database failed.
pub(super) async fn by_id(
    door: &Door,
    call: &Call,
    kind: Kind,
    id: &NotaId,
) -> Result<Option<NotaRow>, Out> {
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    notas::get(&mut conn, call.account(), id)
        .await
        .map_err(failed)
}

/// The note of a reference, which may end in `.json`, as in their older examples.
///
/// # Errors
/// 404: there is none, or the key does not see it. 422: two companies of the account have
/// one, and a guess could cancel the wrong one.
pub(super) async fn note(
    door: &Door,
    call: &Call,
    kind: Kind,
    reference: &str,
) -> Result<NotaRow, Out> {
    let mut notes = found(door, call, kind, reference).await?;
    if let (true, Some(plain)) = (notes.is_empty(), reference.strip_suffix(".json")) {
        notes = found(door, call, kind, plain).await?;
    }
    let mut notes = notes.into_iter();
    match (notes.next(), notes.next()) {
        (Some(note), None) => Ok(note),
        (None, _) => Err(Out::error(
            door,
            404,
            "nao_encontrado",
            "Nota fiscal não encontrada.",
        )),
        (Some(_), Some(_)) => Err(shared(door)),
    }
}

/// The refusal of a reference that two companies of the account use: these addresses do
/// not say which company is meant.
pub(super) fn shared(door: &Door) -> Out {
    Out::error(
        door,
        422,
        "ref_de_outra_empresa",
        "Outra empresa desta conta já usa esta ref. Use refs que não se repetem entre as empresas da conta.",
    )
}

/// The company of a CNPJ.
///
/// # Errors
/// 403: the account has none.
pub(super) async fn company(
    door: &Door,
    call: &Call,
    kind: Kind,
    cnpj: &str,
) -> Result<EmitterRow, Out> {
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let company = emitters::by_cnpj(&mut conn, call.account(), cnpj);
    company.await.map_err(failed)?.ok_or_else(|| {
        Out::error(
            door,
            403,
            "permissao_negada",
            "O CNPJ do emitente não está cadastrado nesta conta.",
        )
    })
}

/// The company of a note.
///
/// # Errors
/// The database failed.
pub(super) async fn company_of(
    door: &Door,
    call: &Call,
    kind: Kind,
    nota: &NotaRow,
) -> Result<String, Out> {
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let company = emitters::get(&mut conn, call.account(), &nota.emitter_id);
    let company = company.await.map_err(failed)?;
    Ok(company.map(|company| company.cnpj).unwrap_or_default())
}

/// Registered events of a note whose document is kept, oldest first.
///
/// # Errors
/// The database failed.
pub(super) async fn registered(
    door: &Door,
    call: &Call,
    kind: Kind,
    nota: &NotaRow,
) -> Result<Vec<EventoRow>, Out> {
    let failed = |error: DbError| Out::failed(door, kind, Failure::from(error));
    let mut conn = door.app.db.read().await.map_err(failed)?;
    let all = eventos::standing(&mut conn, call.account(), &nota.id).await;
    let mut all = all.map_err(failed)?;
    let kept = eventos::with_xml(&mut conn, call.account(), &nota.id).await;
    let kept = kept.map_err(failed)?;
    all.retain(|event| event.status == EventoStatus::Registered && kept.contains(&event.id));
    Ok(all)
}
