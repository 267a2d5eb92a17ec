use page::reply::plain::{plain, wrong};
use page::reply::words::told;

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
fn notices_about_a_note_name_no_members() {
    for (theirs, ours) in [
        (
            "Alíquota interestadual da tabela: 12%. Informe aliquota se a do produto for outra.",
            "Alíquota interestadual da tabela: 12%. Confira com o seu contador se vale para o produto.",
        ),
        (
            "Alíquota modal interna de PR, da tabela: 19.50%. Informe aliquota_interna se a do produto for outra.",
            "Alíquota modal interna de PR, da tabela: 19,50%. Confira com o seu contador se vale para o produto.",
        ),
        (
            "Quem está no exterior não tem inscrição estadual: o campo foi ignorado.",
            "Quem está no exterior não tem inscrição estadual: o que foi preenchido ficou fora da nota.",
        ),
        (
            "O regime do emitente ainda não informa IBS e CBS nesta data: o grupo ficou fora da nota.",
            "O regime do emitente ainda não informa IBS e CBS nesta data: ficaram fora da nota.",
        ),
        (
            "O nome passa de 60 caracteres, o limite do leiaute: a nota leva \"Loja\".",
            "O nome passa de 60 caracteres: a nota leva “Loja”.",
        ),
    ] {
        assert_eq!(plain(theirs).as_deref(), Some(ours));
    }
    let quoted = "O valor \"x\" não serve para \"y\".";
    assert_eq!(plain(quoted), None);
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

#[test]
fn calculations_ask_for_nothing_that_no_form_has() {
    for (theirs, ours) in [
        (
            "A alíquota interna é a modal do estado: informe aliquota_icms se a do produto é outra.",
            "A alíquota interna é a modal do estado. Confira com o seu contador.",
        ),
        (
            "MG cobra o fundo de uma lista de produtos que não está carregada. Informe fcp: 0 se o produto não está nela.",
            "MG cobra o fundo de uma lista de produtos que não está carregada. Confira com o seu contador.",
        ),
        (
            "A TIPI carregada, de 1, não tem o NCM 09012100. Informe aliquota_ipi.",
            "A TIPI carregada, de 1, não tem o NCM 09012100. Confira com o seu contador.",
        ),
    ] {
        assert_eq!(told(theirs), ours);
    }
}
