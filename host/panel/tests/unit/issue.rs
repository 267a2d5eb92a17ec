use page::form::Fields;
use page::reply::plain::plain;
use panel::pages::issue::body::lines;
use panel::pages::issue::ncm::codes;
use panel::pages::issue::register;
use panel::pages::issue::rows::{ITEMS, PAYMENTS, named, plain as plain_name};
use panel::pages::issue::services::find;
use panel::pages::issue::wrong::{Refused, label};
use serde_json::json;

fn fields(pairs: &[(&str, &str)]) -> Fields {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn numbers_that_no_note_has_are_refused() {
    let large = "9".repeat(28);
    let form = fields(&[
        ("descricao", "a"),
        ("quantidade", "1"),
        ("valor", &large),
        ("descricao-2", "b"),
        ("quantidade-2", "1"),
        ("valor-2", "10"),
        ("desconto-2", &large),
    ]);
    let (lines, wrong) = lines(&form);
    let fields: Vec<&str> = wrong.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["valor", "desconto-2"]);
    assert!(
        wrong
            .iter()
            .all(|one| one.sentence.starts_with("O número é grande demais."))
    );
    let totals: Vec<String> = lines.iter().map(|line| line.total().to_string()).collect();
    assert_eq!(totals, ["0", "10"]);
}

#[test]
fn a_service_has_no_discount_in_fractions_of_a_cent() {
    for (kind, discount, refused) in [
        ("nfse", "10,559", &["desconto"][..]),
        ("nfse", "0,945", &["desconto"][..]),
        ("nfse", "10,550", &[][..]),
        // The engine rounds it.
        ("nfe", "10,559", &[][..]),
    ] {
        let form = fields(&[
            ("tipo", kind),
            ("descricao", "a"),
            ("quantidade", "1"),
            ("valor", "100"),
            ("desconto", discount),
        ]);
        let (_, wrong) = lines(&form);
        let fields: Vec<&str> = wrong.iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, refused, "{kind} {discount}");
    }
}

#[test]
fn rows_are_added_at_the_end_and_move_up_when_one_goes() {
    assert_eq!([named("valor", 1), named("valor", 3)], ["valor", "valor-3"]);
    assert_eq!(
        [plain_name("valor-3"), plain_name("valor")],
        [("valor", 3), ("valor", 1)]
    );
    let mut form = fields(&[
        ("descricao", "a"),
        ("valor", "1"),
        ("descricao-2", "b"),
        ("valor-2", "2"),
        ("descricao-3", ""),
        ("pago", ""),
    ]);
    assert_eq!((ITEMS.count(&form), PAYMENTS.count(&form)), (3, 1));
    assert_eq!(ITEMS.used(&form), [1, 2]);
    assert_eq!(ITEMS.append(&mut form), 4);
    ITEMS.remove(&mut form, 1);
    assert_eq!(
        (ITEMS.count(&form), form.get("descricao"), form.get("valor")),
        (3, "b", "2")
    );
    for _ in 0..5 {
        ITEMS.remove(&mut form, 1);
    }
    assert_eq!(
        (
            ITEMS.count(&form),
            form.get("descricao"),
            form.has("descricao")
        ),
        (1, "", true)
    );
    ITEMS.remove(&mut form, 9);
    assert_eq!(ITEMS.used(&Fields::default()), [1]);
}

#[test]
fn sentences_lose_what_only_programs_need() {
    for (sentence, said) in [
        (
            "NCM inexistente na tabela (rejeição 778).",
            Some("NCM inexistente na tabela."),
        ),
        (
            "A soma dos pagamentos (10.00) é menor que o total da nota (37.80).",
            Some(
                "A soma dos pagamentos (R$ 10,00) é menor que o total da nota (R$ 37,80): faltam R$ 27,80.",
            ),
        ),
        (
            "A soma dos pagamentos (110.00) é menor que o total da nota (1553.80): alguns estados rejeitam (865).",
            Some(
                "A soma dos pagamentos (R$ 110,00) é menor que o total da nota (R$ 1.553,80): faltam R$ 1.443,80. Alguns estados rejeitam a nota.",
            ),
        ),
        (
            "Os pagamentos passam do total da nota em 1005.00 e não foi informado troco (rejeição 866).",
            Some("Os pagamentos passam do total da nota em R$ 1.005,00 e não foi informado troco."),
        ),
        (
            "O troco deve ser a diferença entre pagamentos e total: 5.00.",
            Some("O troco deve ser a diferença entre pagamentos e total: R$ 5,00."),
        ),
        (
            "O total 1234567.80 passa do limite da NFC-e, 200000 reais (rejeição 780).",
            Some("O total R$ 1.234.567,80 passa do limite da NFC-e, R$ 200.000,00."),
        ),
        (
            "O total da nota ficou negativo.",
            Some("O total da nota ficou negativo."),
        ),
        (
            "Informe o código (Convênio ICMS 142).",
            Some("Informe o código (Convênio ICMS 142)."),
        ),
        (
            "Falta a alíquota nominal do Simples Nacional no cadastro da empresa.",
            Some("Falta a alíquota nominal do Simples Nacional no cadastro da empresa."),
        ),
        (
            "Complete em PUT /api/v1/emitters/{id}/fiscal-profile.",
            None,
        ),
        ("Informe indicador_ie 2.", None),
        ("Omita o campo.", None),
        ("", None),
    ] {
        assert_eq!(plain(sentence).as_deref(), said, "{sentence}");
    }
}

