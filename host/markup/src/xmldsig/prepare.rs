//! What must be signed, and the signed text.

use std::ops::Range;

use super::algorithms::{Algorithm, ENVELOPED, c14n_uri, encode};
use super::{DSIG_NAMESPACE, SignXmlError};
use crate::xml::{C14n, Document, Element, NodeId, canonicalize, escape_attribute};

/// Where the `Signature` element goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Right after the signed element, as its next sibling.
    AfterReference,
    /// As the last child of the signed element.
    InsideReference,
    /// As the last child of the document's root.
    LastChildOfRoot,
}

/// How an authority wants its documents signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignSpec {
    /// Hash of the digest and of the signature.
    pub algorithm: Algorithm,
    /// Of the signed content and of `SignedInfo`.
    pub canonicalization: C14n,
    /// Where the `Signature` element goes.
    pub placement: Placement,
    /// Name of the attribute that holds the id: "Id" or "id".
    pub id_attribute: String,
    /// Write `URI=""` although an element is named. `URI=""` means the whole
    /// document (xmldsig-core §4.3.3.2) and is digested as such; the named
    /// element then only says where the signature goes.
    pub empty_uri: bool,
}

/// A document that waits for its signature.
#[derive(Clone)]
pub struct Prepared {
    xml: String,
    insertion: Insertion,
    /// As it is written in the document.
    signed_info: String,
    /// The same in canonical form, as it will read in its place.
    to_sign: String,
    /// Local name and namespace of what is signed.
    signed: Option<(String, String)>,
}

impl std::fmt::Debug for Prepared {
    /// Sizes only: the document holds personal data.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Prepared({} bytes)", self.xml.len())
    }
}

/// Bytes of the original text that are replaced, and what stands around the
/// signature there. Nothing is replaced except the `/>` of an empty-element tag.
#[derive(Clone)]
struct Insertion {
    span: Range<usize>,
    before: &'static str,
    after: String,
}

/// Works out the signature of the element whose id is `reference`; `""` is the
/// whole document.
///
/// # Errors
/// Malformed text; an id that no element or more than one has; an id that
/// cannot stand in a `URI`; [`Placement::AfterReference`] for the root element,
/// after which nothing may come.
pub fn prepare(xml: &str, reference: &str, spec: &SignSpec) -> Result<Prepared, SignXmlError> {
    let doc = Document::parse(xml)?;
    let target = if reference.is_empty() {
        doc.root()
    } else {
        by_id(&doc, reference, &spec.id_attribute)?
    };
    let (parent, insertion) = place(&doc, target, spec.placement)?;
    let (content, uri, signed) = if reference.is_empty() || spec.empty_uri {
        (doc.document(), String::new(), doc.root())
    } else {
        (target.id(), format!("#{reference}"), target)
    };
    // The signature is not there yet, so there is nothing to leave out.
    let digest = spec
        .algorithm
        .digest(canonicalize(&doc, content, spec.canonicalization, None).as_bytes());
    let [signed_info, to_sign] = signed_info(&doc, parent, &uri, &digest, spec);
    Ok(Prepared {
        xml: xml.to_owned(),
        insertion,
        signed_info,
        to_sign,
        signed: Some((signed.name().to_owned(), signed.namespace().to_owned())),
    })
}

impl Prepared {
    /// A signature that goes in at one place of a text.
    pub(super) fn at(xml: String, place: usize, signed_info: String, to_sign: String) -> Prepared {
        Prepared {
            xml,
            insertion: Insertion {
                span: place..place,
                before: "",
                after: String::new(),
            },
            signed_info,
            to_sign,
            signed: None,
        }
    }

    /// The bytes to sign: RSA PKCS#1 v1.5 with the hash of the spec.
    pub fn to_sign(&self) -> &[u8] {
        self.to_sign.as_bytes()
    }

    /// Local name and namespace of the signed element, of the root where the whole
    /// document is signed; the namespace is empty where it has none. None of a
    /// document that was written in canonical form and not read.
    pub fn signed(&self) -> Option<(&str, &str)> {
        let signed = self.signed.as_ref()?;
        Some((&signed.0, &signed.1))
    }

    /// The original text with the signature in its place.
    ///
    /// `chain_der` are the certificates for `KeyInfo`, the signer's first;
    /// without any there is no `KeyInfo`.
    pub fn finish(self, signature: &[u8], chain_der: &[Vec<u8>]) -> String {
        let Insertion {
            span,
            before,
            after,
        } = &self.insertion;
        let certificates: usize = chain_der.iter().map(|der| der.len() * 4 / 3 + 64).sum();
        let mut out = String::with_capacity(
            self.xml.len() + self.signed_info.len() + signature.len() * 2 + certificates + 256,
        );
        out.push_str(self.xml.get(..span.start).unwrap_or(""));
        out.push_str(before);
        out.push_str(&format!("<Signature xmlns=\"{DSIG_NAMESPACE}\">"));
        out.push_str(&self.signed_info);
        out.push_str(&format!(
            "<SignatureValue>{}</SignatureValue>",
            encode(signature)
        ));
        if !chain_der.is_empty() {
            out.push_str("<KeyInfo><X509Data>");
            for der in chain_der {
                out.push_str(&format!(
                    "<X509Certificate>{}</X509Certificate>",
                    encode(der)
                ));
            }
            out.push_str("</X509Data></KeyInfo>");
        }
        out.push_str("</Signature>");
        out.push_str(after);
        out.push_str(self.xml.get(span.end..).unwrap_or(""));
        out
    }
}

