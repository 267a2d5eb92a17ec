//! `det`.

use super::taxes::TAXES;
use super::word_of;
use crate::fields::field::Form::{
    Alphanumeric, Capitals, Code, Decimal, Text, Trimmed, TrimmedCapitals,
};
use crate::fields::field::{
    Field, dissolve, flag, flag_of, group, list, number, state, text, texts, word,
};

pub(super) const DET: &[Field] = &[
    number("@nItem", "numero"),
    dissolve("prod", PROD),
    group("imposto", "impostos", TAXES),
    group(
        "impostoDevol",
        "devolucao",
        &[
            number("pDevol", "percentual"),
            dissolve("IPI", &[number("vIPIDevol", "valor_ipi")]).told_at("valor_ipi"),
        ],
    ),
    text("infAdProd", "informacoes").plain(Text(500)),
    dissolve(
        "obsItem",
        &[
            group("obsCont", "observacao_contribuinte", REMARK),
            group("obsFisco", "observacao_fisco", REMARK),
        ],
    )
    .told_at("observacao_contribuinte"),
    number("vItem", "valor_item").note(),
    group(
        "DFeReferenciado",
        "documento_referenciado",
        &[text("chaveAcesso", "chave"), number("nItem", "item")],
    ),
];

/// `obsCont`, `obsFisco`: of an item and of the note.
pub(super) const REMARK: &[Field] = &[
    text("@xCampo", "campo").required(Text(20)),
    text("xTexto", "texto").required(Text(60)),
];

const PROD: &[Field] = &[
    text("cProd", "codigo"),
    text("cEAN", "gtin"),
    text("cBarra", "codigo_barras").plain(Text(30)),
    text("xProd", "descricao"),
    text("NCM", "ncm"),
    texts("NVE", "nve"),
    text("CEST", "cest"),
    flag_of("indEscala", "escala_relevante", "S", "N"),
    text("CNPJFab", "cnpj_fabricante"),
    text("cBenef", "cbenef").plain(TrimmedCapitals),
    list(
        "gCred",
        "creditos_presumidos",
        &[
            text("cCredPresumido", "codigo"),
            number("pCredPresumido", "aliquota"),
            number("vCredPresumido", "valor"),
        ],
    ),
    text("tpCredPresIBSZFM", "credito_presumido_zfm").plain(Trimmed),
    text("EXTIPI", "ex_tipi").plain(Alphanumeric),
    text("CFOP", "cfop"),
    text("uCom", "unidade"),
    number("qCom", "quantidade"),
    number("vUnCom", "valor_unitario"),
    number("vProd", "valor_bruto"),
    text("cEANTrib", "gtin_tributavel"),
    text("cBarraTrib", "codigo_barras_tributavel").plain(Text(30)),
    text("uTrib", "unidade_tributavel"),
    number("qTrib", "quantidade_tributavel"),
    number("vUnTrib", "valor_unitario_tributavel"),
    number("vFrete", "frete"),
    number("vSeg", "seguro"),
    number("vDesc", "desconto"),
    number("vOutro", "outras_despesas"),
    flag("indTot", "compoe_total"),
    flag("indBemMovelUsado", "bem_movel_usado"),
    list("DI", "importacoes", DI),
    list(
        "detExport",
        "exportacoes",
        &[
            text("nDraw", "drawback").plain(Text(20)),
            dissolve(
                "exportInd",
                &[
                    text("nRE", "registro_exportacao"),
                    text("chNFe", "chave"),
                    number("qExport", "quantidade"),
                ],
            ),
        ],
    ),
    text("xPed", "pedido.numero").plain(Text(15)),
    text("nItemPed", "pedido.item").plain(Trimmed),
    text("nFCI", "fci").plain(TrimmedCapitals),
    list(
        "rastro",
        "rastreios",
        &[
            text("nLote", "lote"),
            number("qLote", "quantidade"),
            text("dFab", "data_fabricacao"),
            text("dVal", "data_validade"),
            text("cAgreg", "codigo_agregacao").plain(Text(20)),
        ],
    ),
    group(
        "infProdNFF",
        "produto_nff",
        &[text("cProdFisco", "codigo"), text("cOperNFF", "operacao")],
    )
    .note(),
    group(
        "infProdEmb",
        "embalagem",
        &[
            text("xEmb", "descricao").required(Text(8)),
            number("qVolEmb", "volume").required(Decimal(0, 3)),
            text("uEmb", "unidade").required(Text(8)),
        ],
    ),
    group("veicProd", "veiculo_novo", NEW_VEHICLE),
    group(
        "med",
        "medicamento",
        &[
            text("cProdANVISA", "codigo_anvisa"),
            text("xMotivoIsencao", "motivo_isencao").plain(Text(255)),
            number("vPMC", "preco_maximo").required(Decimal(2, 2)),
        ],
    ),
    list(
        "arma",
        "armas",
        &[
            text("tpArma", "tipo").required(Text(1)),
            text("nSerie", "serie").required(Text(15)),
            text("nCano", "cano").required(Text(15)),
            text("descr", "descricao").required(Text(256)),
        ],
    ),
    group("comb", "combustivel", COMB),
    text("nRECOPI", "recopi").plain(Alphanumeric),
];

