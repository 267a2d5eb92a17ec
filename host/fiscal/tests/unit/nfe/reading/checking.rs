//! A note where everything fits, and one thing wrong at a time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fiscal::nfe::reading::{Finding, Severity, check};
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Parts};
use markup::xml::{C14n, Document, canonicalize};
use sha1::{Digest, Sha1};
use time::{Date, macros::date};

use super::texts;

pub(super) fn chave(model: u8, tp_emis: u8) -> Chave {
    chave_of(model, tp_emis, date!(2026 - 11 - 20))
}

pub(super) fn chave_of(model: u8, tp_emis: u8, day: Date) -> Chave {
    let parts = Parts {
        uf: 35,
        year: u16::try_from(day.year()).unwrap(),
        month: day.month().into(),
        documento: CpfCnpj::parse("11222333000181").unwrap(),
        model,
        serie: 1,
        number: 1523,
        tp_emis,
        c_nf: 31_415_926,
    };
    parts.chave().unwrap()
}

fn item(number: u8) -> String {
    format!(
        "<det nItem=\"{number}\"><prod><cProd>{number}</cProd><cEAN>7891910000197</cEAN><xProd>Açúcar</xProd><NCM>17019900</NCM><CFOP>5102</CFOP><uCom>UN</uCom><qCom>2.0000</qCom><vUnCom>4.9900000000</vUnCom><vProd>9.98</vProd><cEANTrib>SEM GTIN</cEANTrib><uTrib>UN</uTrib><qTrib>2.0000</qTrib><vUnTrib>4.9900000000</vUnTrib><vFrete>1.00</vFrete><vDesc>0.50</vDesc><indTot>1</indTot></prod><imposto><vTotTrib>2.00</vTotTrib><ICMS><ICMS00><orig>0</orig><CST>00</CST><modBC>3</modBC><vBC>10.48</vBC><pICMS>18.00</pICMS><vICMS>1.89</vICMS></ICMS00></ICMS><IPI><cEnq>999</cEnq><IPITrib><CST>50</CST><vBC>10.48</vBC><pIPI>5.00</pIPI><vIPI>0.52</vIPI></IPITrib></IPI><PIS><PISAliq><CST>01</CST><vBC>9.98</vBC><pPIS>1.65</pPIS><vPIS>0.16</vPIS></PISAliq></PIS><COFINS><COFINSAliq><CST>01</CST><vBC>9.98</vBC><pCOFINS>7.60</pCOFINS><vCOFINS>0.76</vCOFINS></COFINSAliq></COFINS><IBSCBS><CST>000</CST><cClassTrib>000001</cClassTrib><gIBSCBS><vBC>7.67</vBC><gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.01</vIBSUF></gIBSUF><gIBSMun><pIBSMun>0.0000</pIBSMun><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.01</vIBS><gCBS><pCBS>0.9000</pCBS><vCBS>0.07</vCBS></gCBS></gIBSCBS></IBSCBS></imposto><vItem>11.00</vItem></det>"
    )
}

