//! ICMS: a note for each CST and CSOSN.

use crate::bench::{item_with, nfe, normal, sale, simples};
use serde_json::{Value, json};

/// The group an item's ICMS becomes.
fn group(proof: &crate::bench::Proof) -> String {
    let det = proof.nota.tree.find("det").expect("item");
    let icms = det.caminho(&["imposto", "ICMS"]).expect("ICMS");
    icms.list()[0].name.to_string()
}

fn st() -> Value {
    json!({ "mva": 40, "aliquota": 18 })
}

#[test]
fn every_cst() {
    for (icms, name, total) in [
        (
            json!({ "cst": "00", "aliquota": 18, "fcp": { "aliquota": 2 } }),
            "ICMS00",
            "9.98",
        ),
        // (9.98 * 1.4) * 18 % - 9.98 * 18 % = 13.97 * 0.18 - 1.80 = 2.51 - 1.80.
        (
            json!({ "cst": "10", "aliquota": 18, "st": st() }),
            "ICMS10",
            "10.69",
        ),
        (
            json!({ "cst": "10", "aliquota": 18, "fcp": { "aliquota": 2 }, "st": st(), "fcp_st": { "aliquota": 2 } }),
            "ICMS10",
            "10.77",
        ),
        (
            json!({ "cst": "20", "aliquota": 18, "reducao": 33.33, "desonerado": { "motivo": "9" } }),
            "ICMS20",
            "9.98",
        ),
        (
            json!({ "cst": "20", "aliquota": 18, "reducao": 33.33, "desonerado": { "motivo": "9", "deduz": true } }),
            "ICMS20",
            "9.38",
        ),
        (
            json!({ "cst": "30", "aliquota": 18, "st": st() }),
            "ICMS30",
            "10.69",
        ),
        (json!({ "cst": "40" }), "ICMS40", "9.98"),
        (json!({ "cst": "41" }), "ICMS40", "9.98"),
        (
            json!({ "cst": "50", "desonerado": { "valor": 1.8, "motivo": 7.to_string() } }),
            "ICMS40",
            "9.98",
        ),
        (json!({ "cst": "51" }), "ICMS51", "9.98"),
        (
            json!({ "cst": "51", "aliquota": 18, "diferimento": { "percentual": 33.3333 } }),
            "ICMS51",
            "9.98",
        ),
        (
            json!({ "cst": "51", "aliquota": 18, "fcp": { "aliquota": 2 }, "diferimento": { "percentual": 100, "percentual_fcp": 50 } }),
            "ICMS51",
            "9.98",
        ),
        (json!({ "cst": "60" }), "ICMS60", "9.98"),
        (
            json!({ "cst": "60", "retido": { "base": 9, "aliquota": 18, "valor_substituto": 1, "valor": 0.62,
            "fcp": { "aliquota": 2 } }, "efetivo": { "aliquota": 18 } }),
            "ICMS60",
            "9.98",
        ),
        (
            json!({ "cst": "70", "aliquota": 18, "reducao": 10, "st": st() }),
            "ICMS70",
            "10.87",
        ),
        (json!({ "cst": "90" }), "ICMS90", "9.98"),
        (
            json!({ "cst": "90", "aliquota": 18, "reducao": 10, "st": st() }),
            "ICMS90",
            "10.87",
        ),
        (
            json!({ "cst": "90", "aliquota": 18, "diferimento": { "percentual": 50 } }),
            "ICMS90",
            "9.98",
        ),
        (
            json!({ "cst": "10", "grupo": "partilha", "aliquota": 18, "st": st(), "percentual_base_operacao": 100, "uf_st": "RJ" }),
            "ICMSPart",
            "10.69",
        ),
        (
            json!({ "cst": "41", "grupo": "st_repasse", "retido": { "base": 9, "aliquota": 18, "valor": 1.62 },
            "st_destino": { "base": 9, "valor": 1 } }),
            "ICMSST",
            "9.98",
        ),
        // The rate of what was retained may be left out of this group.
        (
            json!({ "cst": "60", "grupo": "st_repasse", "retido": { "base": 9, "valor": 1.62 },
            "st_destino": { "base": 9, "valor": 1 } }),
            "ICMSST",
            "9.98",
        ),
        (
            json!({ "cst": "02", "mono": { "aliquota": 1.4527 } }),
            "ICMS02",
            "9.98",
        ),
        (
            json!({ "cst": "15", "mono": { "aliquota": 1.12, "aliquota_retencao": 0.2 } }),
            "ICMS15",
            "10.38",
        ),
        (
            json!({ "cst": "15", "mono": { "aliquota": 1.12, "aliquota_retencao": 0.2, "reducao": 50, "motivo_reducao": "1" } }),
            "ICMS15",
            "10.38",
        ),
        (
            json!({ "cst": "53", "mono": { "aliquota": 1.12, "diferimento": 60 } }),
            "ICMS53",
            "9.98",
        ),
        (
            json!({ "cst": "61", "mono": { "aliquota": 1.12 } }),
            "ICMS61",
            "9.98",
        ),
    ] {
        let proof = nfe(&normal(), &sale(vec![item_with(json!({ "icms": icms }))]));
        assert_eq!(
            (group(&proof).as_str(), proof.value("total/ICMSTot/vNF")),
            (name, total),
            "{icms}"
        );
    }
}

