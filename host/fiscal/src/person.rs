//! People and companies outside of any one note: what a registry of them
//! checks, so that a note made of it passes the rules of notes.

use crate::nfe::ie::{self, Ie};
use crate::nfe::order::Endereco;
use markup::field::Campos;
use markup::ids::{CpfCnpj, IbgeMunicipio};
use markup::layout::normalizar_texto;

/// Characters of a name (`xNome` of the DPS; the NF-e takes 60 of them).
const NOME: usize = 300;
/// Characters of an e-mail (`email` of the DPS).
const EMAIL: usize = 80;
/// Digits of the longest telephone (`fone` of the NF-e).
const FONE: usize = 14;

/// A CPF or CNPJ with right check digits.
pub fn documento(campos: &mut Campos, onde: &str, texto: &str) -> Option<CpfCnpj> {
    let lido = CpfCnpj::parse(texto).ok();
    if lido.is_none() {
        campos.add(
            onde,
            "cpf_cnpj_invalido",
            "CPF ou CNPJ inválido: o dígito verificador não confere.",
            "Confira o número; o CNPJ pode ter letras nas 12 primeiras posições.",
        );
    }
    lido
}

/// A name as the layouts take it; empty where it is none.
pub fn nome(campos: &mut Campos, onde: &str, nome: &str) -> String {
    let nome = normalizar_texto(nome).trim().to_owned();
    if nome.is_empty() || nome.chars().count() > NOME {
        campos.add(
            onde,
            "tamanho_invalido",
            format!("O nome tem de 1 a {NOME} caracteres (na NF-e, até 60)."),
            "Informe o nome ou a razão social.",
        );
    }
    nome
}

/// A short text without control characters, trimmed.
pub fn texto(campos: &mut Campos, onde: &str, texto: &str, max: usize) -> String {
    let texto = texto.trim();
    if texto.chars().count() > max || texto.chars().any(char::is_control) {
        campos.add(
            onde,
            "tamanho_invalido",
            format!("O texto tem até {max} caracteres visíveis."),
            "Ajuste o texto.",
        );
    }
    texto.to_owned()
}

/// A state registration: of one of these states, where any is known. Comes
/// without punctuation; `ISENTO` stands for none.
pub fn inscricao(campos: &mut Campos, onde: &str, texto: &str, ufs: &[&str]) -> String {
    if ufs.is_empty() {
        let numero = ie::normaliza(texto);
        let forma = matches!(numero.as_str(), "ISENTO" | "ISENTA")
            || (2..=14).contains(&numero.len())
                && numero
                    .strip_prefix('P')
                    .unwrap_or(&numero)
                    .bytes()
                    .all(|b| b.is_ascii_digit());
        if forma {
            return numero.replace("ISENTA", "ISENTO");
        }
    }
    for uf in ufs {
        match ie::le(uf, texto) {
            Some(Ie::Numero(numero)) => return numero,
            Some(Ie::Isento) => return "ISENTO".to_owned(),
            None => {}
        }
    }
    campos.add(
        onde,
        "ie_invalida",
        match ufs {
            [] => "Inscrição estadual inválida.".to_owned(),
            ufs => format!("Inscrição estadual inválida para {}.", ufs.join(", ")),
        },
        "Confira o número, ou informe \"ISENTO\".",
    );
    String::new()
}

