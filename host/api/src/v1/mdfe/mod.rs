//! /api/v1/mdfe: for accounts that the operator released.

mod autorizador;
mod cancelar;
mod criar;
mod criar_e_emitir;
mod documento;
mod emitir;
mod encerrar;
mod incluir_condutor;
mod incluir_dfe;
mod list;
mod nao_encerrados;
mod status;

use crate::v1::issuance;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Built;
use gate::request::body;
use issuing::issue::NoteOrder;
use issuing::issue::transport::TransportOrder;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::ids::EmitterId;
use store::tables::accounts::{self, Released};

pub fn built() -> Vec<Built> {
    vec![
        criar::built(),
        list::built(),
        documento::built(),
        criar_e_emitir::built(),
        emitir::built(),
        cancelar::built(),
        encerrar::built(),
        incluir_condutor::built(),
        incluir_dfe::built(),
        status::built(),
        nao_encerrados::built(),
        autorizador::built(),
    ]
}

/// Dados do MDF-e a emitir.
// Body of the request besides the content of the document; the two are joined.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "MdfeControle")]
#[serde(default)]
struct Control {
    /// Identificador próprio de quem emite, único por emitente, sem limite de
    /// tempo.
    referencia: Option<String>,
    /// Ausente: o emitente padrão da conta.
    emitente_id: Option<EmitterId>,
    /// 0 a 999; ausente: a do perfil fiscal.
    serie: Option<u16>,
    /// RFC 3339; ausente: agora.
    data_emissao: Option<String>,
}

const CONTROL: [&str; 4] = ["referencia", "emitente_id", "serie", "data_emissao"];

/// JSON Schema of the body.
fn schema() -> Value {
    let control = schemars::schema_for!(Control).to_value();
    let content = schemars::schema_for!(freight::mdfe::order::Pedido).to_value();
    issuance::joined_schema(control, &content, "MdfeIn")
}

/// Reads the body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
fn read(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    let (control, value) = issuance::split(value, &CONTROL)?;
    let control: Control = body::read(Value::Object(control), tolerant)?;
    Ok(NoteOrder::Mdfe(Box::new(TransportOrder {
        referencia: control.referencia,
        emitente_id: control.emitente_id,
        serie: control.serie,
        data_emissao: control.data_emissao,
        contingency: None,
        conteudo: body::read(value, tolerant)?,
    })))
}

/// Lets the calls of released accounts through.
///
/// # Errors
/// 403: the account was not released.
async fn released(call: &Call) -> Result<(), Failure> {
    let mut conn = call.app.db.read().await?;
    let account = accounts::get(&mut conn, &call.caller.account_id).await?;
    if account.is_some_and(|account| account.has(Released::Mdfe)) {
        return Ok(());
    }
    Err(Refusal::new(Code::LiberacaoPeloSuporte)
        .message("O MDF-e é liberado pelo suporte, conta a conta; nada foi gasto.")
        .into())
}
