//! What is told before a number is taken.

use super::orders::{CTE, NFE, emitter, frame, order, read};
use compose::emitter::Emitter;
use freight::cte::assembly::validate;
use serde_json::{Value, json};

/// `field code` of every problem of an order after a change.
fn problems(change: impl Fn(&mut Value)) -> Vec<String> {
    let mut order = order();
    change(&mut order);
    match validate(&read(order), &emitter(), &frame()) {
        Ok(_) => Vec::new(),
        Err(fields) => fields
            .iter()
            .map(|field| format!("{} {}", field.campo, field.codigo))
            .collect(),
    }
}

fn remove(order: &mut Value, name: &str) {
    order.as_object_mut().expect("a body").remove(name);
}

#[test]
fn the_order_of_the_tests_is_right() {
    assert_eq!(problems(|_| {}), [""; 0]);
}

#[test]
fn each_rule_tells_its_place() {
    type Change = &'static dyn Fn(&mut Value);
    let cases: [(&str, Change); 39] = [
        ("modal obrigatorio", &|o| remove(o, "modal")),
        ("rodoviario obrigatorio", &|o| remove(o, "rodoviario")),
        ("aereo campo_nao_cabe", &|o| {
            o["aereo"] = json!({ "minuta": "1" })
        }),
        ("complementados campo_nao_cabe", &|o| {
            o["complementados"] = json!([CTE])
        }),
        ("complementados obrigatorio", &|o| {
            o["tipo"] = json!("complementar")
        }),
        ("substituicao obrigatorio", &|o| {
            o["tipo"] = json!("substituicao")
        }),
        ("municipio_inicio municipio_inexistente", &|o| {
            o["municipio_inicio"] = json!("3106201")
        }),
        ("municipio_fim obrigatorio", &|o| remove(o, "municipio_fim")),
        ("cfop cfop_incompativel", &|o| o["cfop"] = json!("5353")),
        ("cfop cfop_invalido", &|o| o["cfop"] = json!("1353")),
        ("valores obrigatorio", &|o| remove(o, "valores")),
        ("remetente obrigatorio", &|o| remove(o, "remetente")),
        ("tomador.papel tomador_ausente", &|o| {
            o["tomador"]["papel"] = json!("expedidor")
        }),
        ("tomador obrigatorio", &|o| remove(o, "tomador")),
        ("destinatario.cpf_cnpj cpf_cnpj_invalido", &|o| {
            o["destinatario"]["cpf_cnpj"] = json!("11444777000162");
        }),
        ("destinatario.endereco.uf uf_incompativel", &|o| {
            o["destinatario"]["endereco"]["uf"] = json!("RJ");
        }),
        ("remetente.suframa campo_nao_cabe", &|o| {
            o["remetente"]["suframa"] = json!("12345678");
        }),
        ("documentos obrigatorio", &|o| remove(o, "documentos")),
        ("documentos especies_misturadas", &|o| {
            o["documentos"]["outros"] = json!([{ "tipo": "declaracao" }]);
        }),
        ("documentos.nfe[0].chave chave_invalida", &|o| {
            o["documentos"]["nfe"] = json!([CTE])
        }),
        ("documentos.nfe[1] chave_repetida", &|o| {
            o["documentos"]["nfe"] = json!([NFE, NFE])
        }),
        ("documentos_anteriores obrigatorio", &|o| {
            o["servico"] = json!("redespacho")
        }),
        ("ctes_multimodal obrigatorio", &|o| {
            o["servico"] = json!("vinculado_multimodal")
        }),
        ("icms.aliquota obrigatorio", &|o| {
            o["icms"] = json!({ "cst": "00" })
        }),
        ("icms.valor valor_divergente", &|o| {
            o["icms"]["valor"] = json!("181")
        }),
        ("icms.cst cst_invalido", &|o| o["icms"]["cst"] = json!("10")),
        ("expedidor obrigatorio", &|o| {
            o["servico"] = json!("redespacho_intermediario")
        }),
        ("recebedor obrigatorio", &|o| {
            o["servico"] = json!("vinculado_multimodal")
        }),
        ("documentos campo_nao_cabe", &|o| {
            o["servico"] = json!("redespacho_intermediario")
        }),
        ("documentos_anteriores campo_nao_cabe", &|o| {
            o["documentos_anteriores"] = json!([{ "nome": "Outra", "eletronicos": [CTE] }]);
        }),
        ("remetente.ie ie_invalida", &|o| {
            o["remetente"]["ie"] = json!("123")
        }),
        ("tomador.papel papel_repetido", &|o| {
            o["tomador"] = o["destinatario"].clone();
            o["tomador"]["papel"] = json!("outro");
        }),
        ("autorizados_xml[0] autorizado_repetido", &|o| {
            o["autorizados_xml"] = json!(["11444777000161"]);
        }),
        ("autorizados_xml[1] autorizado_repetido", &|o| {
            o["autorizados_xml"] = json!(["52998224725", "529.982.247-25"]);
        }),
        ("cfop cfop_incompativel", &|o| o["cfop"] = json!("6932")),
        ("cfop cfop_incompativel", &|o| {
            o["municipio_inicio"] = json!("4106902")
        }),
        ("valores.receber valor_divergente", &|o| {
            o["valores"]["receber"] = json!("1500.01")
        }),
        ("valores.prestacao limite", &|o| {
            o["valores"]["prestacao"] = json!("10000000.00")
        }),
        ("carga.valor obrigatorio", &|o| {
            remove(&mut o["carga"], "valor")
        }),
    ];
    for (expected, change) in cases {
        let told = problems(change);
        assert!(
            told.iter().any(|one| one == expected),
            "{expected}: {told:?}"
        );
    }
}

#[test]
fn the_layout_tells_the_rest_by_the_names_of_the_request() {
    for (expected, change) in [
        (
            "carga.produto layout_obrigatorio",
            (&|o: &mut Value| remove(&mut o["carga"], "produto")) as &dyn Fn(&mut Value),
        ),
        ("rodoviario.rntrc layout_", &|o| {
            o["rodoviario"]["rntrc"] = json!("1")
        }),
        ("carga.quantidades[1].tipo layout_", &|o| {
            o["carga"]["quantidades"][1]["tipo"] = json!("x".repeat(21));
        }),
        ("valores.prestacao layout_", &|o| {
            o["valores"]["prestacao"] = json!("1500.001");
            o["icms"]["base"] = json!("1500");
        }),
    ] {
        let told = problems(change);
        assert!(
            told.iter().any(|one| one.starts_with(expected)),
            "{expected}: {told:?}"
        );
    }
}

#[test]
fn an_emitter_without_profile_is_told() {
    let nobody = Emitter::default();
    let fields = validate(&read(order()), &nobody, &frame()).expect_err("problems");
    assert_eq!(fields[0].campo, "perfil_fiscal.endereco.uf");
    let mut unregistered = emitter();
    unregistered.ie = None;
    let fields = validate(&read(order()), &unregistered, &frame()).expect_err("problems");
    assert!(fields.iter().any(|field| field.campo == "perfil_fiscal.ie"));
}

#[test]
fn an_nfe_is_named_by_its_key_alone() {
    assert_eq!(problems(|o| o["documentos"]["nfe"] = json!([NFE])), [""; 0]);
}

#[test]
fn a_complement_names_each_cte_once() {
    let told = problems(|o| {
        o["tipo"] = json!("complementar");
        o["complementados"] = json!([CTE, CTE]);
        for name in ["carga", "documentos", "rodoviario"] {
            remove(o, name);
        }
    });
    assert_eq!(told, ["complementados[1] chave_repetida"]);
}
