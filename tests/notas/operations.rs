//! Kinds of operation: import, export, return, complement, the full note.

use crate::bench::{
    NOW, cnpj, data, emitter, item, item_with, nfce, nfe, normal, paid, proof, sale, simples,
    taxpayer,
};
use compose::emitter::Regime;
use compose::frame::Model;
use serde_json::{Value, json};

fn foreigner() -> Value {
    json!({ "nome": "Foreign Co", "endereco": { "logradouro": "Main St", "numero": "1",
        "bairro": "Center", "codigo_pais": "US" } })
}

/// A key of somebody's note, check digit and all.
pub fn chave(number: u32) -> String {
    let base = format!("352610{}55001{number:09}181726354", cnpj("998877660001"));
    let dv = markup::ids::chave::digit(base.as_bytes());
    format!("{base}{dv}")
}

#[test]
fn import_over_the_duties_it_pays() {
    let mut item = item_with(json!({
        "icms": { "cst": "00", "aliquota": 18 },
        "ii": { "base": 1000, "despesas_aduaneiras": 50, "valor": 140, "iof": 0 },
        "ipi": { "cst": "00", "aliquota": 10 },
        "pis": { "cst": "50", "aliquota": 2.1 }, "cofins": { "cst": "50", "aliquota": 9.65 } }));
    item["cfop"] = json!("3102");
    item["origem"] = json!(1.to_string());
    item["quantidade"] = json!(10);
    item["valor_unitario"] = json!(100);
    item["importacoes"] = json!([{ "numero": "26/1234567-8", "data": "2026-11-01", "local_desembaraco": "Santos",
        "uf_desembaraco": "SP", "data_desembaraco": "2026-11-10", "via_transporte": "maritima", "valor_afrmm": 10,
        "intermediacao": "conta_propria", "codigo_exportador": "EXP1",
        "adicoes": [{ "numero": "001", "sequencia": "1", "codigo_fabricante": "FAB1", "desconto": 0, "drawback": "20261" }] }]);
    let body = json!({ "tipo_operacao": "entrada", "destinatario": foreigner(), "itens": [item],
        "pagamentos": [{ "forma": "sem_pagamento" }] });
    let proof = nfe(&normal(), &body);
    // IPI over 1000 + 140; PIS and COFINS over the customs value.
    assert_eq!(proof.value("total/ICMSTot/vIPI"), "114.00");
    assert_eq!(proof.value("total/ICMSTot/vPIS"), "21.00");
    assert_eq!(proof.value("total/ICMSTot/vCOFINS"), "96.50");
    // (1000 + 140 + 114 + 21 + 96.5 + 50) / 0.82.
    assert_eq!(proof.value("total/ICMSTot/vBC"), "1733.54");
    assert_eq!(proof.value("total/ICMSTot/vICMS"), "312.04");
    assert_eq!(proof.value("ide/idDest"), "3");
    assert_eq!(proof.value("dest/enderDest/xPais"), "ESTADOS UNIDOS");
}

#[test]
fn export_direct_and_indirect() {
    let mut direct = item_with(
        json!({ "icms": { "cst": "41" }, "ipi": { "cst": "54", "enquadramento": "001" },
        "pis": { "cst": "08" }, "cofins": { "cst": "08" }, "ibs_cbs": { "cst": "410", "cclass_trib": "410004" } }),
    );
    direct["exportacoes"] = json!([{ "drawback": "20269999" }]);
    let mut indirect = direct.clone();
    indirect["exportacoes"] =
        json!([{ "registro_exportacao": "123456789012", "chave": chave(77), "quantidade": 2 }]);
    let body = json!({ "destinatario": foreigner(), "itens": [direct, indirect], "pagamentos": paid(),
        "exportacao": { "uf_embarque": "SP", "local_embarque": "Porto de Santos", "local_despacho": "Santos" } });
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.no_item(1, "prod/CFOP"), "7102");
    assert_eq!(proof.value("dest/indIEDest"), "9");
    assert_eq!(proof.value("dest/idEstrangeiro"), "");
}

