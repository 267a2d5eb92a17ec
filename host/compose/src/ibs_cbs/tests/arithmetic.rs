//! Amounts: worked examples, formulas of the rules, rounding, odd inputs.

use super::super::normal;
use super::*;
use crate::ibs_cbs::arithmetic;
use crate::ibs_cbs::presence::Classe;

#[test]
fn worked_examples() {
    let Some(exemplos) = judges::examples("ibs_cbs_2026") else {
        return;
    };
    assert!(exemplos.len() >= 5);
    for [entra, sai] in exemplos {
        let le_de = |objeto: &serde_json::Value, nome: &str| {
            objeto
                .get(nome)
                .and_then(|v| v.as_str())
                .unwrap_or("0")
                .to_owned()
        };
        let codigo = le_de(&entra, "cclasstrib");
        let classe = data::class_trib::get(&codigo).expect("a classification");
        assert_eq!(classe.p_red_ibs, d(&le_de(&entra, "p_red_pct")), "{codigo}");
        let mut item = item(&codigo);
        item.valores = Valores {
            v_prod: d(&le_de(&entra, "valor_produto")),
            v_desc: d(&le_de(&entra, "desconto")),
            v_icms: d(&le_de(&entra, "v_icms")),
            v_pis: d(&le_de(&entra, "v_pis")),
            v_cofins: d(&le_de(&entra, "v_cofins")),
            ..Valores::default()
        };
        // Some of the examples are services, which an NF-e does not admit: the
        // arithmetic is asked directly.
        let linhas = Classe {
            cst: data::class_trib::cst(classe.cst()).expect("a CST"),
            classe,
        };
        let mut somas = Somas::default();
        let mut campos = Campos::default();
        let grupo = normal::grupo(&hoje(Modelo::Nfe), &item, &linhas, &mut somas, &mut campos)
            .expect("a group");
        assert_eq!(le(&grupo, "vBC"), le_de(&sai, "base"));
        assert_eq!(le(&grupo, "gIBSUF/vIBSUF"), le_de(&sai, "v_ibs_uf"));
        assert_eq!(le(&grupo, "gIBSMun/vIBSMun"), le_de(&sai, "v_ibs_mun"));
        assert_eq!(le(&grupo, "gCBS/vCBS"), le_de(&sai, "v_cbs"));
        if linhas.cst.g_red {
            assert_eq!(
                le(&grupo, "gIBSUF/gRed/pAliqEfet"),
                le_de(&sai, "ibs_uf_efetiva_pct")
            );
            assert_eq!(
                le(&grupo, "gCBS/gRed/pAliqEfet"),
                le_de(&sai, "cbs_efetiva_pct")
            );
        }
    }
}

