//! Worked examples are public: the tax authority's note on the alphanumeric
//! CNPJ and the numbers every test suite uses.

mod chave;
mod mistake;

use markup::ids::{
    ChaveNfse, Cnpj, Cpf, CpfCnpj, IbgeMunicipality, IdError, MAX_NUMBER, MAX_SERIE, id_dps,
};

fn cnpj(text: &str) -> Result<String, IdError> {
    Cnpj::parse(text).map(|cnpj| cnpj.to_string())
}

#[test]
fn cnpj_worked_examples() {
    let examples = [
        "12ABC34501DE35",
        "SY99M4WL1G7A66",
        "4B7BJE7D000145",
        "RR3CC775000100",
        "92660CM5000138",
        "16727230000197",
        "34665388000161",
        "XXCL21E9000127",
        "MM6325X5000151",
    ];
    for example in examples {
        assert_eq!(cnpj(example).as_deref(), Ok(example));
    }
}

#[test]
fn cnpj_takes_its_mask_and_lower_case() {
    for text in [
        "12.ABC.345/01DE-35",
        "12abc34501de35",
        " 12.ABC.34501DE-35\n",
        "12ABC345/01DE35",
    ] {
        assert_eq!(cnpj(text).as_deref(), Ok("12ABC34501DE35"));
    }
    let cnpj = Cnpj::parse("12ABC34501DE35").unwrap();
    assert_eq!(cnpj.masked(), "12.ABC.345/01DE-35");
    assert_eq!(cnpj.root(), "12ABC345");
    assert!(cnpj.is_alphanumeric());
}

#[test]
fn cnpj_refuses() {
    assert_eq!(cnpj("12ABC34501DE99"), Err(IdError::CheckDigits));
    assert_eq!(cnpj("00000000000000"), Err(IdError::NotAssigned));
    let shapes = [
        "",
        "1672723000019",
        "167272300001970",
        "16727230000 197",
        "16-727.230/0001.97",
        "16..727230000197",
        "16727230000197-",
        "12ABC34501DEE5",
        "12ÁBC34501DE35",
        "１６７２７２３００００１９７",
    ];
    for text in shapes {
        assert_eq!(cnpj(text), Err(IdError::Shape), "{text}");
    }
}

#[test]
fn every_wrong_digit_of_a_cnpj_is_noticed() {
    let good = "16727230000197";
    for position in 0..good.len() {
        for digit in '0'..='9' {
            let mut text: Vec<char> = good.chars().collect();
            text[position] = digit;
            let text: String = text.into_iter().collect();
            assert_eq!(cnpj(&text).is_ok(), text == good, "{text}");
        }
    }
}

#[test]
fn cpf_worked_examples() {
    // 529982247-25, 123456789-09 and 987654321-00 are public test numbers.
    for text in [
        "52998224725",
        "12345678909",
        "98765432100",
        "529.982.247-25",
        "111.444.777-35",
    ] {
        assert!(Cpf::parse(text).is_ok(), "{text}");
    }
    assert_eq!(Cpf::parse("52998224724"), Err(IdError::CheckDigits));
    assert_eq!(Cpf::parse("11111111111"), Err(IdError::NotAssigned));
    assert_eq!(Cpf::parse("5299822472A"), Err(IdError::Shape));
    assert_eq!(Cpf::parse("052998224725"), Err(IdError::Shape));
    assert_eq!(
        Cpf::parse("52998224725").unwrap().masked(),
        "529.982.247-25"
    );
    assert_eq!(
        format!("{:?}", Cpf::parse("52998224725").unwrap()),
        "Cpf(***)"
    );
}

#[test]
fn either_is_told_by_its_length() {
    assert!(CpfCnpj::parse("529.982.247-25").unwrap().cpf().is_some());
    assert!(
        CpfCnpj::parse("12.ABC.345/01DE-35")
            .unwrap()
            .cnpj()
            .is_some()
    );
    assert_eq!(CpfCnpj::parse("52998224724"), Err(IdError::CheckDigits));
    assert_eq!(CpfCnpj::parse("16727230000198"), Err(IdError::CheckDigits));
    assert_eq!(CpfCnpj::parse("123"), Err(IdError::Shape));
}

