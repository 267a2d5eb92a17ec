//! `infNFe` and what goes with it.

use super::total::TOTAL;
use super::{dissolve, grupo, lista, logico, numero, palavra, palavra_de, texto, textos};
use crate::nfe::reading::reader::{Como, Regra};
use crate::nfe::reading::table::parties::{AVULSA, DEST, EMIT, LOCAL, RESPONSAVEL, TRANSPORTA};

/// Children of `infNFe`; `det` is read apart.
pub(in super::super) const INF_NFE: &[Regra] = &[
    texto("@versao", "layout"),
    texto("@Id", "id"),
    dissolve("ide", IDE),
    grupo("emit", "emitente", EMIT),
    grupo("avulsa", "avulsa", AVULSA),
    grupo("dest", "destinatario", DEST),
    grupo("retirada", "retirada", LOCAL),
    grupo("entrega", "entrega", LOCAL),
    Regra {
        tag: "autXML",
        nome: "autorizados_xml",
        como: Como::TextosDe,
    },
    lista("det", "itens", super::DET),
    dissolve("total", TOTAL),
    grupo("transp", "transporte", TRANSP),
    grupo("cobr", "cobranca", COBR),
    dissolve("pag", PAG),
    grupo(
        "infIntermed",
        "intermediador",
        &[
            texto("CNPJ", "cnpj"),
            texto("idCadIntTran", "identificador"),
        ],
    ),
    dissolve("infAdic", INF_ADIC),
    grupo(
        "exporta",
        "exportacao",
        &[
            texto("UFSaidaPais", "uf_embarque"),
            texto("xLocExporta", "local_embarque"),
            texto("xLocDespacho", "local_despacho"),
        ],
    ),
    grupo(
        "compra",
        "compra",
        &[
            texto("xNEmp", "empenho"),
            texto("xPed", "pedido"),
            texto("xCont", "contrato"),
        ],
    ),
    grupo("cana", "cana", CANA),
    grupo("infRespTec", "responsavel_tecnico", RESPONSAVEL),
    grupo(
        "infSolicNFF",
        "solicitacao_nff",
        &[texto("xSolic", "texto")],
    ),
    grupo("agropecuario", "agropecuario", AGROPECUARIO),
    grupo(
        "infPAA",
        "provedor_assinatura",
        &[
            texto("CNPJPAA", "cnpj"),
            dissolve(
                "PAASignature",
                &[
                    texto("SignatureValue", "assinatura"),
                    dissolve(
                        "RSAKeyValue",
                        &[texto("Modulus", "modulo"), texto("Exponent", "expoente")],
                    ),
                ],
            ),
        ],
    ),
];

pub(in super::super) const INF_NFE_SUPL: &[Regra] = &[
    texto("qrCode", "qr_code"),
    texto("urlChave", "url_consulta"),
];

/// `protNFe`.
pub(in super::super) const PROTOCOLO: &[Regra] = &[
    texto("@versao", "layout"),
    dissolve(
        "infProt",
        &[
            texto("@Id", "id"),
            palavra("tpAmb", "ambiente", ambiente),
            texto("verAplic", "aplicativo"),
            texto("chNFe", "chave"),
            texto("dhRecbto", "recebida_em"),
            texto("nProt", "numero"),
            texto("digVal", "digest"),
            texto("cStat", "status"),
            texto("xMotivo", "mensagem"),
            texto("cMsg", "codigo_mensagem_fisco"),
            texto("xMsg", "mensagem_fisco"),
        ],
    ),
];

fn ambiente(codigo: &str) -> Option<&'static str> {
    match codigo {
        "1" => Some("producao"),
        "2" => Some("homologacao"),
        _ => None,
    }
}

