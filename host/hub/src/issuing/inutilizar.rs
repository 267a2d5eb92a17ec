//! Voiding numbers that no note has: a signed request, and numbers that are
//! never given out again.

use super::context::AmbienteNota;
use super::evento::{self, Receptor, write};
use super::issue::{self, Answer};
use super::modelo::Modelo;
use super::query::insufficient;
use super::work::{self, Begun, Lease, Started};
use super::{Caller, answer, context};
use crate::app::App;
use crate::db::eventos::{self, EventoRow};
use crate::db::idempotency::{self, Scope, Taken};
use crate::db::numbers::{self, Series};
use crate::db::{Conn, Present as _, TxError, notas};
use crate::errors::{Code, Failure, Refusal};
use crate::ids;
use crate::issuing::perfil::Perfil;
use crate::issuing::query::Rumo;
use crate::issuing::wait::Looks;
use crate::ledger::{self, Movement, Reserve};
use crate::{faultpoint, when};
use fiscal::ids::Cnpj;
use fiscal::nfe::evento::Inutilizacao;
use serde_json::json;

/// Layout of the request (MOC 7.0, annex of layouts).
const LAYOUT: &str = "inutNFe-4.00";

/// A range somebody wants voided.
pub struct Faixa {
    pub caller: Caller,
    pub modelo: Modelo,
    pub emitente_id: Option<String>,
    /// Two digits; absent: this year.
    pub ano: Option<u8>,
    pub serie: u16,
    pub numero_inicial: u32,
    pub numero_final: u32,
    pub justificativa: String,
    pub operation: String,
    pub preco: i64,
    pub idempotency: Option<(Scope, String)>,
}

/// Everything known before the first transaction.
struct Pronta {
    caller: Caller,
    series: Series,
    numeros: std::ops::RangeInclusive<i64>,
    evento: EventoRow,
    conteudo: String,
    rumo: Rumo,
    operation: String,
    idempotency: Option<(Scope, String)>,
    lease: Lease,
    window_ms: i64,
    now_ms: i64,
}

/// Voids a range.
///
/// # Errors
/// Everything to correct; 409 when a number is in use or void already; no
/// credit.
pub async fn inutilizar(app: &App, faixa: Faixa) -> Result<Answer, Failure> {
    let pronta = prepare(app, faixa).await?;
    faultpoint::hit("reserve");
    let started = tokio::spawn(start(app.clone(), pronta))
        .await
        .map_err(anyhow::Error::from)??;
    settled(app, started).await
}

async fn prepare(app: &App, faixa: Faixa) -> Result<Pronta, Failure> {
    let now_ms = app.now_ms();
    let mut conn = app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &faixa.caller, faixa.emitente_id.as_deref()).await?;
    drop(conn);
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = context::uf(&registry, perfil.municipio().unwrap_or_default()).to_owned();
    let Some(known) = data::ufs::por_sigla(&uf) else {
        return Err(
            issue::incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into(),
        );
    };
    let ambiente = issue::produto::ambiente(&faixa.caller, &emitter);
    let hoje = when::local(now_ms, &uf).date();
    let pedido = Inutilizacao {
        producao: ambiente == AmbienteNota::Producao,
        cuf: known.codigo,
        ano: faixa
            .ano
            .unwrap_or_else(|| u8::try_from(hoje.year().rem_euclid(100)).unwrap_or(0)),
        cnpj: Cnpj::parse(&emitter.cnpj)
            .map_err(|error| anyhow::anyhow!("stored CNPJ: {error}"))?,
        modelo: if faixa.modelo == Modelo::Nfce { 65 } else { 55 },
        serie: faixa.serie,
        numero_inicial: faixa.numero_inicial,
        numero_final: faixa.numero_final,
        justificativa: faixa.justificativa.clone(),
    };
    let wrong = pedido.pre_validar(Some(hoje));
    if !wrong.is_empty() {
        return Err(Refusal::fields(wrong)
            .message("A inutilização tem pontos a corrigir.")
            .into());
    }
    let arvore = pedido.montar().map_err(Refusal::fields)?;
    let xml = write(LAYOUT, &arvore)?;
    let rumo = evento::rumo(
        app,
        &emitter,
        &uf,
        faixa.modelo,
        Receptor::Autorizador,
        ambiente,
    )
    .await?;
    let shown = json!({
        "modelo": faixa.modelo.as_str(), "ano": pedido.ano, "serie": faixa.serie,
        "numero_inicial": faixa.numero_inicial, "numero_final": faixa.numero_final,
        "justificativa": faixa.justificativa,
    });
    let conteudo = json!({
        "ano": pedido.ano, "cnpj": emitter.cnpj, "uf": known.codigo, "modelo": faixa.modelo.as_str(),
        "serie": faixa.serie, "inicio": faixa.numero_inicial, "fim": faixa.numero_final,
    });
    let preco = if ambiente == AmbienteNota::Simulado {
        0
    } else {
        faixa.preco
    };
    Ok(Pronta {
        series: Series::new(
            &emitter.id,
            ambiente.as_str(),
            faixa.modelo.as_str(),
            &faixa.serie.to_string(),
        ),
        numeros: i64::from(faixa.numero_inicial)..=i64::from(faixa.numero_final),
        evento: EventoRow {
            id: ids::new("eve", now_ms),
            account_id: faixa.caller.account_id.clone(),
            tipo: "inutilizacao".to_owned(),
            status: "em_transmissao".to_owned(),
            conteudo: xml,
            context: rumo.context.clone(),
            preco,
            request_id: faixa.caller.request_id.clone(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            emitter_id: emitter.id.clone(),
            ambiente: ambiente.as_str().to_owned(),
            detalhes: shown.to_string(),
            ..EventoRow::default()
        },
        conteudo: conteudo.to_string(),
        rumo,
        operation: faixa.operation,
        idempotency: faixa.idempotency,
        caller: faixa.caller,
        lease: Lease::of(app),
        window_ms: app.config.issuing.idempotency_window_ms(),
        now_ms,
    })
}

