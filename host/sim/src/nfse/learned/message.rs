//! A request taken apart: the documents in it and the values they hold, whatever
//! carries them: XML bare or in an envelope, form fields, a file among parts, JSON.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::scan::{self, joined};
use crate::request::SimRequest;
use crate::xml::signature::DSIG;
use crate::xml::{Element, parse};

/// Deepest documents in documents.
const MAX_DOCUMENTS: usize = 4;
/// Most values, names and groups of one request.
const MAX_VALUES: usize = 20_000;
/// Most fields of a form, parts of a body, parameters and segments of a path.
const MAX_FIELDS: usize = 500;

/// Name of the header in which a login stands.
pub(super) const AUTHORIZATION: &str = "@authorization";

/// What the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Empty,
    Xml,
    Json,
    Form,
    Multipart,
    Text,
}

/// A value with the names that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub path: String,
    pub value: String,
    /// The how manieth of its path, from 0.
    pub nth: usize,
}

impl Leaf {
    /// Name of its element, attribute, field or member.
    pub fn name(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.trim_start_matches(['@', '?'])
    }
}

/// The names inside one element or object, in their order.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub path: String,
    pub names: Vec<String>,
    /// Whether their order means something.
    pub ordered: bool,
}

/// One XML document of a request.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// Where it stands: empty for the body itself.
    pub path: String,
    pub text: String,
    pub root: Element,
}

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub method: String,
    /// Segments of the path, the last one first.
    pub segments: Vec<String>,
    pub action: String,
    pub kind: Kind,
    /// What tells the service: roots of documents and what the envelope holds.
    pub trunk: Vec<String>,
    /// All paths of elements, attributes, fields and members.
    pub names: BTreeSet<String>,
    pub leaves: Vec<Leaf>,
    pub groups: Vec<Group>,
    pub documents: Vec<Document>,
    /// Elements that have a signature as child, with the document's number.
    pub signed: Vec<(usize, String)>,
    /// User and password of the header `Authorization: Basic`, or the token.
    pub authorization: Option<String>,
}

impl Message {
    pub fn of(req: &SimRequest) -> Message {
        let (kind, boundary) = kind_of(req);
        let mut reader = Reader::default();
        match kind {
            Kind::Empty => {}
            Kind::Xml => {
                let text = text_of(&req.body);
                if !reader.document("", &text, 0) {
                    reader.leaf("body", text.trim());
                }
            }
            Kind::Json => reader.json(&text_of(&req.body)),
            Kind::Form => reader.form(&text_of(&req.body)),
            Kind::Multipart => reader.parts(&text_of(&req.body), &boundary),
            Kind::Text => reader.leaf("body", text_of(&req.body).trim()),
        }
        let query = req.path.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in fields(query) {
            reader.value(&format!("?{name}"), &value, 0);
        }
        let mut segments: Vec<String> = req
            .plain_path()
            .split('/')
            .filter(|segment| !segment.is_empty())
            .take(MAX_FIELDS)
            .map(|segment| unescape(segment, false))
            .collect();
        segments.reverse();
        let authorization = req.header("authorization").map(authorization);
        if authorization.is_some() {
            reader.names.insert(AUTHORIZATION.to_owned());
        }
        Message {
            method: req.method.clone(),
            segments,
            action: action_of(req),
            kind,
            trunk: reader.trunk,
            names: reader.names,
            leaves: reader.leaves,
            groups: reader.groups,
            documents: reader.documents,
            signed: reader.signed,
            authorization,
        }
    }

    /// What the action of SOAP calls: the end of its address. Products of one
    /// vendor have the same services in folders of their own.
    pub fn called(&self) -> &str {
        self.action.rsplit('/').next().unwrap_or_default()
    }

