//! Rules by example.

use time::macros::date;

use super::*;
use markup::field::Campo;
use markup::ids::Cnpj;

pub(super) fn inutilizacao() -> Inutilizacao {
    Inutilizacao {
        producao: false,
        cuf: 35,
        ano: 26,
        cnpj: Cnpj::parse("12ABC34501DE35").unwrap(),
        modelo: 65,
        serie: 7,
        numero_inicial: 10,
        numero_final: 1009,
        justificativa: "Falha do sistema pulou os números".to_owned(),
    }
}

fn codigos(erros: &[Campo]) -> Vec<String> {
    erros
        .iter()
        .map(|erro| format!("{} {}", erro.campo, erro.codigo))
        .collect()
}

#[test]
fn a_cancelling_in_full() {
    let (tipo, dados) = cancelamento("135260000000001", "  Cliente desistiu\nda compra  ").unwrap();
    let arvore = assemble(&evento(tipo.codigo, 55, dados)).unwrap();
    let chave = chave(55);
    assert_eq!(
        escreve(&arvore),
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
fn everything_wrong_is_told_at_once() {
    let dados = json!({
        "itens": [
            { "nItem": 4, "valor_ibs": "1.234", "vCBS": -1, "estoque": { "quantidade": "abc" } },
            { "item": 1, "vIBS": 1, "valor_ibs": 1, "valor_cbs": 1, "estoque": 3, "cor": "azul" },
            { "item": 1, "valor_ibs": 1, "valor_cbs": 1, "estoque": { "qImobilizado": 1, "uImobilizado": "UNIDADE" } }
        ]
    });
    let contexto = Contexto {
        chave: Some(&chave(65)),
        sequencia: Some(100),
        autor: Some(Autor::Emitente),
        itens: Some(3),
        ..Contexto::default()
    };
    assert_eq!(
        codigos(&pre_validar(busca("211130").unwrap(), &dados, &contexto)),
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
    let tipo = busca("110110").unwrap();
    let erros = |texto: &str| {
        codigos(&pre_validar(
            tipo,
            &json!({ "correcao": texto }),
            &Contexto::default(),
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
        codigos(&pre_validar(
            tipo,
            &json!({ "correcao": "x".repeat(20), "xCondUso": "outra" }),
            &Contexto::default()
        )),
        ["dados.xCondUso campo_desconhecido"]
    );
}

#[test]
fn numbers_of_json_keep_their_digits() {
    let dados: Value = serde_json::from_str(
        r#"{ "itens": [{ "item": "1", "valor_ibs": 1e3, "valor_cbs": 9999999999999.99 }] }"#,
    )
    .unwrap();
    let xml = escreve(&assemble(&evento("211150", 55, dados)).unwrap());
    assert!(xml.contains("<gCredito nItem=\"1\"><vCredIBS>1000.00</vCredIBS><vCredCBS>9999999999999.99</vCredCBS></gCredito>"), "{xml}");
}

#[test]
fn until_when() {
    let chave = chave(55);
    let em = |horas: i64, codigo: &str| {
        let contexto = Contexto {
            chave: Some(&chave),
            autorizada_em: Some(datetime!(2026-11-20 10:00 -3)),
            agora: Some(datetime!(2026-11-20 10:00 -3) + time::Duration::hours(horas)),
            ..Contexto::default()
        };
        let dados = json!({ "protocolo": "135260000000001", "justificativa": "x".repeat(15), "correcao": "x".repeat(15) });
        pre_validar(busca(codigo).unwrap(), &dados, &contexto)
            .into_iter()
            .filter(|erro| erro.campo == "ref")
            .map(|erro| erro.codigo)
            .collect::<Vec<_>>()
    };
    // São Paulo takes requests with delay for 480 hours.
    assert!(em(480, "110111").is_empty());
    assert_eq!(em(481, "110111"), ["fora_da_janela_de_cancelamento"]);
    assert!(em(720, "110110").is_empty());
    assert_eq!(em(721, "110110"), ["fora_do_prazo"]);
}

#[test]
fn who_receives() {
    let orgao = |codigo: &str, modelo: u8| evento(codigo, modelo, json!({})).orgao();
    assert_eq!(orgao("110111", 55), "35");
    assert_eq!(orgao("210210", 55), "91");
    assert_eq!(orgao("112110", 55), "92");
    assert_eq!(orgao("110750", 55), "92");
    assert_eq!(orgao("110750", 65), "35");
}

#[test]
fn payments_of_the_api_become_fields() {
    let pagamentos: Vec<econf::Pagamento> = serde_json::from_value(json!([
        { "forma": "pix_dinamico", "valor": 10.5, "data": "2026-11-20", "indicador": "a_vista",
          "cnpj_transacional": "11222333000181", "uf_transacional": "SP",
          "cartao": { "autorizacao": "E123", "integrado": true } },
        { "forma": "99", "descricao": "Permuta", "valor": "1", "data": "2026-11-21" }
    ]))
    .unwrap();
    let (tipo, dados) = econf_de(&pagamentos).unwrap();
    assert_eq!(pre_validar(tipo, &dados, &Contexto::default()), []);
    let xml = escreve(&assemble(&evento("110750", 65, dados)).unwrap());
    assert!(
        xml.contains(
            "<detPag><indPag>0</indPag><tPag>17</tPag><vPag>10.50</vPag><dPag>2026-11-20</dPag>\
         <CNPJPag>11222333000181</CNPJPag><UFPag>SP</UFPag><cAut>E123</cAut></detPag>\
         <detPag><tPag>99</tPag><xPag>Permuta</xPag><vPag>1.00</vPag><dPag>2026-11-21</dPag></detPag>"
        ),
        "{xml}"
    );
    let sozinho = json!({ "pagamentos": { "forma": "dinheiro", "valor": 1, "data": "2026-11-20", "bandeira": "01" } });
    assert_eq!(
        codigos(&pre_validar(tipo, &sozinho, &Contexto::default())),
        [
            "dados.pagamentos.bandeira campo_dependente",
            "dados.pagamentos.bandeira campo_dependente"
        ]
    );
}

#[test]
fn what_remains_to_be_linked() {
    let vinculo = |sequencia: u8, valor: &str, desfeito: bool| econf::Vinculo {
        protocolo: format!("13526000000000{sequencia}"),
        sequencia,
        valor: valor.parse().unwrap(),
        desfeito,
    };
    let vinculos = [
        vinculo(1, "10.00", true),
        vinculo(2, "30.00", false),
        vinculo(3, "5.55", false),
    ];
    let saldo = econf::saldo("100".parse().unwrap(), "20".parse().unwrap(), &vinculos);
    assert_eq!(
        (saldo.vinculado.to_string(), saldo.restante.to_string()),
        ("35.55".into(), "44.45".into())
    );
    let demais = econf::saldo("10".parse().unwrap(), Decimal::ZERO, &vinculos);
    assert!(demais.restante.is_zero());

    let pode = |sequencia: u8| {
        econf::pode_desfazer(&vinculos, &format!("13526000000000{sequencia}"))
            .map_err(|erro| erro.codigo)
    };
    assert_eq!(pode(1), Err("vinculo_desfeito".to_owned()));
    assert_eq!(pode(2), Ok(()));
    assert_eq!(pode(3), Err("ordem_de_desfazer".to_owned()));
    assert_eq!(pode(4), Err("vinculo_inexistente".to_owned()));
}

#[test]
fn ranges_of_numbers() {
    let certa = inutilizacao();
    assert_eq!(certa.id(), "ID352612ABC34501DE3565007000000010000001009");
    assert!(certa.pre_validar(Some(date!(2026 - 11 - 20))).is_empty());
    let erros = |muda: fn(&mut Inutilizacao)| {
        let mut pedido = inutilizacao();
        muda(&mut pedido);
        codigos(&pedido.pre_validar(Some(date!(2026 - 11 - 20))))
    };
    assert_eq!(
        erros(|p| p.numero_final = 1010),
        ["numero_final faixa_grande_demais"]
    );
    assert_eq!(
        erros(|p| p.numero_final = 9),
        ["numero_final faixa_invertida"]
    );
    assert_eq!(erros(|p| p.ano = 27), ["ano ano_invalido"]);
    assert_eq!(
        erros(|p| p.numero_inicial = 0),
        [
            "numero_inicial numero_invalido",
            "numero_final faixa_grande_demais"
        ]
    );
    assert_eq!(erros(|p| p.serie = 1000), ["serie serie_invalida"]);
    assert_eq!(erros(|p| p.modelo = 57), ["modelo modelo_nao_aceito"]);
    assert_eq!(
        erros(|p| p.justificativa = "curta".to_owned()),
        ["justificativa tamanho_invalido"]
    );
}

#[test]
fn the_catalogue_as_customers_see_it() {
    let tudo = serde_json::to_value(catalogue()).unwrap();
    let itens = tudo.as_array().unwrap();
    assert_eq!(itens.len(), 26);
    let evento = itens
        .iter()
        .find(|tipo| tipo["tipo_evento"] == "112150")
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
    let dois = itens
        .iter()
        .find(|tipo| tipo["tipo_evento"] == "211120")
        .unwrap();
    assert_eq!(dois["autor"], "destinatario|emitente");
}

/// Names of one level never collide, nor hide one another.
#[test]
fn names_are_unambiguous() {
    fn nivel(campos: &[CampoEvento], onde: &str) {
        let mut nomes: Vec<&str> = campos
            .iter()
            .flat_map(|campo| {
                [
                    Some(campo.nome),
                    (campo.tag != campo.nome).then_some(campo.tag),
                ]
            })
            .flatten()
            .collect();
        nomes.sort_unstable();
        for par in nomes.windows(2) {
            assert_ne!(par[0], par[1], "{onde}");
        }
        for campo in campos {
            assert!(
                !campo.rotulo.is_empty() && !campo.explicacao.is_empty(),
                "{onde}.{}",
                campo.tag
            );
            assert_eq!(campo.formato == Formato::Grupo, !campo.campos.is_empty());
            nivel(campo.campos, campo.tag);
        }
    }
    for tipo in catalogue() {
        nivel(tipo.campos, tipo.codigo);
    }
}

/// Whatever comes as fields, the answer is an error list or a tree.
#[test]
fn hostile_fields_do_not_panic() {
    let mut fundo = json!(1);
    for _ in 0..100 {
        fundo = json!({ "itens": [fundo] });
    }
    let valores = [
        json!(null),
        json!([]),
        json!("x".repeat(1_000_000)),
        json!({ "itens": vec![json!({}); 5000] }),
        json!({ "itens": vec![json!({}); 990] }),
        json!({ "x".repeat(100_000): 1, "justificativa": [[[]]], "protocolo": {}, "valor": "1e999999999" }),
        serde_json::from_str("{ \"itens\": [{ \"item\": 1e400, \"valor_ibs\": 1e-400, \"vCBS\": 12345678901234567890123456789012345678901234567890 }] }").unwrap(),
        fundo,
    ];
    for tipo in catalogue() {
        for dados in &valores {
            let erros = pre_validar(tipo, dados, &Contexto::default());
            assert!(erros.len() <= 101);
            drop(assemble(&evento(tipo.codigo, 55, dados.clone())));
        }
    }
}

/// The reference table and the catalogue speak of the same events.
#[test]
fn the_reference_table_agrees() {
    let sem_acento = |texto: &str| {
        texto
            .to_lowercase()
            .replace(['ç'], "c")
            .replace(['ã', 'á', 'â'], "a")
            .replace(['é', 'ê'], "e")
            .replace('í', "i")
            .replace(['õ', 'ó', 'ô'], "o")
            .replace('ú', "u")
    };
    for tipo in catalogue() {
        let codigo = tipo.codigo.parse().unwrap();
        let modelo = tipo.modelos[0].parse().unwrap();
        let linha =
            data::event_kinds::get(modelo, codigo).unwrap_or_else(|| panic!("{}", tipo.codigo));
        assert_eq!(sem_acento(linha.descricao), sem_acento(tipo.descricao));
    }
}

#[test]
fn only_the_issuer_and_only_with_a_name_for_others() {
    let (tipo, dados) = cancelamento("135260000000001", "Cliente desistiu da compra").unwrap();
    let mut pedido = evento(tipo.codigo, 55, dados);
    // Another establishment of the same company may.
    pedido.autor = CpfCnpj::parse("11222333000262").unwrap();
    assert!(assemble(&pedido).is_ok());
    pedido.autor = CpfCnpj::parse("12ABC34501DE35").unwrap();
    assert_eq!(
        codigos(&assemble(&pedido).unwrap_err()),
        ["ref autor_diverge"]
    );
    pedido.autor = CpfCnpj::parse("52998224725").unwrap();
    assert_eq!(
        codigos(&assemble(&pedido).unwrap_err()),
        ["ref autor_diverge"]
    );

    let desfaz = json!({ "tipo_evento": "211128", "protocolo_evento": "135260000000001" });
    let mut pedido = evento("110001", 55, desfaz);
    pedido.autor = CpfCnpj::parse("12ABC34501DE35").unwrap();
    assert!(
        assemble(&pedido).is_ok(),
        "an addressee undoes its own event"
    );
    pedido.papel = Some(Autor::Emitente);
    assert_eq!(
        codigos(&assemble(&pedido).unwrap_err()),
        ["ref autor_diverge"]
    );

    let outros = json!({ "pagamentos": [{ "forma": 99, "valor": 1, "data": "2026-11-21" }] });
    assert_eq!(
        codigos(&pre_validar(
            busca("110750").unwrap(),
            &outros,
            &Contexto::default()
        )),
        ["dados.pagamentos[0].descricao campo_obrigatorio"]
    );
}
