//! XML as it comes, read in one pass: also what is cut, malformed or hostile.
//! Nothing is resolved, fetched or expanded, and nothing recurses but
//! documents within documents, whose number is bounded.

use super::nomes::{self, Regra};
use super::{Mascara, OCULTO, SEM_RESTO, Saida, Valor};

/// Deepest nesting that is followed.
const FUNDO: usize = 2_000;
/// Attributes of an element that are shown.
const ATRIBUTOS: usize = 12;

/// Whether a text is meant as XML, and not as a page for people.
pub(super) fn parece(texto: &str) -> bool {
    let text = texto.trim_start().trim_start_matches('\u{feff}');
    let mut letters = text.chars();
    let begins = letters.next() == Some('<')
        && letters
            .next()
            .is_some_and(|second| second.is_alphabetic() || "?!_".contains(second));
    let head: String = text.chars().take(200).collect();
    let head = head.to_ascii_lowercase();
    begins && !head.contains("<html") && !head.contains("<!doctype html")
}

/// Writes a document with its values hidden; false where it was not read to
/// its end.
pub(super) fn mascarar(
    mascara: &mut Mascara,
    saida: &mut Saida,
    texto: &str,
    nivel: usize,
    aninhado: usize,
) -> bool {
    let mut leitura = Leitura {
        mascara,
        saida,
        nivel,
        aninhado,
        abertos: Vec::new(),
        pendente: None,
        texto: Some(String::new()),
        dentro_da_assinatura: 0,
    };
    let whole = leitura.ler(texto).is_some();
    if let Some(start) = leitura.pendente.take() {
        let nivel = nivel + leitura.abertos.len().saturating_sub(1);
        leitura.saida.linha(nivel, &start);
    }
    whole
}

struct Leitura<'a> {
    mascara: &'a mut Mascara,
    saida: &'a mut Saida,
    /// Where the document stands in the one around it.
    nivel: usize,
    aninhado: usize,
    abertos: Vec<Aberto>,
    /// The start tag of the last element, while nothing but text followed it.
    pendente: Option<String>,
    /// Text since the last tag; None when it has a reference nobody knows.
    texto: Option<String>,
    /// Elements open within a signature, itself one of them.
    dentro_da_assinatura: usize,
}

struct Aberto {
    /// As written.
    qualificado: String,
    /// As shown.
    mostrado: String,
}

impl Aberto {
    fn local(&self) -> &str {
        local(&self.qualificado)
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl Leitura<'_> {
    /// None: it ends before its end, or is no XML from here on.
    fn ler(&mut self, texto: &str) -> Option<()> {
        let mut rest = texto;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("<!--") {
                rest = after.split_once("-->")?.1;
            } else if let Some(after) = rest.strip_prefix("<![CDATA[") {
                let (data, after) = after.split_once("]]>")?;
                self.juntar(Some(data.to_owned()));
                rest = after;
            } else if let Some(after) = rest.strip_prefix("<?") {
                rest = after.split_once("?>")?.1;
            } else if let Some(after) = rest.strip_prefix("<!") {
                rest = after_doctype(after)?;
            } else if let Some(after) = rest.strip_prefix("</") {
                let (name, after) = after.split_once('>')?;
                self.fechar(name.trim())?;
                rest = after;
            } else if let Some(after) = rest.strip_prefix('<') {
                let end = end_of_tag(after)?;
                let (tag, after) = after.split_at_checked(end)?;
                self.abrir(tag)?;
                rest = after.strip_prefix('>')?;
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                let (text, after) = rest.split_at_checked(end)?;
                self.juntar(resolved(text));
                rest = after;
            }
        }
        let closed = self.abertos.is_empty() && self.dentro_da_assinatura == 0;
        closed.then_some(())
    }

    fn juntar(&mut self, texto: Option<String>) {
        self.texto = match (self.texto.take(), texto) {
            (Some(mut before), Some(more)) => {
                before.push_str(&more);
                Some(before)
            }
            _ => None,
        };
    }

    fn linha(&mut self, abaixo: usize, texto: &str) {
        let nivel = self.nivel + self.abertos.len() + abaixo;
        self.saida.linha(nivel, texto);
    }

    fn abrir(&mut self, tag: &str) -> Option<()> {
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let end = tag.find(char::is_whitespace).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at_checked(end)?;
        if self.dentro_da_assinatura > 0 {
            self.dentro_da_assinatura += usize::from(!empty);
            return Some(());
        }
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || self.abertos.len() > FUNDO
        {
            return None;
        }
        self.antes_de_filho();
        let shown = nomes::nome(name, &self.mascara.conhecidos).to_owned();
        if nomes::assinatura(local(name)) {
            self.linha(0, &format!("<{shown}>[assinatura]</{shown}>"));
            self.dentro_da_assinatura = usize::from(!empty);
            return Some(());
        }
        let start = format!("<{shown}{}", self.atributos(attributes));
        if empty {
            self.linha(0, &format!("{start}/>"));
            return Some(());
        }
        self.abertos.push(Aberto {
            qualificado: name.to_owned(),
            mostrado: shown,
        });
        self.pendente = Some(format!("{start}>"));
        Some(())
    }