#[test]
fn a_return_names_its_note_item_by_item() {
    let mut item = item_with(
        json!({ "icms": { "cst": "00", "aliquota": 18 }, "pis": { "cst": "49" }, "cofins": { "cst": "49" } }),
    );
    item["cfop"] = json!("5202");
    item["devolucao"] = json!({ "percentual": 100, "valor_ipi": 1 });
    let body = json!({ "finalidade": "devolucao", "destinatario": taxpayer("SP"), "itens": [item],
        "referencias": [{ "chave": chave(10) }] });
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.no_item(1, "DFeReferenciado/chaveAcesso"), chave(10));
    assert!(proof.nota.tree.caminho(&["ide", "NFref"]).is_none());
    assert_eq!(proof.value("total/ICMSTot/vIPIDevol"), "1.00");
    assert_eq!(proof.value("total/ICMSTot/vNF"), "10.98");
    // Nothing is paid with a return.
    let det = proof
        .nota
        .tree
        .caminho(&["pag", "detPag"])
        .expect("payment");
    assert_eq!(det.value(&["tPag"]), Some("90"));
}

#[test]
fn a_complement_carries_only_amounts() {
    let body = json!({ "finalidade": "complementar", "natureza_operacao": "Complemento de ICMS",
        "destinatario": taxpayer("SP"), "referencias": [{ "chave": chave(10) }],
        "itens": [{ "codigo": "1", "descricao": "Complemento de ICMS", "ncm": "17019900", "cfop": "5102",
            "quantidade": 0, "valor_unitario": 0,
            "impostos": { "icms": { "cst": "00", "base": 0, "aliquota": 18, "valor": 57.3 },
                "pis": { "cst": "49" }, "cofins": { "cst": "49" },
                "ibs_cbs": { "cst": "410", "cclass_trib": "410001" } } }] });
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("total/ICMSTot/vICMS"), "57.30");
    assert_eq!(proof.value("total/ICMSTot/vNF"), "0.00");
}

#[test]
fn paper_documents_are_referred_to() {
    let mut body = sale(vec![item()]);
    body["referencias"] = json!([
        { "nota_papel": { "uf": "SP", "mes": "2026-01", "cnpj": cnpj("998877660001"), "modelo": "01", "serie": "1", "numero": "55" } },
        { "nota_produtor": { "uf": "MG", "mes": "2026-02", "cpf_cnpj": "52998224725", "ie": "ISENTO", "modelo": "04", "serie": "0", "numero": "7" } },
        { "cupom": { "modelo": "2D", "numero_ecf": "1", "coo": "123" } },
        { "chave": chave(99) }
    ]);
    nfe(&normal(), &body);
}

