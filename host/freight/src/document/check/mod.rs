//! What the judging of CT-e and MDF-e has in common.
//!
//! What both share with notes (key, protocol, signature, registrations) is that
//! of `fiscal::nfe::reading::judging`.

pub(crate) mod keys;
pub(crate) mod parties;
pub(crate) mod qrcode;

use super::reading::{Form, ReadingError, parts};
use fiscal::nfe::reading::judging::Findings;
use fiscal::nfe::reading::judging::chave::KeyCodes;
use fiscal::nfe::reading::judging::nota::{moment, text};
use markup::xml::{Document, Element, NodeId};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use time::{Date, Duration, OffsetDateTime};

/// What an authority answers to a key that is not made of the document's fields.
pub(crate) const KEY_CODES: KeyCodes = KeyCodes {
    prefix: "227",
    composition: "227",
    digit: "236",
    field_digit: "253",
    guessable: None,
};

/// A document under examination, by official names.
pub(crate) struct Judged<'d> {
    /// `CTe`, and `infCte` in it.
    pub document: Element<'d>,
    pub inf: Element<'d>,
    /// Day of emission, or today.
    pub day: Date,
    /// Places among namesakes of the elements below the body that have some,
    /// counted at the first use.
    namesakes: OnceCell<HashMap<NodeId, usize>>,
}

impl<'d> Judged<'d> {
    /// The only document of its kind in an XML.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn of(form: &Form, doc: &'d Document<'d>, today: Date) -> Result<Self, ReadingError> {
        let (document, inf) = parts(form, doc)?;
        let mut judged = Judged {
            document,
            inf,
            day: today,
            namesakes: OnceCell::new(),
        };
        if let Some(at) = judged.moment(&["ide", "dhEmi"]) {
            judged.day = at.date();
        }
        Ok(judged)
    }

    /// Text at a path below the body; none where it is empty.
    pub fn text(&self, path: &[&str]) -> Option<Cow<'d, str>> {
        text(self.inf, path)
    }

    /// The same, empty where there is none.
    pub fn said(&self, path: &[&str]) -> Cow<'d, str> {
        self.text(path).unwrap_or_default()
    }

    /// Text of a field of `ide`, empty where there is none.
    pub fn ide(&self, name: &str) -> Cow<'d, str> {
        self.said(&["ide", name])
    }

    pub fn moment(&self, path: &[&str]) -> Option<OffsetDateTime> {
        moment(&self.text(path)?)
    }

    pub fn has(&self, path: &[&str]) -> bool {
        self.inf.find(path).is_some()
    }

    /// A place in sentences and findings: `infCte/ide/cUF`.
    pub fn at(&self, place: &str) -> String {
        format!("{}/{place}", self.inf.name())
    }

    /// Path of an element below the body, counted where it has namesakes:
    /// `infCte/infCTeNorm/docAnt/emiDocAnt[2]/CNPJ`.
    pub fn place(&self, element: Element<'d>) -> String {
        let mut names = Vec::new();
        let mut at = Some(element);
        while let Some(own) = at.filter(|own| own.id() != self.inf.id()) {
            names.push(self.counted(own));
            at = own.parent();
        }
        names.push(self.inf.name().to_owned());
        names.reverse();
        names.join("/")
    }

    /// The name of an element, with its place among its namesakes.
    fn counted(&self, element: Element<'d>) -> String {
        let places = self.namesakes.get_or_init(|| namesakes(self.inf));
        match places.get(&element.id()) {
            Some(position) => format!("{}[{position}]", element.name()),
            None => element.name().to_owned(),
        }
    }

    /// Elements of a name anywhere below the body.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = Element<'d>> + use<'d, 'n> {
        self.inf
            .descendants_or_self()
            .filter(move |element| element.name() == name)
    }
}

/// Of each element that has namesakes beside it, its place among them, from 1.
/// One pass: a document of others may have a million elements.
fn namesakes(body: Element<'_>) -> HashMap<NodeId, usize> {
    let mut places = HashMap::new();
    for parent in body.descendants_or_self() {
        // First of each name, and how many there were so far.
        let mut seen: HashMap<&str, (NodeId, usize)> = HashMap::new();
        for child in parent.children() {
            let (first, count) = seen.entry(child.name()).or_insert((child.id(), 0));
            *count += 1;
            if *count > 1 {
                places.insert(*first, 1);
                places.insert(child.id(), *count);
            }
        }
    }
    places
}

/// The emission has come.
pub(crate) fn future(
    judged: &Judged<'_>,
    today: Date,
    code: &'static str,
    findings: &mut Findings,
) {
    let issued = judged.moment(&["ide", "dhEmi"]);
    // A day ahead is the difference of time zones.
    if let Some(issued) = issued
        && issued.date() > today.saturating_add(Duration::days(1))
    {
        findings
            .error(
                judged.at("ide/dhEmi"),
                code,
                "O documento foi emitido no futuro.",
                "Acerte o relógio e a data de emissão.",
            )
            .value(&issued.date().to_string());
    }
}

/// The group of the modal is the one that `ide` names, in the version of the
/// layout.
pub(crate) fn modal(
    judged: &Judged<'_>,
    path: &[&str],
    (groups, version): (&[(&str, &str)], &str),
    findings: &mut Findings,
) {
    let Some(found) = judged.inf.find(path) else {
        return;
    };
    let place = judged.place(found);
    let given = found.attribute("versaoModal").unwrap_or_default();
    if given != version {
        findings
            .error(
                format!("{place}/@versaoModal"),
                "579",
                format!("O modal é da versão {version} do leiaute."),
                format!("Informe versaoModal {version}."),
            )
            .value(given);
    }
    let modal = judged.ide("modal");
    let named = groups.iter().find(|(code, _)| *code == modal);
    let group = found.children().next();
    if let (Some((_, expected)), Some(group)) = (named, group)
        && group.name() != *expected
    {
        findings
            .error(
                place,
                "580",
                format!(
                    "O modal é {modal}, do grupo {expected}, e o documento traz {}.",
                    group.name().chars().take(20).collect::<String>()
                ),
                "Corrija o modal, ou o grupo dele.",
            )
            .value(&modal);
    }
}
