//! Dictionaries of layouts: bytes that documents of a layout have in common. A record names
//! the one it was written with, so one that was ever shipped stays as it is.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// What a document looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layout {
    /// Events, documents of others, and what has no layout of its own.
    Generic,
    /// DPS and NFS-e of the national layout.
    NfseNacional,
    /// RPS and NFS-e of a city's own system.
    Abrasf,
    Nfe,
    Nfce,
}

impl Layout {
    pub const ALL: [Layout; 5] = [
        Layout::Generic,
        Layout::NfseNacional,
        Layout::Abrasf,
        Layout::Nfe,
        Layout::Nfce,
    ];

    /// As files of dictionaries say it.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Generic => "generic",
            Layout::NfseNacional => "nfse-nacional",
            Layout::Abrasf => "abrasf",
            Layout::Nfe => "nfe",
            Layout::Nfce => "nfce",
        }
    }

    /// The layout whose texts are nearly the same: an NFC-e has the elements of an NF-e.
    const fn like(self) -> Option<Layout> {
        match self {
            Layout::Nfce => Some(Layout::Nfe),
            _ => None,
        }
    }
}

/// A dictionary that comes with the program.
struct Shipped {
    id: u32,
    layout: Layout,
    bytes: &'static [u8],
}

/// Add, never change or remove: records of any store may name each of them. The files are
/// `dictionaries/NNNN-layout.dict`, made by `hub compact --train`; ids count from 1.
const SHIPPED: &[Shipped] = &[
    Shipped {
        id: 1,
        layout: Layout::Generic,
        bytes: include_bytes!("../dictionaries/0001-generic.dict"),
    },
    Shipped {
        id: 2,
        layout: Layout::NfseNacional,
        bytes: include_bytes!("../dictionaries/0002-nfse-nacional.dict"),
    },
    Shipped {
        id: 3,
        layout: Layout::Abrasf,
        bytes: include_bytes!("../dictionaries/0003-abrasf.dict"),
    },
    Shipped {
        id: 4,
        layout: Layout::Nfe,
        bytes: include_bytes!("../dictionaries/0004-nfe.dict"),
    },
    // Of texts whose certificates are not in them.
    Shipped {
        id: 5,
        layout: Layout::Generic,
        bytes: include_bytes!("../dictionaries/0005-generic.dict"),
    },
    Shipped {
        id: 6,
        layout: Layout::NfseNacional,
        bytes: include_bytes!("../dictionaries/0006-nfse-nacional.dict"),
    },
    Shipped {
        id: 7,
        layout: Layout::Abrasf,
        bytes: include_bytes!("../dictionaries/0007-abrasf.dict"),
    },
    Shipped {
        id: 8,
        layout: Layout::Nfe,
        bytes: include_bytes!("../dictionaries/0008-nfe.dict"),
    },
];

/// Compression level of records: zstd takes about a millisecond for the texts of a note.
pub(crate) const LEVEL: i32 = 12;

/// A dictionary, ready when it is first used.
pub struct Dictionary {
    /// Above zero; a record without a dictionary says zero.
    pub id: u32,
    pub layout: Layout,
    pub bytes: Cow<'static, [u8]>,
    encoder: OnceLock<EncoderDictionary<'static>>,
    decoder: OnceLock<DecoderDictionary<'static>>,
}

impl Dictionary {
    pub fn new(id: u32, layout: Layout, bytes: impl Into<Cow<'static, [u8]>>) -> Dictionary {
        Dictionary {
            id,
            layout,
            bytes: bytes.into(),
            encoder: OnceLock::new(),
            decoder: OnceLock::new(),
        }
    }

    pub(crate) fn encoder(&self) -> &EncoderDictionary<'static> {
        self.encoder
            .get_or_init(|| EncoderDictionary::copy(&self.bytes, LEVEL))
    }

    pub(crate) fn decoder(&self) -> &DecoderDictionary<'static> {
        self.decoder
            .get_or_init(|| DecoderDictionary::copy(&self.bytes))
    }
}

/// Dictionaries that records may name.
#[derive(Default)]
pub struct Dictionaries(Vec<Dictionary>);

impl Dictionaries {
    pub fn new(all: Vec<Dictionary>) -> Dictionaries {
        Dictionaries(all)
    }

    /// Those that come with the program.
    pub fn shipped() -> &'static Dictionaries {
        static ALL: LazyLock<Dictionaries> = LazyLock::new(|| {
            let of = |one: &Shipped| Dictionary::new(one.id, one.layout, one.bytes);
            Dictionaries(SHIPPED.iter().map(of).collect())
        });
        &ALL
    }

    pub fn all(&self) -> &[Dictionary] {
        &self.0
    }

    /// The newest of a layout, or of the layout most like it; None: its records are
    /// compressed without.
    pub fn newest(&self, layout: Layout) -> Option<&Dictionary> {
        let of_layout = self.0.iter().filter(|one| one.layout == layout);
        of_layout
            .max_by_key(|one| one.id)
            .or_else(|| self.newest(layout.like()?))
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Dictionary> {
        self.0.iter().find(|one| one.id == id)
    }
}
