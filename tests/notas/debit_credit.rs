//! Notes of debit and credit, and the payment of a government purchase: IBS
//! and CBS alone, but for what the rule lets by (NT 2025.002 v1.52, B25-80).

use crate::authority::Sefaz;
use crate::bench::{
    NOW, Proof, data, item_with, nfe, normal, problems, read, sign, simples, taxpayer,
};
use crate::operations::chave;
use compose::assembly::validate;
use compose::emitter::{Emitter, Regime};
use compose::frame::Model;
use fiscal::nfe::reading::check;
use markup::layout::Layout;
use markup::xml::Document;
use serde_json::{Value, json};

/// A note over 100.00 of one item with these taxes.
fn nota(purpose: &str, impostos: Value) -> Value {
    let mut item = item_with(impostos);
    item["quantidade"] = json!(1);
    item["valor_unitario"] = json!(100);
    let credit = purpose == "nota_credito";
    item["cfop"] = json!(if credit { "1949" } else { "5949" });
    item["documento_referenciado"] = json!({ "chave": chave(3), "item": 1 });
    let operation = if credit { "entrada" } else { "saida" };
    json!({ "finalidade": purpose, "tipo_operacao": operation, "destinatario": taxpayer("SP"),
        "itens": [item] })
}

fn debit(kind: &str, impostos: Value) -> Value {
    let mut body = nota("nota_debito", impostos);
    body["tipo_nota_debito"] = json!(kind);
    body
}

fn credit(kind: &str, impostos: Value) -> Value {
    let mut body = nota("nota_credito", impostos);
    body["tipo_nota_credito"] = json!(kind);
    body["referencias"] = json!([{ "chave": chave(3) }]);
    body
}

/// The money of a government purchase comes in: the goods went before.
fn payment_received(impostos: Value) -> Value {
    let mut body = nota("normal", impostos);
    body["compra_governamental"] = json!({ "tipo_ente": "2", "redutor": 0, "tipo_operacao": "2",
        "referencias": [chave(4)] });
    body["pagamentos"] = json!([{ "forma": "transferencia", "valor": 100 }]);
    body
}

fn reforma() -> Value {
    json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } })
}

/// Names of the groups of the item's taxes.
fn tax_groups(proof: &Proof) -> Vec<String> {
    let det = proof.nota.tree.find("det").expect("item");
    let tax = det.find("imposto").expect("taxes");
    let names = tax.list().iter().map(|group| group.name.to_string());
    names.collect()
}

fn refusals(who: &Emitter, body: &Value) -> Vec<String> {
    problems(who, &data(Model::Nfe), body)
}

/// A company without defaults for the taxes of today.
fn without_defaults() -> Emitter {
    crate::bench::emitter(Regime::Normal)
}

#[test]
fn they_carry_ibs_and_cbs_alone() {
    for who in [normal(), without_defaults()] {
        for body in [
            debit("multa_juros", reforma()),
            debit("pagamento_antecipado", reforma()),
            credit("multa_juros", reforma()),
            payment_received(reforma()),
        ] {
            let proof = nfe(&who, &body);
            assert_eq!(tax_groups(&proof), ["IBSCBS"], "{body}");
            assert_eq!(
                proof.no_item(1, "imposto/IBSCBS/gIBSCBS/vBC"),
                "100.00",
                "{body}"
            );
            assert_eq!(proof.value("total/ICMSTot/vProd"), "100.00");
            assert_eq!(proof.value("total/ICMSTot/vPIS"), "0.00");
        }
    }
}

