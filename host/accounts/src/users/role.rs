//! What a person may do in an account.

use crate::scopes::{Scope, Scopes};
pub use store::tables::users::Papel;

/// A kind of thing the panel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acao {
    /// Issue and cancel, draft, export.
    Documentos,
    /// Keys and webhooks.
    Integracao,
    /// Companies and certificates.
    Emitentes,
    /// Buy and refund credits, set alerts.
    Creditos,
    /// People and the account itself.
    Equipe,
}

/// What a part in an account allows.
pub trait Rights: Copy {
    /// For customers.
    fn nome(self) -> &'static str;

    /// May somebody with this part do it? All of them may look.
    fn pode(self, acao: Acao) -> bool;

    /// Scopes of the keys somebody with this part may give.
    fn escopos(self) -> Scopes;

    /// May somebody with this part give or take that one?
    fn nomeia(self, outro: Papel) -> bool;
}

impl Rights for Papel {
    fn nome(self) -> &'static str {
        match self {
            Papel::Dono => "Dono",
            Papel::Administrador => "Administrador",
            Papel::Desenvolvedor => "Desenvolvedor",
            Papel::Financeiro => "Financeiro",
            Papel::Leitura => "Leitura",
        }
    }

    fn pode(self, acao: Acao) -> bool {
        match self {
            Papel::Dono | Papel::Administrador => true,
            Papel::Desenvolvedor => {
                matches!(acao, Acao::Documentos | Acao::Integracao | Acao::Emitentes)
            }
            Papel::Financeiro => acao == Acao::Creditos,
            Papel::Leitura => false,
        }
    }

    fn escopos(self) -> Scopes {
        let given = |scope: &Scope| match scope {
            Scope::Emissao => self.pode(Acao::Documentos),
            Scope::Creditos => self.pode(Acao::Creditos),
            Scope::Emitentes => self.pode(Acao::Emitentes),
            Scope::Chaves | Scope::Webhooks => self.pode(Acao::Integracao),
            Scope::Consulta
            | Scope::Entrada
            | Scope::Cofre
            | Scope::Fiscal
            | Scope::Dados
            | Scope::Storage => true,
        };
        Scope::ALL.into_iter().filter(given).collect()
    }

    fn nomeia(self, outro: Papel) -> bool {
        match self {
            Papel::Dono => true,
            Papel::Administrador => outro != Papel::Dono,
            Papel::Desenvolvedor | Papel::Financeiro | Papel::Leitura => false,
        }
    }
}
