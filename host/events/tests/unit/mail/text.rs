use accounts::letters::{Documento, Letter};
use events::mail::text::{House, write};

const HOUSE: House<'static> = House {
    base_url: "https://hub.exemplo.com.br",
    invite: &|seed| format!("https://hub.exemplo.com.br/painel/convite/{seed}"),
    password: &|seed| format!("https://hub.exemplo.com.br/painel/senha/{seed}"),
    confirmation: &|seed| format!("https://hub.exemplo.com.br/painel/confirmar/{seed}"),
};

fn nota() -> Documento {
    Documento {
        titulo: "NF-e".to_owned(),
        numero: "1523".to_owned(),
        serie: "1".to_owned(),
        emitente: "Padaria São João Ltda".to_owned(),
        cnpj: "11222333000181".to_owned(),
        valor_centavos: 123_456,
        ..Documento::default()
    }
}

#[test]
fn a_cancelled_note_says_so_in_subject_text_and_page() {
    let letter = |is_cancelled| {
        let documento = Documento {
            cancelada: is_cancelled,
            ..nota()
        };
        write(&Letter::Documento(documento), &HOUSE)
    };
    let (valid, cancelled) = (letter(false), letter(true));
    assert_eq!(valid.subject, "NF-e 1523, série 1 - Padaria São João Ltda");
    assert!(valid.text.contains("R$ 1.234,56") && valid.html.contains("R$ 1.234,56"));
    for text in [&cancelled.subject, &cancelled.text, &cancelled.html] {
        assert!(text.contains("CANCELADA"), "{text}");
    }
    assert!(!valid.text.contains("CANCELADA") && !valid.html.contains("CANCELADA"));
}

#[test]
fn what_others_wrote_stays_text() {
    let documento = Documento {
        emitente: "A\r\nBcc: x@y.z\u{0}".to_owned(),
        mensagem: "<script>alert(1)</script>\nsegunda\u{7}".to_owned(),
        url_consulta: "javascript:alert(1)".to_owned(),
        ..nota()
    };
    let written = write(&Letter::Documento(documento), &HOUSE);
    assert!(
        !written.subject.contains(['\r', '\n', '\u{0}']),
        "{}",
        written.subject
    );
    assert!(!written.html.contains("<script") && !written.html.contains("javascript:"));
    assert!(!written.text.contains('\u{7}') && written.text.contains("segunda"));
}

#[test]
fn notices_say_how_long_and_where() {
    let letter = |days| Letter::Certificado {
        empresa: "Loja".to_owned(),
        cnpj: String::new(),
        valido_ate_ms: 1_800_000_000_000,
        dias: days,
    };
    for (days, words) in [
        (30, "vence em 30 dias"),
        (1, "vence em 1 dia"),
        (0, "venceu"),
    ] {
        let written = write(&letter(days), &HOUSE);
        assert!(written.subject.ends_with(words), "{}", written.subject);
        assert!(written.text.contains("15/01/2027"), "{}", written.text);
    }
    let balance = Letter::Saldo {
        conta: "Loja".to_owned(),
        saldo: 480,
        limiar: 500,
    };
    assert_eq!(
        write(&balance, &HOUSE).subject,
        "Saldo baixo: restam 480 créditos"
    );
}