/// An e-mail by its form: one `@`, a domain with a dot.
pub fn email(campos: &mut Campos, onde: &str, texto: &str) -> String {
    let texto = texto.trim();
    let rotulo = |rotulo: &str| {
        !rotulo.is_empty()
            && !rotulo.starts_with('-')
            && !rotulo.ends_with('-')
            && rotulo
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let valido = texto.len() <= EMAIL
        && texto.split_once('@').is_some_and(|(usuario, dominio)| {
            (1..=64).contains(&usuario.len())
                && usuario
                    .bytes()
                    .all(|b| b.is_ascii_graphic() && !br#"@"(),:;<>[\]"#.contains(&b))
                && !usuario.starts_with('.')
                && !usuario.ends_with('.')
                && !usuario.contains("..")
                && dominio.contains('.')
                && dominio.split('.').all(rotulo)
        });
    if !valido {
        campos.add(
            onde,
            "email_invalido",
            "E-mail inválido.",
            format!("Informe um e-mail de até {EMAIL} caracteres (na NF-e, até 60)."),
        );
    }
    texto.to_owned()
}

/// What a telephone's number says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linha {
    Celular,
    Fixo,
    /// 0800 and the like, and numbers abroad.
    Outra,
}

/// A telephone: DDD and number, 0800 and the like, or `+` and a number abroad.
/// Comes as digits, without Brazil's 55.
pub fn telefone(campos: &mut Campos, onde: &str, texto: &str) -> Option<(String, Linha)> {
    let lido = numero(texto);
    if lido.is_none() {
        campos.add(
            onde,
            "telefone_invalido",
            "Telefone inválido.",
            "Informe DDD e número (10 ou 11 dígitos), 0800 e semelhantes, ou + e o número do exterior.",
        );
    }
    lido
}

fn numero(texto: &str) -> Option<(String, Linha)> {
    let texto = texto.trim();
    let pontuado = |c: char| matches!(c, ' ' | '(' | ')' | '-' | '.' | '/');
    let (internacional, resto) = match texto.strip_prefix('+') {
        Some(resto) => (true, resto),
        None => (false, texto),
    };
    if !resto.chars().all(|c| c.is_ascii_digit() || pontuado(c)) {
        return None;
    }
    let digitos: String = resto.chars().filter(char::is_ascii_digit).collect();
    let brasil = match digitos.strip_prefix("55") {
        Some(resto) if internacional || digitos.len() >= 12 => Some(resto),
        _ if internacional => None,
        _ => Some(digitos.as_str()),
    };
    let Some(brasil) = brasil else {
        let tamanho = (8..=FONE).contains(&digitos.len()) && !digitos.starts_with('0');
        return tamanho.then_some((digitos, Linha::Outra));
    };
    let posicoes = brasil.as_bytes();
    let linha = match posicoes {
        // 0300, 0500, 0800, 0900 (Anatel's non-geographic codes).
        [b'0', b'3' | b'5' | b'8' | b'9', b'0', b'0', ..] if matches!(brasil.len(), 10 | 11) => {
            Linha::Outra
        }
        [b'1'..=b'9', b'1'..=b'9', b'9', ..] if brasil.len() == 11 => Linha::Celular,
        [b'1'..=b'9', b'1'..=b'9', b'2'..=b'9', ..] if brasil.len() == 10 => Linha::Fixo,
        _ => return None,
    };
    Some((brasil.to_owned(), linha))
}

/// An address in Brazil that both product and service notes take: completed
/// (`uf` and `cidade` by the municipality) and checked.
pub fn endereco(campos: &mut Campos, onde: &str, endereco: &mut Endereco) {
    for (nome, texto, max) in [
        ("logradouro", &mut endereco.logradouro, 255),
        ("numero", &mut endereco.numero, 60),
        ("bairro", &mut endereco.bairro, 60),
        ("complemento", &mut endereco.complemento, 156),
        ("cidade", &mut endereco.cidade, 60),
    ] {
        *texto = texto
            .as_deref()
            .map(|texto| normalizar_texto(texto).trim().to_owned())
            .filter(|texto| !texto.is_empty());
        match texto {
            Some(texto) if texto.chars().count() > max => campos.add(
                format!("{onde}.{nome}"),
                "tamanho_invalido",
                format!("O texto tem até {max} caracteres."),
                "Ajuste o texto.",
            ),
            None if !matches!(nome, "complemento" | "cidade") => campos.add(
                format!("{onde}.{nome}"),
                "obrigatorio",
                format!("Falta {nome} no endereço."),
                if nome == "numero" {
                    "Informe o número, ou \"S/N\"."
                } else {
                    "Complete o endereço."
                },
            ),
            _ => {}
        }
    }
    let cep: String = endereco
        .cep
        .as_deref()
        .unwrap_or_default()
        .chars()
        .filter(|c| !matches!(c, '-' | '.' | ' '))
        .collect();
    if cep.len() != 8 || !cep.bytes().all(|b| b.is_ascii_digit()) {
        campos.add(
            format!("{onde}.cep"),
            "cep_invalido",
            "O CEP deve ter 8 dígitos.",
            "Informe os 8 dígitos do CEP.",
        );
    }
    endereco.cep = Some(cep);
    let codigo = endereco.codigo_ibge.as_deref().unwrap_or_default().trim();
    let Ok(lido) = IbgeMunicipio::parse(codigo) else {
        campos.add_value(
            format!("{onde}.codigo_ibge"),
            "municipio_invalido",
            codigo,
            "Código IBGE do município ausente ou inválido.",
            "Informe os 7 dígitos.",
        );
        return;
    };
    endereco.codigo_ibge = Some(lido.to_string());
    endereco.uf = endereco
        .uf
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase())
        .filter(|uf| !uf.is_empty())
        .or_else(|| lido.sigla_uf().map(str::to_owned));
    municipio(campos, onde, endereco);
    if endereco.cidade.is_none() {
        endereco.cidade = data::municipalities::get(lido.code())
            .map(|municipio| normalizar_texto(municipio.nome));
    }
}

/// Does the municipality exist, in the state told? A code of the wrong shape
/// is told elsewhere.
pub fn municipio(campos: &mut Campos, onde: &str, endereco: &Endereco) {
    let codigo = endereco.codigo_ibge.as_deref().unwrap_or_default().trim();
    let Ok(lido) = IbgeMunicipio::parse(codigo) else {
        return;
    };
    if data::municipalities::get(lido.code()).is_none() {
        campos.add_value(
            format!("{onde}.codigo_ibge"),
            "municipio_inexistente",
            codigo,
            "Código de município inexistente na tabela do IBGE.",
            "Confira os 7 dígitos.",
        );
        return;
    }
    let uf = endereco
        .uf
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase());
    if let (Some(uf), Some(do_codigo)) = (uf, lido.sigla_uf())
        && uf != do_codigo
        && uf != "EX"
    {
        campos.add_value(
            format!("{onde}.uf"),
            "uf_divergente",
            &uf,
            format!("O município informado é de {do_codigo}, não de {uf}."),
            "Corrija uf ou codigo_ibge.",
        );
    }
}