/// Two items of 11.00 each.
pub(super) fn nota(model: u8) -> String {
    let chave = chave(model, 1);
    let (id, dv) = (chave.id(), chave.dv());
    let supplement = if model == 65 {
        format!(
            "<infNFeSupl><qrCode>https://www.nfce.fazenda.sp.gov.br/qrcode?p={}|3|2</qrCode><urlChave>{}</urlChave></infNFeSupl>",
            chave.as_str(),
            data::nfce::get("SP", 2).unwrap().query
        )
    } else {
        String::new()
    };
    format!(
        "<nfeProc xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><NFe><infNFe Id=\"{id}\" versao=\"4.00\"><ide><cUF>35</cUF><cNF>31415926</cNF><natOp>Venda</natOp><mod>{model}</mod><serie>1</serie><nNF>1523</nNF><dhEmi>2026-11-20T10:15:00-03:00</dhEmi><tpNF>1</tpNF><idDest>1</idDest><cMunFG>3550308</cMunFG><tpEmis>1</tpEmis><cDV>{dv}</cDV><tpAmb>2</tpAmb><finNFe>1</finNFe></ide><emit><CNPJ>11222333000181</CNPJ><enderEmit><cMun>3550308</cMun><UF>SP</UF></enderEmit><IE>110042490114</IE></emit><dest><CPF>52998224725</CPF><enderDest><cMun>3550308</cMun><UF>SP</UF></enderDest></dest><autXML><CNPJ>11222333000181</CNPJ></autXML>{}{}<total><ICMSTot><vBC>20.96</vBC><vICMS>3.78</vICMS><vICMSDeson>0.00</vICMSDeson><vFCP>0.00</vFCP><vBCST>0.00</vBCST><vST>0.00</vST><vFCPST>0.00</vFCPST><vFCPSTRet>0.00</vFCPSTRet><vProd>19.96</vProd><vFrete>2.00</vFrete><vSeg>0.00</vSeg><vDesc>1.00</vDesc><vII>0.00</vII><vIPI>1.04</vIPI><vIPIDevol>0.00</vIPIDevol><vPIS>0.32</vPIS><vCOFINS>1.52</vCOFINS><vOutro>0.00</vOutro><vNF>22.00</vNF><vTotTrib>4.00</vTotTrib></ICMSTot><IBSCBSTot><vBCIBSCBS>15.34</vBCIBSCBS><gIBS><gIBSUF><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vIBSUF>0.02</vIBSUF></gIBSUF><gIBSMun><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vIBSMun>0.00</vIBSMun></gIBSMun><vIBS>0.02</vIBS></gIBS><gCBS><vDif>0.00</vDif><vDevTrib>0.00</vDevTrib><vCBS>0.14</vCBS></gCBS></IBSCBSTot><vNFTot>22.00</vNFTot></total><transp><modFrete>9</modFrete></transp><cobr><fat><nFat>1</nFat><vOrig>22.00</vOrig><vDesc>0.00</vDesc><vLiq>22.00</vLiq></fat><dup><nDup>001</nDup><dVenc>2026-12-20</dVenc><vDup>22.00</vDup></dup></cobr><pag><detPag><tPag>01</tPag><vPag>25.00</vPag></detPag><vTroco>3.00</vTroco></pag></infNFe>{supplement}<Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><SignedInfo><CanonicalizationMethod Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/><SignatureMethod Algorithm=\"http://www.w3.org/2000/09/xmldsig#rsa-sha1\"/><Reference URI=\"#{id}\"><Transforms><Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/><Transform Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/></Transforms><DigestMethod Algorithm=\"http://www.w3.org/2000/09/xmldsig#sha1\"/><DigestValue>YWJj</DigestValue></Reference></SignedInfo><SignatureValue>YWJj</SignatureValue><KeyInfo><X509Data><X509Certificate>YWJj</X509Certificate></X509Data></KeyInfo></Signature></NFe><protNFe versao=\"4.00\"><infProt><tpAmb>2</tpAmb><chNFe>{}</chNFe><digVal>YWJj</digVal><cStat>100</cStat></infProt></protNFe></nfeProc>",
        item(1),
        item(2),
        chave.as_str()
    )
}

/// With the digest of what it says now, in signature and protocol.
fn signed(xml: &str) -> String {
    let doc = Document::parse(xml).unwrap();
    let inf = doc.elements().find(|e| e.name() == "infNFe").unwrap();
    let text = canonicalize(&doc, inf.id(), C14n::Inclusive, None);
    let digest = STANDARD.encode(Sha1::digest(text.as_bytes()));
    xml.replace("<DigestValue>YWJj", &format!("<DigestValue>{digest}"))
        .replace("<digVal>YWJj", &format!("<digVal>{digest}"))
}

pub(super) fn findings(xml: &str) -> Vec<Finding> {
    read_count(&signed(xml), true)
}

/// Of a text as it is.
fn read_count(xml: &str, rsa: bool) -> Vec<Finding> {
    let doc = Document::parse(xml).unwrap();
    let opinion = check(&doc, date!(2026 - 11 - 20), |_| rsa).unwrap();
    opinion.findings
}

pub(super) fn codes(xml: &str) -> Vec<String> {
    findings(xml)
        .iter()
        .map(|finding| format!("{} {}", finding.codigo, finding.caminho))
        .collect()
}

#[test]
fn a_note_that_fits() {
    assert_eq!(codes(&nota(55)), [""; 0]);
    assert_eq!(codes(&nota(65)), [""; 0]);
}

