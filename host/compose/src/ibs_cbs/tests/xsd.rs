//! Every classification an NF-e or NFC-e admits gives a group the official
//! schema of each version takes.

use std::fmt::Write as _;
use std::process::Command;

use super::*;
use markup::tree::Conteudo;

const PACOTES: [&str; 4] = [
    "schemas/nfe/PL_010b_NT2025.002_v1.30",
    "schemas/nfe/PL_010d_NT2026.004_v1.02",
    "schemas/nfe/PL_010e_NT2025.002_v1.01",
    "schemas/nfe/nfelib-3.2.0",
];

#[test]
fn every_classification_fits_the_schema() {
    let mut notas = 0;
    for ((versao, data), pacote) in DIAS.into_iter().zip(PACOTES) {
        let mut lote = Vec::new();
        for modelo in [Modelo::Nfe, Modelo::Nfce] {
            for classe in data::class_trib::todas() {
                let admitida = match modelo {
                    Modelo::Nfe => classe.nfe,
                    Modelo::Nfce => classe.nfce,
                };
                if !admitida || !classe.em_vigor(data) {
                    continue;
                }
                let mut contexto = contexto(modelo, data);
                assert_eq!(contexto.versao, versao);
                let item = completo(&mut contexto, classe.codigo);
                let grupo = match grupo(&contexto, &item) {
                    Ok(grupo) => grupo,
                    Err(campos) => panic!("{} {modelo:?} {data}: {campos:?}", classe.codigo),
                };
                lote.push((classe.codigo.to_owned(), nota(&contexto, &item, &grupo)));
            }
        }
        notas += lote.len();
        valida(pacote, &lote);
    }
    assert!(notas > 400, "{notas}");
}

/// Members that no classification requires.
#[test]
fn optional_members_fit_the_schema() {
    for ((versao, data), pacote) in DIAS.into_iter().zip(PACOTES) {
        let mut lote = Vec::new();
        let mut poe = |nome: &str, contexto: &Contexto, item: &Item| match grupo(contexto, item) {
            Ok(grupo) => lote.push((nome.to_owned(), nota(contexto, item, &grupo))),
            Err(campos) => panic!("{nome} {data}: {campos:?}"),
        };
        let normal = contexto(Modelo::Nfe, data);

        let mut doacao = item("410003");
        doacao.doacao = true;
        poe("doacao", &normal, &doacao);

        let mut governo = normal.clone();
        governo.compra_gov = Some(CompraGov {
            p_redutor: d("12.34"),
        });
        poe("governo", &governo, &item("000001"));
        poe("governo", &governo, &item("200034"));

        let mut devolucao = item("000001");
        if versao >= Versao::E {
            devolucao.cbs.p_dev = Some(d("20"));
        } else {
            devolucao.ibs_uf.v_dev = Some(d("0.10"));
            devolucao.ibs_mun.v_dev = Some(d("0"));
            devolucao.cbs.v_dev = Some(d("0.20"));
        }
        poe("devolucao", &normal, &devolucao);

        if versao >= Versao::E {
            let mut area = item("200023");
            area.zfm_alc = Some(ZfmAlc {
                tipo: 2,
                processo: Some("12345678".to_owned()),
            });
            poe("area", &normal, &area);
        }
        if versao >= Versao::F {
            let mut valorem = item("620002");
            let tributo = |p_mun: &str| MonoTributo {
                padrao: Some(TaxaMono::AdValorem {
                    base: d("1000"),
                    p: d("1.5"),
                    p_mun: d(p_mun),
                }),
                retencao: Some(TaxaMono::AdValorem {
                    base: d("100"),
                    p: d("1.5"),
                    p_mun: d(p_mun),
                }),
                ..MonoTributo::default()
            };
            valorem.mono = Some(Monofasia {
                ibs: tributo("0.5"),
                cbs: tributo("0"),
            });
            poe("ad valorem", &normal, &valorem);

            let mut credito = contexto(Modelo::Nfe, date!(2027 - 02 - 01));
            credito.referencia.cbs = Some(d("8.8"));
            let mut usado = item("000001");
            usado.bem_movel_usado = true;
            usado.cred_pres = Some(CredPresOper {
                base: Some(d("10")),
                codigo: "04".to_owned(),
                p_ibs: Some(d("0.1")),
                p_cbs: Some(d("8.8")),
                cond_sus: false,
            });
            poe("credito", &credito, &usado);
        }
        valida(pacote, &lote);
    }
}

