//! Members that the situation of a tax has no place for: refused by name,
//! never left out in silence.

use crate::bench::{data, item_with, nfe, normal, problems, sale, simples};
use compose::emitter::Emitter;
use compose::frame::Model;
use serde_json::{Value, json};

fn refusals(who: &Emitter, impostos: &Value) -> Vec<String> {
    let body = sale(vec![item_with(impostos.clone())]);
    problems(who, &data(Model::Nfe), &body)
}

/// Wants exactly these members of a group refused.
fn outside(who: &Emitter, group: &str, members: &Value, all_expected: &[&str]) {
    let mut all_expected: Vec<String> = all_expected
        .iter()
        .map(|member| format!("itens[0].impostos.{group}.{member} nao_cabe_no_cst"))
        .collect();
    let mut impostos = json!({});
    impostos[group] = members.clone();
    let mut all_said = refusals(who, &impostos);
    all_said.sort();
    all_expected.sort();
    assert_eq!(all_said, all_expected, "{group} {members}");
}

fn st() -> Value {
    json!({ "mva": 40, "aliquota": 18 })
}

#[test]
fn of_the_cst_of_icms() {
    let relief = json!({ "valor": 1, "motivo": "9" });
    for (icms, all_expected) in [
        (
            json!({ "cst": "00", "aliquota": 18, "reducao": 10, "st": st(), "desonerado": relief,
                "diferimento": { "percentual": 50 }, "mono": { "aliquota": 1 }, "retido": { "base": 1 },
                "cbenef_reducao": "SP000001" }),
            &[
                "cbenef_reducao",
                "desonerado",
                "diferimento",
                "mono",
                "reducao",
                "retido",
                "st",
            ][..],
        ),
        (
            json!({ "cst": "10", "aliquota": 18, "st": st(), "reducao": 10, "desonerado": relief }),
            &["desonerado", "reducao"],
        ),
        (
            json!({ "cst": "20", "aliquota": 18, "reducao": 10, "st": st(), "fcp_st": { "aliquota": 2 } }),
            &["fcp_st", "st"],
        ),
        (
            json!({ "cst": "30", "aliquota": 18, "base": 10, "valor": 1.8, "st": {
                "mva": 40, "aliquota": 18, "desonerado": relief } }),
            &["base", "st.desonerado", "valor"],
        ),
        (
            json!({ "cst": "40", "base": 9.98, "aliquota": 18, "valor": 1.8, "reducao": 1, "modalidade_bc": "3" }),
            &["aliquota", "base", "modalidade_bc", "reducao", "valor"],
        ),
        (
            json!({ "cst": "41", "base": 9.98, "valor": 1.8, "fcp": { "aliquota": 2 }, "st": st() }),
            &["base", "fcp", "st", "valor"],
        ),
        (
            json!({ "cst": "50", "aliquota": 18, "credito_sn": { "aliquota": 1 }, "efetivo": { "aliquota": 18 } }),
            &["aliquota", "credito_sn", "efetivo"],
        ),
        // Nothing but the situation is told: what hangs on an amount does not fit.
        (
            json!({ "cst": "51", "reducao": 10, "modalidade_bc": "3", "fcp": { "aliquota": 2 },
                "diferimento": { "percentual_fcp": 10 } }),
            &["diferimento", "fcp", "modalidade_bc", "reducao"],
        ),
        (
            json!({ "cst": "51", "aliquota": 18, "diferimento": { "percentual": 50, "percentual_fcp": 10 } }),
            &["diferimento.percentual_fcp"],
        ),
        (
            json!({ "cst": "60", "aliquota": 18, "st": st(), "st_destino": { "base": 1, "valor": 1 } }),
            &["aliquota", "st", "st_destino"],
        ),
        (
            json!({ "cst": "70", "aliquota": 18, "reducao": 10, "st": st(), "efetivo": { "aliquota": 18 } }),
            &["efetivo"],
        ),
        (
            json!({ "cst": "90", "reducao": 10, "fcp": { "aliquota": 2 }, "fcp_st": { "aliquota": 2 },
                "diferimento": { "percentual": 50 }, "uf_st": "RJ", "percentual_base_operacao": 10 }),
            &[
                "diferimento",
                "fcp",
                "fcp_st",
                "percentual_base_operacao",
                "reducao",
                "uf_st",
            ],
        ),
        (
            json!({ "cst": "53", "mono": { "aliquota": 1.12 }, "diferimento": { "percentual": 33.33 } }),
            &["diferimento"],
        ),
        (
            json!({ "cst": "02", "aliquota": 18, "mono": { "aliquota": 1.12, "diferimento": 10,
                "aliquota_retencao": 1 } }),
            &["aliquota", "mono.aliquota_retencao", "mono.diferimento"],
        ),
        (
            json!({ "cst": "15", "mono": { "aliquota": 1.12, "aliquota_retencao": 1, "motivo_reducao": "1" } }),
            &["mono.motivo_reducao"],
        ),
        (
            json!({ "cst": "61", "base": 1, "mono": { "aliquota": 1.12, "valor_retencao": 1 } }),
            &["base", "mono.valor_retencao"],
        ),
        (
            json!({ "cst": "10", "grupo": "partilha", "aliquota": 18, "st": st(),
                "percentual_base_operacao": 100, "uf_st": "RJ", "fcp": { "aliquota": 2 } }),
            &["fcp"],
        ),
        (
            json!({ "cst": "41", "grupo": "st_repasse", "aliquota": 18, "st_destino": { "base": 9, "valor": 1 },
                "retido": { "base": 9, "valor": 1.62 } }),
            &["aliquota"],
        ),
    ] {
        outside(&normal(), "icms", &icms, all_expected);
    }
}

