//! Text to elements, with limits and strict well-formedness.

use super::{Attr, Element, MAX_BYTES, MAX_DEPTH, MAX_NODES, Node};

/// Why a text is not the XML an authority accepts. The messages are short and
/// carry no content of the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// Larger, deeper or with more nodes than the limits.
    #[error("documento maior que o limite")]
    TooLarge,
    /// Not UTF-8, or another encoding declared.
    #[error("codificação diferente de UTF-8")]
    Encoding,
    /// Document type or processing instruction.
    #[error("DOCTYPE ou instrução de processamento não permitida")]
    Forbidden,
    /// Not well formed; the number is the byte where reading stopped.
    #[error("XML mal formado na posição {0}")]
    Malformed(usize),
    /// A prefix without declaration.
    #[error("prefixo de namespace sem declaração")]
    Prefix,
}

/// Most attributes of one element, and most prefixes in scope.
const MAX_ATTRS: usize = 100;
const XML_NS: &str = "http://www.w3.org/XML/1998/namespace";

/// Reads one document. A byte order mark and an XML declaration are allowed.
///
/// # Errors
/// What an authority would not take: see [`XmlError`].
pub fn parse(text: &str) -> Result<Element, XmlError> {
    if text.len() > MAX_BYTES {
        return Err(XmlError::TooLarge);
    }
    let mut reader = Reader {
        text,
        at: 0,
        nodes: 0,
    };
    reader.prolog()?;
    let root = reader.root()?;
    reader.skip_misc()?;
    if reader.at < text.len() {
        return Err(XmlError::Malformed(reader.at));
    }
    Ok(root)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: usize,
}

struct Open {
    element: Element,
    qname: String,
    scope: Vec<(String, String)>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bad<T>(&self) -> Result<T, XmlError> {
        Err(XmlError::Malformed(self.at))
    }

