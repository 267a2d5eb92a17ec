//! Answers of ours in their words.

use super::bodies::nfe;
use super::ordered;
use moving::answers::{
    About, Asked, Events, Links, Rejection, Told, cancelled, consulted, refusal, request, status,
    voided,
};
use moving::kind::Kind;
use moving::names::NOTE;
use serde_json::{Value, json};

fn asked(kind: Kind, about: About) -> Asked {
    Asked {
        kind,
        about,
        rows: if about == About::Issue { NOTE } else { &[] },
        items: "items",
    }
}

fn told(asked: Asked, status: u16, answer: &Value) -> (u16, Value) {
    match refusal(asked, status, answer) {
        Told::Answer(answer) => (answer.status, answer.body),
        Told::Rejected(rejection) => panic!("{rejection:?}"),
    }
}

#[test]
fn our_validation_has_their_names() {
    let answer = json!({
        "codigo": "validacao_previa", "mensagem": "A nota tem pontos a corrigir.", "dica": "Corrija.",
        "campos": [
            { "campo": "itens[0].ncm", "mensagem": "O NCM não existe.", "correcao": "Confira." },
            { "campo": "destinatario.cpf_cnpj", "mensagem": "destinatario.cpf_cnpj não confere.", "correcao": "" },
            { "campo": "pagamentos", "mensagem": "A soma difere.", "correcao": "" },
            { "campo": "frete", "mensagem": "O frete não cabe nos itens.", "correcao": "" },
            { "campo": "destinatario.indicador_ie", "mensagem": "Difere.", "correcao": "Informe indicador_ie 9, não meu_indicador_ie." },
            { "campo": "outras_despesas", "mensagem": "outras_despesas é outras_despesas.", "correcao": "" }
        ]
    });
    let (status, body) = told(asked(Kind::Nfe, About::Issue), 422, &answer);
    assert_eq!(
        (status, &body["codigo"]),
        (422, &json!("erro_validacao_schema"))
    );
    assert_eq!(
        body["erros"],
        json!([
            { "mensagem": "O NCM não existe. Confira.", "campo": "items[0].codigo_ncm" },
            { "mensagem": "cnpj_destinatario não confere.", "campo": "cnpj_destinatario" },
            { "mensagem": "A soma difere.", "campo": "formas_pagamento" },
            { "mensagem": "O frete não cabe nos itens.", "campo": "valor_frete" },
            {
                "mensagem": "Difere. Informe indicador_inscricao_estadual_destinatario 9, não meu_indicador_ie.",
                "campo": "indicador_inscricao_estadual_destinatario"
            },
            {
                "mensagem": "valor_outras_despesas é valor_outras_despesas.",
                "campo": "valor_outras_despesas"
            }
        ])
    );
}

