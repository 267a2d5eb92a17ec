//! Access key of 44 positions (MOC 7.0, §5.4; NT 2025.001 for letters in the CNPJ).

use std::fmt;

use super::mask::modulo_11;
use super::text::text_id;
use super::{Cnpj, Cpf, CpfCnpj, IdError};

/// Highest series of an NF-e (MOC, B07).
pub const MAX_SERIE: u16 = 999;
/// Highest number of an NF-e (MOC, B08).
pub const MAX_NUMBER: u32 = 999_999_999;
/// One more than the highest `cNF` (MOC, B03: eight digits).
const C_NF_LIMIT: u32 = 100_000_000;
/// Where the registration of the issuer starts and ends in a key.
const REGISTRATION: std::ops::Range<usize> = 6..20;

/// A key whose positions, state, month, model and check digit hold together:
/// cUF(2) AAMM(4) CNPJ(14) mod(2) serie(3) nNF(9) tpEmis(1) cNF(8) cDV(1).
///
/// A key of any model is read (notes refer to CT-e, MDF-e and others); a key
/// made by [`Parts::chave`] is of model 55, 57, 58 or 65.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Chave([u8; 44]);

/// What a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// IBGE code of the issuer's state, 11 to 53.
    pub uf: u8,
    /// Year (four digits) of `dhEmi`.
    pub year: u16,
    /// Month of `dhEmi`, 1 to 12.
    pub month: u8,
    /// Issuer; a CPF (rural producer, series 920 to 969) is led by zeros.
    pub documento: CpfCnpj,
    /// 55, 57, 58 or 65.
    pub model: u8,
    /// 0 to 999.
    pub serie: u16,
    /// 1 to 999999999.
    pub number: u32,
    /// Form of emission, 1 to 9.
    pub tp_emis: u8,
    /// Random code of eight digits; see [`c_nf`].
    pub c_nf: u32,
}

impl Parts {
    /// Puts the key together with its check digit.
    ///
    /// # Errors
    /// A part out of its range ([`IdError::OutOfRange`]), a state that does not
    /// exist ([`IdError::NotAssigned`]).
    pub fn chave(&self) -> Result<Chave, IdError> {
        let in_range = (2006..=2099).contains(&self.year)
            && (1..=12).contains(&self.month)
            && matches!(self.model, 55 | 57 | 58 | 65)
            && self.serie <= MAX_SERIE
            && (1..=MAX_NUMBER).contains(&self.number)
            && (1..=9).contains(&self.tp_emis)
            && self.c_nf < C_NF_LIMIT;
        if !in_range {
            return Err(IdError::OutOfRange);
        }
        let base = format!(
            "{:02}{:02}{:02}{:0>14}{:02}{:03}{:09}{}{:08}",
            self.uf,
            self.year % 100,
            self.month,
            self.documento.as_str(),
            self.model,
            self.serie,
            self.number,
            self.tp_emis,
            self.c_nf
        );
        let dv = digit(base.as_bytes());
        Chave::parse(&format!("{base}{dv}"))
    }
}

impl Chave {
    /// Reads 44 positions, in either case; `NFe`, `CTe` or `MDFe` before them
    /// (the `Id` of the document) is taken off, blanks between groups of digits are skipped.
    ///
    /// # Errors
    /// [`IdError::Shape`] (pattern `[0-9]{6}[0-9A-Z]{12}[0-9]{26}`),
    /// [`IdError::NotAssigned`] (state, month or model that do not exist, an
    /// issuer whose own check digits fail), [`IdError::CheckDigits`].
    pub fn parse(text: &str) -> Result<Chave, IdError> {
        let text = text.trim();
        let text = ["NFe", "CTe", "MDFe"]
            .iter()
            .find_map(|kind| text.strip_prefix(kind))
            .unwrap_or(text);
        // 44 positions and at most one blank between any two.
        if text.len() > 88 {
            return Err(IdError::Shape);
        }
        let mut positions = [0_u8; 44];
        let mut filled = 0;
        for byte in text.bytes().filter(|byte| *byte != b' ') {
            let byte = byte.to_ascii_uppercase();
            let fits = match filled {
                6..18 => byte.is_ascii_alphanumeric(),
                _ => byte.is_ascii_digit(),
            };
            if !fits {
                return Err(IdError::Shape);
            }
            *positions.get_mut(filled).ok_or(IdError::Shape)? = byte;
            filled += 1;
        }
        if filled != positions.len() {
            return Err(IdError::Shape);
        }
        let chave = Chave(positions);
        if char::from(b'0' + digit(chave.span(0..43).as_bytes())) != chave.position(43) {
            return Err(IdError::CheckDigits);
        }
        let exists = data::ufs::by_code(chave.uf()).is_some()
            && (1..=12).contains(&chave.month())
            && MODELS.contains(&chave.model())
            && chave.emitter().is_some();
        if exists {
            Ok(chave)
        } else {
            Err(IdError::NotAssigned)
        }
    }

    /// 44 positions.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The `Id` of the document's main element: `NFe`, `CTe` or `MDFe` and the
    /// key.
    pub fn id(&self) -> String {
        let kind = match self.model() {
            57 => "CTe",
            58 => "MDFe",
            _ => "NFe",
        };
        format!("{kind}{}", self.as_str())
    }

