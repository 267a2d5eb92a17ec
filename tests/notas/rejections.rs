//! What the authority would refuse is told before anything is reserved: for
//! each rejection a body that would earn it, and what the pre-flight says.

use crate::bench::{
    cnpj, consumer, data, item, nfce, nfe, normal, problems, sale, simples, taxpayer,
};
use crate::operations::chave;
use crate::taxes::service;
use compose::frame::Model;
use serde_json::{Value, json};

/// A body with members of its root, or of its first item, changed.
fn with(mut body: Value, changes: &[(&str, Value)]) -> Value {
    for (caminho, value) in changes {
        let (parent, name) = caminho.rsplit_once('/').expect("path");
        body.pointer_mut(parent).expect("parent")[name] = value.clone();
    }
    body
}

fn of_nfe(changes: &[(&str, Value)]) -> Value {
    with(sale(vec![item()]), changes)
}

fn of_nfce(changes: &[(&str, Value)]) -> Value {
    let body = json!({ "itens": [item()], "pagamentos": [{ "forma": "dinheiro", "valor": 9.98 }] });
    with(body, changes)
}

fn foreigner() -> Value {
    json!({ "nome": "Foreign Co", "documento_estrangeiro": "X12345",
        "endereco": { "logradouro": "Main St", "numero": "1", "bairro": "Center", "codigo_pais": "US" } })
}

fn local(uf: &str) -> Value {
    json!({ "cpf_cnpj": "52998224725", "endereco": { "logradouro": "Rua C", "numero": "3", "bairro": "Centro",
        "codigo_ibge": "3550308", "cep": "01001-000", "uf": uf } })
}

fn exit() -> Value {
    json!({ "uf_embarque": "SP", "local_embarque": "Porto de Santos" })
}

