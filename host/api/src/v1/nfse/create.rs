//! POST /api/v1/nfse: validate, sign, transmit and answer in one call.

use crate::v1::stored::Issued;
use crate::v1::{issuance, party_id};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::Failure;
use fiscal::nfse::dps::Content;
use gate::Call;
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::answer::{InTransmission, IssuedNota, Nfse};
use issuing::emitters::profile::RequestedVia;
use issuing::issue::{NoteOrder, SERVICE_PARTIES, service};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "nfse.create",
        route: |method| on(method, create),
        docs: Docs::new("Emite uma NFS-e: valida, assina, transmite e responde.")
            .explained("Use quando o serviço foi prestado: o hub escolhe o sistema da cidade do emitente ou o ambiente nacional. Muitas cidades respondem na hora (201); outras processam depois (202), e o resultado chega pelos eventos nfse.emitida ou nfse.rejeitada. Recusa antes de transmitir o município que não é atendido e os campos a corrigir.")
            .body_of(schema)
            .idempotent()
            .success::<IssuedNota<Nfse>>()
            .success_at::<InTransmission<Nfse>>(202)
            .answers(&[
                (200, "Nota validada e simulada (chave de teste)."),
                (201, "Nota autorizada."),
                (202, "Ainda sem resultado, ou na fila da prefeitura."),
            ])
            .sends("Location", &[202]),
    }
}

/// Dados da nota a emitir.
// Body of the request besides the content of the note; the two are joined.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Controle")]
#[serde(default)]
pub struct Control {
    /// Identificador próprio de quem emite, único por emitente, sem limite de
    /// tempo.
    pub referencia: Option<String>,
    /// Ausente: o emitente padrão da conta.
    pub emitente_id: Option<EmitterId>,
    pub via: RequestedVia,
    /// Dia em que o serviço foi prestado; ausente: hoje.
    pub data_competencia: Option<String>,
    /// Ausente: agora.
    pub data_emissao: Option<String>,
    /// Ausente: a do perfil fiscal.
    pub serie_rps: Option<String>,
}

const CONTROL: [&str; 6] = [
    "referencia",
    "emitente_id",
    "via",
    "data_competencia",
    "data_emissao",
    "serie_rps",
];

/// JSON Schema of the whole body.
pub fn schema() -> Value {
    let control = schemars::schema_for!(Control).to_value();
    let content = schemars::schema_for!(Content).to_value();
    let mut schema = issuance::joined_schema(control, &content, "NfseIn");
    party_id::describe(&mut schema, "Pessoa");
    schema
}

/// Reads the body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
pub fn read(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    let (control, mut value) = issuance::split(value, &CONTROL)?;
    let control: Control = body::read(Value::Object(control), tolerant)?;
    let pessoas = party_id::take(&mut value, &SERVICE_PARTIES)?;
    let content: Content = body::read(value, tolerant)?;
    Ok(NoteOrder::Service(Box::new(service::ServiceOrder {
        referencia: control.referencia,
        emitente_id: control.emitente_id,
        via: control.via,
        data_competencia: control.data_competencia,
        data_emissao: control.data_emissao,
        serie_rps: control.serie_rps,
        pessoas,
        conteudo: content,
    })))
}

async fn create(call: Call, headers: HeaderMap, bytes: Bytes) -> Issued<Nfse> {
    issuance::create(call, &headers, &bytes, Model::Nfse, read).await
}