#[test]
fn the_note_with_everything() {
    let mut body = sale(vec![item(), item()]);
    for (field, value) in [
        ("natureza_operacao", json!("Venda  de\nmercadoria ")),
        ("data_saida", json!("2026-11-20T18:00:00-03:00")),
        ("data_previsao_entrega", json!("2026-11-25")),
        ("presenca", json!("internet")),
        (
            "intermediador",
            json!({ "cnpj": cnpj("556677880001"), "identificador": "loja-1" }),
        ),
        ("vendedor", json!("Maria")),
        (
            "retirada",
            json!({ "cpf_cnpj": cnpj("112223330002"), "nome": "Depósito", "telefone": "11 3333 4444",
            "endereco": { "logradouro": "Rua B", "bairro": "Centro", "codigo_ibge": "3550308", "uf": "SP" } }),
        ),
        (
            "entrega",
            json!({ "cpf_cnpj": "52998224725", "endereco": { "logradouro": "Rua C", "numero": "3",
            "complemento": "fundos", "bairro": "Centro", "codigo_ibge": "3550308", "cep": "01001-000" } }),
        ),
        (
            "autorizados_xml",
            json!([cnpj("667788990001"), "52998224725"]),
        ),
        ("desconto", json!(1.01)),
        ("frete", json!(10)),
        ("seguro", json!(0.03)),
        ("outras_despesas", json!(5)),
        (
            "transporte",
            json!({ "modalidade_frete": "cif",
            "transportador": { "cpf_cnpj": cnpj("778899000001"), "nome": "Transportes", "ie": "isento", "endereco": "Rua D", "cidade": "Osasco", "uf": "SP" },
            "retencao_icms": { "valor_servico": 100, "aliquota": 12, "cfop": "5353", "municipio": "3550308" },
            "veiculo": { "placa": "abc-1d23", "uf": "SP", "rntc": "12345678" },
            "reboques": [{ "placa": "DEF4567", "uf": "MG" }],
            "volumes": [{ "quantidade": 2, "especie": "CAIXA", "marca": "X", "numeracao": "1/2", "peso_liquido": 1.5,
                "peso_bruto": 2, "lacres": ["L1", "L2"] }] }),
        ),
        (
            "cobranca",
            json!({ "fatura": { "numero": "F1", "valor_original": 33.98, "desconto": 0 },
            "duplicatas": [{ "vencimento": "2026-12-20", "valor": 16.99 }, { "numero": "B", "vencimento": "2027-01-20", "valor": 16.99 }] }),
        ),
        (
            "pagamentos",
            json!([
            { "forma": "cartao_credito", "valor": 10, "indicador": "a_prazo", "cartao": { "integrado": true,
                "cnpj_credenciadora": cnpj("889900110001"), "bandeira": "01", "autorizacao": "ABC", "cnpj_recebedor": cnpj("112223330001"), "terminal": "T1" } },
            { "forma": "outros", "descricao": "Permuta", "valor": 3.98, "data": "2026-11-20" },
            { "forma": 15, "valor": 20 } ]),
        ),
        ("informacoes_complementares", json!("Obrigado 😀 €")),
        ("informacoes_fisco", json!("ICMS recolhido")),
        (
            "observacoes_contribuinte",
            json!([{ "campo": "Rota", "texto": "7" }]),
        ),
        (
            "observacoes_fisco",
            json!([{ "campo": "Processo", "texto": "1" }]),
        ),
        (
            "processos",
            json!([{ "numero": "P1", "origem": "sefaz", "tipo_ato": "08" }]),
        ),
        (
            "compra",
            json!({ "empenho": "2026NE1", "pedido": "P", "contrato": "C" }),
        ),
        (
            "responsavel_tecnico",
            json!({ "cnpj": cnpj("990011220001"), "contato": "Fulano", "email": "f@example.com",
            "telefone": "1133334444", "id_csrt": "1", "csrt": "SEGREDO" }),
        ),
        (
            "agropecuario",
            json!({ "guia_transito": { "tipo": "1", "uf": "SP", "numero": "55" } }),
        ),
    ] {
        body[field] = value;
    }
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("total/ICMSTot/vNF"), "33.98");
    assert_eq!(
        (
            proof.no_item(1, "prod/vDesc"),
            proof.no_item(2, "prod/vDesc")
        ),
        ("0.51", "0.50")
    );
    // The company's own number of an instalment is kept where the layout has room.
    assert_eq!(
        proof.value("infAdic/infCpl"),
        "Obrigado EUR | Vendedor: Maria | Duplicatas: 002 = B"
    );
    let cobr = proof.nota.tree.find("cobr").expect("billing");
    let numbers: Vec<_> = cobr
        .list()
        .iter()
        .filter_map(|e| e.value(&["nDup"]))
        .collect();
    assert_eq!(numbers, ["001", "002"]);
    assert_eq!(proof.value("ide/natOp"), "Venda de mercadoria");
    assert_eq!(proof.value("infRespTec/idCSRT"), "01");
    assert!(
        !proof
            .nota
            .tree
            .value(&["infRespTec", "hashCSRT"])
            .unwrap_or_default()
            .is_empty()
    );
}

