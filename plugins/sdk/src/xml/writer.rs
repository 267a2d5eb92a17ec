//! Canonical XML as it is written: no white space of its own, attributes in
//! the order given, never a self-closed tag. What is signed is what is sent.

/// Builds a document from the outside in.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: String,
    open: Vec<String>,
}

impl Writer {
    pub fn new() -> Self {
        Writer::default()
    }

    /// Starts with `<?xml version="1.0" encoding="UTF-8"?>`.
    pub fn with_declaration() -> Self {
        Writer {
            out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".into(),
            open: Vec::new(),
        }
    }

    /// Opens an element. For canonical output give `xmlns` declarations
    /// first and the other attributes in alphabetical order.
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) -> &mut Self {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            self.out.push_str(&escape_attribute(value));
            self.out.push('"');
        }
        self.out.push('>');
        self.open.push(name.into());
        self
    }

    /// Closes the element opened last; nothing happens when none is open.
    pub fn close(&mut self) -> &mut Self {
        if let Some(name) = self.open.pop() {
            self.out.push_str("</");
            self.out.push_str(&name);
            self.out.push('>');
        }
        self
    }

    /// An element with the content that `inside` writes.
    pub fn group(
        &mut self,
        name: &str,
        attributes: &[(&str, &str)],
        inside: impl FnOnce(&mut Writer),
    ) -> &mut Self {
        let depth = self.open.len();
        self.open(name, attributes);
        inside(self);
        while self.open.len() > depth {
            self.close();
        }
        self
    }

    /// An element with text.
    pub fn leaf(&mut self, name: &str, text: &str) -> &mut Self {
        for piece in ["<", name, ">"] {
            self.out.push_str(piece);
        }
        push_text(&mut self.out, text);
        for piece in ["</", name, ">"] {
            self.out.push_str(piece);
        }
        self
    }

    /// An element with text, when there is one.
    pub fn optional(&mut self, name: &str, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) if !text.is_empty() => self.leaf(name, text),
            _ => self,
        }
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        push_text(&mut self.out, text);
        self
    }

    /// Markup as it is: a signed document, or one from an authority.
    pub fn raw(&mut self, xml: &str) -> &mut Self {
        self.out.push_str(xml);
        self
    }

    /// The text so far, with everything closed.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}

/// Character data as Canonical XML 1.0 writes it (§1.1). Characters that XML
/// 1.0 does not have become a space.
pub fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text);
    out
}

/// The first byte of U+FFFE and U+FFFF, which XML does not have, and of others.
const NEAR_FORBIDDEN: u8 = 0xef;

/// [`escape_text`] behind what is written already.
fn push_text(out: &mut String, text: &str) {
    let as_it_is = |byte: u8| match byte {
        b'&' | b'<' | b'>' | NEAR_FORBIDDEN => false,
        byte => byte >= b' ' || byte == b'\t' || byte == b'\n',
    };
    if text.bytes().all(as_it_is) {
        return out.push_str(text);
    }
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xD;"),
            c if is_forbidden(c) => out.push(' '),
            c => out.push(c),
        }
    }
}

/// An attribute value as Canonical XML 1.0 writes it.
pub fn escape_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#x9;"),
            '\n' => out.push_str("&#xA;"),
            '\r' => out.push_str("&#xD;"),
            c if is_forbidden(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Not a Char of XML 1.0 (production 2).
fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_text() {
        let mut w = Writer::new();
        w.group("a", &[("xmlns", "urn:x"), ("b", "1 < 2 & \"c\"\n")], |w| {
            w.leaf("t", "x < y && z > \"w\"\r\n\u{0}")
                .leaf("vazio", "")
                .leaf("u", "\u{fffe}\u{fffd}\u{fb01}é\t")
                .optional("nada", None)
                .raw("<r></r>");
            w.open("aberto", &[]);
        });
        assert_eq!(
            w.finish(),
            "<a xmlns=\"urn:x\" b=\"1 &lt; 2 &amp; &quot;c&quot;&#xA;\"><t>x &lt; y &amp;&amp; z &gt; \"w\"&#xD;\n </t>\
             <vazio></vazio><u> \u{fffd}\u{fb01}é\t</u><r></r><aberto></aberto></a>"
        );
    }
}