async fn start(app: App, pronta: Pronta) -> Result<Started, Failure> {
    let begun = app
        .db
        .write(pronta, |pronta, conn| Box::pin(begin(conn, pronta)));
    Ok(begun.await?.run(&app))
}

/// Key, numbers, hold, event and flow, or none of them.
async fn begin(conn: &mut Conn, p: &Pronta) -> Result<Begun, TxError<Refusal>> {
    let id = &p.evento.id;
    if let Some((scope, fingerprint)) = &p.idempotency {
        let taken = idempotency::take(conn, scope, fingerprint, id, p.now_ms, p.window_ms).await?;
        if let Taken::Theirs(row) = taken {
            if row.fingerprint == *fingerprint {
                return Ok(Begun::Existing(row.subject_id));
            }
            return Err(TxError::Abort(Refusal::new(
                Code::ChaveIdempotenciaReutilizada,
            )));
        }
    }
    let (first, last) = (*p.numeros.start(), *p.numeros.end());
    if let Some(nota) = notas::holding(conn, &p.series, first, last).await? {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "O número {} da série {} é de uma nota {}.",
                    nota.numero,
                    p.series.serie,
                    nota.state_in_words()
                ))
                .nota(nota.id),
        ));
    }
    if let Some(next) = numbers::next(conn, &p.series).await?
        && first > next
    {
        return Err(TxError::Abort(
            Refusal::new(Code::EstadoInvalido)
                .message(format!(
                    "A faixa começa depois do próximo número da série ({next}): os números entre eles ficariam sem dono."
                ))
                .with("proximo_numero", next),
        ));
    }
    // Nobody may take a number of the range from here on.
    numbers::raise(conn, &p.series, last + 1).await?;
    for numero in p.numeros.clone() {
        if !numbers::void(conn, &p.series, numero, id).await? {
            return Err(TxError::Abort(
                Refusal::new(Code::FaixaJaInutilizada).with("numero", numero),
            ));
        }
    }
    let movement = Movement {
        account_id: &p.caller.account_id,
        subject_id: id,
        operation: &p.operation,
        request_id: &p.caller.request_id,
        now_ms: p.now_ms,
    };
    let hold_id = match ledger::reserve(conn, &movement, p.evento.preco).await? {
        Reserve::Held(hold_id) => hold_id,
        Reserve::Insufficient { saldo } => {
            return Err(TxError::Abort(insufficient(p.evento.preco, saldo)));
        }
    };
    let evento = EventoRow {
        hold_id,
        ..p.evento.clone()
    };
    if !eventos::insert(conn, &evento).await? {
        return Err(crate::db::contradiction("new voiding request", id).into());
    }
    let base = p.rumo.flow(&evento.account_id, id, &p.conteudo);
    let flow = work::insert_owned_flow(conn, base, "inutilizar", &p.lease, p.now_ms)
        .await?
        .present("first flow of a voiding request", id)?;
    faultpoint::hit("reserve, before commit");
    Ok(Begun::New(Box::new(flow)))
}

/// Waits for the final answer, within the configured time.
async fn settled(app: &App, started: Started) -> Result<Answer, Failure> {
    let limit = std::time::Duration::from_millis(app.config.issuing.wait_ms);
    let looks = Looks::at(app, &started.id, limit);
    loop {
        let next = looks.next();
        let late = looks.over();
        let mut conn = app.db.read().await?;
        let evento = eventos::by_id(&mut conn, &started.id)
            .await?
            .present("event", &started.id)?;
        if evento.answer_status != 0 {
            let status = u16::try_from(evento.answer_status).unwrap_or(500);
            return Ok((status, evento.answer, started.existing));
        }
        if !late {
            drop(conn);
            next.await;
            continue;
        }
        let saldo = ledger::available(&mut conn, &evento.account_id).await?;
        let (status, body) = answer::event_alone(&evento, saldo);
        return Ok((status, body.to_string(), started.existing));
    }
}
