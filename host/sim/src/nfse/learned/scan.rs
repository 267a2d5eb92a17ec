//! The values of an answer and where they stand in its bytes, through all that
//! is wrapped around them: CDATA, escaped text, JSON. It is lenient: recorded
//! answers are given back as they are, malformed ones too.

/// Deepest nesting of elements, objects and documents in documents.
const MAX_DEPTH: usize = 64;
/// Most values of one text.
const MAX_VALUES: usize = 20_000;
/// Longest reference (`&quot;`, `&#x20AC;`).
const MAX_REFERENCE: usize = 10;

/// What a value is wrapped in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// Text or attribute of XML.
    Xml,
    Cdata,
    /// String of JSON.
    Json,
    /// Number or word of JSON, without quotes.
    Bare,
}

/// A value.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// Name of its element, attribute or member.
    pub name: String,
    /// Names from the root.
    pub path: String,
    /// What it says.
    pub value: String,
    /// From and to which byte of the text it stands.
    pub span: (usize, usize),
    /// The outermost first.
    pub layers: Vec<Layer>,
}

/// A text inside another one: where each of its bytes comes from.
struct View {
    text: String,
    /// Place in the whole text of each byte, and of the end.
    origin: Vec<usize>,
    layers: Vec<Layer>,
}

impl View {
    fn whole(text: &str) -> View {
        View {
            text: text.to_owned(),
            origin: (0..=text.len()).collect(),
            layers: Vec::new(),
        }
    }

    fn origin(&self, at: usize) -> usize {
        let last = self.origin.last().copied().unwrap_or_default();
        self.origin.get(at).copied().unwrap_or(last)
    }

    /// A part of it, without white space around it.
    fn part(&self, from: usize, to: usize) -> View {
        let slice = self.text.get(from..to).unwrap_or_default();
        let from = from + (slice.len() - slice.trim_start().len());
        let text = slice.trim().to_owned();
        View {
            origin: (from..=from + text.len())
                .map(|at| self.origin(at))
                .collect(),
            text,
            layers: self.layers.clone(),
        }
    }

    /// The text that `read` makes of it: bytes to take and what they stand for.
    fn decoded(&self, layer: Layer, read: impl Fn(&str) -> Option<(usize, String)>) -> View {
        let mut decoded = View {
            text: String::with_capacity(self.text.len()),
            origin: Vec::with_capacity(self.text.len() + 1),
            layers: self.layers.clone(),
        };
        decoded.layers.push(layer);
        let mut at = 0;
        while let Some(rest) = self.text.get(at..)
            && let Some(first) = rest.chars().next()
        {
            let (taken, text) = match read(rest) {
                Some(read) if read.0 > 0 => read,
                _ => (first.len_utf8(), first.to_string()),
            };
            for _ in 0..text.len() {
                decoded.origin.push(self.origin(at));
            }
            decoded.text.push_str(&text);
            at += taken;
        }
        decoded.origin.push(self.origin(self.text.len()));
        decoded
    }
}

/// The values of a text, in its order.
pub(super) fn places(text: &str) -> Vec<Place> {
    let mut found = Vec::new();
    inside(
        &View::whole(text).part(0, text.len()),
        "",
        "",
        0,
        &mut found,
    );
    found
}

/// A value, or the document that it is.
fn inside(view: &View, path: &str, name: &str, depth: usize, found: &mut Vec<Place>) {
    if found.len() >= MAX_VALUES || depth > MAX_DEPTH {
        return;
    }
    match view.text.as_bytes().first() {
        Some(b'<') => markup(view, path, depth, found),
        Some(b'{' | b'[') => {
            let mut reader = Json {
                view,
                at: 0,
                found: Vec::new(),
            };
            if reader.value(path, name, depth).is_some() {
                found.append(&mut reader.found);
            } else {
                push(view, path, name, found);
            }
        }
        _ if path.is_empty() => fields(view, found),
        _ => push(view, path, name, found),
    }
}

/// Fields of a plain text, between its separators.
fn fields(view: &View, found: &mut Vec<Place>) {
    let mut from = 0;
    for (at, field) in view.text.split(['|', ';', '\t', '\n']).enumerate() {
        let to = from + field.len();
        push(
            &view.part(from, to),
            &at.to_string(),
            &at.to_string(),
            found,
        );
        from = to + 1;
    }
}

