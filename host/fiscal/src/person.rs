//! People and companies outside of any one note: what a registry of them
//! checks, so that a note made of it passes the rules of notes.

use crate::nfe::ie::{self, Ie};
use crate::nfe::order::Endereco;
use markup::field::Fields;
use markup::ids::{CpfCnpj, IbgeMunicipality, Takes};
use markup::layout::normalize_text;

/// Characters of a name (`xNome` of the DPS; the NF-e takes 60 of them).
const NAME: usize = 300;
/// Characters of an e-mail (`email` of the DPS).
const EMAIL: usize = 80;
/// Digits of the longest telephone (`fone` of the NF-e).
const PHONE: usize = 14;

/// A CPF or CNPJ with right check digits.
pub fn documento(fields: &mut Fields, place: &str, text: &str) -> Option<CpfCnpj> {
    let read = CpfCnpj::parse(text).ok();
    if read.is_none() {
        fields.add_number(place, Takes::CpfCnpj, text);
    }
    read
}

/// A name as the layouts take it; empty where it is none.
pub fn name(fields: &mut Fields, place: &str, name: &str) -> String {
    let name = normalize_text(name).trim().to_owned();
    if name.is_empty() || name.chars().count() > NAME {
        fields.add(
            place,
            "tamanho_invalido",
            format!("O nome tem de 1 a {NAME} caracteres (na NF-e, até 60)."),
            "Informe o nome ou a razão social.",
        );
    }
    name
}

/// A short text without control characters, trimmed.
pub fn text(fields: &mut Fields, place: &str, text: &str, max: usize) -> String {
    let text = text.trim();
    if text.chars().count() > max || text.chars().any(char::is_control) {
        fields.add(
            place,
            "tamanho_invalido",
            format!("O texto tem até {max} caracteres visíveis."),
            "Ajuste o texto.",
        );
    }
    text.to_owned()
}

