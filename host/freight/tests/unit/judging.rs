//! Documents as they are judged by rules: signed with the digest of what they
//! say, spoilt in one place.

use crate::signing::signed;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::Finding;
use fiscal::nfe::reading::{Subject, rules};
use markup::xml::{C14n, Document, canonicalize};
use sha1::{Digest as _, Sha1};
use std::collections::BTreeSet;

/// Digest in the shape of a signature.
const SHAPE: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// The document with a signature whose digest is that of its content.
pub fn digested(xml: &str) -> String {
    let xml = signed(xml);
    let doc = Document::parse(&xml).expect("XML");
    let mut parts = doc.root().children();
    let body = parts
        .find(|part| part.attribute("Id").is_some())
        .expect("an Id");
    let text = canonicalize(&doc, body.id(), C14n::Inclusive, None);
    let digest = STANDARD.encode(Sha1::digest(text.as_bytes()));
    xml.replace(SHAPE, &digest)
}

/// The first place of a text replaced.
pub fn spoilt(xml: &str, before: &str, after: &str) -> String {
    let other = xml.replacen(before, after, 1);
    assert_ne!(other, xml, "{before} is not in\n{xml}");
    other
}

/// Without an element and all that is in it.
pub fn without(xml: &str, name: &str) -> String {
    let doc = Document::parse(xml).expect("XML");
    let found = doc.elements().find(|element| element.name() == name);
    let span = found
        .unwrap_or_else(|| panic!("{name} is in\n{xml}"))
        .span();
    format!("{}{}", &xml[..span.start], &xml[span.end..])
}

/// Codes of what was found, each once.
pub fn codes(findings: &[Finding]) -> BTreeSet<&'static str> {
    findings.iter().map(|finding| finding.codigo).collect()
}

/// A text, what it is replaced by, what is found then.
pub type Case = (&'static str, &'static str, &'static [&'static str]);

/// What rules find in a text; the flag says whether the key of the certificate
/// made the signature.
pub type Judge = fn(&str, bool) -> Vec<Finding>;

/// What was provoked so far.
#[derive(Default)]
pub struct Provoked(BTreeSet<&'static str>);

impl Provoked {
    /// Holds what was found against what was expected.
    pub fn expect(&mut self, what: &str, findings: &[Finding], expected: &[&str]) {
        let found = codes(findings);
        let wanted: BTreeSet<&str> = expected.iter().copied().collect();
        assert_eq!(found, wanted, "{what}: {findings:#?}");
        for finding in findings {
            assert!(finding.mensagem.ends_with('.'), "{finding:#?}");
            assert!(finding.correcao.ends_with('.'), "{finding:#?}");
        }
        self.0.extend(found);
    }

    /// Each case of a table, of a text that is signed after it was spoilt.
    pub fn all(&mut self, xml: &str, cases: &[Case], judge: Judge) {
        for (before, after, expected) in cases {
            let findings = judge(&digested(&spoilt(xml, before, after)), true);
            self.expect(&format!("{before} -> {after}"), &findings, expected);
        }
    }

    /// Signature, check digit and protocol of a document, which the layouts of a
    /// family call by their names.
    pub fn beside(&mut self, family: Family, base: &str, judge: Judge) {
        let right = digested(base);
        let document = family.document();
        self.expect("another key", &judge(&right, false), &["297"]);
        let uri = |state: u8| format!("URI=\"#{document}{state}");
        let elsewhere = spoilt(&right, &uri(31), &uri(32));
        self.expect("elsewhere", &judge(&elsewhere, true), &["298"]);
        let begin = format!("Id=\"{document}");
        let id = right.find(&begin).expect("an Id") + begin.len();
        let key = &right[id..id + 44];
        // A digit that is not the calculated one, wherever the key stands.
        let digit = if key.ends_with('0') { "1" } else { "0" };
        let other = base.replace(key, &format!("{}{digit}", &key[..43]));
        self.expect("digit", &judge(&digested(&other), true), &["236", "253"]);
        let digest = right.split("<DigestValue>").nth(1).expect("a digest");
        let digest = digest.split('<').next().expect("a digest");
        let (name, field) = (family.protocol(), family.key());
        let protocol = format!(
            "<{name}><infProt><tpAmb>1</tpAmb><{field}>{key}</{field}><digVal>{digest}</digVal><cStat>100</cStat></infProt></{name}>"
        );
        let namespace = format!("xmlns=\"{}\"", family.namespace());
        let joined = |protocol: &str| {
            let bare = right.replacen(
                &format!("<{document} {namespace}>"),
                &format!("<{document}>"),
                1,
            );
            format!("<{0} {namespace}>{bare}{protocol}</{0}>", family.joined())
        };
        self.expect("whole", &judge(&joined(&protocol), true), &[]);
        let alone = judge(&joined(""), true);
        self.expect("no protocol", &alone, &["protocolo_ausente"]);
        for (before, after, code) in [
            (
                format!("<{field}>31"),
                format!("<{field}>32"),
                "protocolo_de_outra_nota",
            ),
            (digest.to_owned(), "AAAA".to_owned(), "digest_diferente"),
            (
                "<tpAmb>1".to_owned(),
                "<tpAmb>2".to_owned(),
                "ambiente_diferente",
            ),
            (
                "<cStat>100".to_owned(),
                "<cStat>203".to_owned(),
                "nao_autorizada",
            ),
        ] {
            let other = spoilt(&protocol, &before, &after);
            self.expect(code, &judge(&joined(&other), true), &[code]);
        }
    }

    /// Every row of a subject was provoked.
    pub fn is_every_rule_of(&self, subject: Subject) {
        let rows: BTreeSet<&str> = rules()
            .filter(|rule| rule.subjects.contains(&subject))
            .map(|rule| rule.codigo)
            .collect();
        let missing: Vec<_> = rows.difference(&self.0).collect();
        let without_row: Vec<_> = self.0.difference(&rows).collect();
        assert!(
            missing.is_empty() && without_row.is_empty(),
            "not provoked: {missing:?}; without a row: {without_row:?}"
        );
    }
}
