//! What was said to an authority and what it answered, so that a customer may
//! read it: the shape and the technical words stay, everything else is hidden.
//!
//! Denied by default. Names of elements, attributes and members are kept; a
//! value only if its name is on the list of [`nomes`] and it looks as such a
//! value looks. What was hidden in the request is remembered and hidden again
//! where an authority repeats it in a sentence. XML within text or base64,
//! compressed or not, is opened within bounds and hidden like the rest; what
//! is neither XML nor JSON nor a form is not shown at all.

mod aninhado;
mod conhecidos;
mod endereco;
mod json;
mod nomes;
#[cfg(test)]
mod tests;
mod texto;
mod xml;

pub use endereco::caminho;

use conhecidos::Conhecidos;
use nomes::Regra;

/// What stands for a hidden value, whatever its length.
pub const OCULTO: &str = "•••";

/// Bytes of a body that are looked at; what follows is not.
pub const LIDO: usize = 256 * 1024;
/// Bytes of a body that are shown.
const MOSTRADO: usize = 16 * 1024;
/// Bytes all packed documents of an exchange may unpack to.
const DESCOMPACTADO: usize = 1024 * 1024;
/// Documents within documents within documents.
const ANINHADOS: usize = 4;

/// How a placeholder of a secret begins.
const SEGREDO: &str = "@@hub:";
/// The one that stands for the signed document of the flow.
const DOCUMENTO: &str = ":plain:documento@@";

/// What is shown of a body.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Corpo {
    /// None: it is empty, or neither XML nor JSON nor a form.
    pub texto: Option<String>,
    /// There is more than is shown.
    pub cortado: bool,
}

/// Hides the exchanges of one document, and learns from each what to hide in
/// the next.
#[derive(Default)]
pub struct Mascara {
    conhecidos: Conhecidos,
    /// The document a placeholder of the request stands for.
    documento: Option<String>,
    /// Of the body at hand: that document was shown, and bytes unpacked.
    documento_mostrado: bool,
    descompactado: usize,
}

/// What becomes of a value.
enum Valor {
    /// Shown as it is here.
    Texto(String),
    /// A document of its own, still to be hidden.
    Xml(String),
}

impl Mascara {
    /// Knows what the document is made of: the XML that was signed, or the
    /// JSON an adapter made one of.
    pub fn de(conteudo: &str) -> Mascara {
        let mut mascara = Mascara::default();
        if xml::parece(conteudo) {
            let mut nada = Saida::new(0);
            xml::mascarar(&mut mascara, &mut nada, conteudo, 0, 0);
            mascara.documento = Some(conteudo.to_owned());
        } else if let Ok(value) = serde_json::from_str(conteudo) {
            mascara.aprender_json(&value);
        }
        mascara
    }

    /// A body as it may be shown; `inteiro` says that it was not cut before.
    pub fn corpo(&mut self, tipo: &str, bytes: &[u8], inteiro: bool) -> Corpo {
        self.documento_mostrado = false;
        self.descompactado = 0;
        let mut saida = Saida::new(MOSTRADO);
        let lido = match Especie::de(tipo, bytes) {
            Especie::Xml => aninhado::texto(bytes).is_some_and(|text| {
                if !xml::parece(&text) {
                    return false;
                }
                let whole = xml::mascarar(self, &mut saida, &text, 0, 0);
                if !whole {
                    saida.linha(0, SEM_RESTO);
                }
                true
            }),
            Especie::Json => json::mascarar(self, &mut saida, bytes),
            Especie::Formulario => json::formulario(self, &mut saida, bytes),
            Especie::Outra => false,
        };
        Corpo {
            texto: (lido && !bytes.is_empty()).then_some(saida.texto),
            cortado: lido && (saida.cheia || !inteiro),
        }
    }

    fn aprender_json(&mut self, value: &serde_json::Value) {
        match value {
            serde_json::Value::String(text) if !is_word_of_ours(text) => {
                self.conhecidos.aprender(text);
            }
            serde_json::Value::Array(items) => {
                items.iter().for_each(|item| self.aprender_json(item));
            }
            serde_json::Value::Object(members) => {
                members.values().for_each(|item| self.aprender_json(item));
            }
            _ => {}
        }
    }