/// Replacement in the note, what is found, first things first.
const ERROS: &[(&str, &str, &[&str])] = &[
    (
        "Id=\"NFe35",
        "Id=\"35",
        &[
            "227 infNFe/@Id",
            "298 Signature/SignedInfo/Reference/@URI",
            "protocolo_de_outra_nota protNFe/infProt/chNFe",
        ],
    ),
    (
        "<nNF>1523</nNF>",
        "<nNF>1524</nNF>",
        &["502 infNFe/ide/nNF"],
    ),
    (
        "<serie>1</serie>",
        "<serie>2</serie>",
        &["502 infNFe/ide/serie"],
    ),
    (
        "<cNF>31415926</cNF>",
        "<cNF>31415927</cNF>",
        &["502 infNFe/ide/cNF"],
    ),
    (
        "<tpEmis>1</tpEmis>",
        "<tpEmis>6</tpEmis>",
        &["502 infNFe/ide/tpEmis"],
    ),
    (
        "2026-11-20T10:15:00",
        "2026-10-20T10:15:00",
        &["502 infNFe/ide/dhEmi"],
    ),
    (
        "<CNPJ>11222333000181</CNPJ><enderEmit>",
        "<CNPJ>11222333000182</CNPJ><enderEmit>",
        &["502 infNFe/emit", "207 infNFe/emit/CNPJ"],
    ),
    ("<cDV>", "<cDV>1", &["253 infNFe/ide/cDV"]),
    ("52998224725", "52998224726", &["237 infNFe/dest/CPF"]),
    (
        "<autXML><CNPJ>11222333000181",
        "<autXML><CNPJ>11222333000180",
        &["323 infNFe/autXML[1]/CNPJ"],
    ),
    (
        "<IE>110042490114</IE>",
        "<IE>110042490115</IE>",
        &["209 infNFe/emit/IE"],
    ),
    (
        "<cMunFG>3550308",
        "<cMunFG>3550309",
        &["270 infNFe/ide/cMunFG"],
    ),
    (
        "<enderDest><cMun>3550308",
        "<enderDest><cMun>3304557",
        &["275 infNFe/dest/enderDest/cMun"],
    ),
    (
        "<det nItem=\"2\">",
        "<det nItem=\"3\">",
        &["927 infNFe/det[2]/@nItem"],
    ),
    (
        "<cProd>1</cProd><cEAN>7891910000197",
        "<cProd>1</cProd><cEAN>7891910000198",
        &["611 infNFe/det[1]/prod/cEAN"],
    ),
    (
        "<vOutro>0.00</vOutro>",
        "<vOutro>0.01</vOutro>",
        &[
            "604 infNFe/total/ICMSTot/vOutro",
            "610 infNFe/total/ICMSTot/vNF",
        ],
    ),
    (
        "<vII>0.00</vII>",
        "<vII>1.00</vII>",
        &[
            "601 infNFe/total/ICMSTot/vII",
            "610 infNFe/total/ICMSTot/vNF",
        ],
    ),
    (
        "<vICMS>3.78</vICMS>",
        "<vICMS>3.77</vICMS>",
        &["532 infNFe/total/ICMSTot/vICMS"],
    ),
    (
        "<vNF>22.00</vNF>",
        "<vNF>22.01</vNF>",
        &["610 infNFe/total/ICMSTot/vNF", "869 infNFe/pag/vTroco"],
    ),
    (
        "<vNFTot>22.00",
        "<vNFTot>22.16",
        &["1094 infNFe/total/vNFTot"],
    ),
    (
        "<vTotTrib>4.00",
        "<vTotTrib>4.01",
        &["685 infNFe/total/ICMSTot/vTotTrib"],
    ),
    (
        "<vPag>25.00",
        "<vPag>21.99",
        &["869 infNFe/pag/vTroco", "865 infNFe/pag/detPag/vPag"],
    ),
    ("<vTroco>3.00</vTroco>", "", &["866 infNFe/pag/vTroco"]),
    ("<vDup>22.00", "<vDup>21.00", &["851 infNFe/cobr/dup/vDup"]),
    (
        "<vLiq>22.00",
        "<vLiq>21.00",
        &["902 infNFe/cobr/fat/vLiq", "851 infNFe/cobr/dup/vDup"],
    ),
    (
        "2026-12-20",
        "2026-11-19",
        &["900 infNFe/cobr/dup[1]/dVenc"],
    ),
    (
        "<vIBSUF>0.02",
        "<vIBSUF>0.03",
        &["1080 infNFe/total/IBSCBSTot/gIBS/gIBSUF/vIBSUF"],
    ),
    (
        "<vBCIBSCBS>15.34",
        "<vBCIBSCBS>15.33",
        &["1076 infNFe/total/IBSCBSTot/vBCIBSCBS"],
    ),
    (
        "<vCBS>0.14",
        "<vCBS>0.15",
        &["1091 infNFe/total/IBSCBSTot/gCBS/vCBS"],
    ),
    (
        "<vIBS>0.02",
        "<vIBS>0.03",
        &["1085 infNFe/total/IBSCBSTot/gIBS/vIBS"],
    ),
    (
        "<chNFe>35",
        "<chNFe>36",
        &["protocolo_de_outra_nota protNFe/infProt/chNFe"],
    ),
    (
        "<digVal>YWJj",
        "<digVal>YWJk",
        &["digest_diferente protNFe/infProt/digVal"],
    ),
    (
        "<cStat>100",
        "<cStat>302",
        &["nao_autorizada protNFe/infProt/cStat"],
    ),
    (
        "<infProt><tpAmb>2",
        "<infProt><tpAmb>1",
        &["ambiente_diferente protNFe/infProt/tpAmb"],
    ),
    (
        "URI=\"#NFe",
        "URI=\"#",
        &["298 Signature/SignedInfo/Reference/@URI"],
    ),
];

