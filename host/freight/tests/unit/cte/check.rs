//! What is found in a CT-e: nothing in good ones, and each rule by one mistake.

use super::orders::{CTE, NFE, emitter, frame, order, order_by, read};
use super::xsd::variants;
use crate::judging::{Case, Provoked, codes, digested, spoilt, without};
use compose::frame::Ambiente;
use fiscal::nfe::event::Family;
use fiscal::nfe::reading::{Finding, Subject};
use freight::cte::assembly::validate;
use freight::cte::check::check;
use freight::cte::frame::Frame;
use markup::xml::Document;
use serde_json::{Value, json};
use time::macros::date;

fn written(order: Value, frame: &Frame) -> String {
    let cte = validate(&read(order), &emitter(), frame).unwrap_or_else(|e| panic!("{e:#?}"));
    cte.write(frame).expect("the layout takes it").xml
}

fn judged(xml: &str, rsa: bool) -> Vec<Finding> {
    let doc = Document::parse(xml).expect("XML");
    check(&doc, date!(2026 - 11 - 20), |_| rsa).expect("one CT-e")
}

fn found(xml: &str) -> Vec<Finding> {
    judged(&digested(xml), true)
}

fn variant(name: &str) -> String {
    let mut all = variants().into_iter();
    let (_, order) = all.find(|(own, _)| own == name).expect("a variant");
    written(order, &frame())
}

