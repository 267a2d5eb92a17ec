//! `infNFe` and what goes with it.

use super::item::{DET, REMARK};
use super::parties::{CARRIER, DEST, EMIT, LOCAL, RESPONSIBLE, SINGLE};
use super::total::TOTAL;
use super::word_of;
use crate::fields::field::Form::{Capitals, Code, Date, Decimal, Text, Trimmed, TrimmedCapitals};
use crate::fields::field::{
    Field, RECIPIENT, dissolve, environment, flag, flag_of, group, list, month_year, number, state,
    text, texts, texts_of, word, year_month,
};

/// Attributes and children of `infNFe`.
pub static INF_NFE: &[Field] = &[
    text("@versao", "layout").note(),
    text("@Id", "id").note(),
    dissolve("ide", IDE).told_at("natureza_operacao"),
    group("emit", "emitente", EMIT)
        .note()
        .told_at("perfil_fiscal"),
    group("avulsa", "avulsa", SINGLE).note(),
    group("dest", "destinatario", DEST).told_at(RECIPIENT),
    group("retirada", "retirada", LOCAL),
    group("entrega", "entrega", LOCAL),
    texts_of("autXML", "autorizados_xml"),
    list("det", "itens", DET),
    dissolve("total", TOTAL).told_at("itens"),
    group("transp", "transporte", TRANSP),
    group("cobr", "cobranca", COBR),
    dissolve("pag", PAG).told_at("pagamentos"),
    group(
        "infIntermed",
        "intermediador",
        &[
            text("CNPJ", "cnpj"),
            text("idCadIntTran", "identificador").required(Text(60)),
        ],
    ),
    dissolve("infAdic", INF_ADIC),
    group(
        "exporta",
        "exportacao",
        &[
            text("UFSaidaPais", "uf_embarque").required(Capitals(2)),
            text("xLocExporta", "local_embarque").required(Text(60)),
            text("xLocDespacho", "local_despacho").plain(Text(60)),
        ],
    ),
    group(
        "compra",
        "compra",
        &[
            text("xNEmp", "empenho").plain(Text(22)),
            text("xPed", "pedido").plain(Text(60)),
            text("xCont", "contrato").plain(Text(60)),
        ],
    ),
    group("cana", "cana", CANE),
    group("infRespTec", "responsavel_tecnico", RESPONSIBLE),
    group("infSolicNFF", "solicitacao_nff", &[text("xSolic", "texto")]).note(),
    group("agropecuario", "agropecuario", FARMING),
    group(
        "infPAA",
        "provedor_assinatura",
        &[
            text("CNPJPAA", "cnpj"),
            dissolve(
                "PAASignature",
                &[
                    text("SignatureValue", "assinatura"),
                    dissolve(
                        "RSAKeyValue",
                        &[text("Modulus", "modulo"), text("Exponent", "expoente")],
                    ),
                ],
            ),
        ],
    )
    .note(),
];

pub(crate) const INF_NFE_SUPL: &[Field] = &[
    text("qrCode", "qr_code").note(),
    text("urlChave", "url_consulta").note(),
];

/// `protNFe`.
pub(crate) const PROTOCOL: &[Field] = &[
    text("@versao", "layout"),
    dissolve(
        "infProt",
        &[
            text("@Id", "id"),
            word("tpAmb", "ambiente", environment),
            text("verAplic", "aplicativo"),
            text("chNFe", "chave"),
            text("dhRecbto", "recebida_em"),
            text("nProt", "numero"),
            text("digVal", "digest"),
            text("cStat", "status"),
            text("xMotivo", "mensagem"),
            text("cMsg", "codigo_mensagem_fisco"),
            text("xMsg", "mensagem_fisco"),
        ],
    ),
];

