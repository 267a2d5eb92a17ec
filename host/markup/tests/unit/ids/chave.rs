//! Access keys: published digits, every check, and the random code.

use markup::ids::IdError;
use markup::ids::chave::{Chave, Parts, c_nf, c_nf_accepted, digit};

fn parts() -> Parts {
    Parts {
        uf: 35,
        year: 2026,
        month: 11,
        documento: "12ABC34501DE35".parse().expect("a CNPJ"),
        model: 55,
        serie: 1,
        number: 1523,
        tp_emis: 1,
        c_nf: 48_151_623,
    }
}

#[test]
fn worked_examples() {
    let Some(examples) = judges::examples("chave_dv") else {
        return;
    };
    assert!(examples.len() >= 4);
    for [enters, leaves] in examples {
        let base = enters["chave_sem_dv"].as_str().expect("a key");
        assert_eq!(digit(base.as_bytes()).to_string(), leaves["dv"], "{base}");
    }
}

#[test]
fn the_manual_s_example() {
    let base = "5206043300991100250655012000000780026730161";
    assert_eq!(digit(base.as_bytes()), 5);
    let chave = Chave::parse(&format!("{base}5")).expect("a key");
    assert_eq!(chave.uf_abbreviation(), "GO");
    assert_eq!((chave.year(), chave.month()), (2006, 4));
    assert_eq!(
        (chave.model(), chave.serie(), chave.number()),
        (55, 12, 780)
    );
}

#[test]
fn the_digit_completes_the_sum() {
    let mut zeros = 0;
    for c_nf in 20_000_000..20_002_000 {
        let chave = Parts { c_nf, ..parts() }.chave().expect("a key");
        // Written out apart from the code under test.
        let sum: u32 = chave
            .as_str()
            .bytes()
            .take(43)
            .enumerate()
            .fold(0, |sum, (i, byte)| {
                let weight = u32::try_from((42 - i) % 8).expect("small") + 2;
                sum + (u32::from(byte) - 48) * weight
            });
        let dv = u32::from(chave.dv());
        let without_digit = sum % 11 == 1;
        assert!(
            (sum + dv).is_multiple_of(11) || (without_digit && dv == 0),
            "{chave}"
        );
        zeros += u32::from(without_digit);
    }
    assert!(zeros > 100, "the rest that has no digit came up");
}

#[test]
fn parts_come_back() {
    for document in ["12ABC34501DE35", "11222333000181", "52998224725"] {
        for (uf, model, serie) in [(35, 55, 1), (11, 65, 999), (53, 55, 920)] {
            let parts = Parts {
                uf,
                model,
                serie,
                documento: document.parse().expect("a registration"),
                ..parts()
            };
            let chave = parts.chave().expect("a key");
            let back = Parts {
                uf: chave.uf(),
                year: chave.year(),
                month: chave.month(),
                documento: chave.emitter().expect("an issuer"),
                model: chave.model(),
                serie: chave.serie(),
                number: chave.number(),
                tp_emis: chave.tp_emis(),
                c_nf: chave.c_nf(),
            };
            assert_eq!(back, parts);
            assert_eq!(Chave::parse(chave.as_str()), Ok(chave));
            assert_eq!(Chave::parse(&chave.id()), Ok(chave));
            let groups = chave.as_str().as_bytes().chunks(4);
            let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
            assert_eq!(Chave::parse(&groups.join(" ")), Ok(chave));
            assert_eq!(Chave::parse(&chave.as_str().to_lowercase()), Ok(chave));
            assert_eq!(chave.is_alphanumeric(), document.contains('A'));
            assert_eq!(chave.as_str().len(), 44);
        }
    }
}