#[test]
fn one_thing_wrong_at_a_time() {
    let correct = nota(55);
    for (before, after, expected) in ERROS {
        assert!(correct.contains(before), "{before}");
        assert_eq!(
            codes(&correct.replacen(before, after, 1)),
            *expected,
            "{before} → {after}"
        );
    }
    // In the items, both of which are alike: the first one.
    for (before, after, expected) in [
        (
            "<vProd>9.98",
            "<vProd>10.00",
            vec![
                "629 infNFe/det[1]/prod/vProd",
                "630 infNFe/det[1]/prod/vProd",
                "564 infNFe/total/ICMSTot/vProd",
            ],
        ),
        (
            "<NCM>17019900",
            "<NCM>17019999",
            vec!["778 infNFe/det[1]/prod/NCM"],
        ),
        (
            "<CFOP>5102",
            "<CFOP>1102",
            vec!["518 infNFe/det[1]/prod/CFOP"],
        ),
        (
            "<CFOP>5102",
            "<CFOP>6102",
            vec!["732 infNFe/det[1]/prod/CFOP"],
        ),
        (
            "<CFOP>5102",
            "<CFOP>5999",
            vec!["cfop_inexistente infNFe/det[1]/prod/CFOP"],
        ),
        (
            "<PISAliq><CST>01",
            "<PISAliq><CST>10",
            vec!["cst_inexistente infNFe/det[1]/imposto/PIS/PISAliq/CST"],
        ),
        (
            "<cClassTrib>000001",
            "<cClassTrib>000099",
            vec!["1023 infNFe/det[1]/imposto/IBSCBS/cClassTrib"],
        ),
        (
            "<cClassTrib>000001",
            "<cClassTrib>200001",
            vec!["1024 infNFe/det[1]/imposto/IBSCBS/cClassTrib"],
        ),
        (
            "<vCBS>0.07",
            "<vCBS>0.09",
            vec![
                "1069 infNFe/det[1]/imposto/IBSCBS/gIBSCBS/gCBS/vCBS",
                "1091 infNFe/total/IBSCBSTot/gCBS/vCBS",
            ],
        ),
    ] {
        assert!(correct.contains(before), "{before}");
        let xml = correct.replacen(before, after, 1);
        if after == "<CFOP>5999" && data::cfop::by_text("5999").is_some() {
            continue;
        }
        assert_eq!(codes(&xml), expected, "{before} → {after}");
    }
}

