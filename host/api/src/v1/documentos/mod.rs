//! /api/v1/documentos

mod auditar;
mod buscar;
mod danfe;
mod delete;
mod email;
mod exportacoes;
mod exportar;
mod get;
mod historico;
pub mod list;
mod resumo;
mod xml;

use accounts::opening::unseen;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::docs::Built;
use gate::request::list::{Query, bad};
use issuing::answer::{Cte, Mdfe, Nfce, Nfe, Nfse, Registered, registered};
use issuing::model::Model;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::notas::{self, NotaRow};
use store::words::Ambiente;
use store::{Conn, DbResult};

pub fn built() -> Vec<Built> {
    let mut all = vec![
        list::built(),
        resumo::built(),
        get::built(),
        historico::built(),
        xml::built(),
        danfe::built(),
        buscar::built(),
        auditar::built(),
        exportar::built(),
        delete::built(),
        email::built(),
    ];
    all.extend(exportacoes::built());
    all
}

/// Tipo de documento, como um pedido o nomeia.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Modelo")]
enum ModelIn {
    #[serde(rename = "55")]
    Nfe,
    #[serde(rename = "65")]
    Nfce,
    #[serde(rename = "nfse")]
    Nfse,
}

impl ModelIn {
    /// NF-e, NFC-e, NFS-e; none named: all of them.
    fn wanted(named: &[ModelIn]) -> [bool; 3] {
        [ModelIn::Nfe, ModelIn::Nfce, ModelIn::Nfse]
            .map(|model| named.is_empty() || named.contains(&model))
    }
}

/// JSON Schema of an environment that a parameter names.
pub fn ambiente_schema() -> Value {
    json!({ "type": "string", "enum": Ambiente::ALL })
}

/// The environment that a parameter names; None: it names none.
///
/// # Errors
/// 400: no environment that this kind of key asks for has this word.
pub fn ambiente(query: &Query, test: bool) -> Result<Option<Ambiente>, Failure> {
    let Some(word) = query.get("ambiente") else {
        return Ok(None);
    };
    let named = word
        .parse::<Ambiente>()
        .ok()
        .filter(|one| asks_for(*one, test));
    named
        .map(Some)
        .ok_or_else(|| bad("ambiente", ambiente_words(test)))
}

/// Whether a kind of key may ask for an environment: not for the one that it does not see.
fn asks_for(ambiente: Ambiente, test: bool) -> bool {
    ambiente.as_str() != unseen(test)
}

/// The words of the environments that a kind of key may ask for, as a sentence.
fn ambiente_words(test: bool) -> &'static str {
    if test {
        "Use homologacao ou simulado."
    } else {
        "Use producao ou homologacao; o que é simulado só uma chave de teste vê."
    }
}

/// Uma NFS-e, NF-e, NFC-e, um CT-e ou um MDF-e.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum OfModel<S, E, C, T, M> {
    Nfse(S),
    Nfe(E),
    Nfce(C),
    Cte(T),
    Mdfe(M),
}

/// A document in whatever state it is, as lists show it.
type DocumentOfModel =
    OfModel<Registered<Nfse>, Registered<Nfe>, Registered<Nfce>, Registered<Cte>, Registered<Mdfe>>;

impl DocumentOfModel {
    /// # Errors
    /// What is stored cannot be read.
    fn of(nota: &NotaRow) -> DbResult<DocumentOfModel> {
        Ok(match nota.modelo {
            Model::Nfse => OfModel::Nfse(registered(nota)?),
            Model::Nfe => OfModel::Nfe(registered(nota)?),
            Model::Nfce => OfModel::Nfce(registered(nota)?),
            Model::Cte => OfModel::Cte(registered(nota)?),
            Model::Mdfe => OfModel::Mdfe(registered(nota)?),
        })
    }
}

/// The document of a path: by nota_id or chave, where this kind of key sees
/// it.
async fn load(call: &Call, conn: &mut Conn, reference: &str) -> Result<NotaRow, Failure> {
    let caller = &call.caller;
    let nota = notas::by_ref(conn, &caller.account_id, reference, caller.unseen()).await?;
    let nota =
        nota.ok_or_else(|| Refusal::new(Code::NaoEncontrado).message("Documento não encontrado."))?;
    call.about(&nota.id);
    Ok(nota)
}

/// Whether a download asks for the bytes themselves.
///
/// # Errors
/// 400: another format.
pub fn binary(query: &Query) -> Result<bool, Failure> {
    match query.get("formato").map(String::as_str) {
        None | Some("base64") => Ok(false),
        Some("binario") => Ok(true),
        Some(_) => Err(Refusal::field(
            Code::ParametroInvalido,
            "formato",
            "Formato desconhecido.",
            "Use base64 ou binario.",
        )
        .into()),
    }
}

/// The authority's XML of a note.
async fn xml_of(conn: &mut Conn, nota: &NotaRow) -> Result<ArtifactRow, Failure> {
    let xml = artifacts::get(conn, &nota.account_id, &nota.id, nota.modelo.as_str()).await?;
    Ok(xml.ok_or_else(|| {
        Refusal::new(Code::EstadoInvalido)
            .message("O documento ainda não tem XML.")
            .hint("O XML existe depois da autorização.")
            .nota(&nota.id)
    })?)
}

/// Name of a downloaded file: the key, where there is one.
pub fn arquivo(nota: &NotaRow, extension: &str) -> String {
    let number = [nota.chave.as_str(), &nota.numero_nfse, &nota.id]
        .into_iter()
        .find(|text| !text.is_empty());
    format!(
        "{}-{}.{extension}",
        nota.modelo.name(),
        number.unwrap_or_default()
    )
}