#[test]
fn each_rejection_of_an_nfe_has_its_warning() {
    let frete = |rest: Value| {
        with(
            json!({ "t": rest }),
            &[("/t/modalidade_frete", json!("cif"))],
        )["t"]
            .clone()
    };
    let complementary = |rest: &[(&str, Value)]| {
        let mut changes = vec![
            ("/finalidade", json!("complementar")),
            ("/itens/0/cfop", json!("5102")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ];
        changes.extend(rest.iter().cloned());
        of_nfe(&changes)
    };
    let goods_return = |cfop: &str| {
        of_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!(cfop)),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ])
    };
    for (rejection, body, all_expected) in [
        (
            255,
            complementary(&[(
                "/referencias",
                json!([{ "chave": chave(1) }, { "chave": chave(2) }]),
            )]),
            &["referencias limite"][..],
        ),
        (
            271,
            of_nfe(&[("/municipio_fato_gerador", json!("3106200"))]),
            &["municipio_fato_gerador municipio_invalido"],
        ),
        (
            270,
            of_nfe(&[("/municipio_fato_gerador", json!("3599999"))]),
            &["municipio_fato_gerador municipio_invalido"],
        ),
        (
            277,
            of_nfe(&[("/retirada", local("RJ"))]),
            &["retirada.endereco.uf uf_divergente"],
        ),
        (
            279,
            of_nfe(&[("/entrega", local("RJ"))]),
            &["entrega.endereco.uf uf_divergente"],
        ),
        (
            327,
            goods_return("5916"),
            &["itens[0].cfop cfop_de_devolucao"],
        ),
        (
            327,
            goods_return("5206"),
            &["itens[0].cfop cfop_de_devolucao"],
        ),
        (
            328,
            of_nfe(&[
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("1504")),
            ]),
            &["itens[0].cfop cfop_de_devolucao"],
        ),
        (
            355,
            of_nfe(&[("/destinatario", foreigner())]),
            &["exportacao obrigatorio"],
        ),
        (
            356,
            of_nfe(&[("/exportacao", exit())]),
            &["exportacao exportacao_indevida"],
        ),
        (
            356,
            of_nfe(&[
                ("/exportacao", exit()),
                ("/destinatario", foreigner()),
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("3102")),
            ]),
            &["exportacao exportacao_indevida"],
        ),
        (
            392,
            of_nfe(&[(
                "/pagamentos",
                json!([{ "forma": "cartao_credito", "valor": 9.98, "cartao": { "integrado": true } }]),
            )]),
            &[
                "pagamentos[0].cartao.cnpj_credenciadora obrigatorio",
                "pagamentos[0].cartao.autorizacao obrigatorio",
            ],
        ),
        (
            504,
            of_nfe(&[("/data_saida", json!("2026-12-21T10:15:00-03:00"))]),
            &["data_saida data_saida_invalida"],
        ),
        (
            505,
            of_nfe(&[
                ("/data_saida", json!("2026-10-20T10:15:00-03:00")),
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("1102")),
            ]),
            &["data_saida data_saida_invalida"],
        ),
        (
            506,
            of_nfe(&[("/data_saida", json!("2026-11-20T10:14:59-03:00"))]),
            &["data_saida data_saida_invalida"],
        ),
        (
            544,
            of_nfe(&[(
                "/transporte",
                frete(
                    json!({ "transportador": { "nome": "Transportes", "ie": "123", "uf": "SP" } }),
                ),
            )]),
            &["transporte.transportador.ie ie_invalida"],
        ),
        (
            559,
            of_nfe(&[(
                "/transporte",
                frete(json!({ "transportador": { "nome": "Transportes", "ie": "110042490114" } })),
            )]),
            &["transporte.transportador.uf obrigatorio"],
        ),
        (
            630,
            of_nfe(&[
                ("/itens/0/unidade_tributavel", json!("KG")),
                ("/itens/0/quantidade_tributavel", json!(3)),
                ("/itens/0/valor_unitario_tributavel", json!(4)),
            ]),
            &["itens[0].valor_unitario_tributavel valor_divergente"],
        ),
        (
            721,
            of_nfe(&[
                ("/destinatario/cpf_cnpj", Value::Null),
                ("/destinatario/documento_estrangeiro", json!("X12345")),
                ("/destinatario/ie", Value::Null),
                ("/destinatario/indicador_ie", json!(2)),
            ]),
            &["destinatario.cpf_cnpj obrigatorio"],
        ),
        (
            773,
            of_nfe(&[
                ("/destinatario", taxpayer("MG")),
                ("/destinatario/ie", Value::Null),
                ("/destinatario/indicador_ie", json!(2)),
                ("/destino_operacao", json!("interna")),
                ("/itens/0/cfop", json!("5102")),
            ]),
            &["destino_operacao destino_incoerente"],
        ),
        (
            868,
            of_nfe(&[
                ("/destinatario", taxpayer("MG")),
                (
                    "/transporte",
                    frete(json!({ "veiculo": { "placa": "ABC1D23", "uf": "SP" },
            "reboques": [{ "placa": "DEF4567", "uf": "SP" }] })),
                ),
            ]),
            &[
                "transporte.veiculo nao_cabe_na_interestadual",
                "transporte.reboques nao_cabe_na_interestadual",
            ],
        ),
        (
            869,
            complementary(&[
                ("/pagamentos", json!([{ "forma": "pix", "valor": 1 }])),
                ("/troco", json!(1)),
            ]),
            &["pagamentos pagamento_menor_que_total"],
        ),
    ] {
        let list = problems(&simples(), &data(Model::Nfe), &body);
        assert_eq!(list, all_expected, "{rejection}");
    }
}

