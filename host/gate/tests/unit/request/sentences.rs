use gate::request::sentences::pt_br;

#[test]
fn nothing_stays_in_english() {
    for (theirs, ours) in [
        (
            "invalid type: number, expected a string",
            "Tipo inválido: número, esperado texto",
        ),
        (
            "invalid type: null, expected a map",
            "Tipo inválido: nulo, esperado objeto",
        ),
        (
            "invalid type: sequence, expected struct Transporte",
            "Tipo inválido: lista, esperado objeto",
        ),
        (
            "invalid type: string \"a map, expected u8\", expected a boolean",
            "Tipo inválido: texto \"a map, expected u8\", esperado true ou false",
        ),
        (
            "invalid value: integer `256`, expected u8",
            "Valor inválido: número `256`, esperado número inteiro sem sinal, que caiba no campo",
        ),
        (
            "unknown variant `x`, expected `a` or `b`",
            "Valor desconhecido: `x`, aceitos: `a`, `b`",
        ),
        (
            "unknown variant `x`, expected one of `a`, `b`, `c`",
            "Valor desconhecido: `x`, aceitos: `a`, `b`, `c`",
        ),
        (
            "unknown variant `x` or `y, expected z`, expected `a` or `b`",
            "Valor desconhecido: `x` or `y, expected z`, aceitos: `a`, `b`",
        ),
        (
            "invalid type: string \"uma senha\", expected struct Certificado",
            "Tipo inválido: texto, esperado objeto",
        ),
        ("esperado um de: saida (1)", "esperado um de: saida (1)"),
    ] {
        assert_eq!(pt_br(theirs), ours);
    }
}

#[test]
fn a_long_value_leaves_room_for_what_is_accepted() {
    let said = pt_br(&format!(
        "unknown variant `{}`, expected `a` or `b`",
        "x".repeat(5_000)
    ));
    assert!(
        said.len() < 200 && said.ends_with("aceitos: `a`, `b`"),
        "{said}"
    );
}
