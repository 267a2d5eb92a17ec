//! What the events of each family of documents call the same things.

/// Documents that have events of this shape: each has its own namespace, names
/// of elements and version, and `Id` (layouts `eventoTiposBasico` of each).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// NF-e and NFC-e, events 1.00.
    Nfe,
    /// CT-e 4.00.
    Cte,
    /// MDF-e 3.00.
    Mdfe,
}

/// The names of one family.
#[derive(Debug)]
struct Names {
    namespace: &'static str,
    /// The document, its protocol, and the file that joins both.
    document: &'static str,
    protocol: &'static str,
    joined: &'static str,
    document_version: &'static str,
    /// The event, its answer, and the file that joins both.
    event: &'static str,
    answer: &'static str,
    joined_event: &'static str,
    event_version: &'static str,
    /// The document's key in an event.
    key: &'static str,
    /// Attribute of `detEvento` with the version.
    detail_version: &'static str,
    /// Digits of the sequence in the `Id` of an event.
    sequence_digits: usize,
}

const NFE: Names = Names {
    namespace: super::NAMESPACE,
    document: "NFe",
    protocol: "protNFe",
    joined: "nfeProc",
    document_version: "4.00",
    event: "evento",
    answer: "retEvento",
    joined_event: "procEventoNFe",
    event_version: "1.00",
    key: "chNFe",
    detail_version: "versao",
    sequence_digits: 2,
};

const CTE: Names = Names {
    namespace: "http://www.portalfiscal.inf.br/cte",
    document: "CTe",
    protocol: "protCTe",
    joined: "cteProc",
    document_version: "4.00",
    event: "eventoCTe",
    answer: "retEventoCTe",
    joined_event: "procEventoCTe",
    event_version: "4.00",
    key: "chCTe",
    detail_version: "versaoEvento",
    sequence_digits: 3,
};

/// The schema takes sequences of two or of three digits in the `Id`.
const MDFE: Names = Names {
    namespace: "http://www.portalfiscal.inf.br/mdfe",
    document: "MDFe",
    protocol: "protMDFe",
    joined: "mdfeProc",
    document_version: "3.00",
    event: "eventoMDFe",
    answer: "retEventoMDFe",
    joined_event: "procEventoMDFe",
    event_version: "3.00",
    key: "chMDFe",
    detail_version: "versaoEvento",
    sequence_digits: 3,
};

impl Family {
    /// That of a document's model (`mod`); none for models that have no events
    /// here.
    pub fn of_model(model: u8) -> Option<Family> {
        match model {
            55 | 65 => Some(Family::Nfe),
            57 => Some(Family::Cte),
            58 => Some(Family::Mdfe),
            _ => None,
        }
    }

    const fn names(self) -> &'static Names {
        match self {
            Family::Nfe => &NFE,
            Family::Cte => &CTE,
            Family::Mdfe => &MDFE,
        }
    }

    pub fn namespace(self) -> &'static str {
        self.names().namespace
    }

    /// Element of the document: `CTe`.
    pub fn document(self) -> &'static str {
        self.names().document
    }

    /// Element of the document's protocol: `protCTe`.
    pub fn protocol(self) -> &'static str {
        self.names().protocol
    }

    /// Element that joins document and protocol: `cteProc`.
    pub fn joined(self) -> &'static str {
        self.names().joined
    }

    /// Version of the document's layout.
    pub fn document_version(self) -> &'static str {
        self.names().document_version
    }

    /// Element of an event: `eventoCTe`.
    pub fn event(self) -> &'static str {
        self.names().event
    }

    /// Element of an event's answer: `retEventoCTe`.
    pub fn answer(self) -> &'static str {
        self.names().answer
    }

    /// Element that joins an event and its answer: `procEventoCTe`.
    pub fn joined_event(self) -> &'static str {
        self.names().joined_event
    }

    /// Version of the events' layout.
    pub fn event_version(self) -> &'static str {
        self.names().event_version
    }

    /// Element of the document's key in an event: `chCTe`.
    pub fn key(self) -> &'static str {
        self.names().key
    }

    /// Attribute of `detEvento` that has the version.
    pub(super) fn detail_version(self) -> &'static str {
        self.names().detail_version
    }

    /// Digits of the sequence in the `Id` of an event.
    pub(super) fn sequence_digits(self) -> usize {
        self.names().sequence_digits
    }
}
