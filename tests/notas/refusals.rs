//! What does not become a note: every problem at once, at its place.

use crate::bench::{
    AGORA, consumidor, contribuinte, dados, item, item_com, normal, pago, problemas, simples, venda,
};
use compose::emitter::Emitente;
use compose::frame::Modelo;
use serde_json::{Value, json};
use time::Duration;

fn nfe(quem: &Emitente, corpo: &Value) -> Vec<String> {
    problemas(quem, &dados(Modelo::Nfe), corpo)
}

/// Changes one field of a sale that is right, by its path.
fn com(caminho: &str, valor: Value) -> Value {
    let mut corpo = venda(vec![item()]);
    let lugar = corpo.pointer_mut(caminho);
    match lugar {
        Some(lugar) => *lugar = valor,
        None => {
            let (pai, nome) = caminho.rsplit_once('/').expect("path");
            corpo.pointer_mut(pai).expect("parent")[nome] = valor;
        }
    }
    corpo
}

#[test]
fn each_mistake_at_its_place() {
    for (caminho, valor, esperado) in [
        (
            "/itens/0/ncm",
            json!("12345678"),
            "itens[0].ncm ncm_inexistente",
        ),
        (
            "/itens/0/gtin",
            json!("7891910000198"),
            "itens[0].gtin gtin_invalido",
        ),
        (
            "/itens/0/cfop",
            json!("6102"),
            "destino_operacao destino_incoerente",
        ),
        ("/itens/0/cfop", json!("1102"), "itens[0].cfop cfop_sentido"),
        (
            "/itens/0/cfop",
            json!("5999"),
            "itens[0].cfop cfop_inexistente",
        ),
        (
            "/itens/0/cfop",
            json!("5202"),
            "itens[0].cfop cfop_de_devolucao",
        ),
        (
            "/itens/0/cfop",
            json!("5656"),
            "itens[0].cfop combustivel_obrigatorio",
        ),
        (
            "/itens/0/origem",
            json!("9"),
            "itens[0].origem origem_invalida",
        ),
        (
            "/itens/0/desconto",
            json!(9.99),
            "itens[0].desconto desconto_maior_que_valor",
        ),
        (
            "/itens/0/quantidade",
            json!(-1),
            "itens[0].quantidade valor_negativo",
        ),
        (
            "/itens/0/valor_bruto",
            json!(10),
            "itens[0].valor_bruto valor_divergente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "00", "aliquota": 18, "valor": 1.82 } }),
            "itens[0].impostos.icms.valor valor_divergente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "csosn": "102" } }),
            "itens[0].impostos.icms.csosn csosn_indevido",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "99" } }),
            "itens[0].impostos.icms.cst cst_inexistente",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "10", "aliquota": 18 } }),
            "itens[0].impostos.icms.st obrigatorio",
        ),
        (
            "/itens/0/impostos",
            json!({ "pis": { "cst": "77" } }),
            "itens[0].impostos.pis.cst cst_inexistente",
        ),
        (
            "/itens/0/numero",
            json!(2),
            "itens[0].numero numero_do_item",
        ),
        (
            "/itens/0/descricao",
            json!("x".repeat(121)),
            "itens[0].descricao tamanho_invalido",
        ),
        (
            "/itens/0/impostos",
            json!({ "ibs_cbs": { "cst": "000", "cclass_trib": "999999" } }),
            "itens[0].impostos.ibs_cbs.cclass_trib",
        ),
        (
            "/destinatario/cpf_cnpj",
            json!("11111111111111"),
            "destinatario.cpf_cnpj cpf_cnpj_invalido",
        ),
        (
            "/destinatario/ie",
            json!("123"),
            "destinatario.ie ie_invalida",
        ),
        ("/destinatario/indicador_ie", json!(9), "destinatario"),
        (
            "/destinatario/endereco/codigo_ibge",
            json!("3550309"),
            "destinatario.endereco.codigo_ibge municipio",
        ),
        (
            "/destinatario/endereco/uf",
            json!("RJ"),
            "destinatario.endereco.uf uf_divergente",
        ),
        (
            "/destinatario/endereco/cep",
            json!("123"),
            "destinatario.endereco.cep cep_invalido",
        ),
        (
            "/destinatario/telefone",
            json!("12"),
            "destinatario.telefone telefone_invalido",
        ),
        (
            "/presenca",
            json!("entrega_domicilio"),
            "presenca presenca_invalida",
        ),
        (
            "/referencias",
            json!([{ "chave": "1".repeat(44) }]),
            "referencias[0].chave chave_invalida",
        ),
        (
            "/finalidade",
            json!("complementar"),
            "referencias obrigatorio",
        ),
        (
            "/finalidade",
            json!("nota_debito"),
            "tipo_nota_debito tipo_de_nota_incoerente",
        ),
        (
            "/pagamentos",
            json!([{ "forma": "outros", "valor": 9.98 }]),
            "pagamentos[0].descricao obrigatorio",
        ),
        ("/troco", json!(1), "troco valor_divergente"),
        ("/data_saida", json!("amanhã"), "data_saida data_invalida"),
        ("/desconto", json!(100), "desconto rateio_impossivel"),
        (
            "/autorizados_xml",
            json!(vec!["52998224725"; 11]),
            "autorizados_xml limite",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": vec![json!({ "valor": 1 }); 121] }),
            "cobranca.duplicatas limite",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "valor": 9.98 }] }),
            "cobranca.duplicatas[0].vencimento obrigatorio",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "vencimento": "2026-11-19", "valor": 9.98 }] }),
            "cobranca.duplicatas[0].vencimento vencimento_anterior",
        ),
        (
            "/cobranca",
            json!({ "duplicatas": [{ "vencimento": "2026-12-20", "valor": 5 }, { "vencimento": "2026-12-19", "valor": 4.98 }] }),
            "cobranca.duplicatas[1].vencimento vencimento_fora_de_ordem",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "valor_original": 9.98 }, "duplicatas": [{ "vencimento": "2026-12-20", "valor": 9.97 }] }),
            "cobranca.duplicatas valor_divergente",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "valor_original": 9.98, "desconto": 1, "valor_liquido": 9.98 } }),
            "cobranca.fatura.valor_liquido valor_divergente",
        ),
        (
            "/cobranca",
            json!({ "fatura": { "desconto": 9.99 } }),
            "cobranca.fatura.desconto desconto_maior_que_valor",
        ),
        (
            // Nothing of this name is left in the document's character set.
            "/destinatario/nome",
            json!("Ａ"),
            "destinatario.nome obrigatorio",
        ),
        (
            "/indicador_operacao",
            json!("12"),
            "indicador_operacao layout_",
        ),
        ("/itens/0/ex_tipi", json!("1"), "itens[0].ex_tipi layout_"),
    ] {
        let lista = nfe(&normal(), &com(caminho, valor.clone()));
        // A digit outside of the table may fall to more than one rule.
        if esperado == "destinatario" {
            continue;
        }
        assert!(
            lista.iter().any(|linha| linha.starts_with(esperado)),
            "{caminho} {valor}: {lista:#?}"
        );
    }
}