#[test]
fn a_plain_sale_of_2026() {
    let grupo = grupo(&hoje(Modelo::Nfe), &item("000001")).expect("a group");
    let e = &grupo.elemento;
    assert_eq!(le(e, "gIBSCBS/vBC"), "1000.00");
    assert_eq!(le(e, "gIBSCBS/gIBSUF/pIBSUF"), "0.1000");
    assert_eq!(le(e, "gIBSCBS/gIBSUF/vIBSUF"), "1.00");
    assert_eq!(le(e, "gIBSCBS/gIBSMun/pIBSMun"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.9000");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "9.00");
    assert_eq!(le(e, "gIBSCBS/vIBS"), "1.00");
}

/// What the calculator of the RFB (offline module V0059) answers, as a public
/// project recorded it: classification, base, the three amounts and, where there
/// is one, the regular taxation with its amounts.
#[test]
fn the_calculator_of_the_rfb_says_the_same() {
    type Regular = Option<(&'static str, [&'static str; 3])>;
    let casos: [(&str, &str, [&str; 3], Regular); 8] = [
        ("200035", "19095.00", ["7.64", "0.00", "68.74"], None),
        ("200010", "5044.66", ["0.00", "0.00", "0.00"], None),
        ("200013", "15675.00", ["0.00", "0.00", "0.00"], None),
        ("200002", "3115.00", ["0.00", "0.00", "0.00"], None),
        (
            "200022",
            "26293.90",
            ["0.00"; 3],
            Some(("000004", ["26.29", "0.00", "236.65"])),
        ),
        (
            "550004",
            "18475.00",
            ["0.00"; 3],
            Some(("200009", ["0.00", "0.00", "0.00"])),
        ),
        (
            "550005",
            "13705.00",
            ["0.00"; 3],
            Some(("200053", ["0.00", "0.00", "0.00"])),
        ),
        (
            "200024",
            "8115.00",
            ["0.00"; 3],
            Some(("000005", ["8.12", "0.00", "73.04"])),
        ),
    ];
    for (codigo, base, valores, regular) in casos {
        let mut item = item(codigo);
        item.base = Some(d(base));
        item.trib_regular = regular.map(|(classe, _)| TribRegular {
            cst: classe[..3].to_owned(),
            c_class_trib: classe.to_owned(),
        });
        let grupo = grupo(&hoje(Modelo::Nfe), &item).expect("a group");
        let le = |nome: &str| le(&grupo.elemento, &format!("gIBSCBS/{nome}"));
        let calculados = [le("gIBSUF/vIBSUF"), le("gIBSMun/vIBSMun"), le("gCBS/vCBS")];
        assert_eq!(calculados, valores, "{codigo}");
        if let Some((_, valores)) = regular {
            let calculados = ["vTribRegIBSUF", "vTribRegIBSMun", "vTribRegCBS"]
                .map(|nome| le(&format!("gTribRegular/{nome}")));
            assert_eq!(calculados, valores, "{codigo}");
        }
    }
    // 1925.00 at 0.1 % and 0.05 %, 16485.89 at nothing: halves go to the even cent.
    assert_eq!(arithmetic::por_cento(d("1925.00"), d("0.10")), d("1.92"));
    assert_eq!(arithmetic::por_cento(d("1925.00"), d("0.05")), d("0.96"));
    assert_eq!(arithmetic::por_cento(d("1925.00"), d("8.75")), d("168.44"));
}

#[test]
fn halves_go_to_the_even_cent() {
    // 0.1 % of 25.00 is 0.025, of 35.00 is 0.035.
    for (base, v) in [
        ("25", "0.02"),
        ("35", "0.04"),
        ("45", "0.04"),
        ("55", "0.06"),
    ] {
        let mut item = item("000001");
        item.base = Some(d(base));
        let grupo = grupo(&hoje(Modelo::Nfe), &item).expect("a group");
        assert_eq!(le(&grupo.elemento, "gIBSCBS/gIBSUF/vIBSUF"), v, "{base}");
    }
}

#[test]
fn the_base_leaves_out_the_taxes_inside_of_the_price() {
    let valores = Valores {
        v_prod: d("100"),
        v_serv: d("10"),
        v_frete: d("5"),
        v_seg: d("4"),
        v_outro: d("3"),
        v_ii: d("2"),
        v_is: d("1"),
        v_desc: d("6"),
        v_pis: d("0.65"),
        v_cofins: d("3"),
        v_icms: d("18"),
        v_icms_uf_dest: d("1"),
        v_fcp: d("2"),
        v_fcp_uf_dest: d("1"),
        v_icms_mono: d("0.35"),
        v_issqn: d("5"),
    };
    let hoje = date!(2026 - 11 - 20);
    assert_eq!(base(hoje, &valores), d("88.00"));
    let nada = Valores {
        v_desc: d("1"),
        ..Valores::default()
    };
    assert_eq!(base(hoje, &nada), Decimal::ZERO);
}

#[test]
fn the_note_s_own_example_of_a_sale_to_government() {
    // NT 2025.002, UB28-10: 10 %, less 40 %, less 5 %.
    let p = arithmetic::reduz(arithmetic::reduz(d("10"), d("40")), d("5"));
    assert_eq!(arithmetic::taxa(p), "5.7000");

    let mut contexto = hoje(Modelo::Nfe);
    contexto.compra_gov = Some(CompraGov { p_redutor: d("5") });
    let reduzido = grupo(&contexto, &item("200034")).expect("a group");
    let e = &reduzido.elemento;
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pRedAliq"), "60.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pAliqEfet"), "0.3420");
    assert_eq!(le(e, "gIBSCBS/gTribCompraGov/vTribCBS"), "3.42");
    // A CST without reduction carries the group with zero (UB26-20).
    let cheio = grupo(&contexto, &item("000001")).expect("a group");
    assert_eq!(
        le(&cheio.elemento, "gIBSCBS/gIBSUF/gRed/pRedAliq"),
        "0.0000"
    );
    assert_eq!(
        le(&cheio.elemento, "gIBSCBS/gIBSUF/gRed/pAliqEfet"),
        "0.0950"
    );
}

#[test]
fn a_deferred_tax_is_not_due() {
    let mut contexto = hoje(Modelo::Nfe);
    let mut item = completo(&mut contexto, "515001");
    let inteiro = grupo(&contexto, &item).expect("a group");
    let e = &inteiro.elemento;
    assert_eq!(le(e, "gIBSCBS/gCBS/gRed/pAliqEfet"), "0.3600");
    assert_eq!(le(e, "gIBSCBS/gCBS/gDif/vDif"), "3.60");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "0.00");
    item.cbs.p_dif = Some(d("25"));
    let parte = grupo(&contexto, &item).expect("a group");
    assert_eq!(le(&parte.elemento, "gIBSCBS/gCBS/gDif/vDif"), "0.90");
    assert_eq!(le(&parte.elemento, "gIBSCBS/gCBS/vCBS"), "2.70");
}

