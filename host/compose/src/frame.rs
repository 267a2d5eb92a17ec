//! What the hub decides about a note.

use markup::layout::Layout;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Model of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// NF-e, 55.
    Nfe,
    /// NFC-e, 65.
    Nfce,
}

impl Model {
    pub fn codigo(self) -> u8 {
        match self {
            Model::Nfe => 55,
            Model::Nfce => 65,
        }
    }
}

/// Environment (`tpAmb`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ambiente {
    /// 1.
    Producao,
    /// 2.
    Homologacao,
}

impl Ambiente {
    pub fn codigo(self) -> &'static str {
        match self {
            Ambiente::Producao => "1",
            Ambiente::Homologacao => "2",
        }
    }
}

/// What the hub decides about a note: everything of it but its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Data {
    pub modelo: Model,
    pub ambiente: Ambiente,
    /// 0 to 999.
    pub serie: u16,
    /// 1 to 999999999.
    pub numero: u32,
    /// Random code of eight digits, never drawn again for a number.
    pub c_nf: u32,
    /// `dhEmi`, with the emitter's offset.
    #[serde(with = "timestamp")]
    pub dh_emi: OffsetDateTime,
    /// Form of emission; 1 is normal.
    pub tp_emis: u8,
    /// Version of the application, up to 20 characters (`verProc`).
    pub ver_proc: String,
}

/// Layout a note is written and calculated by: of its day and environment.
pub fn layout_of(given: &Data) -> &'static Layout {
    let day = given.dh_emi.date();
    match given.ambiente {
        Ambiente::Producao => Layout::nfe(day),
        Ambiente::Homologacao => Layout::nfe_homologacao(day),
    }
}

/// RFC 3339 text.
mod timestamp {
    use serde::{Deserialize, Deserializer, Serializer, de::Error, ser};
    use time::OffsetDateTime;
    use time::format_description::well_known::Rfc3339;

    pub fn serialize<S: Serializer>(timestamp: &OffsetDateTime, s: S) -> Result<S::Ok, S::Error> {
        let text = timestamp.format(&Rfc3339).map_err(ser::Error::custom)?;
        s.serialize_str(&text)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<OffsetDateTime, D::Error> {
        let text = String::deserialize(d)?;
        OffsetDateTime::parse(&text, &Rfc3339).map_err(D::Error::custom)
    }
}
