//! Asking the distribution for a company, page after page.

use crate::batch::Received;
use crate::keep::{self, Item, Owner};
use crate::learn;
use crate::pause::{self, End, Kind, Turn};
use crate::reply::{self, NoDocuments, Page};
use authority::question::ask;
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use issuing::Issuing;
use issuing::actions::event::rumo_to;
use issuing::emitters::profile::Perfil;
use issuing::issue::incomplete;
use issuing::model::Ambiente;
use issuing::route::{self, Sefaz};
use markup::ids::chave::Chave;
use serde_json::json;
use std::convert::Infallible;
use store::ids::RecebidaId;
use store::tables::distribuicao::{self, DistribuicaoRow};
use store::tables::emitters::EmitterRow;
use store::{DbResult, TxError};

/// What is asked for.
#[derive(Clone, Debug)]
pub enum Mode {
    /// What came since the last time.
    New,
    /// The document of this NSU.
    Nsu(i64),
    /// The note of this key.
    Chave(Chave),
}

impl Mode {
    fn kind(&self) -> Kind {
        match self {
            Mode::New => Kind::New,
            Mode::Nsu(_) | Mode::Chave(_) => Kind::Single,
        }
    }
}

/// A question for a company.
#[derive(Clone, Debug)]
pub struct Query {
    pub emitter: EmitterRow,
    pub ambiente: Ambiente,
    pub mode: Mode,
}

/// What it brought.
#[derive(Clone, Debug, Default)]
pub struct AskResult {
    pub items: Vec<Item>,
    pub notices: Vec<String>,
    pub last_nsu: i64,
    pub max_nsu: i64,
    /// When new documents may be asked for, epoch milliseconds.
    pub next_ms: i64,
}

/// Asks, keeps what comes, and goes on while there is more.
///
/// # Errors
/// 423 when it is too early, nothing was sent then; 422 without certificate;
/// what the authority refuses; 503 when it does not answer.
pub async fn consult(app: &Issuing, query: Query) -> Result<AskResult, Failure> {
    // In a task of its own: a caller that goes away must not lose an answer
    // that cost an hour.
    base::traces::spawn(execute(app.clone(), query))
        .await
        .map_err(anyhow::Error::from)?
}

/// Whose turn it is: the national environment counts by CNPJ, the simulated
/// one of an account knows no other account.
fn who(emitter: &EmitterRow, ambiente: Ambiente) -> String {
    match ambiente {
        Ambiente::Simulated => format!("{}/{}", emitter.account_id, emitter.cnpj),
        Ambiente::Production | Ambiente::Homologacao => emitter.cnpj.clone(),
    }
}

async fn execute(app: Issuing, query: Query) -> Result<AskResult, Failure> {
    let Query {
        emitter,
        ambiente,
        mode,
    } = query;
    let (rumo, uf) = rumo(&app, &emitter, ambiente).await?;
    let mut asked = Asked {
        turn: pause::take(&app, &who(&emitter, ambiente), ambiente, mode.kind()).await?,
        owner: Owner {
            account_id: emitter.account_id.clone(),
            emitter_id: emitter.id.clone(),
            ambiente,
            simulated: ambiente == Ambiente::Simulated,
        },
        now_ms: app.now_ms(),
        ..Asked::default()
    };
    // Read with the turn in hand: nobody else moves it meanwhile.
    let mut result = {
        let mut conn = app.db.read().await?;
        let known = distribuicao::get(&mut conn, &emitter.id, ambiente).await?;
        let stands = known.map(|known| (known.ultimo_nsu, known.max_nsu));
        let (last_nsu, max_nsu) = stands.unwrap_or_default();
        AskResult {
            last_nsu,
            max_nsu,
            ..AskResult::default()
        }
    };
    let began_ms = asked.now_ms;
    for page in 1..=app.config.issuing.distribution_pages {
        let content = question(&emitter.cnpj, uf, &mode, result.last_nsu).to_string();
        let account = &emitter.account_id;
        let outcome = ask(&app, account, &rumo, "distribuicao", SCHEMA, content).await;
        asked.now_ms = app.now_ms();
        let (since, now_ms) = (result.last_nsu, asked.now_ms);
        let read = tokio::task::spawn_blocking(move || reply::read(outcome, since, now_ms))
            .await
            .map_err(anyhow::Error::from)?;
        let this_page = match read {
            Ok(this_page) => this_page,
            Err(failure) => return Err(refused(&app, asked, *failure, &mode).await),
        };
        let in_time = now_ms - began_ms < i64::try_from(app.config.issuing.wait_ms).unwrap_or(0);
        let may = page < app.config.issuing.distribution_pages && in_time;
        asked.end = this_page.end(mode.kind(), may);
        asked.advance(&this_page, &mode);
        let goes_on = asked.end == End::Continues;
        result.notices.extend(this_page.notices);
        asked.received_documents = this_page.received_documents;
        let products = learn::told(&asked.owner, &asked.received_documents);
        let kept = keep(&app, asked).await?;
        asked = kept.asked;
        learn::learn(&app, &asked.owner, products, asked.now_ms).await;
        result.items.extend(kept.items);
        result.next_ms = kept.free_ms;
        result.last_nsu = result.last_nsu.max(asked.last_nsu);
        result.max_nsu = result.max_nsu.max(asked.max_nsu);
        if !goes_on {
            break;
        }
    }
    // Whoever waits for notes of this company may look.
    app.notifier.changed(&emitter.id);
    Ok(result)
}