#[test]
fn other_taxes_of_an_item_are_refused_by_name() {
    let groups = json!({ "icms": { "cst": "41" }, "ipi": { "cst": "53" }, "ii": { "valor": 1 },
        "pis": { "cst": "49" }, "pis_st": { "aliquota": 1, "base": 1 },
        "cofins": { "cst": "49" }, "cofins_st": { "aliquota": 1, "base": 1 },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } });
    let all: Vec<String> = ["icms", "ii", "ipi", "pis", "pis_st", "cofins", "cofins_st"]
        .map(|member| format!("itens[0].impostos.{member} tributo_indevido"))
        .to_vec();
    for body in [
        debit("multa_juros", groups.clone()),
        credit("multa_juros", groups.clone()),
        payment_received(groups.clone()),
    ] {
        assert_eq!(refusals(&normal(), &body), all, "{body}");
    }
    // PIS and COFINS may be on what is paid in advance; the others not.
    assert_eq!(
        refusals(&normal(), &debit("pagamento_antecipado", groups)),
        all[..3]
    );
    let service = json!({ "issqn": { "aliquota": 5, "item_lista_servico": "14.01" },
        "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } });
    let mut body = debit("multa_juros", service);
    body["itens"][0]["devolucao"] = json!({ "valor_ipi": 1 });
    let list = refusals(&normal(), &body);
    for expected in [
        "itens[0].impostos.issqn tributo_indevido",
        "itens[0].devolucao tributo_indevido",
    ] {
        assert!(list.iter().any(|said| said == expected), "{list:?}");
    }
}

#[test]
fn what_is_paid_in_advance_may_carry_pis_and_cofins() {
    let mut impostos = reforma();
    impostos["pis"] = json!({ "cst": "01", "aliquota": 1.65 });
    impostos["cofins"] = json!({ "cst": "01", "aliquota": 7.6 });
    let proof = nfe(&normal(), &debit("pagamento_antecipado", impostos));
    assert_eq!(tax_groups(&proof), ["PIS", "COFINS", "IBSCBS"]);
    assert_eq!(proof.value("total/ICMSTot/vPIS"), "1.65");
    assert_eq!(proof.no_item(1, "imposto/IBSCBS/gIBSCBS/vBC"), "90.75");
}

#[test]
fn returns_and_reductions_carry_what_they_undo() {
    let icms = |proof: &Proof| proof.value("total/ICMSTot/vICMS").to_owned();
    for kind in ["retorno_recusa", "reducao_valores", "06"] {
        // The company's defaults, as on any note; nothing is asked for without.
        let proof = nfe(&normal(), &credit(kind, reforma()));
        assert_eq!(icms(&proof), "18.00", "{kind}");
        let proof = nfe(&without_defaults(), &credit(kind, reforma()));
        assert_eq!(tax_groups(&proof), ["IBSCBS"], "{kind}");
    }
    let loss = json!({ "ibs_cbs": { "cst": "410", "cclass_trib": "410030",
        "estorno_credito": { "ibs": 1, "cbs": 9 } } });
    let proof = nfe(&without_defaults(), &debit("perda_estoque", loss));
    assert_eq!(tax_groups(&proof), ["IBSCBS"]);
    // A group that came without its situation is still asked for it.
    let mut without_cst = reforma();
    without_cst["icms"] = json!({ "aliquota": 18 });
    without_cst["pis"] = json!({ "aliquota": 1 });
    assert_eq!(
        refusals(&without_defaults(), &credit("retorno_recusa", without_cst)),
        [
            "itens[0].impostos.icms.cst obrigatorio",
            "itens[0].impostos.pis.cst obrigatorio"
        ]
    );
}

#[test]
fn a_note_of_no_tax_at_all_is_refused() {
    for regime in [Regime::SimplesNacional, Regime::Mei, Regime::SimplesExcesso] {
        let mut who = simples();
        who.regime = regime;
        for impostos in [json!({}), reforma()] {
            assert_eq!(
                refusals(&who, &debit("multa_juros", impostos.clone())),
                ["finalidade nota_sem_tributo"],
                "{regime:?}"
            );
            assert_eq!(
                refusals(&who, &payment_received(impostos)),
                ["compra_governamental.tipo_operacao nota_sem_tributo"],
                "{regime:?}"
            );
        }
    }
    // Who may tell IBS and CBS must.
    assert_eq!(
        refusals(&without_defaults(), &debit("multa_juros", json!({}))),
        ["itens[0].impostos.ibs_cbs obrigatorio"]
    );
    // What the Simples company takes back goes out with its own situation.
    let proof = nfe(&simples(), &credit("retorno_recusa", json!({})));
    assert_eq!(tax_groups(&proof), ["ICMS", "PIS", "COFINS"]);
}

/// The whole note by official names: taken as it is, and judged.
#[test]
fn official_names_are_held_against_the_same_rule() {
    let done = nfe(&normal(), &debit("multa_juros", reforma()));
    let documento = Document::parse(&done.xml).expect("xml");
    let mut json = Layout::nfe(NOW.date()).to_json(&documento);
    let mut inf_nfe = match json.get_mut("NFe") {
        Some(nfe) => nfe["infNFe"].take(),
        None => json["infNFe"].take(),
    };
    let proof = nfe(&normal(), &json!({ "inf_nfe": inf_nfe }));
    assert_eq!(tax_groups(&proof), ["IBSCBS"]);
    inf_nfe["det"][0]["imposto"]["PIS"] = json!({ "PISNT": { "CST": "07" } });
    assert_eq!(
        refusals(&normal(), &json!({ "inf_nfe": inf_nfe })),
        ["inf_nfe.det[0].imposto.PIS rejeicao_1001"]
    );
}

/// Another's note that carries them: the reader and the authority say so.
#[test]
fn the_rejection_is_known_to_reader_and_authority() {
    let mut body = nota("normal", reforma());
    body["pagamentos"] = json!([{ "forma": "pix", "valor": 100 }]);
    let data = data(Model::Nfe);
    let nota = validate(&mut read(&body), &normal(), &data, NOW).expect("right");
    let correct = sign(&normal(), &nota, &data);
    let codigo = |xml: &str| {
        let doc = Document::parse(xml).expect("xml");
        let findings = check(&doc, NOW.date(), |_| true).expect("a note");
        let of_1001 = findings
            .findings
            .into_iter()
            .filter(|finding| finding.codigo == "1001");
        of_1001.map(|finding| finding.caminho).collect::<Vec<_>>()
    };
    assert_eq!(codigo(&correct), [""; 0]);
    let debit = correct.replace(
        "<finNFe>1</finNFe>",
        "<finNFe>6</finNFe><tpNFDebito>04</tpNFDebito>",
    );
    assert_eq!(
        codigo(&debit),
        [
            "infNFe/det[1]/imposto/ICMS",
            "infNFe/det[1]/imposto/PIS",
            "infNFe/det[1]/imposto/COFINS"
        ]
    );
    for (kind, count) in [("<tpNFDebito>06", 1), ("<tpNFDebito>07", 0)] {
        assert_eq!(codigo(&debit.replace("<tpNFDebito>04", kind)).len(), count);
    }
    let credit = |kind: &str| {
        let mut xml = correct.replace("<finNFe>1</finNFe>", "<finNFe>5</finNFe>");
        let end = xml.find("<finNFe>5</finNFe>").expect("finNFe") + "<finNFe>5</finNFe>".len();
        xml.insert_str(end, &format!("<tpNFCredito>{kind}</tpNFCredito>"));
        codigo(&xml)
    };
    assert_eq!((credit("01").len(), credit("03").len()), (3, 0));
    let government = |kind: &str| {
        let group = format!(
            "<gCompraGov><tpEnteGov>2</tpEnteGov><pRedutor>0.0000</pRedutor><tpOperGov>{kind}</tpOperGov></gCompraGov></ide>"
        );
        codigo(&correct.replacen("</ide>", &group, 1))
    };
    assert_eq!((government("2").len(), government("1").len()), (3, 0));
    // The authority's own judgement, of a note signed as it is.
    let mut wrong = nota;
    crate::judgement::swap(&mut wrong.tree, &["ide", "finNFe"], "6");
    let ide = wrong.tree.list().iter().position(|e| e.name == "ide");
    let markup::tree::ElementContent::Children(groups) = &mut wrong.tree.content else {
        panic!("a group");
    };
    let ide = &mut groups[ide.expect("ide")];
    let markup::tree::ElementContent::Children(fields) = &mut ide.content else {
        panic!("a group");
    };
    let after = fields.iter().position(|e| e.name == "finNFe").expect("it") + 1;
    fields.insert(after, markup::tree::Node::field("tpNFDebito", "04"));
    let xml = sign(&normal(), &wrong, &data);
    let verdict = Sefaz::at(NOW).judge(&normal(), &data, &xml);
    assert_eq!(verdict.codigo, "1001", "{}", verdict.answer);
    assert!(verdict.answer.contains("somente para IBS/CBS"));
}