const DI: &[Field] = &[
    text("nDI", "numero").required(Text(15)),
    text("dDI", "data"),
    text("xLocDesemb", "local_desembaraco").required(Text(60)),
    text("UFDesemb", "uf_desembaraco").required(Capitals(2)),
    text("dDesemb", "data_desembaraco"),
    word("tpViaTransp", "via_transporte", word_of!(ViaTransporte)).plain(Code),
    number("vAFRMM", "valor_afrmm").plain(Decimal(2, 2)),
    word("tpIntermedio", "intermediacao", word_of!(Intermediacao)),
    text("CNPJ", "cpf_cnpj_terceiro"),
    text("CPF", "cpf_cnpj_terceiro"),
    text("UFTerceiro", "uf_terceiro").plain(TrimmedCapitals),
    text("cExportador", "codigo_exportador").required(Text(60)),
    list(
        "adi",
        "adicoes",
        &[
            text("nAdicao", "numero"),
            text("nSeqAdic", "sequencia"),
            text("cFabricante", "codigo_fabricante").required(Text(60)),
            number("vDescDI", "desconto"),
            text("nDraw", "drawback").plain(Text(20)),
        ],
    ),
];

const COMB: &[Field] = &[
    text("cProdANP", "codigo_anp"),
    text("descANP", "descricao_anp"),
    number("pGLP", "percentual_glp"),
    number("pGNn", "percentual_gas_nacional"),
    number("pGNi", "percentual_gas_importado"),
    number("vPart", "valor_partida").plain(Decimal(2, 2)),
    text("CODIF", "codif").plain(Alphanumeric),
    number("qTemp", "quantidade_temperatura"),
    text("UFCons", "uf_consumo"),
    group(
        "CIDE",
        "cide",
        &[
            number("qBCProd", "base"),
            number("vAliqProd", "aliquota"),
            number("vCIDE", "valor"),
        ],
    ),
    group(
        "encerrante",
        "encerrante",
        &[
            text("nBico", "bico").required(Text(3)),
            text("nBomba", "bomba").plain(Trimmed),
            text("nTanque", "tanque").required(Text(3)),
            number("vEncIni", "inicial").required(Decimal(3, 3)),
            number("vEncFin", "final").required(Decimal(3, 3)),
        ],
    ),
    number("pBio", "percentual_biodiesel"),
    list(
        "origComb",
        "origens",
        &[
            flag("indImport", "importado"),
            word("cUFOrig", "uf", state),
            number("pOrig", "percentual"),
        ],
    ),
];

const NEW_VEHICLE: &[Field] = &[
    text("tpOp", "tipo_operacao").required(Text(1)),
    text("chassi", "chassi").required(Text(17)),
    text("cCor", "codigo_cor").required(Text(4)),
    text("xCor", "cor").required(Text(40)),
    text("pot", "potencia").required(Text(4)),
    text("cilin", "cilindradas").required(Text(4)),
    text("pesoL", "peso_liquido").required(Text(9)),
    text("pesoB", "peso_bruto").required(Text(9)),
    text("nSerie", "serie").required(Text(9)),
    text("tpComb", "tipo_combustivel").required(Text(2)),
    text("nMotor", "motor").required(Text(21)),
    text("CMT", "capacidade_tracao").required(Text(9)),
    text("dist", "distancia_eixos").required(Text(4)),
    text("anoMod", "ano_modelo").required(Text(4)),
    text("anoFab", "ano_fabricacao").required(Text(4)),
    text("tpPint", "tipo_pintura").required(Text(1)),
    text("tpVeic", "tipo_veiculo").required(Text(2)),
    text("espVeic", "especie").required(Text(1)),
    text("VIN", "vin").required(Text(1)),
    text("condVeic", "condicao").required(Text(1)),
    text("cMod", "codigo_modelo").required(Text(6)),
    text("cCorDENATRAN", "codigo_cor_denatran").required(Text(2)),
    text("lota", "lotacao").required(Text(3)),
    text("tpRest", "restricao").required(Text(1)),
];