/// A name as it is looked for: small letters, without accents, blanks once.
pub fn busca(nome: &str) -> String {
    let letras: String = nome
        .to_lowercase()
        .chars()
        .map(|c| match c {
            'à'..='å' => 'a',
            'ç' => 'c',
            'è'..='ë' => 'e',
            'ì'..='ï' => 'i',
            'ñ' => 'n',
            'ò'..='ö' | 'ø' => 'o',
            'ù'..='ü' => 'u',
            'ý' | 'ÿ' => 'y',
            c => c,
        })
        // Accents written apart.
        .filter(|c| !('\u{300}'..='\u{36f}').contains(c))
        .collect();
    letras.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(check: impl FnOnce(&mut Campos)) -> Vec<String> {
        let mut campos = Campos::default();
        check(&mut campos);
        campos.0.into_iter().map(|campo| campo.codigo).collect()
    }

    #[test]
    fn telephones_are_told_apart() {
        for (texto, esperado) in [
            ("(31) 99876-5432", Some(("31998765432", Linha::Celular))),
            ("+55 31 3333-4444", Some(("3133334444", Linha::Fixo))),
            ("5531998765432", Some(("31998765432", Linha::Celular))),
            ("0800 123 4567", Some(("08001234567", Linha::Outra))),
            ("+1 212 555 0100", Some(("12125550100", Linha::Outra))),
            ("3333-4444", None),
            ("31 88765-4321", None),
            ("01 99876-5432", None),
            ("(31) 9987a-5432", None),
            ("+55 123", None),
            ("+123456789012345", None),
            ("", None),
        ] {
            let lido = numero(texto);
            let lido = lido
                .as_ref()
                .map(|(digitos, linha)| (digitos.as_str(), *linha));
            assert_eq!(lido, esperado, "{texto}");
        }
    }

    #[test]
    fn emails_have_a_form() {
        for (texto, certo) in [
            ("a@b.co", true),
            ("nome.sobrenome+nota@empresa.com.br", true),
            ("a@b", false),
            ("a@@b.co", false),
            ("a b@c.co", false),
            ("a@-b.co", false),
            ("a..b@c.co", false),
            ("@c.co", false),
            ("a@c..co", false),
            ("a@c.co\r\nBcc: x", false),
        ] {
            assert_eq!(
                one(|campos| drop(email(campos, "email", texto))).is_empty(),
                certo,
                "{texto}"
            );
        }
    }

    #[test]
    fn a_registration_is_of_a_known_state() {
        let ok = |texto: &str, ufs: &[&str]| {
            one(|campos| drop(inscricao(campos, "ie", texto, ufs))).is_empty()
        };
        assert!(ok("062.307904-0081", &["MG"]));
        assert!(ok("0623079040081", &["SP", "MG"]));
        assert!(!ok("0623079040081", &["SP"]));
        assert!(!ok("0623079040082", &["MG"]));
        assert!(ok("isento", &["SP"]) && ok("Isenta", &[]));
        assert!(ok("123456789", &[]));
        assert!(!ok("12345678x", &[]) && !ok("", &[]) && !ok("123456789012345", &[]));
    }

    #[test]
    fn an_address_is_completed_and_checked() {
        let mut certo = Endereco {
            cep: Some("30140-071".to_owned()),
            logradouro: Some(" Rua da Bahia ".to_owned()),
            numero: Some("S/N".to_owned()),
            bairro: Some("Centro".to_owned()),
            codigo_ibge: Some("3106200".to_owned()),
            ..Endereco::default()
        };
        assert_eq!(one(|campos| endereco(campos, "e", &mut certo)), [""; 0]);
        assert_eq!(certo.uf.as_deref(), Some("MG"));
        assert_eq!(certo.cidade.as_deref(), Some("Belo Horizonte"));
        assert_eq!(certo.cep.as_deref(), Some("30140071"));
        assert_eq!(certo.logradouro.as_deref(), Some("Rua da Bahia"));
        let outra = Endereco {
            uf: Some("SP".to_owned()),
            ..certo.clone()
        };
        assert_eq!(
            one(|campos| endereco(campos, "e", &mut outra.clone())),
            ["uf_divergente"]
        );
        let vazio = one(|campos| endereco(campos, "e", &mut Endereco::default()));
        assert_eq!(
            vazio,
            [
                "obrigatorio",
                "obrigatorio",
                "obrigatorio",
                "cep_invalido",
                "municipio_invalido"
            ]
        );
    }

    #[test]
    fn names_are_found_without_accents() {
        assert_eq!(busca("  São  João & ÇIA Ltda "), "sao joao & cia ltda");
        assert_eq!(busca("Sa\u{303}o"), "sao");
        // Latin-1 has no other accents, and the layouts no other letters.
        assert_eq!(busca("ÀÉÎÕÜÑ"), "aeioun");
    }
}
