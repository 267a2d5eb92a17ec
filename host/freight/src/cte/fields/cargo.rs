//! `infCTeNorm`: cargo, documents, modal.

use super::modal::{AEREO, AQUAV, DUTO, FERROV, MULTIMODAL, RODO};
use super::word_of;
use fiscal::fields::Field;
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{dissolve, flag_of, group, list, number, text, texts_of, word};

pub(super) const NORMAL: &[Field] = &[
    group("infCarga", "carga", CARGO),
    group("infDoc", "documentos", DOCUMENTS),
    dissolve(
        "docAnt",
        &[list("emiDocAnt", "documentos_anteriores", EARLIER)],
    ),
    dissolve(
        "infModal",
        &[
            text("@versaoModal", "versao_modal").note(),
            group("rodo", "rodoviario", RODO),
            group("aereo", "aereo", AEREO),
            group("aquav", "aquaviario", AQUAV),
            group("ferrov", "ferroviario", FERROV),
            group("duto", "dutoviario", DUTO),
            group("multimodal", "multimodal", MULTIMODAL),
        ],
    )
    .told_at("modal"),
    list(
        "veicNovos",
        "veiculos_novos",
        &[
            text("chassi", "chassi"),
            text("cCor", "codigo_cor"),
            text("xCor", "cor"),
            text("cMod", "codigo_modelo"),
            number("vUnit", "valor"),
            number("vFrete", "frete"),
        ],
    ),
    group(
        "cobr",
        "cobranca",
        &[
            group(
                "fat",
                "fatura",
                &[
                    text("nFat", "numero"),
                    number("vOrig", "valor_original"),
                    number("vDesc", "desconto"),
                    number("vLiq", "valor_liquido"),
                ],
            ),
            list(
                "dup",
                "duplicatas",
                &[
                    text("nDup", "numero"),
                    text("dVenc", "vencimento"),
                    number("vDup", "valor"),
                ],
            ),
        ],
    ),
    group(
        "infCteSub",
        "substituicao",
        &[
            text("chCte", "chave"),
            flag_of("indAlteraToma", "altera_tomador", "1", ""),
        ],
    ),
    dissolve("infGlobalizado", &[text("xObs", "observacao_globalizado")])
        .told_at("observacao_globalizado"),
    dissolve(
        "infServVinc",
        &[texts_of("infCTeMultimodal", "ctes_multimodal")],
    )
    .told_at("ctes_multimodal"),
];

const CARGO: &[Field] = &[
    number("vCarga", "valor"),
    text("proPred", "produto"),
    text("xOutCat", "outras_caracteristicas"),
    list(
        "infQ",
        "quantidades",
        &[
            word("cUnid", "unidade", word_of!(Unidade)),
            text("tpMed", "tipo"),
            number("qCarga", "quantidade").plain(Decimal(4, 4)),
        ],
    ),
    number("vCargaAverb", "valor_averbacao"),
];

const LOAD: &[Field] = &[
    word("tpUnidCarga", "tipo", word_of!(TipoUnidadeCarga)),
    text("idUnidCarga", "identificacao"),
    texts_of("lacUnidCarga", "lacres"),
    number("qtdRat", "quantidade_rateada").plain(Decimal(2, 3)),
];

const LOADS: Field = list("infUnidCarga", "unidades_carga", LOAD);

/// Lorries, wagons, barges; a document of an MDF-e has them, too.
pub(crate) const VEHICLES: Field = list(
    "infUnidTransp",
    "unidades_transporte",
    &[
        word("tpUnidTransp", "tipo", word_of!(TipoUnidadeTransporte)),
        text("idUnidTransp", "identificacao"),
        texts_of("lacUnidTransp", "lacres"),
        LOADS,
        number("qtdRat", "quantidade_rateada").plain(Decimal(2, 3)),
    ],
);

const DOCUMENTS: &[Field] = &[
    list(
        "infNF",
        "nf",
        &[
            text("nRoma", "romaneio"),
            text("nPed", "pedido"),
            text("mod", "modelo"),
            text("serie", "serie"),
            text("nDoc", "numero"),
            text("dEmi", "data_emissao"),
            number("vBC", "base_icms"),
            number("vICMS", "valor_icms"),
            number("vBCST", "base_st"),
            number("vST", "valor_st"),
            number("vProd", "valor_produtos"),
            number("vNF", "valor"),
            text("nCFOP", "cfop"),
            number("nPeso", "peso").plain(Decimal(3, 3)),
            text("PIN", "pin"),
            text("dPrev", "data_previsao_entrega"),
            LOADS,
            VEHICLES,
        ],
    ),
    list(
        "infNFe",
        "nfe",
        &[
            text("chave", "chave"),
            text("PIN", "pin"),
            text("dPrev", "data_previsao_entrega"),
            LOADS,
            VEHICLES,
        ],
    ),
    list(
        "infOutros",
        "outros",
        &[
            word("tpDoc", "tipo", word_of!(TipoDocumento)),
            text("descOutros", "descricao"),
            text("nDoc", "numero"),
            text("dEmi", "data_emissao"),
            number("vDocFisc", "valor"),
            text("dPrev", "data_previsao_entrega"),
            LOADS,
            VEHICLES,
        ],
    ),
    texts_of("infDCe", "dce"),
];

const EARLIER: &[Field] = &[
    text("CNPJ", "cpf_cnpj"),
    text("CPF", "cpf_cnpj"),
    text("IE", "ie"),
    text("UF", "uf"),
    text("xNome", "nome"),
    dissolve(
        "idDocAnt",
        &[
            list(
                "idDocAntPap",
                "papel",
                &[
                    text("tpDoc", "tipo"),
                    text("serie", "serie"),
                    text("subser", "subserie"),
                    text("nDoc", "numero"),
                    text("dEmi", "data_emissao"),
                ],
            ),
            texts_of("idDocAntEle", "eletronicos"),
        ],
    ),
];