#[test]
fn of_the_csosn() {
    let credit = json!({ "aliquota": 1.25 });
    for (icms, all_expected) in [
        (
            json!({ "csosn": "101", "credito_sn": credit, "aliquota": 18 }),
            &["aliquota"][..],
        ),
        (
            json!({ "csosn": "102", "credito_sn": credit, "st": st(), "grupo": "partilha" }),
            &["credito_sn", "grupo", "st"],
        ),
        // Without a situation the item goes as 102.
        (
            json!({ "base": 9.98, "aliquota": 18 }),
            &["aliquota", "base"],
        ),
        (
            json!({ "csosn": "202", "aliquota": 18, "st": st(), "credito_sn": credit }),
            &["credito_sn"],
        ),
        (json!({ "csosn": "500", "st": st() }), &["st"]),
        (
            json!({ "csosn": "900", "reducao": 10, "fcp": { "aliquota": 2 } }),
            &["fcp", "reducao"],
        ),
    ] {
        outside(&simples(), "icms", &icms, all_expected);
    }
}

#[test]
fn of_ipi_pis_and_cofins() {
    for group in ["pis", "cofins"] {
        for (members, all_expected) in [
            (
                json!({ "cst": "01", "aliquota": 1.65, "quantidade": 2, "aliquota_unidade": 1 }),
                &["aliquota_unidade", "quantidade"][..],
            ),
            (
                json!({ "cst": "03", "aliquota_unidade": 1, "base": 10, "aliquota": 1.65 }),
                &["aliquota", "base"],
            ),
            (json!({ "cst": "06", "aliquota": 1.65 }), &["aliquota"]),
            (
                json!({ "cst": "08", "base": 10, "valor": 1, "quantidade": 2, "aliquota_unidade": 1 }),
                &["aliquota_unidade", "base", "quantidade", "valor"],
            ),
            (
                json!({ "cst": "99", "aliquota_unidade": 1, "aliquota": 1.65 }),
                &["aliquota"],
            ),
            (json!({ "cst": "49", "quantidade": 2 }), &["quantidade"]),
        ] {
            outside(&normal(), group, &members, all_expected);
        }
        let substitute = format!("{group}_st");
        let by_unit = json!({ "aliquota_unidade": 1, "aliquota": 1.65, "base": 10 });
        outside(&normal(), &substitute, &by_unit, &["aliquota", "base"]);
        let by_rate = json!({ "aliquota": 1.65, "base": 10, "quantidade": 2 });
        outside(&normal(), &substitute, &by_rate, &["quantidade"]);
    }
    for (members, all_expected) in [
        (
            json!({ "cst": "53", "aliquota": 10, "base": 10, "valor": 1 }),
            &["aliquota", "base", "valor"][..],
        ),
        (
            json!({ "cst": "50", "valor_unidade": 1, "aliquota": 10 }),
            &["aliquota"],
        ),
        (
            json!({ "cst": "50", "aliquota": 10, "quantidade": 2 }),
            &["quantidade"],
        ),
    ] {
        outside(&normal(), "ipi", &members, all_expected);
    }
}

