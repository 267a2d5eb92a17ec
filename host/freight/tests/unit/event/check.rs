//! What is found in an event: nothing in good ones, and each rule by one mistake.

use super::kinds::{all, evento};
use crate::judging::{Case, Provoked, digested, spoilt};
use fiscal::nfe::event::{Evento, Family, write};
use fiscal::nfe::reading::{Finding, Subject};
use freight::event::check::{ReadingError, check};
use markup::xml::Document;
use time::macros::date;

fn written(name: &str) -> (Family, String) {
    let mut kinds = all().into_iter();
    let (_, described) = kinds.find(|(own, _)| *own == name).expect("a kind");
    let mut evento: Evento = evento(described.unwrap_or_else(|e| panic!("{name}: {e:#?}")));
    if name == "eventoCTe-110113" {
        evento.chave = super::kinds::in_contingency().chave;
    }
    let xml = write(&evento).unwrap_or_else(|e| panic!("{name}: {e:#?}"));
    (evento.kind.familia, xml.xml)
}

fn judged(family: Family, xml: &str, rsa: bool) -> Result<Vec<Finding>, ReadingError> {
    let doc = Document::parse(xml).expect("XML");
    check(family, &doc, date!(2026 - 11 - 20), |_| rsa)
}

fn found(family: Family, xml: &str) -> Vec<Finding> {
    judged(family, &digested(xml), true).expect("one event")
}

#[test]
fn a_good_one_has_no_finding() {
    for (name, _) in all() {
        let (family, xml) = written(name);
        let findings = found(family, &xml);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

/// Of every event.
const OF_ALL: &[Case] = &[
    ("Id=\"ID", "Id=\"IE", &["628"]),
    ("<dhEvento>2026-11-20", "<dhEvento>2026-11-22", &["635"]),
    ("<nSeqEvento>1<", "<nSeqEvento>120<", &["628", "636"]),
    ("<CNPJ>11222333000181", "<CNPJ>11222333000182", &["627"]),
    ("<CNPJ>11222333000181", "<CNPJ>11444777000161", &["632"]),
    ("<tpEvento>110111", "<tpEvento>999999", &["628", "629"]),
];

fn cases(provoked: &mut Provoked, name: &str, cases: &[Case]) {
    let (family, xml) = written(name);
    for (before, after, expected) in cases {
        let findings = found(family, &spoilt(&xml, before, after));
        provoked.expect(&format!("{before} -> {after}"), &findings, expected);
    }
}

/// Keys, answers and signatures of a cancellation.
fn envelope(provoked: &mut Provoked, name: &str, cpf: &str) {
    cases(provoked, name, OF_ALL);
    let (family, xml) = written(name);
    let by_person = spoilt(
        &xml,
        "<CNPJ>11222333000181</CNPJ>",
        "<CPF>52998224720</CPF>",
    );
    provoked.expect("person", &found(family, &by_person), &[cpf]);
    let tag = format!("<{}>", family.key());
    let at = xml.find(&tag).expect("a key") + tag.len();
    let key = xml[at..at + 44].to_owned();
    let digit = if key.ends_with('0') { 1 } else { 0 };
    for other in [
        crate::cte::orders::NFE.to_owned(),
        format!("{}{digit}", &key[..43]),
        format!("99{}", &key[2..]),
    ] {
        let findings = found(family, &xml.replace(&key, &other));
        provoked.expect(&other, &findings, &["236"]);
    }
    let right = digested(&xml);
    let findings = judged(family, &right, false).expect("one event");
    provoked.expect("another key", &findings, &["297"]);
    let elsewhere = spoilt(&right, "URI=\"#ID", "URI=\"#IE");
    let findings = judged(family, &elsewhere, true).expect("one event");
    provoked.expect("elsewhere", &findings, &["298"]);
    let namespace = format!("xmlns=\"{}\"", family.namespace());
    let answer = |kind: &str, status: &str| {
        format!(
            "<{joined} {namespace}>{}<{answer}><infEvento><cStat>{status}</cStat><{tag}>{key}</{tag}><tpEvento>{kind}</tpEvento></infEvento></{answer}></{joined}>",
            right.replacen(
                &format!("<{} {namespace}", family.event()),
                &format!("<{}", family.event()),
                1
            ),
            joined = family.joined_event(),
            answer = family.answer(),
            tag = family.key(),
        )
    };
    for (kind, status, expected) in [
        ("110111", "135", &[][..]),
        ("110112", "135", &["retorno_de_outro_evento"]),
        ("110111", "217", &["nao_registrado"]),
    ] {
        let findings = judged(family, &answer(kind, status), true).expect("one event");
        provoked.expect(status, &findings, expected);
    }
}

#[test]
fn each_rule_finds_its_mistake() {
    let mut provoked = Provoked::default();
    envelope(&mut provoked, "eventoCTe-110111", "905");
    let (family, xml) = written("eventoCTe-110113");
    let other = xml.replace(
        super::kinds::in_contingency().chave.as_str(),
        crate::cte::orders::CTE,
    );
    provoked.expect("EPEC", &found(family, &other), &["680"]);
    provoked.is_every_rule_of(Subject::CteEvent);

    let mut provoked = Provoked::default();
    envelope(&mut provoked, "eventoMDFe-110111", "700");
    cases(
        &mut provoked,
        "eventoMDFe-110112",
        &[
            ("<cMun>3550308", "<cMun>3106200", &["614"]),
            ("<cMun>3550308", "<cMun>3599999", &["714"]),
            ("<cUF>35", "<cUF>99", &["689"]),
            (
                "<dtEnc>2026-11-20",
                "<dtEnc>2026-11-22",
                &["encerramento_no_futuro"],
            ),
        ],
    );
    cases(
        &mut provoked,
        "eventoMDFe-110114",
        &[("<CPF>52998224725", "<CPF>52998224720", &["645"])],
    );
    cases(
        &mut provoked,
        "eventoMDFe-110115",
        &[("<chNFe>31", "<chNFe>32", &["709"])],
    );
    provoked.is_every_rule_of(Subject::MdfeEvent);
}

#[test]
fn one_event_of_the_namespace_is_read() {
    let (family, xml) = written("eventoCTe-110111");
    let bare = xml.replace(" xmlns=\"http://www.portalfiscal.inf.br/cte\"", "");
    let error = judged(family, &bare, true).expect_err("no namespace");
    assert_eq!(
        error.to_string(),
        "O elemento eventoCTe não tem espaço de nomes; o do CT-e é xmlns=\"http://www.portalfiscal.inf.br/cte\"."
    );
    let twice = format!("<a>{xml}{xml}</a>");
    let error = judged(family, &twice, true).expect_err("two");
    assert!(error.to_string().contains("mais de um"), "{error}");
}
