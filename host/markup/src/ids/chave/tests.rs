//! Access keys: published digits, every check, and the random code.

use super::*;

fn partes() -> Partes {
    Partes {
        uf: 35,
        ano: 2026,
        mes: 11,
        documento: "12ABC34501DE35".parse().expect("a CNPJ"),
        modelo: 55,
        serie: 1,
        numero: 1523,
        tp_emis: 1,
        c_nf: 48_151_623,
    }
}

#[test]
fn worked_examples() {
    let Some(exemplos) = judges::examples("chave_dv") else {
        return;
    };
    assert!(exemplos.len() >= 4);
    for [entra, sai] in exemplos {
        let base = entra["chave_sem_dv"].as_str().expect("a key");
        assert_eq!(digito(base.as_bytes()).to_string(), sai["dv"], "{base}");
    }
}

#[test]
fn the_manual_s_example() {
    let base = "5206043300991100250655012000000780026730161";
    assert_eq!(digito(base.as_bytes()), 5);
    let chave = Chave::parse(&format!("{base}5")).expect("a key");
    assert_eq!(chave.sigla_uf(), "GO");
    assert_eq!((chave.ano(), chave.mes()), (2006, 4));
    assert_eq!(
        (chave.modelo(), chave.serie(), chave.numero()),
        (55, 12, 780)
    );
}

#[test]
fn the_digit_completes_the_sum() {
    let mut zeros = 0;
    for c_nf in 20_000_000..20_002_000 {
        let chave = Partes { c_nf, ..partes() }.chave().expect("a key");
        // Written out apart from the code under test.
        let soma: u32 = chave
            .as_str()
            .bytes()
            .take(43)
            .enumerate()
            .fold(0, |soma, (i, byte)| {
                let peso = u32::try_from((42 - i) % 8).expect("small") + 2;
                soma + (u32::from(byte) - 48) * peso
            });
        let dv = u32::from(chave.dv());
        let sem_digito = soma % 11 == 1;
        assert!(
            (soma + dv).is_multiple_of(11) || (sem_digito && dv == 0),
            "{chave}"
        );
        zeros += u32::from(sem_digito);
    }
    assert!(zeros > 100, "the rest that has no digit came up");
}

#[test]
fn parts_come_back() {
    for documento in ["12ABC34501DE35", "11222333000181", "52998224725"] {
        for (uf, modelo, serie) in [(35, 55, 1), (11, 65, 999), (53, 55, 920)] {
            let partes = Partes {
                uf,
                modelo,
                serie,
                documento: documento.parse().expect("a registration"),
                ..partes()
            };
            let chave = partes.chave().expect("a key");
            let volta = Partes {
                uf: chave.uf(),
                ano: chave.ano(),
                mes: chave.mes(),
                documento: chave.emitente().expect("an issuer"),
                modelo: chave.modelo(),
                serie: chave.serie(),
                numero: chave.numero(),
                tp_emis: chave.tp_emis(),
                c_nf: chave.c_nf(),
            };
            assert_eq!(volta, partes);
            assert_eq!(Chave::parse(chave.as_str()), Ok(chave));
            assert_eq!(Chave::parse(&chave.id()), Ok(chave));
            let groups = chave.as_str().as_bytes().chunks(4);
            let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
            assert_eq!(Chave::parse(&groups.join(" ")), Ok(chave));
            assert_eq!(Chave::parse(&chave.as_str().to_lowercase()), Ok(chave));
            assert_eq!(chave.is_alphanumeric(), documento.contains('A'));
            assert_eq!(chave.as_str().len(), 44);
        }
    }
}

#[test]
fn a_changed_digit_is_seen() {
    let chave = partes().chave().expect("a key").to_string();
    for posicao in 0..44 {
        for novo in '0'..='9' {
            let mut outra: Vec<char> = chave.chars().collect();
            // Letters and digits whose values are 11 apart (A and 6) are the
            // same to modulo 11, in the key as in the CNPJ.
            if (u32::from(outra[posicao]) - u32::from('0')) % 11
                == (u32::from(novo) - u32::from('0')) % 11
            {
                continue;
            }
            outra[posicao] = novo;
            let lida = Chave::parse(&outra.into_iter().collect::<String>());
            // Rests 0 and 1 share a digit: the issuer's own digits, state and
            // model catch part of what passes.
            if let Ok(lida) = lida {
                assert_eq!(lida.dv(), 0, "{posicao} {novo}");
            }
        }
    }
}