#[test]
fn codes_are_theirs_where_they_have_one() {
    let rows = [
        (
            Kind::Nfe,
            About::Note,
            404,
            "nao_encontrado",
            404,
            "nao_encontrado",
        ),
        (
            Kind::Nfe,
            About::Issue,
            409,
            "ja_autorizada",
            422,
            "nfe_autorizada",
        ),
        (
            Kind::Nfe,
            About::Issue,
            409,
            "em_transmissao",
            422,
            "em_processamento",
        ),
        (
            Kind::Nfe,
            About::Note,
            409,
            "ja_cancelada",
            400,
            "nfe_cancelada",
        ),
        (
            Kind::Nfe,
            About::Note,
            409,
            "estado_invalido",
            422,
            "nfe_nao_autorizada",
        ),
        (
            Kind::Nfse,
            About::Note,
            409,
            "estado_invalido",
            400,
            "nfe_nao_autorizada",
        ),
        (
            Kind::Nfe,
            About::Numbers,
            409,
            "estado_invalido",
            400,
            "requisicao_invalida",
        ),
        (
            Kind::Nfe,
            About::Numbers,
            409,
            "faixa_ja_inutilizada",
            400,
            "requisicao_invalida",
        ),
        (
            Kind::Nfse,
            About::Issue,
            422,
            "validacao_previa",
            400,
            "requisicao_invalida",
        ),
        (
            Kind::Nfe,
            About::Note,
            422,
            "validacao_previa",
            400,
            "requisicao_invalida",
        ),
        (
            Kind::Nfe,
            About::Issue,
            403,
            "conta_bloqueada",
            403,
            "permissao_negada",
        ),
        (
            Kind::Nfe,
            About::Issue,
            422,
            "certificado_ausente",
            400,
            "empresa_nao_habilitada",
        ),
        // What they have no word for keeps ours.
        (
            Kind::Nfe,
            About::Issue,
            402,
            "saldo_insuficiente",
            402,
            "saldo_insuficiente",
        ),
        (
            Kind::Nfe,
            About::Issue,
            503,
            "sefaz_indisponivel",
            503,
            "sefaz_indisponivel",
        ),
    ];
    for (kind, about, status, code, expected, theirs) in rows {
        let answer = json!({ "codigo": code, "mensagem": "Não.", "dica": "Veja." });
        let (status, body) = told(asked(kind, about), status, &answer);
        assert_eq!(
            (status, &body["codigo"]),
            (expected, &json!(theirs)),
            "{kind:?} {about:?} {code}"
        );
        assert_eq!(body["mensagem"], "Não. Veja.");
    }
}

#[test]
fn a_refusal_of_the_authority_is_no_error_of_the_call() {
    let answer = json!({
        "codigo": "rejeitada_pela_sefaz", "mensagem": "A SEFAZ rejeitou a nota.",
        "rejeicao": { "codigo": "778", "motivo": "NCM inexistente", "correcao": "Confira." }
    });
    let Told::Rejected(rejection) = refusal(asked(Kind::Nfe, About::Issue), 422, &answer) else {
        panic!("an error of the call");
    };
    assert_eq!(
        (rejection.code.as_str(), rejection.reason.as_str()),
        ("778", "NCM inexistente")
    );
    let answer = cancelled(Kind::Nfe, Err(&rejection), None);
    assert_eq!(
        (answer.status, answer.body),
        (
            200,
            json!({ "status_sefaz": "778", "mensagem_sefaz": "NCM inexistente", "status": "erro_cancelamento" })
        )
    );
    let asked = json!({ "serie": 1, "numero_inicial": 2, "numero_final": 4 });
    let answer = voided(Kind::Nfe, "11222333000181", &asked, Err(&rejection), None);
    assert_eq!(
        (answer.status, &answer.body["status"]),
        (200, &json!("erro_autorizacao"))
    );
    assert_eq!(
        (&answer.body["numero_final"], &answer.body["modelo"]),
        (&json!("4"), &json!("55"))
    );
}

#[test]
fn each_state_has_their_word() {
    let rejected = |code: &str| json!({ "status": "rejeitada", "rejeicao": { "codigo": code, "motivo": "x" } });
    for (kind, note, word) in [
        (
            Kind::Nfe,
            json!({ "status": "em_transmissao" }),
            "processando_autorizacao",
        ),
        (
            Kind::Nfse,
            json!({ "status": "pendente_prefeitura" }),
            "processando_autorizacao",
        ),
        (Kind::Nfe, json!({ "status": "autorizada" }), "autorizado"),
        (
            Kind::Nfse,
            json!({ "status": "autorizada", "substituida_por": "nfs_1" }),
            "substituido",
        ),
        (Kind::Nfe, json!({ "status": "cancelada" }), "cancelado"),
        (
            Kind::Nfe,
            json!({ "status": "nao_enviada" }),
            "erro_autorizacao",
        ),
        (Kind::Nfe, rejected("778"), "erro_autorizacao"),
        (Kind::Nfe, rejected("302"), "denegado"),
        // A code of a SEFAZ says nothing of a city's refusal.
        (Kind::Nfse, rejected("302"), "erro_autorizacao"),
    ] {
        assert_eq!(status(kind, &note), word, "{note}");
    }
}

