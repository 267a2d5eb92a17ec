//! Placeholders of secrets, from the sandbox's spelling to that of cassettes.
//!
//! The sandbox writes `@@hub:<tag>:<encoding>:<name>@@`, with a tag that
//! changes from flow to flow (`flow::placeholder`); a cassette holds
//! `{{secret:<name>:<encoding>}}`, the same for every flow.

use flow::contract::Step;

const OPEN: &[u8] = b"@@hub:";
const CLOSE: &[u8] = b"@@";
/// Hex digits of the tag.
const TAG: usize = 16;

/// A step with its placeholders in the spelling of cassettes. The state is
/// left alone: it goes back into the sandbox.
pub fn as_in_cassettes(mut step: Step) -> Step {
    if let Step::Send(exchange) = &mut step {
        exchange.request.body = rewritten(&exchange.request.body);
        for header in &mut exchange.request.headers {
            header.value =
                String::from_utf8_lossy(&rewritten(header.value.as_bytes())).into_owned();
        }
    }
    step
}

/// A text with its placeholders in the spelling of cassettes; what is none stays as
/// it is.
pub fn rewritten(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = find(rest, OPEN) {
        let (before, inside) = (&rest[..start], &rest[start + OPEN.len()..]);
        out.extend_from_slice(before);
        let parsed = find(inside, CLOSE).and_then(|end| {
            Some((
                cassette_spelling(&inside[..end])?,
                &inside[end + CLOSE.len()..],
            ))
        });
        match parsed {
            Some((spelling, after)) => {
                out.extend_from_slice(spelling.as_bytes());
                rest = after;
            }
            None => {
                out.extend_from_slice(OPEN);
                rest = inside;
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

fn cassette_spelling(inside: &[u8]) -> Option<String> {
    let (tag, spec) = std::str::from_utf8(inside).ok()?.split_once(':')?;
    if tag.len() != TAG || !tag.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let (encoding, names) = spec.split_once(':')?;
    let encoding = match encoding {
        "basic" => return Some(format!("{{{{basic:{names}}}}}")),
        "plain" => "plain",
        "xml" => "xml-text",
        "json" => "json-text",
        "base64" => "base64",
        "url" => "url",
        "md5" => "md5-hex",
        "sha1" => "sha1-hex",
        "sha1b64" => "sha1-base64",
        "sha256" => "sha256-hex",
        _ => return None,
    };
    Some(format!("{{{{secret:{names}:{encoding}}}}}"))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}
