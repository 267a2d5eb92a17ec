//! How much key derivation a PFX asks for, read before it is opened.
//!
//! A PFX names its own iteration counts (RFC 7292 §4, RFC 8018 App. A): a
//! hostile one could keep a core busy for hours. Counts inside content that is
//! itself encrypted cannot be seen from here, so import still belongs on a
//! blocking pool with few places.

use super::der::{self, Element, INTEGER, MAX_DEPTH, OCTET_STRING};

/// Sum of the iterations accepted for one file, about two seconds of work.
/// Common exporters use 1 to 600 000 for each of three derivations.
pub(super) const MAX_ITERATIONS: u64 = 3_000_000;

/// Elements looked at before a file is refused; a long chain has some 400.
const MAX_ELEMENTS: u32 = 20_000;

/// Whether the visible derivations of `pfx` stay within [`MAX_ITERATIONS`].
/// False also when the structure cannot be followed.
pub(super) fn is_affordable(pfx: &[u8]) -> bool {
    let mut scan = Scan {
        elements: 0,
        iterations: 0,
    };
    let followed = der::read(pfx).and_then(|(outer, _)| scan.list(outer.content, MAX_DEPTH));
    followed.is_some() && scan.iterations <= MAX_ITERATIONS && scan.elements <= MAX_ELEMENTS
}

struct Scan {
    elements: u32,
    iterations: u64,
}

impl Scan {
    /// Everywhere in a PFX, an INTEGER right after an OCTET STRING is the
    /// count that belongs to a salt: `pkcs-12PbeParams`, `PBKDF2-params`,
    /// `MacData`. With scrypt, three of them multiply (N, r, p; RFC 7914 §7).
    fn list(&mut self, input: &[u8], depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let mut salt_seen = false;
        let mut numbers: Vec<u64> = Vec::new();
        let mut rest = input;
        while !rest.is_empty() {
            let (element, after) = der::read(rest)?;
            rest = after;
            self.elements = self.elements.saturating_add(1);
            if self.elements > MAX_ELEMENTS {
                return None;
            }
            if element.tag == INTEGER && salt_seen {
                numbers.push(number(element.content));
                continue;
            }
            self.add(&numbers);
            numbers.clear();
            salt_seen = element.tag == OCTET_STRING;
            self.inside(&element, depth)?;
        }
        self.add(&numbers);
        Some(())
    }

    fn inside(&mut self, element: &Element<'_>, depth: u32) -> Option<()> {
        if element.tag == OCTET_STRING {
            let mut octets = Vec::new();
            gather(element, depth, &mut octets)?;
            // Safes travel inside octet strings; most others are random bytes,
            // so only what begins like a structure is looked into, and what
            // then fails to parse is not an error here.
            if let Some((inner, _)) = der::read(&octets).filter(|(inner, _)| inner.constructed) {
                let _unstructured = self.list(inner.content, depth).is_none();
            }
            Some(())
        } else if element.constructed {
            self.list(element.content, depth)
        } else {
            Some(())
        }
    }

    fn add(&mut self, numbers: &[u64]) {
        let cost = match numbers {
            [n, r, p, ..] => n.saturating_mul(*r).saturating_mul(*p),
            [count, ..] => *count,
            [] => 0,
        };
        self.iterations = self.iterations.saturating_add(cost);
    }
}

/// The octets of a string, which BER may cut into pieces.
fn gather(element: &Element<'_>, depth: u32, into: &mut Vec<u8>) -> Option<()> {
    if !element.constructed {
        into.extend_from_slice(element.content);
        return Some(());
    }
    let depth = depth.checked_sub(1)?;
    element
        .children()
        .try_for_each(|piece| gather(&piece, depth, into))
}

/// A count too large for 64 bits is as good as infinite.
fn number(octets: &[u8]) -> u64 {
    let significant = octets.iter().position(|&o| o != 0).unwrap_or(octets.len());
    octets
        .get(significant..)
        .and_then(der::unsigned)
        .unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::testkit::tlv;
    use super::*;

    fn salted(count: &[u8]) -> Vec<u8> {
        tlv(0x30, &[tlv(0x04, b"saltsalt"), tlv(0x02, count)].concat())
    }

    #[test]
    fn counts_are_found_plain_nested_and_in_pieces() {
        assert!(is_affordable(&tlv(0x30, &salted(&[0x08, 0x00]))));
        let dear = salted(&[0x7f, 0xff, 0xff, 0xff]);
        assert!(!is_affordable(&tlv(0x30, &dear)));
        assert!(!is_affordable(&tlv(0x30, &tlv(0x04, &tlv(0x30, &dear)))));

        let safe = tlv(0x30, &dear);
        let (head, tail) = safe.split_at(5);
        let pieces = tlv(0x24, &[tlv(0x04, head), tlv(0x04, tail)].concat());
        assert!(!is_affordable(&tlv(0x30, &pieces)));

        let mut open = vec![0x30, 0x80];
        open.extend(tlv(0x30, &dear));
        open.extend([0, 0]);
        assert!(!is_affordable(&open));
    }

    #[test]
    fn many_small_counts_and_scrypt_add_up() {
        let one = salted(&[0x0f, 0x42, 0x40]); // 1 000 000
        assert!(is_affordable(&tlv(0x30, &one.repeat(3))));
        assert!(!is_affordable(&tlv(0x30, &one.repeat(4))));

        let scrypt = |p: u8| {
            let parts = [
                tlv(0x04, b"salt"),
                tlv(0x02, &[0x40, 0]),
                tlv(0x02, &[8]),
                tlv(0x02, &[p]),
            ];
            tlv(0x30, &tlv(0x30, &parts.concat()))
        };
        assert!(is_affordable(&scrypt(1)));
        assert!(!is_affordable(&scrypt(100)));
    }

    #[test]
    fn structures_that_cannot_be_followed_are_refused() {
        assert!(!is_affordable(&[0x30, 3, 0x04, 9, 1]));
        assert!(!is_affordable(&[]));
        assert!(!is_affordable(&tlv(0x30, &[0x05, 0].repeat(30_000))));
    }
}