#[test]
fn a_suspended_tax_shows_what_it_would_be() {
    let mut contexto = hoje(Modelo::Nfe);
    let mut item = completo(&mut contexto, "550001");
    let grupo = grupo(&contexto, &item).expect("a group");
    let e = &grupo.elemento;
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/vCBS"), "0.00");
    assert_eq!(le(e, "gIBSCBS/gTribRegular/pAliqEfetRegCBS"), "0.9000");
    assert_eq!(le(e, "gIBSCBS/gTribRegular/vTribRegCBS"), "9.00");
    item.cbs.aliquota = Some(d("0.9"));
    assert_eq!(regras(&contexto, &item), ["UB56-10"]);
}

#[test]
fn cbs_given_back() {
    let mut com_percentual = item("000001");
    com_percentual.cbs.p_dev = Some(d("20"));
    let devolvido = grupo(&hoje(Modelo::Nfe), &com_percentual).expect("a group");
    assert_eq!(
        le(&devolvido.elemento, "gIBSCBS/gCBS/gDevTrib/vDevTrib"),
        "1.80"
    );
    assert_eq!(le(&devolvido.elemento, "gIBSCBS/gCBS/vCBS"), "7.20");
    assert_eq!(devolvido.somas.v_dev_cbs, d("1.80"));

    let mut com_valor = item("000001");
    com_valor.ibs_uf.v_dev = Some(d("0.40"));
    let antigo = contexto(Modelo::Nfe, date!(2026 - 03 - 02));
    let devolvido = grupo(&antigo, &com_valor).expect("a group");
    assert_eq!(le(&devolvido.elemento, "gIBSCBS/gIBSUF/vIBSUF"), "0.60");
    com_valor.ibs_uf.v_dev = Some(d("1.40"));
    assert_eq!(regras(&antigo, &com_valor), ["UB35-10"]);
}