/// Judges notes with `xmllint`, all in one call.
fn valida(pacote: &str, lote: &[(String, String)]) {
    let Some(esquema) = judges::shared(&format!("{pacote}/nfe_v4.00.xsd")) else {
        return;
    };
    let pasta = tempfile::tempdir().expect("a folder");
    let mut comando = Command::new("xmllint");
    comando
        .args(["--noout", "--nonet", "--schema"])
        .arg(esquema);
    for (indice, (nome, xml)) in lote.iter().enumerate() {
        let arquivo = pasta.path().join(format!("{indice}-{nome}.xml"));
        std::fs::write(&arquivo, xml).expect("a file");
        comando.arg(arquivo);
    }
    let Ok(saida) = comando.output() else {
        judges::skipped("xmllint is not installed");
        return;
    };
    let texto = String::from_utf8_lossy(&saida.stderr);
    assert!(
        saida.status.success(),
        "{pacote}: {}",
        texto.chars().take(4000).collect::<String>()
    );
    assert_eq!(texto.matches(" validates").count(), lote.len());
}

/// The least a note has, with one item that carries the group.
fn nota(contexto: &Contexto, item: &Item, grupo: &Grupo) -> String {
    let (modelo, tp_imp, ind_final) = match contexto.modelo {
        Modelo::Nfe => (55_u8, '1', '0'),
        Modelo::Nfce => (65, '4', '1'),
    };
    let chave = chave(contexto, modelo);
    let mut ibs_cbs = String::new();
    escreve(&grupo.elemento, &mut ibs_cbs);
    let mut total = String::new();
    escreve(&totals([&grupo.somas]).expect("totals"), &mut total);
    let v_item = v_item(
        contexto.data,
        item.valores.v_prod,
        &grupo.somas,
        Decimal::ZERO,
    );
    let tipo = match contexto.finalidade {
        Finalidade {
            tp_nf_debito: Some(tipo),
            ..
        } => format!("<tpNFDebito>0{tipo}</tpNFDebito>"),
        Finalidade {
            tp_nf_credito: Some(tipo),
            ..
        } => {
            format!("<tpNFCredito>0{tipo}</tpNFCredito>")
        }
        _ => String::new(),
    };
    let governo = contexto.compra_gov.map_or(String::new(), |compra| {
        format!(
            "<gCompraGov><tpEnteGov>1</tpEnteGov><pRedutor>{:.4}</pRedutor>\
             <tpOperGov>1</tpOperGov></gCompraGov>",
            compra.p_redutor
        )
    });
    let icms_tot: String = [
        "vBC",
        "vICMS",
        "vICMSDeson",
        "vFCP",
        "vBCST",
        "vST",
        "vFCPST",
        "vFCPSTRet",
        "vProd",
        "vFrete",
        "vSeg",
        "vDesc",
        "vII",
        "vIPI",
        "vIPIDevol",
        "vPIS",
        "vCOFINS",
        "vOutro",
        "vNF",
    ]
    .iter()
    .map(|nome| format!("<{nome}>0.00</{nome}>"))
    .collect();
    let v_nf_tot = v_nf_tot(contexto.versao, [v_item]).expect("not zero");
    let id = chave.id();
    format!(
        "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe versao=\"4.00\" Id=\"{id}\">\
         <ide><cUF>35</cUF><cNF>{:08}</cNF><natOp>VENDA</natOp><mod>{modelo}</mod><serie>1</serie>\
         <nNF>1</nNF><dhEmi>{}T10:00:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest>\
         <cMunFG>3550308</cMunFG><tpImp>{tp_imp}</tpImp><tpEmis>1</tpEmis><cDV>{}</cDV>\
         <tpAmb>2</tpAmb><finNFe>{}</finNFe>{tipo}<indFinal>{ind_final}</indFinal>\
         <indPres>1</indPres><procEmi>0</procEmi><verProc>1</verProc>{governo}</ide>\
         <emit><CNPJ>{}</CNPJ><xNome>EMPRESA</xNome><enderEmit><xLgr>RUA</xLgr>\
         <nro>1</nro><xBairro>CENTRO</xBairro><cMun>3550308</cMun><xMun>SAO PAULO</xMun><UF>SP</UF>\
         <CEP>01001000</CEP></enderEmit><IE>110042490114</IE><CRT>3</CRT></emit>\
         <det nItem=\"1\"><prod><cProd>1</cProd><cEAN>SEM GTIN</cEAN><xProd>ITEM</xProd>\
         <NCM>17019900</NCM><CFOP>5102</CFOP><uCom>UN</uCom><qCom>1.0000</qCom>\
         <vUnCom>1000.00</vUnCom><vProd>1000.00</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib>\
         <qTrib>1.0000</qTrib><vUnTrib>1000.00</vUnTrib><indTot>1</indTot></prod>\
         <imposto><ICMS><ICMS40><orig>0</orig><CST>41</CST></ICMS40></ICMS>{ibs_cbs}</imposto>\
         <vItem>{v_item:.2}</vItem></det>\
         <total><ICMSTot>{icms_tot}</ICMSTot>{total}<vNFTot>{v_nf_tot}</vNFTot></total>\
         <transp><modFrete>9</modFrete></transp>\
         <pag><detPag><tPag>90</tPag><vPag>0.00</vPag></detPag></pag></infNFe>{}</NFe>",
        chave.c_nf(),
        contexto.data,
        chave.dv(),
        contexto.finalidade.fin_nfe,
        cnpj(contexto),
        assinatura(&id),
    )
}

