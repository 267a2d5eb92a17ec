//! POST /api/v1/fiscal/perfil-sugerido: a fiscal profile from the registration of a
//! company.

use crate::empresa;
use crate::lookup::Origin;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::routing::on;
use fiscal::person;
use gate::Call;
use gate::answer::ApiAnswer;
use gate::charge::{self, Charged};
use gate::docs::{Built, Docs};
use gate::request::body;
use lookups::answers::Company;
use markup::field::Fields;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::profile::{self, Confidence, Suggestion};

pub fn built() -> Built {
    Built {
        operation: "fiscal.perfil-sugerido",
        route: |method| on(method, suggest),
        docs: Docs::new("Sugere o perfil fiscal de uma empresa pelo cadastro dela: cada campo com a confiança e o motivo, e os que ninguém pode sugerir. O perfil está na forma de PUT /api/v1/emitters/{id}/fiscal-profile; grátis se a empresa não é achada.")
            .body::<PerfilSugeridoIn>()
            .success::<Charged<PerfilSugeridoOut>>(),
    }
}

/// Uma empresa.
#[derive(Deserialize, JsonSchema)]
struct PerfilSugeridoIn {
    /// Com ou sem máscara.
    cnpj: String,
}

/// O perfil, e por quê.
#[derive(Serialize, JsonSchema)]
struct PerfilSugeridoOut {
    cnpj: String,
    /// Corpo de PUT /api/v1/emitters/{id}/fiscal-profile, só com o que se sugere.
    perfil: Map<String, Value>,
    campos: Vec<FieldOut>,
    faltam: Vec<MissingOut>,
    #[serde(flatten)]
    origem: Origin,
}

/// Um campo sugerido.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CampoSugerido")]
struct FieldOut {
    /// Caminho no perfil.
    campo: String,
    valor: String,
    confianca: ConfidenceOut,
    motivo: String,
}

/// Quão certa é a sugestão.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "Confianca")]
#[serde(rename_all = "snake_case")]
enum ConfidenceOut {
    /// O cadastro diz.
    Alta,
    /// Segue do cadastro, com exceções.
    Media,
    /// Só um começo.
    Baixa,
}

/// Um campo que ninguém pode sugerir.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CampoQueFalta")]
struct MissingOut {
    campo: String,
    motivo: String,
}

async fn suggest(
    call: Call,
    headers: HeaderMap,
    bytes: Bytes,
) -> ApiAnswer<Charged<PerfilSugeridoOut>> {
    let value = body::parse(&call, &headers, &bytes)?;
    let body: PerfilSugeridoIn = body::read(value, call.tolerant)?;
    let cnpj = empresa::parsed(&body.cnpj)?;
    charge::affordable(&call).await?;
    let (company, origin) = empresa::company(&call, cnpj.as_str()).await?;
    let activity = company.cnae_principal.as_ref();
    let (suggested, missing) = profile::suggest(&profile::Company {
        activity: activity.and_then(|one| one.codigo.as_deref()),
        simples: company.simples.as_ref().and_then(|one| one.optante),
        mei: company.mei.as_ref().and_then(|one| one.optante),
        size: company.porte.as_deref(),
    });
    let mut fields = registered(&company);
    fields.extend(suggested.iter().map(FieldOut::from));
    let mut missing: Vec<MissingOut> = missing
        .into_iter()
        .map(|one| MissingOut {
            campo: one.field.to_owned(),
            motivo: one.reason,
        })
        .collect();
    missing.extend(known_to_the_company());
    let answer = PerfilSugeridoOut {
        cnpj: cnpj.as_str().to_owned(),
        perfil: nested(&fields),
        campos: fields,
        faltam: missing,
        origem: origin,
    };
    charge::paid(&call, answer).await
}

/// What the registry says itself.
fn registered(company: &Company) -> Vec<FieldOut> {
    let place = company.endereco.clone().unwrap_or_default();
    let contacts = company.contatos.clone().unwrap_or_default();
    let activity = company.cnae_principal.as_ref();
    let name = Some(company.razao_social.clone());
    let certain = [
        ("razao_social", name),
        ("nome_fantasia", company.nome_fantasia.clone()),
        ("cnae", activity.and_then(|one| one.codigo.clone())),
        (
            "endereco.cep",
            place.cep.filter(|cep| taken(person::cep, cep)),
        ),
        ("endereco.logradouro", place.logradouro),
        ("endereco.numero", place.numero),
        ("endereco.complemento", place.complemento),
        ("endereco.bairro", place.bairro),
        ("endereco.cidade", place.cidade),
        ("endereco.codigo_ibge", place.codigo_ibge),
        ("endereco.uf", place.uf),
    ];
    let email = contacts.email.filter(|email| taken(person::email, email));
    let told = [("email", email), ("telefone", contacts.telefone)];
    let field = |confidence, reason: &'static str| {
        move |(name, value): (&'static str, Option<String>)| {
            let value = value.filter(|value| !value.is_empty())?;
            Some(FieldOut {
                campo: name.to_owned(),
                valor: value,
                confianca: confidence,
                motivo: reason.to_owned(),
            })
        }
    };
    let of_registry = field(ConfidenceOut::Alta, "Está no cadastro da Receita Federal.");
    let of_contact = field(
        ConfidenceOut::Media,
        "Está no cadastro, onde costuma ser o do contador.",
    );
    let certain = certain.into_iter().filter_map(of_registry);
    certain
        .chain(told.into_iter().filter_map(of_contact))
        .collect()
}

/// Whether a profile takes a text of the registry, which keeps what people wrote.
fn taken(check: fn(&mut Fields, &str, &str) -> String, text: &str) -> bool {
    let mut wrong = Fields::default();
    check(&mut wrong, "", text);
    wrong.0.is_empty()
}

/// What only the company knows.
fn known_to_the_company() -> [MissingOut; 3] {
    [
        (
            "ie",
            "Não está no cadastro federal; consulte POST /api/v1/empresa/ie com um certificado.",
        ),
        ("nfe", "Série e próximo número são os do sistema anterior."),
        ("nfse.proximo_numero", "É o do sistema anterior, ou 1."),
    ]
    .map(|(field, reason)| MissingOut {
        campo: field.to_owned(),
        motivo: reason.to_owned(),
    })
}

impl From<&Suggestion> for FieldOut {
    fn from(one: &Suggestion) -> FieldOut {
        FieldOut {
            campo: one.field.to_owned(),
            valor: one.value.clone(),
            confianca: match one.confidence {
                Confidence::High => ConfidenceOut::Alta,
                Confidence::Medium => ConfidenceOut::Media,
                Confidence::Low => ConfidenceOut::Baixa,
            },
            motivo: one.reason.clone(),
        }
    }
}

/// The fields as the profile's objects.
fn nested(fields: &[FieldOut]) -> Map<String, Value> {
    let mut profile = Map::new();
    for field in fields {
        let mut parts: Vec<&str> = field.campo.split('.').collect();
        let Some(last) = parts.pop() else {
            continue;
        };
        let mut at = Some(&mut profile);
        for part in parts {
            at = at.and_then(|at| {
                let inner = at.entry(part).or_insert_with(|| Map::new().into());
                inner.as_object_mut()
            });
        }
        if let Some(at) = at {
            at.insert(last.to_owned(), field.valor.clone().into());
        }
    }
    profile
}
