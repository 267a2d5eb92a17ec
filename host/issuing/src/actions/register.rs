//! Who is registered in a state as a taxpayer: a question to its SEFAZ, with an
//! emitter's certificate (NF-e manual of integration, service
//! CadConsultaCadastro4).

use crate::Issuing;
use crate::actions::event::{Receiver, rumo};
use crate::model::{Ambiente, Issued as _, Model};
use crate::settle::verdict::{Verdict, Who, failed};
use authority::question::{NoAnswer, ask};
use base::errors::{Code, Failure, Refusal};
use flow::contract::Situacao;
use serde::Deserialize;
use serde_json::json;
use store::tables::emitters::EmitterRow;

/// Seconds after which a SEFAZ that gave no answer may be asked again.
const AGAIN_S: u64 = 60;

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
/// 422 without a certificate, or when the state has no such service; 503 when
/// it does not answer.
pub async fn search(
    app: &Issuing,
    emitter: &EmitterRow,
    uf: &str,
    taxpayer: Taxpayer<'_>,
    ambiente: Ambiente,
) -> Result<Register, Failure> {
    let model = Model::Nfe;
    let rumo = rumo(app, emitter, uf, model, Receiver::Autorizador, ambiente).await?;
    let content = match taxpayer {
        Taxpayer::Cnpj(cnpj) => json!({ "uf": uf, "cnpj": cnpj }),
        Taxpayer::Cpf(cpf) => json!({ "uf": uf, "cpf": cpf }),
        Taxpayer::Ie(ie) => json!({ "uf": uf, "ie": ie }),
    };
    let silent = || Refusal::new(model.unavailable()).retry_after(AGAIN_S);
    let asked = ask(
        app,
        &emitter.account_id,
        &rumo,
        "cadastro",
        "sefaz.cadastro/1",
        content.to_string(),
    );
    let outcome = asked.await.map_err(|error| match error.is::<NoAnswer>() {
        true => Failure::from(silent()),
        false => error.into(),
    })?;
    match outcome {
        Ok(success) if success.situacao == Situacao::NaoEncontrado => Ok(Register::default()),
        Ok(success) => {
            let content = success.conteudo.as_ref();
            let content = content.map_or("{}", |content| content.json.as_str());
            Ok(serde_json::from_str(content)?)
        }
        Err(failure) => Err(match failed(&failure, &Who::sefaz(model)) {
            Verdict::NotSent(refusal) => refusal,
            Verdict::Rejected(said) => Refusal {
                rejection: said,
                ..Refusal::new(Code::RejeitadaPelaSefaz)
                    .message("A SEFAZ recusou a consulta; nada foi cobrado.")
            },
            _ => silent(),
        }
        .into()),
    }
}