#[test]
fn every_csosn() {
    let credit = json!({ "aliquota": 1.25 });
    for (icms, name) in [
        (json!({ "csosn": "101", "credito_sn": credit }), "ICMSSN101"),
        (json!({ "csosn": "102" }), "ICMSSN102"),
        (json!({ "csosn": "103" }), "ICMSSN102"),
        (json!({ "csosn": "300" }), "ICMSSN102"),
        (json!({ "csosn": "400" }), "ICMSSN102"),
        (
            json!({ "csosn": "201", "aliquota": 18, "st": st(), "credito_sn": credit }),
            "ICMSSN201",
        ),
        (
            json!({ "csosn": "202", "aliquota": 18, "st": st() }),
            "ICMSSN202",
        ),
        (
            json!({ "csosn": "203", "st": { "base": 10, "aliquota": 18, "valor": 0.5 } }),
            "ICMSSN202",
        ),
        (json!({ "csosn": "500" }), "ICMSSN500"),
        (
            json!({ "csosn": "500", "retido": { "base": 9, "aliquota": 18, "valor": 1.62 }, "efetivo": { "aliquota": 18 } }),
            "ICMSSN500",
        ),
        (json!({ "csosn": "900" }), "ICMSSN900"),
        (
            json!({ "csosn": "900", "aliquota": 18, "reducao": 10, "st": st(), "credito_sn": credit }),
            "ICMSSN900",
        ),
    ] {
        let proof = nfe(&simples(), &sale(vec![item_with(json!({ "icms": icms }))]));
        assert_eq!(group(&proof), name, "{icms}");
    }
}

/// How much the own operation takes off the ST is not the authority's to
/// check: what comes whole is taken, up to the rate over the base.
#[test]
fn an_st_that_comes_whole_is_taken() {
    let with = |base: &str, value: &str| {
        let st = json!({ "base": base, "aliquota": 18, "valor": value });
        sale(vec![item_with(
            json!({ "icms": { "cst": "10", "aliquota": 18, "st": st } }),
        )])
    };
    // 18 % of 1.72 is less than the own operation's 1.80.
    let proof = nfe(&normal(), &with("1.72", "0.31"));
    assert_eq!(proof.value("total/ICMSTot/vST"), "0.31");
    let noticed = |proof: &crate::bench::Proof| {
        let field = "itens[0].impostos.icms.st.valor";
        proof.nota.notices.iter().any(|aviso| aviso.campo == field)
    };
    assert!(noticed(&proof));
    // 18 % of 13.97, less 1.80.
    assert!(!noticed(&nfe(&normal(), &with("13.97", "0.71"))));
    let data = crate::bench::data(compose::frame::Model::Nfe);
    assert_eq!(
        crate::bench::problems(&normal(), &data, &with("13.97", "2.53")),
        ["itens[0].impostos.icms.st.valor valor_divergente"]
    );
}
