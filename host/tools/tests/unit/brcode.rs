use crate::{hostile, text};
use rust_decimal::Decimal;
use tools::brcode::{
    Charge, KeyError, MAX_CITY, MAX_NAME, PixKey, Problem, crc16, fit, fold, read,
};

fn key(text: &str) -> PixKey {
    PixKey::parse(text).expect(text)
}

#[test]
fn worked_examples_of_checksums() {
    for [given, out] in judges::examples("brcode_crc").into_iter().flatten() {
        let payload = text(&given, "payload_sem_crc");
        let crc = format!("{:04X}", crc16(payload));
        assert_eq!(crc, text(&out, "crc16"), "{payload}");
        let code = read(&format!("{payload}{crc}"));
        assert!(code.crc_fits, "{:?}", code.problems);
        assert!(code.key.is_some() || code.url.is_some());
    }
}

/// Two examples are not within the limits of the manual: their layout is compared,
/// and what is refused.
#[test]
fn worked_examples_of_codes() {
    for [given, out] in judges::examples("brcode_gerar").into_iter().flatten() {
        let key = key(text(&given, "chave"));
        let charge = Charge {
            key: &key,
            name: text(&given, "nome"),
            city: text(&given, "cidade"),
            amount: text(&given, "valor").parse().ok(),
            txid: given["txid"].as_str(),
            description: given["descricao"].as_str(),
            once: false,
        };
        let expected = text(&out, "brcode");
        assert_eq!(charge.layout().as_deref(), Ok(expected));
        let refused = match text(&given, "cidade") {
            "Presidente Prudente" => vec![
                Problem::Length {
                    field: "60",
                    max: MAX_CITY,
                    found: 19,
                },
                Problem::Txid,
            ],
            _ => Vec::new(),
        };
        let code = read(expected);
        assert!(code.crc_fits);
        assert_eq!(code.problems, refused);
        assert_eq!(code.key.as_deref(), given["chave"].as_str());
        assert_eq!(code.name.as_deref(), given["nome"].as_str());
        assert_eq!(code.amount, charge.amount);
        match charge.encode() {
            Ok(encoded) => assert_eq!(encoded, expected),
            Err(problems) => assert_eq!(problems, refused),
        }
        assert_eq!(charge.encode().is_ok(), refused.is_empty());
    }
}

#[test]
fn the_check_value_of_the_checksum() {
    assert_eq!(crc16("123456789"), 0x29B1);
    assert_eq!(crc16(""), 0xFFFF);
}

fn charge(key: &PixKey) -> Charge<'_> {
    Charge {
        key,
        name: "Padaria São José",
        city: "São Luís",
        amount: Some(Decimal::new(1050, 2)),
        txid: Some("PED0001"),
        description: Some("Pão — 2 dúzias"),
        once: true,
    }
}

#[test]
fn what_is_encoded_is_read() {
    for text in [
        "52998224725",
        "11222333000181",
        "12ABC34501DE35",
        "padaria@exemplo.com.br",
        "+5511987654321",
        "123e4567-e89b-42d3-a456-426655440000",
    ] {
        let key = key(text);
        let code = charge(&key).encode().expect("a code");
        assert!(code.is_ascii());
        let found = read(&format!("  {code}\n"));
        assert_eq!(found.problems, [], "{code}");
        assert!(found.crc_fits && found.once);
        assert_eq!(found.key.as_deref(), Some(text));
        assert_eq!(found.name.as_deref(), Some("Padaria Sao Jose"));
        assert_eq!(found.city.as_deref(), Some("Sao Luis"));
        assert_eq!(found.amount, Some(Decimal::new(1050, 2)));
        assert_eq!(found.txid.as_deref(), Some("PED0001"));
        assert_eq!(found.description.as_deref(), Some("Pao - 2 duzias"));
        let account = found.fields.iter().find(|field| field.id == "26");
        assert_eq!(
            account.expect("an account").fields[0].value,
            "br.gov.bcb.pix"
        );
    }
}

