//! How a flow ends: document, credit, number, answer and event in one
//! transaction.
//!
//! Only an explicit yes is `autorizada`, only an explicit no is `rejeitada`.
//! Not knowing leaves everything as it is and sets a time to ask again.

use super::{answer, work};
use crate::db::artifacts::{self, ArtifactRow};
use crate::db::eventos::{self, EventoRow};
use crate::db::flows::{self, FlowRow};
use crate::db::notas::{self, NotaRow};
use crate::db::numbers::{self, Series};
use crate::db::outbox::{self, OutboxRow};
use crate::db::{Conn, DbResult, idempotency};
use crate::errors::{self, Code, Refusal, Rejeicao};
use crate::ids;
use crate::ledger::{self, Movement, Resolution};
use fiscal::campo::Campo;
use flow::contract::{Documento, Failure, FailureReason, Mensagem, Outcome, Situacao, Success};
use serde_json::json;
use sha2::{Digest, Sha256};

/// Code by which an adapter says that the number belongs to a document that
/// is not ours: other software issues under the same series.
const NUMERO_JA_USADO: &str = "numero_ja_usado";
/// Operation that looks at a note whose cancellation was refused.
const LOOK: &str = "consultar-nota";
/// Queries that found nothing before the same bytes are sent again.
const NOT_FOUND_BEFORE_RESEND: i64 = 3;
/// Pause before asking again, by number of questions already asked.
const ASK_AGAIN_MS: [i64; 5] = [60_000, 180_000, 600_000, 1_800_000, 7_200_000];
const ASK_AT_MOST_MS: i64 = 21_600_000;

/// A flow sleeps. Returns the document if that changes what is shown.
pub async fn waiting(
    conn: &mut Conn,
    flow_id: &str,
    wake_at_ms: i64,
    pending: bool,
    now_ms: i64,
) -> DbResult<Option<String>> {
    if !pending {
        return Ok(None);
    }
    let flow = flows::get(conn, flow_id)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    let Some(mut nota) = notas::lock(conn, &flow.subject_id).await? else {
        return Ok(None);
    };
    if !matches!(
        nota.status.as_str(),
        "em_transmissao" | "pendente_prefeitura"
    ) {
        return Ok(None);
    }
    nota.status = "pendente_prefeitura".to_owned();
    nota.next_check_ms = wake_at_ms;
    nota.updated_at_ms = now_ms;
    notas::save(conn, &nota).await?;
    Ok(Some(nota.id))
}

