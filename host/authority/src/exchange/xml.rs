//! XML as it comes, read in one pass: also what is cut, malformed or hostile.
//! Nothing is resolved, fetched or expanded, and nothing recurses but
//! documents within documents, whose number is bounded.

use super::names::{self, Rule};
use super::{HIDDEN, Mask, Output, UNREAD, Value};

/// Deepest nesting that is followed.
const DEEPEST: usize = 2_000;
/// Attributes of an element that are shown.
const ATTRIBUTES: usize = 12;

/// Whether a text is meant as XML, and not as a page for people.
pub(super) fn is_xml(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches('\u{feff}');
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
pub(super) fn mask(
    mask: &mut Mask,
    output: &mut Output,
    text: &str,
    level: usize,
    depth: usize,
) -> bool {
    let mut reading = Reading {
        mask,
        output,
        level,
        depth,
        open: Vec::new(),
        pending: None,
        text: Some(String::new()),
        within_signature: 0,
    };
    let whole = reading.read(text).is_some();
    if let Some(start) = reading.pending.take() {
        let level = level + reading.open.len().saturating_sub(1);
        reading.output.line(level, &start);
    }
    whole
}

struct Reading<'a> {
    mask: &'a mut Mask,
    output: &'a mut Output,
    /// Where the document stands in the one around it.
    level: usize,
    depth: usize,
    open: Vec<OpenElement>,
    /// The start tag of the last element, while nothing but text followed it.
    pending: Option<String>,
    /// Text since the last tag; None when it has a reference nobody knows.
    text: Option<String>,
    /// Elements open within a signature, itself one of them.
    within_signature: usize,
}

struct OpenElement {
    /// As written.
    qualified: String,
    /// As shown.
    shown: String,
}

impl OpenElement {
    fn local(&self) -> &str {
        local(&self.qualified)
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

impl Reading<'_> {
    /// None: it ends before its end, or is no XML from here on.
    fn read(&mut self, text: &str) -> Option<()> {
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix("<!--") {
                rest = after.split_once("-->")?.1;
            } else if let Some(after) = rest.strip_prefix("<![CDATA[") {
                let (data, after) = after.split_once("]]>")?;
                self.append(Some(data.to_owned()));
                rest = after;
            } else if let Some(after) = rest.strip_prefix("<?") {
                rest = after.split_once("?>")?.1;
            } else if let Some(after) = rest.strip_prefix("<!") {
                rest = after_doctype(after)?;
            } else if let Some(after) = rest.strip_prefix("</") {
                let (name, after) = after.split_once('>')?;
                self.end_tag(name.trim())?;
                rest = after;
            } else if let Some(after) = rest.strip_prefix('<') {
                let end = end_of_tag(after)?;
                let (tag, after) = after.split_at_checked(end)?;
                self.start_tag(tag)?;
                rest = after.strip_prefix('>')?;
            } else {
                let end = rest.find('<').unwrap_or(rest.len());
                let (text, after) = rest.split_at_checked(end)?;
                self.append(resolved(text));
                rest = after;
            }
        }
        let closed = self.open.is_empty() && self.within_signature == 0;
        closed.then_some(())
    }

    fn append(&mut self, text: Option<String>) {
        self.text = match (self.text.take(), text) {
            (Some(mut before), Some(more)) => {
                before.push_str(&more);
                Some(before)
            }
            _ => None,
        };
    }

    fn line(&mut self, below: usize, text: &str) {
        let level = self.level + self.open.len() + below;
        self.output.line(level, text);
    }

    fn start_tag(&mut self, tag: &str) -> Option<()> {
        let (tag, empty) = match tag.strip_suffix('/') {
            Some(tag) => (tag, true),
            None => (tag, false),
        };
        let end = tag.find(char::is_whitespace).unwrap_or(tag.len());
        let (name, attributes) = tag.split_at_checked(end)?;
        if self.within_signature > 0 {
            self.within_signature += usize::from(!empty);
            return Some(());
        }
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || self.open.len() > DEEPEST {
            return None;
        }
        self.before_child();
        let shown = names::shown(name, &self.mask.known).to_owned();
        if names::signature(local(name)) {
            self.line(0, &format!("<{shown}>[assinatura]</{shown}>"));
            self.within_signature = usize::from(!empty);
            return Some(());
        }
        let start = format!("<{shown}{}", self.attributes(attributes));
        if empty {
            self.line(0, &format!("{start}/>"));
            return Some(());
        }
        self.open.push(OpenElement {
            qualified: name.to_owned(),
            shown,
        });
        self.pending = Some(format!("{start}>"));
        Some(())
    }