/// Schema of the question (wit/schemas/sefaz.distribuicao.json).
const SCHEMA: &str = "sefaz.distribuicao/1";

fn question(cnpj: &str, uf: u8, mode: &Mode, last_nsu: i64) -> serde_json::Value {
    let mut question = json!({ "documento": cnpj, "uf_autor": uf });
    match mode {
        Mode::New => question["ultimo_nsu"] = last_nsu.to_string().into(),
        Mode::Nsu(nsu) => question["nsu"] = nsu.to_string().into(),
        Mode::Chave(chave) => question["chave"] = chave.as_str().into(),
    }
    question
}

/// The way to the national environment, and the company's state.
async fn rumo(
    app: &Issuing,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Result<(Rumo, u8), Failure> {
    let registry = app.registry.load();
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let uf = route::uf(&registry, perfil.municipality().unwrap_or_default()).to_owned();
    let Some(known) = data::ufs::by_uf(&uf) else {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    };
    let nacional = registry.ambiente_nacional().ok_or_else(|| {
        Refusal::new(Code::UfNaoAtendida)
            .message("O registro não tem o ambiente nacional, que distribui as notas.")
    })?;
    let sefaz = Sefaz {
        uf,
        ..Sefaz::from(nacional)
    };
    Ok((rumo_to(app, emitter, &sefaz, ambiente).await?, known.codigo))
}

/// One answer about to be kept.
#[derive(Clone, Default)]
struct Asked {
    turn: Turn,
    owner: Owner,
    received_documents: Vec<Received>,
    end: End,
    /// 0: where the company stands stays as it is.
    last_nsu: i64,
    max_nsu: i64,
    now_ms: i64,
}

impl Asked {
    /// Takes over the NSU of an answer. Only a question about new documents
    /// moves the company's last NSU: after a question for one document,
    /// `ultNSU` is the number of that document.
    fn advance(&mut self, this_page: &Page, mode: &Mode) {
        if matches!(mode, Mode::New) {
            self.last_nsu = this_page.last_nsu;
        }
        self.max_nsu = this_page.max_nsu;
    }
}

struct Kept {
    asked: Asked,
    items: Vec<Item>,
    free_ms: i64,
}

/// Documents, NSU and pause: all of an answer, or nothing of it.
async fn keep(app: &Issuing, asked: Asked) -> DbResult<Kept> {
    let kept = app.db.write(asked, |asked, conn| {
        Box::pin(async move {
            let mut asked = asked.clone();
            let now_ms = asked.now_ms;
            let free_ms = pause::give_back(conn, &mut asked.turn, asked.end, now_ms).await?;
            // Listings are in the order of ids: that of the queue.
            let new_id = |_: &Received| RecebidaId::new(now_ms);
            let mut ids: Vec<RecebidaId> = asked.received_documents.iter().map(new_id).collect();
            ids.sort();
            let mut items = Vec::new();
            for (received, id) in asked.received_documents.iter().zip(ids) {
                items.push(keep::keep(conn, &asked.owner, received, id, now_ms).await?);
            }
            let stands = DistribuicaoRow {
                emitter_id: asked.owner.emitter_id.clone(),
                ambiente: asked.owner.ambiente,
                account_id: asked.owner.account_id.clone(),
                ultimo_nsu: asked.last_nsu,
                max_nsu: asked.max_nsu,
                consultada_ms: now_ms,
                agendada_ms: 0,
            };
            distribuicao::put(conn, &stands).await?;
            asked.received_documents.clear();
            Ok::<_, TxError<Infallible>>(Kept {
                asked,
                items,
                free_ms,
            })
        })
    });
    kept.await.map_err(|error| match error {
        TxError::Db(error) => error,
        TxError::Abort(never) => match never {},
    })
}

/// Writes what a question without documents costs; the refusal to tell.
async fn refused(app: &Issuing, mut asked: Asked, failure: NoDocuments, mode: &Mode) -> Failure {
    asked.end = failure.end;
    if matches!(mode, Mode::New) {
        asked.last_nsu = failure.last_nsu;
    }
    asked.max_nsu = failure.max_nsu;
    match keep(app, asked).await {
        Ok(_) => failure.refusal.into(),
        // The turn runs out by itself, with its whole wait.
        Err(error) => error.into(),
    }
}