#[test]
fn a_changed_digit_is_seen() {
    let chave = parts().chave().expect("a key").to_string();
    for position in 0..44 {
        for new in '0'..='9' {
            let mut other: Vec<char> = chave.chars().collect();
            // Letters and digits whose values are 11 apart (A and 6) are the
            // same to modulo 11, in the key as in the CNPJ.
            if (u32::from(other[position]) - u32::from('0')) % 11
                == (u32::from(new) - u32::from('0')) % 11
            {
                continue;
            }
            other[position] = new;
            let found = Chave::parse(&other.into_iter().collect::<String>());
            // Rests 0 and 1 share a digit: the issuer's own digits, state and
            // model catch part of what passes.
            if let Ok(found) = found {
                assert_eq!(found.dv(), 0, "{position} {new}");
            }
        }
    }
}

#[test]
fn every_check_says_what_is_wrong() {
    let with = |base: &str| Chave::parse(&format!("{base}{}", digit(base.as_bytes())));
    assert!(with("3526111122233300018155001000012345112345678").is_ok());
    for (base, error) in [
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
        assert_eq!(with(base), Err(error), "{base}");
    }
    let right = parts().chave().expect("a key").to_string();
    let (body, dv) = right.split_at(43);
    let other = (dv.parse::<u8>().expect("a digit") + 1) % 10;
    assert_eq!(
        Chave::parse(&format!("{body}{other}")),
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
    for parts in [
        Parts {
            month: 0,
            ..parts()
        },
        Parts {
            month: 13,
            ..parts()
        },
        Parts {
            year: 1999,
            ..parts()
        },
        Parts {
            model: 59,
            ..parts()
        },
        Parts {
            serie: 1000,
            ..parts()
        },
        Parts {
            number: 0,
            ..parts()
        },
        Parts {
            number: 1_000_000_000,
            ..parts()
        },
        Parts {
            tp_emis: 0,
            ..parts()
        },
        Parts {
            tp_emis: 10,
            ..parts()
        },
        Parts {
            c_nf: 100_000_000,
            ..parts()
        },
    ] {
        assert_eq!(parts.chave(), Err(IdError::OutOfRange), "{parts:?}");
    }
    let nowhere = Parts { uf: 99, ..parts() };
    assert_eq!(nowhere.chave(), Err(IdError::NotAssigned));
}

#[test]
fn the_random_code_is_never_one_the_authority_refuses() {
    for code in [
        0, 11_111_111, 99_999_999, 12_345_678, 1_234_567, 23_456_789, 34_567_890, 90_123_456,
        98_765_432,
    ] {
        assert!(!c_nf_accepted(code, 1), "{code}");
    }
    assert!(!c_nf_accepted(1523, 1523));
    assert!(
        !c_nf_accepted(23_456_780, 123_456_780),
        "equal in its last eight digits"
    );
    assert!(!c_nf_accepted(100_000_000, 1));
    assert!(c_nf_accepted(48_151_623, 1523));

    let entropy = |number: u64| (number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).to_le_bytes();
    for seed in 0..20_000_u64 {
        let number = u32::try_from(seed).expect("small") + 1;
        let code = c_nf(entropy(seed), number);
        assert!(c_nf_accepted(code, number), "{code} {number}");
        assert_eq!(code, c_nf(entropy(seed), number), "the same again");
    }
    // What is refused moves on to another code.
    for refused in [0_u64, 11_111_111, 12_345_678, 1523] {
        let code = c_nf(refused.to_le_bytes(), 1523);
        assert!(c_nf_accepted(code, 1523) && u64::from(code) != refused);
    }
}

#[test]
fn keys_travel_as_text() {
    let chave = parts().chave().expect("a key");
    let json = serde_json::to_string(&chave).expect("JSON");
    assert_eq!(json, format!("\"{chave}\""));
    assert_eq!(serde_json::from_str::<Chave>(&json).expect("a key"), chave);
    assert!(serde_json::from_str::<Chave>("\"123\"").is_err());
}

#[test]
fn the_id_begins_with_the_kind_of_the_document() {
    for (model, begins) in [(55, "NFe"), (57, "CTe"), (58, "MDFe"), (65, "NFe")] {
        let chave = Parts { model, ..parts() }.chave().expect("a key");
        assert_eq!(chave.id(), format!("{begins}{chave}"));
        assert_eq!(Chave::parse(&chave.id()), Ok(chave));
    }
}
