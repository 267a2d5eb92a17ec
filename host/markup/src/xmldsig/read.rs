//! Signatures of a document, taken apart strictly.

use std::collections::HashMap;
use std::ops::Range;

use super::algorithms::{Algorithm, ENVELOPED, c14n_of, decode};
use super::{DSIG_NAMESPACE, SignXmlError};
use crate::xml::{C14n, Comments, Document, Element, NodeId, canonicalize, canonicalize_with};

/// Most signatures in one document: a batch has fifty documents at most, each
/// with its own signature and perhaps one of the authority.
const MAX_SIGNATURES: usize = 512;
/// Most bytes of text that are digested for one document: signatures may
/// overlap, and each needs its own canonical form.
const MAX_DIGESTED: usize = 64 * 1024 * 1024;
/// Longest base64 text of a signature or a certificate, in bytes.
const MAX_BASE64: usize = 64 * 1024;
/// Names that attributes holding an id go by, in any namespace.
const ID_ATTRIBUTES: [&str; 3] = ["Id", "id", "ID"];

/// One signature of a document.
///
/// The document is authentic only if `digest_ok`, the RSA signature over
/// `signed_info` fits the certificate, the certificate is trusted, **and**
/// `signed_element` is the element whose content is going to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureParts {
    /// Id of what is signed; empty for the whole document.
    pub reference_id: String,
    /// Local name of the signed element; of the root for the whole document.
    pub signed_element: String,
    /// The signed element in the text.
    pub signed_span: Range<usize>,
    /// The `Signature` element in the text.
    pub signature_span: Range<usize>,
    /// Is the content the one that was signed? Recomputed.
    pub digest_ok: bool,
    /// The bytes the RSA signature is over.
    pub signed_info: Vec<u8>,
    /// Hash of the digest and of the signature.
    pub algorithm: Algorithm,
    /// The RSA signature.
    pub signature: Vec<u8>,
    /// First certificate of `KeyInfo`, DER. Not checked in any way.
    pub certificate_der: Option<Vec<u8>>,
}

/// All signatures of a document, in document order.
///
/// # Errors
/// Malformed text; a signature that is not of the one accepted shape (one
/// reference, `URI` empty or `#id`, enveloped and canonicalization transforms
/// only, RSA with SHA-1 or SHA-256, no `Object`); an id that no element or more
/// than one has. One bad signature fails the whole document: half an answer
/// would invite to trust it.
pub fn read_signatures(xml: &str) -> Result<Vec<SignatureParts>, SignXmlError> {
    let doc = Document::parse(xml)?;
    let signatures: Vec<Element<'_>> = doc
        .elements()
        .filter(|element| is_dsig(*element, "Signature"))
        .collect();
    if signatures.len() > MAX_SIGNATURES {
        return Err(SignXmlError::unsupported(
            "too many signatures in one document",
        ));
    }
    if signatures.is_empty() {
        return Ok(Vec::new());
    }
    let ids = Ids::of(&doc);
    let claims = signatures
        .into_iter()
        .map(|signature| claim(&doc, &ids, signature))
        .collect::<Result<Vec<_>, _>>()?;
    // Before any of that work is done.
    let digested = claims.iter().fold(0_usize, |sum, claim| {
        sum.saturating_add(claim.digested_bytes(&doc))
    });
    if digested > MAX_DIGESTED {
        return Err(SignXmlError::unsupported("signatures cover too much"));
    }
    claims
        .into_iter()
        .map(|claim| claim.examine(&doc))
        .collect()
}

/// Elements by id; none where the id is not unique.
struct Ids<'d>(HashMap<&'d str, Option<NodeId>>);

