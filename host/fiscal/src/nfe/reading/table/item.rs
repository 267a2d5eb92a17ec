//! `det`.

use super::nota::OBSERVACAO;
use super::{dissolve, grupo, lista, logico, numero, palavra, palavra_de, texto, textos};
use crate::nfe::reading::reader::{Como, Regra};
use crate::nfe::reading::table::taxes::IMPOSTO;

pub(in super::super) const DET: &[Regra] = &[
    numero("@nItem", "numero"),
    dissolve("prod", PROD),
    grupo("imposto", "impostos", IMPOSTO),
    grupo(
        "impostoDevol",
        "devolucao",
        &[
            numero("pDevol", "percentual"),
            dissolve("IPI", &[numero("vIPIDevol", "valor_ipi")]),
        ],
    ),
    texto("infAdProd", "informacoes"),
    dissolve(
        "obsItem",
        &[
            grupo("obsCont", "observacao_contribuinte", OBSERVACAO),
            grupo("obsFisco", "observacao_fisco", OBSERVACAO),
        ],
    ),
    numero("vItem", "valor_item"),
    grupo(
        "DFeReferenciado",
        "documento_referenciado",
        &[texto("chaveAcesso", "chave"), numero("nItem", "item")],
    ),
];

const PROD: &[Regra] = &[
    texto("cProd", "codigo"),
    texto("cEAN", "gtin"),
    texto("cBarra", "codigo_barras"),
    texto("xProd", "descricao"),
    texto("NCM", "ncm"),
    textos("NVE", "nve"),
    texto("CEST", "cest"),
    Regra {
        tag: "indEscala",
        nome: "escala_relevante",
        como: Como::Logico("S", "N"),
    },
    texto("CNPJFab", "cnpj_fabricante"),
    texto("cBenef", "cbenef"),
    lista(
        "gCred",
        "creditos_presumidos",
        &[
            texto("cCredPresumido", "codigo"),
            numero("pCredPresumido", "aliquota"),
            numero("vCredPresumido", "valor"),
        ],
    ),
    texto("tpCredPresIBSZFM", "credito_presumido_zfm"),
    texto("EXTIPI", "ex_tipi"),
    texto("CFOP", "cfop"),
    texto("uCom", "unidade"),
    numero("qCom", "quantidade"),
    numero("vUnCom", "valor_unitario"),
    numero("vProd", "valor_bruto"),
    texto("cEANTrib", "gtin_tributavel"),
    texto("cBarraTrib", "codigo_barras_tributavel"),
    texto("uTrib", "unidade_tributavel"),
    numero("qTrib", "quantidade_tributavel"),
    numero("vUnTrib", "valor_unitario_tributavel"),
    numero("vFrete", "frete"),
    numero("vSeg", "seguro"),
    numero("vDesc", "desconto"),
    numero("vOutro", "outras_despesas"),
    logico("indTot", "compoe_total"),
    logico("indBemMovelUsado", "bem_movel_usado"),
    lista("DI", "importacoes", DI),
    lista(
        "detExport",
        "exportacoes",
        &[
            texto("nDraw", "drawback"),
            dissolve(
                "exportInd",
                &[
                    texto("nRE", "registro_exportacao"),
                    texto("chNFe", "chave"),
                    numero("qExport", "quantidade"),
                ],
            ),
        ],
    ),
    texto("xPed", "pedido.numero"),
    texto("nItemPed", "pedido.item"),
    texto("nFCI", "fci"),
    lista(
        "rastro",
        "rastreios",
        &[
            texto("nLote", "lote"),
            numero("qLote", "quantidade"),
            texto("dFab", "data_fabricacao"),
            texto("dVal", "data_validade"),
            texto("cAgreg", "codigo_agregacao"),
        ],
    ),
    grupo(
        "infProdNFF",
        "produto_nff",
        &[texto("cProdFisco", "codigo"), texto("cOperNFF", "operacao")],
    ),
    grupo(
        "infProdEmb",
        "embalagem",
        &[
            texto("xEmb", "descricao"),
            numero("qVolEmb", "volume"),
            texto("uEmb", "unidade"),
        ],
    ),
    grupo("veicProd", "veiculo_novo", VEICULO_NOVO),
    grupo(
        "med",
        "medicamento",
        &[
            texto("cProdANVISA", "codigo_anvisa"),
            texto("xMotivoIsencao", "motivo_isencao"),
            numero("vPMC", "preco_maximo"),
        ],
    ),
    lista(
        "arma",
        "armas",
        &[
            texto("tpArma", "tipo"),
            texto("nSerie", "serie"),
            texto("nCano", "cano"),
            texto("descr", "descricao"),
        ],
    ),
    grupo("comb", "combustivel", COMB),
    texto("nRECOPI", "recopi"),
];