#[test]
fn ids_are_strings_in_json() {
    let both: Vec<CpfCnpj> =
        serde_json::from_str(r#"["529.982.247-25","12abc34501de35"]"#).unwrap();
    assert_eq!(
        serde_json::to_string(&both).unwrap(),
        r#"["52998224725","12ABC34501DE35"]"#
    );
    let ibge: IbgeMunicipality = serde_json::from_str("\"3550308\"").unwrap();
    assert_eq!(serde_json::to_string(&ibge).unwrap(), "\"3550308\"");
    let error = serde_json::from_str::<Cpf>("\"52998224724\"")
        .unwrap_err()
        .to_string();
    assert!(!error.contains("52998224724"), "{error}");
}

#[test]
fn ibge_codes() {
    assert_eq!(
        IbgeMunicipality::parse("3550308").map(|m| (m.code(), m.uf())),
        Ok((3550308, 35))
    );
    assert_eq!(
        IbgeMunicipality::parse("5203939").map(IbgeMunicipality::code),
        Ok(5203939)
    );
    assert_eq!(
        IbgeMunicipality::parse("3550309"),
        Err(IdError::CheckDigits)
    );
    assert_eq!(
        IbgeMunicipality::parse("9900004"),
        Err(IdError::NotAssigned)
    );
    for text in ["355030", "35503080", "+355030", "355030A", "0000000"] {
        assert_eq!(IbgeMunicipality::parse(text), Err(IdError::Shape), "{text}");
    }
}

#[test]
fn every_municipality_has_a_valid_code() {
    let Some(table) = judges::shared("facts/municipios.csv") else {
        return;
    };
    let table = std::fs::read_to_string(table).expect("a text");
    let codes: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .collect();
    assert!(codes.len() > 5500, "{}", codes.len());
    for code in codes {
        assert_eq!(
            IbgeMunicipality::parse(code)
                .map(|m| m.to_string())
                .as_deref(),
            Ok(code)
        );
    }
}

#[test]
fn id_of_a_dps() {
    let ibge = IbgeMunicipality::parse("4106902").unwrap();
    let cnpj = CpfCnpj::parse("12ABC34501DE35").unwrap();
    let cpf = CpfCnpj::parse("52998224725").unwrap();
    let id = id_dps(ibge, &cnpj, 1, 1523).unwrap();
    assert_eq!(id, "DPS4106902212ABC34501DE3500001000000000001523");
    assert_eq!(id.len(), 45);
    assert_eq!(
        id_dps(ibge, &cpf, MAX_SERIE, MAX_NUMBER).as_deref(),
        Ok("DPS41069021000529982247254".to_owned() + "9999999999999999999").as_deref()
    );
    for (serie, number) in [(0, 1), (1, 0), (MAX_SERIE + 1, 1), (1, MAX_NUMBER + 1)] {
        assert_eq!(id_dps(ibge, &cpf, serie, number), Err(IdError::OutOfRange));
    }
}

#[test]
fn key_of_an_nfse() {
    let text = "41069022212ABC34501DE3500000000000152326101234567895";
    assert_eq!(ChaveNfse::parse(text), Err(IdError::Shape));
    let text = "41069022212ABC34501DE35000000000152326101234567895";
    for given in [text.to_owned(), format!("NFS{text}")] {
        let key = ChaveNfse::parse(&given).unwrap();
        assert_eq!(key.to_string(), text);
        assert_eq!(key.id(), format!("NFS{text}"));
        assert_eq!(
            key.municipality().map(IbgeMunicipality::code),
            Some(4106902)
        );
        assert_eq!(key.generating_ambiente(), '2');
        assert_eq!(
            key.emitter().map(|e| e.to_string()).as_deref(),
            Some("12ABC34501DE35")
        );
        assert_eq!(key.nota_number(), 1523);
        assert_eq!(key.year_month(), (2026, 10));
    }
    // Letters where the structure has digits.
    assert_eq!(
        ChaveNfse::parse(&text.replacen("4106902", "41069A2", 1)),
        Err(IdError::Shape)
    );
    assert_eq!(
        ChaveNfse::parse(&text.replacen("DE", "de", 1)),
        Err(IdError::Shape)
    );
    let person = "41069022100052998224725000000000152326101234567895";
    let key = ChaveNfse::parse(person).unwrap();
    assert_eq!(
        key.emitter().map(|e| e.to_string()).as_deref(),
        Some("52998224725")
    );
    assert!(!format!("{key:?}").contains("529982"));
}

#[test]
fn registrations_of_the_worked_examples() {
    let field =
        |row: &serde_json::Value, name: &str| row[name].as_str().expect("a text").to_owned();
    for [_, out] in judges::examples("cnpj_dv").into_iter().flatten() {
        let text = field(&out, "cnpj");
        assert_eq!(cnpj(&text), Ok(text.clone()));
        let (base, digits) = text.split_at(12);
        let other = format!(
            "{base}{:02}",
            (digits.parse::<u8>().expect("digits") + 1) % 100
        );
        assert!(cnpj(&other).is_err(), "{other}");
    }
    for [given, out] in judges::examples("cnpj_valido").into_iter().flatten() {
        assert_eq!(cnpj(&field(&given, "cnpj")).is_ok(), out["valido"] == true);
    }
    for [_, out] in judges::examples("cpf_dv").into_iter().flatten() {
        let text = field(&out, "cpf");
        assert_eq!(Cpf::parse(&text).map(|cpf| cpf.to_string()), Ok(text));
    }
}