const IDE: &[Regra] = &[
    texto("cUF", "codigo_uf"),
    texto("cNF", "codigo_numerico"),
    texto("natOp", "natureza_operacao"),
    // Of layout 3.10.
    palavra(
        "indPag",
        "indicador_pagamento",
        palavra_de!(IndicadorPagamento),
    ),
    texto("mod", "modelo"),
    numero("serie", "serie"),
    numero("nNF", "numero"),
    texto("dhEmi", "data_emissao"),
    texto("dhSaiEnt", "data_saida"),
    texto("dPrevEntrega", "data_previsao_entrega"),
    palavra("tpNF", "tipo_operacao", palavra_de!(TipoOperacao)),
    palavra("idDest", "destino_operacao", palavra_de!(Destino)),
    texto("cMunFG", "municipio_fato_gerador"),
    texto("cMunFGIBS", "municipio_fato_gerador_ibs"),
    texto("tpImp", "formato_danfe"),
    texto("tpEmis", "forma_emissao"),
    texto("cDV", "digito_verificador"),
    palavra("tpAmb", "ambiente", ambiente),
    palavra("finNFe", "finalidade", palavra_de!(Finalidade)),
    palavra(
        "tpNFDebito",
        "tipo_nota_debito",
        palavra_de!(TipoNotaDebito),
    ),
    palavra(
        "tpNFCredito",
        "tipo_nota_credito",
        palavra_de!(TipoNotaCredito),
    ),
    logico("indFinal", "consumidor_final"),
    palavra("indPres", "presenca", palavra_de!(Presenca)),
    texto("indIntermed", "indicador_intermediador"),
    texto("cIndOp", "indicador_operacao"),
    texto("procEmi", "processo_emissao"),
    texto("verProc", "versao_aplicativo"),
    texto("dhCont", "contingencia.desde"),
    texto("xJust", "contingencia.justificativa"),
    lista("NFref", "referencias", NF_REF),
    grupo(
        "gCompraGov",
        "compra_governamental",
        &[
            texto("tpEnteGov", "tipo_ente"),
            numero("pRedutor", "redutor"),
            texto("tpOperGov", "tipo_operacao"),
            textos("refDFeAnt", "referencias"),
        ],
    ),
    dissolve(
        "gPagAntecipado",
        &[textos("refNFe", "pagamentos_antecipados")],
    ),
];

const NF_REF: &[Regra] = &[
    texto("refNFe", "chave"),
    texto("refNFeSig", "chave_sigilosa"),
    grupo(
        "refNF",
        "nota_papel",
        &[
            texto("cUF", "uf"),
            Regra {
                tag: "AAMM",
                nome: "mes",
                como: Como::AnoMes,
            },
            texto("CNPJ", "cnpj"),
            texto("mod", "modelo"),
            texto("serie", "serie"),
            texto("nNF", "numero"),
        ],
    ),
    grupo(
        "refNFP",
        "nota_produtor",
        &[
            texto("cUF", "uf"),
            Regra {
                tag: "AAMM",
                nome: "mes",
                como: Como::AnoMes,
            },
            texto("CNPJ", "cpf_cnpj"),
            texto("CPF", "cpf_cnpj"),
            texto("IE", "ie"),
            texto("mod", "modelo"),
            texto("serie", "serie"),
            texto("nNF", "numero"),
        ],
    ),
    // The model in the key tells it from an NF-e.
    texto("refCTe", "chave"),
    grupo(
        "refECF",
        "cupom",
        &[
            texto("mod", "modelo"),
            texto("nECF", "numero_ecf"),
            texto("nCOO", "coo"),
        ],
    ),
];

const VEICULO: &[Regra] = &[
    texto("placa", "placa"),
    texto("UF", "uf"),
    texto("RNTC", "rntc"),
];