const IDE: &[Field] = &[
    text("cUF", "codigo_uf").note(),
    text("cNF", "codigo_numerico").note(),
    text("natOp", "natureza_operacao"),
    // Of layout 3.10.
    word(
        "indPag",
        "indicador_pagamento",
        word_of!(IndicadorPagamento),
    )
    .note(),
    text("mod", "modelo").note(),
    number("serie", "serie"),
    number("nNF", "numero").note().told_at("numero"),
    text("dhEmi", "data_emissao"),
    text("dhSaiEnt", "data_saida"),
    text("dPrevEntrega", "data_previsao_entrega").plain(Date),
    word("tpNF", "tipo_operacao", word_of!(TipoOperacao)),
    word("idDest", "destino_operacao", word_of!(Destino)),
    text("cMunFG", "municipio_fato_gerador"),
    text("cMunFGIBS", "municipio_fato_gerador_ibs").plain(Trimmed),
    text("tpImp", "formato_danfe").note(),
    text("tpEmis", "tipo_emissao").note(),
    text("cDV", "digito_verificador").note(),
    word("tpAmb", "ambiente", environment).note(),
    word("finNFe", "finalidade", word_of!(Finalidade)),
    word("tpNFDebito", "tipo_nota_debito", word_of!(TipoNotaDebito)).plain(Code),
    word(
        "tpNFCredito",
        "tipo_nota_credito",
        word_of!(TipoNotaCredito),
    )
    .plain(Code),
    flag("indFinal", "consumidor_final"),
    word("indPres", "presenca", word_of!(Presenca)),
    text("indIntermed", "indicador_intermediador")
        .note()
        .told_at("intermediador"),
    text("cIndOp", "indicador_operacao").plain(Trimmed),
    text("procEmi", "processo_emissao").note(),
    text("verProc", "versao_aplicativo").note(),
    text("dhCont", "contingencia.desde").note(),
    text("xJust", "contingencia.justificativa").note(),
    list("NFref", "referencias", NF_REF),
    group(
        "gCompraGov",
        "compra_governamental",
        &[
            text("tpEnteGov", "tipo_ente").required(Text(1)),
            number("pRedutor", "redutor").required(Decimal(4, 4)),
            text("tpOperGov", "tipo_operacao").required(Text(1)),
            texts("refDFeAnt", "referencias"),
        ],
    ),
    dissolve(
        "gPagAntecipado",
        &[texts("refNFe", "pagamentos_antecipados")],
    )
    .told_at("pagamentos_antecipados"),
];

const NF_REF: &[Field] = &[
    text("refNFe", "chave"),
    text("refNFeSig", "chave_sigilosa"),
    group(
        "refNF",
        "nota_papel",
        &[
            word("cUF", "uf", state),
            word("AAMM", "mes", year_month),
            text("CNPJ", "cnpj"),
            text("mod", "modelo"),
            text("serie", "serie"),
            text("nNF", "numero"),
        ],
    ),
    group(
        "refNFP",
        "nota_produtor",
        &[
            word("cUF", "uf", state),
            word("AAMM", "mes", year_month),
            text("CNPJ", "cpf_cnpj"),
            text("CPF", "cpf_cnpj"),
            text("IE", "ie"),
            text("mod", "modelo"),
            text("serie", "serie"),
            text("nNF", "numero"),
        ],
    ),
    // The model in the key tells it from an NF-e.
    text("refCTe", "chave"),
    group(
        "refECF",
        "cupom",
        &[
            text("mod", "modelo"),
            text("nECF", "numero_ecf"),
            text("nCOO", "coo"),
        ],
    ),
];

const VEHICLE: &[Field] = &[
    text("placa", "placa"),
    text("UF", "uf").plain(TrimmedCapitals),
    text("RNTC", "rntc").plain(Text(20)),
];

