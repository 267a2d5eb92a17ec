//! Rules by example.

use fiscal::nfe::event::{
    Author, Context, EventField, Formato, Voiding, assemble, cancelamento, catalogue, econf,
    econf_of, place_in_request, place_of_void, pre_validar, search,
};
use markup::field::Field;
use markup::ids::{Cnpj, CpfCnpj};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use time::macros::{date, datetime};

use super::{chave, evento, write_out};

pub(super) fn voiding() -> Voiding {
    Voiding {
        production: false,
        cuf: 35,
        year: 26,
        cnpj: Cnpj::parse("12ABC34501DE35").unwrap(),
        model: 65,
        serie: 7,
        first_number: 10,
        last_number: 1009,
        justification: "Falha do sistema pulou os números".to_owned(),
    }
}

fn codes(erros: &[Field]) -> Vec<String> {
    erros
        .iter()
        .map(|error| format!("{} {}", error.campo, error.codigo))
        .collect()
}

#[test]
fn a_cancelling_in_full() {
    let (kind, data) = cancelamento("135260000000001", "  Cliente desistiu\nda compra  ").unwrap();
    let tree = assemble(&evento(kind.codigo, 55, data)).unwrap();
    let chave = chave(55);
    assert_eq!(
        write_out(&tree),
        format!(
            "<evento xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"1.00\"><infEvento Id=\"ID110111{chave}01\">\
             <cOrgao>35</cOrgao><tpAmb>2</tpAmb><CNPJ>11222333000181</CNPJ><chNFe>{chave}</chNFe>\
             <dhEvento>2026-11-20T10:15:00-03:00</dhEvento><tpEvento>110111</tpEvento><nSeqEvento>1</nSeqEvento>\
             <verEvento>1.00</verEvento><detEvento versao=\"1.00\"><descEvento>Cancelamento</descEvento>\
             <nProt>135260000000001</nProt><xJust>Cliente desistiu da compra</xJust></detEvento></infEvento></evento>",
            chave = chave.as_str()
        )
    );
}

#[test]
fn official_paths_are_told_by_the_names_of_the_request() {
    let (kind, _) = cancelamento("135260000000001", "Cliente desistiu da compra").unwrap();
    for (official, place) in [
        ("infEvento/detEvento/xJust", "dados.justificativa"),
        ("infEvento/CNPJ", "infEvento.CNPJ"),
        ("infEvento/detEvento/outro", "infEvento.detEvento.outro"),
    ] {
        assert_eq!(place_in_request(kind, official), place);
    }
    // A list within the content, which the layout counts from 1.
    let listed = catalogue().iter().find_map(|kind| {
        let list = kind.campos.iter().find(|field| field.ocorrencias > 1)?;
        Some((kind, list, list.campos.first()?))
    });
    let (kind, list, first) = listed.unwrap();
    let tag = if first.atributo {
        format!("@{}", first.tag)
    } else {
        first.tag.to_owned()
    };
    let official = format!("infEvento/detEvento/{}[2]/{tag}", list.tag);
    let place = format!("dados.{}[1].{}", list.nome, first.nome);
    assert_eq!(place_in_request(kind, &official), place);
    assert_eq!(place_of_void("infInut/nNFFin"), "numero_final");
    assert_eq!(place_of_void("infInut/CNPJ"), "infInut.CNPJ");
}

#[test]
fn everything_wrong_is_told_at_once() {
    let data = json!({
        "itens": [
            { "nItem": 4, "valor_ibs": "1.234", "vCBS": -1, "estoque": { "quantidade": "abc" } },
            { "item": 1, "vIBS": 1, "valor_ibs": 1, "valor_cbs": 1, "estoque": 3, "cor": "azul" },
            { "item": 1, "valor_ibs": 1, "valor_cbs": 1, "estoque": { "qImobilizado": 1, "uImobilizado": "UNIDADE" } }
        ]
    });
    let context = Context {
        chave: Some(&chave(65)),
        sequence: Some(100),
        author: Some(Author::Emitente),
        items: Some(3),
        ..Context::default()
    };
    assert_eq!(
        codes(&pre_validar(search("211130").unwrap(), &data, &context)),
        [
            "ref modelo_nao_aceito",
            "tipo_evento autor_nao_permitido",
            "sequencia sequencia_invalida",
            "dados.itens[0].nItem item_invalido",
            "dados.itens[0].valor_ibs decimal_invalido",
            "dados.itens[0].vCBS decimal_invalido",
            "dados.itens[0].estoque.quantidade decimal_invalido",
            "dados.itens[0].estoque.unidade campo_obrigatorio",
            "dados.itens[1].cor campo_desconhecido",
            "dados.itens[1].vIBS campo_repetido",
            "dados.itens[1].estoque tipo_invalido",
            "dados.itens[2].estoque.uImobilizado tamanho_invalido",
            "dados.itens[2].item item_repetido",
        ]
    );
}

