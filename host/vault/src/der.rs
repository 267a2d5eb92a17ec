//! A small reader of BER and DER elements (ITU-T X.690), enough to look into
//! certificates and PFX files. It copies nothing and never panics.

/// Class and number bits of the universal tags used here.
pub(super) const BOOLEAN: u32 = 0x01;
pub(super) const INTEGER: u32 = 0x02;
pub(super) const OCTET_STRING: u32 = 0x04;
pub(super) const OID: u32 = 0x06;
pub(super) const SEQUENCE: u32 = 0x10;

/// Context-specific tag `[n]`.
pub(super) const fn context(n: u32) -> u32 {
    CONTEXT_CLASS | n
}

const CONTEXT_CLASS: u32 = 2 << 30;

/// Nesting followed before the input is called malformed; real certificates
/// and PFX files stay below 12.
pub(super) const MAX_DEPTH: u32 = 32;

/// One element: its tag (class in the two highest bits) and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element<'a> {
    pub tag: u32,
    pub constructed: bool,
    pub content: &'a [u8],
}

impl<'a> Element<'a> {
    /// The elements inside; stops silently at the first malformed one.
    pub fn children(&self) -> impl Iterator<Item = Element<'a>> + use<'a> {
        let mut rest = self.content;
        std::iter::from_fn(move || {
            let (element, after) = read(rest)?;
            rest = after;
            Some(element)
        })
    }
}

/// Reads the first element of `input` and returns it with what follows it.
/// `None` when the input is empty, cut, or nested deeper than [`MAX_DEPTH`].
pub(super) fn read(input: &[u8]) -> Option<(Element<'_>, &[u8])> {
    read_nested(input, MAX_DEPTH)
}

fn read_nested(input: &[u8], depth: u32) -> Option<(Element<'_>, &[u8])> {
    let depth = depth.checked_sub(1)?;
    let (&first, rest) = input.split_first()?;
    let constructed = first & 0x20 != 0;
    let (number, rest) = match first & 0x1f {
        0x1f => long_tag(rest)?,
        short => (u32::from(short), rest),
    };
    let tag = (u32::from(first >> 6) << 30) | number;

    let (&length, rest) = rest.split_first()?;
    let (content, rest) = match length {
        0x80 if constructed => until_end_of_contents(rest, depth)?,
        0x80 => return None,
        short if short < 0x80 => rest.split_at_checked(usize::from(short))?,
        long => {
            let (octets, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            rest.split_at_checked(usize::try_from(unsigned(octets)?).ok()?)?
        }
    };
    Some((
        Element {
            tag,
            constructed,
            content,
        },
        rest,
    ))
}

/// Indefinite length: the content goes on until an end-of-contents element.
fn until_end_of_contents(input: &[u8], depth: u32) -> Option<(&[u8], &[u8])> {
    let mut rest = input;
    loop {
        if let Some(after) = rest.strip_prefix(&[0, 0]) {
            let content = input.get(..input.len() - rest.len())?;
            return Some((content, after));
        }
        // Each turn takes at least two octets, so the loop ends with the input.
        (_, rest) = read_nested(rest, depth)?;
    }
}

/// Tag numbers from 31 on: base 128, at most four octets.
fn long_tag(input: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0u32;
    for (used, &octet) in input.iter().take(4).enumerate() {
        number = (number << 7) | u32::from(octet & 0x7f);
        if octet & 0x80 == 0 {
            return Some((number, input.get(used + 1..)?));
        }
    }
    None
}

/// Big-endian unsigned number; `None` when it needs more than 64 bits.
pub(super) fn unsigned(octets: &[u8]) -> Option<u64> {
    octets.iter().try_fold(0u64, |number, &octet| {
        Some(number.checked_mul(256)? | u64::from(octet))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_short_long_and_indefinite_lengths() {
        let (short, rest) = read(&[0x04, 2, 1, 2, 9]).unwrap();
        assert_eq!(
            (short.tag, short.content, rest),
            (OCTET_STRING, &[1, 2][..], &[9][..])
        );

        let (long, _) = read(&[0x04, 0x82, 0, 1, 7]).unwrap();
        assert_eq!(long.content, &[7]);

        let (open, rest) = read(&[0x30, 0x80, 0x02, 1, 5, 0x30, 0x80, 0, 0, 0, 0, 8]).unwrap();
        assert_eq!(
            open.children().map(|c| c.tag).collect::<Vec<_>>(),
            [INTEGER, SEQUENCE]
        );
        assert_eq!(rest, &[8]);

        let (tagged, _) = read(&[0xbf, 0x81, 0x01, 0]).unwrap();
        assert_eq!((tagged.tag, tagged.constructed), (context(129), true));
    }

    #[test]
    fn refuses_cut_oversized_and_too_deep_input() {
        for bad in [
            &[][..],
            &[0x30],
            &[0x04, 5, 1],
            &[0x04, 0x80, 0, 0],
            &[0x30, 0x80, 0x02, 1],
            &[0x04, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &[0x1f, 0xff, 0xff, 0xff, 0xff, 1, 0],
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
        assert_eq!(read(&[0x30, 0x80].repeat(5_000)), None);
    }
}
