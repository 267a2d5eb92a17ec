//! TCInfDPS and what is below it, from tiposComplexos_v1.01 (bundle of
//! 2026-07-27). A test compares every sequence with the official file.

use super::Ocorre::{Escolha, EscolhaOpcional, Opcional, Um, Varios};
use super::{Elemento, Forma, Ocorre, Tipo};
use Forma::{
    Alfanumerico, Chave, Cnpj, Data, DataHora, Decimal, Digitos, Livre, Maiusculas, NumeroDps,
    Serie,
};

const fn texto(nome: &'static str, ocorre: Ocorre, forma: Forma) -> Elemento {
    Elemento {
        nome,
        ocorre,
        tipo: Tipo::Texto(forma),
    }
}

const fn grupo(nome: &'static str, ocorre: Ocorre, elementos: &'static [Elemento]) -> Elemento {
    Elemento {
        nome,
        ocorre,
        tipo: Tipo::Grupo(elementos),
    }
}

const VALOR: Forma = Decimal(15);
const MUNICIPIO: Forma = Digitos(7, 7);
const PAIS: Forma = Maiusculas(2);
const CEP: Forma = Digitos(8, 8);
const CPF: Forma = Digitos(11, 11);
const NAO_NIF: Forma = Forma::Um(&["0", "1", "2"]);
const SIM_NAO: Forma = Forma::Um(&["0", "1"]);

/// TCInfDPS.
pub static INF_DPS: &[Elemento] = &[
    texto("tpAmb", Um, Forma::Um(&["1", "2"])),
    texto("dhEmi", Um, DataHora),
    texto("verAplic", Um, Livre(1, 20)),
    texto("serie", Um, Serie),
    texto("nDPS", Um, NumeroDps),
    texto("dCompet", Um, Data),
    texto("tpEmit", Um, Forma::Um(&["1", "2", "3"])),
    texto("cMotivoEmisTI", Opcional, Forma::Um(&["1", "2", "3", "4"])),
    texto("chNFSeRej", Opcional, Chave(50)),
    texto("cLocEmi", Um, MUNICIPIO),
    grupo("subst", Opcional, SUBST),
    grupo("prest", Um, PREST),
    grupo("toma", Opcional, PESSOA),
    grupo("interm", Opcional, PESSOA),
    grupo("serv", Um, SERV),
    grupo("valores", Um, VALORES),
    grupo("IBSCBS", Opcional, IBSCBS),
];

static SUBST: &[Elemento] = &[
    texto("chSubstda", Um, Chave(50)),
    texto(
        "cMotivo",
        Um,
        Forma::Um(&["01", "02", "03", "04", "05", "99"]),
    ),
    texto("xMotivo", Opcional, Livre(15, 255)),
];

static PREST: &[Elemento] = &[
    texto("CNPJ", Escolha(1), Cnpj),
    texto("CPF", Escolha(1), CPF),
    texto("NIF", Escolha(1), Livre(1, 40)),
    texto("cNaoNIF", Escolha(1), NAO_NIF),
    texto("CAEPF", Opcional, Digitos(14, 14)),
    texto("IM", Opcional, Livre(1, 15)),
    texto("xNome", Opcional, Livre(1, 300)),
    grupo("end", Opcional, END),
    texto("fone", Opcional, Digitos(6, 20)),
    texto("email", Opcional, Livre(1, 80)),
    grupo("regTrib", Um, REG_TRIB),
];

static REG_TRIB: &[Elemento] = &[
    texto("opSimpNac", Um, Forma::Um(&["1", "2", "3"])),
    texto("regApTribSN", Opcional, Forma::Um(&["1", "2", "3"])),
    texto(
        "regEspTrib",
        Um,
        Forma::Um(&["0", "1", "2", "3", "4", "5", "6", "9"]),
    ),
];

static PESSOA: &[Elemento] = &[
    texto("CNPJ", Escolha(1), Cnpj),
    texto("CPF", Escolha(1), CPF),
    texto("NIF", Escolha(1), Livre(1, 40)),
    texto("cNaoNIF", Escolha(1), NAO_NIF),
    texto("CAEPF", Opcional, Digitos(14, 14)),
    texto("IM", Opcional, Livre(1, 15)),
    texto("xNome", Um, Livre(1, 300)),
    grupo("end", Opcional, END),
    texto("fone", Opcional, Digitos(6, 20)),
    texto("email", Opcional, Livre(1, 80)),
];

