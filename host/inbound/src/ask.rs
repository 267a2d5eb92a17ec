//! Asking the distribution for a company, page after page.

use crate::batch::Recebido;
use crate::keep::{self, Dono, Item};
use crate::pause::{self, Fim, Tipo, Vez};
use crate::reply::{self, Falha, Pagina};
use authority::question::perguntar;
use authority::way::Rumo;
use base::errors::{Code, Failure, Refusal};
use issuing::Issuing;
use issuing::actions::event::rumo_ate;
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
pub enum Modo {
    /// What came since the last time.
    Novas,
    /// The document of this NSU.
    Nsu(i64),
    /// The note of this key.
    Chave(Chave),
}

impl Modo {
    fn tipo(&self) -> Tipo {
        match self {
            Modo::Novas => Tipo::Novas,
            Modo::Nsu(_) | Modo::Chave(_) => Tipo::Pontual,
        }
    }
}

/// A question for a company.
#[derive(Clone, Debug)]
pub struct Consulta {
    pub emitter: EmitterRow,
    pub ambiente: Ambiente,
    pub modo: Modo,
}

/// What it brought.
#[derive(Clone, Debug, Default)]
pub struct Resultado {
    pub itens: Vec<Item>,
    pub avisos: Vec<String>,
    pub ultimo_nsu: i64,
    pub max_nsu: i64,
    /// When new documents may be asked for, epoch milliseconds.
    pub proxima_ms: i64,
}

/// Asks, keeps what comes, and goes on while there is more.
///
/// # Errors
/// 423 when it is too early, nothing was sent then; 422 without certificate;
/// what the authority refuses; 503 when it does not answer.
pub async fn consultar(app: &Issuing, consulta: Consulta) -> Result<Resultado, Failure> {
    // In a task of its own: a caller that goes away must not lose an answer
    // that cost an hour.
    base::traces::spawn(executar(app.clone(), consulta))
        .await
        .map_err(anyhow::Error::from)?
}

/// Whose turn it is: the national environment counts by CNPJ, the simulated
/// one of an account knows no other account.
fn quem(emitter: &EmitterRow, ambiente: Ambiente) -> String {
    match ambiente {
        Ambiente::Simulado => format!("{}/{}", emitter.account_id, emitter.cnpj),
        Ambiente::Producao | Ambiente::Homologacao => emitter.cnpj.clone(),
    }
}

async fn executar(app: Issuing, consulta: Consulta) -> Result<Resultado, Failure> {
    let Consulta {
        emitter,
        ambiente,
        modo,
    } = consulta;
    let (rumo, uf) = rumo(&app, &emitter, ambiente).await?;
    let mut asked = Asked {
        vez: pause::tomar(&app, &quem(&emitter, ambiente), ambiente, modo.tipo()).await?,
        dono: Dono {
            account_id: emitter.account_id.clone(),
            emitter_id: emitter.id.clone(),
            ambiente,
            simulada: ambiente == Ambiente::Simulado,
        },
        now_ms: app.now_ms(),
        ..Asked::default()
    };
    // Read with the turn in hand: nobody else moves it meanwhile.
    let mut resultado = {
        let mut conn = app.db.read().await?;
        let known = distribuicao::get(&mut conn, &emitter.id, ambiente).await?;
        let stands = known.map(|known| (known.ultimo_nsu, known.max_nsu));
        let (ultimo_nsu, max_nsu) = stands.unwrap_or_default();
        Resultado {
            ultimo_nsu,
            max_nsu,
            ..Resultado::default()
        }
    };
    let began_ms = asked.now_ms;
    for page in 1..=app.config.issuing.distribution_pages {
        let conteudo = pergunta(&emitter.cnpj, uf, &modo, resultado.ultimo_nsu).to_string();
        let account = &emitter.account_id;
        let outcome = perguntar(&app, account, &rumo, "distribuicao", SCHEMA, conteudo).await;
        asked.now_ms = app.now_ms();
        let (desde, now_ms) = (resultado.ultimo_nsu, asked.now_ms);
        let read = tokio::task::spawn_blocking(move || reply::ler(outcome, desde, now_ms))
            .await
            .map_err(anyhow::Error::from)?;
        let pagina = match read {
            Ok(pagina) => pagina,
            Err(falha) => return Err(refused(&app, asked, *falha, &modo).await),
        };
        let in_time = now_ms - began_ms < i64::try_from(app.config.issuing.wait_ms).unwrap_or(0);
        let pode = page < app.config.issuing.distribution_pages && in_time;
        asked.fim = pagina.fim(modo.tipo(), pode);
        asked.avanca(&pagina, &modo);
        let goes_on = asked.fim == Fim::Continua;
        resultado.avisos.extend(pagina.avisos);
        asked.recebidos = pagina.recebidos;
        let kept = keep(&app, asked).await?;
        asked = kept.asked;
        resultado.itens.extend(kept.itens);
        resultado.proxima_ms = kept.livre_ms;
        resultado.ultimo_nsu = resultado.ultimo_nsu.max(asked.ultimo_nsu);
        resultado.max_nsu = resultado.max_nsu.max(asked.max_nsu);
        if !goes_on {
            break;
        }
    }
    // Whoever waits for notes of this company may look.
    app.notifier.changed(&emitter.id);
    Ok(resultado)
}