fn chave(contexto: &Contexto, modelo: u8) -> markup::ids::chave::Chave {
    markup::ids::chave::Partes {
        uf: 35,
        ano: u16::try_from(contexto.data.year()).expect("a year"),
        mes: u8::from(contexto.data.month()),
        documento: cnpj(contexto).parse().expect("a CNPJ"),
        modelo,
        serie: 1,
        numero: 1,
        tp_emis: 1,
        c_nf: 48_151_623,
    }
    .chave()
    .expect("a key")
}

/// With letters as soon as the layout takes them.
fn cnpj(contexto: &Contexto) -> &'static str {
    if contexto.versao == Versao::B {
        "11222333000181"
    } else {
        "12ABC34501DE35"
    }
}

/// A signature in shape only.
fn assinatura(id: &str) -> String {
    const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
    const C14N: &str = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
    format!(
        "<Signature xmlns=\"{DSIG}\"><SignedInfo><CanonicalizationMethod Algorithm=\"{C14N}\"/>\
         <SignatureMethod Algorithm=\"{DSIG}rsa-sha1\"/><Reference URI=\"#{id}\"><Transforms>\
         <Transform Algorithm=\"{DSIG}enveloped-signature\"/><Transform Algorithm=\"{C14N}\"/>\
         </Transforms><DigestMethod Algorithm=\"{DSIG}sha1\"/>\
         <DigestValue>AAAAAAAAAAAAAAAAAAAAAAAAAAA=</DigestValue></Reference></SignedInfo>\
         <SignatureValue>AAAA</SignatureValue><KeyInfo><X509Data>\
         <X509Certificate>AAAA</X509Certificate></X509Data></KeyInfo></Signature>"
    )
}

fn escreve(elemento: &Elemento, xml: &mut String) {
    let _ = write!(xml, "<{}>", elemento.nome);
    match &elemento.conteudo {
        Conteudo::Texto(texto) => xml.push_str(texto),
        Conteudo::Filhos(filhos) => filhos.iter().for_each(|filho| escreve(filho, xml)),
    }
    let _ = write!(xml, "</{}>", elemento.nome);
}
