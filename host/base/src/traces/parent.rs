//! `traceparent` of the W3C: `00-<trace>-<span>-<flags>`.

/// A span others can be below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    pub trace: [u8; 16],
    pub span: [u8; 8],
    /// Whoever began the trace wants it recorded.
    pub sampled: bool,
}

impl Parent {
    /// Reads the header; None for anything the W3C says to ignore.
    pub fn parse(text: &str) -> Option<Parent> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let version: [u8; 1] = unhex(version)?;
        // A later version may have more; this one has not.
        if version == [0xff] || (version == [0] && parts.next().is_some()) {
            return None;
        }
        let (trace, span, flags): ([u8; 16], [u8; 8], [u8; 1]) =
            (unhex(trace)?, unhex(span)?, unhex(flags)?);
        (trace != [0; 16] && span != [0; 8]).then_some(Parent {
            trace,
            span,
            sampled: flags[0] & 1 == 1,
        })
    }

    /// The trace in hex, for the log.
    pub fn trace_id(&self) -> String {
        flow::hex(&self.trace)
    }

    /// A span below another one, or the first of a trace; None without
    /// randomness.
    pub(super) fn below(
        parent: Option<&Parent>,
        fresh: impl Fn(&mut [u8]) -> bool,
    ) -> Option<Parent> {
        let mut own = parent.copied().unwrap_or(Parent {
            trace: [0; 16],
            span: [0; 8],
            sampled: true,
        });
        let trace = parent.is_some() || fresh(&mut own.trace);
        (trace && fresh(&mut own.span)).then_some(own)
    }
}

/// Small letters only, as the W3C has it.
fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