const TRANSP: &[Regra] = &[
    palavra("modFrete", "modalidade_frete", palavra_de!(ModalidadeFrete)),
    grupo("transporta", "transportador", TRANSPORTA),
    grupo(
        "retTransp",
        "retencao_icms",
        &[
            numero("vServ", "valor_servico"),
            numero("vBCRet", "base"),
            numero("pICMSRet", "aliquota"),
            numero("vICMSRet", "valor"),
            texto("CFOP", "cfop"),
            texto("cMunFG", "municipio"),
        ],
    ),
    grupo("veicTransp", "veiculo", VEICULO),
    lista("reboque", "reboques", VEICULO),
    texto("vagao", "vagao"),
    texto("balsa", "balsa"),
    lista(
        "vol",
        "volumes",
        &[
            numero("qVol", "quantidade"),
            texto("esp", "especie"),
            texto("marca", "marca"),
            texto("nVol", "numeracao"),
            numero("pesoL", "peso_liquido"),
            numero("pesoB", "peso_bruto"),
            Regra {
                tag: "lacres",
                nome: "lacres",
                como: Como::TextosDe,
            },
        ],
    ),
];

const COBR: &[Regra] = &[
    grupo(
        "fat",
        "fatura",
        &[
            texto("nFat", "numero"),
            numero("vOrig", "valor_original"),
            numero("vDesc", "desconto"),
            numero("vLiq", "valor_liquido"),
        ],
    ),
    lista(
        "dup",
        "duplicatas",
        &[
            texto("nDup", "numero"),
            texto("dVenc", "vencimento"),
            numero("vDup", "valor"),
        ],
    ),
];

const PAG: &[Regra] = &[
    lista(
        "detPag",
        "pagamentos",
        &[
            palavra("indPag", "indicador", palavra_de!(IndicadorPagamento)),
            palavra("tPag", "forma", palavra_de!(Forma)),
            texto("xPag", "descricao"),
            numero("vPag", "valor"),
            texto("dPag", "data"),
            texto("CNPJPag", "cnpj_pagador"),
            texto("UFPag", "uf_pagador"),
            grupo(
                "card",
                "cartao",
                &[
                    Regra {
                        tag: "tpIntegra",
                        nome: "integrado",
                        como: Como::Logico("1", "2"),
                    },
                    texto("CNPJ", "cnpj_credenciadora"),
                    texto("tBand", "bandeira"),
                    texto("cAut", "autorizacao"),
                    texto("CNPJReceb", "cnpj_recebedor"),
                    texto("idTermPag", "terminal"),
                ],
            ),
        ],
    ),
    numero("vTroco", "troco"),
];

pub(super) const OBSERVACAO: &[Regra] = &[texto("@xCampo", "campo"), texto("xTexto", "texto")];

const INF_ADIC: &[Regra] = &[
    texto("infAdFisco", "informacoes_fisco"),
    texto("infCpl", "informacoes_complementares"),
    lista("obsCont", "observacoes_contribuinte", OBSERVACAO),
    lista("obsFisco", "observacoes_fisco", OBSERVACAO),
    lista(
        "procRef",
        "processos",
        &[
            texto("nProc", "numero"),
            palavra("indProc", "origem", palavra_de!(OrigemProcesso)),
            texto("tpAto", "tipo_ato"),
        ],
    ),
];

const CANA: &[Regra] = &[
    texto("safra", "safra"),
    texto("ref", "mes"),
    lista(
        "forDia",
        "fornecimentos",
        &[numero("@dia", "dia"), numero("qtde", "quantidade")],
    ),
    numero("qTotMes", "total_mes"),
    numero("qTotAnt", "total_anterior"),
    numero("qTotGer", "total_geral"),
    lista(
        "deduc",
        "deducoes",
        &[texto("xDed", "descricao"), numero("vDed", "valor")],
    ),
    numero("vFor", "valor_fornecimento"),
    numero("vTotDed", "valor_deducoes"),
    numero("vLiqFor", "valor_liquido"),
];

const AGROPECUARIO: &[Regra] = &[
    lista(
        "defensivo",
        "defensivos",
        &[
            texto("nReceituario", "receituario"),
            texto("CPFRespTec", "cpf_responsavel"),
        ],
    ),
    grupo(
        "guiaTransito",
        "guia_transito",
        &[
            texto("tpGuia", "tipo"),
            texto("UFGuia", "uf"),
            texto("serieGuia", "serie"),
            texto("nGuia", "numero"),
        ],
    ),
];
