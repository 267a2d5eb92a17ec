use base::errors::place::{Place, is_name, parameter};

fn item(name: &str) -> Place {
    Place::default().member("itens").item(0).member(name)
}

#[test]
fn a_place_is_names_and_positions() {
    assert_eq!(Place::default().shown(), "corpo");
    assert_eq!(item("quantidade").shown(), "itens[0].quantidade");
    assert!(
        ["cpf_cnpj", "_id", "@Id", "Idempotency-Key"]
            .map(is_name)
            .iter()
            .all(|it| *it)
    );
    assert!(
        !["", "?", "0", "a.b", "a b", "itens[0]", "endereço"]
            .map(is_name)
            .iter()
            .any(|it| *it)
    );
}

#[test]
fn a_name_that_cannot_be_in_a_place_stands_beside_its_group() {
    for name in ["?", "valor unitario", "a.b", "itens[0", "endereço"] {
        let refusal = item(name).member("x").item(3).unknown();
        let field = refusal.fields.first().expect("a field");
        assert_eq!(
            (field.campo.as_str(), field.valor.as_deref()),
            ("itens[0]", Some(name))
        );
        assert!(field.mensagem.contains(name), "{}", field.mensagem);
    }
    let refusal = Place::default().member(&"x".repeat(500)).unknown();
    let field = refusal.fields.first().expect("a field");
    assert_eq!(
        (field.campo.as_str(), field.valor.as_ref().map(String::len)),
        ("corpo", Some(80))
    );
}

#[test]
fn a_parameter_is_named_where_it_has_a_name() {
    let said = "Parâmetro desconhecido.";
    assert_eq!(
        parameter("limit", said),
        ("limit".to_owned(), said.to_owned())
    );
    let (place, message) = parameter("page[size]", said);
    assert_eq!(
        (place.as_str(), message.as_str()),
        ("consulta", "Parâmetro desconhecido (\"page[size]\").")
    );
}