const DI: &[Regra] = &[
    texto("nDI", "numero"),
    texto("dDI", "data"),
    texto("xLocDesemb", "local_desembaraco"),
    texto("UFDesemb", "uf_desembaraco"),
    texto("dDesemb", "data_desembaraco"),
    palavra("tpViaTransp", "via_transporte", palavra_de!(ViaTransporte)),
    numero("vAFRMM", "valor_afrmm"),
    palavra("tpIntermedio", "intermediacao", palavra_de!(Intermediacao)),
    texto("CNPJ", "cpf_cnpj_terceiro"),
    texto("CPF", "cpf_cnpj_terceiro"),
    texto("UFTerceiro", "uf_terceiro"),
    texto("cExportador", "codigo_exportador"),
    lista(
        "adi",
        "adicoes",
        &[
            texto("nAdicao", "numero"),
            texto("nSeqAdic", "sequencia"),
            texto("cFabricante", "codigo_fabricante"),
            numero("vDescDI", "desconto"),
            texto("nDraw", "drawback"),
        ],
    ),
];

const COMB: &[Regra] = &[
    texto("cProdANP", "codigo_anp"),
    texto("descANP", "descricao_anp"),
    numero("pGLP", "percentual_glp"),
    numero("pGNn", "percentual_gas_nacional"),
    numero("pGNi", "percentual_gas_importado"),
    numero("vPart", "valor_partida"),
    texto("CODIF", "codif"),
    numero("qTemp", "quantidade_temperatura"),
    texto("UFCons", "uf_consumo"),
    grupo(
        "CIDE",
        "cide",
        &[
            numero("qBCProd", "base"),
            numero("vAliqProd", "aliquota"),
            numero("vCIDE", "valor"),
        ],
    ),
    grupo(
        "encerrante",
        "encerrante",
        &[
            texto("nBico", "bico"),
            texto("nBomba", "bomba"),
            texto("nTanque", "tanque"),
            numero("vEncIni", "inicial"),
            numero("vEncFin", "final"),
        ],
    ),
    numero("pBio", "percentual_biodiesel"),
    lista(
        "origComb",
        "origens",
        &[
            logico("indImport", "importado"),
            texto("cUFOrig", "uf"),
            numero("pOrig", "percentual"),
        ],
    ),
];

const VEICULO_NOVO: &[Regra] = &[
    texto("tpOp", "tipo_operacao"),
    texto("chassi", "chassi"),
    texto("cCor", "codigo_cor"),
    texto("xCor", "cor"),
    texto("pot", "potencia"),
    texto("cilin", "cilindradas"),
    texto("pesoL", "peso_liquido"),
    texto("pesoB", "peso_bruto"),
    texto("nSerie", "serie"),
    texto("tpComb", "tipo_combustivel"),
    texto("nMotor", "motor"),
    texto("CMT", "capacidade_tracao"),
    texto("dist", "distancia_eixos"),
    texto("anoMod", "ano_modelo"),
    texto("anoFab", "ano_fabricacao"),
    texto("tpPint", "tipo_pintura"),
    texto("tpVeic", "tipo_veiculo"),
    texto("espVeic", "especie"),
    texto("VIN", "vin"),
    texto("condVeic", "condicao"),
    texto("cMod", "codigo_modelo"),
    texto("cCorDENATRAN", "codigo_cor_denatran"),
    texto("lota", "lotacao"),
    texto("tpRest", "restricao"),
];