#[test]
fn a_service_wants_a_municipal_registration() {
    let corpo = venda(vec![item(), crate::taxes::servico()]);
    assert_eq!(
        nfe(&normal(), &corpo),
        ["perfil_fiscal.im perfil_fiscal_incompleto"]
    );
    for im in ["", " ", "Ａ"] {
        let mut quem = normal();
        quem.im = Some(im.to_owned());
        assert_eq!(
            nfe(&quem, &corpo),
            ["perfil_fiscal.im perfil_fiscal_incompleto"]
        );
    }
}

#[test]
fn all_of_them_in_one_answer() {
    let mut corpo = venda(vec![item(), item(), item()]);
    corpo["itens"][0]["ncm"] = json!("12345678");
    corpo["itens"][1]["cfop"] = json!("9999");
    corpo["itens"][2]["gtin"] = json!("123");
    corpo["destinatario"]["cpf_cnpj"] = json!("123");
    corpo["destinatario"]["endereco"]["cep"] = json!("x");
    let lista = nfe(&normal(), &corpo);
    assert_eq!(lista.len(), 5, "{lista:#?}");
}

/// Eight zeros are for what has no code (I05-20), two for services and
/// adjustments (I05-24).
#[test]
fn a_code_of_zeros_is_for_what_has_none() {
    crate::bench::nfe(&normal(), &com("/itens/0/ncm", json!("00000000")));
    let dois = com("/itens/0/ncm", json!("00"));
    assert_eq!(nfe(&normal(), &dois), ["itens[0].ncm ncm_inexistente"]);
    let mut ajuste = dois;
    ajuste["finalidade"] = json!("ajuste");
    ajuste["itens"][0]["cfop"] = json!("5949");
    ajuste["pagamentos"] = json!([]);
    crate::bench::nfe(&normal(), &ajuste);
}

