//! Where something stands in an answer: `nf/numero_nfse ou numero_nfse`. The
//! first name is looked for anywhere below the element, the others are
//! children; `@nome` is an attribute, `.` the text of the element itself.
//! Paths with a blank between them are joined by one.

use sdk::xml::Element;

/// Longest text taken from an answer, in characters.
const MAX_CHARS: usize = 4_000;

/// Name of an element that a child alone tells: `*[notaExiste]`.
const ANY: &str = "*";

/// Alternatives, each of one or more paths whose texts are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(Vec<Vec<String>>);

impl Path {
    /// None: another form.
    pub fn parse(text: &str) -> Option<Self> {
        let alternatives: Vec<Vec<String>> = text
            .split(" ou ")
            .map(|one| one.split_whitespace().map(str::to_owned).collect())
            .collect();
        let whole = alternatives
            .iter()
            .all(|one| !one.is_empty() && one.iter().all(|path| fits(path)));
        whole.then_some(Path(alternatives))
    }

    /// The text there, of the first alternative that is complete.
    pub fn text(&self, element: &Element) -> Option<String> {
        self.0.iter().find_map(|paths| {
            let texts: Option<Vec<&str>> = paths.iter().map(|path| at(element, path)).collect();
            let text = texts?.join(" ");
            (text.chars().count() <= MAX_CHARS).then_some(text)
        })
    }
}

fn fits(path: &str) -> bool {
    path.split('/').all(|name| !name.is_empty())
}

/// The text at one path; None when it is absent or blank.
fn at<'e>(element: &'e Element, path: &str) -> Option<&'e str> {
    let mut names = path.split('/');
    let mut here = element;
    let mut first = true;
    let text = loop {
        let Some(name) = names.next() else {
            break here.text();
        };
        if let Some(attribute) = name.strip_prefix('@') {
            break here.attribute(attribute)?.trim();
        }
        if name == "." {
            continue;
        }
        here = if first && here.name() != name {
            below(here, name)?
        } else if first {
            here
        } else {
            here.child(name)?
        };
        first = false;
    };
    (!text.is_empty()).then_some(text)
}

/// The first element of this name below, children first.
fn below<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    element.child(name).or_else(|| {
        element
            .children()
            .iter()
            .find_map(|child| below(child, name))
    })
}

/// An element by its name, and by a child it must have: `retorno[msg]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    name: String,
    child: Option<String>,
}

impl Selector {
    /// Alternatives joined by `ou`; None: another form.
    pub fn list(text: &str) -> Option<Vec<Self>> {
        text.split(" ou ")
            .map(|one| Self::parse(one.trim()))
            .collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, child) = match text.split_once('[') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(']')?)),
            None => (text, None),
        };
        let plain = |text: &str| !text.is_empty() && !text.contains([' ', '[', ']']);
        let fits = plain(name) && child.is_none_or(plain) && (name != ANY || child.is_some());
        fits.then(|| Selector {
            name: name.to_owned(),
            child: child.map(str::to_owned),
        })
    }

    /// All of them below an element or this element itself, in the order of
    /// the document; not inside one another.
    pub fn all<'e>(&self, root: &'e Element) -> Vec<&'e Element> {
        let mut found = Vec::new();
        self.collect(root, &mut found);
        found
    }

    /// The first of them.
    pub fn first<'e>(&self, root: &'e Element) -> Option<&'e Element> {
        self.all(root).into_iter().next()
    }

    fn collect<'e>(&self, element: &'e Element, found: &mut Vec<&'e Element>) {
        let has_child = |child: &String| element.find(child).is_some();
        if (self.name == ANY || element.name() == self.name)
            && self.child.as_ref().is_none_or(has_child)
        {
            found.push(element);
            return;
        }
        // The depth is bounded by the reader.
        for child in element.children() {
            self.collect(child, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::xml;

    #[test]
    fn texts_are_found_by_path() {
        let document = xml::parse(
            b"<r><a><n>1</n></a><n>2</n><d>05/10/2026</d><h>10:15:00</h><e k='x'/><b><n> </n><m>3</m></b></r>",
        )
        .expect("xml");
        for (path, expected) in [
            ("n", Some("2")),
            ("a/n", Some("1")),
            ("d h", Some("05/10/2026 10:15:00")),
            ("d x ou d", Some("05/10/2026")),
            ("e/@k", Some("x")),
            ("b/n ou b/m", Some("3")),
            ("m", Some("3")),
            ("z", None),
            ("r/d", Some("05/10/2026")),
        ] {
            let path = Path::parse(path).expect(path);
            assert_eq!(path.text(document.root()).as_deref(), expected, "{path:?}");
        }
        assert_eq!(Path::parse(""), None);
        assert_eq!(Path::parse("a//b"), None);
        let b = Selector::list("b[m]").expect("selector");
        assert_eq!(b.iter().flat_map(|one| one.all(document.root())).count(), 1);
        let none = Selector::list("b[z]").expect("selector");
        assert!(none.iter().all(|one| one.all(document.root()).is_empty()));
        assert_eq!(Selector::list("b[m"), None);
    }
}
