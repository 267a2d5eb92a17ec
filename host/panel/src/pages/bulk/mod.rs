//! Issuing many notes of a file: it is checked line by line first, a person
//! confirms, the hub issues (`work`), and a file says what became of each line.

pub mod batch;
pub mod columns;
mod repeated;
mod result;
mod state;
mod view;
pub mod work;

use self::batch::{groups, judged};
use self::columns::Columns;
use self::state::Counts;
use self::view::Seen;
use super::issue::body::model_of;
use super::issue::city::Cities;
use super::issue::inputs::KINDS;
use super::issue::offered;
use crate::Panel;
use crate::form::{Fields, Sent};
use crate::parts::encoded;
use crate::reply::Problem;
use crate::visitor::Visitor;
use accounts::users::role::Action;
use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use objects::sheet;
use serde_json::json;
use std::collections::BTreeMap;
use std::convert::Infallible;
use store::TxError;
use store::ids::LoteId;
use store::tables::lotes::{self, LoteLineRow, LoteNotaRow, LoteRow, LoteStatus};
use tokio::sync::Semaphore;

/// Batches a page of the list shows.
const SHOWN: usize = 20;
/// A small file may become a workbook of many megabytes: few are read at a time.
static READING: Semaphore = Semaphore::const_new(2);
/// Lines of a batch that are read: more than a file may have.
const LINES: i64 = 1_000;
/// Most batches an account keeps.
const MOST: i64 = 1_000;
/// Longest name of a file that is kept, in characters.
const NAME_CHARS: usize = 120;

pub fn router() -> Router<Panel> {
    Router::new()
        .route("/painel/lotes", get(list).post(upload))
        .route("/painel/lotes/modelo/{arquivo}", get(template))
        .route("/painel/lotes/{id}", get(one))
        .route("/painel/lotes/{id}/{arquivo}", get(file))
        .route("/painel/lotes/{id}/emitir", post(confirm))
        .route("/painel/lotes/{id}/descartar", post(discard))
}

async fn list(
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Result<Response, Problem> {
    let before = query.get("cursor").map_or("", |cursor| cursor.trim());
    listed(&visitor, &Fields::default(), "", before).await
}

/// The page a batch begins on. `wrong`: why a file was not taken.
async fn start(visitor: &Visitor, fields: &Fields, wrong: &str) -> Result<Response, Problem> {
    listed(visitor, fields, wrong, "").await
}

/// As [`start`], with the batches behind one of the list.
async fn listed(
    visitor: &Visitor,
    fields: &Fields,
    wrong: &str,
    before: &str,
) -> Result<Response, Problem> {
    let companies = offered(visitor, fields.get("emitente")).await?;
    let mut conn = visitor.read().await?;
    let account = &visitor.session.row.account_id;
    let live = visitor.session.row.live;
    let most = i64::try_from(SHOWN + 1).unwrap_or(MOST);
    let batches = lotes::latest(&mut conn, account, live, before, most).await;
    let mut batches = batches.map_err(anyhow::Error::from)?;
    let more = batches.len() > SHOWN;
    batches.truncate(SHOWN);
    let last = batches.last().map_or("", |batch| batch.id.as_str());
    let next = json!({ "tem_mais": more, "proximo_cursor": last });
    let mut counted = Vec::new();
    for batch in batches {
        let counts = lotes::counts(&mut conn, &batch.id).await;
        let counts = Counts::of(&counts.map_err(anyhow::Error::from)?);
        counted.push((batch, counts));
    }
    drop(conn);
    let status = if wrong.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let page = view::list(visitor, (fields, wrong), &companies, &counted, &next);
    Ok((status, page).into_response())
}

/// The file that is offered to be filled in: `nfe.csv` or `nfe.xlsx`.
async fn template(_visitor: Visitor, Path(name): Path<String>) -> Result<Response, Problem> {
    let file = result::model(&name).map_err(anyhow::Error::from)?;
    file.ok_or_else(|| {
        Problem::new(
            404,
            "Arquivo não encontrado",
            "Há um modelo para cada tipo de nota.",
        )
        .back("/painel/lotes")
    })
}

/// Runs `work` on a blocking thread once there is a place, which it keeps until it ends: a
/// browser that hangs up ends this future, not the thread.
///
/// # Errors
/// `work` panicked.
pub async fn in_turn<T: Send + 'static>(
    places: &'static Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> anyhow::Result<T> {
    let place = places.acquire().await?;
    let task = move || {
        let done = work();
        drop(place);
        done
    };
    Ok(tokio::task::spawn_blocking(task).await?)
}