#[test]
fn every_check_says_what_is_wrong() {
    let com = |base: &str| Chave::parse(&format!("{base}{}", digito(base.as_bytes())));
    assert!(com("3526111122233300018155001000012345112345678").is_ok());
    for (base, erro) in [
        (
            "3626111122233300018155001000012345112345678",
            IdError::NotAssigned,
        ), // state
        (
            "3526131122233300018155001000012345112345678",
            IdError::NotAssigned,
        ), // month 13
        (
            "3526001122233300018155001000012345112345678",
            IdError::NotAssigned,
        ), // month 00
        (
            "3526111122233300018156001000012345112345678",
            IdError::NotAssigned,
        ), // model
        (
            "3526111122233300018255001000012345112345678",
            IdError::NotAssigned,
        ), // issuer
        ("352611112223330001815500100001234511234567", IdError::Shape), // short
        (
            "35261111222333000181A5001000012345112345678",
            IdError::Shape,
        ), // letter
        (
            "A526111122233300018155001000012345112345678",
            IdError::Shape,
        ),
    ] {
        assert_eq!(com(base), Err(erro), "{base}");
    }
    let certa = partes().chave().expect("a key").to_string();
    let (corpo, dv) = certa.split_at(43);
    let outro = (dv.parse::<u8>().expect("a digit") + 1) % 10;
    assert_eq!(
        Chave::parse(&format!("{corpo}{outro}")),
        Err(IdError::CheckDigits)
    );
    for junk in [
        "",
        "NFe",
        "é",
        "NFeNFe",
        &"1".repeat(10_000),
        &" ".repeat(10_000),
        "１",
    ] {
        assert_eq!(Chave::parse(junk), Err(IdError::Shape));
    }
}

#[test]
fn parts_out_of_range_give_no_key() {
    for partes in [
        Partes { mes: 0, ..partes() },
        Partes {
            mes: 13,
            ..partes()
        },
        Partes {
            ano: 1999,
            ..partes()
        },
        Partes {
            modelo: 57,
            ..partes()
        },
        Partes {
            serie: 1000,
            ..partes()
        },
        Partes {
            numero: 0,
            ..partes()
        },
        Partes {
            numero: 1_000_000_000,
            ..partes()
        },
        Partes {
            tp_emis: 0,
            ..partes()
        },
        Partes {
            tp_emis: 10,
            ..partes()
        },
        Partes {
            c_nf: 100_000_000,
            ..partes()
        },
    ] {
        assert_eq!(partes.chave(), Err(IdError::OutOfRange), "{partes:?}");
    }
    let nowhere = Partes { uf: 99, ..partes() };
    assert_eq!(nowhere.chave(), Err(IdError::NotAssigned));
}

#[test]
fn the_random_code_is_never_one_the_authority_refuses() {
    for codigo in [
        0, 11_111_111, 99_999_999, 12_345_678, 1_234_567, 23_456_789, 34_567_890, 90_123_456,
        98_765_432,
    ] {
        assert!(!c_nf_aceito(codigo, 1), "{codigo}");
    }
    assert!(!c_nf_aceito(1523, 1523));
    assert!(
        !c_nf_aceito(23_456_780, 123_456_780),
        "equal in its last eight digits"
    );
    assert!(!c_nf_aceito(100_000_000, 1));
    assert!(c_nf_aceito(48_151_623, 1523));

    let entropia = |numero: u64| (numero.wrapping_mul(0x9E37_79B9_7F4A_7C15)).to_le_bytes();
    for semente in 0..20_000_u64 {
        let numero = u32::try_from(semente).expect("small") + 1;
        let codigo = c_nf(entropia(semente), numero);
        assert!(c_nf_aceito(codigo, numero), "{codigo} {numero}");
        assert_eq!(codigo, c_nf(entropia(semente), numero), "the same again");
    }
    // What is refused moves on to another code.
    for refused in [0_u64, 11_111_111, 12_345_678, 1523] {
        let codigo = c_nf(refused.to_le_bytes(), 1523);
        assert!(c_nf_aceito(codigo, 1523) && u64::from(codigo) != refused);
    }
}

#[test]
fn keys_travel_as_text() {
    let chave = partes().chave().expect("a key");
    let json = serde_json::to_string(&chave).expect("JSON");
    assert_eq!(json, format!("\"{chave}\""));
    assert_eq!(serde_json::from_str::<Chave>(&json).expect("a key"), chave);
    assert!(serde_json::from_str::<Chave>("\"123\"").is_err());
}