static END: &[Elemento] = &[
    grupo("endNac", Escolha(1), END_NAC),
    grupo("endExt", Escolha(1), END_EXT),
    texto("xLgr", Um, Livre(1, 255)),
    texto("nro", Um, Livre(1, 60)),
    texto("xCpl", Opcional, Livre(1, 156)),
    texto("xBairro", Um, Livre(1, 60)),
];

static END_NAC: &[Elemento] = &[texto("cMun", Um, MUNICIPIO), texto("CEP", Um, CEP)];

static END_EXT: &[Elemento] = &[
    texto("cPais", Um, PAIS),
    texto("cEndPost", Um, Livre(1, 11)),
    texto("xCidade", Um, Livre(1, 60)),
    texto("xEstProvReg", Um, Livre(1, 60)),
];

/// TCEnderecoSimples and TCEnderObraEvento, which are alike.
static END_SIMPLES: &[Elemento] = &[
    texto("CEP", Escolha(1), CEP),
    grupo("endExt", Escolha(1), END_EXT_SIMPLES),
    texto("xLgr", Um, Livre(1, 255)),
    texto("nro", Um, Livre(1, 60)),
    texto("xCpl", Opcional, Livre(1, 156)),
    texto("xBairro", Um, Livre(1, 60)),
];

static END_EXT_SIMPLES: &[Elemento] = &[
    texto("cEndPost", Um, Livre(1, 11)),
    texto("xCidade", Um, Livre(1, 60)),
    texto("xEstProvReg", Um, Livre(1, 60)),
];

static SERV: &[Elemento] = &[
    grupo("locPrest", Um, LOC_PREST),
    grupo("cServ", Um, C_SERV),
    grupo("comExt", Opcional, COM_EXT),
    grupo("obra", Opcional, OBRA),
    grupo("atvEvento", Opcional, ATV_EVENTO),
    grupo("infoCompl", Opcional, INFO_COMPL),
];

static LOC_PREST: &[Elemento] = &[
    texto("cLocPrestacao", Escolha(1), MUNICIPIO),
    texto("cPaisPrestacao", Escolha(1), PAIS),
];

static C_SERV: &[Elemento] = &[
    texto("cTribNac", Um, Digitos(6, 6)),
    texto("cTribMun", Opcional, Digitos(3, 3)),
    texto("xDescServ", Um, Livre(1, 2000)),
    texto("cNBS", Opcional, Digitos(9, 9)),
    texto("cIntContrib", Opcional, Alfanumerico(20)),
];

static COM_EXT: &[Elemento] = &[
    texto("mdPrestacao", Um, Forma::Um(&["0", "1", "2", "3", "4"])),
    texto(
        "vincPrest",
        Um,
        Forma::Um(&["0", "1", "2", "3", "4", "5", "6", "9"]),
    ),
    texto("tpMoeda", Um, Digitos(3, 3)),
    texto("vServMoeda", Um, VALOR),
    texto(
        "mecAFComexP",
        Um,
        Forma::Um(&["00", "01", "02", "03", "04", "05", "06", "07", "08"]),
    ),
    texto(
        "mecAFComexT",
        Um,
        Forma::Um(&[
            "00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13",
            "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26",
        ]),
    ),
    texto("movTempBens", Um, Forma::Um(&["0", "1", "2", "3"])),
    texto("nDI", Opcional, Livre(1, 12)),
    texto("nRE", Opcional, Livre(1, 12)),
    texto("mdic", Um, SIM_NAO),
];

static OBRA: &[Elemento] = &[
    texto("inscImobFisc", Opcional, Livre(1, 30)),
    texto("cObra", Escolha(1), Livre(1, 30)),
    texto("cCIB", Escolha(1), Livre(8, 8)),
    grupo("end", Escolha(1), END_SIMPLES),
];

static ATV_EVENTO: &[Elemento] = &[
    texto("xNome", Um, Livre(1, 255)),
    texto("dtIni", Um, Data),
    texto("dtFim", Um, Data),
    texto("idAtvEvt", Escolha(1), Livre(1, 30)),
    grupo("end", Escolha(1), END_SIMPLES),
];

static INFO_COMPL: &[Elemento] = &[
    texto("idDocTec", Opcional, Livre(1, 40)),
    texto("docRef", Opcional, Livre(1, 255)),
    texto("xPed", Opcional, Livre(1, 60)),
    grupo("gItemPed", Opcional, ITEM_PED),
    texto("xInfComp", Opcional, Livre(1, 2000)),
];