#[test]
fn a_refusal_stands_beside_the_fields_of_the_form() {
    let form = fields(&[
        ("tipo", "nfe"),
        ("emitente", "emi_1"),
        ("descricao", ""),
        ("descricao-2", "b"),
        ("descricao-3", "c"),
    ]);
    let field = |path: &str, code: &str| json!({ "campo": path, "codigo": code, "mensagem": "Falta o campo x.", "correcao": "Informe o campo." });
    let body = json!({
        "codigo": "validacao_previa", "mensagem": "A nota tem pontos a corrigir.", "dica": "Corrija os campos listados e envie de novo com a mesma Idempotency-Key.",
        "campos": [
            field("itens[1].ncm", "obrigatorio"), field("itens[0].quantidade", "obrigatorio"), field("itens[0].quantidade", "valor_invalido"),
            field("destinatario.endereco.codigo_ibge", "municipio_invalido"), field("pagamentos[1].valor", "obrigatorio"),
            { "campo": "itens[0].impostos.icms.cst", "codigo": "cst_indevido", "mensagem": "Emitente do Simples usa CSOSN.", "correcao": "Informe csosn." },
            { "campo": "perfil_fiscal.ie", "codigo": "perfil_fiscal_incompleto", "mensagem": "O emitente não tem inscrição estadual no perfil fiscal.", "correcao": "Informe ie em PUT /api/v1/emitters/{id}/fiscal-profile." },
            { "campo": "serie", "codigo": "serie_invalida", "mensagem": "Use serie_rps.", "correcao": "Omita serie." },
        ],
    });
    let refused = Refused::of_body(&body, &form);
    let names: Vec<&str> = refused
        .wrong
        .iter()
        .map(|wrong| wrong.field.as_str())
        .collect();
    // Rows in which nothing was written are not sent: the first item is the second row.
    assert_eq!(
        names,
        [
            "ncm-3",
            "quantidade-2",
            "municipio",
            "pago-2",
            "descricao-2"
        ]
    );
    let said: Vec<&str> = refused
        .wrong
        .iter()
        .chain([])
        .map(|wrong| wrong.sentence.as_str())
        .collect();
    assert!(
        said[0].starts_with("Falta preencher. Escreva os oito números"),
        "{said:?}"
    );
    assert!(
        said[4].starts_with("Tributação do item: Emitente do Simples usa CSOSN."),
        "{said:?}"
    );
    assert_eq!(refused.said.len(), 2, "{:?}", refused.said);
    assert_eq!(
        refused.said[0].link.as_ref().map(|(to, _)| to.as_str()),
        Some("/painel/emitentes/emi_1")
    );
    assert_eq!(refused.said[1].sentence, "Um dado da nota não foi aceito.");
    let shown = refused.summary().0;
    assert!(
        shown.contains("target=\"_blank\"") && shown.contains("(abre em outra aba)"),
        "what is filled in stays: {shown}"
    );
    for path in ["itens", "perfil_fiscal", "serie", "Idempotency", "/api/"] {
        assert!(!shown.contains(path), "{path}: {shown}");
    }
    assert_eq!(label("ncm-3"), "NCM (item 3)");
    let alone = json!({ "codigo": "saldo_insuficiente", "mensagem": "Saldo insuficiente.", "dica": "Use uma chave de teste." });
    let refused = Refused::of_body(&alone, &form);
    assert_eq!(
        refused.said[0].link.as_ref().map(|(to, _)| to.as_str()),
        Some("/painel/creditos")
    );
}

#[test]
fn what_is_wrong_with_a_whole_item_is_not_told_of_its_description() {
    let form = fields(&[("tipo", "nfe"), ("descricao", ""), ("descricao-2", "b")]);
    let item = |code: &str, message: &str| json!({ "campo": "itens[0]", "codigo": code, "mensagem": message, "correcao": "Corrija o item." });
    let body = json!({
        "codigo": "validacao_previa",
        "campos": [
            item("item_negativo", "Descontos e desonerações do item passam do que ele soma ao total."),
            item("tributo_indevido", "Esta nota só leva IBS e CBS (rejeição 1001)."),
        ],
    });
    let refused = Refused::of_body(&body, &form);
    let wrong = refused.wrong.iter();
    let wrong: Vec<(&str, &str)> = wrong
        .map(|one| (one.field.as_str(), one.sentence.as_str()))
        .collect();
    assert_eq!(
        wrong,
        [(
            "desconto-2",
            "Descontos e desonerações do item passam do que ele soma ao total. Escreva um valor como 5,00, ou deixe vazio."
        )]
    );
    assert_eq!(refused.said.len(), 1, "{:?}", refused.said);
    assert_eq!(
        refused.said[0].sentence,
        "Item 2: Esta nota só leva IBS e CBS."
    );
}

