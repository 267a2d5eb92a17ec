use page::reply::plain::{plain, wrong};

#[test]
fn what_programs_are_told_is_said_to_people() {
    for (theirs, ours) in [
        (
            "Use um valor em reais, com ponto: 1234.56.",
            "Use um valor em reais, com vírgula: 1234,56.",
        ),
        (
            "esperado número ou texto decimal, com ponto",
            "Não é um número.",
        ),
        (
            "Escreva o número com ponto decimal, sem R$ e sem separador de milhar, como 1500.00.",
            "Escreva como 1500,00.",
        ),
        (
            "Valor desconhecido: `IX`, aceitos: `I`, `II`",
            "Não é um dos valores possíveis.",
        ),
        (
            "Confira o código, ou busque pelo texto com q.",
            "Confira o código, ou procure por palavras.",
        ),
        ("O valor mínimo é 10.00.", "O valor mínimo é 10,00."),
    ] {
        assert_eq!(wrong(theirs).as_deref(), Some(ours));
    }
    let file = "Envie o arquivo em base64, ou os bytes com o Content-Type do arquivo.";
    assert_eq!((plain(file), wrong(file)), (None, None));
}

#[test]
fn elements_of_layouts_are_called_as_people_call_them() {
    for (theirs, ours) in [
        (
            "xBairro deve ter de 2 a 60 caracteres; veio com 1.",
            "O bairro deve ter de 2 a 60 caracteres; veio com 1.",
        ),
        (
            "Informe xLgr com 2 a 60 caracteres. nro está vazio.",
            "Informe o logradouro com 2 a 60 caracteres. O número está vazio.",
        ),
        ("O xNome está vazio.", "O nome está vazio."),
        ("Reduza xProd.", "Reduza a descrição."),
        (
            "O bairro, xBairroNovo e vNF.",
            "O bairro, xBairroNovo e vNF.",
        ),
    ] {
        assert_eq!(plain(theirs).as_deref(), Some(ours));
    }
}