#[test]
fn without_amount_and_identifier() {
    let key = key("52998224725");
    let plain = Charge {
        amount: None,
        txid: None,
        description: None,
        once: false,
        ..charge(&key)
    };
    let code = plain.encode().expect("a code");
    assert!(code.contains("62070503***6304"), "{code}");
    let found = read(&code);
    assert_eq!(found.problems, []);
    assert_eq!((found.amount, found.txid, found.once), (None, None, false));
}

#[test]
fn limits_are_told_together() {
    let key = key("52998224725");
    let long = "x".repeat(120);
    let refused = Charge {
        name: "Ω",
        city: "São José dos Campos",
        amount: Some(Decimal::new(10_005, 3)),
        txid: Some("a-b"),
        description: Some(&long),
        ..charge(&key)
    };
    let length = |field, max, found| Problem::Length { field, max, found };
    assert_eq!(
        refused.encode(),
        Err(vec![
            length("59", MAX_NAME, 0),
            length("60", MAX_CITY, 19),
            Problem::Txid,
            Problem::Amount,
            length("26-02", 99, 120),
        ])
    );
    let amounts = [
        (Decimal::ZERO, vec![Problem::Amount]),
        (Decimal::NEGATIVE_ONE, vec![Problem::Amount]),
        (Decimal::from(9_999_999_999_u64), vec![]),
        (
            Decimal::from(99_999_999_999_u64),
            vec![length("54", 13, 14)],
        ),
    ];
    for (amount, problems) in amounts {
        let charge = Charge {
            amount: Some(amount),
            ..charge(&key)
        };
        assert_eq!(charge.encode().err().unwrap_or_default(), problems);
    }
    // The key counts with the description: 4 + 14 + 4 + 11 + 4 of 99 are taken.
    for (length, fits) in [(62, true), (63, false)] {
        let description = "x".repeat(length);
        let charge = Charge {
            description: Some(&description),
            ..charge(&key)
        };
        assert_eq!(charge.encode().is_ok(), fits);
    }
}

/// Every change of one character is noticed.
#[test]
fn a_changed_character_is_noticed() {
    let key = key("+5511987654321");
    let code = charge(&key).encode().expect("a code");
    for place in 0..code.len() {
        let mut changed = code.clone().into_bytes();
        changed[place] ^= 1;
        let changed = String::from_utf8(changed).expect("ASCII");
        let found = read(&changed);
        assert!(!found.crc_fits && !found.problems.is_empty(), "{changed}");
        let cut = read(&code[..place]);
        assert!(!cut.crc_fits && !cut.problems.is_empty());
    }
}

#[test]
fn a_wrong_checksum_tells_both() {
    let key = key("52998224725");
    let code = charge(&key).encode().expect("a code");
    let (body, crc) = code.split_at(code.len() - 4);
    let wrong = read(&format!("{body}CAFE"));
    let expected = crc.to_owned();
    let found = "CAFE".to_owned();
    assert_eq!(wrong.problems, [Problem::Crc { expected, found }]);
    assert_eq!(wrong.txid.as_deref(), Some("PED0001"));
    assert!(read(&format!("{body}{}", crc.to_lowercase())).crc_fits);
    let behind = read(&format!("{code}0102ab"));
    assert!(behind.problems.contains(&Problem::CrcNotLast));
}

#[test]
fn problems_of_codes_of_others() {
    let with_crc = |fields: &str| {
        let fields = format!("{fields}6304");
        format!("{fields}{:04X}", crc16(&fields))
    };
    let account = "26330014br.gov.bcb.pix011152998224725";
    let rest = "5204000053039865802BR5901A6001B62070503***";
    assert_eq!(
        read(&with_crc(&format!("000201{account}{rest}"))).problems,
        []
    );
    for (fields, problem) in [
        (format!("{account}{rest}"), Problem::Missing("00")),
        (format!("000201{rest}"), Problem::NotPix),
        (
            format!("00020126180014br.gov.bcb.pix{rest}"),
            Problem::NoKey,
        ),
        (
            format!("00020126330014br.gov.bcb.pix011152998224724{rest}"),
            Problem::Key(KeyError::CheckDigits),
        ),
        (
            format!("000201{account}2704abcd{rest}"),
            Problem::Template("27".to_owned()),
        ),
        (
            format!("000201{account}{rest}5901A"),
            Problem::Repeated("59".to_owned()),
        ),
        (format!("000201{account}5403A10{rest}"), Problem::Amount),
        (
            format!("000201{account}{}", rest.replace("986", "840")),
            Problem::Value {
                field: "53",
                expected: "986",
            },
        ),
        (
            format!("000201{account}{}", rest.replace("5901A", "5901Ã")),
            Problem::NotAscii,
        ),
        (
            format!("000201{account}{}", rest.replace("5901A", "")),
            Problem::Missing("59"),
        ),
        (
            format!("000201{account}{}", rest.replace("62070503***", "")),
            Problem::Missing("62-05"),
        ),
    ] {
        let code = read(&with_crc(&fields));
        assert_eq!(code.problems, [problem], "{fields}");
        assert!(code.crc_fits);
    }
    assert_eq!(read("000201xx").problems[0], Problem::Malformed(6));
    assert_eq!(read(&"0".repeat(600)).problems, [Problem::TooLong(600)]);
}

