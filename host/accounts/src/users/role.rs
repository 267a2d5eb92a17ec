//! What a person may do in an account.

use crate::scopes::{Scope, Scopes};
pub use store::tables::users::Role;

/// A kind of thing the panel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Issue and cancel, draft, export; look up what costs credits, ask an authority.
    Documentos,
    /// Keys and webhooks.
    Integration,
    /// Companies and certificates.
    Emitters,
    /// Buy and refund credits, set alerts.
    Creditos,
    /// People and the account itself.
    Team,
}

/// What a part in an account allows.
pub trait Rights: Copy {
    /// For customers.
    fn name(self) -> &'static str;

    /// May somebody with this part do it? All of them may look.
    fn may(self, action: Action) -> bool;

    /// Scopes of the keys somebody with this part may give.
    fn scopes(self) -> Scopes;

    /// May somebody with this part give or take that one?
    fn appoints(self, other: Role) -> bool;
}

impl Rights for Role {
    fn name(self) -> &'static str {
        match self {
            Role::Owner => "Dono",
            Role::Administrator => "Administrador",
            Role::Developer => "Desenvolvedor",
            Role::Finance => "Financeiro",
            Role::ReadOnly => "Leitura",
        }
    }

    fn may(self, action: Action) -> bool {
        match self {
            Role::Owner | Role::Administrator => true,
            Role::Developer => {
                matches!(
                    action,
                    Action::Documentos | Action::Integration | Action::Emitters
                )
            }
            Role::Finance => action == Action::Creditos,
            Role::ReadOnly => false,
        }
    }

    fn scopes(self) -> Scopes {
        let given = |scope: &Scope| match scope {
            Scope::Emissao => self.may(Action::Documentos),
            Scope::Creditos => self.may(Action::Creditos),
            Scope::Emitentes => self.may(Action::Emitters),
            Scope::Chaves | Scope::Webhooks => self.may(Action::Integration),
            Scope::Consulta
            | Scope::Entrada
            | Scope::Cofre
            | Scope::Fiscal
            | Scope::Dados
            | Scope::Storage => true,
        };
        Scope::ALL.into_iter().filter(given).collect()
    }

    fn appoints(self, other: Role) -> bool {
        match self {
            Role::Owner => true,
            Role::Administrator => other != Role::Owner,
            Role::Developer | Role::Finance | Role::ReadOnly => false,
        }
    }
}
