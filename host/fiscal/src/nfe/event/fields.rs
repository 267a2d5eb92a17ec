//! Short ways to write fields of a catalogue of events.

use crate::nfe::event::kind::{Codigo, EventField, Formato};

/// A field that must be there once.
pub const fn field(
    tag: &'static str,
    name: &'static str,
    formato: Formato,
    label: &'static str,
    explanation: &'static str,
) -> EventField {
    EventField {
        nome: name,
        tag,
        atributo: false,
        rotulo: label,
        explicacao: explanation,
        formato,
        obrigatorio: true,
        ocorrencias: 1,
        exige: &[],
        campos: &[],
    }
}

/// A group that must be there once.
pub const fn group(
    tag: &'static str,
    name: &'static str,
    label: &'static str,
    explanation: &'static str,
    fields: &'static [EventField],
) -> EventField {
    EventField {
        campos: fields,
        ..field(tag, name, Formato::Grupo, label, explanation)
    }
}

/// The same, but it may be left out.
pub const fn optional(field: EventField) -> EventField {
    EventField {
        obrigatorio: false,
        ..field
    }
}

/// The same as a list of up to `ocorrencias`.
pub const fn list(occurrences: u16, field: EventField) -> EventField {
    EventField {
        ocorrencias: occurrences,
        ..field
    }
}

/// The same, but never without these others.
pub const fn with(demands: &'static [&'static str], field: EventField) -> EventField {
    EventField {
        exige: demands,
        ..field
    }
}

/// One choice of a field.
pub const fn codigo(value: &'static str, name: &'static str, meaning: &'static str) -> Codigo {
    Codigo {
        valor: value,
        nome: name,
        significado: meaning,
    }
}

/// `nItem`: which item of the note a group is about.
pub const ITEM_NUMBER: EventField = EventField {
    atributo: true,
    ..field(
        "nItem",
        "item",
        Formato::Item,
        "Número do item",
        "Posição do item na nota a que o evento se refere, a partir de 1.",
    )
};

/// `TDec_1302`: money.
pub const VALUE: Formato = Formato::Decimal {
    inteiros: 13,
    decimais: 2,
};
/// `TDec_1104`: quantities.
pub const QUANTITY: Formato = Formato::Decimal {
    inteiros: 11,
    decimais: 4,
};
/// `TDec_0302_04`: percentages.
pub const PERCENT: Formato = Formato::Decimal {
    inteiros: 3,
    decimais: 4,
};
/// Unit of measure.
pub const UNIT: Formato = text(1, 6);
/// `TJust`.
pub const JUSTIFICATION: Formato = text(15, 255);

/// A text of so many characters.
pub const fn text(min_length: u16, max_length: u16) -> Formato {
    Formato::Texto {
        tamanho_minimo: min_length,
        tamanho_maximo: max_length,
    }
}

/// One of some choices.
pub const fn option(options: &'static [Codigo]) -> Formato {
    Formato::Opcao { opcoes: options }
}
