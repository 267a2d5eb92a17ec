//! Which MDF-e of a company were not closed: a question to the authority
//! (MOC MDF-e 3.00, service MDFeConsNaoEnc).

use crate::Issuing;
use crate::actions::question::{Question, answered};
use crate::emitters::profile::Perfil;
use crate::issue::incomplete;
use crate::model::{Ambiente, Model};
use crate::route;
use base::errors::Failure;
use serde::Deserialize;
use serde_json::json;
use store::tables::emitters::EmitterRow;

/// What the authority says (`wit/schemas/sefaz.nao-encerrados.resposta.1.json`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OpenManifests {
    /// `cStat`, `xMotivo`.
    pub cstat: String,
    pub motivo: String,
    pub itens: Vec<OpenManifest>,
}

/// An MDF-e that was not closed.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct OpenManifest {
    pub chave: String,
    pub protocolo: String,
}

/// Asks; empty when all are closed.
///
/// # Errors
/// As [`answered`].
pub async fn search(
    app: &Issuing,
    emitter: &EmitterRow,
    ambiente: Ambiente,
) -> Result<OpenManifests, Failure> {
    let model = Model::Mdfe;
    let perfil: Perfil = serde_json::from_str(&emitter.perfil)?;
    let registry = app.registry.load();
    let uf = route::uf(&registry, perfil.municipality().unwrap_or_default()).to_owned();
    let Some(code) = data::ufs::by_uf(&uf).map(|uf| uf.codigo) else {
        return Err(incomplete("endereco.codigo_ibge", "Falta o município do emitente.").into());
    };
    let person = if emitter.cnpj.len() == 11 {
        "cpf"
    } else {
        "cnpj"
    };
    let question = Question {
        operation: "nao_encerrados",
        schema: "sefaz.nao-encerrados/1",
        content: json!({ "uf": code, person: emitter.cnpj }),
    };
    let success = answered(app, emitter, &uf, model, ambiente, question).await?;
    let content = success.conteudo.as_ref();
    let content = content.map_or("{}", |content| content.json.as_str());
    Ok(serde_json::from_str(content)?)
}