/// CST 00 has no base of the fund: it is that of the tax.
#[test]
fn a_base_of_the_fund_that_cst_00_does_not_tell() {
    let with = |base: &str| json!({ "icms": { "cst": "00", "aliquota": 18, "fcp": { "aliquota": 2, "base": base } } });
    assert_eq!(
        refusals(&normal(), &with("100.00")),
        ["itens[0].impostos.icms.fcp.base valor_divergente"]
    );
    nfe(&normal(), &sale(vec![item_with(with("9.98"))]));
}

/// The situation comes from the profile, the member from the item.
#[test]
fn of_the_situation_the_profile_gives() {
    let mut who = normal();
    who.padroes.pis = serde_json::from_value(json!({ "cst": "06" })).expect("defaults");
    outside(&who, "pis", &json!({ "aliquota": 1.65 }), &["aliquota"]);
    who.padroes.icms = serde_json::from_value(json!({ "cst": "40" })).expect("defaults");
    outside(&who, "icms", &json!({ "valor": 1.8 }), &["valor"]);
    // What the profile itself has too much of leaves the sale alone, and is told.
    who.padroes.icms =
        serde_json::from_value(json!({ "cst": "00", "aliquota": 18, "reducao": 10 })).ok();
    let proof = nfe(&who, &sale(vec![crate::bench::item()]));
    assert_eq!(proof.value("total/ICMSTot/vBC"), "9.98");
    let noticed = proof.nota.notices.iter().map(|aviso| aviso.campo.as_str());
    assert!(
        noticed
            .clone()
            .any(|field| field == "perfil_fiscal.padroes.icms.reducao"),
        "{:?}",
        noticed.collect::<Vec<_>>()
    );
}

/// Zeros say nothing: programs that always send every member go on.
#[test]
fn zeros_are_no_members() {
    let impostos = json!({ "icms": { "cst": "40", "base": 0, "aliquota": "0.00", "valor": 0,
            "reducao": 0, "st": { "base": 0, "aliquota": 0, "valor": "0.00" } },
        "ipi": { "cst": "53", "base": 0, "aliquota": 0, "valor": 0 },
        "pis": { "cst": "06", "base": 0, "aliquota": 0, "valor": 0 },
        "cofins": { "cst": "06", "base": 0, "aliquota": 0, "valor": 0 } });
    nfe(&normal(), &sale(vec![item_with(impostos)]));
}

/// What comes from abroad owes no other state its part.
#[test]
fn of_an_import() {
    let difal = |difal: Value| {
        let mut item =
            item_with(json!({ "icms": { "cst": "00", "aliquota": 18, "difal": difal } }));
        item["cfop"] = json!("3102");
        let recipient = json!({ "nome": "Foreign Co", "endereco": { "logradouro": "Main St", "numero": "1",
            "bairro": "Center", "codigo_pais": "US" } });
        let body = json!({ "tipo_operacao": "entrada", "destinatario": recipient, "itens": [item],
            "pagamentos": [{ "forma": "sem_pagamento" }] });
        problems(&normal(), &data(Model::Nfe), &body)
    };
    let expected = "itens[0].impostos.icms.difal.aliquota_interna nao_cabe_no_cst";
    let list = difal(json!({ "aliquota_interna": 20 }));
    assert!(list.iter().any(|said| said == expected), "{list:?}");
    assert!(
        difal(json!({ "dispensado": true }))
            .iter()
            .all(|said| !said.contains("difal"))
    );
}

/// A service has ISSQN in the place of ICMS and II.
#[test]
fn of_a_service() {
    let mut who = normal();
    who.im = Some("1".to_owned());
    let mut service = crate::taxes::service();
    service["impostos"]["icms"] = json!({ "cst": "00", "aliquota": 18 });
    service["impostos"]["ii"] = json!({ "valor": 1 });
    assert_eq!(
        problems(&who, &data(Model::Nfe), &sale(vec![service])),
        [
            "itens[0].impostos.icms grupos_excludentes",
            "itens[0].impostos.ii grupos_excludentes"
        ]
    );
}