/// What xmldsig calls a same-document reference is `#` and a name. Anything that
/// could read as an XPointer or needs escaping in a URI is refused.
pub(super) fn plain(id: &str) -> Result<(), SignXmlError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if !id.is_empty() && id.chars().all(plain) {
        return Ok(());
    }
    Err(SignXmlError::unsupported(
        "an id with characters that a URI reference cannot hold",
    ))
}

fn by_id<'d>(
    doc: &'d Document<'d>,
    id: &str,
    attribute: &str,
) -> Result<Element<'d>, SignXmlError> {
    plain(id)?;
    let mut found = doc
        .elements()
        .filter(|element| element.attribute(attribute) == Some(id));
    match (found.next(), found.next()) {
        (Some(element), None) => Ok(element),
        (None, _) => Err(SignXmlError::ReferenceNotFound(id.to_owned())),
        (Some(_), Some(_)) => Err(SignXmlError::AmbiguousId(id.to_owned())),
    }
}

/// The element around the new signature, and where in the text that is.
fn place(
    doc: &Document<'_>,
    target: Element<'_>,
    placement: Placement,
) -> Result<(NodeId, Insertion), SignXmlError> {
    let at = |position: usize| Insertion {
        span: position..position,
        before: "",
        after: String::new(),
    };
    let parent = match placement {
        Placement::AfterReference => {
            let parent = target.parent().ok_or_else(|| {
                SignXmlError::unsupported("the signature cannot come after the root element")
            })?;
            return Ok((parent.id(), at(target.span().end)));
        }
        Placement::InsideReference => target,
        Placement::LastChildOfRoot => doc.root(),
    };
    let insertion = match parent.content_span() {
        Some(content) => at(content.end),
        None => {
            // `<a/>` is opened up.
            let end = parent.span().end;
            let colon = if parent.prefix().is_empty() { "" } else { ":" };
            let after = format!("</{}{colon}{}>", parent.prefix(), parent.name());
            Insertion {
                span: end.saturating_sub(2)..end,
                before: ">",
                after,
            }
        }
    };
    Ok((parent.id(), insertion))
}

/// `SignedInfo` as written, and in canonical form inside `parent`.
fn signed_info(
    doc: &Document<'_>,
    parent: NodeId,
    uri: &str,
    digest: &str,
    spec: &SignSpec,
) -> [String; 2] {
    let form = spec.canonicalization;
    let write = |open: &str, canonical: bool| {
        signed_info_text(open, canonical, uri, digest, spec.algorithm, form)
    };
    [
        write("<SignedInfo>", false),
        write(&canonical_start(doc, parent, form), true),
    ]
}

/// `SignedInfo` after its start tag `open`.
pub(super) fn signed_info_text(
    open: &str,
    canonical: bool,
    uri: &str,
    digest: &str,
    algorithm: Algorithm,
    form: C14n,
) -> String {
    let c14n = c14n_uri(form);
    let mut text = String::with_capacity(1024);
    let put = |text: &mut String, parts: &[&str]| parts.iter().for_each(|part| text.push_str(part));
    let empty = |text: &mut String, name: &str, algorithm: &str| {
        put(text, &["<", name, " Algorithm=\"", algorithm, "\""]);
        match canonical {
            true => put(text, &["></", name, ">"]),
            false => put(text, &["/>"]),
        }
    };
    put(&mut text, &[open]);
    empty(&mut text, "CanonicalizationMethod", c14n);
    empty(&mut text, "SignatureMethod", algorithm.signature_uri());
    put(&mut text, &["<Reference URI=\"", uri, "\"><Transforms>"]);
    empty(&mut text, "Transform", ENVELOPED);
    empty(&mut text, "Transform", c14n);
    put(&mut text, &["</Transforms>"]);
    empty(&mut text, "DigestMethod", algorithm.digest_uri());
    put(
        &mut text,
        &[
            "<DigestValue>",
            digest,
            "</DigestValue></Reference></SignedInfo>",
        ],
    );
    text
}

/// The start tag of `SignedInfo` in canonical form. Inclusive form repeats the
/// namespaces and `xml:` attributes in force where the signature goes: leaving
/// them out is the classic reason why a signature made elsewhere does not verify.
fn canonical_start(doc: &Document<'_>, parent: NodeId, form: C14n) -> String {
    let mut out = format!("<SignedInfo xmlns=\"{DSIG_NAMESPACE}\"");
    let mut attribute = |name: &str, local: &str, value: &str| {
        out.push_str(&format!(" {name}:{local}=\""));
        escape_attribute(&mut out, value);
        out.push('"');
    };
    if form == C14n::Inclusive {
        for (prefix, uri) in doc.namespaces_in_scope(parent) {
            if !prefix.is_empty() {
                attribute("xmlns", prefix, uri);
            }
        }
        for (local, value) in doc.xml_attributes_in_scope(parent) {
            attribute("xml", local, value);
        }
    }
    out.push('>');
    out
}