#[test]
fn lengths_of_texts() {
    let kind = search("110110").unwrap();
    let erros = |text: &str| {
        codes(&pre_validar(
            kind,
            &json!({ "correcao": text }),
            &Context::default(),
        ))
    };
    assert_eq!(erros(&"x".repeat(14)), ["dados.correcao tamanho_invalido"]);
    assert!(erros(&"x".repeat(15)).is_empty());
    assert!(erros(&"é".repeat(1000)).is_empty());
    assert_eq!(
        erros(&"é".repeat(1001)),
        ["dados.correcao tamanho_invalido"]
    );
    // Fifteen characters of which the layout takes fourteen.
    assert_eq!(
        erros("abcdefghijklmn😀"),
        ["dados.correcao tamanho_invalido"]
    );
    assert_eq!(
        codes(&pre_validar(
            kind,
            &json!({ "correcao": "x".repeat(20), "xCondUso": "outra" }),
            &Context::default()
        )),
        ["dados.xCondUso campo_desconhecido"]
    );
}

#[test]
fn numbers_of_json_keep_their_digits() {
    let data: Value = serde_json::from_str(
        r#"{ "itens": [{ "item": "1", "valor_ibs": 1e3, "valor_cbs": 9999999999999.99 }] }"#,
    )
    .unwrap();
    let xml = write_out(&assemble(&evento("211150", 55, data)).unwrap());
    assert!(xml.contains("<gCredito nItem=\"1\"><vCredIBS>1000.00</vCredIBS><vCredCBS>9999999999999.99</vCredCBS></gCredito>"), "{xml}");
}

#[test]
fn until_when() {
    let chave = chave(55);
    let at = |hours: i64, codigo: &str| {
        let context = Context {
            chave: Some(&chave),
            authorized_at: Some(datetime!(2026-11-20 10:00 -3)),
            now: Some(datetime!(2026-11-20 10:00 -3) + time::Duration::hours(hours)),
            ..Context::default()
        };
        let data = json!({ "protocolo": "135260000000001", "justificativa": "x".repeat(15), "correcao": "x".repeat(15) });
        pre_validar(search(codigo).unwrap(), &data, &context)
            .into_iter()
            .filter(|error| error.campo == "ref")
            .map(|error| error.codigo)
            .collect::<Vec<_>>()
    };
    // São Paulo takes requests with delay for 480 hours.
    assert!(at(480, "110111").is_empty());
    assert_eq!(at(481, "110111"), ["fora_da_janela_de_cancelamento"]);
    assert!(at(720, "110110").is_empty());
    assert_eq!(at(721, "110110"), ["fora_do_prazo"]);
}

#[test]
fn who_receives() {
    let agency = |codigo: &str, model: u8| evento(codigo, model, json!({})).agency();
    assert_eq!(agency("110111", 55), "35");
    assert_eq!(agency("210210", 55), "91");
    assert_eq!(agency("112110", 55), "92");
    assert_eq!(agency("110750", 55), "92");
    assert_eq!(agency("110750", 65), "35");
}