/// What an NF-e is paid less than it costs is the states' to refuse (865): a
/// rural sale is paid without what the buyer withholds (Funrural).
#[test]
fn a_payment_below_the_total_is_told_and_only_an_nfce_is_refused() {
    let mut corpo = com(
        "/pagamentos",
        json!([{ "forma": "transferencia", "valor": 9.84 }]),
    );
    corpo["retencoes"] = json!({ "base_previdencia": 9.98, "previdencia": 0.14 });
    let prova = crate::bench::nfe(&normal(), &corpo);
    assert_eq!(prova.valor("pag/detPag/vPag"), "9.84");
    assert_eq!(prova.valor("pag/vTroco"), "");
    let avisado = |campo: &str| prova.nota.avisos.iter().any(|aviso| aviso.campo == campo);
    assert!(avisado("pagamentos"), "{:?}", prova.nota.avisos);
    let posterior = json!([{ "forma": "pagamento_posterior", "valor": 0 }]);
    let adiada = crate::bench::nfe(&normal(), &com("/pagamentos", posterior));
    assert_eq!(adiada.valor("pag/detPag/tPag"), "91");
    assert!(adiada.nota.avisos.iter().all(|a| a.campo != "pagamentos"));
    let balcao =
        json!({ "itens": [item()], "pagamentos": [{ "forma": "dinheiro", "valor": 9.97 }] });
    assert_eq!(
        problemas(&normal(), &dados(Modelo::Nfce), &balcao),
        ["pagamentos pagamento_menor_que_total"]
    );
}

#[test]
fn a_document_has_a_largest_size() {
    let nota = |texto: &str| {
        let mut grande = item();
        grande["informacoes"] = json!(texto);
        venda(vec![grande; 990])
    };
    assert_eq!(
        nfe(&normal(), &nota(&"&".repeat(500))),
        ["itens documento_grande"]
    );
    let mut pedido = crate::bench::ler(&nota("Lote"));
    let nota = compose::assembly::validar(&mut pedido, &normal(), &dados(Modelo::Nfe), AGORA)
        .expect("right");
    let avisado = |aviso: &compose::context::Aviso| aviso.mensagem.contains("rejeição 214");
    assert!(nota.avisos.iter().any(avisado), "{:?}", nota.avisos);
}

#[test]
fn dates_have_bounds() {
    for (modelo, passou, esperado) in [
        (
            Modelo::Nfe,
            Duration::days(-31),
            "data_emissao emissao_atrasada",
        ),
        (
            Modelo::Nfe,
            Duration::days(1),
            "data_emissao emissao_futura",
        ),
        // An NFC-e is issued as it is sold.
        (
            Modelo::Nfce,
            Duration::minutes(-6),
            "data_emissao emissao_atrasada",
        ),
    ] {
        let mut dados = dados(modelo);
        let agora = dados.dh_emi;
        dados.dh_emi = AGORA + passou;
        let mut pedido = crate::bench::ler(&venda(vec![item()]));
        let campos =
            compose::assembly::validar(&mut pedido, &normal(), &dados, agora).expect_err("date");
        assert!(
            campos
                .iter()
                .any(|campo| format!("{} {}", campo.campo, campo.codigo) == esperado)
        );
    }
}