#[test]
fn each_rejection_of_an_nfce_has_its_warning() {
    let paid =
        |form: &str| json!([{ "forma": form, "valor": if form == "90" { 0.0 } else { 9.98 } }]);
    let expensive = |quantity: i64, consumer: Value| {
        of_nfce(&[
            ("/itens/0/quantidade", json!(quantity)),
            ("/itens/0/valor_unitario", json!(1)),
            ("/pagamentos/0/valor", json!(quantity)),
            ("/consumidor", consumer),
        ])
    };
    let with_name = json!({ "cpf_cnpj": "52998224725", "nome": "Pessoa Exemplo" });
    for (rejection, body, all_expected) in [
        (
            374,
            of_nfce(&[("/itens/0/cfop", json!("5933"))]),
            &["itens[0].cfop cfop_de_servico"][..],
        ),
        (
            750,
            expensive(10_001, Value::Null),
            &[
                "destinatario.cpf_cnpj obrigatorio",
                "destinatario.nome obrigatorio",
                "destinatario.endereco obrigatorio",
            ],
        ),
        (
            752,
            expensive(10_001, with_name),
            &["consumidor.endereco obrigatorio"],
        ),
        (780, expensive(200_001, consumer("SP")), &["itens limite"]),
        (
            786,
            of_nfce(&[
                ("/presenca", json!("entrega_domicilio")),
                ("/consumidor", consumer("SP")),
            ]),
            &["transporte.transportador obrigatorio"],
        ),
        (
            857,
            of_nfce(&[("/pagamentos", paid("14"))]),
            &["pagamentos[0].forma nao_cabe_na_nfce"],
        ),
        (
            899,
            of_nfce(&[("/pagamentos", paid("90"))]),
            &["pagamentos[0].forma nao_cabe_na_nfce"],
        ),
    ] {
        let list = problems(&simples(), &data(Model::Nfce), &body);
        assert_eq!(list, all_expected, "{rejection}");
    }
    // At the bound and with everything it wants, a note is authorized.
    nfce(&simples(), &expensive(10_000, Value::Null));
    nfce(&simples(), &expensive(10_001, consumer("SP")));
    nfce(&simples(), &expensive(200_000, consumer("SP")));
}

/// Beside what is refused, what is not: authorized by the same judges.
#[test]
fn what_is_beside_a_rejection_is_authorized() {
    let mut service = service();
    service["impostos"]["issqn"]["iss_retido"] = Value::Null;
    let mut with_im = normal();
    with_im.im = Some("1".to_owned());
    nfe(&with_im, &sale(vec![service]));
    for body in [
        // Fetched over the counter by a foreigner, and exported.
        of_nfe(&[
            ("/destinatario", foreigner()),
            ("/destino_operacao", json!("interna")),
            ("/consumidor_final", json!(true)),
            ("/presenca", json!("presencial")),
            ("/itens/0/cfop", json!("5102")),
        ]),
        of_nfe(&[
            ("/destinatario", foreigner()),
            ("/destinatario/ie", json!("110042490114")),
            ("/exportacao", exit()),
            (
                "/transporte",
                json!({ "modalidade_frete": "cif", "veiculo": { "placa": "ABC1D23", "uf": "SP" } }),
            ),
        ]),
        // Given back by who is no taxpayer; on the way to be exported; bought to be used.
        of_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/tipo_operacao", json!("entrada")),
            ("/destinatario", consumer("SP")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!("1949")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ]),
        of_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/tipo_operacao", json!("entrada")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!("1504")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ]),
        of_nfe(&[("/itens/0/cfop", json!("5504"))]),
        of_nfe(&[
            ("/tipo_operacao", json!("entrada")),
            ("/itens/0/cfop", json!("1556")),
        ]),
        // Fetched in the emitter's state by a company of another one.
        of_nfe(&[
            ("/destinatario", taxpayer("MG")),
            ("/destinatario/ie", Value::Null),
            ("/destinatario/indicador_ie", json!(2)),
            ("/destino_operacao", json!("interna")),
            ("/itens/0/cfop", json!("5102")),
            ("/retirada", local("SP")),
        ]),
        // A complement paid in part, in full, and with change.
        complement(1.0),
        complement(9.98),
        complement(20.0),
        of_nfe(&[
            ("/finalidade", json!("ajuste")),
            ("/itens/0/cfop", json!("5102")),
            ("/pagamentos", json!([])),
        ]),
        of_nfe(&[
            ("/data_saida", json!("2026-12-20T10:15:00-03:00")),
            ("/municipio_fato_gerador", json!("3509502")),
        ]),
        of_nfe(&[(
            "/pagamentos",
            json!([{ "forma": "cartao_debito", "valor": 9.98, "cartao": { "integrado": true,
            "cnpj_credenciadora": cnpj("889900110001"), "autorizacao": "A1" } }]),
        )]),
    ] {
        nfe(&normal(), &body);
    }
}

fn complement(paid: f64) -> Value {
    of_nfe(&[
        ("/finalidade", json!("complementar")),
        ("/itens/0/cfop", json!("5102")),
        ("/referencias", json!([{ "chave": chave(1) }])),
        ("/pagamentos", json!([{ "forma": "pix", "valor": paid }])),
        ("/troco", if paid < 9.98 { json!(0) } else { Value::Null }),
    ])
}
