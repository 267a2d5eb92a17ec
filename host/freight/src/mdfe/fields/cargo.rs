//! Documents of the cargo, its insurance and its product.

use super::word_of;
use crate::cte::fields::VEHICLES;
use fiscal::fields::Field;
use fiscal::fields::Form::Decimal;
use fiscal::fields::field::{dissolve, flag_of, group, list, number, text, texts, texts_of, word};

const BARCODE: Field = text("SegCodBarra", "segundo_codigo_barras");
const AGAIN: Field = flag_of("indReentrega", "reentrega", "1", "");

const DANGEROUS: Field = list(
    "peri",
    "perigosos",
    &[
        text("nONU", "numero_onu"),
        text("xNomeAE", "nome"),
        text("xClaRisco", "classe_risco"),
        text("grEmb", "grupo_embalagem"),
        text("qTotProd", "quantidade"),
        text("qVolTipo", "volumes"),
    ],
);

/// `infMunDescarga`.
pub(super) const DOCUMENTS: &[Field] = &[
    text("cMunDescarga", "codigo_ibge_descarga"),
    text("xMunDescarga", "cidade_descarga"),
    list(
        "infCTe",
        "ctes",
        &[
            text("chCTe", "chave"),
            BARCODE,
            AGAIN,
            VEHICLES,
            DANGEROUS,
            dissolve(
                "infEntregaParcial",
                &[
                    number("qtdTotal", "volumes_total").plain(Decimal(4, 4)),
                    number("qtdParcial", "volumes_parcial").plain(Decimal(4, 4)),
                ],
            ),
            flag_of("indPrestacaoParcial", "prestacao_parcial", "1", ""),
            texts_of("infNFePrestParcial", "nfes_entregues"),
        ],
    ),
    list(
        "infNFe",
        "nfes",
        &[text("chNFe", "chave"), BARCODE, AGAIN, VEHICLES, DANGEROUS],
    ),
    list(
        "infMDFeTransp",
        "mdfes",
        &[text("chMDFe", "chave"), AGAIN, VEHICLES, DANGEROUS],
    ),
];

/// `seg`.
pub(super) const INSURANCE: &[Field] = &[
    dissolve(
        "infResp",
        &[
            word("respSeg", "responsavel", word_of!(ResponsavelSeguro)),
            text("CNPJ", "cpf_cnpj"),
            text("CPF", "cpf_cnpj"),
        ],
    ),
    dissolve(
        "infSeg",
        &[text("xSeg", "seguradora"), text("CNPJ", "cnpj_seguradora")],
    ),
    text("nApol", "apolice"),
    texts("nAver", "averbacoes"),
];

/// `prodPred`.
pub(super) const PRODUCT: &[Field] = &[
    word("tpCarga", "tipo_carga", word_of!(TipoCarga)),
    text("xProd", "descricao"),
    text("cEAN", "gtin"),
    text("NCM", "ncm"),
    group(
        "infLotacao",
        "lotacao",
        &[
            group("infLocalCarrega", "carregamento", PLACE),
            group("infLocalDescarrega", "descarregamento", PLACE),
        ],
    ),
];

const PLACE: &[Field] = &[
    text("CEP", "cep"),
    text("latitude", "latitude"),
    text("longitude", "longitude"),
];
