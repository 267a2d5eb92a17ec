//! What a key may be limited to, and what each operation asks of a key.

use base::operations::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parte da API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Emissao,
    Consulta,
    Entrada,
    Cofre,
    Fiscal,
    Dados,
    Emitentes,
    Storage,
    Webhooks,
    Creditos,
    Chaves,
}

impl Scope {
    pub const ALL: [Scope; 11] = [
        Scope::Emissao,
        Scope::Consulta,
        Scope::Entrada,
        Scope::Cofre,
        Scope::Fiscal,
        Scope::Dados,
        Scope::Emitentes,
        Scope::Storage,
        Scope::Webhooks,
        Scope::Creditos,
        Scope::Chaves,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Scope::Emissao => "emissao",
            Scope::Consulta => "consulta",
            Scope::Entrada => "entrada",
            Scope::Cofre => "cofre",
            Scope::Fiscal => "fiscal",
            Scope::Dados => "dados",
            Scope::Emitentes => "emitentes",
            Scope::Storage => "storage",
            Scope::Webhooks => "webhooks",
            Scope::Creditos => "creditos",
            Scope::Chaves => "chaves",
        }
    }
}

/// The scopes of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u16);

impl Scopes {
    pub fn all() -> Scopes {
        Scope::ALL.into_iter().collect()
    }

    pub fn has(self, scope: Scope) -> bool {
        self.0 & bit(scope) != 0
    }

    /// Those that `other` lacks.
    pub fn beyond(self, other: Scopes) -> Scopes {
        Scopes(self.0 & !other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each of them, in one order.
    pub fn list(self) -> Vec<Scope> {
        let those = Scope::ALL.into_iter().filter(|scope| self.has(*scope));
        those.collect()
    }

    /// Their names, in one order.
    pub fn names(self) -> Vec<&'static str> {
        self.list().into_iter().map(Scope::as_str).collect()
    }

    /// As a row of `api_keys` has them: names with a space between.
    pub fn text(self) -> String {
        self.names().join(" ")
    }

    /// Reads `text`; a name nobody knows opens nothing, and is logged.
    pub fn read(text: &str) -> Scopes {
        let known = |name: &str| {
            let scope = Scope::ALL.into_iter().find(|scope| scope.as_str() == name);
            if scope.is_none() && !name.is_empty() {
                tracing::error!("a scope of a key is not known, and opens nothing");
            }
            scope
        };
        text.split(' ').filter_map(known).collect()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Scopes {
        Scopes(scopes.into_iter().fold(0, |all, scope| all | bit(scope)))
    }
}

const fn bit(scope: Scope) -> u16 {
    1 << scope as u16
}

/// Who may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nobody is asked for a key.
    Public,
    /// Any valid key: what a caller may know of itself.
    AnyKey,
    /// A key with this scope.
    Scope(Scope),
}

impl Access {
    /// The scope, where one is asked for.
    pub fn scope(self) -> Option<&'static str> {
        match self {
            Access::Scope(scope) => Some(scope.as_str()),
            Access::Public | Access::AnyKey => None,
        }
    }
}

/// Who may call the operation of a row. None for a family without a scope: the
/// gate refuses it.
pub fn access(row: &Operation) -> Option<Access> {
    if row.auth == "none" {
        return Some(Access::Public);
    }
    let name = row.operation.as_str();
    let scope = match row.family.as_str() {
        "account" => return Some(Access::AnyKey),
        "platform" if name.starts_with("usage") => return Some(Access::AnyKey),
        "platform" | "fiscal_tools" | "fiscal_lookup" | "reform" => Scope::Fiscal,
        "issuance" | "life_cycle" | "cte" | "mdfe" | "dere" if asks(row) => Scope::Consulta,
        "issuance" | "life_cycle" | "cte" | "mdfe" | "dere" => Scope::Emissao,
        "purchase_notes" => Scope::Entrada,
        "vault" => Scope::Cofre,
        // What came of an export is for who may ask for one.
        "documents" if name.starts_with("documentos.exportacoes") => Scope::Cofre,
        "documents" if asks(row) => Scope::Consulta,
        "documents" => Scope::Emissao,
        "emitters" | "persons" => Scope::Emitentes,
        "data_catalog" | "data_geo" | "data_company" | "data_vehicle" | "data_validation"
        | "payments" => Scope::Dados,
        "storage" => Scope::Storage,
        "webhooks" | "events" => Scope::Webhooks,
        "credits" => Scope::Creditos,
        "keys" => Scope::Chaves,
        _ => return None,
    };
    Some(Access::Scope(scope))
}

/// The operation only looks; some that do are a POST.
fn asks(row: &Operation) -> bool {
    let last = row.operation.rsplit('.').next().unwrap_or_default();
    row.method == "GET" || matches!(last, "status" | "roteamento" | "nao-encerrados")
}
