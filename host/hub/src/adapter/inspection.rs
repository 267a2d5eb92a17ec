//! What `hub adapter inspect` says, for programs.

use super::inspect::findings;
use base::when;
use flow::Loaded;
use flow::contract::{OptionKind, OptionSpec, permissions};
use flow::registry::Registry;
use serde::Serialize;
use store::tables::releases::{ReleaseRow, ReleaseStatus};

/// A component, what the hub knows of it, and where the registry disagrees.
#[derive(Debug, Serialize)]
pub struct Inspection {
    pub nome: String,
    pub versao: String,
    pub digest: String,
    pub tamanho_bytes: usize,
    /// Kind of authority it speaks to: `nfse`, `sefaz`, `lookup`.
    pub interface: &'static str,
    pub schemas: Vec<String>,
    /// Of the states it writes, and of those it continues.
    pub versao_do_estado: u32,
    pub continua: Vec<u32>,
    pub mantenedores: Vec<String>,
    pub importa: Vec<String>,
    pub operacoes: Vec<Operation>,
    pub endpoints: Vec<Endpoint>,
    pub opcoes: Vec<Choice>,
    /// What it may do, one line each; null: it declares nothing, and new notes do not
    /// use it.
    pub permissoes: Option<Vec<String>>,
    /// Of a release; null: a component of the adapters folder, or a file.
    pub instalacao: Option<State>,
    /// Whether new notes of this hub use it; absent where no hub was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub em_uso: Option<bool>,
    /// Where the registry disagrees, one sentence each.
    pub discordancias: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct Operation {
    pub nome: String,
    pub sincrona: bool,
    pub notas: String,
}

#[derive(Debug, Serialize)]
pub struct Endpoint {
    pub nome: String,
    pub obrigatorio: bool,
    pub certificado: bool,
    pub descricao: String,
}

/// An option.
#[derive(Debug, Serialize)]
pub struct Choice {
    pub nome: String,
    pub tipo: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub valores: Vec<String>,
    pub obrigatoria: bool,
    pub padrao: Option<String>,
    pub descricao: String,
}

/// Where a release is in its life.
#[derive(Debug, Serialize)]
pub struct State {
    pub estado: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentual: Option<i64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub assinado_por: String,
    pub mudou_em: String,
}

impl From<&ReleaseRow> for State {
    fn from(row: &ReleaseRow) -> State {
        State {
            percentual: (row.status == ReleaseStatus::Canary).then_some(row.percent),
            estado: row.status.as_str(),
            assinado_por: row.signed_by.clone(),
            mudou_em: when::format(when::utc(row.changed_at_ms)),
        }
    }
}

impl Inspection {
    /// `size` is the component's, in bytes.
    pub fn of(
        loaded: &Loaded,
        size: usize,
        registry: &Registry,
        release: Option<&ReleaseRow>,
    ) -> Inspection {
        let description = &loaded.description;
        let operations = description.operations.iter().map(|operation| Operation {
            nome: operation.name.clone(),
            sincrona: operation.synchronous,
            notas: operation.notes.clone(),
        });
        let endpoints = description.endpoints.iter().map(|endpoint| Endpoint {
            nome: endpoint.name.clone(),
            obrigatorio: endpoint.required,
            certificado: endpoint.client_certificate,
            descricao: endpoint.doc.clone(),
        });
        Inspection {
            nome: description.name.clone(),
            versao: description.version.clone(),
            digest: loaded.digest.clone(),
            tamanho_bytes: size,
            interface: loaded.world.interface(),
            schemas: description.schemas.clone(),
            versao_do_estado: description.state_version,
            continua: description.resumes.clone(),
            mantenedores: description.maintainers.clone(),
            importa: loaded.imports.clone(),
            operacoes: operations.collect(),
            endpoints: endpoints.collect(),
            opcoes: description.options.iter().map(Choice::from).collect(),
            permissoes: loaded.permissions.as_deref().map(permissions::lines),
            instalacao: release.map(State::from),
            em_uso: None,
            discordancias: findings(loaded, registry),
        }
    }

    /// With what a hub says about it.
    #[must_use]
    pub fn in_use(mut self, used: bool) -> Inspection {
        self.em_uso = Some(used);
        self
    }

    /// Whether the registry agrees.
    pub fn agrees(&self) -> bool {
        self.discordancias.is_empty()
    }
}

impl From<&OptionSpec> for Choice {
    fn from(option: &OptionSpec) -> Choice {
        Choice {
            nome: option.name.clone(),
            tipo: match option.kind {
                OptionKind::Text => "texto",
                OptionKind::Integer => "inteiro",
                OptionKind::Decimal => "decimal",
                OptionKind::Flag => "logico",
                OptionKind::Choice => "escolha",
            },
            valores: option.choices.clone(),
            obrigatoria: option.required,
            padrao: option.default.clone(),
            descricao: option.doc.clone(),
        }
    }
}
