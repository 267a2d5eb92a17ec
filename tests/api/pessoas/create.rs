//! POST and GET /api/v1/pessoas

use super::{PATH, address, emitter, person, points, registered};
use crate::common::{ask, ask_as, assert_refusal, cnpj, stranger};
use reqwest::Method;
use serde_json::{Value, json};
use tests::bodies::with;
use tests::both;

both! {
    async fn a_person_is_registered_once(app: TestApp) {
        let emitter = emitter(&app).await;
        let body = person("11444777");
        let first = app.post(PATH, &body).await;
        assert_eq!(first.status, 201, "{}", first.text);
        assert_eq!(first.body["ja_existia"], false);
        assert_eq!(first.header("etag"), "\"1\"");
        assert!(first.text_at("/id").starts_with("pes_"));
        assert_eq!(first.text_at("/emitente_id"), emitter);
        assert_eq!(first.text_at("/ie"), "0623079040081");
        assert_eq!(first.body["papeis"], json!(["tomador", "cliente"]));
        let address = &first.body["enderecos"][0];
        assert_eq!((&address["principal"], &address["uf"], &address["cidade"], &address["cep"]), (&json!(true), &json!("MG"), &json!("Belo Horizonte"), &json!("30140071")));
        assert_eq!(first.body["telefones"], json!([{ "numero": "31998765432", "tipo": "celular" }, { "numero": "3133334444", "tipo": "comercial" }]));

        // The mask is no other number, and what is said now changes nothing.
        let number = body["cpf_cnpj"].as_str().expect("a number");
        let masked = format!("{}.{}.{}/{}-{}", &number[..2], &number[2..5], &number[5..8], &number[8..12], &number[12..]);
        let again = app.post(PATH, &json!({ "cpf_cnpj": masked, "nome": "Outro nome" })).await;
        assert_eq!(again.status, 200, "{}", again.text);
        assert_eq!(again.body["ja_existia"], true);
        for member in ["id", "nome", "papeis", "enderecos", "atualizada_em"] {
            assert_eq!(again.body[member], first.body[member], "{member}");
        }
        assert_eq!(again.header("etag"), "\"1\"");

        // Test keys see the same; another company has a list of its own.
        let shown = ask_as(&app, &app.test_key, Method::GET, &format!("{PATH}/{}", first.text_at("/id")), None).await;
        assert_eq!((shown.status, &shown.body["nome"]), (200, &first.body["nome"]), "{}", shown.text);
        let other = app.emitter_without_certificate(&cnpj("22333444"), "3106200").await;
        let branch = app.post(PATH, &with(body.clone(), "/emitente_id", other.as_str())).await;
        assert_eq!((branch.status, branch.text_at("/emitente_id")), (201, other.as_str()), "{}", branch.text);
        let back = app.post(PATH, &with(body, "/emitente_id", emitter.as_str())).await;
        assert_eq!((back.status, back.text_at("/id")), (200, first.text_at("/id")), "{}", back.text);
    }
}

both! {
    async fn two_at_once_make_one(app: TestApp) {
        emitter(&app).await;
        let body = person("11444777");
        let answers = futures::future::join_all((0..8).map(|_| app.post(PATH, &body))).await;
        let created = answers.iter().filter(|answer| answer.status == 201).count();
        let found = answers.iter().filter(|answer| answer.status == 200 && answer.body["ja_existia"] == true).count();
        assert_eq!((created, found), (1, 7));
        let first = answers[0].text_at("/id");
        assert!(answers.iter().all(|answer| answer.text_at("/id") == first));
    }
}

both! {
    async fn numbers_of_both_kinds_are_checked(app: TestApp) {
        emitter(&app).await;
        // CPF and CNPJ made for this test; the second with letters.
        for (number, status) in [("52998224725", 201), ("12ABC34501DE35", 201), ("12abc34501de35", 200), ("529.982.247-25", 200), ("52998224724", 422), ("12ABC34501DE36", 422), ("11111111111", 422), ("123", 422), ("", 422)] {
            let answer = app.post(PATH, &json!({ "cpf_cnpj": number, "nome": "Alguém" })).await;
            assert_eq!(answer.status, status, "{number}: {}", answer.text);
            if status == 422 {
                assert_eq!(points(&answer), ["cpf_cnpj cpf_cnpj_invalido"]);
                assert!(number.is_empty() || !answer.text.contains(number), "a number of somebody is not repeated: {}", answer.text);
            }
        }
    }
}

