//! The groups of the modals of air, water and rail.

use super::word_of;
use crate::cte::order::TipoUnidadeCarga;
use fiscal::fields::Field;
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{dissolve, list, number, text, word};
use std::borrow::Cow;

pub(super) const AEREO: &[Field] = &[
    text("nac", "nacionalidade"),
    text("matr", "matricula"),
    text("nVoo", "voo"),
    text("cAerEmb", "aerodromo_embarque"),
    text("cAerDes", "aerodromo_destino"),
    text("dVoo", "data_voo"),
];

pub(super) const AQUAV: &[Field] = &[
    text("irin", "irin"),
    text("tpEmb", "tipo_embarcacao"),
    text("cEmbar", "codigo_embarcacao"),
    text("xEmbar", "embarcacao"),
    text("nViag", "viagem"),
    text("cPrtEmb", "porto_embarque"),
    text("cPrtDest", "porto_destino"),
    text("prtTrans", "porto_transbordo"),
    word("tpNav", "navegacao", word_of!(Navegacao)),
    list(
        "infTermCarreg",
        "terminais_carregamento",
        &[text("cTermCarreg", "codigo"), text("xTermCarreg", "nome")],
    ),
    list(
        "infTermDescarreg",
        "terminais_descarregamento",
        &[
            text("cTermDescarreg", "codigo"),
            text("xTermDescarreg", "nome"),
        ],
    ),
    list(
        "infEmbComb",
        "comboio",
        &[text("cEmbComb", "codigo"), text("xBalsa", "balsa")],
    ),
    list(
        "infUnidCargaVazia",
        "unidades_carga_vazias",
        &[
            text("idUnidCargaVazia", "identificacao"),
            word("tpUnidCargaVazia", "tipo", load),
        ],
    ),
    list(
        "infUnidTranspVazia",
        "unidades_transporte_vazias",
        &[
            text("idUnidTranspVazia", "identificacao"),
            word("tpUnidTranspVazia", "tipo", word_of!(TransporteVazio)),
        ],
    ),
    text("MMSI", "mmsi"),
];

pub(super) const FERROV: &[Field] = &[
    dissolve(
        "trem",
        &[
            text("xPref", "prefixo"),
            text("dhTrem", "liberacao"),
            text("xOri", "origem"),
            text("xDest", "destino"),
            text("qVag", "quantidade_vagoes"),
        ],
    ),
    list(
        "vag",
        "vagoes",
        &[
            number("pesoBC", "peso_calculo").plain(Decimal(3, 3)),
            number("pesoR", "peso").plain(Decimal(3, 3)),
            text("tpVag", "tipo"),
            text("serie", "serie"),
            text("nVag", "numero"),
            text("nSeq", "sequencia"),
            number("TU", "tonelada_util").plain(Decimal(3, 3)),
        ],
    ),
];

/// An empty container has the kinds of a full one in a CT-e.
fn load(code: &str) -> Option<Cow<'static, str>> {
    let kind = TipoUnidadeCarga::parse(code).filter(|kind| kind.codigo() == code)?;
    Some(Cow::Borrowed(kind.word()))
}