fn push(view: &View, path: &str, name: &str, found: &mut Vec<Place>) {
    if view.text.is_empty() || found.len() >= MAX_VALUES {
        return;
    }
    found.push(Place {
        name: name.to_owned(),
        path: path.to_owned(),
        value: view.text.clone(),
        span: (view.origin(0), view.origin(view.text.len())),
        layers: view.layers.clone(),
    });
}

struct Open {
    name: String,
    path: String,
    /// Where its content begins.
    from: usize,
    has_elements: bool,
}

/// Elements and attributes of a text that begins with `<`.
fn markup(view: &View, path: &str, depth: usize, found: &mut Vec<Place>) {
    let text = view.text.as_str();
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(next) = rest.find('<')
    {
        at += next;
        let rest = text.get(at..).unwrap_or_default();
        let skip = |end: &str| rest.find(end).map_or(rest.len(), |n| n + end.len());
        if rest.starts_with("<!--") {
            at += skip("-->");
        } else if rest.starts_with("<![CDATA[") {
            at += skip("]]>");
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            at += skip(">");
        } else if let Some(closing) = rest.strip_prefix("</") {
            let name = local(closing);
            if open.iter().any(|element| element.name == name) {
                while let Some(element) = open.pop() {
                    if element.name == name {
                        if !element.has_elements {
                            content(view, &element, at, depth, found);
                        }
                        break;
                    }
                }
            }
            at += skip(">");
        } else {
            let Some(end) = rest.find('>') else { return };
            let name = local(rest.get(1..).unwrap_or_default());
            if name.is_empty() {
                at += 1;
                continue;
            }
            if let Some(parent) = open.last_mut() {
                parent.has_elements = true;
            }
            let above = open.last().map_or(path, |parent| parent.path.as_str());
            let path = joined(above, &name);
            attributes(view, &path, at, at + end, found);
            at += end + 1;
            let closed = rest.get(..end).is_some_and(|tag| tag.ends_with('/'));
            if !closed && open.len() < MAX_DEPTH {
                open.push(Open {
                    name,
                    path,
                    from: at,
                    has_elements: false,
                });
            }
        }
    }
}

/// The text of an element without elements.
fn content(view: &View, element: &Open, to: usize, depth: usize, found: &mut Vec<Place>) {
    let part = view.part(element.from, to);
    let (path, name) = (element.path.as_str(), element.name.as_str());
    let raw = part.text.as_str();
    let cdata = raw
        .strip_prefix("<![CDATA[")
        .and_then(|rest| rest.strip_suffix("]]>"))
        .filter(|inner| !inner.contains("]]>"));
    let decoded = if cdata.is_some() {
        let mut inner = part.part("<![CDATA[".len(), raw.len() - "]]>".len());
        inner.layers.push(Layer::Cdata);
        inner
    } else {
        part.decoded(Layer::Xml, reference)
    };
    let decoded = decoded.part(0, decoded.text.len());
    inside(&decoded, path, name, depth + 1, found);
}

fn attributes(view: &View, path: &str, from: usize, to: usize, found: &mut Vec<Place>) {
    let mut at = from;
    while let Some(tag) = view.text.get(at..to)
        && let Some(equals) = tag.find('=')
    {
        let name = tag.get(..equals).unwrap_or_default().trim_end();
        let name = name
            .rsplit([' ', '\t', '\r', '\n'])
            .next()
            .unwrap_or_default();
        let behind = tag.get(equals + 1..).unwrap_or_default();
        let gap = behind.len() - behind.trim_start().len();
        let Some(quote) = behind
            .trim_start()
            .chars()
            .next()
            .filter(|c| matches!(c, '"' | '\''))
        else {
            return;
        };
        let start = at + equals + 1 + gap + 1;
        let Some(length) = view.text.get(start..to).and_then(|rest| rest.find(quote)) else {
            return;
        };
        if !name.starts_with("xmlns") {
            let name = name.rsplit(':').next().unwrap_or_default();
            let value = view
                .part(start, start + length)
                .decoded(Layer::Xml, reference);
            push(&value, &format!("{path}/@{name}"), name, found);
        }
        at = start + length + 1;
    }
}

/// `&lt;` and its like at the beginning of a text.
fn reference(rest: &str) -> Option<(usize, String)> {
    let behind = rest.strip_prefix('&')?;
    let end = behind.find(';').filter(|end| *end <= MAX_REFERENCE)?;
    let name = behind.get(..end)?;
    let c = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((end + 2, c.to_string()))
}