async fn upload(sent: Sent) -> Result<Response, Problem> {
    let (visitor, fields) = (&sent.visitor, &sent.fields);
    visitor.must(Action::Documentos)?;
    let mut conn = visitor.read().await?;
    let kept = lotes::kept(&mut conn, &visitor.session.row.account_id, MOST).await;
    drop(conn);
    if kept.map_err(anyhow::Error::from)? >= MOST {
        let sentence = format!("A conta guarda até {MOST} lotes. Descarte os que não usa mais.");
        return start(visitor, fields, &sentence).await;
    }
    let kind = KINDS.iter().find(|(kind, _)| *kind == fields.get("tipo"));
    let kind = kind.map_or("nfe", |(kind, _)| kind);
    let name = fields.file_name("arquivo").to_owned();
    let file = fields.file("arquivo").to_vec();
    let mut lines = match in_turn(&READING, move || sheet::read(&name, &file)).await? {
        Ok(lines) => lines,
        Err(sentence) => return start(visitor, fields, &sentence).await,
    };
    let mut titles = lines.remove(0);
    let titled = titles.len();
    // Cells behind the last title are in the files that are given back, too.
    let width = lines.iter().map(Vec::len).max().unwrap_or_default();
    titles.resize(width.max(titles.len()), String::new());
    let columns = match Columns::read(&titles, kind) {
        Ok(columns) if sheet::has_commas(fields.file("arquivo")) => columns.parted(titled),
        Ok(columns) => columns,
        Err(sentence) => return start(visitor, fields, &sentence).await,
    };
    let company = fields.get("emitente");
    let known = offered(visitor, company).await?;
    if known.options.iter().all(|(id, _)| id != company) {
        return start(visitor, fields, "Escolha a empresa que emite as notas.").await;
    }
    let mut cities = Cities::default();
    let (mut rows, mut price) = (Vec::new(), 0);
    for group in groups(&columns, lines) {
        let (row, cost) = judged(visitor, &columns, &group, (kind, company), &mut cities).await?;
        price = price.max(cost);
        rows.push(row);
    }
    let batch = LoteRow {
        id: LoteId::new(visitor.panel.app.now_ms()),
        account_id: visitor.session.row.account_id.clone(),
        live: visitor.session.row.live,
        user_id: visitor.session.row.user_id.clone(),
        emitter_id: company.into(),
        modelo: model_of(kind),
        arquivo: shown(fields.file_name("arquivo")),
        colunas: serde_json::to_string(&titles).map_err(anyhow::Error::from)?,
        preco: price,
        created_at_ms: visitor.panel.app.now_ms(),
        ..LoteRow::default()
    };
    let to = address(&batch.id);
    keep(visitor, batch, rows).await?;
    Ok(Redirect::to(&to).into_response())
}

/// The name of a file as pages show it.
fn shown(name: &str) -> String {
    let visible = name.chars().filter(|sign| !sign.is_control());
    visible.take(NAME_CHARS).collect()
}

async fn keep(
    visitor: &Visitor,
    batch: LoteRow,
    mut rows: Vec<LoteNotaRow>,
) -> Result<(), Problem> {
    for row in &mut rows {
        row.lote_id = batch.id.clone();
    }
    let written = visitor
        .panel
        .app
        .db
        .write((batch, rows), |(batch, rows), conn| {
            Box::pin(async move {
                lotes::insert(conn, batch).await?;
                for row in rows {
                    lotes::insert_nota(conn, row).await?;
                }
                Ok::<_, TxError<Infallible>>(())
            })
        });
    Ok(written.await.map_err(anyhow::Error::from)?)
}

fn address(id: &str) -> String {
    format!("/painel/lotes/{}", encoded(id))
}

/// A batch of the account, in the world where it is.
///
/// # Errors
/// There is none, or its page is in the other world.
async fn found(visitor: &Visitor, id: &str) -> Result<(LoteRow, Vec<LoteLineRow>), Problem> {
    let mut conn = visitor.read().await?;
    let account = &visitor.session.row.account_id;
    let batch = lotes::get(&mut conn, account, &id.into()).await;
    let batch = batch.map_err(anyhow::Error::from)?.ok_or_else(|| {
        Problem::new(
            404,
            "Lote não encontrado",
            "O lote não existe, ou já foi descartado.",
        )
        .back("/painel/lotes")
    })?;
    if batch.live != visitor.session.row.live {
        let world = if batch.live == 1 { "producao" } else { "teste" };
        return Err(Problem::elsewhere(format!(
            "{}?ambiente={world}",
            address(id)
        )));
    }
    let lines = lotes::lines(&mut conn, &batch.id, LINES).await;
    let lines = lines.map_err(anyhow::Error::from)?;
    Ok((batch, lines))
}