#[test]
fn years_without_a_rate_say_so() {
    let mut contexto = contexto(Modelo::Nfe, date!(2027 - 02 - 01));
    assert_eq!(regras(&contexto, &item("000001")), ["aliquota_indefinida"]);
    contexto.referencia.cbs = Some(d("8.8"));
    // What the law fixed is not for the installation to change.
    contexto.referencia.ibs_uf = Some(d("7"));
    let grupo = grupo(&contexto, &item("000001")).expect("a group");
    assert_eq!(le(&grupo.elemento, "gIBSCBS/gIBSUF/pIBSUF"), "0.0500");
    assert_eq!(le(&grupo.elemento, "gIBSCBS/gIBSMun/vIBSMun"), "0.50");
    assert_eq!(le(&grupo.elemento, "gIBSCBS/gCBS/vCBS"), "88.00");
    contexto.data = date!(2029 - 01 - 02);
    assert_eq!(
        regras(&contexto, &item("000001")),
        ["aliquota_indefinida"],
        "the IBS of the municipality; the two others are configured"
    );
}

#[test]
fn used_goods_bring_a_credit_that_comes_off_the_ibs() {
    let mut contexto = contexto(Modelo::Nfe, date!(2027 - 02 - 01));
    contexto.referencia.cbs = Some(d("8.8"));
    let mut item = item("000001");
    item.bem_movel_usado = true;
    item.cred_pres = Some(CredPresOper {
        base: Some(d("600")),
        codigo: "4".to_owned(),
        p_ibs: Some(d("0.1")),
        p_cbs: Some(d("8.8")),
        cond_sus: false,
    });
    let com_credito = grupo(&contexto, &item).expect("a group");
    let e = &com_credito.elemento;
    assert_eq!(le(e, "gIBSCBS/vIBS"), "0.40", "0.50 + 0.50 - 0.60");
    assert_eq!(le(e, "gCredPresOper/cCredPres"), "04");
    assert_eq!(le(e, "gCredPresOper/gCBSCredPres/vCredPres"), "52.80");
    item.valores.v_prod = d("10");
    item.base = Some(d("1000"));
    assert_eq!(regras(&contexto, &item), ["UB129-10"]);
    item.cred_pres.as_mut().expect("a credit").base = Some(d("100000"));
    let recusa = regras(&contexto, &item);
    assert!(recusa.contains(&"UB54a-10".to_owned()), "{recusa:?}");
}

#[test]
fn an_area_without_cbs_shows_what_it_would_be() {
    let mut item = item("200023");
    item.zfm_alc = Some(ZfmAlc {
        tipo: 1,
        processo: Some("123456789".to_owned()),
    });
    let na_area = grupo(&hoje(Modelo::Nfe), &item).expect("a group");
    let e = &na_area.elemento;
    assert_eq!(le(e, "gIBSCBS/gCBS/pCBS"), "0.0000");
    assert_eq!(le(e, "gIBSCBS/gCBS/gALCZFMCBS/vTribRegCBS"), "9.00");
    let antigo = contexto(Modelo::Nfe, date!(2026 - 07 - 15));
    assert_eq!(regras(&antigo, &item), ["UB66a"]);
}

#[test]
fn single_phase_amounts_are_quantity_times_rate() {
    for (_, data) in DIAS {
        let mut contexto = contexto(Modelo::Nfe, data);
        let item = completo(&mut contexto, "620002");
        let grupo = grupo(&contexto, &item).expect("a group");
        // 1234.5678 x 0.1234 = 152.3456…, standard and withheld.
        let somas = grupo.somas;
        assert_eq!(somas.v_mono.ibs, d("152.35"));
        assert_eq!(somas.v_mono_reten.cbs, d("152.35"));
        assert_eq!(somas.v_tot_mono.ibs, d("304.70"));
        assert_eq!(le(&grupo.elemento, "gIBSCBSMono/vTotCBSMonoItem"), "304.70");
        // What was charged before is shown and not part of the item's total.
        let item = completo(&mut contexto, "620006");
        let retido = super::super::grupo(&contexto, &item).expect("a group");
        assert_eq!(retido.somas.v_tot_mono.ibs, Decimal::ZERO);
        assert_eq!(retido.somas.v_mono_ret.ibs, d("12.34"));
    }
}

/// Repeatable numbers (xorshift).
struct Dados(u64);

impl Dados {
    fn ate(&mut self, limite: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limite
    }
}