/// Whether an NF-e may be paid less than it costs is the state's choice
/// (YA03-10; a rural sale is paid without Funrural). An NFC-e may not.
#[test]
fn a_payment_below_the_total_is_an_error_only_at_the_counter() {
    for (model, severity) in [(55, Severity::Aviso), (65, Severity::Erro)] {
        let xml = nota(model)
            .replace("<vPag>25.00", "<vPag>21.70")
            .replace("<vTroco>3.00</vTroco>", "");
        let findings = findings(&xml);
        let all_said: Vec<_> = findings.iter().map(|a| (a.codigo, a.gravidade)).collect();
        assert_eq!(all_said, [("865", severity)]);
    }
}

/// Rules of the pre-flight, on notes the layout has nothing against.
#[test]
fn the_operation_does_not_contradict_itself() {
    type Case = (
        u8,
        &'static [(&'static str, &'static str)],
        &'static [&'static str],
    );
    let cases: &[Case] = &[
        (
            55,
            &[(
                "</enderDest></dest>",
                "</enderDest><indIEDest>1</indIEDest></dest>",
            )],
            &["232 infNFe/dest/IE"],
        ),
        (
            55,
            &[
                (
                    "</enderDest></dest>",
                    "</enderDest><indIEDest>9</indIEDest></dest>",
                ),
                (
                    "<finNFe>1</finNFe>",
                    "<finNFe>1</finNFe><indFinal>0</indFinal>",
                ),
            ],
            &["696 infNFe/ide/indFinal"],
        ),
        (
            55,
            &[("<finNFe>1</finNFe>", "<finNFe>4</finNFe>")],
            &["321 infNFe/ide/NFref"],
        ),
        (
            55,
            &[("<tPag>01</tPag>", "<tPag>99</tPag>")],
            &["441 infNFe/pag/detPag[1]/xPag"],
        ),
        (
            55,
            &[
                (
                    "<vICMS>1.89</vICMS></ICMS00>",
                    "<vICMS>1.91</vICMS></ICMS00>",
                ),
                ("<vICMS>3.78", "<vICMS>3.80"),
            ],
            &["528 infNFe/det[1]/imposto/ICMS/ICMS00/vICMS"],
        ),
        (
            55,
            &[("<IE>110042490114</IE>", "<IE>110042490114</IE><CRT>1</CRT>")],
            &[
                "590 infNFe/det[1]/imposto/ICMS/ICMS00/CST",
                "590 infNFe/det[2]/imposto/ICMS/ICMS00/CST",
            ],
        ),
        (
            55,
            &[
                ("<IE>110042490114</IE>", "<IE>110042490114</IE><CRT>3</CRT>"),
                (
                    "<orig>0</orig><CST>00</CST>",
                    "<orig>0</orig><CSOSN>900</CSOSN>",
                ),
            ],
            &["591 infNFe/det[1]/imposto/ICMS/ICMS00/CSOSN"],
        ),
        (
            55,
            &[(
                "<fat><nFat>1</nFat><vOrig>22.00</vOrig><vDesc>0.00</vDesc><vLiq>22.00</vLiq></fat>",
                "",
            )],
            &["905 infNFe/cobr/fat/nFat"],
        ),
        (
            55,
            &[("<finNFe>1</finNFe>", "<finNFe>1</finNFe><tpImp>4</tpImp>")],
            &["710 infNFe/ide/tpImp"],
        ),
        (
            65,
            &[(
                "<finNFe>1</finNFe>",
                "<finNFe>1</finNFe><indPres>2</indPres>",
            )],
            &["717 infNFe/ide/indPres"],
        ),
        (
            65,
            &[("<modFrete>9</modFrete>", "<modFrete>0</modFrete>")],
            &["753 infNFe/transp/modFrete"],
        ),
        (
            65,
            &[(
                "<tpNF>1</tpNF>",
                "<dhSaiEnt>2026-11-20T11:00:00-03:00</dhSaiEnt><tpNF>1</tpNF>",
            )],
            &["705 infNFe/ide/dhSaiEnt"],
        ),
        (
            65,
            &[("<finNFe>1</finNFe>", "<finNFe>1</finNFe><tpImp>1</tpImp>")],
            &["709 infNFe/ide/tpImp"],
        ),
        // What is right stays right.
        (
            65,
            &[
                ("<modFrete>9</modFrete>", "<modFrete>0</modFrete>"),
                (
                    "<finNFe>1</finNFe>",
                    "<finNFe>1</finNFe><tpImp>4</tpImp><indPres>4</indPres>",
                ),
            ],
            &[],
        ),
        (
            55,
            &[
                ("<tPag>01</tPag>", "<tPag>99</tPag><xPag>Permuta</xPag>"),
                ("<IE>110042490114</IE>", "<IE>110042490114</IE><CRT>3</CRT>"),
                (
                    "<finNFe>1</finNFe>",
                    "<finNFe>1</finNFe><indFinal>1</indFinal><tpImp>1</tpImp>",
                ),
            ],
            &[],
        ),
    ];
    for (model, swaps, expected) in cases {
        let mut xml = nota(*model);
        for (before, after) in *swaps {
            assert!(xml.contains(before), "{before}");
            xml = xml.replacen(before, after, 1);
        }
        assert_eq!(codes(&xml), *expected, "{swaps:?}");
    }
}

