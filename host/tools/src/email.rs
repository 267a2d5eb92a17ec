//! Addresses of mail by their form (RFC 5321 §4.1.2, RFC 5322 §3.4.1; domains with
//! accents and in other alphabets by RFC 5890), the domains that give mail boxes for one use,
//! and the well-known domain that a mistyped one is near to. Whether a mail box
//! exists is not known.

use email_address::{EmailAddress, Options};
use std::sync::LazyLock;

/// Most bytes of the part before the `@` (RFC 5321 §4.5.3.1.1).
const LOCAL_BYTES: usize = 64;
/// Most bytes of a domain in its ASCII form (RFC 5321 §4.5.3.1.2; with the dots
/// of RFC 1035 §2.3.4).
const DOMAIN_BYTES: usize = 253;
/// Most bytes of an address: a path of 256 with its brackets (RFC 5321 §4.5.3.1.3).
const ADDRESS_BYTES: usize = 254;
/// Most bytes of one label of a domain (RFC 1035 §2.3.4).
const LABEL_BYTES: usize = 63;

/// Domains that many people in Brazil have their mail box at.
const WELL_KNOWN: [&str; 14] = [
    "gmail.com",
    "hotmail.com",
    "hotmail.com.br",
    "outlook.com",
    "outlook.com.br",
    "yahoo.com",
    "yahoo.com.br",
    "uol.com.br",
    "bol.com.br",
    "terra.com.br",
    "ig.com.br",
    "globo.com",
    "icloud.com",
    "live.com",
];

/// Most characters by which a mistyped domain differs from a well-known one.
const FAR: usize = 2;
/// Shorter domains differ by one character at most: two of them make `uol.com.br`
/// of `bol.com.br`, and of many others.
const SHORT: usize = 9;

/// Why a text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmailError {
    /// Nothing, or more than an address may have.
    #[error("an address has 3 to 254 bytes")]
    Length,
    /// No `@`, or nothing on one of its sides.
    #[error("an address has a part on both sides of one @")]
    At,
    /// The part before the `@` is longer than 64 bytes, or is no dot-atom of ASCII:
    /// two dots in a row, a dot at an end, a blank, an accent, a character that must
    /// be quoted.
    #[error("the part before the @ is malformed")]
    Local,
    /// The domain has no dot: it is of no use outside of one network.
    #[error("the domain has no dot")]
    NoDot,
    /// A label of the domain is empty, too long or has other characters than
    /// letters, digits and hyphens inside; or its last label is a number.
    #[error("the domain is malformed")]
    Domain,
}

/// An address of the right form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// The part before the `@`, as written.
    pub local: String,
    /// The domain in lower case, as people write it.
    pub domain: String,
    /// The domain as the DNS knows it (`xn--…` for accents).
    pub ascii_domain: String,
}

impl Email {
    /// Reads an address; blanks around it do not count. Comments, quoted parts and
    /// addresses of machines (`user@[192.0.2.1]`), which the RFCs admit and no
    /// customer has, are not taken.
    ///
    /// # Errors
    /// What exactly is wrong.
    pub fn parse(text: &str) -> Result<Email, EmailError> {
        let text = text.trim();
        if !(3..=ADDRESS_BYTES).contains(&text.len()) {
            return Err(EmailError::Length);
        }
        let (local, domain) = text.rsplit_once('@').ok_or(EmailError::At)?;
        if local.is_empty() || domain.is_empty() || local.contains('@') {
            return Err(EmailError::At);
        }
        if local.len() > LOCAL_BYTES || local.starts_with('"') {
            return Err(EmailError::Local);
        }
        if !local.is_ascii() {
            return Err(EmailError::Local);
        }
        let ascii_domain = in_ascii(domain)?;
        let options = Options::default()
            .with_required_tld()
            .without_domain_literal()
            .without_display_text();
        // The domain passed: what is left to find is in the part before it.
        EmailAddress::parse_with_options(&format!("{local}@{ascii_domain}"), options)
            .map_err(|_| EmailError::Local)?;
        Ok(Email {
            local: local.to_owned(),
            domain: domain.to_lowercase(),
            ascii_domain,
        })
    }

    /// Is its domain one that gives mail boxes for one use? A list of public
    /// origin: a domain of today may be missing.
    pub fn is_disposable(&self) -> bool {
        let mut domain = self.ascii_domain.as_str();
        loop {
            if disposable().binary_search(&domain).is_ok() {
                return true;
            }
            match domain.split_once('.') {
                Some((_, parent)) if parent.contains('.') => domain = parent,
                _ => return false,
            }
        }
    }

    /// The address with the well-known domain that this one may have been meant
    /// to be; none where it is well known itself, or near to none.
    pub fn suggestion(&self) -> Option<String> {
        let domain = nearest(&self.ascii_domain)?;
        Some(format!("{}@{domain}", self.local))
    }
}

/// Domains that give mail boxes for one use, sorted.
fn disposable() -> &'static [&'static str] {
    static SORTED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut domains = mailchecker::blacklist();
        domains.sort_unstable();
        domains
    });
    &SORTED
}

/// A domain as the DNS knows it, judged by its labels.
fn in_ascii(domain: &str) -> Result<String, EmailError> {
    if !domain.contains('.') {
        return Err(EmailError::NoDot);
    }
    let ascii = idna::domain_to_ascii(domain).map_err(|_| EmailError::Domain)?;
    let label = |label: &str| {
        (1..=LABEL_BYTES).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let last = ascii.rsplit('.').next().unwrap_or_default();
    let number = last.bytes().all(|b| b.is_ascii_digit());
    match ascii.len() <= DOMAIN_BYTES && ascii.split('.').all(label) && !number {
        true => Ok(ascii),
        false => Err(EmailError::Domain),
    }
}

/// The well-known domain that differs least, the first of several.
fn nearest(domain: &str) -> Option<&'static str> {
    if WELL_KNOWN.contains(&domain) {
        return None;
    }
    let distances = WELL_KNOWN
        .into_iter()
        .map(|known| (distance(domain, known), known));
    let (far, known) = distances.min_by_key(|(far, _)| *far)?;
    let most = match known.len() <= SHORT {
        true => 1,
        false => FAR,
    };
    (far <= most).then_some(known)
}

/// Characters to insert, leave out, change or swap with their neighbour to make
/// one text of the other (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > FAR {
        return a.len().abs_diff(b.len());
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (row, x) in a.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, y) in b.iter().enumerate() {
            let at =
                |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX);
            let changed = at(&above, column).saturating_add(usize::from(x != y));
            let left_out = at(&above, column + 1).saturating_add(1);
            let inserted = at(&line, column).saturating_add(1);
            let mut least = changed.min(left_out).min(inserted);
            let neighbours = row.checked_sub(1).zip(column.checked_sub(1));
            if let Some((row, column)) = neighbours
                && a.get(row) == Some(y)
                && b.get(column) == Some(x)
            {
                least = least.min(at(&before, column).saturating_add(1));
            }
            line.push(least);
        }
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or(usize::MAX)
}