#[test]
fn a_good_one_has_no_finding() {
    for (name, order) in variants() {
        let findings = found(&written(order, &frame()));
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
    let mut test = frame();
    test.ambiente = Ambiente::Homologacao;
    let findings = found(&written(order(), &test));
    assert!(findings.is_empty(), "{findings:#?}");
}

/// Of a service from Belo Horizonte to São Paulo by road.
const BY_ROAD: &[Case] = &[
    // The key.
    ("Id=\"CTe", "Id=\"CTE", &["227", "852"]),
    ("<cCT>31415926", "<cCT>31415927", &["227"]),
    ("<serie>1<", "<serie>2<", &["227"]),
    ("<dhEmi>2026-11", "<dhEmi>2026-10", &["227"]),
    ("<cDV>", "<cDV>9", &["253"]),
    ("<cUF>31", "<cUF>35", &["227", "247"]),
    ("<dhEmi>2026-11-20", "<dhEmi>2026-11-22", &["212"]),
    // Who takes part.
    (
        "<emit><CNPJ>11222333000181",
        "<emit><CNPJ>11222333000182",
        &["207", "227"],
    ),
    (
        "<emit><CNPJ>11222333000181</CNPJ>",
        "<emit><CPF>52998224720</CPF>",
        &["227", "cpf_invalido"],
    ),
    (
        "<IE>0623079040081</IE><xNome>Transportes",
        "<IE>0623079040082</IE><xNome>Transportes",
        &["209"],
    ),
    ("<cMun>3106200</cMun>", "<cMun>3550308</cMun>", &["712"]),
    ("<cMun>3106200</cMun>", "<cMun>3199999</cMun>", &["713"]),
    (
        "<rem><CNPJ>12345678000195",
        "<rem><CNPJ>12345678000196",
        &["415"],
    ),
    (
        "<rem><CNPJ>12345678000195</CNPJ>",
        "<rem><CPF>52998224720</CPF>",
        &["416"],
    ),
    (
        "<IE>0623079040081</IE><xNome>Remetente",
        "<IE>0623079040082</IE><xNome>Remetente",
        &["419"],
    ),
    (
        "<dest><CNPJ>11444777000161",
        "<dest><CNPJ>11444777000162",
        &["208"],
    ),
    (
        "<dest><CNPJ>11444777000161</CNPJ>",
        "<dest><CPF>52998224720</CPF>",
        &["237"],
    ),
    ("<IE>110042490114", "<IE>110042490115", &["210"]),
    ("<cMun>3550308</cMun>", "<cMun>3106200</cMun>", &["424"]),
    (
        "<cMun>3550308</cMun>",
        "<cMun>3599999</cMun>",
        &["municipio_inexistente"],
    ),
    ("<toma>0<", "<toma>1<", &["461"]),
    ("<toma>0<", "<toma>2<", &["462"]),
    (
        "<IE>0623079040081</IE><xNome>Remetente",
        "<xNome>Remetente",
        &["481"],
    ),
    ("<indIEToma>1", "<indIEToma>2", &["482"]),
    (
        "</infCte>",
        "<autXML><CNPJ>11444777000161</CNPJ></autXML></infCte>",
        &["828"],
    ),
    (
        "</infCte>",
        "<autXML><CNPJ>44555666000182</CNPJ></autXML></infCte>",
        &["699"],
    ),
    (
        "</infCte>",
        "<autXML><CPF>52998224720</CPF></autXML></infCte>",
        &["700"],
    ),
    (
        "</infCte>",
        "<autXML><CPF>52998224725</CPF></autXML><autXML><CPF>52998224725</CPF></autXML></infCte>",
        &["715"],
    ),
    (
        "</infCte>",
        "<infRespTec><CNPJ>11444777000162</CNPJ></infRespTec></infCte>",
        &["836"],
    ),
    // Places and CFOP.
    ("<cMunEnv>3106200", "<cMunEnv>3550308", &["493"]),
    ("<cMunEnv>3106200", "<cMunEnv>3199999", &["537"]),
    ("<cMunIni>3106200", "<cMunIni>3550308", &["456"]),
    ("<cMunIni>3106200", "<cMunIni>3199999", &["541"]),
    ("<cMunFim>3550308", "<cMunFim>3106200", &["414"]),
    ("<cMunFim>3550308", "<cMunFim>3599999", &["542"]),
    ("<CFOP>6353", "<CFOP>5353", &["519"]),
    ("<CFOP>6353", "<CFOP>6932", &["908"]),
    ("<CFOP>6353", "<CFOP>6777", &["cfop_inexistente"]),
    ("<UFIni>MG", "<UFIni>RJ", &["456", "524"]),
    // Groups and modal.
    ("<tpCTe>0", "<tpCTe>1", &["459"]),
    ("<tpCTe>0", "<tpCTe>3", &["505"]),
    ("<tpServ>0", "<tpServ>1", &["521"]),
    ("<tpServ>0", "<tpServ>4", &["474", "475", "694"]),
    ("<infModal", "<docAnt/><infModal", &["747"]),
    ("<vCarga>25000.00</vCarga>", "", &["581"]),
    ("versaoModal=\"4.00\"", "versaoModal=\"3.00\"", &["579"]),
    ("<modal>01", "<modal>02", &["580"]),
    (
        "</ide>",
        "<dhCont>2026-11-20T10:00:00-03:00</dhCont></ide>",
        &["586"],
    ),
    (
        "</ide>",
        "<dhCont>2026-11-20T11:00:00-03:00</dhCont></ide>",
        &["586", "588"],
    ),
    // Amounts.
    ("<vRec>1500.00", "<vRec>1500.01", &["531"]),
    (
        "<vTPrest>1500.00",
        "<vTPrest>10000000.00",
        &["650", "componentes_divergem"],
    ),
    (
        "<vComp>1400.00",
        "<vComp>1300.00",
        &["componentes_divergem"],
    ),
    ("<vICMS>180.00", "<vICMS>180.02", &["675"]),
    // The QR code.
    ("?chCTe=31", "?chCTe=32", &["852"]),
    (
        "tpAmb=1</qrCodCTe>",
        "tpAmb=2</qrCodCTe>",
        &["qrcode_ambiente"],
    ),
    (
        "tpAmb=1</qrCodCTe>",
        "tpAmb=1&amp;sign=AA</qrCodCTe>",
        &["854"],
    ),
    ("portalcte", "outroportal", &["851"]),
];

/// Of one who pays and is none of the participants.
const ANOTHER_PAYS: &[Case] = &[
    ("<CNPJ>44555666000181", "<CNPJ>44555666000182", &["444"]),
    (
        "<CNPJ>44555666000181</CNPJ>",
        "<CPF>52998224720</CPF>",
        &["445"],
    ),
    ("<CNPJ>44555666000181", "<CNPJ>11444777000161", &["799"]),
    ("<IE>110042490114", "<IE>110042490115", &["448"]),
    ("<cMun>3550308</cMun>", "<cMun>3106200</cMun>", &["447"]),
    ("<cMun>3550308</cMun>", "<cMun>3599999</cMun>", &["536"]),
];

/// Of a service between carriers.
const LINKED: &[Case] = &[
    (
        "<exped><CNPJ>12345678000195",
        "<exped><CNPJ>12345678000196",
        &["428"],
    ),
    (
        "<exped><CNPJ>12345678000195</CNPJ>",
        "<exped><CPF>52998224720</CPF>",
        &["429"],
    ),
    (
        "<exped><CNPJ>12345678000195</CNPJ><IE>0623079040081",
        "<exped><CNPJ>12345678000195</CNPJ><IE>0623079040082",
        &["432"],
    ),
    (
        "<receb><CNPJ>11444777000161",
        "<receb><CNPJ>11444777000162",
        &["436"],
    ),
    (
        "<receb><CNPJ>11444777000161</CNPJ>",
        "<receb><CPF>52998224720</CPF>",
        &["437"],
    ),
    (
        "<receb><CNPJ>11444777000161</CNPJ><IE>110042490114",
        "<receb><CNPJ>11444777000161</CNPJ><IE>110042490115",
        &["440"],
    ),
    ("<infServVinc>", "<infDoc/><infServVinc>", &["694"]),
    (
        "<chCTeMultimodal>31",
        "<chCTeMultimodal>32",
        &["chave_invalida"],
    ),
];

#[test]
fn each_rule_finds_its_mistake() {
    let mut provoked = Provoked::default();
    let base = written(order(), &frame());
    provoked.all(&base, BY_ROAD, judged);
    for (name, expected) in [
        ("rem", &["460", "469"][..]),
        ("dest", &["470"]),
        ("infDoc", &["693"]),
        ("infCTeNorm", &["458", "581", "693"]),
        ("infCTeSupl", &["850"]),
    ] {
        provoked.expect(name, &found(&without(&base, name)), expected);
    }
    let by_receiver = spoilt(&base, "<toma>0<", "<toma>3<");
    let findings = found(&without(&by_receiver, "dest"));
    provoked.expect("dest", &findings, &["463", "470"]);
    provoked.all(&variant("outro tomador"), ANOTHER_PAYS, judged);
    let linked = variant("vinculado");
    provoked.all(&linked, LINKED, judged);
    towns(&mut provoked, &base, "rem", ["418", "532"]);
    towns(
        &mut provoked,
        &linked,
        "exped",
        ["431", "municipio_inexistente"],
    );
    towns(&mut provoked, &linked, "receb", ["439", "535"]);
    for (party, code) in [("exped", "474"), ("receb", "475")] {
        provoked.expect(party, &found(&without(&linked, party)), &[code]);
    }
    let own = without(&base, "emit");
    assert!(codes(&found(&own)).contains("227"));
    others(&mut provoked, &base);
    documents(&mut provoked, &base);
    provoked.beside(Family::Cte, &base, judged);
    let changed = spoilt(&digested(&base), "<proPred>Cafe", "<proPred>Cha");
    provoked.expect("changed", &judged(&changed, true), &["297"]);
    provoked.is_every_rule_of(Subject::Cte);
}

/// The municipality of a party in another state, and none that exists.
fn towns(provoked: &mut Provoked, xml: &str, party: &str, codes: [&'static str; 2]) {
    let begin = xml.find(&format!("<{party}>")).expect("a party");
    let (head, tail) = xml.split_at(begin);
    // The first one after the party's beginning is its own.
    let at = tail.find("<cMun>").expect("a code") + 6;
    for (town, code) in ["4106902", "9999998"].into_iter().zip(codes) {
        let other = format!("{head}{}{town}{}", &tail[..at], &tail[at + 7..]);
        provoked.expect(party, &found(&other), &[code]);
    }
}

/// Rules that want a document of another form.
fn others(provoked: &mut Provoked, base: &str) {
    // Contingency authority and EPEC are parts of the key, too.
    let svc = spoilt(base, "<tpEmis>1", "<tpEmis>7");
    let svc = spoilt(&svc, "<tpCTe>0", "<tpCTe>1");
    provoked.expect("SVC", &found(&svc), &["227", "459", "517"]);
    let replaced = spoilt(&variant("substituicao"), "<tpEmis>1", "<tpEmis>4");
    provoked.expect("replacing", &found(&replaced), &["227", "503", "853"]);
    let mut test = frame();
    test.ambiente = Ambiente::Homologacao;
    let mut order = super::orders::order();
    order["expedidor"] = order["remetente"].clone();
    order["recebedor"] = order["destinatario"].clone();
    let named = written(order, &test);
    for (party, code) in [
        ("rem", "646"),
        ("exped", "647"),
        ("receb", "648"),
        ("dest", "649"),
    ] {
        let (head, tail) = named.split_at(named.find(&format!("<{party}>")).expect("a party"));
        let other = format!("{head}{}", spoilt(tail, "HOMOLOGACAO", "PRODUCAO"));
        provoked.expect(party, &found(&other), &[code]);
    }
    let shared = variant("ibs e cbs");
    provoked.all(
        &shared,
        &[
            (
                "<vICMSUFFim>90.00",
                "<vICMSUFFim>95.00",
                &["partilha_diverge"],
            ),
            (
                "<vFCPUFFim>30.00",
                "<vFCPUFFim>20.00",
                &["partilha_diverge"],
            ),
        ],
        judged,
    );
    let rail = written(order_by("ferroviario"), &frame());
    provoked.all(
        &rail,
        &[
            ("<ferrEmi>1", "<ferrEmi>2", &["583"]),
            ("<chCTeFerroOrigem>31", "<chCTeFerroOrigem>32", &["842"]),
            (
                "<ferroEnv><CNPJ>11444777000161",
                "<ferroEnv><CNPJ>11444777000162",
                &["cnpj_invalido"],
            ),
        ],
        judged,
    );
    provoked.expect("traffic", &found(&without(&rail, "trafMut")), &["582"]);
    let origin = spoilt(&rail, "<ferrEmi>1", "<ferrEmi>2");
    let origin = found(&without(&origin, "chCTeFerroOrigem"));
    provoked.expect("origin", &origin, &["583", "584"]);
    for cst in ["20", "90"] {
        let mut order = super::orders::order();
        order["icms"] = json!({ "cst": cst, "aliquota": "12", "reducao": "20" });
        let xml = written(order, &frame());
        provoked.all(
            &xml,
            &[("<vICMS>144.00", "<vICMS>145.00", &["675"])],
            judged,
        );
    }
    let mut order = super::orders::order();
    order["icms"] = json!({ "cst": "60", "aliquota": "12" });
    let retained = written(order, &frame());
    let findings = found(&spoilt(
        &retained,
        "<vICMSSTRet>180.00",
        "<vICMSSTRet>170.00",
    ));
    assert!(
        findings
            .iter()
            .all(|one| one.gravidade == fiscal::nfe::reading::Severity::Aviso)
    );
    provoked.expect("retained", &findings, &["675"]);
}

/// Keys of other documents.
fn documents(provoked: &mut Provoked, base: &str) {
    let last = NFE.len() - 1;
    let wrong = |key: &str| format!("{}7", &key[..last]);
    assert!(!NFE.ends_with('7') && !CTE.ends_with('7'));
    let other = spoilt(base, NFE, &wrong(NFE));
    provoked.expect("note", &found(&other), &["843"]);
    let other = spoilt(base, NFE, CTE);
    provoked.expect("another model", &found(&other), &["843"]);
    let twice = format!("<infNFe><chave>{NFE}</chave></infNFe></infDoc>");
    let twice = spoilt(base, "</infDoc>", &twice);
    provoked.expect("twice", &found(&twice), &["527"]);
    let complement = variant("complementar");
    let other = spoilt(&complement, CTE, &wrong(CTE));
    provoked.expect("complement", &found(&other), &["849"]);
    let twice = format!("</infCteComp><infCteComp><chCTe>{CTE}</chCTe></infCteComp>");
    let twice = spoilt(&complement, "</infCteComp>", &twice);
    provoked.expect("complement twice", &found(&twice), &["907"]);
    let replacing = variant("substituicao");
    let other = spoilt(&replacing, CTE, &wrong(CTE));
    provoked.expect("replaced", &found(&other), &["847"]);
}

#[test]
fn a_qr_code_on_a_line_of_its_own_is_read() {
    let base = written(order(), &frame());
    let apart = spoilt(&base, "<qrCodCTe>", "<qrCodCTe>\n  ");
    let apart = spoilt(&apart, "</qrCodCTe>", "\n</qrCodCTe>");
    assert!(found(&apart).is_empty(), "{:#?}", found(&apart));
}

#[test]
fn a_place_is_counted_where_it_has_namesakes() {
    let base = written(order(), &frame());
    let two =
        "<autXML><CPF>52998224725</CPF></autXML><autXML><CPF>52998224720</CPF></autXML></infCte>";
    let findings = found(&spoilt(&base, "</infCte>", two));
    let places: Vec<&str> = findings.iter().map(|one| one.caminho.as_str()).collect();
    assert_eq!(places, ["infCte/autXML[2]/CPF"]);
    // What is personal is not shown.
    assert!(findings.iter().all(|one| one.valor.is_none()));
}

/// Places are counted in one pass: looked for one by one, so many namesakes
/// would take hours.
#[test]
fn a_document_may_have_thousands_of_namesakes() {
    let reader = "<autXML><CPF>52998224725</CPF></autXML>";
    let readers = format!("{}</infCte>", reader.repeat(200_000));
    let xml = spoilt(&written(order(), &frame()), "</infCte>", &readers);
    let findings = judged(&xml, true);
    let second = findings
        .iter()
        .any(|finding| finding.caminho == "infCte/autXML[2]");
    assert!(second, "{findings:#?}");
}