const TRANSP: &[Field] = &[
    word("modFrete", "modalidade_frete", word_of!(ModalidadeFrete)),
    group("transporta", "transportador", CARRIER),
    group(
        "retTransp",
        "retencao_icms",
        &[
            number("vServ", "valor_servico"),
            number("vBCRet", "base"),
            number("pICMSRet", "aliquota"),
            number("vICMSRet", "valor"),
            text("CFOP", "cfop"),
            text("cMunFG", "municipio"),
        ],
    ),
    group("veicTransp", "veiculo", VEHICLE),
    list("reboque", "reboques", VEHICLE),
    text("vagao", "vagao").plain(Text(20)),
    text("balsa", "balsa").plain(Text(20)),
    list(
        "vol",
        "volumes",
        &[
            number("qVol", "quantidade").plain(Decimal(0, 0)),
            text("esp", "especie").plain(Text(60)),
            text("marca", "marca").plain(Text(60)),
            text("nVol", "numeracao").plain(Text(60)),
            number("pesoL", "peso_liquido").plain(Decimal(3, 3)),
            number("pesoB", "peso_bruto").plain(Decimal(3, 3)),
            texts_of("lacres", "lacres"),
        ],
    ),
];

const COBR: &[Field] = &[
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
            text("dVenc", "vencimento").plain(Date),
            number("vDup", "valor"),
        ],
    ),
];

const PAG: &[Field] = &[
    list(
        "detPag",
        "pagamentos",
        &[
            word("indPag", "indicador", word_of!(IndicadorPagamento)).plain(Code),
            word("tPag", "forma", word_of!(Forma)),
            text("xPag", "descricao"),
            number("vPag", "valor"),
            text("dPag", "data").plain(Date),
            text("CNPJPag", "cnpj_pagador"),
            text("UFPag", "uf_pagador"),
            group(
                "card",
                "cartao",
                &[
                    flag_of("tpIntegra", "integrado", "1", "2"),
                    text("CNPJ", "cnpj_credenciadora"),
                    text("tBand", "bandeira"),
                    text("cAut", "autorizacao"),
                    text("CNPJReceb", "cnpj_recebedor"),
                    text("idTermPag", "terminal"),
                ],
            ),
        ],
    ),
    number("vTroco", "troco"),
];

const INF_ADIC: &[Field] = &[
    text("infAdFisco", "informacoes_fisco"),
    text("infCpl", "informacoes_complementares"),
    list("obsCont", "observacoes_contribuinte", REMARK),
    list("obsFisco", "observacoes_fisco", REMARK),
    list(
        "procRef",
        "processos",
        &[
            text("nProc", "numero").required(Text(60)),
            word("indProc", "origem", word_of!(OrigemProcesso)),
            text("tpAto", "tipo_ato").plain(Trimmed),
        ],
    ),
];

const CANE: &[Field] = &[
    text("safra", "safra").required(Text(9)),
    word("ref", "mes", month_year),
    list(
        "forDia",
        "fornecimentos",
        &[
            number("@dia", "dia").required(Decimal(0, 0)),
            number("qtde", "quantidade").required(Decimal(0, 10)),
        ],
    ),
    number("qTotMes", "total_mes").required(Decimal(0, 10)),
    number("qTotAnt", "total_anterior").required(Decimal(0, 10)),
    number("qTotGer", "total_geral").required(Decimal(0, 10)),
    list(
        "deduc",
        "deducoes",
        &[
            text("xDed", "descricao").required(Text(60)),
            number("vDed", "valor").required(Decimal(2, 2)),
        ],
    ),
    number("vFor", "valor_fornecimento").required(Decimal(2, 2)),
    number("vTotDed", "valor_deducoes").required(Decimal(2, 2)),
    number("vLiqFor", "valor_liquido").required(Decimal(2, 2)),
];

const FARMING: &[Field] = &[
    list(
        "defensivo",
        "defensivos",
        &[
            text("nReceituario", "receituario").required(Text(30)),
            text("CPFRespTec", "cpf_responsavel"),
        ],
    ),
    group(
        "guiaTransito",
        "guia_transito",
        &[
            text("tpGuia", "tipo").required(Text(1)),
            text("UFGuia", "uf").required(Capitals(2)),
            text("serieGuia", "serie").plain(Text(9)),
            text("nGuia", "numero").required(Text(9)),
        ],
    ),
];
