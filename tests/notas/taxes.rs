//! Taxes besides ICMS: IPI, PIS and COFINS, ISSQN, DIFAL, IBS and CBS.

use crate::bench::{consumer, item_with, nfe, normal, paid, sale, simples, taxpayer};
use serde_json::{Value, json};

#[test]
fn ipi_by_rate_by_unit_and_not_taxed() {
    for (ipi, total) in [
        (json!({ "cst": "50", "aliquota": 10 }), "10.98"),
        (
            json!({ "cst": "50", "aliquota": 10, "base": 9.98, "valor": 1, "selo": "X-1", "quantidade_selo": 2 }),
            "10.98",
        ),
        (json!({ "cst": "99", "valor_unidade": 0.5 }), "10.98"),
        (json!({ "cst": "53", "enquadramento": "399" }), "9.98"),
    ] {
        let proof = nfe(&normal(), &sale(vec![item_with(json!({ "ipi": ipi }))]));
        assert_eq!(proof.value("total/ICMSTot/vNF"), total, "{ipi}");
    }
}

#[test]
fn ipi_is_in_the_base_of_who_consumes_and_not_of_who_sells_on() {
    let ipi = json!({ "ipi": { "cst": "50", "aliquota": 10 } });
    let resale = nfe(&normal(), &sale(vec![item_with(ipi.clone())]));
    assert_eq!(resale.value("total/ICMSTot/vBC"), "9.98");
    let mut body = sale(vec![item_with(ipi)]);
    body["consumidor_final"] = json!(true);
    let consumption = nfe(&normal(), &body);
    assert_eq!(consumption.value("total/ICMSTot/vBC"), "10.98");
}

#[test]
fn every_form_of_pis_and_cofins() {
    for cst in ["04", "05", "06", "07", "08", "09", "49", "99"] {
        nfe(
            &normal(),
            &sale(vec![item_with(
                json!({ "pis": { "cst": cst }, "cofins": { "cst": cst } }),
            )]),
        );
    }
    for (cst, data) in [
        ("01", json!({ "aliquota": 1.65 })),
        (
            "02",
            json!({ "aliquota": 0.65, "base": 9.98, "valor": 0.06 }),
        ),
        ("03", json!({ "aliquota_unidade": 0.1234 })),
        ("99", json!({ "aliquota": 1.65, "base": 100 })),
        (
            "99",
            json!({ "aliquota_unidade": 0.1234, "quantidade": 7.5 }),
        ),
    ] {
        let mut with = data;
        with["cst"] = json!(cst);
        let impostos = json!({ "pis": with, "cofins": with,
            "pis_st": { "aliquota": 1.65, "base": 10, "compoe_total": true },
            "cofins_st": { "aliquota_unidade": 0.5 } });
        let proof = nfe(&normal(), &sale(vec![item_with(impostos)]));
        assert_eq!(proof.value("total/ICMSTot/vNF"), "10.15", "{cst}");
    }
}

pub fn service() -> Value {
    json!({ "codigo": "S1", "descricao": "Conserto", "ncm": "00", "cfop": "5933", "unidade": "UN",
        "quantidade": 1, "valor_unitario": 100,
        "impostos": { "issqn": { "aliquota": 5, "item_lista_servico": "14.1", "iss_retido": 5 } } })
}

#[test]
fn a_service_beside_goods() {
    let mut body = sale(vec![crate::bench::item(), service()]);
    body["retencoes"] = json!({ "irrf": 1.5, "base_irrf": 100 });
    let mut who = normal();
    who.im = Some("1.234.567-8".to_owned());
    let proof = nfe(&who, &body);
    assert_eq!(proof.value("total/ICMSTot/vProd"), "9.98");
    assert_eq!(proof.value("total/ISSQNtot/vServ"), "100.00");
    assert_eq!(proof.value("total/ISSQNtot/vISS"), "5.00");
    assert_eq!(proof.value("total/ICMSTot/vNF"), "109.98");
    assert_eq!(proof.no_item(2, "imposto/ISSQN/cListServ"), "14.01");
    // The service's PIS goes to the services' totals.
    assert_eq!(proof.value("total/ISSQNtot/vPIS"), "1.65");
}

#[test]
fn difal_to_a_consumer_of_another_state() {
    let mut who = normal();
    who.padroes.icms = serde_json::from_value(json!({ "cst": "00", "aliquota": 18 })).ok();
    let body = json!({ "destinatario": consumer("RJ"), "itens": [{
        "descricao": "Livro caixa", "ncm": "48201000", "quantidade": 1, "valor_unitario": 1000 }],
        "presenca": "internet", "pagamentos": paid() });
    let proof = nfe(&who, &body);
    let difal = |field: &str| {
        proof
            .no_item(1, &format!("imposto/ICMSUFDest/{field}"))
            .to_owned()
    };
    assert_eq!(proof.value("ide/idDest"), "2");
    assert_eq!(proof.no_item(1, "prod/CFOP"), "6108");
    assert_eq!(proof.no_item(1, "imposto/ICMS/ICMS00/pICMS"), "12.0000");
    assert_eq!(
        (difal("pICMSInter"), difal("vBCUFDest")),
        ("12.00".into(), "1000.00".into())
    );
    // RJ: 20 % without the fund (2026), and 2 % of it on nearly all goods.
    assert_eq!(
        (difal("pICMSUFDest"), difal("vICMSUFDest")),
        ("20.0000".into(), "80.00".into())
    );
    assert_eq!(proof.value("total/ICMSTot/vICMSUFDest"), "80.00");
    assert_eq!(proof.value("total/ICMSTot/vFCPUFDest"), difal("vFCPUFDest"));
    // Imported goods go at 4 %; a taxpayer owes no DIFAL here; nor a Simples
    // company.
    let mut imported = body.clone();
    imported["itens"][0]["origem"] = json!("1");
    let proof = nfe(&who, &imported);
    assert_eq!(proof.no_item(1, "imposto/ICMSUFDest/pICMSInter"), "4.00");
    let mut empresa = body.clone();
    empresa["destinatario"] = taxpayer("RJ");
    assert_eq!(
        nfe(&who, &empresa).no_item(1, "imposto/ICMSUFDest/pICMSInter"),
        ""
    );
    assert_eq!(
        nfe(&simples(), &body).no_item(1, "imposto/ICMSUFDest/pICMSInter"),
        ""
    );
    let mut waived = body;
    waived["itens"][0]["impostos"] = json!({ "icms": { "difal": { "dispensado": true } } });
    assert_eq!(
        nfe(&who, &waived).no_item(1, "imposto/ICMSUFDest/pICMSInter"),
        ""
    );
}