/// A flow is over. Returns the id of what it was about.
pub async fn done(
    conn: &mut Conn,
    flow: FlowRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<String> {
    if let Some(nota) = notas::lock(conn, &flow.subject_id).await? {
        issuance(conn, &flow, nota, outcome, now_ms, wait_divisor).await?;
    } else {
        let evento = eventos::by_id(conn, &flow.subject_id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        // An event changes only while its note is kept.
        let nota = notas::lock(conn, &evento.nota_id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        let evento = eventos::by_id(conn, &evento.id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        match evento.tipo.as_str() {
            "cancelamento" => cancellation(conn, &flow, nota, evento, outcome, now_ms).await?,
            _ => query(conn, nota, evento, outcome, now_ms).await?,
        }
    }
    Ok(flow.subject_id)
}

/// What an outcome means for a document that may come to exist.
enum Verdict {
    Issued(Box<Documento>),
    Rejected(Vec<Rejeicao>),
    /// Nothing exists and nothing will: why.
    NotSent(Refusal),
    /// A query says that there is no such document.
    NotFound,
    Unknown,
}

fn verdict(outcome: &Outcome, via: &str) -> Verdict {
    match outcome {
        Ok(success) => match (
            success.situacao,
            success
                .documentos
                .first()
                .filter(|documento| identified(documento)),
        ) {
            (
                Situacao::Autorizado
                | Situacao::Cancelado
                | Situacao::Substituido
                | Situacao::Consultado,
                Some(documento),
            ) => Verdict::Issued(Box::new(documento.clone())),
            (Situacao::NaoEncontrado, _) => Verdict::NotFound,
            _ => Verdict::Unknown,
        },
        Err(failure) if failure.may_exist => Verdict::Unknown,
        Err(failure) => failed(failure, via),
    }
}

/// A yes names what was issued and shows it: without key and number, or
/// without the authority's XML, it is not known.
fn identified(documento: &Documento) -> bool {
    let named = [&documento.chave, &documento.numero]
        .into_iter()
        .flatten()
        .any(|id| !id.trim().is_empty());
    named && documento.xml.as_ref().is_some_and(|xml| !xml.is_empty())
}

fn failed(failure: &Failure, via: &str) -> Verdict {
    let refusal = match &failure.reason {
        FailureReason::Rejected(mensagens) => return Verdict::Rejected(reasons(mensagens, via)),
        FailureReason::InvalidInput(errors) => Refusal::fields(
            errors
                .iter()
                .map(|error| Campo {
                    campo: error.campo.clone(),
                    codigo: error.regra.clone(),
                    mensagem: error.texto.clone(),
                    correcao: "Corrija o campo conforme o leiaute do município.".to_owned(),
                    valor: None,
                })
                .collect(),
        ),
        FailureReason::Unavailable(unavailable) => {
            let retry_s = unavailable
                .retry_after_ms
                .map_or(60, |ms| ms.div_ceil(1_000).clamp(1, 3_600));
            let refusal = Refusal::new(Code::PrefeituraIndisponivel).retry_after(retry_s);
            match unavailable.mensagens.first() {
                Some(mensagem) => refusal.message(mensagem.texto.clone()),
                None => refusal,
            }
        }
        FailureReason::Transport(_) => Refusal::new(Code::PrefeituraIndisponivel).retry_after(60),
        FailureReason::Credentials(mensagens) => {
            let mut refusal = Refusal::new(Code::CredenciaisRecusadas);
            refusal.rejeicao = reasons(mensagens, via);
            refusal
        }
        FailureReason::NotSupported(what) => {
            Refusal::new(Code::OperacaoNaoSuportada).message(what.clone())
        }
        FailureReason::Signing(error) => {
            let code = match error {
                flow::contract::SignError::Expired => Code::CertificadoVencido,
                flow::contract::SignError::NoCertificate => Code::CertificadoAusente,
                _ => Code::CertificadoInvalido,
            };
            Refusal::new(code)
        }
        FailureReason::UnexpectedResponse(_) | FailureReason::Other(_) => {
            Refusal::new(Code::FalhaDoAdaptador)
        }
    };
    Verdict::NotSent(refusal)
}

fn reasons(mensagens: &[Mensagem], via: &str) -> Vec<Rejeicao> {
    let origem = if via == "nacional" {
        "nacional"
    } else {
        "prefeitura"
    };
    let reason = |mensagem: &Mensagem| Rejeicao {
        origem: origem.to_owned(),
        codigo: mensagem.codigo.clone(),
        motivo: mensagem.texto.clone(),
        correcao: mensagem.correcao.clone().unwrap_or_else(|| {
            "Corrija conforme o motivo e envie de novo; o número volta a ser usado.".to_owned()
        }),
    };
    if mensagens.is_empty() {
        return vec![Rejeicao {
            origem: origem.to_owned(),
            codigo: String::new(),
            motivo: "Recusada sem motivo informado.".to_owned(),
            correcao: "Confira os dados da nota no portal do município.".to_owned(),
        }];
    }
    mensagens.iter().map(reason).collect()
}

async fn issuance(
    conn: &mut Conn,
    flow: &FlowRow,
    mut nota: NotaRow,
    outcome: &Outcome,
    now_ms: i64,
    wait_divisor: i64,
) -> DbResult<()> {
    if !matches!(
        nota.status.as_str(),
        "em_transmissao" | "pendente_prefeitura"
    ) {
        return Ok(());
    }
    nota.updated_at_ms = now_ms;
    let query = flow.operacao == "consultar-rps";
    // What a later sending is told is about that sending: only the authority's
    // own records say that an earlier one came to nothing.
    let resent = !query && flows::acted_before(conn, &nota.id, &flow.id).await?;
    match verdict(outcome, &nota.via) {
        Verdict::Issued(documento) => authorize(conn, nota, &documento, now_ms).await,
        Verdict::Rejected(reasons) if resent => {
            nota.rejeicao = json!(reasons).to_string();
            ask_at(conn, nota, now_ms + ASK_AGAIN_MS[0] / wait_divisor).await
        }
        // A query that is refused says nothing about the note.
        Verdict::Rejected(reasons) if !query => reject(conn, nota, reasons, now_ms).await,
        Verdict::NotSent(refusal) if !query && !resent => {
            nota.status = "nao_enviada".to_owned();
            give_back(conn, &mut nota, Number::Free, now_ms).await?;
            idempotency::forget(conn, &nota.id).await?;
            refuse(conn, nota, &refusal).await
        }
        Verdict::NotFound if query && !nota.rejeicao.is_empty() => {
            let reasons = serde_json::from_str(&nota.rejeicao).unwrap_or_default();
            reject(conn, nota, reasons, now_ms).await
        }
        Verdict::NotFound if query && nota.reconciliations + 1 >= NOT_FOUND_BEFORE_RESEND => {
            // The authority never saw it: the same bytes, the same number.
            nota.reconciliations = 0;
            nota.next_check_ms = 0;
            notas::save(conn, &nota).await?;
            let again = FlowRow {
                conteudo: nota.conteudo.clone(),
                context: nota.context.clone(),
                ..flow.clone()
            };
            let operacao = if nota.substitui_id.is_empty() {
                "emitir"
            } else {
                "substituir"
            };
            work::insert_flow(conn, again, operacao, now_ms).await
        }
        unclear => {
            nota.reconciliations += i64::from(query && matches!(unclear, Verdict::NotFound));
            if let Ok(Success {
                protocolo: Some(protocolo),
                ..
            }) = outcome
            {
                nota.protocolo.clone_from(protocolo);
            }
            let asked = flows::count_of(conn, &nota.id, "consultar-rps").await?;
            let pause_ms = usize::try_from(asked)
                .ok()
                .and_then(|asked| ASK_AGAIN_MS.get(asked))
                .unwrap_or(&ASK_AT_MOST_MS);
            ask_at(conn, nota, now_ms + pause_ms / wait_divisor).await
        }
    }
}

/// Nobody knows yet: the poll asks at this moment.
async fn ask_at(conn: &mut Conn, mut nota: NotaRow, at_ms: i64) -> DbResult<()> {
    nota.status = "em_transmissao".to_owned();
    nota.next_check_ms = at_ms.max(1);
    notas::save(conn, &nota).await
}

async fn authorize(
    conn: &mut Conn,
    mut nota: NotaRow,
    documento: &Documento,
    now_ms: i64,
) -> DbResult<()> {
    adopt(&mut nota, documento, now_ms);
    nota.status = if nota.ambiente == "simulado" {
        "validada"
    } else {
        "autorizada"
    }
    .to_owned();
    nota.rejeicao = String::new();
    // The notes before the ledger: everybody takes them in this order.
    let old = if nota.substitui_id.is_empty() {
        None
    } else {
        notas::lock(conn, &nota.substitui_id).await?
    };
    keep_xml(conn, &nota.account_id, &nota.id, "nfse", documento, now_ms).await?;
    ledger::resolve(
        conn,
        &movement(&nota, now_ms),
        &nota.hold_id,
        Resolution::Debit,
    )
    .await?;
    if let Some(mut old) = old {
        old.status = "cancelada".to_owned();
        old.substituida_por = nota.id.clone();
        old.updated_at_ms = now_ms;
        notas::save(conn, &old).await?;
        event(conn, &old, "nfse.cancelada", now_ms).await?;
    }
    event(conn, &nota, "nfse.emitida", now_ms).await?;
    let balances = ledger::balances(conn, &nota.account_id).await?;
    let (status, body) = answer::issued(&nota, balances);
    nota.answer_status = i64::from(status);
    nota.answer = body.to_string();
    if ended(documento.situacao) {
        // It was found only after somebody had cancelled it elsewhere.
        nota.status = "cancelada".to_owned();
        event(conn, &nota, "nfse.cancelada", now_ms).await?;
    }
    notas::save(conn, &nota).await
}

async fn reject(
    conn: &mut Conn,
    mut nota: NotaRow,
    reasons: Vec<Rejeicao>,
    now_ms: i64,
) -> DbResult<()> {
    nota.status = "rejeitada".to_owned();
    nota.rejeicao = json!(reasons.first()).to_string();
    let number = if reasons
        .iter()
        .any(|reason| reason.codigo == NUMERO_JA_USADO)
    {
        Number::Burnt
    } else {
        Number::Free
    };
    give_back(conn, &mut nota, number, now_ms).await?;
    event(conn, &nota, "nfse.rejeitada", now_ms).await?;
    // With nothing authorized the key is free for the corrected body, but the
    // same body gets the same answer: the row stays and the replay decides.
    let refusal = answer::rejected(&nota, reasons);
    refuse(conn, nota, &refusal).await
}

/// What becomes of the number of a note that will not exist.
enum Number {
    Free,
    /// The authority has another document under it.
    Burnt,
}

/// Credit and number return; a burnt number is not given out again.
async fn give_back(
    conn: &mut Conn,
    nota: &mut NotaRow,
    number: Number,
    now_ms: i64,
) -> DbResult<()> {
    ledger::resolve(
        conn,
        &movement(nota, now_ms),
        &nota.hold_id,
        Resolution::Return,
    )
    .await?;
    nota.number_active = 0;
    nota.next_check_ms = 0;
    notas::save(conn, nota).await?;
    match number {
        Number::Free => numbers::free(conn, &series(nota), nota.numero, now_ms).await,
        Number::Burnt => numbers::burn(conn, &series(nota)).await,
    }
}

async fn refuse(conn: &mut Conn, mut nota: NotaRow, refusal: &Refusal) -> DbResult<()> {
    nota.answer_status = i64::from(refusal.code.status());
    nota.answer = told(refusal, &nota.request_id);
    notas::save(conn, &nota).await
}

/// The body of a refusal that is stored; its pause becomes `Retry-After`
/// when it is sent.
fn told(refusal: &Refusal, request_id: &str) -> String {
    let mut body = errors::body(refusal, request_id, "");
    if let (Some(members), Some(retry)) = (body.as_object_mut(), refusal.retry_after_s) {
        members.insert("tentar_novamente_em_s".to_owned(), retry.into());
    }
    body.to_string()
}

async fn cancellation(
    conn: &mut Conn,
    flow: &FlowRow,
    mut nota: NotaRow,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let refused: Option<Vec<Rejeicao>> = serde_json::from_str(&evento.resultado).ok();
    match outcome {
        // The note after a refused second request: valid, so the first one
        // came to nothing.
        Ok(success)
            if flow.operacao == LOOK
                && matches!(seen(success), Situacao::Autorizado | Situacao::Consultado)
                && !ended(success.situacao) =>
        {
            let reasons = refused.unwrap_or_default();
            evento.status = "rejeitado".to_owned();
            evento.resultado = json!({ "rejeicao": reasons.first() }).to_string();
            let refusal = answer::rejected(&nota, reasons).with("evento_id", evento.id.as_str());
            return_credit(conn, evento, &refusal, now_ms).await
        }
        Ok(
            success @ Success {
                documentos,
                protocolo,
                ..
            },
        ) if ended(success.situacao) || (flow.operacao == LOOK && ended(seen(success))) => {
            evento.status = "registrado".to_owned();
            // A look shows the note, not the event that ended it.
            let event_document = documentos.first().filter(|_| flow.operacao != LOOK);
            evento.protocolo = protocolo
                .clone()
                .or_else(|| event_document.and_then(|d| d.protocolo.clone()))
                .unwrap_or_default();
            let registered = event_document.and_then(|d| d.emitido_em.clone());
            evento.resultado = json!({ "registrado_em": registered }).to_string();
            if let Some(documento) = event_document {
                keep_xml(
                    conn,
                    &evento.account_id,
                    &evento.id,
                    "evento",
                    documento,
                    now_ms,
                )
                .await?;
            }
            ledger::resolve(
                conn,
                &event_movement(&evento, now_ms),
                &evento.hold_id,
                Resolution::Debit,
            )
            .await?;
            nota.status = "cancelada".to_owned();
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(conn, &nota, "nfse.cancelada", now_ms).await?;
            close_event(conn, &nota, evento).await
        }
        // A second request that is refused says nothing about the first.
        Err(failure)
            if !failure.may_exist && flows::acted_before(conn, &evento.id, &flow.id).await? =>
        {
            if let Verdict::Rejected(reasons) = failed(failure, &nota.via)
                && flow.operacao != LOOK
            {
                evento.resultado = json!(reasons).to_string();
                let conteudo =
                    serde_json::to_string(&super::query::ref_of(&nota)).unwrap_or_default();
                work::insert_flow(
                    conn,
                    FlowRow {
                        conteudo,
                        ..flow.clone()
                    },
                    LOOK,
                    now_ms,
                )
                .await?;
            } else {
                evento.attempts += 1;
            }
            eventos::save(conn, &evento).await
        }
        Err(failure) if !failure.may_exist => {
            let refusal = match failed(failure, &nota.via) {
                Verdict::Rejected(reasons) => {
                    evento.status = "rejeitado".to_owned();
                    evento.resultado = json!({ "rejeicao": reasons.first() }).to_string();
                    answer::rejected(&nota, reasons).with("evento_id", evento.id.as_str())
                }
                Verdict::NotSent(refusal) => {
                    evento.status = "nao_enviado".to_owned();
                    refusal.nota(&nota.id)
                }
                // `failed` gives one of the two above.
                _ => Refusal::new(Code::FalhaDoAdaptador).nota(&nota.id),
            };
            return_credit(conn, evento, &refusal, now_ms).await
        }
        // Not known: the work job tries again later; a cancellation asked
        // twice is one event at the authority.
        Ok(_) | Err(_) => {
            tracing::info!(flow.id = %flow.id, evento.id = %evento.id, "cancellation not known yet");
            evento.attempts += 1;
            eventos::save(conn, &evento).await
        }
    }
}

fn ended(situacao: Situacao) -> bool {
    matches!(situacao, Situacao::Cancelado | Situacao::Substituido)
}

/// What an answer says about the note it brings.
fn seen(success: &Success) -> Situacao {
    success
        .documentos
        .first()
        .map_or(success.situacao, |documento| documento.situacao)
}

/// The end of an event that did not happen.
async fn return_credit(
    conn: &mut Conn,
    evento: EventoRow,
    refusal: &Refusal,
    now_ms: i64,
) -> DbResult<()> {
    ledger::resolve(
        conn,
        &event_movement(&evento, now_ms),
        &evento.hold_id,
        Resolution::Return,
    )
    .await?;
    idempotency::forget(conn, &evento.id).await?;
    refuse_event(conn, evento, refusal).await
}

async fn query(
    conn: &mut Conn,
    mut nota: NotaRow,
    mut evento: EventoRow,
    outcome: &Outcome,
    now_ms: i64,
) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let success = match outcome {
        Ok(success) => success,
        Err(failure) => {
            evento.status = "nao_enviado".to_owned();
            let refusal = match failed(failure, &nota.via) {
                Verdict::NotSent(refusal) => refusal.nota(&nota.id),
                Verdict::Rejected(reasons) => answer::rejected(&nota, reasons),
                _ => Refusal::new(Code::PrefeituraIndisponivel)
                    .retry_after(60)
                    .nota(&nota.id),
            };
            return return_credit(conn, evento, &refusal, now_ms).await;
        }
    };
    let documento = success.documentos.first();
    let situacao = match seen(success) {
        Situacao::Autorizado | Situacao::Consultado => "autorizada",
        Situacao::Cancelado => "cancelada",
        Situacao::Substituido => "substituida",
        Situacao::NaoEncontrado => "nao_encontrada",
        Situacao::EmProcessamento => "pendente_prefeitura",
        _ => "desconhecida",
    };
    let before = nota.status.clone();
    let open = matches!(before.as_str(), "em_transmissao" | "pendente_prefeitura");
    match (situacao, documento) {
        ("autorizada", Some(documento)) if open && identified(documento) => {
            let closed = flows::last_of(conn, &nota.id)
                .await?
                .is_none_or(|flow| flow.phase == "done");
            if closed {
                authorize(conn, nota.clone(), documento, now_ms).await?;
            }
        }
        ("cancelada" | "substituida", _)
            if matches!(before.as_str(), "autorizada" | "validada") =>
        {
            nota.status = "cancelada".to_owned();
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(conn, &nota, "nfse.cancelada", now_ms).await?;
        }
        _ => {}
    }
    let nota = notas::by_id(conn, &nota.id).await?.unwrap_or(nota);
    let divergence =
        (before != nota.status).then(|| json!({ "antes": before, "agora": nota.status }));
    let mensagens: Vec<_> = success
        .mensagens
        .iter()
        .map(|m| json!({ "codigo": m.codigo, "texto": m.texto }))
        .collect();
    evento.status = "registrado".to_owned();
    evento.resultado =
        json!({ "situacao": situacao, "divergencia": divergence, "mensagens": mensagens })
            .to_string();
    ledger::resolve(
        conn,
        &event_movement(&evento, now_ms),
        &evento.hold_id,
        Resolution::Debit,
    )
    .await?;
    close_event(conn, &nota, evento).await
}

async fn close_event(conn: &mut Conn, nota: &NotaRow, mut evento: EventoRow) -> DbResult<()> {
    let balances = ledger::balances(conn, &evento.account_id).await?;
    let (status, body) = answer::event(nota, &evento, balances);
    evento.answer_status = i64::from(status);
    evento.answer = body.to_string();
    eventos::save(conn, &evento).await
}

async fn refuse_event(conn: &mut Conn, mut evento: EventoRow, refusal: &Refusal) -> DbResult<()> {
    evento.answer_status = i64::from(refusal.code.status());
    evento.answer = told(refusal, &evento.request_id);
    eventos::save(conn, &evento).await
}

/// Copies what the authority gave into the record.
fn adopt(nota: &mut NotaRow, documento: &Documento, now_ms: i64) {
    nota.chave = documento.chave.clone().unwrap_or_default();
    nota.numero_nfse = documento.numero.clone().unwrap_or_default();
    nota.codigo_verificacao = documento.codigo_verificacao.clone().unwrap_or_default();
    nota.protocolo = documento.protocolo.clone().unwrap_or_default();
    nota.url_consulta = documento.url_consulta.clone().unwrap_or_default();
    nota.autorizada_em = documento
        .emitido_em
        .clone()
        .unwrap_or_else(|| crate::when::rfc3339(now_ms));
    let totals: serde_json::Map<_, _> = documento
        .valores
        .iter()
        .map(|named| (named.name.clone(), answer::number(&named.value)))
        .collect();
    nota.valores = serde_json::Value::Object(totals).to_string();
    nota.next_check_ms = 0;
}

async fn keep_xml(
    conn: &mut Conn,
    account: &str,
    subject: &str,
    tipo: &str,
    documento: &Documento,
    now_ms: i64,
) -> DbResult<()> {
    let Some(xml) = &documento.xml else {
        return Ok(());
    };
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: tipo.to_owned(),
        account_id: account.to_owned(),
        media_type: "application/xml".to_owned(),
        sha256: Sha256::digest(xml)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect(),
        bytes: xml.clone(),
        created_at_ms: now_ms,
    };
    artifacts::insert(conn, &artifact).await
}

async fn event(conn: &mut Conn, nota: &NotaRow, tipo: &str, now_ms: i64) -> DbResult<()> {
    let payload = json!({
        "nota_id": nota.id, "referencia": nota.referencia, "chave": nota.chave, "status": nota.status,
        "rps": { "serie": nota.serie, "numero": nota.numero }, "numero_nfse": nota.numero_nfse,
        "protocolo": nota.protocolo, "rejeicao": serde_json::from_str::<serde_json::Value>(&nota.rejeicao).ok(),
        "simulada": nota.simulada == 1,
    });
    let row = OutboxRow {
        id: ids::new("evt", now_ms),
        account_id: nota.account_id.clone(),
        tipo: tipo.to_owned(),
        subject_id: nota.id.clone(),
        payload: payload.to_string(),
        created_at_ms: now_ms,
    };
    outbox::insert(conn, &row).await
}

fn movement(nota: &NotaRow, now_ms: i64) -> Movement<'_> {
    Movement {
        account_id: &nota.account_id,
        subject_id: &nota.id,
        operation: "nfse.create",
        request_id: &nota.request_id,
        now_ms,
    }
}

fn event_movement(evento: &EventoRow, now_ms: i64) -> Movement<'_> {
    Movement {
        account_id: &evento.account_id,
        subject_id: &evento.id,
        operation: "nfse.cancelar",
        request_id: &evento.request_id,
        now_ms,
    }
}

fn series(nota: &NotaRow) -> Series {
    Series {
        emitter_id: nota.emitter_id.clone(),
        ambiente: nota.ambiente.clone(),
        modelo: nota.modelo.clone(),
        serie: nota.serie.clone(),
    }
}
