//! Reads an authority's XML into a small tree of local names.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Largest document read: the host's limit for an answer.
pub const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Deepest nesting.
pub const MAX_DEPTH: usize = 64;
/// Most elements in one document.
const MAX_ELEMENTS: usize = 200_000;
/// Most attributes of one element.
const MAX_ATTRIBUTES: usize = 64;

/// Bytes in which the end of a declaration is looked for.
const MAX_DECLARATION: usize = 200;
/// More broken characters than these are no damage: the text is of another encoding.
const MAX_BROKEN: usize = 64;

/// Why a text is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XmlError {
    TooLarge,
    TooDeep,
    TooManyElements,
    /// DTDs and entities of one's own are refused, always.
    Doctype,
    /// Not well-formed.
    Malformed,
    /// No element at all.
    Empty,
}

impl fmt::Display for XmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            XmlError::TooLarge => "XML too large",
            XmlError::TooDeep => "XML too deep",
            XmlError::TooManyElements => "too many XML elements",
            XmlError::Doctype => "DTD or entity in XML",
            XmlError::Malformed => "malformed XML",
            XmlError::Empty => "no XML element",
        })
    }
}

/// A document that was read, with its text.
#[derive(Clone, Debug)]
pub struct Document {
    text: String,
    root: Element,
}

impl Document {
    pub fn root(&self) -> &Element {
        &self.root
    }

    /// The document as text, decoded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An element of this document exactly as it was written. Namespaces
    /// declared above it are not repeated in it.
    pub fn raw(&self, element: &Element) -> &str {
        self.text.get(element.span.clone()).unwrap_or_default()
    }
}

/// An element by its local name: prefixes vary from city to city and mean
/// nothing here.
#[derive(Clone, Debug)]
pub struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
    span: Range<usize>,
}

impl Element {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Direct text and CDATA, without the white space around it.
    pub fn text(&self) -> &str {
        self.text.trim()
    }

    pub fn children(&self) -> &[Element] {
        &self.children
    }

    /// Value of an attribute by its local name.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// First child of this name.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// All children of this name.
    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Walks "a/b/c" from here, taking the first child of each name.
    pub fn find(&self, path: &str) -> Option<&Element> {
        path.split('/')
            .try_fold(self, |element, name| element.child(name))
    }

    /// Text at a path, None when absent or blank.
    pub fn text_at(&self, path: &str) -> Option<&str> {
        self.find(path)
            .map(Element::text)
            .filter(|text| !text.is_empty())
    }

    /// First element of this name here or below, in document order.
    pub fn descendant(&self, name: &str) -> Option<&Element> {
        if self.name == name {
            return Some(self);
        }
        self.children
            .iter()
            .find_map(|child| child.descendant(name))
    }

    /// Every element of this name here or below, in document order; does not
    /// look inside the ones it found.
    pub fn descendants<'a>(&'a self, name: &str) -> Vec<&'a Element> {
        if self.name == name {
            return vec![self];
        }
        self.children
            .iter()
            .flat_map(|child| child.descendants(name))
            .collect()
    }

    /// First element here or below with this attribute value.
    pub fn find_by_attribute(&self, name: &str, value: &str) -> Option<&Element> {
        if self.attribute(name) == Some(value) {
            return Some(self);
        }
        self.children
            .iter()
            .find_map(|child| child.find_by_attribute(name, value))
    }

    /// Bytes of the element in the document's text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

/// Text of an answer: UTF-8 when it is (whatever the declaration says), with
/// U+FFFD for single damaged bytes of it; otherwise ISO-8859-1, which every byte
/// sequence is.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) if is_damaged_utf8(bytes) => String::from_utf8_lossy(bytes),
        Err(_) => Cow::Owned(bytes.iter().copied().map(char::from).collect()),
    }
}

/// Whether bytes that are not UTF-8 were meant as it: few characters break, and some of
/// more than one byte are whole. In ISO-8859-1 such a pair is a capital with an accent before a
/// sign, which a text that does not say what it is has once at most.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk
            .valid()
            .chars()
            .filter(|letter| !letter.is_ascii())
            .count();
        broken += usize::from(!chunk.invalid().is_empty());
        if broken > MAX_BROKEN {
            return false;
        }
    }
    match says_utf8(bytes) {
        Some(utf8) => utf8 && whole > 0,
        None => whole > 1,
    }
}

/// Whether the declaration names UTF-8; None: it names no encoding, or is none.
fn says_utf8(bytes: &[u8]) -> Option<bool> {
    let head = bytes.get(..MAX_DECLARATION).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declaration = head.trim_start().strip_prefix("<?xml")?;
    let (declaration, _) = declaration.split_once("?>")?;
    let (_, name) = declaration.split_once("encoding")?;
    let name = name.trim_start_matches(['=', '"', '\'', ' ']);
    Some(name.starts_with("utf-8") || name.starts_with("utf8"))
}

