//! What is found in an MDF-e: nothing in good ones, and each rule by one mistake.

use super::orders::{CTE, MDFE, NFE, frame, order, own_cargo, read};
use super::xsd::variants;
use crate::cte::orders::emitter;
use crate::judging::{Case, Provoked, digested, spoilt, without};
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::{Finding, Subject};
use freight::mdfe::assembly::validate;
use freight::mdfe::check::check;
use markup::xml::Document;
use serde_json::Value;
use time::macros::date;

fn written(order: Value) -> String {
    let mdfe = validate(&read(order), &emitter(), &frame()).unwrap_or_else(|e| panic!("{e:#?}"));
    mdfe.write(&frame(), None).expect("the layout takes it").xml
}

fn judged(xml: &str, rsa: bool) -> Vec<Finding> {
    let doc = Document::parse(xml).expect("XML");
    check(&doc, date!(2026 - 11 - 20), |_| rsa).expect("one MDF-e")
}

fn found(xml: &str) -> Vec<Finding> {
    judged(&digested(xml), true)
}

#[test]
fn a_good_one_has_no_finding() {
    for (name, order) in variants() {
        let findings = found(&written(order));
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

/// Of a trip by road from Belo Horizonte to Curitiba.
const BY_ROAD: &[Case] = &[
    ("Id=\"MDFe", "Id=\"MDFE", &["227", "481"]),
    ("<cMDF>31415926", "<cMDF>31415927", &["227"]),
    ("<cDV>", "<cDV>9", &["253"]),
    ("<cUF>31", "<cUF>35", &["227", "247"]),
    ("<dhEmi>2026-11-20", "<dhEmi>2026-11-22", &["212"]),
    (
        "<emit><CNPJ>11222333000181",
        "<emit><CNPJ>00000000000000",
        &["207", "227"],
    ),
    (
        "<emit><CNPJ>11222333000181",
        "<emit><CNPJ>11222333000182",
        &["207", "227"],
    ),
    (
        "<emit><CNPJ>11222333000181</CNPJ>",
        "<emit><CPF>52998224720</CPF>",
        &["210", "227"],
    ),
    ("<IE>0623079040081", "<IE>0623079040082", &["209"]),
    ("<cMun>3106200</cMun>", "<cMun>3550308</cMun>", &["407"]),
    ("<cMun>3106200</cMun>", "<cMun>3199999</cMun>", &["408"]),
    ("<cMunCarrega>3106200", "<cMunCarrega>3550308", &["456"]),
    ("<cMunCarrega>3106200", "<cMunCarrega>3199999", &["405"]),
    (
        "</infMunCarrega>",
        "</infMunCarrega><infMunCarrega><cMunCarrega>3106200</cMunCarrega></infMunCarrega>",
        &["685"],
    ),
    ("<cMunDescarga>4106902", "<cMunDescarga>3550308", &["612"]),
    ("<cMunDescarga>4106902", "<cMunDescarga>4199999", &["406"]),
    ("<cMunDescarga>4106902", "<cMunDescarga>4115200", &["680"]),
    ("<UFPer>SP", "<UFPer>RS", &["percurso_invalido"]),
    (
        "<CPF>52998224725</CPF></condutor>",
        "<CPF>52998224720</CPF></condutor>",
        &["645"],
    ),
    (
        "<CPF>52998224725</CPF></condutor>",
        "<CPF>11144477735</CPF></condutor>",
        &["577"],
    ),
    (
        "<autXML><CNPJ>11444777000161",
        "<autXML><CNPJ>11444777000162",
        &["660"],
    ),
    (
        "<autXML><CPF>52998224725",
        "<autXML><CPF>52998224720",
        &["661"],
    ),
    (
        "<autXML><CPF>52998224725</CPF>",
        "<autXML><CNPJ>11444777000161</CNPJ>",
        &["459"],
    ),
    (
        "</infMDFe>",
        "<infRespTec><CNPJ>11444777000162</CNPJ></infRespTec></infMDFe>",
        &["713"],
    ),
    (
        "</infMDFe>",
        "<infRespTec><CPF>52998224720</CPF></infRespTec></infMDFe>",
        &["cpf_invalido"],
    ),
    (
        "<CNPJForn>11444777000161",
        "<CNPJForn>11444777000162",
        &["cnpj_invalido"],
    ),
    ("<NCM>09012100", "<NCM>09012109", &["ncm_inexistente"]),
    ("versaoModal=\"3.00\"", "versaoModal=\"1.00\"", &["579"]),
    ("<modal>1<", "<modal>2<", &["580"]),
    ("<tpEmit>1", "<tpEmit>2", &["639"]),
    ("<qCTe>2", "<qCTe>3", &["667"]),
    ("?chMDFe=31", "?chMDFe=32", &["481"]),
    (
        "tpAmb=1</qrCodMDFe>",
        "tpAmb=2</qrCodMDFe>",
        &["qrcode_ambiente"],
    ),
    (
        "tpAmb=1</qrCodMDFe>",
        "tpAmb=1&amp;sign=AA</qrCodMDFe>",
        &["488"],
    ),
    ("dfe-portal", "outro-portal", &["479"]),
    ("<tpEmis>1", "<tpEmis>2", &["227", "482"]),
];

#[test]
fn each_rule_finds_its_mistake() {
    let mut provoked = Provoked::default();
    let base = written(order());
    provoked.all(&base, BY_ROAD, judged);
    provoked.expect("QR code", &found(&without(&base, "infMDFeSupl")), &["480"]);
    let last = NFE.len() - 1;
    let wrong = |key: &str| format!("{}7", &key[..last]);
    for key in [NFE, CTE, MDFE] {
        assert!(!key.ends_with('7'), "{key}");
    }
    provoked.expect("CT-e", &found(&spoilt(&base, CTE, &wrong(CTE))), &["601"]);
    let twice = base.replace("31261111222333000181570010000000101314159269", CTE);
    provoked.expect("CT-e twice", &found(&twice), &["668"]);
    let own = written(own_cargo());
    provoked.expect("NF-e", &found(&spoilt(&own, NFE, &wrong(NFE))), &["604"]);
    let twice = format!("</infNFe><infNFe><chNFe>{NFE}</chNFe></infNFe>");
    let twice = found(&spoilt(&own, "</infNFe>", &twice));
    provoked.expect("NF-e twice", &twice, &["667", "669"]);
    provoked.all(&own, &[("<tpEmit>2", "<tpEmit>1", &["638"])], judged);
    provoked.expect("none", &found(&without(&own, "infNFe")), &["616", "667"]);
    let variant = |name: &str| {
        let mut all = variants().into_iter();
        written(all.find(|(own, _)| own == name).expect("a variant").1)
    };
    let carried = variant("manifesto transportado");
    let other = found(&spoilt(&carried, MDFE, &wrong(MDFE)));
    provoked.expect("MDF-e", &other, &["649"]);
    let later = variant("carga posterior");
    provoked.all(
        &later,
        &[
            ("<UFFim>MG", "<UFFim>SP", &["612", "704"]),
            ("<modal>1<", "<modal>3<", &["580", "705"]),
            ("<tpEmit>2", "<tpEmit>1", &["707"]),
            (
                "</infMunDescarga>",
                "<infNFe/></infMunDescarga>",
                &["667", "706"],
            ),
        ],
        judged,
    );
    provoked.beside(Family::Mdfe, &base, judged);
    provoked.expect("town", &found(&responsible(&base)), &["cpf_invalido"]);
    provoked.is_every_rule_of(Subject::Mdfe);
}

/// A registration in a place without a rule of its own.
fn responsible(base: &str) -> String {
    let (head, tail) = base.split_at(base.find("<infContratante>").expect("a client"));
    let other = spoilt(
        tail,
        "<CNPJ>12345678000195</CNPJ>",
        "<CPF>52998224720</CPF>",
    );
    format!("{head}{other}")
}

#[test]
fn a_manifest_before_the_qr_code_needs_none() {
    let old = spoilt(&written(order()), "<dhEmi>2026-11-20", "<dhEmi>2019-03-20");
    let findings = found(&without(&old, "infMDFeSupl"));
    let codes = crate::judging::codes(&findings);
    assert!(!codes.contains("480"), "{findings:#?}");
}