impl<'d> Ids<'d> {
    fn of(doc: &'d Document<'d>) -> Ids<'d> {
        let mut ids = HashMap::new();
        for element in doc.elements() {
            for (_, name, value) in element.attributes() {
                if ID_ATTRIBUTES.contains(&name) {
                    let entry = ids.entry(value).or_insert(Some(element.id()));
                    if *entry != Some(element.id()) {
                        *entry = None;
                    }
                }
            }
        }
        Ids(ids)
    }

    fn get<'e>(&self, doc: &'e Document<'e>, id: &str) -> Result<Element<'e>, SignXmlError> {
        let not_found = || SignXmlError::ReferenceNotFound(id.to_owned());
        match self.0.get(id) {
            Some(Some(node)) => doc.element(*node).ok_or_else(not_found),
            Some(None) => Err(SignXmlError::AmbiguousId(id.to_owned())),
            None => Err(not_found()),
        }
    }
}

/// What a signature says, resolved but not recomputed.
struct Claim<'d> {
    signature: Element<'d>,
    signed_info: Element<'d>,
    /// Form of `signed_info`.
    form: C14n,
    comments: Comments,
    algorithm: Algorithm,
    reference: Reference,
    /// The signed element; the root for the whole document.
    element: Element<'d>,
    signature_value: Element<'d>,
    key_info: Option<Element<'d>>,
}

fn claim<'d>(
    doc: &'d Document<'d>,
    ids: &Ids<'_>,
    signature: Element<'d>,
) -> Result<Claim<'d>, SignXmlError> {
    let (signed_info, signature_value, key_info) = match children(signature)?[..] {
        [info, value] => (info, value, None),
        [info, value, key] if is_dsig(key, "KeyInfo") => (info, value, Some(key)),
        _ => return Err(shape("Signature")),
    };
    if !is_dsig(signed_info, "SignedInfo") || !is_dsig(signature_value, "SignatureValue") {
        return Err(shape("Signature"));
    }
    let [canonicalization, method, reference] = children(signed_info)?[..] else {
        return Err(shape("SignedInfo"));
    };
    let (form, comments) = c14n_of(algorithm(canonicalization, "CanonicalizationMethod")?)
        .ok_or_else(|| SignXmlError::unsupported("unknown canonicalization"))?;
    let algorithm = Algorithm::of_signature(algorithm(method, "SignatureMethod")?)
        .ok_or_else(|| SignXmlError::unsupported("unknown signature algorithm"))?;
    let reference = read_reference(reference)?;
    let element = if reference.id.is_empty() {
        doc.root()
    } else {
        ids.get(doc, &reference.id)?
    };
    Ok(Claim {
        signature,
        signed_info,
        form,
        comments,
        algorithm,
        reference,
        element,
        signature_value,
        key_info,
    })
}

impl Claim<'_> {
    /// Bytes of text that go into canonical forms, with what is in force
    /// around them and is repeated each time.
    fn digested_bytes(&self, doc: &Document<'_>) -> usize {
        let of = |element: Element<'_>| {
            let namespaces = doc.namespaces_in_scope(element.id());
            let inherited = namespaces
                .iter()
                .chain(&doc.xml_attributes_in_scope(element.id()))
                .map(|(a, b)| a.len() + b.len())
                .sum::<usize>();
            element.span().len() + inherited
        };
        let content = if self.reference.id.is_empty() {
            doc.text().len()
        } else {
            of(self.element)
        };
        content + of(self.signed_info)
    }

    fn examine(self, doc: &Document<'_>) -> Result<SignatureParts, SignXmlError> {
        let Reference {
            id,
            enveloped,
            form,
            digest_algorithm,
            digest,
        } = self.reference;
        let content = if id.is_empty() {
            doc.document()
        } else {
            self.element.id()
        };
        // `URI=""` and `#id` select without comments (xmldsig-core §4.3.3.3),
        // whatever the canonicalization then says.
        let skip = enveloped.then_some(self.signature.id());
        let actual = digest_algorithm.digest(canonicalize(doc, content, form, skip).as_bytes());
        let signed_info =
            canonicalize_with(doc, self.signed_info.id(), self.form, self.comments, None);
        Ok(SignatureParts {
            reference_id: id,
            signed_element: self.element.name().to_owned(),
            signed_span: self.element.span(),
            signature_span: self.signature.span(),
            digest_ok: actual == digest,
            signed_info: signed_info.into_bytes(),
            algorithm: self.algorithm,
            signature: binary(self.signature_value)?,
            certificate_der: self.key_info.map(certificate).transpose()?.flatten(),
        })
    }
}

