//! What is told before a number is taken.

use super::orders::{CTE, NFE, frame, order, own_cargo, read};
use crate::cte::orders::emitter;
use freight::mdfe::assembly::validate;
use serde_json::{Value, json};

/// `field code` of every problem of an order after a change.
fn problems_of(mut order: Value, change: impl Fn(&mut Value)) -> Vec<String> {
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

type Change = &'static dyn Fn(&mut Value);

fn assert_told(begin: fn() -> Value, cases: &[(&str, Change)]) {
    for (expected, change) in cases {
        let told = problems_of(begin(), change);
        assert!(
            told.iter().any(|one| one == expected),
            "{expected}: {told:?}"
        );
    }
}

#[test]
fn the_orders_of_the_tests_are_right() {
    assert_eq!(problems_of(order(), |_| {}), [""; 0]);
    assert_eq!(problems_of(own_cargo(), |_| {}), [""; 0]);
}

#[test]
fn the_trip_is_checked() {
    assert_told(
        order,
        &[
            ("aereo obrigatorio", &|o| o["modal"] = json!("aereo")),
            ("veiculo campo_nao_cabe", &|o| o["modal"] = json!("aereo")),
            ("aereo campo_nao_cabe", &|o| {
                o["aereo"] = json!({ "voo": "AB1234" })
            }),
            ("uf_inicio obrigatorio", &|o| remove(o, "uf_inicio")),
            ("uf_fim uf_invalida", &|o| o["uf_fim"] = json!("XX")),
            ("percurso[0] uf_invalida", &|o| {
                o["percurso"] = json!(["XX"])
            }),
            ("percurso percurso_invalido", &|o| remove(o, "percurso")),
            ("percurso[0] percurso_invalido", &|o| {
                o["percurso"] = json!(["SC", "SP"])
            }),
            ("percurso[1] percurso_invalido", &|o| {
                o["percurso"] = json!(["SP", "SP"])
            }),
            ("carregamento obrigatorio", &|o| remove(o, "carregamento")),
            ("carregamento[0].codigo_ibge uf_incompativel", &|o| {
                o["carregamento"][0]["codigo_ibge"] = json!("3550308");
            }),
            ("carregamento[1].codigo_ibge municipio_repetido", &|o| {
                o["carregamento"] =
                    json!([{ "codigo_ibge": "3106200" }, { "codigo_ibge": "3106200" }]);
            }),
            ("carga_posterior campo_nao_cabe", &|o| {
                o["carga_posterior"] = json!(true)
            }),
        ],
    );
}

#[test]
fn the_documents_are_checked() {
    assert_told(
        order,
        &[
            ("documentos obrigatorio", &|o| remove(o, "documentos")),
            ("documentos[0].codigo_ibge_descarga uf_incompativel", &|o| {
                o["documentos"][0]["codigo_ibge_descarga"] = json!("3550308");
            }),
            ("documentos[0].chaves obrigatorio", &|o| {
                o["documentos"][0] = json!({ "codigo_ibge_descarga": "4106902" });
            }),
            ("documentos[0].chaves[0] chave_invalida", &|o| {
                o["documentos"][0]["chaves"] = json!(["1"]);
            }),
            ("documentos[0].ctes[0].chave chave_invalida", &|o| {
                o["documentos"][0]["ctes"] = json!([{ "chave": NFE }]);
            }),
            ("documentos[1].ctes[0].chave chave_repetida", &|o| {
                o["documentos"][1]["ctes"] = json!([{ "chave": CTE }]);
            }),
            ("documentos especies_misturadas", &|o| {
                o["documentos"][0]["chaves"] = json!([NFE]);
            }),
            ("tipo_emitente documentos_incompativeis", &|o| {
                o["tipo_emitente"] = json!("carga_propria");
            }),
            ("documentos campo_nao_cabe", &|o| {
                o["documentos"][0]["chaves"] = json!([super::orders::MDFE]);
            }),
            ("documentos[0].ctes[0].nfes_entregues obrigatorio", &|o| {
                o["documentos"][0]["ctes"][0]["prestacao_parcial"] = json!(true);
            }),
            ("carga obrigatorio", &|o| remove(o, "carga")),
            ("carga.valor obrigatorio", &|o| {
                remove(&mut o["carga"], "valor")
            }),
            ("carga.peso_kg obrigatorio", &|o| {
                remove(&mut o["carga"], "peso")
            }),
            ("autorizados_xml[0] cpf_cnpj_invalido", &|o| {
                o["autorizados_xml"] = json!(["1"]);
            }),
            ("autorizados_xml[1] autorizado_repetido", &|o| {
                o["autorizados_xml"] = json!(["52998224725", "529.982.247-25"]);
            }),
            (
                "documentos[1].codigo_ibge_descarga municipio_repetido",
                &|o| {
                    o["documentos"][1]["codigo_ibge_descarga"] = json!("4106902");
                },
            ),
        ],
    );
}

#[test]
fn vehicles_and_drivers_are_checked() {
    assert_told(
        order,
        &[
            ("veiculo obrigatorio", &|o| remove(o, "veiculo")),
            ("veiculo.placa obrigatorio", &|o| {
                remove(&mut o["veiculo"], "placa")
            }),
            ("veiculo.placa layout_padrao", &|o| {
                o["veiculo"]["placa"] = json!("A1")
            }),
            ("veiculo.tara valor_invalido", &|o| {
                o["veiculo"]["tara"] = json!("1.5")
            }),
            ("reboques[0].placa placa_repetida", &|o| {
                o["reboques"][0]["placa"] = json!("abc-1d23");
            }),
            ("reboques[0].capacidade_kg obrigatorio", &|o| {
                remove(&mut o["reboques"][0], "capacidade_kg");
            }),
            ("reboques obrigatorio", &|o| remove(o, "reboques")),
            ("reboques[0].proprietario.rntrc rntrc_invalido", &|o| {
                o["reboques"][0]["proprietario"]["rntrc"] = json!("1");
            }),
            ("reboques[0].proprietario.uf obrigatorio", &|o| {
                remove(&mut o["reboques"][0]["proprietario"], "uf");
            }),
            ("reboques[0].proprietario campo_nao_cabe", &|o| {
                o["reboques"][0]["proprietario"]["cpf_cnpj"] = json!("11222333000181");
            }),
            ("condutores obrigatorio", &|o| remove(o, "condutores")),
            ("condutores[0].cpf cpf_invalido", &|o| {
                o["condutores"][0]["cpf"] = json!("52998224724");
            }),
            ("condutores[1].cpf condutor_repetido", &|o| {
                o["condutores"][1]["cpf"] = json!("529.982.247-25");
            }),
        ],
    );
}

#[test]
fn what_the_agency_asks_is_checked() {
    assert_told(
        order,
        &[
            ("rodoviario.rntrc obrigatorio", &|o| remove(o, "rodoviario")),
            ("rodoviario.contratantes obrigatorio", &|o| {
                remove(&mut o["rodoviario"], "contratantes");
            }),
            ("rodoviario.contratantes[0].contrato obrigatorio", &|o| {
                remove(&mut o["rodoviario"]["contratantes"][0], "contrato");
            }),
            ("rodoviario.ciot[0].cpf_cnpj cpf_cnpj_invalido", &|o| {
                o["rodoviario"]["ciot"][0]["cpf_cnpj"] = json!("1");
            }),
            ("rodoviario.vale_pedagio.dispositivos obrigatorio", &|o| {
                remove(&mut o["rodoviario"]["vale_pedagio"], "dispositivos");
            }),
            (
                "rodoviario.vale_pedagio.dispositivos[0].valor obrigatorio",
                &|o| {
                    remove(
                        &mut o["rodoviario"]["vale_pedagio"]["dispositivos"][0],
                        "valor",
                    );
                },
            ),
            ("rodoviario.pagamentos[0].parcelas obrigatorio", &|o| {
                remove(&mut o["rodoviario"]["pagamentos"][0], "parcelas");
            }),
            ("rodoviario.pagamentos[0].parcelas campo_nao_cabe", &|o| {
                o["rodoviario"]["pagamentos"][0]["forma"] = json!("a_vista");
            }),
            ("rodoviario.pagamentos[0].pix campo_nao_cabe", &|o| {
                o["rodoviario"]["pagamentos"][0]["pix"] = json!("52998224725");
            }),
            (
                "rodoviario.pagamentos[0].componentes[1].descricao obrigatorio",
                &|o| {
                    remove(
                        &mut o["rodoviario"]["pagamentos"][0]["componentes"][1],
                        "descricao",
                    );
                },
            ),
        ],
    );
    assert_told(
        own_cargo,
        &[("tipo_transportador obrigatorio", &|o| {
            o["veiculo"]["proprietario"] = json!({
                "cpf_cnpj": "52998224725", "rntrc": "12345678", "nome": "Transportador Exemplo"
            });
        })],
    );
}

#[test]
fn insurance_and_a_full_load_are_checked() {
    assert_told(
        order,
        &[
            ("seguro obrigatorio", &|o| remove(o, "seguro")),
            ("seguro[0].averbacoes obrigatorio", &|o| {
                remove(&mut o["seguro"][0], "averbacoes");
            }),
            ("seguro[0].cpf_cnpj obrigatorio", &|o| {
                remove(&mut o["seguro"][0], "cpf_cnpj");
            }),
            ("seguro[0].cnpj_seguradora cnpj_invalido", &|o| {
                o["seguro"][0]["cnpj_seguradora"] = json!("11444777000162");
            }),
            ("produto_predominante.tipo_carga obrigatorio", &|o| {
                remove(&mut o["produto_predominante"], "tipo_carga");
            }),
            (
                "produto_predominante.lotacao.carregamento obrigatorio",
                &|o| {
                    remove(&mut o["produto_predominante"]["lotacao"], "carregamento");
                },
            ),
            (
                "produto_predominante.lotacao.carregamento campo_nao_cabe",
                &|o| {
                    o["produto_predominante"]["lotacao"]["carregamento"]["latitude"] =
                        json!("-19.9");
                },
            ),
        ],
    );
    // One document is a full load.
    let single = || {
        let mut order = order();
        order["documentos"] = json!([{ "codigo_ibge_descarga": "4106902", "chaves": [CTE] }]);
        order
    };
    assert_eq!(problems_of(single(), |_| {}), [""; 0]);
    assert_told(
        || {
            let mut order = order();
            order["documentos"] = json!([{ "codigo_ibge_descarga": "4106902", "chaves": [CTE] }]);
            order
        },
        &[
            ("produto_predominante obrigatorio", &|o| {
                remove(o, "produto_predominante")
            }),
            ("produto_predominante.ncm obrigatorio", &|o| {
                remove(&mut o["produto_predominante"], "ncm");
            }),
            ("produto_predominante.lotacao obrigatorio", &|o| {
                remove(&mut o["produto_predominante"], "lotacao");
            }),
            ("rodoviario.pagamentos obrigatorio", &|o| {
                remove(&mut o["rodoviario"], "pagamentos");
            }),
        ],
    );
}

#[test]
fn own_cargo_needs_no_insurance_and_may_come_later() {
    let later = |order: &mut Value| {
        order["carga_posterior"] = json!(true);
        remove(&mut order["documentos"][0], "chaves");
        order["carga"]["peso_kg"] = json!("0");
    };
    assert_eq!(problems_of(own_cargo(), later), [""; 0]);
    let abroad = |order: &mut Value| {
        order["uf_fim"] = json!("EX");
        order["documentos"][0]["codigo_ibge_descarga"] = json!("9999999");
    };
    assert_eq!(problems_of(own_cargo(), abroad), [""; 0]);
}
