//! What the operations of NF-e and NFC-e have in common.

use crate::v1::issuance;
use crate::v1::party_id;
use base::errors::{Code, Failure, Refusal};
use compose::frame;
use gate::Call;
use gate::request::body;
use issuing::issue::NoteOrder;
use issuing::issue::product;
use issuing::model::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::ids::EmitterId;
use store::tables::notas::{self, NotaRow};

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
    /// 0 a 999; ausente: a do perfil fiscal.
    pub serie: Option<u16>,
    /// RFC 3339; ausente: agora.
    pub data_emissao: Option<String>,
    /// Só `normal`: não há emissão em contingência.
    pub forma_emissao: Option<IssueForm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "FormaEmissao")]
#[serde(rename_all = "snake_case")]
pub enum IssueForm {
    Normal,
    Contingencia,
}

const CONTROL: [&str; 5] = [
    "referencia",
    "emitente_id",
    "serie",
    "data_emissao",
    "forma_emissao",
];

/// JSON Schema of the body.
pub fn schema(title: &str) -> Value {
    let control = schemars::schema_for!(Control).to_value();
    let content = schemars::schema_for!(fiscal::nfe::order::Pedido).to_value();
    let mut schema = issuance::joined_schema(control, &content, title);
    party_id::describe(&mut schema, "NfePessoa");
    schema
}

/// Reads the body.
///
/// # Errors
/// 400 with unknown fields or the path of a wrong type; 422 for contingency.
pub fn read(model: frame::Model, value: Value, tolerant: bool) -> Result<NoteOrder, Failure> {
    let (control, mut value) = issuance::split(value, &CONTROL)?;
    let control: Control = body::read(Value::Object(control), tolerant)?;
    if control.forma_emissao == Some(IssueForm::Contingencia) {
        return Err(Refusal::new(Code::ContingenciaNaoOferecida).into());
    }
    let pessoas = party_id::take(&mut value, &["destinatario", "consumidor"])?;
    Ok(NoteOrder::Product(Box::new(product::ProductOrder {
        modelo: model,
        referencia: control.referencia,
        emitente_id: control.emitente_id,
        serie: control.serie,
        data_emissao: control.data_emissao,
        pessoas,
        conteudo: body::read(value, tolerant)?,
    })))
}

/// The note of a request: by nota_id or chave, of this model, where this kind
/// of key sees it.
///
/// # Errors
/// 404 for anything else.
pub async fn nota(call: &Call, reference: &str, model: Model) -> Result<NotaRow, Failure> {
    let mut conn = call.app.db.read().await?;
    let caller = &call.caller;
    let nota = notas::by_ref(&mut conn, &caller.account_id, reference, caller.unseen()).await?;
    drop(conn);
    let nota = nota.filter(|nota| nota.modelo == model).ok_or_else(|| {
        let missing = match model {
            Model::Cte | Model::Mdfe => "não encontrado",
            _ => "não encontrada",
        };
        Refusal::new(Code::NaoEncontrado).message(format!("{} {missing}.", model.title()))
    })?;
    call.about(&nota.id);
    Ok(nota)
}
