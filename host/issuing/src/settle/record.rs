//! What every settlement writes: the note's data, its XML, events, movements.

use crate::answer;
use base::errors::{self, Refusal};
use flow::contract::{Documento, Situacao};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::ids::{AccountId, OutboxId, RequestId};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::notas::NotaRow;
use store::tables::numbers::Series;
use store::tables::outbox::{self, OutboxRow};
use store::{Conn, DbResult, Readable as _};

/// Copies what the authority gave into the record.
pub fn adopt(nota: &mut NotaRow, documento: &Documento, now_ms: i64) {
    nota.chave = documento.chave.clone().unwrap_or_default();
    nota.next_check_ms = 0;
    nota.numero_nfse = documento.numero.clone().unwrap_or_default();
    nota.codigo_verificacao = documento.codigo_verificacao.clone().unwrap_or_default();
    nota.protocolo = documento.protocolo.clone().unwrap_or_default();
    nota.url_consulta = documento.url_consulta.clone().unwrap_or_default();
    nota.autorizada_em = documento
        .emitido_em
        .clone()
        .filter(|at| base::when::parse(at).is_some() || !nota.modelo.goes_to_sefaz())
        .unwrap_or_else(|| base::when::rfc3339(now_ms));
    if nota.modelo.goes_to_sefaz() {
        return;
    }
    let totals: serde_json::Map<_, _> = documento
        .valores
        .iter()
        .map(|named| (named.name.clone(), answer::number(&named.value)))
        .collect();
    nota.valores = serde_json::Value::Object(totals).to_string();
}

/// Keeps the authority's bytes, once.
pub async fn keep_xml(
    conn: &mut Conn,
    account: &AccountId,
    subject: &str,
    kind: &str,
    documento: &Documento,
    now_ms: i64,
) -> DbResult<()> {
    let Some(xml) = &documento.xml else {
        return Ok(());
    };
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: kind.to_owned(),
        account_id: account.to_owned(),
        media_type: "application/xml".to_owned(),
        sha256: flow::hex(&Sha256::digest(xml)),
        bytes: xml.clone(),
        created_at_ms: now_ms,
    };
    artifacts::insert(conn, &artifact).await
}

/// Tells the outbox.
pub async fn event(conn: &mut Conn, nota: &NotaRow, kind: &str, now_ms: i64) -> DbResult<()> {
    let product = nota.modelo.goes_to_sefaz();
    let serie = if product {
        json!(
            nota.serie
                .parse::<i64>()
                .readable("series of a note", &nota.id)?
        )
    } else {
        json!(nota.serie)
    };
    // Absent is null, as in the answers.
    let told = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    // Its shape is that of the attempt: one reason, or all of them.
    let rejection: Option<serde_json::Value> = match nota.rejeicao.as_str() {
        "" => None,
        rejection => answer::read(rejection)?,
    };
    let payload = json!({
        "nota_id": nota.id, "referencia": told(&nota.referencia), "chave": told(&nota.chave), "status": nota.status,
        "serie": serie, "numero": nota.numero, "numero_nfse": told(&nota.numero_nfse).filter(|_| !product),
        "protocolo": told(&nota.protocolo), "rejeicao": rejection,
        "simulada": nota.simulada == 1, "valor_total": answer::number(&nota.valor),
        "creditos": { "debitado": if outbox::is_authorization(kind) { nota.preco } else { 0 } },
    });
    let row = OutboxRow {
        id: OutboxId::new(now_ms),
        account_id: nota.account_id.clone(),
        tipo: kind.to_owned(),
        subject_id: nota.id.to_string(),
        payload: payload.to_string(),
        created_at_ms: now_ms,
        emitter_id: nota.emitter_id.clone().into(),
        ambiente: nota.ambiente.into(),
        ..OutboxRow::default()
    };
    outbox::insert(conn, &row).await
}

/// Whether the authority says that the note was cancelled or replaced.
pub fn ended(status: Situacao) -> bool {
    matches!(status, Situacao::Cancelado | Situacao::Substituido)
}

/// The body of a refusal that is stored; its pause becomes `Retry-After`
/// when it is sent.
pub fn told(refusal: &Refusal, request_id: &RequestId) -> String {
    let mut body = errors::body(refusal, request_id, "");
    if let (Some(members), Some(retry)) = (body.as_object_mut(), refusal.retry_after_s) {
        members.insert("tentar_novamente_em_s".to_owned(), retry.into());
    }
    body.to_string()
}

/// Where the note's number came from.
pub fn series(nota: &NotaRow) -> Series {
    Series::new(&nota.emitter_id, nota.ambiente, nota.modelo, &nota.serie)
}