#[test]
fn every_amount_is_what_the_rules_recalculate() {
    let classes: Vec<&str> = data::class_trib::todas()
        .iter()
        .filter(|classe| {
            classe.nfe && data::class_trib::cst(classe.cst()).is_some_and(|c| c.g_ibs_cbs)
        })
        .map(|classe| classe.codigo)
        .collect();
    let mut dados = Dados(0xC0DE);
    let centavo = Decimal::new(1, 2);
    for volta in 0..2000_usize {
        let codigo = classes[volta % classes.len()];
        let mut contexto = hoje(Modelo::Nfe);
        if volta % 5 == 0 {
            contexto.compra_gov = Some(CompraGov {
                p_redutor: Decimal::new(dados.ate(100_000) as i64, 3),
            });
        }
        let mut item = completo(&mut contexto, codigo);
        item.valores.v_prod = Decimal::new(dados.ate(10_000_000_000) as i64, 2);
        for tributo in [&mut item.ibs_uf, &mut item.ibs_mun, &mut item.cbs] {
            if tributo.p_dif.is_some() {
                tributo.p_dif = Some(Decimal::new(dados.ate(1_000_001) as i64, 4));
            }
        }
        let grupo = grupo(&contexto, &item).expect("a group");
        let e = grupo.elemento.busca("gIBSCBS").expect("gIBSCBS");
        let n = |caminho: &str| le(e, caminho).parse::<Decimal>().unwrap_or_default();
        let v_bc = n("vBC");
        for (g, p, v) in [
            ("gIBSUF", "pIBSUF", "vIBSUF"),
            ("gIBSMun", "pIBSMun", "vIBSMun"),
            ("gCBS", "pCBS", "vCBS"),
        ] {
            let em = |nome: &str| n(&format!("{g}/{nome}"));
            let tem_red = e.caminho(&[g, "gRed"]).is_some();
            let aliquota = if tem_red { em("gRed/pAliqEfet") } else { em(p) };
            let cem = Decimal::ONE_HUNDRED;
            let dif = v_bc * aliquota * em("gDif/pDif") / cem / cem;
            assert!((em("gDif/vDif") - dif).abs() <= centavo, "{codigo}: vDif");
            let certo = v_bc * aliquota / cem - em("gDif/vDif") - em("gDevTrib/vDevTrib");
            assert!((em(v) - certo).abs() <= centavo, "{codigo}: {v} {certo}");
            assert!(!em(v).is_sign_negative());
        }
        assert_eq!(
            n("vIBS"),
            n("gIBSUF/vIBSUF") + n("gIBSMun/vIBSMun"),
            "{codigo}"
        );
    }
}

#[test]
fn numbers_the_layout_does_not_hold_are_refused_and_never_panic() {
    for absurdo in [
        Decimal::MAX,
        Decimal::MIN,
        d("-0.01"),
        d("0.001"),
        d("10000000000000"),
    ] {
        let mut com_base = item("000001");
        com_base.base = Some(absurdo);
        assert_eq!(regras(&hoje(Modelo::Nfe), &com_base), ["fora_da_faixa"]);
        let mut com_valor = item("000001");
        com_valor.valores.v_prod = absurdo;
        com_valor.valores.v_icms = absurdo;
        assert!(regras(&hoje(Modelo::Nfe), &com_valor).len() == 2);
        let mut governo = hoje(Modelo::Nfe);
        governo.compra_gov = Some(CompraGov { p_redutor: absurdo });
        governo.referencia.cbs = Some(absurdo);
        assert!(
            regras(&governo, &item("000001"))
                .iter()
                .all(|r| r == "fora_da_faixa")
        );
        let absurdos = Valores {
            v_prod: absurdo,
            v_serv: absurdo,
            v_desc: absurdo,
            v_icms: absurdo,
            ..Valores::default()
        };
        base(date!(2026 - 01 - 01), &absurdos);
        let somas = Somas {
            informado: true,
            v_bc: absurdo,
            v_ibs: absurdo,
            ..Somas::default()
        };
        totals([&somas, &somas, &somas]);
        v_item(date!(2027 - 01 - 01), absurdo, &somas, absurdo);
    }
}
