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

/// Queries that found nothing before the same bytes are sent again.
const NOT_FOUND_BEFORE_RESEND: i64 = 3;
/// Pause before asking again, by number of questions already asked.
const ASK_AGAIN_MS: [i64; 6] = [60_000, 180_000, 600_000, 1_800_000, 7_200_000, 21_600_000];

/// A flow sleeps. Returns the document if that changes what is shown.
pub async fn waiting(conn: &mut Conn, flow_id: &str, wake_at_ms: i64, pending: bool, now_ms: i64) -> DbResult<Option<String>> {
    if !pending {
        return Ok(None);
    }
    let flow = flows::get(conn, flow_id).await?.ok_or(sqlx::Error::RowNotFound)?;
    let Some(mut nota) = notas::by_id(conn, &flow.subject_id).await? else { return Ok(None) };
    if !matches!(nota.status.as_str(), "em_transmissao" | "pendente_prefeitura") {
        return Ok(None);
    }
    nota.status = "pendente_prefeitura".to_owned();
    nota.next_check_ms = wake_at_ms;
    nota.updated_at_ms = now_ms;
    notas::save(conn, &nota).await?;
    Ok(Some(nota.id))
}

/// A flow is over. Returns the id of what it was about.
pub async fn done(conn: &mut Conn, flow_id: &str, outcome: &Outcome, now_ms: i64) -> DbResult<String> {
    let flow = flows::get(conn, flow_id).await?.ok_or(sqlx::Error::RowNotFound)?;
    if let Some(nota) = notas::by_id(conn, &flow.subject_id).await? {
        issuance(conn, &flow, nota, outcome, now_ms).await?;
    } else {
        let evento = eventos::by_id(conn, &flow.subject_id).await?.ok_or(sqlx::Error::RowNotFound)?;
        let nota = notas::by_id(conn, &evento.nota_id).await?.ok_or(sqlx::Error::RowNotFound)?;
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
        Ok(success) => match (success.situacao, success.documentos.first().filter(|documento| identified(documento))) {
            (Situacao::Autorizado | Situacao::Cancelado | Situacao::Substituido | Situacao::Consultado, Some(documento)) => {
                Verdict::Issued(Box::new(documento.clone()))
            }
            (Situacao::NaoEncontrado, _) => Verdict::NotFound,
            _ => Verdict::Unknown,
        },
        Err(failure) if failure.may_exist => Verdict::Unknown,
        Err(failure) => failed(failure, via),
    }
}

/// A yes names what was issued: without key and number it is not known.
fn identified(documento: &Documento) -> bool {
    [&documento.chave, &documento.numero].into_iter().flatten().any(|id| !id.trim().is_empty())
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
            let retry_s = unavailable.retry_after_ms.map_or(60, |ms| ms.div_ceil(1_000).clamp(1, 3_600));
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
        FailureReason::NotSupported(what) => Refusal::new(Code::OperacaoNaoSuportada).message(what.clone()),
        FailureReason::Signing(error) => {
            let code = match error {
                flow::contract::SignError::Expired => Code::CertificadoVencido,
                flow::contract::SignError::NoCertificate => Code::CertificadoAusente,
                _ => Code::CertificadoInvalido,
            };
            Refusal::new(code)
        }
        FailureReason::UnexpectedResponse(_) | FailureReason::Other(_) => Refusal::new(Code::FalhaDoAdaptador),
    };
    Verdict::NotSent(refusal)
}

