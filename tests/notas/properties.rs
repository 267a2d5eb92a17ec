//! Properties over generated requests: a body that is right becomes a
//! document whose totals are the sums of its items; junk never panics.

use crate::authority;
use crate::bench::{
    AGORA, assina, consumidor, contribuinte, dados, julga, ler, nfe, normal, pago, prova, simples,
};
use compose::assembly::{montar, validar};
use compose::frame::Modelo;
use fiscal::nfe::order::Pedido;
use markup::tree::Elemento;
use rust_decimal::Decimal;
use serde_json::{Value, json};

/// Xorshift: the same cases in every run.
struct Sorte(u64);

impl Sorte {
    fn proxima(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn ate(&mut self, limite: u64) -> u64 {
        self.proxima() % limite
    }

    fn uma<'v, T>(&mut self, lista: &'v [T]) -> &'v T {
        let lugar = usize::try_from(self.ate(lista.len() as u64)).unwrap_or(0);
        &lista[lugar]
    }

    fn decimal(&mut self, inteiros: u64, casas: u32) -> String {
        let mantissa = i64::try_from(self.ate(inteiros * 10_u64.pow(casas))).unwrap_or(1) + 1;
        Decimal::new(mantissa, casas).to_string()
    }
}

fn impostos(sorte: &mut Sorte, simples: bool) -> Value {
    let st = json!({ "mva": sorte.decimal(80, 2), "aliquota": 18 });
    let fcp = json!({ "aliquota": 2 });
    let icms = if simples {
        sorte
            .uma(&[
                json!({ "csosn": "101", "credito_sn": { "aliquota": 1.25 } }),
                json!({ "csosn": "102" }),
                json!({ "csosn": "202", "aliquota": 18, "st": st }),
                json!({ "csosn": "500" }),
                json!({ "csosn": "900", "aliquota": 18 }),
            ])
            .clone()
    } else {
        sorte
            .uma(&[
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
    let mut impostos = json!({ "icms": icms, "valor_aproximado": sorte.decimal(5, 2) });
    if !simples {
        let formas = [
            json!({ "cst": "01", "aliquota": 1.65 }),
            json!({ "cst": "03", "aliquota_unidade": 0.0321 }),
            json!({ "cst": "06" }),
            json!({ "cst": "99" }),
        ];
        let pis = sorte.uma(&formas);
        impostos["pis"] = pis.clone();
        impostos["cofins"] = pis.clone();
        if sorte.ate(3) == 0 {
            impostos["ipi"] = json!({ "cst": "50", "aliquota": sorte.decimal(30, 2) });
        }
    }
    impostos
}

fn corpo(sorte: &mut Sorte, simples: bool) -> Value {
    let quantos = 1 + sorte.ate(12);
    let itens: Vec<Value> = (0..quantos)
        .map(|_| {
            let mut item = crate::bench::item();
            item["quantidade"] = json!(sorte.decimal(300, 4));
            item["valor_unitario"] = json!(sorte.decimal(500, 7));
            item["impostos"] = impostos(sorte, simples);
            if sorte.ate(4) == 0 {
                item["frete"] = json!(sorte.decimal(20, 2));
            }
            // What is taken off needs something to be taken from.
            let deduz = item["impostos"]["icms"]["desonerado"]["deduz"] == json!(true);
            if sorte.ate(9) == 0 && !deduz {
                item["compoe_total"] = json!(false);
            }
            item
        })
        .collect();
    let mut itens = itens;
    itens[0]["compoe_total"] = json!(true);
    let destino = if sorte.ate(3) == 0 {
        consumidor("SP")
    } else {
        contribuinte("SP")
    };
    let mut corpo = json!({ "destinatario": destino, "itens": itens, "pagamentos": pago() });
    corpo["pagamentos"][0]["valor"] = json!(100_000_000);
    if sorte.ate(2) == 0 {
        corpo["frete"] = json!(sorte.decimal(900, 2));
        corpo["outras_despesas"] = json!(sorte.decimal(9, 2));
    }
    corpo
}

fn soma(raiz: &Elemento, nome: &str, fora: &[&str]) -> Decimal {
    fn desce(elemento: &Elemento, nome: &str, fora: &[&str], total: &mut Decimal) {
        if fora.contains(&elemento.nome.as_ref()) {
            return;
        }
        if elemento.nome == nome
            && let Some(texto) = elemento.texto()
        {
            *total += texto.parse::<Decimal>().expect("number");
        }
        elemento
            .lista()
            .iter()
            .for_each(|filho| desce(filho, nome, fora, total));
    }
    let mut total = Decimal::ZERO;
    raiz.lista()
        .iter()
        .filter(|elemento| elemento.nome == "det")
        .for_each(|det| desce(det, nome, fora, &mut total));
    total
}

#[test]
fn any_valid_request_is_a_valid_document_whose_totals_are_sums() {
    let mut sorte = Sorte(0x9E37_79B9_7F4A_7C15);
    for caso in 0..60 {
        let simples_nacional = caso % 3 == 0;
        let quem = if simples_nacional {
            simples()
        } else {
            normal()
        };
        let corpo = corpo(&mut sorte, simples_nacional);
        let prova = nfe(&quem, &corpo);
        let raiz = &prova.nota.arvore;
        let total = |campo: &str| -> Decimal {
            let texto = raiz.valor(&["total", "ICMSTot", campo]).unwrap_or("0.00");
            texto.parse().expect("number")
        };
        // Name in the totals, name in the items, groups where it means
        // something else.
        for (no_total, no_item, fora) in [
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
                soma(raiz, no_item, fora),
                "{caso} {no_total} {corpo}"
            );
        }
        let deduzido: Decimal = raiz
            .lista()
            .iter()
            .filter_map(|det| det.caminho(&["imposto", "ICMS"])?.lista().first())
            .filter(|grupo| grupo.valor(&["indDeduzDeson"]) == Some("1"))
            .filter_map(|grupo| grupo.valor(&["vICMSDeson"])?.parse::<Decimal>().ok())
            .sum();
        let esperado = total("vProd") - total("vDesc") - deduzido
            + total("vST")
            + total("vFCPST")
            + total("vICMSMonoReten")
            + total("vFrete")
            + total("vSeg")
            + total("vOutro")
            + total("vII")
            + total("vIPI")
            + total("vIPIDevol");
        assert_eq!(total("vNF"), esperado, "{caso}");
        assert_eq!(prova.nota.valor_total, esperado);
        if let Some(v_nf_tot) = raiz.valor(&["total", "vNFTot"]) {
            assert_eq!(
                v_nf_tot.parse::<Decimal>().expect("number"),
                soma(raiz, "vItem", &[])
            );
        }
    }
}

#[test]
fn the_second_pass_gives_the_same_note_with_another_number() {
    let mut sorte = Sorte(7);
    for caso in 0..40 {
        let corpo = corpo(&mut sorte, caso % 2 == 0);
        let quem = if caso % 2 == 0 { simples() } else { normal() };
        let provisorio = dados(Modelo::Nfe);
        let mut pedido = ler(&corpo);
        let antes = validar(&mut pedido, &quem, &provisorio, AGORA).expect("valid");
        // What is frozen and read again is the same request.
        let guardado = serde_json::to_string(&pedido).expect("json");
        let pedido: Pedido = serde_json::from_str(&guardado).expect("json");
        let mut definitivo = provisorio;
        definitivo.numero = 999_999_999;
        definitivo.c_nf = 5;
        let depois = montar(&pedido, &quem, &definitivo).expect("valid again");
        assert_eq!(antes.totais, depois.totais);
        assert_ne!(antes.chave, depois.chave);
        assert_eq!(
            depois,
            montar(&pedido, &quem, &definitivo).expect("the same")
        );
    }
}

#[test]
fn junk_is_refused_and_never_panics() {
    let inteiro = crate::bench::venda(vec![crate::bench::item_com(json!({
        "icms": { "cst": "70", "aliquota": 18, "reducao": 10, "st": { "mva": 40 }, "fcp": { "aliquota": 2 } },
        "ipi": { "cst": "50", "aliquota": 5 }, "pis": { "cst": "01", "aliquota": 1.65 },
        "ii": { "base": 1, "valor": 1 }, "issqn": null
    }))]);
    let lixo = [
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
    let mut sorte = Sorte(42);
    let (mut lidos, mut aceitos) = (0, 0);
    for caso in 0..4000_u64 {
        let mut corpo = inteiro.clone();
        for _ in 0..1 + sorte.ate(3) {
            let onde = sorte.ate(80);
            let troca = sorte.uma(&lixo).clone();
            let mut resta = onde;
            estraga(&mut corpo, &mut resta, &troca);
        }
        let Ok(mut pedido) = serde_json::from_value::<Pedido>(corpo) else {
            continue;
        };
        lidos += 1;
        let quem = if caso % 2 == 0 { simples() } else { normal() };
        let modelo = if caso % 3 == 0 {
            Modelo::Nfce
        } else {
            Modelo::Nfe
        };
        let dados = dados(modelo);
        if let Ok(nota) = validar(&mut pedido, &quem, &dados, AGORA) {
            assert!(!nota.valor_total.is_sign_negative() || nota.valor_total.is_zero());
            // What the pre-flight lets through, the authority takes.
            let xml = assina(&quem, &nota, &dados);
            authority::autoriza(&quem, &dados, &xml);
            aceitos += 1;
        }
    }
    assert!(lidos > 500, "{lidos}");
    assert!(aceitos > 100, "{aceitos}");
}

/// Replaces the n-th value of a body.
fn estraga(valor: &mut Value, resta: &mut u64, troca: &Value) -> bool {
    if *resta == 0 {
        *valor = troca.clone();
        return true;
    }
    *resta -= 1;
    match valor {
        Value::Object(membros) => membros
            .values_mut()
            .any(|membro| estraga(membro, resta, troca)),
        Value::Array(lista) => lista.iter_mut().any(|membro| estraga(membro, resta, troca)),
        _ => false,
    }
}

#[test]
fn what_survives_the_junk_is_still_valid() {
    let mut sorte = Sorte(99);
    let base = crate::bench::venda(vec![crate::bench::item()]);
    let textos = [
        "A\tB",
        "  espaço  ",
        "“aspas” – traço…",
        "ção ñ ü ß",
        "a & b < c > d \"e\" 'f'",
        "Ａ",
    ];
    let mut aceitos = 0;
    for _ in 0..40 {
        let mut corpo = base.clone();
        for campo in [
            "/itens/0/descricao",
            "/destinatario/nome",
            "/destinatario/endereco/bairro",
            "/itens/0/codigo",
        ] {
            if let Some(lugar) = corpo.pointer_mut(campo) {
                *lugar = json!(*sorte.uma(&textos));
            }
        }
        corpo["informacoes_complementares"] = json!(*sorte.uma(&textos));
        let mut pedido = ler(&corpo);
        if validar(&mut pedido, &normal(), &dados(Modelo::Nfe), AGORA).is_ok() {
            let prova = prova(&normal(), &dados(Modelo::Nfe), &corpo);
            julga(&prova.xml);
            aceitos += 1;
        }
    }
    assert!(aceitos > 10, "{aceitos}");
}
