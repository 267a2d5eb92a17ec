//! Properties over generated requests: a body that is right becomes a
//! document whose totals are the sums of its items; junk never panics.

use crate::authority;
use crate::bench::{
    NOW, consumer, data, judge, nfe, normal, paid, proof, read, sign, simples, taxpayer,
};
use compose::assembly::{build, validate};
use compose::frame::Model;
use fiscal::nfe::order::Pedido;
use markup::tree::Node;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Xorshift: the same cases in every run.
struct Random(u64);

impl Random {
    fn next_value(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next_value() % limit
    }

    fn one_of<'v, T>(&mut self, list: &'v [T]) -> &'v T {
        let spot = usize::try_from(self.below(list.len() as u64)).unwrap_or(0);
        &list[spot]
    }

    fn decimal(&mut self, integers: u64, decimals: u32) -> String {
        let mantissa = i64::try_from(self.below(integers * 10_u64.pow(decimals))).unwrap_or(1) + 1;
        Decimal::new(mantissa, decimals).to_string()
    }
}

fn impostos(random: &mut Random, simples: bool) -> Value {
    let st = json!({ "mva": random.decimal(80, 2), "aliquota": 18 });
    let fcp = json!({ "aliquota": 2 });
    let icms = if simples {
        random
            .one_of(&[
                json!({ "csosn": "101", "credito_sn": { "aliquota": 1.25 } }),
                json!({ "csosn": "102" }),
                json!({ "csosn": "202", "aliquota": 18, "st": st }),
                json!({ "csosn": "500" }),
                json!({ "csosn": "900", "aliquota": 18 }),
            ])
            .clone()
    } else {
        random
            .one_of(&[
                json!({ "cst": "00", "aliquota": 18 }),
                json!({ "cst": "00", "aliquota": 12, "fcp": fcp }),
                json!({ "cst": "10", "aliquota": 18, "st": st, "fcp": fcp, "fcp_st": fcp }),
                json!({ "cst": "20", "aliquota": 18, "reducao": 33.33 }),
                json!({ "cst": "20", "aliquota": 18, "reducao": 50, "desonerado": { "motivo": "9", "deduz": true } }),
                json!({ "cst": "30", "aliquota": 18, "st": st }),
                json!({ "cst": "40" }),
                json!({ "cst": "51", "aliquota": 18, "diferimento": { "percentual": 33.33 } }),
                json!({ "cst": "60" }),
                json!({ "cst": "70", "aliquota": 18, "reducao": 10, "st": st }),
                json!({ "cst": "90", "aliquota": 7 }),
                json!({ "cst": "02", "mono": { "aliquota": 1.4527 } }),
                json!({ "cst": "15", "mono": { "aliquota": 1.12, "aliquota_retencao": 0.2 } }),
            ])
            .clone()
    };
    let mut impostos = json!({ "icms": icms, "valor_aproximado": random.decimal(5, 2) });
    if !simples {
        let forms = [
            json!({ "cst": "01", "aliquota": 1.65 }),
            json!({ "cst": "03", "aliquota_unidade": 0.0321 }),
            json!({ "cst": "06" }),
            json!({ "cst": "99" }),
        ];
        let pis = random.one_of(&forms);
        impostos["pis"] = pis.clone();
        impostos["cofins"] = pis.clone();
        if random.below(3) == 0 {
            impostos["ipi"] = json!({ "cst": "50", "aliquota": random.decimal(30, 2) });
        }
    }
    impostos
}

fn body(random: &mut Random, simples: bool) -> Value {
    let count = 1 + random.below(12);
    let items: Vec<Value> = (0..count)
        .map(|_| {
            let mut item = crate::bench::item();
            item["quantidade"] = json!(random.decimal(300, 4));
            item["valor_unitario"] = json!(random.decimal(500, 7));
            item["impostos"] = impostos(random, simples);
            if random.below(4) == 0 {
                item["frete"] = json!(random.decimal(20, 2));
            }
            // What is taken off needs something to be taken from.
            let deducts = item["impostos"]["icms"]["desonerado"]["deduz"] == json!(true);
            if random.below(9) == 0 && !deducts {
                item["compoe_total"] = json!(false);
            }
            item
        })
        .collect();
    let mut items = items;
    items[0]["compoe_total"] = json!(true);
    let destination = if random.below(3) == 0 {
        consumer("SP")
    } else {
        taxpayer("SP")
    };
    let mut body = json!({ "destinatario": destination, "itens": items, "pagamentos": paid() });
    body["pagamentos"][0]["valor"] = json!(100_000_000);
    if random.below(2) == 0 {
        body["frete"] = json!(random.decimal(900, 2));
        body["outras_despesas"] = json!(random.decimal(9, 2));
    }
    body
}

