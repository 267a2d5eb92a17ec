//! An item of an NF-e or NFC-e, without its taxes.

use super::goods::{ARMS, FUEL, MEDICINE, NEW_VEHICLE};
use super::reform::{CBS, CREDITS, IBS, IBS_CBS, MONO, SELECTIVE};
use super::row::{
    Form, Row, Rows, code, day, digits, flag, integer, list, number, other, text, texts, told,
};
use super::taxes::{COFINS, DIFAL, ICMS, ICMS_MONO, ICMS_ST, IMPORT, IPI, ISSQN, PIS};

pub const ITEM: Rows = &[
    GOOD,
    TRADE,
    ICMS,
    ICMS_ST,
    ICMS_MONO,
    DIFAL,
    IPI,
    IMPORT,
    ISSQN,
    PIS,
    COFINS,
    SELECTIVE,
    IBS_CBS,
    IBS,
    CBS,
    CREDITS,
    MONO,
    NEW_VEHICLE,
    MEDICINE,
    ARMS,
    FUEL,
    REST,
];

const GOOD: &[Row] = &[
    integer("numero_item", "numero"),
    text("codigo_produto", "codigo"),
    other("codigo_barras_comercial", "gtin", Form::BarCode),
    text("codigo_barras_proprio_comercial", "codigo_barras"),
    text("descricao", "descricao"),
    digits(8, "codigo_ncm", "ncm"),
    texts("nves", "nve", &["nve"]),
    digits(7, "cest", "cest"),
    flag("escala_relevante", "escala_relevante"),
    digits(14, "cnpj_fabricante", "cnpj_fabricante"),
    text("codigo_beneficio_fiscal", "cbenef"),
    list(
        "infos_credito_presumido",
        "creditos_presumidos",
        &[&[
            text("codigo_beneficio_fiscal", "codigo"),
            number("percentual", "aliquota"),
            number("valor", "valor"),
        ]],
    ),
    code(
        "credito_presumido_ibs_zfm_classificacao",
        "credito_presumido_zfm",
    ),
    text("codigo_ex_tipi", "ex_tipi"),
    digits(4, "cfop", "cfop"),
    text("unidade_comercial", "unidade"),
    number("quantidade_comercial", "quantidade"),
    number("valor_unitario_comercial", "valor_unitario"),
    number("valor_bruto", "valor_bruto"),
    other("codigo_barras_tributavel", "gtin_tributavel", Form::BarCode),
    text(
        "codigo_barras_proprio_tributavel",
        "codigo_barras_tributavel",
    ),
    text("unidade_tributavel", "unidade_tributavel"),
    number("quantidade_tributavel", "quantidade_tributavel"),
    number("valor_unitario_tributavel", "valor_unitario_tributavel"),
    number("valor_frete", "frete"),
    number("valor_seguro", "seguro"),
    number("valor_desconto", "desconto"),
    number("valor_outras_despesas", "outras_despesas"),
    flag("inclui_no_total", "compoe_total"),
    flag("bem_movel_usado", "bem_movel_usado"),
    text("pedido_compra", "pedido.numero"),
    text("numero_item_pedido_compra", "pedido.item"),
    text("numero_fci", "fci"),
    number("valor_total_tributos", "impostos.valor_aproximado"),
];

/// Foreign trade and batches.
const TRADE: &[Row] = &[
    list("documentos_importacao", "importacoes", IMPORTED),
    list(
        "detalhes_exportacao",
        "exportacoes",
        &[&[
            text("numero_drawback", "drawback"),
            digits(12, "numero_re", "registro_exportacao"),
            digits(44, "chave_nfe", "chave"),
            number("quantidade_exportado", "quantidade"),
        ]],
    ),
    list(
        "rastros",
        "rastreios",
        &[&[
            text("numero_lote", "lote"),
            number("quantidade_lote", "quantidade"),
            day("data_fabricacao", "data_fabricacao"),
            day("data_validade", "data_validade"),
            text("codigo_agregacao", "codigo_agregacao"),
        ]],
    ),
];

const IMPORTED: Rows = &[&[
    text("numero", "numero"),
    day("data_registro", "data"),
    text("local_desembaraco_aduaneiro", "local_desembaraco"),
    text("uf_desembaraco_aduaneiro", "uf_desembaraco"),
    day("data_desembaraco_aduaneiro", "data_desembaraco"),
    code("via_transporte", "via_transporte"),
    number("valor_afrmm", "valor_afrmm"),
    code("forma_intermedio", "intermediacao"),
    digits(14, "cnpj", "cpf_cnpj_terceiro"),
    digits(11, "cpf", "cpf_cnpj_terceiro"),
    text("uf_terceiro", "uf_terceiro"),
    text("codigo_exportador", "codigo_exportador"),
    list(
        "adicoes",
        "adicoes",
        &[&[
            text("numero", "numero"),
            text("numero_sequencial_item", "sequencia"),
            text("codigo_fabricante_estrangeiro", "codigo_fabricante"),
            number("valor_desconto", "desconto"),
            text("numero_drawback", "drawback"),
        ]],
    ),
]];

const REST: &[Row] = &[
    number("percentual_devolvido", "devolucao.percentual"),
    number("valor_ipi_devolvido", "devolucao.valor_ipi"),
    text("informacoes_adicionais_item", "informacoes"),
    other(
        "observacoes_contribuinte",
        "observacao_contribuinte",
        Form::First(&[&[text("campo", "campo"), text("texto", "texto")]]),
    ),
    digits(
        44,
        "chave_acesso_dfe_referenciado",
        "documento_referenciado.chave",
    ),
    integer(
        "numero_item_dfe_referenciado",
        "documento_referenciado.item",
    ),
    told("valor_total_item", "O hub calcula o valor total do item."),
];