    /// The value at a path; `-1`, `-2` are segments of the address.
    pub fn value(&self, path: &str, nth: usize) -> Option<&str> {
        if let Some(place) = path.strip_prefix("-") {
            let at = place.parse::<usize>().ok()?.checked_sub(1)?;
            return self.segments.get(at).map(String::as_str);
        }
        let found = self.leaves.iter().find(|l| l.path == path && l.nth == nth);
        found.map(|leaf| leaf.value.as_str())
    }
}

/// Text of a body: UTF-8, else Latin-1.
pub(super) fn text_of(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn kind_of(req: &SimRequest) -> (Kind, String) {
    let header = req.header("content-type").unwrap_or_default();
    let small = header.to_ascii_lowercase();
    if small.starts_with("multipart/form-data") {
        let boundary = header.split("boundary=").nth(1).unwrap_or_default();
        let boundary = boundary.split(';').next().unwrap_or_default();
        return (
            Kind::Multipart,
            boundary.trim().trim_matches('"').to_owned(),
        );
    }
    let first = req.body.iter().find(|b| !b.is_ascii_whitespace());
    let kind = match first {
        None => Kind::Empty,
        _ if small.starts_with("application/x-www-form-urlencoded") => Kind::Form,
        // The first byte of a byte order mark too.
        Some(b'<' | 0xef) => Kind::Xml,
        Some(b'{' | b'[') => Kind::Json,
        Some(_) => Kind::Text,
    };
    (kind, String::new())
}

fn action_of(req: &SimRequest) -> String {
    let header = req.header("soapaction").map(str::to_owned);
    let parameter = || {
        let kind = req.header("content-type")?;
        let action = kind.split("action=").nth(1)?;
        action.split(';').next().map(str::to_owned)
    };
    let action = header.or_else(parameter).unwrap_or_default();
    action.trim().trim_matches('"').to_owned()
}

/// `user:password`, or the token.
fn authorization(header: &str) -> String {
    let Some((kind, rest)) = header.split_once(' ') else {
        return header.to_owned();
    };
    let basic = kind.eq_ignore_ascii_case("basic");
    let decoded = basic.then(|| STANDARD.decode(rest.trim()).ok()).flatten();
    decoded.map_or_else(|| rest.trim().to_owned(), |bytes| text_of(&bytes))
}

/// Fields of a form or a query, decoded.
fn fields(text: &str) -> Vec<(String, String)> {
    let pairs = text.trim().split('&').filter(|pair| !pair.is_empty());
    pairs
        .take(MAX_FIELDS)
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        })
        .collect()
}

/// A field with percent signs and plus signs resolved.
fn decoded(text: &str) -> String {
    unescape(text, true)
}

/// Percent signs resolved; plus signs are blanks in fields alone.
fn unescape(text: &str, field: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'+' if field => b' ',
            b'%' => {
                let mut ahead = rest.clone();
                match digit(ahead.next()).zip(digit(ahead.next())) {
                    Some((high, low)) => {
                        rest = ahead;
                        u8::try_from(high * 16 + low).unwrap_or(b'?')
                    }
                    None => byte,
                }
            }
            _ => byte,
        });
    }
    text_of(&bytes)
}

#[derive(Default)]
struct Reader {
    trunk: Vec<String>,
    names: BTreeSet<String>,
    leaves: Vec<Leaf>,
    groups: Vec<Group>,
    documents: Vec<Document>,
    signed: Vec<(usize, String)>,
    counts: BTreeMap<String, usize>,
}

impl Reader {
    fn full(&self) -> bool {
        self.leaves.len() >= MAX_VALUES || self.names.len() >= MAX_VALUES
    }

    fn leaf(&mut self, path: &str, value: &str) {
        if self.full() {
            return;
        }
        let count = self.counts.entry(path.to_owned()).or_default();
        let nth = *count;
        *count += 1;
        self.names.insert(path.to_owned());
        self.leaves.push(Leaf {
            path: path.to_owned(),
            value: value.to_owned(),
            nth,
        });
    }

