//! Nothing is lost, and everything official has a name.

use fiscal::nfe::reading::{Signature, read};
use markup::xml::Document;

use super::schema::Package;
use super::{PACKAGES, lost, texts};

#[test]
fn every_element_of_every_package_has_a_name() {
    let Some(shared) = judges::shared("") else {
        return;
    };
    for package in PACKAGES {
        let read_package = Package::new(&shared.join("schemas/nfe").join(package));
        // The choice with most alternatives is of the 21 groups of ICMS.
        for choice in 0..21 {
            let xml = read_package.nota(choice);
            assert!(xml.len() > 10_000, "{package}");
            let doc = Document::parse(&xml).unwrap();
            let nota = read(&doc).unwrap();
            let others: Vec<&str> = nota
                .outros
                .iter()
                .map(|other| other.caminho.as_str())
                .collect();
            assert!(others.is_empty(), "{package} {choice}: {others:?}");
            let json = serde_json::to_value(&nota).unwrap();
            assert_eq!(lost(&doc, &json), [""; 0], "{package} {choice}");
        }
    }
}

#[test]
fn samples_of_others_are_read_without_loss() {
    let Some(folder) = judges::shared("samples/nfe") else {
        return;
    };
    check_folder(&folder, 7);
}

/// Notes made by other programs, where somebody says they are.
#[test]
fn foreign_notes_are_read_without_loss() {
    match std::env::var_os("HUB_TEST_FOREIGN_NOTES") {
        Some(folder) => check_folder(std::path::Path::new(&folder), 1),
        None => eprintln!("skipped: HUB_TEST_FOREIGN_NOTES names no folder of foreign notes"),
    }
}

fn check_folder(folder: &std::path::Path, minimum: usize) {
    let mut read_count = 0;
    for (name, xml) in texts(folder) {
        let Ok(doc) = Document::parse(&xml) else {
            continue;
        };
        if doc.root().name() != "NFe" && doc.root().name() != "nfeProc" {
            continue;
        }
        read_count += 1;
        let nota = read(&doc).unwrap_or_else(|error| panic!("{name}: {error}"));
        let nota = nota.with_signature(Signature::of(&xml));
        let json = serde_json::to_value(&nota).unwrap();
        assert_eq!(lost(&doc, &json), [""; 0], "{name}");
        eprintln!(
            "{name}: {} itens, fora dos nomes {:?}, assinatura {:?}",
            nota.items().count(),
            nota.outros
                .iter()
                .map(|other| &other.caminho)
                .collect::<Vec<_>>(),
            nota.assinatura
                .as_ref()
                .map(|a| (a.presente, a.digest_confere)),
        );
    }
    assert!(read_count >= minimum, "{read_count} notas");
}

pub(super) const NOTA: &str = r#"<nfeProc xmlns="http://www.portalfiscal.inf.br/nfe" versao="4.00"><NFe><infNFe Id="NFe35261111222333000181550010000015231314159260" versao="4.00"><ide><cUF>35</cUF><mod>55</mod><serie>1</serie><nNF>1523</nNF><tpNF>1</tpNF><tpAmb>2</tpAmb><finNFe>4</finNFe><indFinal>1</indFinal><NFref><refNFe>1</refNFe></NFref><NFref><refNF><cUF>35</cUF><AAMM>2510</AAMM></refNF></NFref></ide><emit><CNPJ>11222333000181</CNPJ><enderEmit><UF>SP</UF><fone>1133334444</fone></enderEmit></emit><autXML><CPF>52998224725</CPF></autXML><det nItem="1"><prod><cProd>001</cProd><qCom>2.0000</qCom><vProd>10.00</vProd><indTot>1</indTot><xNovo>algo</xNovo></prod><imposto><ICMS><ICMSPart><orig>0</orig><CST>10</CST><vBCST>1.50</vBCST></ICMSPart></ICMS><ICMSUFDest><vICMSUFDest>0.10</vICMSUFDest></ICMSUFDest><IBSCBS><CST>000</CST><gIBSCBS><vBC>9.98</vBC><gIBSUF><pIBSUF>0.1000</pIBSUF><vIBSUF>0.01</vIBSUF></gIBSUF></gIBSCBS></IBSCBS></imposto></det><pag><detPag><tPag>17</tPag><vPag>007</vPag></detPag><vTroco>0.00</vTroco></pag></infNFe><infNFeSupl><qrCode>q</qrCode></infNFeSupl></NFe><protNFe versao="4.00"><infProt><tpAmb>2</tpAmb><nProt>135</nProt><cStat>100</cStat><xMotivo>Autorizado</xMotivo><dhRecbto>2026-11-20T10:15:03-03:00</dhRecbto></infProt></protNFe></nfeProc>"#;

