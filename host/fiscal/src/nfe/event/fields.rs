//! Short ways to write fields of the catalogue.

use crate::nfe::event::kind::{CampoEvento, Codigo, Formato};

/// A field that must be there once.
pub(super) const fn campo(
    tag: &'static str,
    nome: &'static str,
    formato: Formato,
    rotulo: &'static str,
    explicacao: &'static str,
) -> CampoEvento {
    CampoEvento {
        nome,
        tag,
        atributo: false,
        rotulo,
        explicacao,
        formato,
        obrigatorio: true,
        ocorrencias: 1,
        exige: &[],
        campos: &[],
    }
}

/// A group that must be there once.
pub(super) const fn grupo(
    tag: &'static str,
    nome: &'static str,
    rotulo: &'static str,
    explicacao: &'static str,
    campos: &'static [CampoEvento],
) -> CampoEvento {
    CampoEvento {
        campos,
        ..campo(tag, nome, Formato::Grupo, rotulo, explicacao)
    }
}

/// The same, but it may be left out.
pub(super) const fn opcional(campo: CampoEvento) -> CampoEvento {
    CampoEvento {
        obrigatorio: false,
        ..campo
    }
}

/// The same as a list of up to `ocorrencias`.
pub(super) const fn lista(ocorrencias: u16, campo: CampoEvento) -> CampoEvento {
    CampoEvento {
        ocorrencias,
        ..campo
    }
}

/// The same, but never without these others.
pub(super) const fn com(exige: &'static [&'static str], campo: CampoEvento) -> CampoEvento {
    CampoEvento { exige, ..campo }
}

pub(super) const fn codigo(
    valor: &'static str,
    nome: &'static str,
    significado: &'static str,
) -> Codigo {
    Codigo {
        valor,
        nome,
        significado,
    }
}

/// `nItem`: which item of the note a group is about.
pub(super) const NUMERO_ITEM: CampoEvento = CampoEvento {
    atributo: true,
    ..campo(
        "nItem",
        "item",
        Formato::Item,
        "Número do item",
        "Posição do item na nota a que o evento se refere, a partir de 1.",
    )
};

/// `TDec_1302`: money.
pub(super) const VALOR: Formato = Formato::Decimal {
    inteiros: 13,
    decimais: 2,
};
/// `TDec_1104`: quantities.
pub(super) const QUANTIDADE: Formato = Formato::Decimal {
    inteiros: 11,
    decimais: 4,
};
/// `TDec_0302_04`: percentages.
pub(super) const PERCENTUAL: Formato = Formato::Decimal {
    inteiros: 3,
    decimais: 4,
};
pub(super) const UNIDADE: Formato = texto(1, 6);
pub(super) const JUSTIFICATIVA: Formato = texto(15, 255);

pub(super) const fn texto(tamanho_minimo: u16, tamanho_maximo: u16) -> Formato {
    Formato::Texto {
        tamanho_minimo,
        tamanho_maximo,
    }
}

pub(super) const fn opcao(opcoes: &'static [Codigo]) -> Formato {
    Formato::Opcao { opcoes }
}
