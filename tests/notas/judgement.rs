//! The judges can refuse: notes that are right but for one thing. A bench
//! that only ever says yes proves nothing.

use crate::authority::Sefaz;
use crate::bench::{NOW, data, item, normal, read, sale, sign};
use compose::assembly::{Nota, validate};
use compose::frame::{Ambiente, Data, Model};
use markup::tree::{ElementContent, Node};
use serde_json::json;
use time::Duration;

/// A sale with instalments, right in everything.
fn correct(data: &Data) -> Nota {
    let mut body = sale(vec![item(), item()]);
    body["cobranca"] = json!({ "duplicatas": [
        { "vencimento": "2026-12-20", "valor": 9.98 }, { "vencimento": "2027-01-20", "valor": 9.98 } ] });
    validate(&mut read(&body), &normal(), data, NOW).expect("right")
}

/// Writes another text at a path of the tree; at the last of several.
pub fn swap(place: &mut Node, caminho: &[&str], text: &str) {
    let Some((name, rest)) = caminho.split_first() else {
        place.content = ElementContent::Text(text.into());
        return;
    };
    let ElementContent::Children(children) = &mut place.content else {
        panic!("{name} is below a text");
    };
    let child = children.iter_mut().rev().find(|child| child.name == *name);
    swap(child.expect("in the tree"), rest, text);
}

#[test]
fn one_wrong_thing_and_the_authority_refuses() {
    let data = data(Model::Nfe);
    for (caminho, text, codigo) in [
        ("total/ICMSTot/vNF", "19.97", "610"),
        ("total/ICMSTot/vBC", "19.95", "531"),
        ("total/ICMSTot/vICMS", "3.61", "532"),
        ("total/ICMSTot/vProd", "19.95", "564"),
        ("total/ICMSTot/vPIS", "0.01", "602"),
        ("total/IBSCBSTot/gCBS/vCBS", "9.00", "1091"),
        ("det/prod/vProd", "9.96", "629"),
        ("det/prod/NCM", "12345678", "778"),
        ("det/prod/CFOP", "6102", "732"),
        ("det/imposto/ICMS/ICMS00/vICMS", "1.82", "528"),
        ("det/imposto/IBSCBS/cClassTrib", "999999", "1023"),
        ("emit/IE", "110042490115", "209"),
        ("emit/CRT", "1", "590"),
        ("dest/IE", "110042490115", "210"),
        ("dest/CNPJ", "11111111111111", "208"),
        ("dest/enderDest/cMun", "3304557", "275"),
        ("cobr/fat/vLiq", "19.95", "902"),
        ("cobr/dup/nDup", "B", "852"),
        ("cobr/dup/dVenc", "2026-12-19", "850"),
        ("cobr/dup/dVenc", "2026-11-19", "900"),
        ("cobr/dup/vDup", "9.97", "851"),
        ("pag/vTroco", "1.00", "869"),
        ("ide/nNF", "1524", "502"),
        ("ide/tpAmb", "2", "252"),
        ("ide/finNFe", "4", "321"),
    ] {
        let mut nota = correct(&data);
        let names: Vec<&str> = caminho.split('/').collect();
        swap(&mut nota.tree, &names, text);
        let xml = sign(&normal(), &nota, &data);
        let verdict = Sefaz::at(NOW).judge(&normal(), &data, &xml);
        assert_eq!(
            verdict.codigo, codigo,
            "{caminho} {text}: {}",
            verdict.answer
        );
    }
}

#[test]
fn signature_certificate_clock_and_memory_count() {
    let data = data(Model::Nfe);
    let nota = correct(&data);
    let xml = sign(&normal(), &nota, &data);
    let at = |days| {
        Sefaz::at(NOW + Duration::days(days))
            .judge(&normal(), &data, &xml)
            .codigo
    };
    assert_eq!([at(0), at(8), at(31), at(-1)], ["100", "150", "228", "703"]);
    let after = xml.replace("<natOp>Venda", "<natOp>Vende");
    assert_ne!(after, xml);
    let sefaz = Sefaz::at(NOW);
    assert_eq!(sefaz.judge(&normal(), &data, &after).codigo, "297");
    // Somebody else signs, somebody else calls.
    let mut other = normal();
    other.cpf_cnpj = crate::bench::cnpj("998877660001");
    let foreign = sign(&other, &nota, &data);
    assert_eq!(sefaz.judge(&normal(), &data, &foreign).codigo, "213");
    assert_eq!(sefaz.judge(&other, &data, &xml).codigo, "213");
    // The other environment.
    let mut homologacao = data.clone();
    homologacao.ambiente = Ambiente::Homologacao;
    assert_eq!(sefaz.judge(&normal(), &homologacao, &xml).codigo, "252");
    // The same number twice.
    assert_eq!(sefaz.judge(&normal(), &data, &xml).codigo, "100");
    assert_eq!(sefaz.judge(&normal(), &data, &xml).codigo, "204");
    let mut again = data;
    again.c_nf = 11_223_345;
    let xml = sign(&normal(), &correct(&again), &again);
    assert_eq!(sefaz.judge(&normal(), &again, &xml).codigo, "539");
}
