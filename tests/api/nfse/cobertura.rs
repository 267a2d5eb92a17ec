//! GET /api/v1/nfse/cobertura

use crate::common::assert_refusal;
use tests::on_sqlite;

on_sqlite! {
    async fn cities_differ_and_each_answer_has_a_source(app: TestApp) {
        let mut ways = Vec::new();
        for (ibge, city, expected_answer, codigo) in [
            ("3550308", "São Paulo", "parcial", "parcial"),
            ("3106200", "Belo Horizonte", "sim", "sim"),
            ("4106902", "Curitiba", "sim", "sim"),
            ("4202404", "Blumenau", "parcial", "parcial"),
            ("5208707", "Goiânia", "parcial", "parcial"),
            ("3500550", "Águas de Santa Bárbara", "não", "nao"),
            ("2303709", "Caucaia", "não medido", "nao_medido"),
        ] {
            let answer = app.get(&format!("/api/v1/nfse/cobertura?codigo_ibge={ibge}")).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.text_at("/cidade"), city);
            assert_eq!((answer.text_at("/resposta"), answer.text_at("/resposta_codigo")), (expected_answer, codigo), "{}", answer.text);
            assert!(!answer.text_at("/evidencia/fonte").is_empty() && !answer.text_at("/evidencia/medido_em").is_empty());
            assert!(!answer.text_at("/caminho").is_empty(), "{}", answer.text);
            let caveats = answer.body["ressalvas"].as_array().expect("a list").len();
            assert!(expected_answer == "sim" || caveats > 0, "{}", answer.text);
            ways.push((answer.text_at("/via").to_owned(), answer.text_at("/provedor").to_owned()));
        }
        assert_eq!(ways[1].0, "nacional");
        assert_eq!(ways[0].0, "municipal");
        assert_eq!(ways[3].0, "gateway");
        assert_eq!(ways[6], (String::new(), String::new()), "nothing is known of Caucaia");
        ways.sort();
        ways.dedup();
        assert!(ways.len() >= 5, "{ways:?}");
        let goiania = app.get("/api/v1/nfse/cobertura?cidade=GOIANIA&uf=go").await;
        assert!(goiania.body["ressalvas"].to_string().contains("Cancelamento"), "{}", goiania.text);
    }
}

on_sqlite! {
    async fn a_city_is_found_by_name_or_said_to_be_several(app: TestApp) {
        let one = app.get("/api/v1/nfse/cobertura?cidade=curitiba").await;
        assert_eq!(one.text_at("/codigo_ibge"), "4106902", "{}", one.text);
        let several = app.get("/api/v1/nfse/cobertura?cidade=Bom%20Jesus").await;
        assert_refusal(&several, "400 parametro_invalido");
        assert!(several.body["municipios"].as_array().is_some_and(|all| all.len() > 1), "{}", several.text);
        for (query, summary) in [
            ("cidade=Atlantida", "404 nao_encontrado"),
            ("cidade=Curitiba&uf=SP", "404 nao_encontrado"),
            ("codigo_ibge=4106909", "404 nao_encontrado"),
            ("codigo_ibge=abcdefg", "400 parametro_invalido"),
            ("codigo_ibge=%2B410690", "400 parametro_invalido"),
            ("", "400 parametro_ausente"),
        ] {
            assert_refusal(&app.get(&format!("/api/v1/nfse/cobertura?{query}")).await, summary);
        }
    }
}
