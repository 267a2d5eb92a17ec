//! `hub adapter record`: flows of a note become cases. What was exchanged is taken from
//! the journal, persons are replaced (`scrub`), and the adapter plays the case once to
//! write what it sends and how it ends.

mod scrub;

use super::player::{self, Case};
use anyhow::Context as _;
use authority::way::{Mode, Way};
use cassette::{NoResponse, Response};
use flow::contract::{Ambiente, Context, Event};
use flow::{Loaded, Runtime};
use scrub::Scrub;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use store::ids::FlowId;
use store::tables::flows::{self, FlowRow, TurnRow};
use store::{Db, DbResult};

/// Headers of an answer that an adapter may look at.
const HEADERS: [&str; 2] = ["content-type", "location"];

/// The flows of a note that ended, with their turns.
///
/// # Errors
/// The database fails.
pub async fn of_note(db: &Db, note: &str) -> DbResult<Vec<(FlowRow, Vec<TurnRow>)>> {
    let mut conn = db.read().await?;
    let Some(last) = flows::last_of(&mut conn, note).await? else {
        return Ok(Vec::new());
    };
    let turns = flows::turns_of(&mut conn, &last.account_id, note).await?;
    let mut ids: Vec<FlowId> = turns.iter().map(|turn| turn.flow_id.clone()).collect();
    ids.dedup();
    let mut found = Vec::new();
    for id in ids {
        let row = flows::get(&mut conn, &id).await?;
        let of_flow = turns.iter().filter(|turn| turn.flow_id == id).cloned();
        found.extend(row.map(|row| (row, of_flow.collect())));
    }
    Ok(found)
}

/// Writes one flow as a case in `folder`, which must not exist, and plays it.
///
/// # Errors
/// The flow cannot be read, the component does something else than it did, or a person
/// of the flow is still in a file: then the folder is removed.
pub fn write(
    runtime: &Runtime,
    loaded: &Loaded,
    (row, turns): &(FlowRow, Vec<TurnRow>),
    folder: &Path,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder.parent().unwrap_or(folder))?;
    std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
    let written = files(row, turns, folder).and_then(|scrub| {
        let case = Case::recording(folder).map_err(anyhow::Error::msg)?;
        player::play_case(runtime, loaded, &case).map_err(anyhow::Error::msg)?;
        nobody_left(&scrub, folder)?;
        // As the tests will: what was written must be what is played.
        player::play(runtime, loaded, folder).map_err(anyhow::Error::msg)
    });
    if let Err(error) = written {
        std::fs::remove_dir_all(folder)?;
        return Err(error);
    }
    Ok(())
}

/// `case.toml`, `input.json` and the answers.
fn files(row: &FlowRow, turns: &[TurnRow], folder: &Path) -> anyhow::Result<Scrub> {
    let context: Context = serde_json::from_str(&row.context).context("context of the flow")?;
    let way: Way = serde_json::from_str(&row.way).context("way of the flow")?;
    let content: Value = serde_json::from_str(&row.conteudo).context("content of the flow")?;
    let scrub = Scrub::of(&context, &content, row.id.as_str());
    let day = base::when::format(base::when::utc(row.created_at_ms));
    let day = day.split('T').next().unwrap_or_default();
    let origin = match way.mode {
        Mode::Official => format!("real: {}, {day}", environment(&context)),
        Mode::InProcess | Mode::Simulator => format!("synthetic: simulated authority, {day}"),
    };
    let about = format!(
        "title = \"Recorded: {}\"\norigin = \"{origin}\"\n",
        row.operacao.as_str()
    );
    std::fs::write(folder.join("case.toml"), about)?;
    let input = serde_json::to_string_pretty(&input(row, &context, &content))?;
    std::fs::write(folder.join("input.json"), scrub.text(&input) + "\n")?;
    let case = cassette::Case::open(folder).map_err(anyhow::Error::msg)?;
    for turn in turns.iter().filter(|turn| turn.step > 0) {
        let number = u32::try_from(turn.step)?;
        answer(&case, number, turn, &scrub)
            .with_context(|| format!("turn {number} of flow {}", row.id))?;
    }
    Ok(scrub)
}

