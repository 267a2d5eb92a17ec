use api::request::sentences::pt_br;

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
        ("esperado um de: saida (1)", "esperado um de: saida (1)"),
    ] {
        assert_eq!(pt_br(theirs), ours);
    }
}