struct Reference {
    /// Empty for the whole document.
    id: String,
    enveloped: bool,
    form: C14n,
    digest_algorithm: Algorithm,
    /// Base64 without blanks.
    digest: String,
}

fn read_reference(reference: Element<'_>) -> Result<Reference, SignXmlError> {
    let id = match reference.attribute("URI") {
        Some("") => "",
        Some(uri) => uri
            .strip_prefix('#')
            .filter(|id| !id.is_empty())
            .unwrap_or("("),
        None => "(",
    };
    // An XPointer, such as `#xpointer(/)`, has parentheses.
    if !is_dsig(reference, "Reference") || id.contains('(') {
        return Err(SignXmlError::unsupported(
            "a reference to something that is not an id",
        ));
    }
    let (transforms, method, value) = match children(reference)?[..] {
        [method, value] => (Vec::new(), method, value),
        [transforms, method, value] if is_dsig(transforms, "Transforms") => {
            (children(transforms)?, method, value)
        }
        _ => return Err(shape("Reference")),
    };
    let mut uris = Vec::new();
    for transform in transforms {
        uris.push(algorithm(transform, "Transform")?);
    }
    let (enveloped, rest) = match uris.split_first() {
        Some((first, rest)) if *first == ENVELOPED => (true, rest),
        _ => (false, &uris[..]),
    };
    let form = match rest {
        // Canonical XML 1.0 when nothing is said (xmldsig-core §4.3.3.2).
        [] => Some(C14n::Inclusive),
        [uri] => c14n_of(uri).map(|(form, _)| form),
        _ => None,
    };
    if !is_dsig(value, "DigestValue") {
        return Err(shape("Reference"));
    }
    Ok(Reference {
        id: id.to_owned(),
        enveloped,
        form: form.ok_or_else(|| SignXmlError::unsupported("unknown transforms"))?,
        digest_algorithm: Algorithm::of_digest(algorithm(method, "DigestMethod")?)
            .ok_or_else(|| SignXmlError::unsupported("unknown digest algorithm"))?,
        digest: value
            .text()
            .chars()
            .filter(|c| !c.is_ascii_whitespace())
            .collect(),
    })
}

/// First certificate, where there is one.
fn certificate(key_info: Element<'_>) -> Result<Option<Vec<u8>>, SignXmlError> {
    let found = key_info
        .descendants_or_self()
        .find(|element| is_dsig(*element, "X509Certificate"));
    found.map(binary).transpose()
}

fn binary(element: Element<'_>) -> Result<Vec<u8>, SignXmlError> {
    let text = element.text();
    let bytes = if text.len() > MAX_BASE64 {
        None
    } else {
        decode(&text)
    };
    bytes.filter(|bytes| !bytes.is_empty()).ok_or_else(|| {
        SignXmlError::unsupported(format!("{} is not base64, or too long", element.name()))
    })
}

/// Value of `Algorithm` of an element with this name and nothing inside:
/// parameters would change its meaning.
fn algorithm<'d>(element: Element<'d>, name: &str) -> Result<&'d str, SignXmlError> {
    if !is_dsig(element, name) || element.children().next().is_some() {
        return Err(shape(name));
    }
    element.attribute("Algorithm").ok_or_else(|| shape(name))
}

/// Child elements; more than any accepted element has is an error.
fn children<'d>(element: Element<'d>) -> Result<Vec<Element<'d>>, SignXmlError> {
    const MOST: usize = 4;
    let children: Vec<Element<'d>> = element.children().take(MOST).collect();
    if children.len() == MOST {
        Err(shape(element.name()))
    } else {
        Ok(children)
    }
}

fn is_dsig(element: Element<'_>, name: &str) -> bool {
    element.name() == name && element.namespace() == DSIG_NAMESPACE
}

fn shape(name: &str) -> SignXmlError {
    SignXmlError::unsupported(format!("{name} has an unexpected shape"))
}