/// Schema of the question (wit/schemas/sefaz.distribuicao.json).
const SCHEMA: &str = "sefaz.distribuicao/1";

fn pergunta(cnpj: &str, uf: u8, modo: &Modo, ultimo_nsu: i64) -> serde_json::Value {
    let mut pergunta = json!({ "documento": cnpj, "uf_autor": uf });
    match modo {
        Modo::Novas => pergunta["ultimo_nsu"] = ultimo_nsu.to_string().into(),
        Modo::Nsu(nsu) => pergunta["nsu"] = nsu.to_string().into(),
        Modo::Chave(chave) => pergunta["chave"] = chave.as_str().into(),
    }
    pergunta
}

/// The way to the national environment, and the company's state.
async fn rumo(
    app: &Issuing,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Result<(Rumo, u8), Failure> {
    let registry = app.registry.load();
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let uf = route::uf(&registry, perfil.municipio().unwrap_or_default()).to_owned();
    let Some(known) = data::ufs::por_sigla(&uf) else {
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
    Ok((
        rumo_ate(app, emitter, &sefaz, ambiente).await?,
        known.codigo,
    ))
}

/// One answer about to be kept.
#[derive(Clone, Default)]
struct Asked {
    vez: Vez,
    dono: Dono,
    recebidos: Vec<Recebido>,
    fim: Fim,
    /// 0: where the company stands stays as it is.
    ultimo_nsu: i64,
    max_nsu: i64,
    now_ms: i64,
}

impl Asked {
    /// Takes over the NSU of an answer. Only a question about new documents
    /// moves the company's last NSU: after a question for one document,
    /// `ultNSU` is the number of that document.
    fn avanca(&mut self, pagina: &Pagina, modo: &Modo) {
        if matches!(modo, Modo::Novas) {
            self.ultimo_nsu = pagina.ultimo_nsu;
        }
        self.max_nsu = pagina.max_nsu;
    }
}

struct Kept {
    asked: Asked,
    itens: Vec<Item>,
    livre_ms: i64,
}

/// Documents, NSU and pause: all of an answer, or nothing of it.
async fn keep(app: &Issuing, asked: Asked) -> DbResult<Kept> {
    let kept = app.db.write(asked, |asked, conn| {
        Box::pin(async move {
            let mut asked = asked.clone();
            let now_ms = asked.now_ms;
            let livre_ms = pause::devolver(conn, &mut asked.vez, asked.fim, now_ms).await?;
            // Listings are in the order of ids: that of the queue.
            let new_id = |_: &Recebido| RecebidaId::new(now_ms);
            let mut ids: Vec<RecebidaId> = asked.recebidos.iter().map(new_id).collect();
            ids.sort();
            let mut itens = Vec::new();
            for (recebido, id) in asked.recebidos.iter().zip(ids) {
                itens.push(keep::guardar(conn, &asked.dono, recebido, id, now_ms).await?);
            }
            let stands = DistribuicaoRow {
                emitter_id: asked.dono.emitter_id.clone(),
                ambiente: asked.dono.ambiente,
                account_id: asked.dono.account_id.clone(),
                ultimo_nsu: asked.ultimo_nsu,
                max_nsu: asked.max_nsu,
                consultada_ms: now_ms,
                agendada_ms: 0,
            };
            distribuicao::put(conn, &stands).await?;
            asked.recebidos.clear();
            Ok::<_, TxError<Infallible>>(Kept {
                asked,
                itens,
                livre_ms,
            })
        })
    });
    kept.await.map_err(|error| match error {
        TxError::Db(error) => error,
        TxError::Abort(never) => match never {},
    })
}

/// Writes what a question without documents costs; the refusal to tell.
async fn refused(app: &Issuing, mut asked: Asked, falha: Falha, modo: &Modo) -> Failure {
    asked.fim = falha.fim;
    if matches!(modo, Modo::Novas) {
        asked.ultimo_nsu = falha.ultimo_nsu;
    }
    asked.max_nsu = falha.max_nsu;
    match keep(app, asked).await {
        Ok(_) => falha.refusal.into(),
        // The turn runs out by itself, with its whole wait.
        Err(error) => error.into(),
    }
}
