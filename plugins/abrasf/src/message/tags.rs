//! A writer that knows to which namespace an element belongs.

use crate::options::Opcoes;
use sdk::xml::Writer;

/// Writes a message. With one namespace for everything no name has a prefix;
/// with one per message, what the message's own schema declares has `m:` and
/// the shared types have `t:`.
pub struct Tags {
    w: Writer,
    mensagem: &'static str,
    tipos: &'static str,
}

impl Tags {
    /// Opens the root.
    pub fn raiz(opcoes: &Opcoes, nome: &str) -> Self {
        let namespace = opcoes.namespace_de(nome);
        let mut w = Writer::new();
        let (mensagem, tipos) = if opcoes.namespace_mensagem.is_some() {
            let nome = format!("m:{nome}");
            w.open(
                &nome,
                &[("xmlns:m", &namespace), ("xmlns:t", &opcoes.namespace)],
            );
            ("m:", "t:")
        } else {
            w.open(nome, &[("xmlns", &namespace)]);
            ("", "")
        };
        Tags { w, mensagem, tipos }
    }

    /// A group of the shared types.
    pub fn grupo(
        &mut self,
        nome: &str,
        atributos: &[(&str, &str)],
        dentro: impl FnOnce(&mut Tags),
    ) {
        self.w.open(&format!("{}{nome}", self.tipos), atributos);
        dentro(self);
        self.w.close();
    }

    /// A group that the message's own schema declares.
    pub fn grupo_mensagem(
        &mut self,
        nome: &str,
        atributos: &[(&str, &str)],
        dentro: impl FnOnce(&mut Tags),
    ) {
        self.w.open(&format!("{}{nome}", self.mensagem), atributos);
        dentro(self);
        self.w.close();
    }

    /// An element with text.
    pub fn folha(&mut self, nome: &str, texto: &str) {
        self.w.leaf(&format!("{}{nome}", self.tipos), texto);
    }

    /// The same, declared by the message's own schema.
    pub fn folha_mensagem(&mut self, nome: &str, texto: &str) {
        self.w.leaf(&format!("{}{nome}", self.mensagem), texto);
    }

    /// An element with text, when there is one.
    pub fn opcional(&mut self, nome: &str, texto: Option<&str>) {
        if let Some(texto) = texto.filter(|texto| !texto.is_empty()) {
            self.folha(nome, texto);
        }
    }

    /// The message, closed.
    pub fn fim(self) -> String {
        self.w.finish()
    }
}