async fn one(visitor: Visitor, Path(id): Path<String>) -> Result<Response, Problem> {
    let (mut batch, lines) = found(&visitor, &id).await?;
    if batch.status == LoteStatus::Checked {
        batch.preco = price(&visitor, &batch).await?;
    }
    let repeats = match batch.status {
        LoteStatus::Checked | LoteStatus::Stopped => {
            let mut conn = visitor.read().await?;
            let found = repeated::find(&mut conn, &batch, &lines).await;
            found.map_err(anyhow::Error::from)?
        }
        LoteStatus::Issuing | LoteStatus::Finished => Vec::new(),
    };
    // A company that is gone leaves its batches.
    let path = format!("/api/v1/emitters/{}", encoded(&batch.emitter_id));
    let company = visitor.ask(Method::GET, &path, None).await?;
    let company = if company.ok() {
        company.json()
    } else {
        serde_json::Value::Null
    };
    let balance = visitor.get("/api/v1/creditos").await?;
    let available = balance["disponivel"].as_i64().unwrap_or_default();
    let seen = Seen {
        batch: &batch,
        lines: &lines,
        repeats: &repeats,
        company: &company,
        available,
    };
    Ok(view::batch(&visitor, &seen).into_response())
}

/// What a note of a batch costs by now: the company may have got a certificate
/// after the file was checked.
async fn price(visitor: &Visitor, batch: &LoteRow) -> Result<i64, Problem> {
    let mut conn = visitor.read().await?;
    let next = lotes::open(&mut conn, &batch.id, 1).await;
    drop(conn);
    let next = next.map_err(anyhow::Error::from)?;
    let Some(next) = next.first() else {
        return Ok(batch.preco);
    };
    let body = serde_json::from_str(&next.corpo).map_err(anyhow::Error::from)?;
    let reply = visitor.rehearse(batch.modelo, body).await?;
    Ok(reply.json()["preco"].as_i64().unwrap_or(batch.preco))
}

/// `resultado.csv` or `corrigir.csv` of a batch.
async fn file(
    visitor: Visitor,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (batch, lines) = found(&visitor, &id).await?;
    match name.as_str() {
        "resultado.csv" => Ok(result::all(&batch, &lines)),
        "corrigir.csv" => Ok(result::to_correct(&batch, &lines)),
        _ => Err(Problem::new(
            404,
            "Arquivo não encontrado",
            "O lote não tem este arquivo.",
        )
        .back(&address(&id))),
    }
}

/// Somebody confirms: the hub begins to issue, or goes on. Notes that are equal
/// to those of another batch are left out, unless the form wants them again.
async fn confirm(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Documentos)?;
    let (batch, lines) = found(visitor, &id).await?;
    let ready = lines.iter().filter(|line| !line.status.is_over()).count();
    if ready == 0 {
        return Ok(Redirect::to(&address(&id)).into_response());
    }
    let now_ms = visitor.panel.app.now_ms();
    let again = sent.fields.on("repetidas");
    let input = (batch, lines, again, now_ms);
    let begun = visitor
        .panel
        .app
        .db
        .write(input, |(batch, lines, again, now_ms), conn| {
            Box::pin(async move {
                if !lotes::confirm(conn, &batch.account_id, &batch.id, *now_ms).await? {
                    return Ok(None);
                }
                let left = if *again {
                    0
                } else {
                    repeated::leave_out(conn, batch, lines).await?
                };
                Ok::<_, TxError<Infallible>>(Some(left))
            })
        });
    if let Some(left) = begun.await.map_err(anyhow::Error::from)? {
        let issued = ready.saturating_sub(left);
        visitor
            .note("lote.emitido", &id, &issued.to_string())
            .await?;
    }
    Ok(Redirect::to(&address(&id)).into_response())
}

async fn discard(Path(id): Path<String>, sent: Sent) -> Result<Response, Problem> {
    let visitor = &sent.visitor;
    visitor.must(Action::Documentos)?;
    let (batch, _) = found(visitor, &id).await?;
    let input = (batch.account_id.clone(), batch.id.clone());
    let gone = visitor.panel.app.db.write(input, |(account, id), conn| {
        Box::pin(
            async move { Ok::<_, TxError<Infallible>>(lotes::discard(conn, account, id).await?) },
        )
    });
    if !gone.await.map_err(anyhow::Error::from)? {
        return Ok(Redirect::to(&address(&id)).into_response());
    }
    visitor.note("lote.descartado", &id, "").await?;
    Ok(Redirect::to("/painel/lotes").into_response())
}