#[test]
fn payments_of_the_api_become_fields() {
    let payments: Vec<econf::Payment> = serde_json::from_value(json!([
        { "forma": "pix_dinamico", "valor": 10.5, "data": "2026-11-20", "indicador": "a_vista",
          "cnpj_transacional": "11222333000181", "uf_transacional": "SP",
          "cartao": { "autorizacao": "E123", "integrado": true } },
        { "forma": "99", "descricao": "Permuta", "valor": "1", "data": "2026-11-21" }
    ]))
    .unwrap();
    let (kind, data) = econf_of(&payments).unwrap();
    assert_eq!(pre_validar(kind, &data, &Context::default()), []);
    let xml = write_out(&assemble(&evento("110750", 65, data)).unwrap());
    assert!(
        xml.contains(
            "<detPag><indPag>0</indPag><tPag>17</tPag><vPag>10.50</vPag><dPag>2026-11-20</dPag>\
         <CNPJPag>11222333000181</CNPJPag><UFPag>SP</UFPag><cAut>E123</cAut></detPag>\
         <detPag><tPag>99</tPag><xPag>Permuta</xPag><vPag>1.00</vPag><dPag>2026-11-21</dPag></detPag>"
        ),
        "{xml}"
    );
    let alone = json!({ "pagamentos": { "forma": "dinheiro", "valor": 1, "data": "2026-11-20", "bandeira": "01" } });
    assert_eq!(
        codes(&pre_validar(kind, &alone, &Context::default())),
        [
            "dados.pagamentos.bandeira campo_dependente",
            "dados.pagamentos.bandeira campo_dependente"
        ]
    );
}

#[test]
fn what_remains_to_be_linked() {
    let link = |sequence: u8, value: &str, undone: bool| econf::Link {
        protocol: format!("13526000000000{sequence}"),
        sequence,
        value: value.parse().unwrap(),
        undone,
    };
    let vinculos = [
        link(1, "10.00", true),
        link(2, "30.00", false),
        link(3, "5.55", false),
    ];
    let balance = econf::balance("100".parse().unwrap(), "20".parse().unwrap(), &vinculos);
    assert_eq!(
        (balance.linked.to_string(), balance.remaining.to_string()),
        ("35.55".into(), "44.45".into())
    );
    let too_much = econf::balance("10".parse().unwrap(), Decimal::ZERO, &vinculos);
    assert!(too_much.remaining.is_zero());

    let may = |sequence: u8| {
        econf::may_undo(&vinculos, &format!("13526000000000{sequence}"))
            .map_err(|error| error.codigo)
    };
    assert_eq!(may(1), Err("vinculo_desfeito".to_owned()));
    assert_eq!(may(2), Ok(()));
    assert_eq!(may(3), Err("ordem_de_desfazer".to_owned()));
    assert_eq!(may(4), Err("vinculo_inexistente".to_owned()));
}

#[test]
fn ranges_of_numbers() {
    let correct = voiding();
    assert_eq!(correct.id(), "ID352612ABC34501DE3565007000000010000001009");
    assert!(correct.pre_validar(Some(date!(2026 - 11 - 20))).is_empty());
    let erros = |alter: fn(&mut Voiding)| {
        let mut request = voiding();
        alter(&mut request);
        codes(&request.pre_validar(Some(date!(2026 - 11 - 20))))
    };
    assert_eq!(
        erros(|p| p.last_number = 1010),
        ["numero_final faixa_grande_demais"]
    );
    assert_eq!(
        erros(|p| p.last_number = 9),
        ["numero_final faixa_invertida"]
    );
    assert_eq!(erros(|p| p.year = 27), ["ano ano_invalido"]);
    assert_eq!(
        erros(|p| p.first_number = 0),
        [
            "numero_inicial numero_invalido",
            "numero_final faixa_grande_demais"
        ]
    );
    assert_eq!(erros(|p| p.serie = 1000), ["serie serie_invalida"]);
    assert_eq!(erros(|p| p.model = 57), ["modelo modelo_nao_aceito"]);
    assert_eq!(
        erros(|p| p.justification = "curta".to_owned()),
        ["justificativa tamanho_invalido"]
    );
}

#[test]
fn the_catalogue_as_customers_see_it() {
    let everything = serde_json::to_value(catalogue()).unwrap();
    let items = everything.as_array().unwrap();
    assert_eq!(items.len(), 26);
    let evento = items
        .iter()
        .find(|kind| kind["tipo_evento"] == "112150")
        .unwrap();
    assert_eq!(
        evento["campos"],
        json!([{
            "nome": "data_prevista", "tag": "dPrevEntrega", "rotulo": "Nova data prevista",
            "descricao": "Dia da entrega ou da disponibilização do bem.", "tipo": "data",
            "obrigatorio": true, "ocorrencias": 1
        }])
    );
    assert_eq!(evento["autor"], "emitente");
    assert_eq!(evento["receptor"], "svrs");
    let two = items
        .iter()
        .find(|kind| kind["tipo_evento"] == "211120")
        .unwrap();
    assert_eq!(two["autor"], "destinatario|emitente");
}

