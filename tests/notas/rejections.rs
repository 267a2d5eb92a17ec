//! What the authority would refuse is told before anything is reserved: for
//! each rejection a body that would earn it, and what the pre-flight says.

use crate::bench::{
    cnpj, consumidor, contribuinte, dados, item, nfce, nfe, normal, problemas, simples, venda,
};
use crate::operations::chave;
use crate::taxes::servico;
use compose::frame::Modelo;
use serde_json::{Value, json};

/// A body with members of its root, or of its first item, changed.
fn com(mut corpo: Value, mudancas: &[(&str, Value)]) -> Value {
    for (caminho, valor) in mudancas {
        let (pai, nome) = caminho.rsplit_once('/').expect("path");
        corpo.pointer_mut(pai).expect("parent")[nome] = valor.clone();
    }
    corpo
}

fn da_nfe(mudancas: &[(&str, Value)]) -> Value {
    com(venda(vec![item()]), mudancas)
}

fn da_nfce(mudancas: &[(&str, Value)]) -> Value {
    let corpo =
        json!({ "itens": [item()], "pagamentos": [{ "forma": "dinheiro", "valor": 9.98 }] });
    com(corpo, mudancas)
}

fn estrangeiro() -> Value {
    json!({ "nome": "Foreign Co", "documento_estrangeiro": "X12345",
        "endereco": { "logradouro": "Main St", "numero": "1", "bairro": "Center", "codigo_pais": "US" } })
}

fn local(uf: &str) -> Value {
    json!({ "cpf_cnpj": "52998224725", "endereco": { "logradouro": "Rua C", "numero": "3", "bairro": "Centro",
        "codigo_ibge": "3550308", "cep": "01001-000", "uf": uf } })
}

fn saida() -> Value {
    json!({ "uf_embarque": "SP", "local_embarque": "Porto de Santos" })
}