fn sum(root: &Node, name: &str, outside: &[&str]) -> Decimal {
    fn descend(element: &Node, name: &str, outside: &[&str], total: &mut Decimal) {
        if outside.contains(&element.name.as_ref()) {
            return;
        }
        if element.name == name
            && let Some(text) = element.text()
        {
            *total += text.parse::<Decimal>().expect("number");
        }
        element
            .list()
            .iter()
            .for_each(|child| descend(child, name, outside, total));
    }
    let mut total = Decimal::ZERO;
    root.list()
        .iter()
        .filter(|element| element.name == "det")
        .for_each(|det| descend(det, name, outside, &mut total));
    total
}

#[test]
fn any_valid_request_is_a_valid_document_whose_totals_are_sums() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for case in 0..60 {
        let simples_nacional = case % 3 == 0;
        let who = if simples_nacional {
            simples()
        } else {
            normal()
        };
        let body = body(&mut random, simples_nacional);
        let proof = nfe(&who, &body);
        let root = &proof.nota.tree;
        let total = |field: &str| -> Decimal {
            let text = root.value(&["total", "ICMSTot", field]).unwrap_or("0.00");
            text.parse().expect("number")
        };
        // Name in the totals, name in the items, groups where it means
        // something else.
        for (no_total, no_item, outside) in [
            (
                "vBC",
                "vBC",
                &[
                    "IPI", "PIS", "COFINS", "PISST", "COFINSST", "IBSCBS", "II", "ISSQN",
                ][..],
            ),
            ("vICMS", "vICMS", &[]),
            ("vBCST", "vBCST", &[]),
            ("vST", "vICMSST", &[]),
            ("vFCP", "vFCP", &[]),
            ("vFCPST", "vFCPST", &[]),
            ("vICMSDeson", "vICMSDeson", &[]),
            ("vIPI", "vIPI", &[]),
            ("vPIS", "vPIS", &["PISST"]),
            ("vCOFINS", "vCOFINS", &["COFINSST"]),
            ("vFrete", "vFrete", &[]),
            ("vOutro", "vOutro", &["ISSQN"]),
            ("vDesc", "vDesc", &[]),
            ("vTotTrib", "vTotTrib", &[]),
            ("vICMSMono", "vICMSMono", &[]),
            ("vICMSMonoReten", "vICMSMonoReten", &[]),
        ] {
            assert_eq!(
                total(no_total),
                sum(root, no_item, outside),
                "{case} {no_total} {body}"
            );
        }
        let deducted: Decimal = root
            .list()
            .iter()
            .filter_map(|det| det.caminho(&["imposto", "ICMS"])?.list().first())
            .filter(|group| group.value(&["indDeduzDeson"]) == Some("1"))
            .filter_map(|group| group.value(&["vICMSDeson"])?.parse::<Decimal>().ok())
            .sum();
        let expected = total("vProd") - total("vDesc") - deducted
            + total("vST")
            + total("vFCPST")
            + total("vICMSMonoReten")
            + total("vFrete")
            + total("vSeg")
            + total("vOutro")
            + total("vII")
            + total("vIPI")
            + total("vIPIDevol");
        assert_eq!(total("vNF"), expected, "{case}");
        assert_eq!(proof.nota.total_value, expected);
        if let Some(v_nf_tot) = root.value(&["total", "vNFTot"]) {
            assert_eq!(
                v_nf_tot.parse::<Decimal>().expect("number"),
                sum(root, "vItem", &[])
            );
        }
    }
}