/// Reads a document. Byte order mark, declaration, comments and white space
/// around it are accepted.
///
/// # Errors
/// See [`XmlError`].
pub fn parse(bytes: &[u8]) -> Result<Document, XmlError> {
    if bytes.len() > MAX_BYTES {
        return Err(XmlError::TooLarge);
    }
    let text = decode(bytes).trim().to_owned();
    let root = read(&text)?;
    Ok(Document { text, root })
}

fn read(text: &str) -> Result<Element, XmlError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    let mut elements = 0_usize;
    loop {
        let start = position(&reader);
        let event = reader.read_event().map_err(|_| XmlError::Malformed)?;
        match event {
            Event::Start(_) | Event::Empty(_) if root.is_some() => return Err(XmlError::Malformed),
            Event::Start(tag) => {
                elements += 1;
                if open.len() >= MAX_DEPTH {
                    return Err(XmlError::TooDeep);
                }
                open.push(element(&tag, start, elements)?);
            }
            Event::Empty(tag) => {
                elements += 1;
                if open.len() >= MAX_DEPTH {
                    return Err(XmlError::TooDeep);
                }
                let empty = element(&tag, start, elements)?;
                finish(empty, position(&reader), &mut open, &mut root);
            }
            Event::End(_) => {
                let closed = open.pop().ok_or(XmlError::Malformed)?;
                finish(closed, position(&reader), &mut open, &mut root);
            }
            Event::Text(piece) => add_text(&piece.xml10_content(), &mut open)?,
            Event::CData(piece) => add_text(&piece.xml10_content(), &mut open)?,
            Event::GeneralRef(reference) => {
                let resolved = match reference
                    .resolve_char_ref()
                    .map_err(|_| XmlError::Malformed)?
                {
                    Some(c) => c,
                    None => predefined(&reference).ok_or(XmlError::Doctype)?,
                };
                add_text(resolved.encode_utf8(&mut [0; 4]), &mut open)?;
            }
            Event::DocType(_) => return Err(XmlError::Doctype),
            Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
            Event::Eof if open.is_empty() => return root.ok_or(XmlError::Empty),
            Event::Eof => return Err(XmlError::Malformed),
        }
    }
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn element(tag: &BytesStart<'_>, start: usize, elements: usize) -> Result<Element, XmlError> {
    if elements > MAX_ELEMENTS {
        return Err(XmlError::TooManyElements);
    }
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|_| XmlError::Malformed)?;
        if attributes.len() >= MAX_ATTRIBUTES {
            return Err(XmlError::TooManyElements);
        }
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|_| XmlError::Malformed)?;
        attributes.push((
            local(attribute.key.into_inner()).to_owned(),
            value.into_owned(),
        ));
    }
    let name = local(tag.name().into_inner()).to_owned();
    Ok(Element {
        name,
        attributes,
        children: Vec::new(),
        text: String::new(),
        span: start..start,
    })
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

fn finish(mut element: Element, end: usize, open: &mut [Element], root: &mut Option<Element>) {
    element.span.end = end;
    match open.last_mut() {
        Some(parent) => parent.children.push(element),
        None => *root = Some(element),
    }
}

fn add_text(text: &str, open: &mut [Element]) -> Result<(), XmlError> {
    match open.last_mut() {
        Some(element) => element.text.push_str(text),
        None if text.trim().is_empty() => {}
        None => return Err(XmlError::Malformed),
    }
    Ok(())
}

fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "quot" => '"',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Document, XmlError> {
        parse(text.as_bytes())
    }

    #[test]
    fn prefixes_paths_and_text() {
        let xml = "\u{feff}<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<!-- x --><s:a xmlns:s='urn:x' s:Id='1 &amp; 2'>\
                   <s:b><c> ação &lt;&#x31;&gt; </c></s:b><b><c><![CDATA[<d/>]]></c></b><e/></s:a>\n";
        let doc = read(xml).expect("reads");
        let root = doc.root();
        assert_eq!(root.name(), "a");
        assert_eq!(root.attribute("Id"), Some("1 & 2"));
        assert_eq!(root.text_at("b/c"), Some("ação <1>"));
        assert_eq!(
            root.children_named("b").nth(1).and_then(|b| b.text_at("c")),
            Some("<d/>")
        );
        assert_eq!(root.descendants("c").len(), 2);
        assert_eq!(root.text_at("e"), None);
        assert_eq!(
            doc.raw(root.child("b").expect("b")),
            "<s:b><c> ação &lt;&#x31;&gt; </c></s:b>"
        );
        assert_eq!(doc.raw(root.child("e").expect("e")), "<e/>");
    }

    #[test]
    fn latin_1_is_understood() {
        let doc = parse(b"<a>S\xe3o Jos\xe9</a>").expect("reads");
        assert_eq!(doc.root().text(), "São José");
    }

    /// `tests/contract/javascript/adapter.js` has the same for the library there.
    #[test]
    fn one_damaged_byte_changes_one_character() {
        const MARK: &str = "\u{feff}";
        let utf8 = "<?xml version='1.0' encoding=\"utf-8\"?>";
        let iso = "<?xml version='1.0' encoding='ISO-8859-1'?>";
        let marked = format!("{MARK}{utf8}");
        let with_blanks = |blanks| format!("<?xml encoding='utf-8'{}?>", " ".repeat(blanks));
        let blanks = MAX_DECLARATION - with_blanks(0).len();
        let (most, more) = (with_blanks(blanks), with_blanks(blanks + 1));
        let (two, one, none) = (
            &b"S\xc3\xa3o Jos\xc3\xa9 \xe9"[..],
            &b"S\xc3\xa3o \xe9"[..],
            &b"S\xe3o"[..],
        );
        let cases: [(&str, &[u8], &str); 15] = [
            ("", two, "São José \u{fffd}"),
            (utf8, one, "São \u{fffd}"),
            // One pair may be an accident; systems say UTF-8 that write ISO-8859-1.
            ("", one, "SÃ£o é"),
            (iso, two, "SÃ£o JosÃ© é"),
            (utf8, none, "São"),
            // What is missing of a character is one character, however much is there.
            (utf8, b"S\xc3\xa3o \xe2\x82", "São \u{fffd}"),
            (utf8, b"S\xc3\xa3o \xf0\x9f\x98", "São \u{fffd}"),
            (
                utf8,
                b"S\xc3\xa3o \xed\xa0\x80",
                "São \u{fffd}\u{fffd}\u{fffd}",
            ),
            // A mark is taken off, counts as nothing and hides nothing.
            (MARK, b"S\xc3\xa3o", "São"),
            (MARK, one, "SÃ£o é"),
            (MARK, two, "São José \u{fffd}"),
            (&marked, one, "São \u{fffd}"),
            (&marked, none, "São"),
            // A declaration that does not end soon says nothing.
            (&most, one, "São \u{fffd}"),
            (&more, one, "SÃ£o é"),
        ];
        for (start, bytes, text) in cases {
            let bytes = [start.as_bytes(), b"<a>", bytes, b"</a>"].concat();
            let start = start.trim_start_matches(MARK);
            assert_eq!(decode(&bytes), format!("{start}<a>{text}</a>"));
            assert_eq!(parse(&bytes).expect("reads").root().text(), text);
        }
        // Many broken characters are another encoding.
        let broken = |count| [two, &b"\xe9 ".repeat(count - 1)].concat();
        let read = format!("São José \u{fffd}{}", "\u{fffd} ".repeat(MAX_BROKEN - 1));
        assert_eq!(decode(&broken(MAX_BROKEN)), read);
        assert!(decode(&broken(MAX_BROKEN + 1)).starts_with("SÃ£o JosÃ© é"));
    }

    #[test]
    fn hostile_input_is_refused() {
        let deep = format!(
            "{}{}",
            "<a>".repeat(MAX_DEPTH + 1),
            "</a>".repeat(MAX_DEPTH + 1)
        );
        let wide = format!("<a>{}</a>", "<b/>".repeat(MAX_ELEMENTS));
        for (xml, error) in [
            ("", XmlError::Empty),
            ("   ", XmlError::Empty),
            ("text", XmlError::Malformed),
            ("<a>", XmlError::Malformed),
            ("<a></b>", XmlError::Malformed),
            ("<a/><b/>", XmlError::Malformed),
            ("<a/>text", XmlError::Malformed),
            ("<a b='1' b='2'/>", XmlError::Malformed),
            ("<a>&#0;</a>", XmlError::Malformed),
            (
                "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>",
                XmlError::Doctype,
            ),
            ("<a>&x;</a>", XmlError::Doctype),
            (deep.as_str(), XmlError::TooDeep),
            (wide.as_str(), XmlError::TooManyElements),
        ] {
            assert_eq!(
                read(xml).map(|_| ()),
                Err(error),
                "{}",
                &xml[..xml.len().min(40)]
            );
        }
    }

    #[test]
    fn every_cut_is_an_error_and_never_a_panic() {
        let xml = "<?xml version='1.0'?><a x='1'><b>&amp;ç</b><![CDATA[z]]><!-- c --></a>";
        for end in 0..xml.len() {
            assert!(parse(&xml.as_bytes()[..end]).is_err(), "{end}");
        }
        assert!(read(xml).is_ok());
    }
}
