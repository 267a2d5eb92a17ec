//! What is said of a number that is no CPF or CNPJ.

use markup::ids::Takes;

#[test]
fn each_mistake_is_told_as_what_it_is() {
    for (takes, text, said, advised) in [
        (
            Takes::CpfCnpj,
            "",
            "O CPF ou CNPJ está vazio.",
            "retire o campo",
        ),
        (Takes::Cnpj, " - ", "O CNPJ está vazio.", "retire o campo"),
        (
            Takes::Cpf,
            "123",
            "O CPF tem 3 dígitos ou letras: um CPF tem 11 dígitos.",
            "Confira",
        ),
        (
            Takes::CpfCnpj,
            "1222333000181",
            "O CPF ou CNPJ tem 13 dígitos",
            "zero à esquerda",
        ),
        (
            Takes::CpfCnpj,
            "11222333000182",
            "o dígito verificador não confere",
            "Confira o número",
        ),
        (
            Takes::Cpf,
            "11144477734",
            "CPF inválido: o dígito verificador não confere.",
            "Confira",
        ),
        (
            Takes::Cpf,
            "11111111111",
            "todos os dígitos são iguais",
            "verdadeiro",
        ),
        (
            Takes::Cnpj,
            "1122/2333000181",
            "pontuação onde não pode haver",
            "00.000.000/0000-00",
        ),
        (
            Takes::Cpf,
            "1114447773A",
            "letra ou pontuação onde não pode haver",
            "só dígitos",
        ),
        (
            Takes::Cnpj,
            "11_222_333_0001_81",
            "um caractere que não faz parte dele",
            "Envie só os dígitos",
        ),
    ] {
        let mistake = takes.mistake(text);
        assert!(
            mistake.message.contains(said),
            "{text}: {}",
            mistake.message
        );
        assert!(mistake.hint.contains(advised), "{text}: {}", mistake.hint);
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        assert!(
            digits.len() < 4 || !mistake.message.contains(&digits),
            "{}",
            mistake.message
        );
    }
}