static ITEM_PED: &[Elemento] = &[texto("xItemPed", Varios(99), Livre(1, 60))];

static VALORES: &[Elemento] = &[
    grupo("vServPrest", Um, V_SERV_PREST),
    grupo("vDescCondIncond", Opcional, V_DESC),
    grupo("vDedRed", Opcional, V_DED_RED),
    grupo("trib", Um, TRIB),
];

static V_SERV_PREST: &[Elemento] = &[texto("vReceb", Opcional, VALOR), texto("vServ", Um, VALOR)];

static V_DESC: &[Elemento] = &[
    texto("vDescIncond", Opcional, VALOR),
    texto("vDescCond", Opcional, VALOR),
];

static V_DED_RED: &[Elemento] = &[
    texto("pDR", Escolha(1), Decimal(3)),
    texto("vDR", Escolha(1), VALOR),
    grupo("documentos", Escolha(1), DOCUMENTOS),
];

static DOCUMENTOS: &[Elemento] = &[grupo("docDedRed", Varios(1000), DOC_DED_RED)];

static DOC_DED_RED: &[Elemento] = &[
    texto("chNFSe", Escolha(1), Chave(50)),
    texto("chNFe", Escolha(1), Chave(44)),
    grupo("NFSeMun", Escolha(1), NFSE_MUN),
    grupo("NFNFS", Escolha(1), NFNFS),
    texto("nDocFisc", Escolha(1), Livre(1, 255)),
    texto("nDoc", Escolha(1), Livre(1, 255)),
    texto(
        "tpDedRed",
        Um,
        Forma::Um(&["1", "2", "3", "4", "5", "6", "7", "8", "9", "99"]),
    ),
    texto("xDescOutDed", Opcional, Livre(1, 150)),
    texto("dtEmiDoc", Um, Data),
    texto("vDedutivelRedutivel", Um, VALOR),
    texto("vDeducaoReducao", Um, VALOR),
    grupo("fornec", Opcional, PESSOA),
];

static NFSE_MUN: &[Elemento] = &[
    texto("cMunNFSeMun", Um, MUNICIPIO),
    texto("nNFSeMun", Um, Digitos(1, 15)),
    texto("cVerifNFSeMun", Um, Alfanumerico(9)),
];

static NFNFS: &[Elemento] = &[
    texto("nNFS", Um, Digitos(7, 7)),
    texto("modNFS", Um, Digitos(1, 15)),
    texto("serieNFS", Um, Alfanumerico(15)),
];

static TRIB: &[Elemento] = &[
    grupo("tribMun", Um, TRIB_MUN),
    grupo("tribFed", Opcional, TRIB_FED),
    grupo("totTrib", Um, TOT_TRIB),
];

static TRIB_MUN: &[Elemento] = &[
    texto("tribISSQN", Um, Forma::Um(&["1", "2", "3", "4"])),
    texto("cPaisResult", Opcional, PAIS),
    texto(
        "tpImunidade",
        Opcional,
        Forma::Um(&["0", "1", "2", "3", "4", "5"]),
    ),
    grupo("exigSusp", Opcional, EXIG_SUSP),
    grupo("BM", Opcional, BM),
    texto("tpRetISSQN", Um, Forma::Um(&["1", "2", "3"])),
    texto("pAliq", Opcional, Decimal(1)),
];

static EXIG_SUSP: &[Elemento] = &[
    texto("tpSusp", Um, Forma::Um(&["1", "2"])),
    texto("nProcesso", Um, Digitos(30, 30)),
];

static BM: &[Elemento] = &[
    texto("nBM", Um, Digitos(14, 14)),
    texto("vRedBCBM", EscolhaOpcional(1), VALOR),
    texto("pRedBCBM", EscolhaOpcional(1), Decimal(3)),
];

static TRIB_FED: &[Elemento] = &[
    grupo("piscofins", Opcional, PIS_COFINS),
    texto("vRetCP", Opcional, VALOR),
    texto("vRetIRRF", Opcional, VALOR),
    texto("vRetCSLL", Opcional, VALOR),
];