    /// What it was made of; None for a key whose issuer is no registration.
    pub fn parts(&self) -> Option<Parts> {
        Some(Parts {
            uf: self.uf(),
            year: self.year(),
            month: self.month(),
            documento: self.emitter()?,
            model: self.model(),
            serie: self.serie(),
            number: self.number(),
            tp_emis: self.tp_emis(),
            c_nf: self.c_nf(),
        })
    }

    /// IBGE code of the issuer's state.
    pub fn uf(&self) -> u8 {
        self.number_at(0..2)
    }

    /// Sigla of the issuer's state.
    pub fn uf_abbreviation(&self) -> &'static str {
        data::ufs::by_code(self.uf()).map_or("", |uf| uf.abbreviation)
    }

    /// Year of emission, four digits (the key has two: 2000 to 2099).
    pub fn year(&self) -> u16 {
        2000 + self.number_at::<u16>(2..4)
    }

    /// Month of emission.
    pub fn month(&self) -> u8 {
        self.number_at(4..6)
    }

    /// Issuer. A number led by three zeros that is not a valid CNPJ is read as
    /// a CPF; so is one that is valid as both in the series of natural persons
    /// (920 to 969). None never comes out of a key that was parsed.
    pub fn emitter(&self) -> Option<CpfCnpj> {
        let text = self.span(REGISTRATION);
        let cnpj = Cnpj::parse(text).ok().map(CpfCnpj::Cnpj);
        let cpf = text
            .strip_prefix("000")
            .and_then(|cpf| Cpf::parse(cpf).ok())
            .map(CpfCnpj::Cpf);
        if self.model() == 55 && (920..=969).contains(&self.serie()) {
            cpf.or(cnpj)
        } else {
            cnpj.or(cpf)
        }
    }

    /// Model of the document: 55, 65, 57…
    pub fn model(&self) -> u8 {
        self.number_at(20..22)
    }

    /// Series of the document.
    pub fn serie(&self) -> u16 {
        self.number_at(22..25)
    }

    /// Number of the document.
    pub fn number(&self) -> u32 {
        self.number_at(25..34)
    }

    /// Form of emission.
    pub fn tp_emis(&self) -> u8 {
        self.number_at(34..35)
    }

    /// Random code, as a number.
    pub fn c_nf(&self) -> u32 {
        self.number_at(35..43)
    }

    /// Check digit.
    pub fn dv(&self) -> u8 {
        self.number_at(43..44)
    }

    /// Does the issuer's CNPJ hold letters? Its bar code is a hybrid then.
    pub fn is_alphanumeric(&self) -> bool {
        !self.0.iter().all(u8::is_ascii_digit)
    }

    fn span(&self, positions: std::ops::Range<usize>) -> &str {
        self.as_str().get(positions).unwrap_or_default()
    }

    fn position(&self, position: usize) -> char {
        self.0.get(position).copied().map_or(' ', char::from)
    }

    fn number_at<N: std::str::FromStr + Default>(&self, positions: std::ops::Range<usize>) -> N {
        self.span(positions).parse().unwrap_or_default()
    }
}

/// Models whose keys have this form (MOC §5.4 and the manuals of the others; 75
/// NFAg, 76 NFGas and 77 NF-ABI of the reform are second-hand, and so is 99, the
/// DC-e).
const MODELS: [u8; 14] = [55, 57, 58, 59, 62, 63, 64, 65, 66, 67, 75, 76, 77, 99];

/// Check digit: modulo 11, weights 2 to 9 from the right, value of a character
/// = ASCII code minus 48 (NT 2025.001); a rest of 0 or 1 gives 0.
pub fn digit(base: &[u8]) -> u8 {
    modulo_11(base, 9) - b'0'
}

/// A `cNF` from given randomness that rejection 897 does not refuse: never the
/// number of the note, nor eight equal digits, nor a run up or down.
///
/// The same entropy and number give the same code. Draw once and keep it: a
/// note that was sent keeps its key for ever (rejection 539).
pub fn c_nf(entropy: [u8; 8], number: u32) -> u32 {
    let limit = u64::from(C_NF_LIMIT);
    let first = u64::from_le_bytes(entropy) % limit;
    // A prime step walks away from whatever was refused; at most 31 codes are.
    (0..64_u64)
        .map(|step| (first + step * 7_368_787) % limit)
        .filter_map(|code| u32::try_from(code).ok())
        .find(|code| c_nf_accepted(*code, number))
        .unwrap_or(10_203_047)
}

/// Would rejection 897 let this code pass?
pub fn c_nf_accepted(c_nf: u32, number: u32) -> bool {
    let digits = format!("{c_nf:08}").into_bytes();
    let step = |by: u8| {
        digits
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if (a - b'0' + by) % 10 == b - b'0'))
    };
    // The number's last eight digits: a longer one can only equal in part.
    c_nf < C_NF_LIMIT && c_nf != number % C_NF_LIMIT && !step(0) && !step(1) && !step(9)
}

impl fmt::Display for Chave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Chave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chave({})", self.as_str())
    }
}

text_id!(
    Chave,
    pattern = "^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$",
    doc = "Chave de acesso, 44 posições"
);