/// A signed note that was changed, formatted or written again is another one.
#[test]
fn the_content_is_the_signed_one() {
    let correct = signed(&nota(55));
    let codes = |xml: &str, rsa| -> Vec<String> {
        let list = read_count(xml, rsa);
        list.iter()
            .map(|a| format!("{} {}", a.codigo, a.caminho))
            .collect()
    };
    assert_eq!(codes(&correct, true), [""; 0]);
    assert_eq!(codes(&correct, false), ["297 Signature/SignatureValue"]);
    let digest = ["297 Signature/SignedInfo/Reference/DigestValue"];
    for changed in [
        correct.replacen("<natOp>Venda", "<natOp>Venda a prazo", 1),
        correct.replacen("<det ", "\n  <det ", 1),
        correct
            .replacen(
                "<NFe>",
                "<n:NFe xmlns:n=\"http://www.portalfiscal.inf.br/nfe\">",
                1,
            )
            .replacen("</NFe>", "</n:NFe>", 1)
            .replacen("<infNFe ", "<n:infNFe ", 1)
            .replacen("</infNFe>", "</n:infNFe>", 1),
    ] {
        assert_ne!(changed, correct);
        assert_eq!(codes(&changed, true), digest, "{changed}");
    }
    // A signature of another shape than the one in use.
    let other = correct.replacen("xmldsig#rsa-sha1", "xmldsig#dsa-sha1", 1);
    assert_eq!(codes(&other, true), ["298 Signature"]);
}

/// CST 51 with the fund put off: nothing of it is due.
#[test]
fn a_deferred_fund_totals_either_way() {
    let (before, after) = nota(55).split_once("<ICMS00>").map_or_else(
        || panic!("a group"),
        |(before, after)| (before.to_owned(), after.to_owned()),
    );
    let after = after.replacen(
        "</ICMS00>",
        "<pFCP>2.00</pFCP><vFCP>0.21</vFCP><vFCPDif>0.21</vFCPDif><vFCPEfet>0.00</vFCPEfet></ICMS51>",
        1,
    );
    let xml = format!("{before}<ICMS51>{after}");
    for (total, expected) in [("0.00", 0), ("0.21", 0), ("0.10", 1)] {
        let xml = xml.replace(
            "<vFCP>0.00</vFCP><vBCST>",
            &format!("<vFCP>{total}</vFCP><vBCST>"),
        );
        let equal = codes(&xml);
        let equal = equal.iter().filter(|finding| finding.starts_with("861 "));
        assert_eq!(equal.count(), expected, "{total}");
    }
}

/// What is charged ahead of the next sale is in the item's total, but has a
/// total of its own in the note.
#[test]
fn the_single_phase_is_totalled_without_what_is_retained() {
    let xml = nota(55).replacen(
        "</gIBSCBS></IBSCBS>",
        "</gIBSCBS><gIBSCBSMono><gIBSMonoAdRem><gMonoPadrao><vIBSMono>1.00</vIBSMono></gMonoPadrao><gMonoReten><vIBSMonoReten>0.50</vIBSMonoReten></gMonoReten></gIBSMonoAdRem><vTotIBSMonoItem>1.50</vTotIBSMonoItem></gIBSCBSMono></IBSCBS>",
        1,
    );
    for (total, expected) in [
        ("1.00", vec![]),
        ("1.50", vec!["1092 infNFe/total/IBSCBSTot/gMono/vIBSMono"]),
    ] {
        let mono_group = format!("</gCBS><gMono><vIBSMono>{total}</vIBSMono></gMono></IBSCBSTot>");
        assert_eq!(
            codes(&xml.replace("</gCBS></IBSCBSTot>", &mono_group)),
            expected
        );
    }
}

