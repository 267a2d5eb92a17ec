//! Builders for the happy end.

use crate::bindings::control::{Documento, Mensagem, Named, Situacao, Success};

impl Success {
    pub fn new(situacao: Situacao) -> Self {
        Success {
            situacao,
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
    pub fn mensagens(mut self, mensagens: Vec<Mensagem>) -> Self {
        self.mensagens = mensagens;
        self
    }

    #[must_use]
    pub fn protocolo(mut self, protocolo: Option<String>) -> Self {
        self.protocolo = protocolo;
        self
    }
}

impl Documento {
    /// An empty document of this kind ("nfse", "evento").
    pub fn new(tipo: &str, situacao: Situacao) -> Self {
        Documento {
            tipo: tipo.into(),
            situacao,
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
    pub fn valor(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.valores.push(Named {
                name: name.into(),
                value: value.into(),
            });
        }
    }
}