    /// Writes what waits because an element may have text alone.
    fn antes_de_filho(&mut self) {
        let texto = self.texto.replace(String::new());
        if let Some(start) = self.pendente.take() {
            self.saida
                .linha(self.nivel + self.abertos.len().saturating_sub(1), &start);
        }
        self.solto(texto);
    }

    /// Text beside elements: no value of any layout.
    fn solto(&mut self, texto: Option<String>) {
        if texto.as_deref().is_some_and(|text| text.trim().is_empty()) {
            return;
        }
        self.valor(None, texto);
    }

    fn fechar(&mut self, name: &str) -> Option<()> {
        if self.dentro_da_assinatura > 0 {
            self.dentro_da_assinatura -= 1;
            return Some(());
        }
        let texto = self.texto.replace(String::new());
        let pai = self.abertos.iter().nth_back(1).map(Aberto::local);
        let regra = nomes::elemento(pai.unwrap_or_default(), local(name));
        let aberto = self.abertos.pop()?;
        if aberto.qualificado != name {
            return None;
        }
        let end = format!("</{}>", aberto.mostrado);
        let Some(start) = self.pendente.take() else {
            self.abertos.push(aberto);
            self.solto(texto);
            self.abertos.pop();
            self.linha(0, &end);
            return Some(());
        };
        match self.resolver(regra, texto) {
            Valor::Texto(text) => self.linha(0, &format!("{start}{}{end}", escaped(&text))),
            Valor::Xml(inner) => {
                self.linha(0, &start);
                self.dentro(&inner, 1);
                self.linha(0, &end);
            }
        }
        Some(())
    }

    fn valor(&mut self, regra: Option<Regra>, texto: Option<String>) {
        match self.resolver(regra, texto) {
            Valor::Texto(text) => self.linha(0, &escaped(&text)),
            Valor::Xml(inner) => self.dentro(&inner, 0),
        }
    }

    fn resolver(&mut self, regra: Option<Regra>, texto: Option<String>) -> Valor {
        match texto {
            Some(text) => self.mascara.valor(regra, &text, self.aninhado),
            None => Valor::Texto(OCULTO.to_owned()),
        }
    }

    /// A document within this one.
    fn dentro(&mut self, xml: &str, abaixo: usize) {
        let nivel = self.nivel + self.abertos.len() + abaixo;
        let whole = mascarar(self.mascara, self.saida, xml, nivel, self.aninhado + 1);
        if !whole {
            self.saida.linha(nivel, SEM_RESTO);
        }
    }

    /// The attributes of a start tag, with a blank before each.
    fn atributos(&mut self, texto: &str) -> String {
        let mut out = String::new();
        let mut rest = texto.trim_start();
        for _ in 0..ATRIBUTOS {
            if rest.is_empty() {
                return out;
            }
            let Some((name, value, after)) = attribute(rest) else {
                break;
            };
            rest = after.trim_start();
            let regra = nomes::atributo(name).or_else(|| nomes::atributo(local(name)));
            let value = resolved(value).unwrap_or_default();
            let conhecidos = &self.mascara.conhecidos;
            let kept = regra.and_then(|regra| regra.guardar(value.trim(), conhecidos));
            let kept = kept.unwrap_or_else(|| {
                self.mascara.conhecidos.aprender(&value);
                OCULTO.to_owned()
            });
            let shown = nomes::nome(name, &self.mascara.conhecidos);
            out.push_str(&format!(" {shown}=\"{}\"", escaped(&kept)));
        }
        if !rest.is_empty() {
            out.push_str(" …");
        }
        out
    }
}

/// Name and value of the first attribute, and what follows it.
fn attribute(texto: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = texto.split_once('=')?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, rest) = rest.get(1..)?.split_once(quote)?;
    let name = name.trim();
    let one = !name.is_empty() && !name.contains(char::is_whitespace);
    one.then_some((name, value, rest))
}

/// Where the tag ends, not counting what stands between quotes.
fn end_of_tag(texto: &str) -> Option<usize> {
    let mut quote = None;
    texto.bytes().position(|byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) if open == byte => {
            quote = None;
            false
        }
        _ => false,
    })
}

/// What follows a document type, with its own declarations or without.
fn after_doctype(texto: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0_usize, None);
    let end = texto.bytes().position(|byte| match (quote, byte) {
        (Some(open), _) => {
            if open == byte {
                quote = None;
            }
            false
        }
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (None, b'[') => {
            depth += 1;
            false
        }
        (None, b']') => {
            depth = depth.saturating_sub(1);
            false
        }
        (None, b'>') => depth == 0,
        _ => false,
    })?;
    texto.get(end + 1..)
}

/// Character data with its references replaced; None when one of them is not
/// of XML itself.
fn resolved(texto: &str) -> Option<String> {
    let mut parts = texto.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, after) = part.split_once(';')?;
        let letter = match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?)?
            }
        };
        out.push(letter);
        out.push_str(after);
    }
    Some(out)
}

/// A value as it stands in XML.
fn escaped(texto: &str) -> String {
    texto
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