#[test]
fn ibs_and_cbs_of_each_kind() {
    for (ibs_cbs, member) in [
        (json!({ "cst": "000", "cclass_trib": "000001" }), "gIBSCBS"),
        (
            json!({ "cst": "000", "cclass_trib": "000001", "base": 100,
            "ibs_uf": { "aliquota": 0.1, "valor": 0.1 }, "ibs_mun": { "aliquota": 0, "valor": 0 }, "cbs": { "aliquota": 0.9, "valor": 0.9 } }),
            "gIBSCBS",
        ),
        (json!({ "cst": "200", "cclass_trib": "200003" }), "gIBSCBS"),
        (json!({ "cst": "410", "cclass_trib": "410001" }), "CST"),
        (
            json!({ "cst": "510", "cclass_trib": "510001", "ibs_uf": { "diferimento": 100 },
            "ibs_mun": { "diferimento": 100 }, "cbs": { "diferimento": 100 } }),
            "gIBSCBS",
        ),
        (
            json!({ "cst": "550", "cclass_trib": "550001",
            "tributacao_regular": { "cst": "000", "cclass_trib": "000001" } }),
            "gIBSCBS",
        ),
        // Zone of Manaus, areas of free trade: nothing is due, and what would be is
        // told.
        (
            json!({ "cst": "200", "cclass_trib": "200022",
            "tributacao_regular": { "cst": "000", "cclass_trib": "000001" } }),
            "gIBSCBS",
        ),
        (
            json!({ "cst": "200", "cclass_trib": "200024",
            "tributacao_regular": { "cst": "000", "cclass_trib": "000001" } }),
            "gIBSCBS",
        ),
        (
            json!({ "cst": "620", "cclass_trib": "620001",
            "mono": { "ibs": { "quantidade": 2, "aliquota": 0.1 }, "cbs": { "quantidade": 2, "aliquota": 0.2 } } }),
            "gIBSCBSMono",
        ),
    ] {
        let proof = nfe(
            &normal(),
            &sale(vec![item_with(json!({ "ibs_cbs": ibs_cbs }))]),
        );
        let det = proof.nota.tree.find("det").expect("item");
        let group = det.caminho(&["imposto", "IBSCBS"]).expect("IBSCBS");
        assert!(group.find(member).is_some(), "{ibs_cbs}");
        assert!(proof.nota.tree.caminho(&["total", "IBSCBSTot"]).is_some());
        assert_eq!(
            proof.value("total/vNFTot"),
            proof.value("total/ICMSTot/vNF")
        );
    }
}

/// A return is of another day's rates (exceptions of UB18-10 and UB37-10).
#[test]
fn a_return_keeps_the_rates_of_what_it_undoes() {
    let mut item = item_with(json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "000001",
        "ibs_uf": { "aliquota": 0.05 }, "ibs_mun": { "aliquota": 0.05 }, "cbs": { "aliquota": 0.8 } } }));
    item["cfop"] = json!("5202");
    let body = json!({ "finalidade": "devolucao", "destinatario": taxpayer("SP"), "itens": [item],
        "referencias": [{ "chave": crate::operations::chave(10) }] });
    let proof = nfe(&normal(), &body);
    assert_eq!(
        proof.no_item(1, "imposto/IBSCBS/gIBSCBS/gIBSMun/pIBSMun"),
        "0.0500"
    );
}

#[test]
fn a_simples_company_leaves_ibs_and_cbs_out_and_is_told() {
    let body = sale(vec![item_with(
        json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "000001" } }),
    )]);
    let proof = nfe(&simples(), &body);
    assert!(proof.nota.tree.caminho(&["total", "IBSCBSTot"]).is_none());
    assert_eq!(proof.nota.notices[0].campo, "itens[0].impostos.ibs_cbs");
}

#[test]
fn the_selective_tax_is_in_the_base_of_ibs_and_cbs() {
    let base = |impostos: Value| {
        let proof = nfe(&normal(), &sale(vec![item_with(impostos)]));
        let base = proof.no_item(1, "imposto/IBSCBS/gIBSCBS/vBC");
        base.parse::<f64>().expect("an amount")
    };
    let selective = json!({ "is": { "cst": "000", "cclass_trib": "000001", "aliquota": 10 } });
    // 10 % of 9.98.
    let difference = base(selective) - base(json!({}));
    assert!((difference - 1.00).abs() < 0.001, "{difference}");
}