/// Name without prefix at the beginning of a tag.
fn local(tag: &str) -> String {
    let end = tag
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))
        .unwrap_or(tag.len());
    let name = tag.get(..end).unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default().to_owned()
}

pub(super) fn joined(above: &str, name: &str) -> String {
    if above.is_empty() {
        name.to_owned()
    } else {
        format!("{above}/{name}")
    }
}

/// Reader of one JSON text: its values without what numbers and names mean.
struct Json<'v> {
    view: &'v View,
    at: usize,
    found: Vec<Place>,
}

impl Json<'_> {
    fn rest(&self) -> &str {
        self.view.text.get(self.at..).unwrap_or_default()
    }

    fn spaces(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, sign: char) -> Option<()> {
        self.spaces();
        let rest = self.rest().strip_prefix(sign)?;
        self.at = self.view.text.len() - rest.len();
        Some(())
    }

    fn value(&mut self, path: &str, name: &str, depth: usize) -> Option<()> {
        self.spaces();
        if depth > MAX_DEPTH || self.found.len() >= MAX_VALUES {
            return None;
        }
        match self.rest().chars().next()? {
            '{' => self.object(path, depth),
            '[' => {
                self.eat('[')?;
                if self.eat(']').is_some() {
                    return Some(());
                }
                loop {
                    self.value(path, name, depth + 1)?;
                    if self.eat(']').is_some() {
                        return Some(());
                    }
                    self.eat(',')?;
                }
            }
            '"' => {
                let text = self.string()?;
                let mut found = Vec::new();
                inside(
                    &text.part(0, text.text.len()),
                    path,
                    name,
                    depth + 1,
                    &mut found,
                );
                self.found.append(&mut found);
                Some(())
            }
            _ => {
                let rest = self.rest();
                let end = rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '+')))
                    .unwrap_or(rest.len());
                if end == 0 {
                    return None;
                }
                let mut word = self.view.part(self.at, self.at + end);
                word.layers.push(Layer::Bare);
                self.at += end;
                if word.text != "null" {
                    push(&word, path, name, &mut self.found);
                }
                Some(())
            }
        }
    }

    fn object(&mut self, path: &str, depth: usize) -> Option<()> {
        self.eat('{')?;
        if self.eat('}').is_some() {
            return Some(());
        }
        loop {
            self.spaces();
            let name = self.string()?.text;
            self.eat(':')?;
            self.value(&joined(path, &name), &name, depth + 1)?;
            if self.eat('}').is_some() {
                return Some(());
            }
            self.eat(',')?;
        }
    }

    fn string(&mut self) -> Option<View> {
        self.eat('"')?;
        let from = self.at;
        let mut escaped = false;
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at = from + at + 1;
                    let slice = View {
                        text: self.view.text.get(from..from + at)?.to_owned(),
                        origin: (from..=from + at).map(|n| self.view.origin(n)).collect(),
                        layers: self.view.layers.clone(),
                    };
                    return Some(slice.decoded(Layer::Json, escape_of));
                }
                _ => {}
            }
        }
        None
    }
}

/// An escape of a JSON string at the beginning of a text.
fn escape_of(rest: &str) -> Option<(usize, String)> {
    let behind = rest.strip_prefix('\\')?;
    let c = match behind.chars().next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let code = u32::from_str_radix(behind.get(1..5)?, 16).ok()?;
            return Some((6, char::from_u32(code).unwrap_or('\u{fffd}').to_string()));
        }
        other => other,
    };
    Some((1 + c.len_utf8(), c.to_string()))
}

/// A value as it is written inside these layers.
pub(super) fn wrapped(value: &str, layers: &[Layer]) -> String {
    let mut text = value.to_owned();
    for layer in layers.iter().rev() {
        text = match layer {
            Layer::Xml => crate::xml::escape(&text),
            Layer::Cdata => text.replace("]]>", "]] >"),
            Layer::Json => quoted(&text),
            Layer::Bare => {
                let number = !text.is_empty()
                    && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
                    && (text.len() == 1 || !text.starts_with('0') || text.starts_with("0."))
                    && !text.ends_with('.')
                    && text.matches('.').count() <= 1;
                let word = matches!(text.as_str(), "true" | "false" | "null");
                if number || word {
                    text
                } else {
                    format!("\"{}\"", quoted(&text))
                }
            }
        };
    }
    text
}

/// The inside of a JSON string.
fn quoted(text: &str) -> String {
    let whole = serde_json::Value::from(text).to_string();
    let inner = whole
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}