#[test]
fn what_is_wrong_with_all_items_is_told_above_the_form() {
    let told = |message: &str, form: &[(&str, &str)]| {
        let body = json!({
            "codigo": "validacao_previa",
            "campos": [{ "campo": "itens", "codigo": "limite", "mensagem": message, "correcao": "Divida a nota." }],
        });
        Refused::of_body(&body, &fields(form))
    };
    let large = "O total 200001.00 passa do limite da NFC-e, 200000 reais (rejeição 780).";
    let refused = told(large, &[("descricao", ""), ("descricao-2", "b")]);
    assert_eq!((refused.wrong.len(), refused.said.len()), (0, 1));
    assert_eq!(
        refused.said[0].sentence,
        "O total R$ 200.001,00 passa do limite da NFC-e, R$ 200.000,00."
    );
    // Where there is none, one must be written.
    let none = "A nota tem de 1 a 990 itens; vieram 0.";
    let refused = told(none, &[("descricao", "")]);
    assert_eq!((refused.wrong.len(), refused.said.len()), (1, 0));
    assert_eq!(refused.wrong[0].field, "descricao");
}

#[test]
fn refusals_of_a_call_are_told_in_words_of_people() {
    for code in [
        "requisicao_em_andamento",
        "em_transmissao",
        "chave_idempotencia_reutilizada",
        "manutencao",
    ] {
        let body = json!({
            "codigo": code,
            "mensagem": "A primeira requisição com esta Idempotency-Key ainda está em andamento.",
            "dica": "Repita depois do tempo indicado em Retry-After.",
        });
        let refused = Refused::of_body(&body, &fields(&[]));
        let said = &refused.said[0].sentence;
        for word in ["Idempotency", "Retry-After", "A nota não pôde ser emitida."] {
            assert!(!said.contains(word), "{code}: {said}");
        }
    }
}

#[test]
fn products_are_read_as_people_write_them() {
    let form = fields(&[
        ("descricao-2", " Café\ttorrado  1 kg "),
        ("codigo-2", "CAFE 1"),
        ("ncm-2", "0901.21.00"),
        ("cest-2", "17.096.00"),
        ("gtin-2", "sem gtin"),
        ("valor-2", "R$ 1.234,5000000001"),
    ]);
    let product = register::read(&form, 2).expect("a product");
    assert_eq!(
        [
            product.descricao.as_str(),
            product.codigo.as_str(),
            product.busca.trim_end(),
            product.ncm.as_str(),
            product.cest.as_str(),
            product.gtin.as_str(),
            product.preco.as_str(),
        ],
        [
            "Café torrado 1 kg",
            "CAFE 1",
            "cafe torrado 1 kg cafe 1",
            "09012100",
            "1709600",
            "SEM GTIN",
            "1234.5000000001"
        ]
    );
    assert_eq!(register::shown(&product, "valor"), "1234,5000000001");
    let wrong = register::read(&form, 1).expect_err("nothing is filled in");
    let wrong: Vec<&str> = wrong.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(wrong, ["descricao"]);
}

#[test]
fn words_behind_the_sixteenth_find_no_service() {
    assert!(!find("limpeza").is_empty());
    assert!(!find("zzqx limpeza").is_empty());
    assert!(find(&format!("{} limpeza", "zzqx ".repeat(16))).is_empty());
}

#[test]
fn codes_in_force_come_first_and_headings_are_left_out() {
    let row = |code: &str, item: bool, in_force: bool| json!({ "codigo": code, "item": item, "vigencia": { "em_vigor": in_force } });
    let rows = [
        row("3913", false, true),
        row("39139050", true, false),
        row("39139060", true, true),
        row("39139090", true, true),
    ];
    let found = codes(&rows, "3913");
    let digits: Vec<&str> = found.iter().map(|code| code.digits.as_str()).collect();
    assert_eq!(digits, ["39139060", "39139090", "39139050"]);
}

#[test]
fn codes_that_say_what_was_looked_for_come_before_those_that_deny_it() {
    let row = |code: &str, own: &str, whole: &str| json!({ "codigo": code, "item": true, "descricao": own, "descricao_completa": whole, "vigencia": { "em_vigor": true } });
    let heading = "Café, mesmo torrado ou descafeinado";
    let rows = [
        row(
            "09011110",
            "Em grão",
            &format!("{heading} - Café não torrado - Não descafeinado - Em grão"),
        ),
        row(
            "09012100",
            "Não descafeinado",
            &format!("{heading} - Café torrado - Não descafeinado"),
        ),
        row("21011200", "Café torrado", "Extratos - Café torrado"),
    ];
    let found = |words: &str| {
        let codes = codes(&rows, words).into_iter();
        codes.map(|code| code.digits).collect::<Vec<_>>()
    };
    assert_eq!(found("CAFE torrado"), ["21011200", "09012100", "09011110"]);
    // Looked for by a code, or what is denied: as they stand.
    for words in ["0901", "café não torrado"] {
        assert_eq!(
            found(words),
            ["09011110", "09012100", "21011200"],
            "{words}"
        );
    }
}