#[test]
fn an_invoice_follows_from_its_instalments_and_from_the_note() {
    let installment =
        |due_date: &str, value: f64| json!({ "vencimento": due_date, "valor": value });
    for (charge, fat) in [
        (
            json!({ "duplicatas": [installment("2026-11-20", 4.98), installment("2026-11-20", 5.0)] }),
            ["1523", "9.98", "0.00", "9.98"],
        ),
        (
            json!({ "fatura": { "numero": "F9", "desconto": 1 }, "duplicatas": [installment("2026-12-20", 8.98)] }),
            ["F9", "9.98", "1.00", "8.98"],
        ),
        (json!({ "fatura": {} }), ["1523", "9.98", "0.00", "9.98"]),
    ] {
        let mut body = sale(vec![item()]);
        body["cobranca"] = charge;
        let proof = nfe(&normal(), &body);
        let fields = ["nFat", "vOrig", "vDesc", "vLiq"];
        assert_eq!(
            fields.map(|field| proof.value(&format!("cobr/fat/{field}"))),
            fat
        );
    }
    // 120 long numbers do not fit beside the note's own text: that stays.
    let many: Vec<Value> = (0..120)
        .map(|i| json!({ "numero": format!("{}-{i}", "N".repeat(50)), "vencimento": "2026-12-20", "valor": 0.01 }))
        .collect();
    let mut body = sale(vec![item()]);
    body["cobranca"] = json!({ "duplicatas": many });
    body["informacoes_complementares"] = json!("Obrigado");
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("infAdic/infCpl"), "Obrigado");
    let outside = proof
        .nota
        .notices
        .iter()
        .filter(|aviso| aviso.campo == "cobranca.duplicatas");
    assert_eq!(outside.count(), 1);
}

#[test]
fn supply_of_cane() {
    let mut body = sale(vec![item()]);
    body["cana"] = json!({ "safra": "2026/2027", "mes": "2026-10",
        "fornecimentos": [{ "dia": 1, "quantidade": 10.5 }, { "dia": 2, "quantidade": 11 }],
        "total_mes": 21.5, "total_anterior": 0, "total_geral": 21.5,
        "deducoes": [{ "descricao": "Taxa", "valor": 1 }],
        "valor_fornecimento": 100, "valor_deducoes": 1, "valor_liquido": 99 });
    nfe(&normal(), &body);
}

#[test]
fn government_purchase_and_advance_payment() {
    let mut body = sale(vec![item()]);
    body["compra_governamental"] = json!({ "tipo_ente": "2", "redutor": 10, "tipo_operacao": "1" });
    body["pagamentos_antecipados"] = json!([chave(5)]);
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("ide/gCompraGov/pRedutor"), "10.0000");
}

#[test]
fn letters_in_the_cnpj_of_both_sides() {
    let mut who = emitter(Regime::SimplesNacional);
    who.cpf_cnpj = cnpj("12ABC34501DE");
    let mut body = sale(vec![item()]);
    body["destinatario"]["cpf_cnpj"] = json!("12.abc.345/01DE-35");
    let proof = nfe(&who, &body);
    assert_eq!(proof.value("dest/CNPJ"), "12ABC34501DE35");
    assert!(proof.nota.chave.contains("12ABC34501DE"));
}

#[test]
fn a_rural_producer_issues_by_cpf() {
    let mut who = normal();
    who.cpf_cnpj = "52998224725".to_owned();
    let mut serie = data(Model::Nfe);
    serie.serie = 920;
    let proof = proof(&who, &serie, &sale(vec![item()]));
    assert_eq!(proof.value("emit/CPF"), "52998224725");
}

#[test]
fn nine_hundred_and_ninety_items() {
    let items: Vec<Value> = (0..990)
        .map(|i| {
            let mut item = item();
            item["valor_unitario"] = json!(format!("{}.{:02}", i % 97 + 1, i % 100));
            item["desconto"] = json!(0.01);
            item
        })
        .collect();
    let mut body = sale(items);
    body["frete"] = json!(1234.56);
    let proof = nfe(&normal(), &body);
    assert_eq!(proof.value("total/ICMSTot/vFrete"), "1234.56");
    assert_eq!(proof.value("total/ICMSTot/vDesc"), "9.90");
    assert!(proof.xml.len() > 1_000_000);
}

#[test]
fn an_nfce_with_discount_and_delivery() {
    let body = json!({ "itens": [item(), item()], "desconto": 1, "presenca": "entrega_domicilio",
        "consumidor": crate::bench::consumer("SP"),
        "transporte": { "modalidade_frete": 0, "transportador": { "nome": "Motoboy" } },
        "pagamentos": [{ "forma": "pix", "valor": 18.96 }] });
    let proof = nfce(&simples(), &body);
    assert_eq!(proof.value("total/ICMSTot/vNF"), "18.96");
    assert_eq!(proof.value("ide/dhEmi"), "2026-11-20T10:15:00-03:00");
    assert_eq!(NOW.year(), 2026);
}
