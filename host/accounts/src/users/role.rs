//! What a person may do in an account.

use crate::scopes::{Scope, Scopes};
use serde::{Deserialize, Serialize};

/// The part a person has in an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Papel {
    /// Everything, the team included.
    Dono,
    /// Everything but owners.
    Administrador,
    /// Documents, keys, webhooks, emitters.
    Desenvolvedor,
    /// Credits, usage, documents to read.
    Financeiro,
    /// Reads.
    Leitura,
}

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

impl Papel {
    pub const ALL: [Papel; 5] = [
        Papel::Dono,
        Papel::Administrador,
        Papel::Desenvolvedor,
        Papel::Financeiro,
        Papel::Leitura,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Papel::Dono => "dono",
            Papel::Administrador => "administrador",
            Papel::Desenvolvedor => "desenvolvedor",
            Papel::Financeiro => "financeiro",
            Papel::Leitura => "leitura",
        }
    }

    /// For customers.
    pub fn nome(self) -> &'static str {
        match self {
            Papel::Dono => "Dono",
            Papel::Administrador => "Administrador",
            Papel::Desenvolvedor => "Desenvolvedor",
            Papel::Financeiro => "Financeiro",
            Papel::Leitura => "Leitura",
        }
    }

    pub fn parse(text: &str) -> Option<Papel> {
        Papel::ALL.into_iter().find(|papel| papel.as_str() == text)
    }

    /// May somebody with this part do it? All of them may look.
    pub fn pode(self, acao: Acao) -> bool {
        match self {
            Papel::Dono | Papel::Administrador => true,
            Papel::Desenvolvedor => {
                matches!(acao, Acao::Documentos | Acao::Integracao | Acao::Emitentes)
            }
            Papel::Financeiro => acao == Acao::Creditos,
            Papel::Leitura => false,
        }
    }

    /// Scopes of the keys somebody with this part may give.
    pub fn escopos(self) -> Scopes {
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

    /// May somebody with this part give or take that one?
    pub fn nomeia(self, outro: Papel) -> bool {
        match self {
            Papel::Dono => true,
            Papel::Administrador => outro != Papel::Dono,
            _ => false,
        }
    }
}