    /// A value, or the document that it is.
    fn value(&mut self, path: &str, value: &str, depth: usize) {
        let value = value.trim();
        let document = value.starts_with('<') && depth < MAX_DOCUMENTS;
        if document && self.document(path, value, depth) {
            self.names.insert(path.to_owned());
        } else {
            self.leaf(path, value);
        }
    }

    /// Reads an XML document; false where it is none.
    fn document(&mut self, path: &str, text: &str, depth: usize) -> bool {
        let text = text.trim();
        // The declaration may name the encoding it had before it was text.
        let text = match text.strip_prefix("<?xml") {
            Some(rest) => rest.split_once("?>").map_or("", |(_, rest)| rest).trim(),
            None => text,
        };
        let Ok(root) = parse(text) else { return false };
        let called = |element: &Element| format!("{path}:{{{}}}{}", element.ns, element.name);
        self.trunk.push(called(&root));
        if root.name == "Envelope"
            && let Some(service) = root.child("Body").and_then(|body| body.elements().next())
        {
            self.trunk.push(called(service));
        }
        let number = self.documents.len();
        self.documents.push(Document {
            path: path.to_owned(),
            text: text.to_owned(),
            root: Element::default(),
        });
        self.element(&root, &joined(path, &root.name), number, depth);
        if let Some(document) = self.documents.get_mut(number) {
            document.root = root;
        }
        true
    }

    fn element(&mut self, element: &Element, path: &str, document: usize, depth: usize) {
        if self.full() {
            return;
        }
        self.names.insert(path.to_owned());
        for attr in &element.attrs {
            self.leaf(&format!("{path}/@{}", attr.name), &attr.value);
        }
        let names: Vec<String> = element.elements().map(|e| e.name.clone()).collect();
        if names.is_empty() {
            return self.value(path, &element.text(), depth + 1);
        }
        for child in element.elements() {
            let below = joined(path, &child.name);
            if child.ns == DSIG && child.name == "Signature" {
                self.names.insert(below);
                self.signed.push((document, path.to_owned()));
            } else {
                self.element(child, &below, document, depth);
            }
        }
        self.groups.push(Group {
            path: path.to_owned(),
            names,
            ordered: true,
        });
    }

    fn json(&mut self, text: &str) {
        let found = scan::places(text);
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for place in found {
            let mut below = place.path.as_str();
            while !below.is_empty() {
                let (above, name) = below.rsplit_once('/').unwrap_or(("", below));
                let group = groups.entry(above.to_owned()).or_default();
                group.insert(name.to_owned());
                self.names.insert(below.to_owned());
                below = above;
            }
            self.value(&place.path, &place.value, 1);
        }
        let groups = groups.into_iter();
        self.unordered(groups.map(|(path, names)| (path, names.into_iter().collect())));
    }

    fn form(&mut self, text: &str) {
        let mut names = Vec::new();
        for (name, value) in fields(text) {
            self.value(&name, &value, 0);
            names.push(name);
        }
        self.unordered([(String::new(), names)]);
    }

    fn unordered(&mut self, groups: impl IntoIterator<Item = (String, Vec<String>)>) {
        self.groups
            .extend(groups.into_iter().map(|(path, names)| Group {
                path,
                names,
                ordered: false,
            }));
    }

    /// Parts of `multipart/form-data` (RFC 7578).
    fn parts(&mut self, text: &str, boundary: &str) {
        if boundary.is_empty() {
            return;
        }
        let mut names = Vec::new();
        let mark = format!("--{boundary}");
        for part in text.split(mark.as_str()).skip(1).take(MAX_FIELDS) {
            let end = part.find("\r\n\r\n").map(|at| (at, 4));
            let Some((at, gap)) = end.or_else(|| part.find("\n\n").map(|at| (at, 2))) else {
                continue;
            };
            let head = part.get(..at).unwrap_or_default();
            let name = head
                .split("name=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let Some(name) = name else { continue };
            self.value(name, part.get(at + gap..).unwrap_or_default(), 0);
            names.push(name.to_owned());
        }
        self.unordered([(String::new(), names)]);
    }
}