#[test]
fn the_code_of_the_consumer() {
    let correct = nota(65);
    let chave = chave(65, 1);
    let p = format!("p={}", chave.as_str());
    let cases = [
        (p.as_str(), "p=35", "qrcode_chave infNFeSupl/qrCode"),
        ("|3|2<", "|3|1<", "qrcode_ambiente infNFeSupl/qrCode"),
        ("|3|2<", "|3|2|9<", "qrcode_forma infNFeSupl/qrCode"),
        ("|3|2<", "|2|2|1|ABC<", ""),
        ("/qrcode?p=", "/qrcode?chNFe=", "903 infNFeSupl/qrCode"),
        ("<infNFeSupl>", "<outro>", "394 infNFeSupl/qrCode"),
    ];
    for (before, after, expected) in cases {
        assert!(correct.contains(before), "{before}");
        let xml = correct.replacen(before, after, 1).replace(
            if after == "<outro>" {
                "</infNFeSupl>"
            } else {
                "\u{0}"
            },
            "</outro>",
        );
        let expected: Vec<&str> = if expected.is_empty() {
            vec![]
        } else {
            vec![expected]
        };
        assert_eq!(codes(&xml), expected, "{before} → {after}");
    }
}

#[test]
fn sentences_say_what_and_how_much() {
    let xml = nota(55).replacen("<vIPI>1.04", "<vIPI>1001.04", 1);
    let finding = findings(&xml).remove(0);
    assert_eq!(finding.codigo, "538");
    assert_eq!(
        finding.mensagem,
        "O total vIPI é R$ 1.001,04, mas os itens somam R$ 1,04."
    );
    assert_eq!(
        finding.correcao,
        "Corrija vIPI do total ou dos itens: a diferença é R$ 1.000,00."
    );
    assert_eq!(finding.valor.as_deref(), Some("1001.04"));
    assert!(finding.original.is_some_and(|text| text.contains("IPI")));
    // Personal numbers are not repeated.
    let xml = nota(55).replacen("52998224725", "52998224726", 1);
    let text = serde_json::to_string(&findings(&xml)).unwrap();
    assert!(!text.contains("5299822472"), "{text}");
}

/// Amounts nobody can sum, thousands of wrong items: no panic, a bounded list.
#[test]
fn hostile_amounts() {
    let base = nota(55);
    for value in [
        "9".repeat(40),
        "1e9".to_owned(),
        "-999999999999999.99".to_owned(),
        "NaN".to_owned(),
        "79228162514264337593543950335".to_owned(),
    ] {
        for field in [
            "qCom", "vUnCom", "vProd", "vBC", "vNF", "vPag", "vTroco", "vDup", "vOrig", "pIBSUF",
            "vItem", "vFrete",
        ] {
            let xml = base.replace(
                &format!("<{field}>"),
                &format!("<{field}>{value}</{field}><x>"),
            );
            let xml = xml.replace(&format!("</{field}><x>"), &format!("</{field}><{field}>"));
            drop(findings(&xml));
        }
    }
    let items = item(1).replace("9.98", "999999999999999.00").repeat(3000);
    let xml = base.replacen(&item(1), &items, 1);
    assert_eq!(findings(&xml).len(), 200);
}

/// The samples that were authorized and not changed since: nothing is wrong with
/// them. The note of 2018 lost its signature's digest when its parties were renamed.
#[test]
fn authorized_samples_are_right() {
    let Some(folder) = judges::shared("samples/nfe") else {
        return;
    };
    let samples: std::collections::HashMap<_, _> = texts(&folder).into_iter().collect();
    for (name, expected) in [
        ("procnfe-55-sc-2021.xml", &[][..]),
        ("procnfe-55-sc-2022.xml", &[]),
        (
            "nfe-55-sp-2018.xml",
            &["297 Signature/SignedInfo/Reference/DigestValue"],
        ),
    ] {
        let found = findings(&samples[name]);
        let found = found
            .iter()
            .map(|finding| format!("{} {}", finding.codigo, finding.caminho));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{name}");
    }
}
