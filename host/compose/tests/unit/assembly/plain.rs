//! Plain fields are in the note as the request has them.

use compose::assembly::validate;
use compose::emitter::{Emitter, Regime};
use compose::frame::{Ambiente, Data, Model};
use fiscal::nfe::fields::{Field, INF_NFE};
use fiscal::nfe::order::Pedido;
use fiscal::nfe::reading::read;
use markup::field::Field as FieldError;
use markup::xml::Document;
use serde_json::{Value, json};
use std::path::Path;
use time::macros::datetime;

pub(super) fn emitter() -> Emitter {
    Emitter {
        cpf_cnpj: "11222333000181".to_owned(),
        razao_social: "Empresa Exemplo Ltda".to_owned(),
        ie: Some("0623079040081".to_owned()),
        regime: Regime::SimplesNacional,
        endereco: serde_json::from_value(json!({
            "cep": "30130010", "logradouro": "Avenida Central", "numero": "100", "bairro": "Centro",
            "codigo_ibge": "3106200", "cidade": "Belo Horizonte", "uf": "MG"
        }))
        .expect("an address"),
        ..Emitter::default()
    }
}

pub(super) fn order() -> Value {
    json!({
        "natureza_operacao": "Venda de mercadoria",
        "data_previsao_entrega": "2026-12-01",
        "destinatario": {
            "cpf_cnpj": "12345678000195", "nome": "Cliente Exemplo Ltda", "indicador_ie": "nao_contribuinte",
            "email": "compras@cliente.example",
            "endereco": {
                "cep": "30140071", "logradouro": "Rua da Bahia", "numero": "1000", "bairro": "Centro",
                "codigo_ibge": "3106200", "cidade": "Belo Horizonte", "uf": "MG"
            }
        },
        "itens": [{
            "codigo": "SKU1", "descricao": "Cafe torrado 1 kg", "ncm": "09012100", "cfop": "5102", "origem": "0",
            "quantidade": "2", "valor_unitario": "18.90", "codigo_barras": "ABC123",
            "fci": "B01F70AF-10BF-4B1F-848C-65FF57F616FE",
            "pedido": { "numero": "4711", "item": "10" },
            "informacoes": "Torrado na semana",
            "observacao_contribuinte": { "campo": "Vendedor", "texto": "Maria" },
            "rastreios": [{
                "lote": "L1", "quantidade": "2", "data_fabricacao": "2026-10-01",
                "data_validade": "2027-10-01", "codigo_agregacao": "12345"
            }],
            "embalagem": { "descricao": "Saco", "volume": "1.5", "unidade": "kg" },
            "impostos": { "icms": { "csosn": "102" } }
        }],
        "transporte": {
            "modalidade_frete": "emitente",
            "transportador": { "nome": "Carga Exemplo Ltda", "cidade": "Contagem", "uf": "MG" },
            "volumes": [
                { "quantidade": "1", "especie": "Caixa", "peso_bruto": "10.000" },
                { "quantidade": "2", "marca": "Exemplo" }
            ]
        },
        "pagamentos": [{ "forma": "dinheiro", "valor": "37.80", "indicador": "a_vista" }],
        "cobranca": {
            "fatura": { "numero": "7", "valor_original": "37.80", "desconto": "0.00", "valor_liquido": "37.80" },
            "duplicatas": [{ "numero": "001", "vencimento": "2026-12-20", "valor": "37.80" }]
        },
        "observacoes_contribuinte": [{ "campo": "Rota", "texto": "Sul" }],
        "processos": [{ "numero": "2026/1", "origem": "sefaz" }],
        "compra": { "pedido": "4711", "contrato": "C-1" }
    })
}

fn written(order: Value) -> Result<Value, Vec<FieldError>> {
    let frame = Data {
        modelo: Model::Nfe,
        ambiente: Ambiente::Producao,
        serie: 1,
        numero: 7,
        c_nf: 31_415_926,
        dh_emi: datetime!(2026-11-20 10:15:00 -3),
        tp_emis: 1,
        ver_proc: "hub".to_owned(),
    };
    let mut order: Pedido = serde_json::from_value(order).expect("a request");
    let note = validate(&mut order, &emitter(), &frame, frame.dh_emi)?;
    let xml = note.write(&frame, None).expect("the layout takes it").xml;
    let doc = Document::parse(&xml).expect("XML");
    Ok(serde_json::to_value(read(&doc).expect("a note")).expect("JSON"))
}