    fn count(&mut self) -> Result<(), XmlError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            Err(XmlError::TooLarge)
        } else {
            Ok(())
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn until(&mut self, token: &str) -> Result<&'a str, XmlError> {
        match self.rest().find(token) {
            Some(i) => {
                let found = self.rest().get(..i).unwrap_or_default();
                self.at += i + token.len();
                Ok(found)
            }
            None => self.bad(),
        }
    }

    fn spaces(&mut self) -> bool {
        let n = self.rest().len()
            - self
                .rest()
                .trim_start_matches([' ', '\t', '\r', '\n'])
                .len();
        self.at += n;
        n > 0
    }

    fn prolog(&mut self) -> Result<(), XmlError> {
        self.eat("\u{feff}");
        if self.rest().starts_with("<?xml ") || self.rest().starts_with("<?xml\t") {
            let declaration = self.until("?>")?.to_ascii_lowercase();
            if declaration.contains("encoding") && !declaration.contains("utf-8") {
                return Err(XmlError::Encoding);
            }
        }
        self.skip_misc()
    }

    fn skip_misc(&mut self) -> Result<(), XmlError> {
        loop {
            self.spaces();
            if self.eat("<!--") {
                self.until("-->")?;
            } else if self.rest().starts_with("<!") || self.rest().starts_with("<?") {
                return Err(XmlError::Forbidden);
            } else {
                return Ok(());
            }
        }
    }

    fn name(&mut self) -> Result<String, XmlError> {
        let rest = self.rest();
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))
            .unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        let ok = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.matches(':').count() <= 1
            && !name.ends_with(':');
        if !ok {
            return self.bad();
        }
        self.at += end;
        Ok(name.to_owned())
    }

    fn root(&mut self) -> Result<Element, XmlError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let at = self.at;
            if open.is_empty() && !self.rest().starts_with('<') {
                return self.bad();
            }
            if self.eat("</") {
                let qname = self.name()?;
                self.spaces();
                if !self.eat(">") {
                    return self.bad();
                }
                let Some(mut done) = open.pop() else {
                    return self.bad();
                };
                if done.qname != qname {
                    return Err(XmlError::Malformed(at));
                }
                done.element.span.1 = self.at;
                match open.last_mut() {
                    Some(parent) => parent.element.children.push(Node::Element(done.element)),
                    None => return Ok(done.element),
                }
            } else if self.eat("<![CDATA[") {
                let raw = self.until("]]>")?;
                self.push_text(&mut open, normalize(raw))?;
            } else if self.eat("<!--") {
                self.until("-->")?;
            } else if self.rest().starts_with("<!") || self.rest().starts_with("<?") {
                return Err(XmlError::Forbidden);
            } else if self.eat("<") {
                let (started, closed) = self.start(at, open.last().map(|o| o.scope.as_slice()))?;
                if open.len() >= MAX_DEPTH {
                    return Err(XmlError::TooLarge);
                }
                if !closed {
                    open.push(started);
                } else {
                    let mut element = started.element;
                    element.span.1 = self.at;
                    match open.last_mut() {
                        Some(parent) => parent.element.children.push(Node::Element(element)),
                        None => return Ok(element),
                    }
                }
            } else {
                let rest = self.rest();
                let end = rest.find('<').unwrap_or(rest.len());
                let raw = rest.get(..end).unwrap_or_default();
                if raw.is_empty() || raw.contains("]]>") {
                    return self.bad();
                }
                let text = self.resolve(&normalize(raw))?;
                self.at += end;
                self.push_text(&mut open, text)?;
            }
        }
    }

    fn push_text(&mut self, open: &mut [Open], text: String) -> Result<(), XmlError> {
        self.count()?;
        let Some(parent) = open.last_mut() else {
            return self.bad();
        };
        match parent.element.children.last_mut() {
            Some(Node::Text(before)) => before.push_str(&text),
            _ => parent.element.children.push(Node::Text(text)),
        }
        Ok(())
    }

    /// Reads a start tag after its `<`; true when it closed itself.
    fn start(
        &mut self,
        at: usize,
        outer: Option<&[(String, String)]>,
    ) -> Result<(Open, bool), XmlError> {
        self.count()?;
        let qname = self.name()?;
        let mut raw: Vec<(String, String)> = Vec::new();
        let closed = loop {
            let spaced = self.spaces();
            if self.eat("/>") {
                break true;
            }
            if self.eat(">") {
                break false;
            }
            if !spaced {
                return self.bad();
            }
            self.count()?;
            if raw.len() >= MAX_ATTRS {
                return Err(XmlError::TooLarge);
            }
            let name = self.name()?;
            self.spaces();
            if !self.eat("=") {
                return self.bad();
            }
            self.spaces();
            let quote = if self.eat("\"") {
                "\""
            } else if self.eat("'") {
                "'"
            } else {
                return self.bad();
            };
            let value = self.until(quote)?;
            if value.contains('<') || raw.iter().any(|(n, _)| *n == name) {
                return self.bad();
            }
            // Attribute-value normalization: literal white space becomes a space.
            let value: String = normalize(value)
                .chars()
                .map(|c| if matches!(c, '\t' | '\n') { ' ' } else { c })
                .collect();
            raw.push((name, self.resolve(&value)?));
        };
        self.resolve_names(at, qname, raw, outer)
            .map(|open| (open, closed))
    }

    fn resolve_names(
        &self,
        at: usize,
        qname: String,
        raw: Vec<(String, String)>,
        outer: Option<&[(String, String)]>,
    ) -> Result<Open, XmlError> {
        let mut scope: Vec<(String, String)> = outer.map(<[_]>::to_vec).unwrap_or_default();
        let mut element = Element {
            span: (at, at),
            ..Element::default()
        };
        let mut plain = Vec::new();
        for (name, value) in raw {
            let prefix = if name == "xmlns" {
                Some("")
            } else {
                name.strip_prefix("xmlns:")
            };
            match prefix {
                Some(p) => {
                    if !p.is_empty() && value.is_empty() {
                        return Err(XmlError::Prefix);
                    }
                    scope.retain(|(known, _)| known != p);
                    scope.push((p.to_owned(), value.clone()));
                    if scope.len() > MAX_ATTRS {
                        return Err(XmlError::TooLarge);
                    }
                    element.declared.push((p.to_owned(), value));
                }
                None => plain.push((name, value)),
            }
        }
        let lookup = |prefix: &str| -> Result<String, XmlError> {
            if prefix == "xml" {
                return Ok(XML_NS.to_owned());
            }
            match scope.iter().find(|(p, _)| p == prefix) {
                Some((_, ns)) => Ok(ns.clone()),
                None if prefix.is_empty() => Ok(String::new()),
                None => Err(XmlError::Prefix),
            }
        };
        let (prefix, name) = split(&qname);
        element.ns = lookup(prefix)?;
        element.prefix = prefix.to_owned();
        element.name = name.to_owned();
        for (qname, value) in plain {
            let (prefix, name) = split(&qname);
            let ns = if prefix.is_empty() {
                String::new()
            } else {
                lookup(prefix)?
            };
            if element.attrs.iter().any(|a| a.ns == ns && a.name == name) {
                return Err(XmlError::Malformed(at));
            }
            element.attrs.push(Attr {
                prefix: prefix.to_owned(),
                name: name.to_owned(),
                ns,
                value,
            });
        }
        Ok(Open {
            element,
            qname,
            scope,
        })
    }

    /// Resolves the five named and the numeric references.
    fn resolve(&self, raw: &str) -> Result<String, XmlError> {
        if !raw.contains('&') {
            return if raw.chars().all(allowed) {
                Ok(raw.to_owned())
            } else {
                self.bad()
            };
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(i) = rest.find('&') {
            out.push_str(rest.get(..i).unwrap_or_default());
            let after = rest.get(i + 1..).unwrap_or_default();
            let Some(end) = after.find(';').filter(|n| *n <= 10) else {
                return self.bad();
            };
            let name = after.get(..end).unwrap_or_default();
            let c = match name {
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "quot" => Some('"'),
                "apos" => Some('\''),
                _ => name
                    .strip_prefix("#x")
                    .map(|h| u32::from_str_radix(h, 16))
                    .or_else(|| name.strip_prefix('#').map(str::parse::<u32>))
                    .and_then(Result::ok)
                    .and_then(char::from_u32)
                    .filter(|c| allowed(*c)),
            };
            match c {
                Some(c) => out.push(c),
                None => return self.bad(),
            }
            rest = after.get(end + 1..).unwrap_or_default();
        }
        out.push_str(rest);
        if out.chars().all(allowed) {
            Ok(out)
        } else {
            self.bad()
        }
    }
}

/// Characters XML 1.0 allows (section 2.2).
fn allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Line ends as XML 1.0 section 2.11 wants them.
fn normalize(raw: &str) -> String {
    if raw.contains('\r') {
        raw.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        raw.to_owned()
    }
}

fn split(qname: &str) -> (&str, &str) {
    qname.split_once(':').unwrap_or(("", qname))
}
