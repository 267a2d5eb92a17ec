//! Ids and digests in texts: a ULID, or a SHA-256 in hexadecimal.

use crate::bytes::{Input, Unreadable};

/// How a shape begins: tokens were cut out of it, or it is the whole text.
const CUT: u8 = 0;
const WHOLE: u8 = 1;
/// Where a token was. A text that has one of these bytes itself is not cut.
const ULID: u8 = 1;
const DIGEST: u8 = 2;

/// Characters of a ULID (Crockford's base32), and of SHA-256 in hexadecimal.
const ULID_LETTERS: usize = 26;
const DIGEST_LETTERS: usize = 64;
const BASE32: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HEX: &[u8; 16] = b"0123456789abcdef";
/// Bits and bytes of a ULID behind its moment.
const RANDOM_BITS: u32 = 80;
const RANDOM: usize = 10;
const SHA256: usize = 32;

/// A piece of a text that has many digits and few values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Ulid(u128),
    Digest([u8; SHA256]),
}

impl Token {
    /// Of letters that are written in the one way in which [`Token::write`] does.
    fn of(letters: &[u8]) -> Option<Token> {
        match letters.len() {
            ULID_LETTERS => {
                let mut number = 0_u128;
                // 26 letters have 130 bits.
                if letters.first().is_none_or(|first| *first > b'7') {
                    return None;
                }
                for letter in letters {
                    number = (number << 5) | digit(BASE32, *letter)? as u128;
                }
                Some(Token::Ulid(number))
            }
            DIGEST_LETTERS => {
                let mut bytes = [0; SHA256];
                for (byte, pair) in bytes.iter_mut().zip(letters.chunks(2)) {
                    for letter in pair {
                        *byte = (*byte << 4) | u8::try_from(digit(HEX, *letter)?).ok()?;
                    }
                }
                Some(Token::Digest(bytes))
            }
            _ => None,
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Token::Ulid(number) => {
                for place in (0..ULID_LETTERS).rev() {
                    let digit = (number >> (5 * place)) & 31;
                    out.push(BASE32[digit as usize]);
                }
            }
            Token::Digest(bytes) => {
                for byte in bytes {
                    out.push(HEX[usize::from(byte >> 4)]);
                    out.push(HEX[usize::from(byte & 15)]);
                }
            }
        }
    }

    fn mark(self) -> u8 {
        match self {
            Token::Ulid(_) => ULID,
            Token::Digest(_) => DIGEST,
        }
    }

    /// When an id was made, epoch milliseconds; None: it is no id.
    pub(crate) fn moment(&self) -> Option<i64> {
        match self {
            Token::Ulid(number) => i64::try_from(number >> RANDOM_BITS).ok(),
            Token::Digest(_) => None,
        }
    }

    /// Its bytes, of an id those behind the moment.
    pub(crate) fn digits(&self) -> Vec<u8> {
        match self {
            Token::Ulid(number) => number.to_be_bytes()[16 - RANDOM..].to_vec(),
            Token::Digest(bytes) => bytes.to_vec(),
        }
    }
}

fn digit(letters: &[u8], letter: u8) -> Option<usize> {
    letters.iter().position(|known| *known == letter)
}

/// A text without its tokens, and these.
pub(crate) fn cut(text: &str) -> (Vec<u8>, Vec<Token>) {
    let mut left = text.as_bytes();
    if left.iter().any(|byte| matches!(*byte, ULID | DIGEST)) {
        return ([&[WHOLE], left].concat(), Vec::new());
    }
    let (mut shape, mut tokens) = (vec![CUT], Vec::new());
    while !left.is_empty() {
        let run = left.iter().take_while(|byte| byte.is_ascii_alphanumeric());
        let (run, rest) = left.split_at(run.count().max(1));
        match Token::of(run) {
            Some(token) => {
                shape.push(token.mark());
                tokens.push(token);
            }
            None => shape.extend_from_slice(run),
        }
        left = rest;
    }
    (shape, tokens)
}

/// The text of a shape; `next` gives the token of each mark.
pub(crate) fn joined(
    shape: &[u8],
    mut next: impl FnMut(u8) -> Result<Token, Unreadable>,
) -> Result<String, Unreadable> {
    let (kind, shape) = shape.split_first().ok_or(Unreadable::Shape)?;
    let mut text = Vec::with_capacity(shape.len());
    for byte in shape {
        match *byte {
            ULID | DIGEST if *kind == CUT => {
                let token = next(*byte)?;
                if token.mark() != *byte {
                    return Err(Unreadable::Shape);
                }
                token.write(&mut text);
            }
            byte => text.push(byte),
        }
    }
    String::from_utf8(text).map_err(|_| Unreadable::Shape)
}

/// A token of its digits and, of an id, its moment.
pub(crate) fn read(
    mark: u8,
    digits: &mut Input<'_>,
    moment: impl FnOnce() -> Result<i64, Unreadable>,
) -> Result<Token, Unreadable> {
    if mark == DIGEST {
        let bytes = digits.take(SHA256)?.try_into();
        return Ok(Token::Digest(bytes.map_err(|_| Unreadable::Shape)?));
    }
    let mut number = u128::try_from(moment()?).map_err(|_| Unreadable::Shape)?;
    if number >> (128 - RANDOM_BITS) != 0 {
        return Err(Unreadable::Shape);
    }
    for byte in digits.take(RANDOM)? {
        number = (number << 8) | u128::from(*byte);
    }
    Ok(Token::Ulid(number))
}