static PIS_COFINS: &[Elemento] = &[
    texto(
        "CST",
        Um,
        Forma::Um(&[
            "00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "49", "50", "51", "52",
            "53", "54", "55", "56", "60", "61", "62", "63", "64", "65", "66", "67", "70", "71",
            "72", "73", "74", "75", "98", "99",
        ]),
    ),
    texto("vBCPisCofins", Opcional, VALOR),
    texto("pAliqPis", Opcional, Decimal(2)),
    texto("pAliqCofins", Opcional, Decimal(2)),
    texto("vPis", Opcional, VALOR),
    texto("vCofins", Opcional, VALOR),
    texto(
        "tpRetPisCofins",
        Opcional,
        Forma::Um(&["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    ),
];

static TOT_TRIB: &[Elemento] = &[
    grupo("vTotTrib", Escolha(1), V_TOT_TRIB),
    grupo("pTotTrib", Escolha(1), P_TOT_TRIB),
    texto("indTotTrib", Escolha(1), Forma::Um(&["0"])),
    texto("pTotTribSN", Escolha(1), Decimal(2)),
];

static V_TOT_TRIB: &[Elemento] = &[
    texto("vTotTribFed", Um, VALOR),
    texto("vTotTribEst", Um, VALOR),
    texto("vTotTribMun", Um, VALOR),
];

static P_TOT_TRIB: &[Elemento] = &[
    texto("pTotTribFed", Um, Decimal(3)),
    texto("pTotTribEst", Um, Decimal(3)),
    texto("pTotTribMun", Um, Decimal(3)),
];

static IBSCBS: &[Elemento] = &[
    texto("finNFSe", Um, Forma::Um(&["0"])),
    texto("indFinal", Opcional, SIM_NAO),
    texto("cIndOp", Um, Digitos(6, 6)),
    texto("tpOper", Opcional, Forma::Um(&["1", "2", "3", "4", "5"])),
    grupo("gRefNFSe", Opcional, REF_NFSE),
    texto("tpEnteGov", Opcional, Forma::Um(&["1", "2", "3", "4"])),
    texto("indDest", Um, SIM_NAO),
    grupo("dest", Opcional, DEST),
    grupo("imovel", Opcional, IMOVEL),
    grupo("valores", Um, IBSCBS_VALORES),
];

static REF_NFSE: &[Elemento] = &[texto("refNFSe", Varios(99), Chave(50))];

static DEST: &[Elemento] = &[
    texto("CNPJ", Escolha(1), Cnpj),
    texto("CPF", Escolha(1), CPF),
    texto("NIF", Escolha(1), Livre(1, 40)),
    texto("cNaoNIF", Escolha(1), NAO_NIF),
    texto("xNome", Um, Livre(1, 150)),
    grupo("end", Opcional, END),
    texto("fone", Opcional, Digitos(6, 20)),
    texto("email", Opcional, Livre(1, 80)),
];

static IMOVEL: &[Elemento] = &[
    texto("inscImobFisc", Opcional, Livre(1, 30)),
    texto("cCIB", Escolha(1), Livre(8, 8)),
    grupo("end", Escolha(1), END_SIMPLES),
];

static IBSCBS_VALORES: &[Elemento] = &[
    grupo("gReeRepRes", Opcional, REE_REP_RES),
    grupo("trib", Um, IBSCBS_TRIB),
];

static REE_REP_RES: &[Elemento] = &[grupo("documentos", Varios(1000), REE_DOCUMENTO)];

static REE_DOCUMENTO: &[Elemento] = &[
    grupo("dFeNacional", Escolha(1), REE_DFE),
    grupo("docFiscalOutro", Escolha(1), REE_FISCAL),
    grupo("docOutro", Escolha(1), REE_OUTRO),
    grupo("fornec", Opcional, REE_FORNEC),
    texto("dtEmiDoc", Um, Data),
    texto("dtCompDoc", Um, Data),
    texto(
        "tpReeRepRes",
        Um,
        Forma::Um(&["01", "02", "03", "04", "99"]),
    ),
    texto("xTpReeRepRes", Opcional, Livre(1, 150)),
    texto("vlrReeRepRes", Um, VALOR),
];

static REE_DFE: &[Elemento] = &[
    texto("tipoChaveDFe", Um, Forma::Um(&["1", "2", "3", "9"])),
    texto("xTipoChaveDFe", Opcional, Livre(1, 255)),
    texto("chaveDFe", Um, Livre(1, 50)),
];

static REE_FISCAL: &[Elemento] = &[
    texto("cMunDocFiscal", Um, Digitos(7, 7)),
    texto("nDocFiscal", Um, Livre(1, 255)),
    texto("xDocFiscal", Um, Livre(1, 255)),
];

static REE_OUTRO: &[Elemento] = &[
    texto("nDoc", Um, Livre(1, 255)),
    texto("xDoc", Um, Livre(1, 255)),
];

static REE_FORNEC: &[Elemento] = &[
    texto("CNPJ", Escolha(1), Cnpj),
    texto("CPF", Escolha(1), CPF),
    texto("NIF", Escolha(1), Livre(1, 40)),
    texto("cNaoNIF", Escolha(1), NAO_NIF),
    texto("xNome", Um, Livre(1, 150)),
];

static IBSCBS_TRIB: &[Elemento] = &[grupo("gIBSCBS", Um, G_IBSCBS)];

static G_IBSCBS: &[Elemento] = &[
    texto("CST", Um, Digitos(3, 3)),
    texto("cClassTrib", Um, Digitos(6, 6)),
    texto("cCredPres", Opcional, Digitos(2, 2)),
    grupo("gTribRegular", Opcional, TRIB_REGULAR),
    grupo("gDif", Opcional, DIF),
];

static TRIB_REGULAR: &[Elemento] = &[
    texto("CSTReg", Um, Digitos(3, 3)),
    texto("cClassTribReg", Um, Digitos(6, 6)),
];

static DIF: &[Elemento] = &[
    texto("pDifUF", Um, Decimal(3)),
    texto("pDifMun", Um, Decimal(3)),
    texto("pDifCBS", Um, Decimal(3)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use sdk::xml::Element;
    use std::path::PathBuf;

    /// The folder with official material, or None (and says so).
    fn esquemas() -> Option<PathBuf> {
        judges::shared("schemas/nfse-nacional/v1.01-20260727")
    }

    /// Compares a table with the sequence of an official type, and goes down.
    fn compara(tipos: &Element, tipo: &str, tabela: &[Elemento], caminho: &str) {
        let definido = tipos
            .children_named("complexType")
            .find(|definido| definido.attribute("name") == Some(tipo))
            .unwrap_or_else(|| panic!("{caminho}: no type {tipo}"));
        let mut oficiais = Vec::new();
        junta(definido, None, &mut oficiais);
        let nomes: Vec<&str> = oficiais
            .iter()
            .map(|(elemento, _)| elemento.attribute("name").expect("name"))
            .collect();
        assert_eq!(
            nomes,
            tabela
                .iter()
                .map(|elemento| elemento.nome)
                .collect::<Vec<_>>(),
            "{caminho}"
        );
        for ((oficial, escolha), nosso) in oficiais.iter().zip(tabela) {
            let caminho = format!("{caminho}/{}", nosso.nome);
            let opcional = oficial.attribute("minOccurs") == Some("0");
            let maximo = oficial
                .attribute("maxOccurs")
                .and_then(|maximo| maximo.parse::<usize>().ok());
            let certo = match nosso.ocorre {
                Um => !opcional && escolha.is_none() && maximo.is_none(),
                Opcional => opcional && escolha.is_none(),
                Escolha(_) => *escolha == Some(true),
                EscolhaOpcional(_) => opcional || *escolha == Some(false),
                Varios(nosso) => maximo == Some(nosso) && !opcional,
            };
            assert!(certo, "{caminho}: occurs {:?}", nosso.ocorre);
            if let Tipo::Grupo(dentro) = nosso.tipo {
                compara(
                    tipos,
                    oficial.attribute("type").expect("type"),
                    dentro,
                    &caminho,
                );
            }
        }
    }

    /// Elements of a sequence; inside a choice with Some(it is mandatory).
    fn junta<'a>(
        de: &'a Element,
        escolha: Option<bool>,
        em: &mut Vec<(&'a Element, Option<bool>)>,
    ) {
        for filho in de.children() {
            match filho.name() {
                "element" => em.push((filho, escolha)),
                "choice" => junta(filho, Some(filho.attribute("minOccurs") != Some("0")), em),
                "sequence" => junta(filho, escolha, em),
                _ => {}
            }
        }
    }

    #[test]
    fn same_order_and_occurrence_as_the_official_schema() {
        let Some(bundle) = esquemas() else { return };
        let bytes = std::fs::read(bundle.join("tiposComplexos_v1.01.xsd")).expect("schema");
        let tipos = sdk::xml::parse(&bytes).expect("XML");
        compara(tipos.root(), "TCInfDPS", INF_DPS, "infDPS");
    }
}