#[test]
fn the_second_pass_gives_the_same_note_with_another_number() {
    let mut random = Random(7);
    for case in 0..40 {
        let body = body(&mut random, case % 2 == 0);
        let who = if case % 2 == 0 { simples() } else { normal() };
        let provisional = data(Model::Nfe);
        let mut request = read(&body);
        let before = validate(&mut request, &who, &provisional, NOW).expect("valid");
        // What is frozen and read again is the same request.
        let kept = serde_json::to_string(&request).expect("json");
        let request: Pedido = serde_json::from_str(&kept).expect("json");
        let mut definitive = provisional;
        definitive.numero = 999_999_999;
        definitive.c_nf = 5;
        let after = build(&request, &who, &definitive).expect("valid again");
        assert_eq!(before.totals, after.totals);
        assert_ne!(before.chave, after.chave);
        assert_eq!(after, build(&request, &who, &definitive).expect("the same"));
    }
}

#[test]
fn junk_is_refused_and_never_panics() {
    let whole = crate::bench::sale(vec![crate::bench::item_with(json!({
        "icms": { "cst": "70", "aliquota": 18, "reducao": 10, "st": { "mva": 40 }, "fcp": { "aliquota": 2 } },
        "ipi": { "cst": "50", "aliquota": 5 }, "pis": { "cst": "01", "aliquota": 1.65 },
        "ii": { "base": 1, "valor": 1 }, "issqn": null
    }))]);
    let junk = [
        json!(null),
        json!(""),
        json!("0"),
        json!(-1),
        json!("9999999999999.9999999999"),
        json!("0.0000000001"),
        json!("é€😀\u{0}\u{7f}\n"),
        json!("99999999999999"),
        json!([]),
        json!({}),
        json!(true),
        json!("x".repeat(70_000)),
    ];
    let mut random = Random(42);
    let (mut read_count, mut accepted) = (0, 0);
    for case in 0..4000_u64 {
        let mut body = whole.clone();
        for _ in 0..1 + random.below(3) {
            let place = random.below(80);
            let swap = random.one_of(&junk).clone();
            let mut remaining = place;
            spoil(&mut body, &mut remaining, &swap);
        }
        let Ok(mut request) = serde_json::from_value::<Pedido>(body) else {
            continue;
        };
        read_count += 1;
        let who = if case % 2 == 0 { simples() } else { normal() };
        let model = if case % 3 == 0 {
            Model::Nfce
        } else {
            Model::Nfe
        };
        let data = data(model);
        if let Ok(nota) = validate(&mut request, &who, &data, NOW) {
            assert!(!nota.total_value.is_sign_negative() || nota.total_value.is_zero());
            // What the pre-flight lets through, the authority takes.
            let xml = sign(&who, &nota, &data);
            authority::authorize(&who, &data, &xml);
            accepted += 1;
        }
    }
    assert!(read_count > 500, "{read_count}");
    assert!(accepted > 100, "{accepted}");
}

/// Replaces the n-th value of a body.
fn spoil(value: &mut Value, remaining: &mut u64, swap: &Value) -> bool {
    if *remaining == 0 {
        *value = swap.clone();
        return true;
    }
    *remaining -= 1;
    match value {
        Value::Object(members) => members
            .values_mut()
            .any(|member| spoil(member, remaining, swap)),
        Value::Array(list) => list.iter_mut().any(|member| spoil(member, remaining, swap)),
        _ => false,
    }
}

#[test]
fn what_survives_the_junk_is_still_valid() {
    let mut random = Random(99);
    let base = crate::bench::sale(vec![crate::bench::item()]);
    let texts = [
        "A\tB",
        "  espaço  ",
        "“aspas” – traço…",
        "ção ñ ü ß",
        "a & b < c > d \"e\" 'f'",
        "Ａ",
    ];
    let mut accepted = 0;
    for _ in 0..40 {
        let mut body = base.clone();
        for field in [
            "/itens/0/descricao",
            "/destinatario/nome",
            "/destinatario/endereco/bairro",
            "/itens/0/codigo",
        ] {
            if let Some(spot) = body.pointer_mut(field) {
                *spot = json!(*random.one_of(&texts));
            }
        }
        body["informacoes_complementares"] = json!(*random.one_of(&texts));
        let mut request = read(&body);
        if validate(&mut request, &normal(), &data(Model::Nfe), NOW).is_ok() {
            let proof = proof(&normal(), &data(Model::Nfe), &body);
            judge(&proof.xml);
            accepted += 1;
        }
    }
    assert!(accepted > 10, "{accepted}");
}
