//! The group of each modal.

use super::parties::ADDRESS;
use super::word_of;
use fiscal::fields::Field;
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{dissolve, flag, group, list, number, text, texts, texts_of, word};

pub(super) const RODO: &[Field] = &[
    text("RNTRC", "rntrc"),
    list(
        "occ",
        "ordens_coleta",
        &[
            text("serie", "serie"),
            text("nOcc", "numero"),
            text("dEmi", "data_emissao"),
            dissolve(
                "emiOcc",
                &[
                    text("CNPJ", "cnpj"),
                    text("cInt", "codigo_interno"),
                    text("IE", "ie"),
                    text("UF", "uf"),
                    text("fone", "telefone"),
                ],
            ),
        ],
    ),
];

pub(super) const AEREO: &[Field] = &[
    text("nMinu", "minuta"),
    text("nOCA", "numero_operacional"),
    text("dPrevAereo", "data_previsao"),
    dissolve(
        "natCarga",
        &[text("xDime", "dimensoes"), texts("cInfManu", "manuseio")],
    ),
    group(
        "tarifa",
        "tarifa",
        &[
            word("CL", "classe", word_of!(ClasseTarifa)),
            text("cTar", "codigo"),
            number("vTar", "valor"),
        ],
    ),
    list(
        "peri",
        "perigosos",
        &[
            text("nONU", "numero_onu"),
            text("qTotEmb", "embalagens"),
            dissolve(
                "infTotAP",
                &[
                    number("qTotProd", "quantidade").plain(Decimal(4, 4)),
                    word("uniAP", "unidade", word_of!(UnidadePerigoso)),
                ],
            ),
        ],
    ),
];

pub(super) const AQUAV: &[Field] = &[
    number("vPrest", "base_afrmm"),
    number("vAFRMM", "valor_afrmm"),
    text("xNavio", "navio"),
    texts_of("balsa", "balsas"),
    text("nViag", "viagem"),
    word("direc", "direcao", word_of!(Direcao)),
    text("irin", "irin"),
    list(
        "detCont",
        "containers",
        &[
            text("nCont", "numero"),
            texts_of("lacre", "lacres"),
            dissolve(
                "infDoc",
                &[
                    list(
                        "infNF",
                        "nf",
                        &[
                            text("serie", "serie"),
                            text("nDoc", "numero"),
                            number("unidRat", "quantidade_rateada").plain(Decimal(2, 3)),
                        ],
                    ),
                    list(
                        "infNFe",
                        "nfe",
                        &[
                            text("chave", "chave"),
                            number("unidRat", "quantidade_rateada").plain(Decimal(2, 3)),
                        ],
                    ),
                ],
            ),
        ],
    ),
    word("tpNav", "navegacao", word_of!(Navegacao)),
];

pub(super) const FERROV: &[Field] = &[
    word("tpTraf", "trafego", word_of!(Trafego)),
    group(
        "trafMut",
        "trafego_mutuo",
        &[
            word("respFat", "responsavel_faturamento", word_of!(Ferrovia)),
            word("ferrEmi", "emitente", word_of!(Ferrovia)),
            number("vFrete", "valor_frete"),
            text("chCTeFerroOrigem", "chave_origem"),
            list(
                "ferroEnv",
                "ferrovias",
                &[
                    text("CNPJ", "cnpj"),
                    text("cInt", "codigo_interno"),
                    text("IE", "ie"),
                    text("xNome", "nome"),
                    dissolve("enderFerro", ADDRESS).told_at("endereco"),
                ],
            ),
        ],
    ),
    text("fluxo", "fluxo"),
];

pub(super) const DUTO: &[Field] = &[
    number("vTar", "tarifa").plain(Decimal(6, 6)),
    text("dIni", "data_inicio"),
    text("dFim", "data_fim"),
    word("classDuto", "classe", word_of!(ClasseDuto)),
    word("tpContratacao", "contratacao", word_of!(ContratacaoDuto)),
    text("codPontoEntrada", "ponto_entrada"),
    text("codPontoSaida", "ponto_saida"),
    text("nContrato", "contrato"),
];

pub(super) const MULTIMODAL: &[Field] = &[
    text("COTM", "cotm"),
    flag("indNegociavel", "negociavel"),
    group(
        "seg",
        "seguro",
        &[
            dissolve(
                "infSeg",
                &[text("xSeg", "seguradora"), text("CNPJ", "cnpj")],
            ),
            text("nApol", "apolice"),
            text("nAver", "averbacao"),
        ],
    ),
];