fn reasons(mensagens: &[Mensagem], via: &str) -> Vec<Rejeicao> {
    let origem = if via == "nacional" { "nacional" } else { "prefeitura" };
    let reason = |mensagem: &Mensagem| Rejeicao {
        origem: origem.to_owned(),
        codigo: mensagem.codigo.clone(),
        motivo: mensagem.texto.clone(),
        correcao: mensagem
            .correcao
            .clone()
            .unwrap_or_else(|| "Corrija conforme o motivo e envie de novo; o número volta a ser usado.".to_owned()),
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

async fn issuance(conn: &mut Conn, flow: &FlowRow, mut nota: NotaRow, outcome: &Outcome, now_ms: i64) -> DbResult<()> {
    if !matches!(nota.status.as_str(), "em_transmissao" | "pendente_prefeitura") {
        return Ok(());
    }
    nota.updated_at_ms = now_ms;
    match verdict(outcome, &nota.via) {
        Verdict::Issued(documento) => authorize(conn, nota, &documento, now_ms).await,
        // A query that is refused says nothing about the note.
        Verdict::Rejected(reasons) if flow.operacao != "consultar-rps" => reject(conn, nota, reasons, now_ms).await,
        Verdict::NotSent(refusal) if flow.operacao != "consultar-rps" => {
            nota.status = "nao_enviada".to_owned();
            give_back(conn, &mut nota, now_ms).await?;
            idempotency::forget(conn, &nota.id).await?;
            refuse(conn, nota, &refusal).await
        }
        Verdict::NotFound if flow.operacao == "consultar-rps" && nota.reconciliations + 1 >= NOT_FOUND_BEFORE_RESEND => {
            // The authority never saw it: the same bytes, the same number.
            nota.reconciliations = 0;
            nota.next_check_ms = 0;
            notas::save(conn, &nota).await?;
            let again = FlowRow { conteudo: nota.conteudo.clone(), context: nota.context.clone(), ..flow.clone() };
            let operacao = if nota.substitui_id.is_empty() { "emitir" } else { "substituir" };
            work::insert_flow(conn, again, operacao, now_ms).await
        }
        Verdict::NotFound | Verdict::Rejected(_) | Verdict::NotSent(_) | Verdict::Unknown => {
            let asked = usize::try_from(nota.reconciliations).unwrap_or(usize::MAX);
            let pause = ASK_AGAIN_MS[asked.min(ASK_AGAIN_MS.len() - 1)];
            if matches!(verdict(outcome, &nota.via), Verdict::NotFound) || flow.operacao != "consultar-rps" {
                nota.reconciliations += i64::from(flow.operacao == "consultar-rps");
            }
            nota.status = "em_transmissao".to_owned();
            nota.next_check_ms = now_ms + pause;
            notas::save(conn, &nota).await
        }
    }
}

async fn authorize(conn: &mut Conn, mut nota: NotaRow, documento: &Documento, now_ms: i64) -> DbResult<()> {
    adopt(&mut nota, documento, now_ms);
    nota.status = if nota.ambiente == "simulado" { "validada" } else { "autorizada" }.to_owned();
    keep_xml(conn, &nota.account_id, &nota.id, "nfse", documento, now_ms).await?;
    ledger::resolve(conn, &movement(&nota, now_ms), &nota.hold_id, Resolution::Debit).await?;
    if !nota.substitui_id.is_empty()
        && let Some(mut old) = notas::get(conn, &nota.account_id, &nota.substitui_id).await?
    {
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
    notas::save(conn, &nota).await
}

async fn reject(conn: &mut Conn, mut nota: NotaRow, reasons: Vec<Rejeicao>, now_ms: i64) -> DbResult<()> {
    nota.status = "rejeitada".to_owned();
    nota.rejeicao = json!(reasons.first()).to_string();
    give_back(conn, &mut nota, now_ms).await?;
    event(conn, &nota, "nfse.rejeitada", now_ms).await?;
    // With nothing authorized the key is free for the corrected body, but the
    // same body gets the same answer: the row stays and the replay decides.
    let refusal = answer::rejected(&nota, reasons);
    refuse(conn, nota, &refusal).await
}

/// Credit and number return.
async fn give_back(conn: &mut Conn, nota: &mut NotaRow, now_ms: i64) -> DbResult<()> {
    ledger::resolve(conn, &movement(nota, now_ms), &nota.hold_id, Resolution::Return).await?;
    nota.number_active = 0;
    nota.next_check_ms = 0;
    notas::save(conn, nota).await?;
    numbers::free(conn, &series(nota), nota.numero, now_ms).await
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

async fn cancellation(conn: &mut Conn, flow: &FlowRow, mut nota: NotaRow, mut evento: EventoRow, outcome: &Outcome, now_ms: i64) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    match outcome {
        Ok(Success { situacao: Situacao::Cancelado | Situacao::Substituido, documentos, protocolo, .. }) => {
            evento.status = "registrado".to_owned();
            evento.protocolo = protocolo.clone().or_else(|| documentos.first().and_then(|d| d.protocolo.clone())).unwrap_or_default();
            let registered = documentos.first().and_then(|d| d.emitido_em.clone());
            evento.resultado = json!({ "registrado_em": registered }).to_string();
            if let Some(documento) = documentos.first() {
                keep_xml(conn, &evento.account_id, &evento.id, "evento", documento, now_ms).await?;
            }
            ledger::resolve(conn, &event_movement(&evento, now_ms), &evento.hold_id, Resolution::Debit).await?;
            nota.status = "cancelada".to_owned();
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(conn, &nota, "nfse.cancelada", now_ms).await?;
            close_event(conn, &nota, evento).await
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
            ledger::resolve(conn, &event_movement(&evento, now_ms), &evento.hold_id, Resolution::Return).await?;
            idempotency::forget(conn, &evento.id).await?;
            refuse_event(conn, evento, &refusal).await
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

async fn query(conn: &mut Conn, mut nota: NotaRow, mut evento: EventoRow, outcome: &Outcome, now_ms: i64) -> DbResult<()> {
    if evento.status != "em_transmissao" {
        return Ok(());
    }
    evento.updated_at_ms = now_ms;
    let success = match outcome {
        Ok(success) => success,
        Err(failure) => {
            evento.status = "nao_enviado".to_owned();
            ledger::resolve(conn, &event_movement(&evento, now_ms), &evento.hold_id, Resolution::Return).await?;
            idempotency::forget(conn, &evento.id).await?;
            let refusal = match failed(failure, &nota.via) {
                Verdict::NotSent(refusal) => refusal.nota(&nota.id),
                Verdict::Rejected(reasons) => answer::rejected(&nota, reasons),
                _ => Refusal::new(Code::PrefeituraIndisponivel).retry_after(60).nota(&nota.id),
            };
            return refuse_event(conn, evento, &refusal).await;
        }
    };
    let documento = success.documentos.first();
    let found = documento.map_or(success.situacao, |documento| documento.situacao);
    let situacao = match found {
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
            let closed = flows::last_of(conn, &nota.id).await?.is_none_or(|flow| flow.phase == "done");
            if closed {
                authorize(conn, nota.clone(), documento, now_ms).await?;
            }
        }
        ("cancelada" | "substituida", _) if matches!(before.as_str(), "autorizada" | "validada") => {
            nota.status = "cancelada".to_owned();
            nota.updated_at_ms = now_ms;
            notas::save(conn, &nota).await?;
            event(conn, &nota, "nfse.cancelada", now_ms).await?;
        }
        _ => {}
    }
    let nota = notas::by_id(conn, &nota.id).await?.unwrap_or(nota);
    let divergence = (before != nota.status).then(|| json!({ "antes": before, "agora": nota.status }));
    let mensagens: Vec<_> = success.mensagens.iter().map(|m| json!({ "codigo": m.codigo, "texto": m.texto })).collect();
    evento.status = "registrado".to_owned();
    evento.resultado = json!({ "situacao": situacao, "divergencia": divergence, "mensagens": mensagens }).to_string();
    ledger::resolve(conn, &event_movement(&evento, now_ms), &evento.hold_id, Resolution::Debit).await?;
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
    nota.autorizada_em = documento.emitido_em.clone().unwrap_or_else(|| crate::when::rfc3339(now_ms));
    let totals: serde_json::Map<_, _> =
        documento.valores.iter().map(|named| (named.name.clone(), answer::number(&named.value))).collect();
    nota.valores = serde_json::Value::Object(totals).to_string();
    nota.next_check_ms = 0;
}

async fn keep_xml(conn: &mut Conn, account: &str, subject: &str, tipo: &str, documento: &Documento, now_ms: i64) -> DbResult<()> {
    let Some(xml) = &documento.xml else { return Ok(()) };
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: tipo.to_owned(),
        account_id: account.to_owned(),
        media_type: "application/xml".to_owned(),
        sha256: Sha256::digest(xml).iter().map(|byte| format!("{byte:02x}")).collect(),
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
    Movement { account_id: &nota.account_id, subject_id: &nota.id, operation: "nfse.create", request_id: &nota.request_id, now_ms }
}

fn event_movement(evento: &EventoRow, now_ms: i64) -> Movement<'_> {
    Movement { account_id: &evento.account_id, subject_id: &evento.id, operation: "nfse.cancelar", request_id: &evento.request_id, now_ms }
}

fn series(nota: &NotaRow) -> Series {
    Series {
        emitter_id: nota.emitter_id.clone(),
        ambiente: nota.ambiente.clone(),
        modelo: nota.modelo.clone(),
        serie: nota.serie.clone(),
    }
}
