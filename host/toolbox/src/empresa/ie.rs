//! POST /api/v1/empresa/ie: registrations of a taxpayer in a state.

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Failure, Refusal};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use issuing::actions::register::{self, Registration, Taxpayer};
use issuing::issue::{self, product};
use markup::ids::CpfCnpj;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ids::EmitterId;

pub fn built() -> Built {
    Built {
        operation: "empresa.ie",
        route: |method| on(method, registrations),
        docs: Docs::new("Mostra as inscrições estaduais de um contribuinte, do cadastro da SEFAZ da UF, com o certificado de um emitente; grátis se não há nenhuma.")
            .body::<IeIn>()
            .requires(&["uf"])
            .requires_any(&["cnpj", "cpf", "ie"])
            .success::<Charged<IeOut>>(),
    }
}

/// De quem: `cnpj`, `cpf` ou `ie`, um dos três.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "EmpresaIeIn")]
#[serde(default)]
struct IeIn {
    /// A UF cujo cadastro é consultado.
    uf: String,
    cnpj: Option<String>,
    cpf: Option<String>,
    /// Só dígitos, de 2 a 14.
    #[schemars(regex(pattern = r"^[0-9]{2,14}$"))]
    ie: Option<String>,
    /// De quem é o certificado da consulta; ausente: o padrão.
    emitente_id: Option<EmitterId>,
}

/// As inscrições achadas.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InscricoesEstaduais")]
struct IeOut {
    itens: Vec<IeRow>,
    /// Quando a SEFAZ respondeu.
    consultado_em: Option<String>,
}

/// Uma inscrição; `null` é o que o cadastro não diz.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InscricaoEstadual")]
struct IeRow {
    ie: Option<String>,
    uf: Option<String>,
    cnpj: Option<String>,
    cpf: Option<String>,
    situacao: Option<IeStatus>,
    nome: Option<String>,
    nome_fantasia: Option<String>,
    /// Como o cadastro o descreve.
    regime: Option<String>,
    cnae: Option<String>,
    /// Primeiro dia de atividade.
    desde: Option<String>,
    /// Dia da última mudança de situação.
    ultima_situacao: Option<String>,
    baixa: Option<String>,
    /// A inscrição que tomou o lugar desta.
    ie_atual: Option<String>,
    /// A inscrição única, onde a UF a tem.
    ie_unica: Option<String>,
}

/// Se o contribuinte está habilitado.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SituacaoDaInscricao")]
#[serde(rename_all = "snake_case")]
enum IeStatus {
    Habilitado,
    NaoHabilitado,
}

async fn registrations(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<IeOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: IeIn = body::read(value, call.tolerant)?;
    let uf = data::ufs::by_uf(&body.uf.trim().to_uppercase())
        .ok_or_else(|| wrong("uf", "Esta UF não existe."))?;
    let number = match (&body.cnpj, &body.cpf, &body.ie) {
        (Some(text), None, None) => person(text, "cnpj")?,
        (None, Some(text), None) => person(text, "cpf")?,
        (None, None, Some(text)) => ie(text)?,
        _ => return Err(wrong("cnpj", "Informe cnpj, cpf ou ie, um dos três.").into()),
    };
    let taxpayer = match (&body.cnpj, &body.cpf) {
        (Some(_), _) => Taxpayer::Cnpj(&number),
        (_, Some(_)) => Taxpayer::Cpf(&number),
        _ => Taxpayer::Ie(&number),
    };
    charge::affordable(&call).await?;
    let mut conn = call.app.db.read().await?;
    let emitter = issue::emitter(&mut conn, &call.caller, body.emitente_id.as_ref()).await?;
    drop(conn);
    let ambiente = product::ambiente(&call.caller, &emitter);
    let uf = uf.abbreviation;
    let found = register::search(&call.app, &emitter, uf, taxpayer, ambiente).await?;
    if found.inscricoes.is_empty() {
        let text = format!("O cadastro da SEFAZ de {uf} não tem este contribuinte.");
        return Err(Refusal::new(Code::SemResultado).message(text).into());
    }
    let answer = IeOut {
        itens: found.inscricoes.into_iter().map(IeRow::from).collect(),
        consultado_em: found.consultado_em,
    };
    charge::paid(&call, answer).await
}

fn person(text: &str, field: &str) -> Result<String, Failure> {
    let found = CpfCnpj::parse(text.trim()).ok();
    let same_kind = |one: &CpfCnpj| one.cpf().is_some() == (field == "cpf");
    let found = found.filter(same_kind);
    let number = found.map(|one| one.as_str().to_owned());
    Ok(number.ok_or_else(|| wrong(field, "O número não é válido."))?)
}

fn ie(text: &str) -> Result<String, Failure> {
    let kept: String = text
        .chars()
        .filter(|c| !matches!(c, '.' | '-' | '/' | ' '))
        .collect();
    let digits = kept.bytes().all(|byte| byte.is_ascii_digit());
    if digits && (2..=14).contains(&kept.len()) {
        return Ok(kept);
    }
    Err(wrong("ie", "A inscrição tem de 2 a 14 dígitos.").into())
}

fn wrong(field: &str, message: &str) -> Refusal {
    let hint = "Informe a UF e o número inteiro, com ou sem máscara.";
    Refusal::field(Code::ParametroInvalido, field, message, hint)
}

impl From<Registration> for IeRow {
    fn from(one: Registration) -> IeRow {
        let status = match one.situacao.as_deref() {
            Some("1") => Some(IeStatus::Habilitado),
            Some("0") => Some(IeStatus::NaoHabilitado),
            _ => None,
        };
        IeRow {
            ie: one.ie,
            uf: one.uf,
            cnpj: one.cnpj,
            cpf: one.cpf,
            situacao: status,
            nome: one.nome,
            nome_fantasia: one.fantasia,
            regime: one.regime,
            cnae: one.cnae,
            desde: one.inicio_atividade,
            ultima_situacao: one.ultima_situacao,
            baixa: one.baixa,
            ie_atual: one.ie_atual,
            ie_unica: one.ie_unica,
        }
    }
}