#[test]
fn in_the_words_of_the_api() {
    let doc = Document::parse(NOTA).unwrap();
    let nota = read(&doc).unwrap();
    let json = serde_json::to_string(&nota).unwrap();
    assert_eq!(
        json,
        r#"{"chave":"35261111222333000181550010000015231314159260","id":"NFe35261111222333000181550010000015231314159260","layout":"4.00","codigo_uf":"35","modelo":"55","serie":1,"numero":1523,"tipo_operacao":"saida","ambiente":"homologacao","finalidade":"devolucao","consumidor_final":true,"referencias":[{"chave":"1"},{"nota_papel":{"uf":"SP","mes":"2025-10"}}],"emitente":{"cpf_cnpj":"11222333000181","endereco":{"uf":"SP"},"telefone":"1133334444"},"autorizados_xml":["52998224725"],"itens":[{"numero":1,"codigo":"001","quantidade":2.0000,"valor_bruto":10.00,"compoe_total":true,"impostos":{"icms":{"grupo":"partilha","cst":"10","st":{"base":1.50},"difal":{"valor":0.10}},"ibs_cbs":{"cst":"000","base":9.98,"ibs_uf":{"aliquota":0.1000,"valor":0.01}}},"origem":"0"}],"pagamentos":[{"forma":"pix_dinamico","valor":"007"}],"troco":0.00,"qr_code":"q","protocolo":{"layout":"4.00","ambiente":"homologacao","numero":"135","status":"100","mensagem":"Autorizado","recebida_em":"2026-11-20T10:15:03-03:00"},"outros":[{"caminho":"infNFe/det[1]/prod/xNovo","valor":"algo"}]}"#
    );
    assert_eq!(nota.text("emitente.endereco.uf"), Some("SP"));
    assert_eq!(
        nota.items()
            .next()
            .and_then(|item| item.decimal("valor_bruto"))
            .map(|v| v.to_string()),
        Some("10.00".to_owned())
    );
}

#[test]
fn prefixes_and_envelopes_make_no_difference() {
    let direct = Document::parse(NOTA).unwrap();
    let expected = serde_json::to_value(read(&direct).unwrap()).unwrap();
    let with_prefix = NOTA
        .replace("</", "</n:")
        .replace('<', "<n:")
        .replace("<n:/n:", "</n:")
        .replace("xmlns=", "xmlns:n=");
    let envelope =
        format!("<s:Envelope xmlns:s=\"soap\"><s:Body>{with_prefix}</s:Body></s:Envelope>");
    for text in [with_prefix, envelope] {
        let doc = Document::parse(&text).unwrap();
        assert_eq!(serde_json::to_value(read(&doc).unwrap()).unwrap(), expected);
    }
}

/// Twice the same where one belongs, text between elements, attributes: all kept.
#[test]
fn what_does_not_fit_is_kept() {
    let xml = r#"<NFe xmlns="http://www.portalfiscal.inf.br/nfe" xmlns:x="outro" x:z="0"><infNFe versao="3.10" Id="a"><ide><mod>55</mod><mod>65</mod><cUF b="1">35</cUF></ide><emit>solto<CNPJ>1</CNPJ><CPF>2</CPF></emit><autXML><CNPJ>3</CNPJ><CPF>4</CPF></autXML><det nItem="7"><prod><xProd><b>5</b></xProd></prod></det></infNFe><infNFe versao="6"/></NFe>"#;
    let doc = Document::parse(xml).unwrap();
    let nota = read(&doc).unwrap();
    let others: Vec<(&str, &str)> = nota
        .outros
        .iter()
        .map(|o| (o.caminho.as_str(), &*o.valor))
        .collect();
    assert_eq!(
        others,
        [
            ("infNFe/ide/mod", "65"),
            ("infNFe/ide/cUF/@b", "1"),
            ("infNFe/ide/cUF", "35"),
            ("infNFe/emit/CPF", "2"),
            ("infNFe/emit/text()", "solto"),
            ("infNFe/autXML/CNPJ", "3"),
            ("infNFe/autXML/CPF", "4"),
            ("infNFe/det[7]/prod/xProd/b", "5"),
            ("NFe/@z", "0"),
            ("NFe/infNFe/@versao", "6"),
            ("NFe/infNFe", ""),
        ]
    );
    assert!(nota.avisos[0].contains("3.10"));
    assert_eq!(lost(&doc, &serde_json::to_value(&nota).unwrap()), [""; 0]);
}