    /// What may be shown of a value whose name has this rule.
    fn valor(&mut self, regra: Option<Regra>, texto: &str, aninhado: usize) -> Valor {
        let texto = texto.trim();
        if texto.is_empty() {
            return Valor::Texto(String::new());
        }
        if texto.contains(SEGREDO) {
            return self.segredo(texto, aninhado);
        }
        if xml::parece(texto) && aninhado < ANINHADOS {
            return Valor::Xml(texto.to_owned());
        }
        if let Some(kept) = regra.and_then(|regra| regra.guardar(texto, &self.conhecidos)) {
            return Valor::Texto(kept);
        }
        if let Some(bytes) = aninhado::base64(texto) {
            let room = DESCOMPACTADO.saturating_sub(self.descompactado);
            let plain = aninhado::descompactar(bytes, room.min(LIDO));
            self.descompactado = self.descompactado.saturating_add(plain.len());
            let inner = aninhado::texto(&plain).filter(|text| xml::parece(text));
            return match inner.filter(|_| aninhado < ANINHADOS) {
                Some(inner) => Valor::Xml(inner),
                None => Valor::Texto(format!("[{} bytes]", plain.len())),
            };
        }
        self.conhecidos.aprender(texto);
        Valor::Texto(OCULTO.to_owned())
    }

    /// A place the hub filled while the request left. The document is shown
    /// once: a customer's text may look like its place.
    fn segredo(&mut self, texto: &str, aninhado: usize) -> Valor {
        if !(texto.starts_with(SEGREDO) && texto.ends_with(DOCUMENTO)) {
            return Valor::Texto("[segredo]".to_owned());
        }
        let shown = std::mem::replace(&mut self.documento_mostrado, true);
        match &self.documento {
            Some(xml) if !shown && aninhado < ANINHADOS => Valor::Xml(xml.clone()),
            _ => Valor::Texto("[documento assinado]".to_owned()),
        }
    }
}

/// Stands for what could not be read, or was not.
const SEM_RESTO: &str = "[o resto não foi lido]";

/// Values of our own enumerations, which authorities use as plain words.
fn is_word_of_ours(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

enum Especie {
    Xml,
    Json,
    Formulario,
    Outra,
}

impl Especie {
    /// What a body is, by what it says of itself and how it begins: servers
    /// of municipalities say `text/plain` of XML.
    fn de(tipo: &str, bytes: &[u8]) -> Especie {
        let tipo = tipo.to_ascii_lowercase();
        let media = tipo.split(';').next().unwrap_or_default().trim();
        let said = |words: &[&str]| words.iter().any(|word| media.contains(word));
        if said(&["html", "octet-stream", "multipart", "image", "pdf", "zip"]) {
            return Especie::Outra;
        }
        if said(&["x-www-form-urlencoded"]) {
            return Especie::Formulario;
        }
        let begins = bytes
            .iter()
            .copied()
            .find(|b| !b.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(b));
        match begins {
            Some(b'<') => Especie::Xml,
            Some(b'{' | b'[') => Especie::Json,
            _ => Especie::Outra,
        }
    }
}

/// Lines up to a limit; what does not fit is told, not shown.
struct Saida {
    texto: String,
    limite: usize,
    cheia: bool,
}

impl Saida {
    /// Blanks before a line, however deep it stands.
    const RECUO: usize = 40;

    fn new(limite: usize) -> Saida {
        Saida {
            texto: String::new(),
            limite,
            cheia: false,
        }
    }

    fn linha(&mut self, nivel: usize, texto: &str) {
        let recuo = nivel.saturating_mul(2).min(Saida::RECUO);
        if self.cheia || self.texto.len() + recuo + texto.len() + 1 > self.limite {
            self.cheia = true;
            return;
        }
        self.texto.extend(std::iter::repeat_n(' ', recuo));
        self.texto.push_str(texto);
        self.texto.push('\n');
    }
}
