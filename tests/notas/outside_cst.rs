//! Members that the situation of a tax has no place for: refused by name,
//! never left out in silence.

use crate::bench::{dados, item_com, nfe, normal, problemas, simples, venda};
use compose::emitter::Emitente;
use compose::frame::Modelo;
use serde_json::{Value, json};

fn recusas(quem: &Emitente, impostos: &Value) -> Vec<String> {
    let corpo = venda(vec![item_com(impostos.clone())]);
    problemas(quem, &dados(Modelo::Nfe), &corpo)
}

/// Wants exactly these members of a group refused.
fn fora(quem: &Emitente, grupo: &str, membros: &Value, esperados: &[&str]) {
    let mut esperados: Vec<String> = esperados
        .iter()
        .map(|membro| format!("itens[0].impostos.{grupo}.{membro} nao_cabe_no_cst"))
        .collect();
    let mut impostos = json!({});
    impostos[grupo] = membros.clone();
    let mut ditos = recusas(quem, &impostos);
    ditos.sort();
    esperados.sort();
    assert_eq!(ditos, esperados, "{grupo} {membros}");
}

fn st() -> Value {
    json!({ "mva": 40, "aliquota": 18 })
}

#[test]
fn of_the_cst_of_icms() {
    let deson = json!({ "valor": 1, "motivo": "9" });
    for (icms, esperados) in [
        (
            json!({ "cst": "00", "aliquota": 18, "reducao": 10, "st": st(), "desonerado": deson,
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
            json!({ "cst": "10", "aliquota": 18, "st": st(), "reducao": 10, "desonerado": deson }),
            &["desonerado", "reducao"],
        ),
        (
            json!({ "cst": "20", "aliquota": 18, "reducao": 10, "st": st(), "fcp_st": { "aliquota": 2 } }),
            &["fcp_st", "st"],
        ),
        (
            json!({ "cst": "30", "aliquota": 18, "base": 10, "valor": 1.8, "st": {
                "mva": 40, "aliquota": 18, "desonerado": deson } }),
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
        fora(&normal(), "icms", &icms, esperados);
    }
}

#[test]
fn of_the_csosn() {
    let credito = json!({ "aliquota": 1.25 });
    for (icms, esperados) in [
        (
            json!({ "csosn": "101", "credito_sn": credito, "aliquota": 18 }),
            &["aliquota"][..],
        ),
        (
            json!({ "csosn": "102", "credito_sn": credito, "st": st(), "grupo": "partilha" }),
            &["credito_sn", "grupo", "st"],
        ),
        // Without a situation the item goes as 102.
        (
            json!({ "base": 9.98, "aliquota": 18 }),
            &["aliquota", "base"],
        ),
        (
            json!({ "csosn": "202", "aliquota": 18, "st": st(), "credito_sn": credito }),
            &["credito_sn"],
        ),
        (json!({ "csosn": "500", "st": st() }), &["st"]),
        (
            json!({ "csosn": "900", "reducao": 10, "fcp": { "aliquota": 2 } }),
            &["fcp", "reducao"],
        ),
    ] {
        fora(&simples(), "icms", &icms, esperados);
    }
}

#[test]
fn of_ipi_pis_and_cofins() {
    for grupo in ["pis", "cofins"] {
        for (membros, esperados) in [
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
            fora(&normal(), grupo, &membros, esperados);
        }
        let substituta = format!("{grupo}_st");
        let por_unidade = json!({ "aliquota_unidade": 1, "aliquota": 1.65, "base": 10 });
        fora(&normal(), &substituta, &por_unidade, &["aliquota", "base"]);
        let por_taxa = json!({ "aliquota": 1.65, "base": 10, "quantidade": 2 });
        fora(&normal(), &substituta, &por_taxa, &["quantidade"]);
    }
    for (membros, esperados) in [
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
        fora(&normal(), "ipi", &membros, esperados);
    }
}

/// CST 00 has no base of the fund: it is that of the tax.
#[test]
fn a_base_of_the_fund_that_cst_00_does_not_tell() {
    let com = |base: &str| json!({ "icms": { "cst": "00", "aliquota": 18, "fcp": { "aliquota": 2, "base": base } } });
    assert_eq!(
        recusas(&normal(), &com("100.00")),
        ["itens[0].impostos.icms.fcp.base valor_divergente"]
    );
    nfe(&normal(), &venda(vec![item_com(com("9.98"))]));
}

/// The situation comes from the profile, the member from the item.
#[test]
fn of_the_situation_the_profile_gives() {
    let mut quem = normal();
    quem.padroes.pis = serde_json::from_value(json!({ "cst": "06" })).expect("defaults");
    fora(&quem, "pis", &json!({ "aliquota": 1.65 }), &["aliquota"]);
    quem.padroes.icms = serde_json::from_value(json!({ "cst": "40" })).expect("defaults");
    fora(&quem, "icms", &json!({ "valor": 1.8 }), &["valor"]);
    // What the profile itself has too much of leaves the sale alone, and is told.
    quem.padroes.icms =
        serde_json::from_value(json!({ "cst": "00", "aliquota": 18, "reducao": 10 })).ok();
    let prova = nfe(&quem, &venda(vec![crate::bench::item()]));
    assert_eq!(prova.valor("total/ICMSTot/vBC"), "9.98");
    let avisado = prova.nota.avisos.iter().map(|aviso| aviso.campo.as_str());
    assert!(
        avisado
            .clone()
            .any(|campo| campo == "perfil_fiscal.padroes.icms.reducao"),
        "{:?}",
        avisado.collect::<Vec<_>>()
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
    nfe(&normal(), &venda(vec![item_com(impostos)]));
}

/// What comes from abroad owes no other state its part.
#[test]
fn of_an_import() {
    let difal = |difal: Value| {
        let mut item = item_com(json!({ "icms": { "cst": "00", "aliquota": 18, "difal": difal } }));
        item["cfop"] = json!("3102");
        let destinatario = json!({ "nome": "Foreign Co", "endereco": { "logradouro": "Main St", "numero": "1",
            "bairro": "Center", "codigo_pais": "US" } });
        let corpo = json!({ "tipo_operacao": "entrada", "destinatario": destinatario, "itens": [item],
            "pagamentos": [{ "forma": "sem_pagamento" }] });
        problemas(&normal(), &dados(Modelo::Nfe), &corpo)
    };
    let esperado = "itens[0].impostos.icms.difal.aliquota_interna nao_cabe_no_cst";
    let lista = difal(json!({ "aliquota_interna": 20 }));
    assert!(lista.iter().any(|dito| dito == esperado), "{lista:?}");
    assert!(
        difal(json!({ "dispensado": true }))
            .iter()
            .all(|dito| !dito.contains("difal"))
    );
}

/// A service has ISSQN in the place of ICMS and II.
#[test]
fn of_a_service() {
    let mut quem = normal();
    quem.im = Some("1".to_owned());
    let mut servico = crate::taxes::servico();
    servico["impostos"]["icms"] = json!({ "cst": "00", "aliquota": 18 });
    servico["impostos"]["ii"] = json!({ "valor": 1 });
    assert_eq!(
        problemas(&quem, &dados(Modelo::Nfe), &venda(vec![servico])),
        [
            "itens[0].impostos.icms grupos_excludentes",
            "itens[0].impostos.ii grupos_excludentes"
        ]
    );
}