fn environment(context: &Context) -> &'static str {
    match context.ambiente {
        Ambiente::Producao => "producao",
        Ambiente::Homologacao => "homologacao",
    }
}

fn input(row: &FlowRow, context: &Context, content: &Value) -> Value {
    let pairs = |named: &[flow::contract::Named]| -> Value {
        let pairs = named.iter().map(|it| (it.name.clone(), json!(it.value)));
        Value::Object(pairs.collect())
    };
    let emitter = &context.emitente;
    let mut given = json!({
        "flow": row.id.as_str(),
        "now": context.now,
        "ambiente": environment(context),
        "uf": context.uf,
        "emitente": {
            "documento": emitter.documento,
            "inscricao_municipal": emitter.inscricao_municipal,
            "inscricao_estadual": emitter.inscricao_estadual,
            "razao_social": emitter.razao_social,
            "extras": pairs(&emitter.extras),
        },
        "endpoints": context.endpoints,
        "options": pairs(&context.options),
        "secrets": context.secrets,
    });
    if let Some(municipality) = &context.municipio {
        given["municipio"] = json!({
            "codigo": municipality.codigo,
            "nome": municipality.nome,
            "uf": municipality.uf,
            "codigo_tom": municipality.codigo_tom,
        });
    }
    given["entropy"] = json!(flow::hex(&context.entropy));
    json!({
        "operation": {
            "nome": row.operacao.as_str(),
            "schema": issuing::run::work::schema_of(row.operacao),
            "conteudo": content,
        },
        "context": given,
    })
}

/// The head of an answer in the journal.
#[derive(Deserialize)]
struct Head {
    response: HeadOfResponse,
}

#[derive(Deserialize)]
struct HeadOfResponse {
    status: u16,
    headers: Vec<flow::contract::Named>,
}

/// What came in at a turn, as a file of the case. A pause leaves none.
fn answer(case: &cassette::Case, number: u32, turn: &TurnRow, scrub: &Scrub) -> anyhow::Result<()> {
    let event: Value = serde_json::from_str(&turn.event)?;
    if event.get("response").is_some() {
        let Head { response: head } = serde_json::from_value(event)?;
        let headers = head.headers.into_iter().filter(|header| {
            let name = header.name.to_ascii_lowercase();
            HEADERS.contains(&name.as_str())
        });
        let response = Response {
            status: head.status,
            headers: headers
                .map(|header| (header.name, scrub.text(&header.value)))
                .collect(),
            means: None,
            body: turn.event_body.clone(),
        };
        let written = case.put_response(number, &response, &|bytes| scrub.bytes(bytes));
        return written.map_err(anyhow::Error::msg);
    }
    match serde_json::from_value(event)? {
        Event::NoResponse(fault) => {
            let silence = NoResponse {
                kind: player::kind_word(fault.kind).to_owned(),
                detail: scrub.text(&fault.detail),
                maybe_arrived: fault.maybe_arrived,
            };
            case.put_silence(number, &silence)
                .map_err(anyhow::Error::msg)
        }
        Event::Elapsed => Ok(()),
        Event::Cancelled => anyhow::bail!("somebody gave up: such a flow is not recorded"),
        Event::Response(_) => anyhow::bail!("an answer without its head"),
    }
}

/// No file has anything of a person of the flow.
fn nobody_left(scrub: &Scrub, folder: &Path) -> anyhow::Result<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.sort();
    for file in files {
        let bytes = std::fs::read(&file)?;
        if let Some(kind) = scrub.left_in(&bytes) {
            anyhow::bail!(
                "{}: {kind} of the flow is still there, in a form that is not known",
                file.display()
            );
        }
    }
    Ok(())
}