/// Names of one level never collide, nor hide one another.
#[test]
fn names_are_unambiguous() {
    fn level(fields: &[EventField], place: &str) {
        let mut names: Vec<&str> = fields
            .iter()
            .flat_map(|field| {
                [
                    Some(field.nome),
                    (field.tag != field.nome).then_some(field.tag),
                ]
            })
            .flatten()
            .collect();
        names.sort_unstable();
        for pair in names.windows(2) {
            assert_ne!(pair[0], pair[1], "{place}");
        }
        for field in fields {
            assert!(
                !field.rotulo.is_empty() && !field.explicacao.is_empty(),
                "{place}.{}",
                field.tag
            );
            assert_eq!(field.formato == Formato::Grupo, !field.campos.is_empty());
            level(field.campos, field.tag);
        }
    }
    for kind in catalogue() {
        level(kind.campos, kind.codigo);
    }
}

/// Whatever comes as fields, the answer is an error list or a tree.
#[test]
fn hostile_fields_do_not_panic() {
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!({ "itens": [deep] });
    }
    let values = [
        json!(null),
        json!([]),
        json!("x".repeat(1_000_000)),
        json!({ "itens": vec![json!({}); 5000] }),
        json!({ "itens": vec![json!({}); 990] }),
        json!({ "x".repeat(100_000): 1, "justificativa": [[[]]], "protocolo": {}, "valor": "1e999999999" }),
        serde_json::from_str("{ \"itens\": [{ \"item\": 1e400, \"valor_ibs\": 1e-400, \"vCBS\": 12345678901234567890123456789012345678901234567890 }] }").unwrap(),
        deep,
    ];
    for kind in catalogue() {
        for data in &values {
            let erros = pre_validar(kind, data, &Context::default());
            assert!(erros.len() <= 101);
            drop(assemble(&evento(kind.codigo, 55, data.clone())));
        }
    }
}

/// The reference table and the catalogue speak of the same events.
#[test]
fn the_reference_table_agrees() {
    let unaccented = |text: &str| {
        text.to_lowercase()
            .replace(['ç'], "c")
            .replace(['ã', 'á', 'â'], "a")
            .replace(['é', 'ê'], "e")
            .replace('í', "i")
            .replace(['õ', 'ó', 'ô'], "o")
            .replace('ú', "u")
    };
    for kind in catalogue() {
        let codigo = kind.codigo.parse().unwrap();
        let model = kind.modelos[0].parse().unwrap();
        let line =
            data::event_kinds::get(model, codigo).unwrap_or_else(|| panic!("{}", kind.codigo));
        assert_eq!(unaccented(line.description), unaccented(kind.descricao));
    }
}

#[test]
fn only_the_issuer_and_only_with_a_name_for_others() {
    let (kind, data) = cancelamento("135260000000001", "Cliente desistiu da compra").unwrap();
    let mut request = evento(kind.codigo, 55, data);
    // Another establishment of the same company may.
    request.author = CpfCnpj::parse("11222333000262").unwrap();
    assert!(assemble(&request).is_ok());
    request.author = CpfCnpj::parse("12ABC34501DE35").unwrap();
    assert_eq!(
        codes(&assemble(&request).unwrap_err()),
        ["ref autor_diverge"]
    );
    request.author = CpfCnpj::parse("52998224725").unwrap();
    assert_eq!(
        codes(&assemble(&request).unwrap_err()),
        ["ref autor_diverge"]
    );

    let undoes = json!({ "tipo_evento": "211128", "protocolo_evento": "135260000000001" });
    let mut request = evento("110001", 55, undoes);
    request.author = CpfCnpj::parse("12ABC34501DE35").unwrap();
    assert!(
        assemble(&request).is_ok(),
        "an addressee undoes its own event"
    );
    request.role = Some(Author::Emitente);
    assert_eq!(
        codes(&assemble(&request).unwrap_err()),
        ["ref autor_diverge"]
    );

    let others = json!({ "pagamentos": [{ "forma": 99, "valor": 1, "data": "2026-11-21" }] });
    assert_eq!(
        codes(&pre_validar(
            search("110750").unwrap(),
            &others,
            &Context::default()
        )),
        ["dados.pagamentos[0].descricao campo_obrigatorio"]
    );
}
