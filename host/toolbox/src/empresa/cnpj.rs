//! POST /api/v1/empresa/cnpj: the registration of a company.

use super::registry;
use crate::lookup::Origin;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use base::errors::{Code, Refusal};
use data::cnae;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use lookups::answers::{Choice, Coded, Company, Partner};
use markup::decimal::Exact;
use markup::ids::Cnpj;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub fn built() -> Built {
    Built {
        operation: "empresa.cnpj",
        route: |method| on(method, company),
        docs: Docs::new("Mostra o cadastro de uma empresa: situação, atividades, endereço, sócios, Simples e MEI, da base que o operador importou ou da fonte configurada; grátis sem resultado.")
            .body::<CnpjIn>()
            .success::<Charged<CompanyOut>>(),
    }
}

/// Uma empresa.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "EmpresaCnpjIn")]
struct CnpjIn {
    /// Com ou sem máscara; com letras, a partir de julho de 2026.
    cnpj: String,
}

/// O cadastro de uma empresa; `null` é o que a fonte não diz.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Empresa")]
struct CompanyOut {
    /// Sem máscara.
    cnpj: String,
    razao_social: String,
    nome_fantasia: Option<String>,
    /// É a matriz, e não uma filial.
    matriz: Option<bool>,
    situacao: StatusOut,
    /// Primeiro dia de atividade.
    abertura: Option<String>,
    natureza_juridica: CodedOut,
    porte: Option<String>,
    capital_social: Option<Exact>,
    cnae_principal: CodedOut,
    cnaes_secundarios: Vec<CodedOut>,
    endereco: AddressOut,
    contatos: ContactsOut,
    socios: Vec<PartnerOut>,
    simples: ChoiceOut,
    mei: ChoiceOut,
    #[serde(flatten)]
    origem: Origin,
}

/// A situação cadastral.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SituacaoCadastral")]
struct StatusOut {
    /// 01 nula, 02 ativa, 03 suspensa, 04 inapta, 08 baixada.
    codigo: Option<String>,
    descricao: Option<String>,
    desde: Option<String>,
    motivo: Option<String>,
}

/// Um código e o que ele quer dizer.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CodigoComTexto")]
struct CodedOut {
    codigo: Option<String>,
    descricao: Option<String>,
}

/// Onde fica.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EnderecoDaEmpresa")]
struct AddressOut {
    logradouro: Option<String>,
    numero: Option<String>,
    complemento: Option<String>,
    bairro: Option<String>,
    cep: Option<String>,
    cidade: Option<String>,
    codigo_ibge: Option<String>,
    uf: Option<String>,
}

/// Como falar com ela.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContatosDaEmpresa")]
struct ContactsOut {
    /// Só dígitos, com DDD.
    telefones: Vec<String>,
    email: Option<String>,
}

/// Um sócio.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Socio")]
struct PartnerOut {
    nome: Option<String>,
    qualificacao: Option<String>,
    desde: Option<String>,
}

/// Um regime que a empresa pode ter escolhido.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Opcao")]
struct ChoiceOut {
    optante: Option<bool>,
    desde: Option<String>,
    ate: Option<String>,
}

/// A CNPJ of a body.
///
/// # Errors
/// 400: its form or its check digits are wrong.
pub(crate) fn parsed(text: &str) -> Result<Cnpj, Box<Refusal>> {
    Cnpj::parse(text.trim()).map_err(|_| {
        Box::new(Refusal::field(
            Code::ParametroInvalido,
            "cnpj",
            "Não é um CNPJ.",
            "Confira as 14 posições e os dígitos verificadores, por exemplo em POST /api/v1/validate/cnpj.",
        ))
    })
}

async fn company(call: Call, headers: HeaderMap, bytes: Bytes) -> ApiAnswer<Charged<CompanyOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: CnpjIn = body::read(value, call.tolerant)?;
    let cnpj = parsed(&body.cnpj)?;
    charge::affordable(&call).await?;
    let (company, origin) = registry::company(&call, cnpj.as_str()).await?;
    charge::paid(&call, shown(company, origin)).await
}

fn shown(company: Company, origin: Origin) -> CompanyOut {
    let status = company.situacao.unwrap_or_default();
    let place = company.endereco.unwrap_or_default();
    let contacts = company.contatos.unwrap_or_default();
    let phones = [contacts.telefone, contacts.telefone2];
    let secondary = company.cnaes_secundarios.into_iter();
    CompanyOut {
        cnpj: company.cnpj,
        razao_social: company.razao_social,
        nome_fantasia: company.nome_fantasia,
        matriz: company.matriz,
        situacao: StatusOut {
            codigo: status.codigo,
            descricao: status.descricao,
            desde: status.desde,
            motivo: status.motivo,
        },
        abertura: company.abertura,
        natureza_juridica: coded(company.natureza_juridica.unwrap_or_default()),
        porte: company.porte,
        capital_social: company.capital_social.map(Exact),
        cnae_principal: activity(company.cnae_principal.unwrap_or_default()),
        // A source writes "none" as an activity 0000000.
        cnaes_secundarios: secondary
            .filter(|one| one.codigo.as_ref().is_some_and(|code| code != "0000000"))
            .map(activity)
            .collect(),
        endereco: AddressOut {
            logradouro: place.logradouro,
            numero: place.numero,
            complemento: place.complemento,
            bairro: place.bairro,
            cep: place.cep,
            cidade: place.cidade,
            codigo_ibge: place.codigo_ibge,
            uf: place.uf,
        },
        contatos: ContactsOut {
            telefones: phones.into_iter().flatten().collect(),
            email: contacts.email,
        },
        socios: company.socios.into_iter().map(partner).collect(),
        simples: choice(company.simples.unwrap_or_default()),
        mei: choice(company.mei.unwrap_or_default()),
        origem: origin,
    }
}

fn coded(one: Coded) -> CodedOut {
    CodedOut {
        codigo: one.codigo,
        descricao: one.descricao,
    }
}

/// An activity; our table has its text where the source has none.
fn activity(one: Coded) -> CodedOut {
    let known = one.codigo.as_deref().and_then(cnae::get);
    let text = known.map(|row| row.description.to_owned());
    CodedOut {
        codigo: one.codigo,
        descricao: one.descricao.or(text),
    }
}

fn partner(one: Partner) -> PartnerOut {
    PartnerOut {
        nome: one.nome,
        qualificacao: one.qualificacao,
        desde: one.desde,
    }
}

fn choice(one: Choice) -> ChoiceOut {
    ChoiceOut {
        optante: one.optante,
        desde: one.desde,
        ate: one.ate,
    }
}