    /// Writes what waits because an element may have text alone.
    fn before_child(&mut self) {
        let text = self.text.replace(String::new());
        if let Some(start) = self.pending.take() {
            self.output
                .line(self.level + self.open.len().saturating_sub(1), &start);
        }
        self.loose(text);
    }

    /// Text beside elements: no value of any layout.
    fn loose(&mut self, text: Option<String>) {
        if text.as_deref().is_some_and(|text| text.trim().is_empty()) {
            return;
        }
        self.value(None, text);
    }

    fn end_tag(&mut self, name: &str) -> Option<()> {
        if self.within_signature > 0 {
            self.within_signature -= 1;
            return Some(());
        }
        let text = self.text.replace(String::new());
        let parent = self.open.iter().nth_back(1).map(OpenElement::local);
        let rule = names::element(parent.unwrap_or_default(), local(name));
        let element = self.open.pop()?;
        if element.qualified != name {
            return None;
        }
        let end = format!("</{}>", element.shown);
        let Some(start) = self.pending.take() else {
            self.open.push(element);
            self.loose(text);
            self.open.pop();
            self.line(0, &end);
            return Some(());
        };
        match self.resolve(rule, text) {
            Value::Text(text) => self.line(0, &format!("{start}{}{end}", escaped(&text))),
            Value::Xml(inner) => {
                self.line(0, &start);
                self.within(&inner, 1);
                self.line(0, &end);
            }
        }
        Some(())
    }

    fn value(&mut self, rule: Option<Rule>, text: Option<String>) {
        match self.resolve(rule, text) {
            Value::Text(text) => self.line(0, &escaped(&text)),
            Value::Xml(inner) => self.within(&inner, 0),
        }
    }

    fn resolve(&mut self, rule: Option<Rule>, text: Option<String>) -> Value {
        match text {
            Some(text) => self.mask.value(rule, &text, self.depth),
            None => Value::Text(HIDDEN.to_owned()),
        }
    }

    /// A document within this one.
    fn within(&mut self, xml: &str, below: usize) {
        let level = self.level + self.open.len() + below;
        let whole = mask(self.mask, self.output, xml, level, self.depth + 1);
        if !whole {
            self.output.line(level, UNREAD);
        }
    }

    /// The attributes of a start tag, with a blank before each.
    fn attributes(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text.trim_start();
        for _ in 0..ATTRIBUTES {
            if rest.is_empty() {
                return out;
            }
            let Some((name, value, after)) = attribute(rest) else {
                break;
            };
            rest = after.trim_start();
            let rule = names::attribute(name).or_else(|| names::attribute(local(name)));
            let value = resolved(value).unwrap_or_default();
            let known = &self.mask.known;
            let kept = rule.and_then(|rule| rule.keep(value.trim(), known));
            let kept = kept.unwrap_or_else(|| {
                self.mask.known.learn(&value);
                HIDDEN.to_owned()
            });
            let shown = names::shown(name, &self.mask.known);
            out.push_str(&format!(" {shown}=\"{}\"", escaped(&kept)));
        }
        if !rest.is_empty() {
            out.push_str(" …");
        }
        out
    }
}

/// Name and value of the first attribute, and what follows it.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, rest) = rest.get(1..)?.split_once(quote)?;
    let name = name.trim();
    let one = !name.is_empty() && !name.contains(char::is_whitespace);
    one.then_some((name, value, rest))
}

/// Where the tag ends, not counting what stands between quotes.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| match (quote, byte) {
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
fn after_doctype(text: &str) -> Option<&str> {
    let (mut depth, mut quote) = (0_usize, None);
    let end = text.bytes().position(|byte| match (quote, byte) {
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
    text.get(end + 1..)
}

/// Character data with its references replaced; None when one of them is not
/// of XML itself.
fn resolved(text: &str) -> Option<String> {
    let mut parts = text.split('&');
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
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