both! {
    async fn everything_wrong_is_told_at_once(app: TestApp) {
        emitter(&app).await;
        let body = json!({
            "cpf_cnpj": "1", "nome": " ", "email": "sem-arroba", "ie": "123", "im": "1234567890123456",
            "enderecos": [with(address(), "/uf", "SP"), with(with(address(), "/codigo_ibge", "9999999"), "/cep", "1"), { "principal": true }, with(address(), "/principal", true)],
            "telefones": [{ "numero": "123" }, { "numero": "3133334444", "tipo": "celular" }, {}],
        });
        let answer = app.post(PATH, &body).await;
        assert_refusal(&answer, "422 validacao_previa");
        assert_eq!(points(&answer), [
            "cpf_cnpj cpf_cnpj_invalido", "nome tamanho_invalido", "enderecos[0].uf uf_divergente", "enderecos[1].cep cep_invalido",
            "enderecos[1].codigo_ibge municipio_invalido", "enderecos[2].logradouro obrigatorio", "enderecos[2].numero obrigatorio",
            "enderecos[2].bairro obrigatorio", "enderecos[2].cep cep_invalido", "enderecos[2].codigo_ibge municipio_invalido",
            "telefones[0].numero telefone_invalido", "telefones[1].tipo telefone_invalido", "telefones[2].numero telefone_invalido",
            "enderecos[3].principal grupos_excludentes", "ie ie_invalida", "im tamanho_invalido", "email email_invalido",
        ], "{}", answer.text);
        assert!(answer.text_at("/mensagem").starts_with("O cadastro tem 17 pontos"), "{}", answer.text);
        assert_eq!(app.get(PATH).await.body["itens"], json!([]));

        let good = person("11444777");
        let of_sp = with(good.clone(), "/ie", "110.042.490.114");
        assert_eq!(points(&app.post(PATH, &of_sp).await), ["ie ie_invalida"], "the address is in MG");
        let many = |one: Value, n: usize| Value::from(vec![one; n]);
        assert_eq!(points(&app.post(PATH, &with(good.clone(), "/enderecos", many(address(), 21))).await), ["enderecos limite"]);
        assert_eq!(points(&app.post(PATH, &with(good.clone(), "/telefones", many(json!({ "numero": "3133334444" }), 21))).await), ["telefones limite"]);
        for (body, summary) in [
            (with(good.clone(), "/papeis", json!(["amigo"])), "400 parametro_invalido"),
            (with(good.clone(), "/apelido", "x"), "400 campo_desconhecido"),
            (with(good.clone(), "/enderecos", json!([{ "rua": "x" }])), "400 campo_desconhecido"),
            (json!({ "cpf_cnpj": cnpj("11444777") }), "400 parametro_ausente"),
            (with(good, "/emitente_id", "emi_nada"), "404 nao_encontrado"),
        ] {
            assert_refusal(&app.post(PATH, &body).await, summary);
        }
    }
}

both! {
    async fn a_person_belongs_to_an_account(app: TestApp) {
        let nobody = app.post(PATH, &person("11444777")).await;
        assert_refusal(&nobody, "400 parametro_ausente");
        let emitter = emitter(&app).await;
        let id = registered(&app, &person("11444777")).await;
        let other = stranger(&app).await;
        let of_mine = with(person("22444777"), "/emitente_id", emitter.as_str());
        for key in [&other.live_key, &other.test_key] {
            for (method, path, body) in [
                (Method::GET, format!("{PATH}/{id}"), None),
                (Method::PATCH, format!("{PATH}/{id}"), Some(json!({ "nome": "Meu" }))),
                (Method::POST, format!("{PATH}/{id}/enderecos"), Some(address())),
                (Method::POST, format!("{PATH}/{id}/telefones"), Some(json!({ "numero": "3133334444" }))),
                (Method::POST, PATH.to_owned(), Some(of_mine.clone())),
            ] {
                let answer = ask_as(&app, key, method, &path, body.as_ref()).await;
                assert_refusal(&answer, "404 nao_encontrado");
            }
            for path in [PATH.to_owned(), format!("{PATH}?emitente_id={emitter}")] {
                let answer = ask_as(&app, key, Method::GET, &path, None).await;
                assert_eq!(answer.body["itens"], json!([]), "{}", answer.text);
            }
        }
        assert_eq!(app.get(&format!("{PATH}/{id}")).await.header("etag"), "\"1\"");
        // A company that never issued goes, and its list with it.
        let gone = ask(&app, Method::DELETE, &format!("/api/v1/emitters/{emitter}"), None).await;
        assert!(gone.status < 300, "{}", gone.text);
        assert_refusal(&app.get(&format!("{PATH}/{id}")).await, "404 nao_encontrado");
    }
}
