//! Who is registered in a state as a taxpayer: a question to its SEFAZ, with an
//! emitter's certificate (NF-e manual of integration, service
//! CadConsultaCadastro4).

use crate::Issuing;
use crate::actions::question::{Question, answered};
use crate::model::{Ambiente, Model};
use base::errors::Failure;
use flow::contract::Situacao;
use serde::Deserialize;
use serde_json::json;
use store::tables::emitters::EmitterRow;

/// What is searched in the register.
#[derive(Clone, Copy, Debug)]
pub enum Taxpayer<'a> {
    Cnpj(&'a str),
    Cpf(&'a str),
    Ie(&'a str),
}

/// What the register says (`wit/schemas/sefaz.cadastro.resposta.1.json`).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Register {
    pub consultado_em: Option<String>,
    pub inscricoes: Vec<Registration>,
}

/// A registration.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Registration {
    pub ie: Option<String>,
    pub cnpj: Option<String>,
    pub cpf: Option<String>,
    pub uf: Option<String>,
    /// 1: enabled; 0: not.
    pub situacao: Option<String>,
    pub nome: Option<String>,
    pub fantasia: Option<String>,
    pub regime: Option<String>,
    pub cnae: Option<String>,
    pub inicio_atividade: Option<String>,
    pub ultima_situacao: Option<String>,
    pub baixa: Option<String>,
    pub ie_atual: Option<String>,
    pub ie_unica: Option<String>,
}

/// Asks the register of a state; empty when nobody is found.
///
/// # Errors
/// As [`answered`].
pub async fn search(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    taxpayer: Taxpayer<'_>,
    ambiente: Ambiente,
) -> Result<Register, Failure> {
    let model = Model::Nfe;
    let content = match taxpayer {
        Taxpayer::Cnpj(cnpj) => json!({ "uf": uf, "cnpj": cnpj }),
        Taxpayer::Cpf(cpf) => json!({ "uf": uf, "cpf": cpf }),
        Taxpayer::Ie(ie) => json!({ "uf": uf, "ie": ie }),
    };
    let question = Question {
        operation: "cadastro",
        schema: "sefaz.cadastro/1",
        content,
    };
    let success = answered(app, emitter, uf, model, ambiente, question).await?;
    if success.situacao == Situacao::NaoEncontrado {
        return Ok(Register::default());
    }
    let content = success.conteudo.as_ref();
    let content = content.map_or("{}", |content| content.json.as_str());
    Ok(serde_json::from_str(content)?)
}