/// A state registration: of one of these states, where any is known. Comes
/// without punctuation; `ISENTO` stands for none.
pub fn registration(fields: &mut Fields, place: &str, text: &str, ufs: &[&str]) -> String {
    if ufs.is_empty() {
        let number = ie::normalize(text);
        let form = matches!(number.as_str(), "ISENTO" | "ISENTA")
            || (2..=14).contains(&number.len())
                && number
                    .strip_prefix('P')
                    .unwrap_or(&number)
                    .bytes()
                    .all(|b| b.is_ascii_digit());
        if form {
            return number.replace("ISENTA", "ISENTO");
        }
    }
    for uf in ufs {
        match ie::le(uf, text) {
            Some(Ie::Number(number)) => return number,
            Some(Ie::Exempt) => return "ISENTO".to_owned(),
            None => {}
        }
    }
    fields.add(
        place,
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
pub fn email(fields: &mut Fields, place: &str, text: &str) -> String {
    let text = text.trim();
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let valid = text.len() <= EMAIL
        && text.split_once('@').is_some_and(|(user, domain)| {
            (1..=64).contains(&user.len())
                && user
                    .bytes()
                    .all(|b| b.is_ascii_graphic() && !br#"@"(),:;<>[\]"#.contains(&b))
                && !user.starts_with('.')
                && !user.ends_with('.')
                && !user.contains("..")
                && domain.contains('.')
                && domain.split('.').all(label)
        });
    if !valid {
        fields.add(
            place,
            "email_invalido",
            "E-mail inválido.",
            format!("Informe um e-mail de até {EMAIL} caracteres (na NF-e, até 60)."),
        );
    }
    text.to_owned()
}

/// What a telephone's number says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    Mobile,
    Fixed,
    /// 0800 and the like, and numbers abroad.
    Other,
}

/// A telephone: DDD and number, 0800 and the like, or `+` and a number abroad.
/// Comes as digits, without Brazil's 55.
pub fn telefone(fields: &mut Fields, place: &str, text: &str) -> Option<(String, Line)> {
    let read = number(text);
    if read.is_none() {
        fields.add(
            place,
            "telefone_invalido",
            "Telefone inválido.",
            "Informe DDD e número (10 ou 11 dígitos), 0800 e semelhantes, ou + e o número do exterior.",
        );
    }
    read
}

fn number(text: &str) -> Option<(String, Line)> {
    let text = text.trim();
    let punctuation = |c: char| matches!(c, ' ' | '(' | ')' | '-' | '.' | '/');
    let (international, rest) = match text.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if !rest.chars().all(|c| c.is_ascii_digit() || punctuation(c)) {
        return None;
    }
    let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
    let brazilian = match digits.strip_prefix("55") {
        Some(rest) if international || digits.len() >= 12 => Some(rest),
        _ if international => None,
        _ => Some(digits.as_str()),
    };
    let Some(brazilian) = brazilian else {
        let length = (8..=PHONE).contains(&digits.len()) && !digits.starts_with('0');
        return length.then_some((digits, Line::Other));
    };
    let positions = brazilian.as_bytes();
    let line = match positions {
        // 0300, 0500, 0800, 0900 (Anatel's non-geographic codes).
        [b'0', b'3' | b'5' | b'8' | b'9', b'0', b'0', ..] if matches!(brazilian.len(), 10 | 11) => {
            Line::Other
        }
        [b'1'..=b'9', b'1'..=b'9', b'9', ..] if brazilian.len() == 11 => Line::Mobile,
        [b'1'..=b'9', b'1'..=b'9', b'2'..=b'9', ..] if brazilian.len() == 10 => Line::Fixed,
        _ => return None,
    };
    Some((brazilian.to_owned(), line))
}

/// An address in Brazil that both product and service notes take: completed
/// (`uf` and `cidade` by the municipality) and checked.
pub fn address(fields: &mut Fields, place: &str, address: &mut Endereco) {
    for (name, text, max) in [
        ("logradouro", &mut address.logradouro, 255),
        ("numero", &mut address.numero, 60),
        ("bairro", &mut address.bairro, 60),
        ("complemento", &mut address.complemento, 156),
        ("cidade", &mut address.cidade, 60),
    ] {
        *text = text
            .as_deref()
            .map(|text| normalize_text(text).trim().to_owned())
            .filter(|text| !text.is_empty());
        match text {
            Some(text) if text.chars().count() > max => fields.add(
                format!("{place}.{name}"),
                "tamanho_invalido",
                format!("O texto tem até {max} caracteres."),
                "Ajuste o texto.",
            ),
            None if !matches!(name, "complemento" | "cidade") => fields.add(
                format!("{place}.{name}"),
                "obrigatorio",
                format!("Falta {name} no endereço."),
                if name == "numero" {
                    "Informe o número, ou \"S/N\"."
                } else {
                    "Complete o endereço."
                },
            ),
            _ => {}
        }
    }
    let cep = address.cep.as_deref().unwrap_or_default();
    address.cep = Some(self::cep(fields, &format!("{place}.cep"), cep));
    let codigo = address.codigo_ibge.as_deref().unwrap_or_default().trim();
    let Ok(read) = IbgeMunicipality::parse(codigo) else {
        no_municipality(fields, format!("{place}.codigo_ibge"), codigo);
        return;
    };
    address.codigo_ibge = Some(read.to_string());
    address.uf = address
        .uf
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase())
        .filter(|uf| !uf.is_empty())
        .or_else(|| read.uf_abbreviation().map(str::to_owned));
    municipality(fields, place, address);
    if address.cidade.is_none() {
        address.cidade = data::municipalities::get(read.code())
            .map(|municipality| normalize_text(municipality.name));
    }
}

/// A CEP, without punctuation.
pub fn cep(fields: &mut Fields, place: &str, text: &str) -> String {
    let digits = text.chars().filter(|c| !matches!(c, '-' | '.' | ' '));
    let cep: String = digits.collect();
    if cep.len() != 8 || !cep.bytes().all(|b| b.is_ascii_digit()) {
        fields.add(
            place,
            "cep_invalido",
            "O CEP deve ter 8 dígitos.",
            "Informe os 8 dígitos do CEP.",
        );
    }
    cep
}

/// Says what is wrong with a text that has not the form of a municipality's code.
pub fn no_municipality(fields: &mut Fields, place: String, codigo: &str) {
    let message = if codigo.is_empty() {
        "Falta o código IBGE do município."
    } else if codigo.bytes().all(|byte| byte.is_ascii_digit()) {
        "O código IBGE do município tem 7 dígitos, e os dois primeiros são os do estado."
    } else {
        "O município é dado pelo código IBGE, de 7 dígitos, e não pelo nome."
    };
    fields.add_value(
        place,
        "municipio_invalido",
        codigo,
        message,
        "Informe os 7 dígitos; GET /api/v1/geo/cidades acha o código pelo nome.",
    );
}

/// Does the municipality exist, in the state told? A code of the wrong shape
/// is told elsewhere.
pub fn municipality(fields: &mut Fields, place: &str, address: &Endereco) {
    let codigo = address.codigo_ibge.as_deref().unwrap_or_default().trim();
    let Ok(read) = IbgeMunicipality::parse(codigo) else {
        return;
    };
    if data::municipalities::get(read.code()).is_none() {
        fields.add_value(
            format!("{place}.codigo_ibge"),
            "municipio_inexistente",
            codigo,
            "Código de município inexistente na tabela do IBGE.",
            "Confira os 7 dígitos.",
        );
        return;
    }
    let uf = address
        .uf
        .as_deref()
        .map(|uf| uf.trim().to_ascii_uppercase());
    if let (Some(uf), Some(by_codigo)) = (uf, read.uf_abbreviation())
        && uf != by_codigo
        && uf != "EX"
    {
        if uf.chars().count() != 2 {
            fields.add_value(
                format!("{place}.uf"),
                "uf_invalida",
                &uf,
                "A UF é a sigla do estado, de duas letras.",
                format!("Escreva {by_codigo}."),
            );
            return;
        }
        fields.add_value(
            format!("{place}.uf"),
            "uf_divergente",
            &uf,
            format!("O município informado é de {by_codigo}, não de {uf}."),
            "Corrija uf ou codigo_ibge.",
        );
    }
}

/// A name as it is looked for: small letters, without accents, blanks once.
pub fn search(name: &str) -> String {
    let letters: String = name
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
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}
