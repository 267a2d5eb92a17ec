//! The events of layout 1.2.0: those that are taken, and those of which only a
//! preview is published.

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A table that later events refer to, valid from a day on.
    Table,
    /// Something of one month.
    Monthly,
    /// Opens a month that was closed.
    Reopening,
    /// Closes a month.
    Closing,
}

/// An event that is taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// As the layout calls it: `D-1001`.
    pub code: &'static str,
    /// Element below the root, and name of the schema.
    pub element: &'static str,
    /// Version of the schema, as its namespace has it.
    pub version: &'static str,
    /// Its table in `markup::layout`.
    pub layout: &'static str,
    /// What it is, in pt-BR.
    pub title: &'static str,
    pub role: Role,
}

impl Kind {
    /// The four digits of the code, as ids and receipts have them.
    pub fn number(&self) -> &'static str {
        self.code.trim_start_matches("D-")
    }
}

/// The events that are taken, by their codes.
pub const KINDS: [Kind; 7] = [
    Kind {
        code: "D-1001",
        element: "evtInfoContrib",
        version: "v1_0_1",
        layout: "evtInfoContrib-1.0.1",
        title: "Informações do contribuinte",
        role: Role::Table,
    },
    Kind {
        code: "D-1011",
        element: "evtPGCC",
        version: "v1_0_3",
        layout: "evtPGCC-1.0.3",
        title: "Plano geral de contas comentado",
        role: Role::Table,
    },
    Kind {
        code: "D-1101",
        element: "evtBalancete",
        version: "v1_0_1",
        layout: "evtBalancete-1.0.1",
        title: "Balancete mensal",
        role: Role::Monthly,
    },
    Kind {
        code: "D-1106",
        element: "evtAplicResTec",
        version: "v1_0_0",
        layout: "evtAplicResTec-1.0.0",
        title: "Aplicações financeiras sobre reserva técnica",
        role: Role::Monthly,
    },
    Kind {
        code: "D-1121",
        element: "evtRelDeducoes",
        version: "v0_0_1",
        layout: "evtRelDeducoes-0.0.1",
        title: "Relação de deduções utilizadas na apuração",
        role: Role::Monthly,
    },
    Kind {
        code: "D-1198",
        element: "evtReabertMensal",
        version: "v0_0_1",
        layout: "evtReabertMensal-0.0.1",
        title: "Reabertura mensal",
        role: Role::Reopening,
    },
    Kind {
        code: "D-1199",
        element: "evtFechMensal",
        version: "v0_0_2",
        layout: "evtFechMensal-0.0.2",
        title: "Fechamento mensal",
        role: Role::Closing,
    },
];

/// Schemas of which only a preview is published, with its version. They have no
/// code yet.
pub const PREVIEWS: [(&str, &str); 11] = [
    ("evtAntecReceb", "v0_0_1"),
    ("evtArranjoCredDest", "v0_0_1"),
    ("evtArranjoPartic", "v0_0_1"),
    ("evtArrendMerc", "v0_0_1"),
    ("evtDebOpOfPublic", "v0_0_2"),
    ("evtIdApostPrem", "v0_0_1"),
    ("evtOperFinanc", "v0_0_1"),
    ("evtPlAssistSaude", "v0_0_1"),
    ("evtSegPrevCap", "v0_0_1"),
    ("evtServRemPreco", "v0_0_1"),
    ("evtServRemTarifa", "v0_0_1"),
];

/// What a name of an event stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It is taken.
    Known(&'static Kind),
    /// Only a preview of its layout is published, in this version.
    Preview(&'static str),
    /// The layout has no such event.
    Unknown,
}

/// An event by its code, or by the name of its schema.
pub fn named(text: &str) -> Named {
    let known = KINDS
        .iter()
        .find(|kind| kind.code == text || kind.element == text);
    if let Some(kind) = known {
        return Named::Known(kind);
    }
    let preview = PREVIEWS.iter().find(|(element, _)| *element == text);
    preview.map_or(Named::Unknown, |(_, version)| Named::Preview(version))
}
