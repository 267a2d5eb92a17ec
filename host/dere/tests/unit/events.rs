//! What is written of an event, and what the layout refuses, by its place.

use super::sample::{
    all, drafted, faults, id_of, kind, reopening, signed, taxpayer, with, without,
};
use dere::event::judge;
use serde_json::{Value, json};

#[test]
fn every_event_is_accepted() {
    for (code, data) in all() {
        let draft = drafted(code, &data);
        assert_eq!(draft.faults, [], "{code}");
        let xml = draft.xml.expect("a document");
        let kind = kind(code);
        assert_eq!(judge(kind, &xml, false), [], "{code}");
        let missing = judge(kind, &xml, true);
        assert_eq!(missing.len(), 1, "{code}: {missing:?}");
        assert_eq!(judge(kind, &signed(&xml, &id_of(kind)), true), [], "{code}");
    }
}

#[test]
fn the_document_has_what_the_hub_knows() {
    let xml = drafted("D-1198", &reopening()).xml.expect("a document");
    assert_eq!(
        xml,
        "<DeRE xmlns=\"http://www.dere.gov.br/schemas/evtReabertMensal/v0_0_1\">\
         <evtReabertMensal id=\"DeRE11981000000112223332026110314050900001\">\
         <ideEvento><tpOper>1</tpOper><tpAmb>2</tpAmb><aplicEmi>1</aplicEmi><verAplic>hub 0.1.0</verAplic></ideEvento>\
         <ideContrib><nrInsc>11222333</nrInsc></ideContrib>\
         <idePeriodo><perApur>2026-10</perApur></idePeriodo>\
         <infoReabertura><nrReciboReab>1199-202610-0000000000000000001</nrReciboReab></infoReabertura>\
         </evtReabertMensal></DeRE>"
    );
    let table = without(taxpayer(), "/idePeriodo");
    let table = with(table, "/ideEvento/tpOper", json!("1"));
    let xml = drafted("D-1001", &table).xml.expect("a document");
    assert!(
        xml.contains("<idePeriodo><iniValid>2026-10-01</iniValid></idePeriodo>"),
        "{xml}"
    );
}

#[test]
fn an_error_has_the_place_of_the_request() {
    for (code, place, value, wrong) in [
        (
            "D-1001",
            "/infoContrib/regTribPrinc",
            json!("7"),
            ("dados.infoContrib.regTribPrinc", "enumeracao"),
        ),
        (
            "D-1001",
            "/infoContrib/servFinanc/tpAtividades/tpAtividade/1",
            json!("2B"),
            (
                "dados.infoContrib.servFinanc.tpAtividades.tpAtividade[1]",
                "padrao",
            ),
        ),
        (
            "D-1101",
            "/infoBalancete/infoContas/infoConta/1/vSaldoInic",
            json!("10,00"),
            (
                "dados.infoBalancete.infoContas.infoConta[1].vSaldoInic",
                "padrao",
            ),
        ),
        (
            "D-1106",
            "/infoAplicResTec/infoAplic/0/detAtivo/0/@idAtivo",
            json!("LFT 2029"),
            (
                "dados.infoAplicResTec.infoAplic[0].detAtivo[0].idAtivo",
                "padrao",
            ),
        ),
        (
            "D-1198",
            "/infoReabertura/outro",
            json!("1"),
            ("dados.infoReabertura.outro", "desconhecido"),
        ),
        (
            "D-1199",
            "/infoFechamento",
            json!("1"),
            ("dados.infoFechamento", "estrutura"),
        ),
        (
            "D-1199",
            "/ideEvento",
            json!("1"),
            ("dados.ideEvento", "estrutura"),
        ),
    ] {
        let data = all()
            .into_iter()
            .find(|(of, _)| *of == code)
            .expect("an event")
            .1;
        let found = faults(code, &with(data, place, value));
        assert_eq!(
            found,
            [(wrong.0.to_owned(), wrong.1.to_owned())],
            "{code} {place}"
        );
    }
    let missing = without(reopening(), "/infoReabertura");
    assert_eq!(
        faults("D-1198", &missing),
        [("dados.infoReabertura".to_owned(), "obrigatorio".to_owned())]
    );
}

#[test]
fn data_that_cannot_be_written_make_no_document() {
    let draft = drafted(
        "D-1198",
        &json!({ "infoReabertura": { "nrReciboReab": true } }),
    );
    assert_eq!(draft.xml, None);
    assert_eq!(draft.faults.len(), 1);
    let wrong = drafted(
        "D-1198",
        &json!({ "infoReabertura": { "nrReciboReab": "1" } }),
    );
    assert!(wrong.xml.is_some() && !wrong.faults.is_empty());
}

#[test]
fn what_the_hub_knows_is_not_said_otherwise() {
    let same = json!({
        "id": "DeRE11981000000112223332026110314050900001",
        "ideEvento": { "tpOper": 1, "tpAmb": 2, "aplicEmi": "1", "verAplic": "hub 0.1.0" },
        "ideContrib": { "nrInsc": "11222333" },
        "idePeriodo": { "perApur": "2026-10" },
        "infoReabertura": reopening()["infoReabertura"],
    });
    assert_eq!(faults("D-1198", &same), []);
    for (pointer, value, place) in [
        ("/id", json!("DeRE1"), "dados.id"),
        ("/ideEvento/tpAmb", json!("1"), "dados.ideEvento.tpAmb"),
        ("/ideEvento/aplicEmi", json!(2), "dados.ideEvento.aplicEmi"),
        (
            "/ideContrib/nrInsc",
            json!("99888777"),
            "dados.ideContrib.nrInsc",
        ),
        (
            "/idePeriodo/perApur",
            json!("2026-09"),
            "dados.idePeriodo.perApur",
        ),
        ("/idePeriodo/perApur", json!({}), "dados.idePeriodo.perApur"),
    ] {
        let found = faults("D-1198", &with(same.clone(), pointer, value));
        assert_eq!(
            found,
            [(place.to_owned(), "preenchido_pelo_hub".to_owned())]
        );
    }
    let other_month = with(taxpayer(), "/idePeriodo/iniValid", json!("2026-09-30"));
    assert_eq!(
        faults("D-1001", &other_month),
        [("dados.idePeriodo.iniValid".to_owned(), "diverge".to_owned())]
    );
}

#[test]
fn nothing_personal_is_repeated() {
    let data = json!({ "infoDeducoes": { "infoDeducao": [{
        "infoImovel": { "CPFAlien": "5299822472" },
        "detDeducao": { "vOper": "1.00", "vDed": "1.00" },
    }] } });
    let draft = drafted("D-1121", &data);
    assert_eq!(draft.faults.len(), 1);
    for fault in &draft.faults {
        assert!(fault.valor.is_none());
        assert!(!format!("{fault:?}").contains("5299822472"), "{fault:?}");
    }
}

#[test]
fn a_null_is_absence() {
    let data = with(reopening(), "/ideEvento", Value::Null);
    assert_eq!(faults("D-1198", &data), []);
}