#[test]
fn keys_are_told_apart() {
    for (written, kind, normal) in [
        ("529.982.247-25", "cpf", "52998224725"),
        ("11.222.333/0001-81", "cnpj", "11222333000181"),
        ("12.abc.345/01de-35", "cnpj", "12ABC34501DE35"),
        (" Fulano@Exemplo.COM.br ", "email", "fulano@exemplo.com.br"),
        ("+55 (11) 98765-4321", "telefone", "+5511987654321"),
        ("+14155550132", "telefone", "+14155550132"),
        (
            "123E4567-E12B-12D1-A456-426655440000",
            "aleatoria",
            "123e4567-e12b-12d1-a456-426655440000",
        ),
    ] {
        let key = key(written);
        assert_eq!((key.kind(), key.as_str()), (kind, normal));
        assert_eq!(format!("{key:?}"), format!("PixKey({kind})"));
        assert_eq!(PixKey::parse(key.as_str()).as_ref(), Ok(&key));
    }
    for (wrong, error) in [
        ("", KeyError::Form),
        ("11987654321", KeyError::CheckDigits),
        ("11222333000182", KeyError::CheckDigits),
        ("00000000000", KeyError::CheckDigits),
        ("123456789", KeyError::Form),
        ("123e4567e12b12d1a456426655440000", KeyError::Form),
        ("a@b", KeyError::Email),
        ("a..b@exemplo.com", KeyError::Email),
        ("a@-exemplo.com", KeyError::Email),
        ("a@b@exemplo.com", KeyError::Email),
        ("+55 11 1234", KeyError::Phone),
        ("+5511887654321", KeyError::Phone),
    ] {
        assert_eq!(PixKey::parse(wrong), Err(error), "{wrong}");
    }
    let long = format!("{}@exemplo.com", "a".repeat(66));
    assert_eq!(PixKey::parse(&long), Err(KeyError::Email));
}

#[test]
fn names_become_ascii() {
    for (name, plain) in [
        ("São João da Boa Vista", "Sao Joao da Boa Vista"),
        ("AÇOUGUE ÁGUA-VIVA", "ACOUGUE AGUA-VIVA"),
        ("Sa\u{303}o\u{a0}Jose\u{301}", "Sao Jose"),
        ("  Łódź \t & Straße\n", "Lodz & Strasse"),
        ("Œuvre “Æ” – nº 1", "OEuvre \"AE\" - no 1"),
        ("東京", ""),
    ] {
        assert_eq!(fold(name), plain);
    }
    assert_eq!(fit("São Miguel do Oeste", MAX_CITY), "Sao Miguel do O");
    assert_eq!(fit("São José do Rio Preto", 9), "Sao Jose");
    assert_eq!(fit("Curitiba", MAX_CITY), "Curitiba");
}

#[test]
fn hostile_texts_are_answered() {
    let key = key("52998224725");
    for text in hostile() {
        let _code = read(&text);
        let _key = PixKey::parse(&text);
        assert!(fold(&text).is_ascii());
        let charge = Charge {
            name: &text,
            city: &text,
            txid: Some(&text),
            description: Some(&text),
            ..charge(&key)
        };
        if let Ok(code) = charge.encode() {
            assert_eq!(read(&code).problems, []);
        }
    }
}