#[test]
fn each_rejection_of_an_nfe_has_its_warning() {
    let frete = |resto: Value| {
        com(
            json!({ "t": resto }),
            &[("/t/modalidade_frete", json!("cif"))],
        )["t"]
            .clone()
    };
    let complementar = |resto: &[(&str, Value)]| {
        let mut mudancas = vec![
            ("/finalidade", json!("complementar")),
            ("/itens/0/cfop", json!("5102")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ];
        mudancas.extend(resto.iter().cloned());
        da_nfe(&mudancas)
    };
    let devolucao = |cfop: &str| {
        da_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!(cfop)),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ])
    };
    for (rejeicao, corpo, esperados) in [
        (
            255,
            complementar(&[(
                "/referencias",
                json!([{ "chave": chave(1) }, { "chave": chave(2) }]),
            )]),
            &["referencias limite"][..],
        ),
        (
            271,
            da_nfe(&[("/municipio_fato_gerador", json!("3106200"))]),
            &["municipio_fato_gerador municipio_invalido"],
        ),
        (
            270,
            da_nfe(&[("/municipio_fato_gerador", json!("3599999"))]),
            &["municipio_fato_gerador municipio_invalido"],
        ),
        (
            277,
            da_nfe(&[("/retirada", local("RJ"))]),
            &["retirada.endereco.uf uf_divergente"],
        ),
        (
            279,
            da_nfe(&[("/entrega", local("RJ"))]),
            &["entrega.endereco.uf uf_divergente"],
        ),
        (327, devolucao("5916"), &["itens[0].cfop cfop_de_devolucao"]),
        (327, devolucao("5206"), &["itens[0].cfop cfop_de_devolucao"]),
        (
            328,
            da_nfe(&[
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("1504")),
            ]),
            &["itens[0].cfop cfop_de_devolucao"],
        ),
        (
            355,
            da_nfe(&[("/destinatario", estrangeiro())]),
            &["exportacao obrigatorio"],
        ),
        (
            356,
            da_nfe(&[("/exportacao", saida())]),
            &["exportacao exportacao_indevida"],
        ),
        (
            356,
            da_nfe(&[
                ("/exportacao", saida()),
                ("/destinatario", estrangeiro()),
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("3102")),
            ]),
            &["exportacao exportacao_indevida"],
        ),
        (
            392,
            da_nfe(&[(
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
            da_nfe(&[("/data_saida", json!("2026-12-21T10:15:00-03:00"))]),
            &["data_saida data_saida_invalida"],
        ),
        (
            505,
            da_nfe(&[
                ("/data_saida", json!("2026-10-20T10:15:00-03:00")),
                ("/tipo_operacao", json!("entrada")),
                ("/itens/0/cfop", json!("1102")),
            ]),
            &["data_saida data_saida_invalida"],
        ),
        (
            506,
            da_nfe(&[("/data_saida", json!("2026-11-20T10:14:59-03:00"))]),
            &["data_saida data_saida_invalida"],
        ),
        (
            544,
            da_nfe(&[(
                "/transporte",
                frete(
                    json!({ "transportador": { "nome": "Transportes", "ie": "123", "uf": "SP" } }),
                ),
            )]),
            &["transporte.transportador.ie ie_invalida"],
        ),
        (
            559,
            da_nfe(&[(
                "/transporte",
                frete(json!({ "transportador": { "nome": "Transportes", "ie": "110042490114" } })),
            )]),
            &["transporte.transportador.uf obrigatorio"],
        ),
        (
            630,
            da_nfe(&[
                ("/itens/0/unidade_tributavel", json!("KG")),
                ("/itens/0/quantidade_tributavel", json!(3)),
                ("/itens/0/valor_unitario_tributavel", json!(4)),
            ]),
            &["itens[0].valor_unitario_tributavel valor_divergente"],
        ),
        (
            721,
            da_nfe(&[
                ("/destinatario/cpf_cnpj", Value::Null),
                ("/destinatario/documento_estrangeiro", json!("X12345")),
                ("/destinatario/ie", Value::Null),
                ("/destinatario/indicador_ie", json!(2)),
            ]),
            &["destinatario.cpf_cnpj obrigatorio"],
        ),
        (
            773,
            da_nfe(&[
                ("/destinatario", contribuinte("MG")),
                ("/destinatario/ie", Value::Null),
                ("/destinatario/indicador_ie", json!(2)),
                ("/destino_operacao", json!("interna")),
                ("/itens/0/cfop", json!("5102")),
            ]),
            &["destino_operacao destino_incoerente"],
        ),
        (
            868,
            da_nfe(&[
                ("/destinatario", contribuinte("MG")),
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
            complementar(&[
                ("/pagamentos", json!([{ "forma": "pix", "valor": 1 }])),
                ("/troco", json!(1)),
            ]),
            &["pagamentos pagamento_menor_que_total"],
        ),
    ] {
        let lista = problemas(&simples(), &dados(Modelo::Nfe), &corpo);
        assert_eq!(lista, esperados, "{rejeicao}");
    }
}

#[test]
fn each_rejection_of_an_nfce_has_its_warning() {
    let pago =
        |forma: &str| json!([{ "forma": forma, "valor": if forma == "90" { 0.0 } else { 9.98 } }]);
    let caro = |quantidade: i64, consumidor: Value| {
        da_nfce(&[
            ("/itens/0/quantidade", json!(quantidade)),
            ("/itens/0/valor_unitario", json!(1)),
            ("/pagamentos/0/valor", json!(quantidade)),
            ("/consumidor", consumidor),
        ])
    };
    let com_nome = json!({ "cpf_cnpj": "52998224725", "nome": "Pessoa Exemplo" });
    for (rejeicao, corpo, esperados) in [
        (
            374,
            da_nfce(&[("/itens/0/cfop", json!("5933"))]),
            &["itens[0].cfop cfop_de_servico"][..],
        ),
        (
            750,
            caro(10_001, Value::Null),
            &[
                "destinatario.cpf_cnpj obrigatorio",
                "destinatario.nome obrigatorio",
                "destinatario.endereco obrigatorio",
            ],
        ),
        (
            752,
            caro(10_001, com_nome),
            &["consumidor.endereco obrigatorio"],
        ),
        (780, caro(200_001, consumidor("SP")), &["itens limite"]),
        (
            786,
            da_nfce(&[
                ("/presenca", json!("entrega_domicilio")),
                ("/consumidor", consumidor("SP")),
            ]),
            &["transporte.transportador obrigatorio"],
        ),
        (
            857,
            da_nfce(&[("/pagamentos", pago("14"))]),
            &["pagamentos[0].forma nao_cabe_na_nfce"],
        ),
        (
            899,
            da_nfce(&[("/pagamentos", pago("90"))]),
            &["pagamentos[0].forma nao_cabe_na_nfce"],
        ),
    ] {
        let lista = problemas(&simples(), &dados(Modelo::Nfce), &corpo);
        assert_eq!(lista, esperados, "{rejeicao}");
    }
    // At the bound and with everything it wants, a note is authorized.
    nfce(&simples(), &caro(10_000, Value::Null));
    nfce(&simples(), &caro(10_001, consumidor("SP")));
    nfce(&simples(), &caro(200_000, consumidor("SP")));
}

/// Beside what is refused, what is not: authorized by the same judges.
#[test]
fn what_is_beside_a_rejection_is_authorized() {
    let mut servico = servico();
    servico["impostos"]["issqn"]["iss_retido"] = Value::Null;
    let mut com_im = normal();
    com_im.im = Some("1".to_owned());
    nfe(&com_im, &venda(vec![servico]));
    for corpo in [
        // Fetched over the counter by a foreigner, and exported.
        da_nfe(&[
            ("/destinatario", estrangeiro()),
            ("/destino_operacao", json!("interna")),
            ("/consumidor_final", json!(true)),
            ("/presenca", json!("presencial")),
            ("/itens/0/cfop", json!("5102")),
        ]),
        da_nfe(&[
            ("/destinatario", estrangeiro()),
            ("/destinatario/ie", json!("110042490114")),
            ("/exportacao", saida()),
            (
                "/transporte",
                json!({ "modalidade_frete": "cif", "veiculo": { "placa": "ABC1D23", "uf": "SP" } }),
            ),
        ]),
        // Given back by who is no taxpayer; on the way to be exported; bought to be used.
        da_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/tipo_operacao", json!("entrada")),
            ("/destinatario", consumidor("SP")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!("1949")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ]),
        da_nfe(&[
            ("/finalidade", json!("devolucao")),
            ("/tipo_operacao", json!("entrada")),
            ("/pagamentos", json!([])),
            ("/itens/0/cfop", json!("1504")),
            ("/referencias", json!([{ "chave": chave(1) }])),
        ]),
        da_nfe(&[("/itens/0/cfop", json!("5504"))]),
        da_nfe(&[
            ("/tipo_operacao", json!("entrada")),
            ("/itens/0/cfop", json!("1556")),
        ]),
        // Fetched in the emitter's state by a company of another one.
        da_nfe(&[
            ("/destinatario", contribuinte("MG")),
            ("/destinatario/ie", Value::Null),
            ("/destinatario/indicador_ie", json!(2)),
            ("/destino_operacao", json!("interna")),
            ("/itens/0/cfop", json!("5102")),
            ("/retirada", local("SP")),
        ]),
        // A complement paid in part, in full, and with change.
        complemento(1.0),
        complemento(9.98),
        complemento(20.0),
        da_nfe(&[
            ("/finalidade", json!("ajuste")),
            ("/itens/0/cfop", json!("5102")),
            ("/pagamentos", json!([])),
        ]),
        da_nfe(&[
            ("/data_saida", json!("2026-12-20T10:15:00-03:00")),
            ("/municipio_fato_gerador", json!("3509502")),
        ]),
        da_nfe(&[(
            "/pagamentos",
            json!([{ "forma": "cartao_debito", "valor": 9.98, "cartao": { "integrado": true,
            "cnpj_credenciadora": cnpj("889900110001"), "autorizacao": "A1" } }]),
        )]),
    ] {
        nfe(&normal(), &corpo);
    }
}

fn complemento(pago: f64) -> Value {
    da_nfe(&[
        ("/finalidade", json!("complementar")),
        ("/itens/0/cfop", json!("5102")),
        ("/referencias", json!([{ "chave": chave(1) }])),
        ("/pagamentos", json!([{ "forma": "pix", "valor": pago }])),
        ("/troco", if pago < 9.98 { json!(0) } else { Value::Null }),
    ])
}