#[test]
fn a_consultation_shows_what_is_there() {
    let links = Links {
        xml: Some("/v2/x.xml".to_owned()),
        print: Some("/v2/x.pdf".to_owned()),
    };
    let events = Events {
        letters: 2,
        letter: Links {
            xml: Some("/v2/c.xml".to_owned()),
            print: Some("/v2/c.pdf".to_owned()),
        },
        ..Events::default()
    };
    let note = json!({
        "status": "autorizada", "chave": "3126", "numero": 7, "serie": 1, "status_sefaz": "100",
        "mensagem_sefaz": "Autorizado o uso da NF-e"
    });
    let shown = consulted(Kind::Nfe, "11222333000181", "a-1", &note, (&links, &events));
    assert_eq!(
        shown,
        json!({
            "cnpj_emitente": "11222333000181", "ref": "a-1", "status": "autorizado",
            "status_sefaz": "100", "mensagem_sefaz": "Autorizado o uso da NF-e",
            "chave_nfe": "NFe3126", "numero": "7", "serie": "1",
            "caminho_xml_nota_fiscal": "/v2/x.xml", "caminho_danfe": "/v2/x.pdf",
            "caminho_xml_carta_correcao": "/v2/c.xml", "caminho_pdf_carta_correcao": "/v2/c.pdf",
            "numero_carta_correcao": 2
        })
    );
    let note = json!({ "status": "rejeitada", "rejeicao": { "codigo": "E1", "motivo": "Não.", "correcao": "Veja." }, "rps": { "numero": 3, "serie": "1" } });
    let shown = consulted(
        Kind::Nfse,
        "11222333000181",
        "a-1",
        &note,
        (&Links::default(), &Events::default()),
    );
    assert_eq!(
        shown,
        json!({
            "cnpj_prestador": "11222333000181", "ref": "a-1", "numero_rps": "3", "serie_rps": "1",
            "tipo_rps": "1", "status": "erro_autorizacao",
            "erros": [{ "codigo": "E1", "mensagem": "Não.", "correcao": "Veja." }]
        })
    );
}

#[test]
fn a_refusal_without_an_authority_says_why() {
    let note = json!({ "status": "nao_enviada", "recusa": { "codigo": "x", "mensagem": "Sem resposta." } });
    let shown = consulted(
        Kind::Nfe,
        "1",
        "a",
        &note,
        (&Links::default(), &Events::default()),
    );
    assert_eq!(
        (&shown["status_sefaz"], &shown["mensagem_sefaz"]),
        (&Value::Null, &json!("Sem resposta."))
    );
    assert_eq!(Rejection::of(&note), None);
}

/// What is read of a body, shown again, is what was sent.
#[test]
fn a_note_is_shown_by_the_names_it_was_sent_with() {
    let sent = nfe();
    let shown = Value::Object(request(&Value::Object(ordered(Kind::Nfe, &sent).body)));
    let same = |name: &str, sent: &Value, shown: &Value| {
        let sent = sent
            .as_str()
            .map_or_else(|| sent.to_string(), str::to_owned);
        let shown = shown.as_str().unwrap_or_default();
        let numbers = (sent.parse::<f64>(), shown.parse::<f64>());
        let fits = sent == shown || matches!(numbers, (Ok(a), Ok(b)) if (a - b).abs() < 1e-9);
        assert!(fits, "{name}: {sent} is {shown}");
    };
    let apart = ["data_emissao", "items", "formas_pagamento"];
    let own = |name: &str| name.ends_with("_emitente") || name.starts_with("valor_");
    for (name, value) in sent.as_object().expect("an object") {
        if !apart.contains(&name.as_str()) && !own(name) {
            same(name, value, &shown[name]);
        }
    }
    for (name, value) in sent["items"][0].as_object().expect("an item") {
        same(name, value, &shown["itens"][0][name]);
    }
    assert_eq!(shown["formas_pagamento"][0]["forma_pagamento"], "17");
    assert_eq!(shown.get("items"), None);
}
