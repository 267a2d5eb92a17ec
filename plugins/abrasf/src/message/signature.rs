//! Which elements are signed, and how.

use crate::options::Options;
use sdk::xml::{self, Element};
use sdk::{Algorithm, Canonicalization, Failure, Placement, SignOptions, host};

/// RSA-SHA1 over C14N 1.0, what the model and the cities' manuals ask for,
/// unless the system's options say otherwise.
fn options_of(options: &Options, place: Placement) -> SignOptions {
    SignOptions {
        algorithm: Algorithm::RsaSha1,
        canonicalization: if options.exclusive {
            Canonicalization::ExclusiveC14n
        } else {
            Canonicalization::C14n
        },
        placement: place,
        id_attribute: options.id_attribute.clone().unwrap_or_default(),
        include_chain: false,
        empty_uri: options.empty_uri,
    }
}

/// Signs the element with this id; the signature is its next sibling. An
/// element without id, known by its name, is signed with the whole message
/// around it (an empty reference). What is signed does not change by the place
/// of the signature, nor does `SignedInfo`: no namespace is declared between
/// the two places.
///
/// # Errors
/// No usable certificate; no element of this name.
pub fn element(options: &Options, xml: &str, id: &str, name: &str) -> Result<String, Failure> {
    if id.is_empty() {
        if options.signs_alone {
            return alone(options, xml, name);
        }
        let signed = message(options, xml)?;
        return after_last(&signed, name)
            .ok_or_else(|| Failure::other(&format!("mensagem sem {name} para assinar")));
    }
    Ok(host::sign_xml(
        xml,
        id,
        options_of(options, Placement::AfterReference),
    )?)
}

/// Signs the element around the one of this name as a document of its own,
/// with an empty reference; the signature is its last child. In the message the
/// reference then means the whole of it: only a reader that takes the element
/// out again can verify it, as these systems do.
fn alone(options: &Options, xml: &str, name: &str) -> Result<String, Failure> {
    let lost = || Failure::other(&format!("mensagem sem {name} para assinar"));
    let document = xml::parse(xml.as_bytes()).map_err(|_| lost())?;
    let around = around(document.root(), name).ok_or_else(lost)?;
    let signed = message(options, &rps::isolate(&document, around))?;
    let start = signed.rfind("<Signature ").ok_or_else(lost)?;
    let end = signed.rfind("</").ok_or_else(lost)?;
    let text = document.text();
    let span = around.span();
    let place = span.start + text[span].rfind("</").ok_or_else(lost)?;
    Ok(format!(
        "{}{}{}",
        &text[..place],
        &signed[start..end],
        &text[place..]
    ))
}

/// The element that has one of this name as its child.
fn around<'e>(element: &'e Element, name: &str) -> Option<&'e Element> {
    if element.child(name).is_some() {
        return Some(element);
    }
    element
        .children()
        .iter()
        .find_map(|child| around(child, name))
}

/// Signs the whole message; the signature is its last child.
///
/// # Errors
/// No usable certificate.
pub fn message(options: &Options, xml: &str) -> Result<String, Failure> {
    Ok(host::sign_xml(
        xml,
        "",
        options_of(options, Placement::LastChildOfRoot),
    )?)
}

/// Signs the `Rps` with this id inside the declaration; the signature is the
/// declaration's next sibling. What is signed does not change by that, nor
/// does `SignedInfo`: no namespace is declared between the two places.
///
/// # Errors
/// No usable certificate.
pub fn inner_rps(options: &Options, xml: &str, id: &str) -> Result<String, Failure> {
    let signed = element(options, xml, id, "Rps")?;
    Ok(moved(&signed).unwrap_or(signed))
}

/// The first signature, behind the declaration it stands in.
fn moved(xml: &str) -> Option<String> {
    const CLOSE: &str = "</Signature>";
    const DECLARATION: &str = "</InfDeclaracaoPrestacaoServico>";
    let (before, after) = xml.split_once("<Signature ")?;
    let (inside, rest) = after.split_once(CLOSE)?;
    let (content, rest) = rest.split_once(DECLARATION)?;
    Some(format!(
        "{before}{content}{DECLARATION}<Signature {inside}{CLOSE}{rest}"
    ))
}

/// The last signature, behind the last element of this name.
fn after_last(xml: &str, name: &str) -> Option<String> {
    const CLOSE: &str = "</Signature>";
    let start = xml.rfind("<Signature ")?;
    let end = start + xml[start..].find(CLOSE)? + CLOSE.len();
    let (before, signature, after) = (&xml[..start], &xml[start..end], &xml[end..]);
    let closing = |(at, _): &(usize, &str)| {
        let tag = before[at + 2..].split('>').next().unwrap_or_default();
        tag.rsplit(':').next() == Some(name)
    };
    let (at, _) = before.rmatch_indices("</").find(closing)?;
    let place = at + before[at..].find('>')? + 1;
    Some(format!(
        "{}{signature}{}{after}",
        &before[..place],
        &before[place..]
    ))
}

#[cfg(test)]
mod tests {
    use super::{after_last, moved};

    #[test]
    fn the_signature_of_a_message_goes_behind_a_part_without_id() {
        let xml = "<C><n:P><n:I><X></X></n:I></n:P><Signature xmlns=\"s\">x</Signature></C>";
        assert_eq!(
            after_last(xml, "I").as_deref(),
            Some("<C><n:P><n:I><X></X></n:I><Signature xmlns=\"s\">x</Signature></n:P></C>")
        );
        assert_eq!(after_last(xml, "Q"), None);
    }

    #[test]
    fn the_signature_moves_behind_the_declaration() {
        let xml = "<Rps><InfDeclaracaoPrestacaoServico><Rps Id=\"1\"></Rps><Signature xmlns=\"s\">x</Signature><A></A></InfDeclaracaoPrestacaoServico></Rps>";
        assert_eq!(
            moved(xml).as_deref(),
            Some(
                "<Rps><InfDeclaracaoPrestacaoServico><Rps Id=\"1\"></Rps><A></A></InfDeclaracaoPrestacaoServico><Signature xmlns=\"s\">x</Signature></Rps>"
            )
        );
        assert_eq!(moved("<Rps></Rps>"), None);
    }
}
