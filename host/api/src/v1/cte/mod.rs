//! /api/v1/cte
//!
//! Drafts, listing, DACTE and XML are for every account. What speaks to an
//! authority is in a test phase (`[cte]` of the settings): switched off, or for
//! an account that was not released, it answers `cte_em_teste` before it reads
//! anything, and spends nothing.

mod autorizador;
mod cancelar;
mod cce;
mod criar;
mod criar_e_emitir;
mod dacte;
mod emitir;
mod epec;
mod inutilizar;
mod list;
mod os;
mod status;
mod xml;

use crate::v1::issuance;
use base::config::Transmission;
use base::errors::{Code, Failure, Refusal};
use freight::cte::order::Pedido;
use gate::Call;
use gate::docs::Built;
use gate::request::body;
use issuing::issue::NoteOrder;
use issuing::issue::transport::{Contingency, TransportOrder};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::ids::EmitterId;
use store::tables::accounts::{self, Released};

pub fn built() -> Vec<Built> {
    vec![
        criar_e_emitir::built(),
        criar::built(),
        emitir::built(),
        cancelar::built(),
        cce::built(),
        epec::built(),
        inutilizar::built(),
        status::built(),
        autorizador::built(),
        list::built(),
        dacte::built(),
        xml::built(),
        os::built(),
    ]
}

/// Dados do CT-e a emitir.
// Body of the request besides the content of the document; the two are joined.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "CteControle")]
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
    let content = schemars::schema_for!(freight::cte::order::Pedido).to_value();
    issuance::joined_schema(control, &content, "CteIn")
}

/// Reads the body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
fn read(value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    let (control, value) = issuance::split(value, &CONTROL)?;
    let control: Control = body::read(Value::Object(control), tolerant)?;
    Ok(NoteOrder::Cte(Box::new(order(
        control, None, value, tolerant,
    )?)))
}

/// Joins the parts of a body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type.
fn order(
    control: Control,
    contingency: Option<Contingency>,
    content: Value,
    tolerant: bool,
) -> Result<TransportOrder<Pedido>, Failure> {
    Ok(TransportOrder {
        referencia: control.referencia,
        emitente_id: control.emitente_id,
        serie: control.serie,
        data_emissao: control.data_emissao,
        contingency,
        conteudo: body::read(content, tolerant)?,
    })
}

/// Lets a call through that speaks to an authority.
///
/// # Errors
/// 422: the transmission is switched off, or the account was not released.
async fn in_test(call: &Call) -> Result<(), Failure> {
    if call.app.config.cte.transmissao == Transmission::Desligada {
        return Err(Refusal::new(Code::CteEmTeste).into());
    }
    let mut conn = call.app.db.read().await?;
    let account = accounts::get(&mut conn, &call.caller.account_id).await?;
    if account.is_some_and(|account| account.has(Released::Cte)) {
        return Ok(());
    }
    Err(Refusal::new(Code::CteEmTeste)
        .hint("Peça ao suporte a liberação da conta para o teste; nada foi gasto.")
        .into())
}
