//! Builders for the happy end.

use crate::bindings::control::{Documento, Mensagem, Named, Situacao, Success};

impl Success {
    pub fn new(status: Situacao) -> Self {
        Success {
            situacao: status,
            documentos: Vec::new(),
            protocolo: None,
            mensagens: Vec::new(),
            conteudo: None,
        }
    }

    #[must_use]
    pub fn documento(mut self, documento: Documento) -> Self {
        self.documentos.push(documento);
        self
    }

    #[must_use]
    pub fn messages(mut self, messages: Vec<Mensagem>) -> Self {
        self.mensagens = messages;
        self
    }

    #[must_use]
    pub fn protocol(mut self, protocol: Option<String>) -> Self {
        self.protocolo = protocol;
        self
    }
}

impl Documento {
    /// An empty document of this kind ("nfse", "evento").
    pub fn new(kind: &str, status: Situacao) -> Self {
        Documento {
            tipo: kind.into(),
            situacao: status,
            xml: None,
            numero: None,
            serie: None,
            chave: None,
            codigo_verificacao: None,
            protocolo: None,
            emitido_em: None,
            url_consulta: None,
            valores: Vec::new(),
        }
    }

    /// Adds an amount when there is one.
    pub fn value(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.valores.push(Named {
                name: name.into(),
                value: value.into(),
            });
        }
    }
}