#[test]
fn an_nfce_says_what_it_does_not_carry() {
    let corpo = json!({ "itens": [item_com(json!({ "ipi": { "cst": "50", "aliquota": 1 }, "icms": { "csosn": "101", "credito_sn": { "aliquota": 1 } } }))],
        "pagamentos": pago(), "destinatario": contribuinte("SP"), "finalidade": 4, "presenca": "internet",
        "cobranca": { "duplicatas": [{ "valor": 1 }] }, "referencias": [{ "chave": crate::operations::chave(1) }],
        "transporte": { "modalidade_frete": 0, "veiculo": { "placa": "ABC1234" } } });
    let lista = problemas(&simples(), &dados(Modelo::Nfce), &corpo);
    for esperado in [
        "itens[0].impostos.ipi ipi_na_nfce",
        "itens[0].impostos.icms nao_cabe_na_nfce",
        "finalidade nao_cabe_na_nfce",
        "presenca presenca_invalida",
        "cobranca nao_cabe_na_nfce",
        "referencias nao_cabe_na_nfce",
        "transporte.modalidade_frete nao_cabe_na_nfce",
        "transporte.veiculo nao_cabe_na_nfce",
        "destinatario.ie nao_cabe_na_nfce",
        "destinatario.indicador_ie nao_cabe_na_nfce",
    ] {
        assert!(
            lista.iter().any(|linha| linha == esperado),
            "{esperado}: {lista:#?}"
        );
    }
    // Delivery needs to know to whom.
    let sem = json!({ "itens": [item()], "pagamentos": pago(), "presenca": 4 });
    let lista = problemas(&simples(), &dados(Modelo::Nfce), &sem);
    assert_eq!(
        lista,
        [
            "destinatario obrigatorio",
            "transporte.transportador obrigatorio"
        ]
    );
}

/// What the profile fills in is judged like what the item says.
#[test]
fn an_nfce_does_not_take_every_situation_from_the_profile() {
    let mut emitente = simples();
    emitente.padroes.icms = serde_json::from_value(json!({ "csosn": "101" })).expect("defaults");
    emitente.aliquota_credito_sn = serde_json::from_value(json!(2)).expect("rate");
    let corpo = json!({ "itens": [item()], "pagamentos": pago() });
    assert_eq!(
        problemas(&emitente, &dados(Modelo::Nfce), &corpo),
        ["itens[0].impostos.icms nao_cabe_na_nfce"]
    );
}

#[test]
fn an_exemption_of_ipi_says_which() {
    for (cst, enquadramento, cabe) in [
        ("52", "999", false),
        ("52", "301", true),
        ("54", "301", false),
        ("54", "001", true),
        ("55", "099", false),
        ("55", "101", true),
        ("53", "999", true),
    ] {
        let ipi = json!({ "ipi": { "cst": cst, "enquadramento": enquadramento } });
        let lista = nfe(&normal(), &venda(vec![item_com(ipi)]));
        let esperado: &[&str] = match cabe {
            true => &[],
            false => &["itens[0].impostos.ipi.enquadramento enquadramento_incompativel"],
        };
        assert_eq!(lista, esperado, "{cst} {enquadramento}");
    }
}

#[test]
fn who_is_no_taxpayer_consumes() {
    let mut corpo = venda(vec![item()]);
    corpo["destinatario"] = consumidor("SP");
    corpo["consumidor_final"] = json!(false);
    assert_eq!(
        nfe(&normal(), &corpo),
        ["consumidor_final consumidor_final_obrigatorio"]
    );
}

/// What the layout would round is told: the products are those of the number
/// that came.
#[test]
fn factors_have_the_places_of_the_layout() {
    for (caminho, valor, esperado) in [
        (
            "/itens/0/quantidade",
            json!("2.00001"),
            "itens[0].quantidade casas_decimais",
        ),
        (
            "/itens/0/quantidade_tributavel",
            json!("0.12345"),
            "itens[0].quantidade_tributavel casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "00", "aliquota": "18.00001" } }),
            "itens[0].impostos.icms.aliquota casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "icms": { "cst": "20", "aliquota": 18, "reducao": "33.33333" } }),
            "itens[0].impostos.icms.reducao casas_decimais",
        ),
        (
            "/itens/0/impostos",
            json!({ "pis": { "cst": "03", "quantidade": "1.00001", "aliquota_unidade": "0.12345" } }),
            "itens[0].impostos.pis.quantidade casas_decimais",
        ),
        (
            "/transporte",
            json!({ "modalidade_frete": "0", "volumes": [{ "quantidade": "1.5" }] }),
            "transporte.volumes[0].quantidade casas_decimais",
        ),
    ] {
        let lista = nfe(&normal(), &com(caminho, valor));
        assert_eq!(
            lista.first().map(String::as_str),
            Some(esperado),
            "{lista:?}"
        );
    }
    // Zeros at the end are no places; unit values have ten.
    assert_eq!(
        nfe(&normal(), &com("/itens/0/quantidade", json!("2.0000000"))),
        [""; 0]
    );
    let corpo = com("/itens/0/valor_unitario", json!("4.9876543211"));
    assert_eq!(nfe(&normal(), &corpo), [""; 0]);
}