/// Every value of one is in the other at the same path, digit by digit.
fn assert_inside(path: &str, part: &Value, whole: &Value) {
    match part {
        Value::Object(members) => {
            for (name, value) in members {
                assert_inside(&format!("{path}.{name}"), value, &whole[name]);
            }
        }
        Value::Array(list) => {
            for (position, value) in list.iter().enumerate() {
                assert_inside(&format!("{path}[{position}]"), value, &whole[position]);
            }
        }
        _ => assert_eq!(
            part.to_string().trim_matches('"'),
            whole.to_string().trim_matches('"'),
            "{path}"
        ),
    }
}

#[test]
fn what_a_request_says_reads_back_from_the_note() {
    let read = written(order()).expect("a note");
    assert_inside("", &order(), &read);
}

fn sources(folder: &Path, found: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push_str(&std::fs::read_to_string(&path).expect("a source")),
        }
    }
}

/// Names the code puts together of that of the tax, and one that package 010e
/// renamed.
const OTHERWISE: [&str; 3] = ["vIBSDiferenca", "vCBSDiferenca", "pISEspec"];

/// A field that a request takes is written by its line in the table, or
/// some code has its name.
#[test]
fn every_field_is_written() {
    fn visit(fields: &[Field], code: &str, missing: &mut Vec<&'static str>) {
        for field in fields.iter().filter(|field| !field.note_only) {
            let inside = field.kind.children();
            let tag = field.tag.trim_start_matches('@');
            let named = code.contains(&format!("\"{tag}\""));
            if inside.is_empty() && field.plain.is_none() && !named {
                missing.push(field.tag);
            }
            visit(inside, code, missing);
        }
    }
    let mut code = String::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&root, &mut code);
    let mut missing = Vec::new();
    visit(INF_NFE, &code, &mut missing);
    missing.retain(|tag| !OTHERWISE.contains(tag));
    assert_eq!(missing, [""; 0]);
}

#[test]
fn addresses_of_mail_are_taken() {
    for email in [
        "a@b",
        " compras@cliente.example ",
        "",
        "a+b'c@cliente.example",
        "a@b; c@d",
        "a@b,c@d",
        "a@b;",
        "a@b; c@d; ",
    ] {
        let mut order = order();
        order["destinatario"]["email"] = email.into();
        assert!(written(order).is_ok(), "{email:?}");
    }
    for email in [
        "a",
        "@b",
        "a@",
        "a@b@c",
        "a b@c",
        "a@b\nBcc: c@d",
        "a\u{7}@b",
        "a@b, c",
        ";",
        "a@b;;c@d",
        "a@b;\nc@d",
    ] {
        let mut order = order();
        order["destinatario"]["email"] = email.into();
        let problems = written(order).expect_err("no address");
        assert!(
            problems.len() == 1
                && problems[0].campo == "destinatario.email"
                && problems[0].codigo == "email_invalido",
            "{email:?}: {problems:?}"
        );
    }
}

#[test]
fn what_must_be_there_is_told_by_its_place() {
    let mut order = order();
    order["itens"][0]["embalagem"] = json!({ "descricao": "Saco" });
    order["transporte"]["volumes"][1]["quantidade"] = json!("1.5");
    order["exportacao"] = json!({ "uf_embarque": "SP" });
    order["processos"][0]["numero"] = json!("x".repeat(61));
    let problems = written(order).expect_err("problems");
    let problems: Vec<String> = problems
        .iter()
        .map(|field| format!("{} {}", field.campo, field.codigo))
        .collect();
    for expected in [
        "itens[0].embalagem.volume obrigatorio",
        "itens[0].embalagem.unidade obrigatorio",
        "transporte.volumes[1].quantidade casas_decimais",
        "exportacao.local_embarque obrigatorio",
        "processos[0].numero tamanho_invalido",
    ] {
        assert!(
            problems.iter().any(|one| one == expected),
            "{expected}: {problems:?}"
        );
    }
}
