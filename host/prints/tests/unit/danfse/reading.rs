//! What is read out of the XML.

use rust_decimal::Decimal;

use super::{ABRASF_2, NATIONAL, abrasf, national};
use judges::samples;
use prints::danfse::{
    Ambiente, Danfse, DanfseError, MAX_TEXT, Recipient, Standard, Status, render,
};

fn money(text: &str) -> Option<Decimal> {
    Some(text.parse().expect("decimal"))
}

#[test]
fn a_national_note_is_read_whole() {
    let d = national();
    assert_eq!(d.standard, Standard::National);
    assert_eq!(d.ambiente, Ambiente::Production);
    assert_eq!(d.chave, "3304557212ABC34501DE35000000000014625124504258429");
    assert_eq!(
        (&*d.number, &*d.serie_dps, &*d.dps_number),
        ("146", "333", "6")
    );
    assert_eq!(
        (&*d.municipality.name, &*d.municipality.uf),
        ("Rio de Janeiro", "RJ")
    );
    assert_eq!(d.purpose, "NFS-e regular");
    assert_eq!(d.prestador.party.name, "Oficina de Programas Ltda");
    assert_eq!(d.prestador.party.address, "Rua das Acácias, 10, Centro");
    let tomador = d.tomador.expect("tomador");
    assert_eq!(tomador.name, "Comércio & Indústria São João S.A.");
    assert_eq!(
        (&*tomador.municipality.code, &*tomador.municipality.uf),
        ("3303302", "RJ")
    );
    let Recipient::Other(recipient) = d.recipient else {
        panic!("another recipient");
    };
    assert_eq!(
        (&*recipient.document, &*recipient.municipality.country),
        ("NIF-123", "GB")
    );
    assert_eq!(recipient.cep, "SW1A 1AA");
    assert_eq!(
        d.intermediary.expect("intermediary").document,
        "52998224725"
    );
    assert_eq!(d.iss.benefit, "33045570100001 - Redução da BC em %");
    // What the system computed, reimbursements included (NT 008, item 2.4.5).
    assert_eq!(d.iss.deductions, money("250.00"));
    assert_eq!(d.iss.retention, "Retido pelo Tomador");
    assert_eq!(d.federal.retention_description, "PIS/COFINS/CSLL Retidos");
    let group = d.ibs_cbs.expect("IBS/CBS");
    assert_eq!(group.exclusions, money("914.38"));
    // Not the ones of public purchases, which have the same names.
    assert_eq!(
        (group.uf_value, group.uf_rate),
        (money("8.74"), money("0.10"))
    );
    assert_eq!(d.totals.ibs_cbs, money("87.40"));
    assert_eq!(d.totals.net_with_ibs_cbs, money("9472.40"));
    assert_eq!(
        d.information,
        [
            "Inf. Cont.: Pagamento por boleto | \
             NFS-e Subst.: 33045572112223330001810000000000014525124504258420 | \
             Doc. Ref.: CT-77 | Cod. Obra: OBRA-9 | Núm. Ped.: P-1 | Item Ped.: 1, 2 | \
             Inf. A. T. Mun.: Processo 12/2026",
            "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: Federais: 13,45%; \
             Estaduais: 0,00%; Municipais: 5,00%",
        ]
    );
}

#[test]
fn the_query_is_that_of_the_environment_and_needs_a_whole_key() {
    let homologacao = NATIONAL.replace("<tpAmb>1<", "<tpAmb>2<").replace(
        "NFS3304557212ABC34501DE35000",
        "NFS3304557212ABC34501DE350000",
    );
    let d = Danfse::from_nfse_xml(&homologacao).expect("a note");
    assert_eq!(d.ambiente, Ambiente::Homologacao);
    assert_eq!(
        d.query_url,
        "https://www.producaorestrita.nfse.gov.br/ConsultaPublica/?tpc=1\
         &chave=3304557212ABC34501DE350000000000014625124504258429"
    );
    // Forty-nine positions are some other number, not a key.
    assert_eq!(national().query_url, "");
}

#[test]
fn who_issued_is_not_taken_for_who_provides() {
    let other = NATIONAL.replace("<prest><CNPJ>12ABC34501DE35", "<prest><CNPJ>11222333000181");
    let prestador = Danfse::from_nfse_xml(&other).expect("a note").prestador;
    assert_eq!(prestador.party.document, "11222333000181");
    assert_eq!(
        (&*prestador.party.name, &*prestador.party.address),
        ("", "")
    );
}

#[test]
fn a_city_note_is_read_whole() {
    let d = abrasf();
    assert_eq!(d.standard, Standard::Abrasf);
    assert_eq!((&*d.number, &*d.verification_code), ("15", "AB12-CD34"));
    assert_eq!(
        (&*d.dps_number, &*d.serie_dps, &*d.competence),
        ("7", "A1", "2026-03")
    );
    assert_eq!(d.municipality.code, "4209102");
    assert_eq!(d.prestador.party.document, "11222333000181");
    assert_eq!(d.prestador.simples_nacional, "Não Optante");
    assert_eq!(d.tomador.expect("tomador").name, "Maria da Conceição");
    assert_eq!(d.intermediary, None);
    assert_eq!(d.service.description, "Suporte técnico\nMês de março");
    assert_eq!(
        (&*d.iss.taxation, &*d.iss.retention),
        ("Exigível", "Retido pelo Tomador")
    );
    // 30 out of 1,500 makes 0.02 a fraction.
    assert_eq!(d.iss.rate, money("2.00"));
    assert_eq!(d.totals.service, money("1500.00"));
    assert_eq!(d.totals.retentions, money("52.50"));
    assert_eq!((d.status, d.ibs_cbs), (Status::Normal, None));
}

#[test]
fn a_rate_is_a_percentage_unless_base_and_tax_say_otherwise() {
    for (rate, iss, shown) in [
        ("2", "30.00", "2"),
        ("0.02", "30.00", "2.00"),
        ("0.02", "0.30", "0.02"),
        ("0.05", "0", "5.00"),
        ("2.5", "0", "2.5"),
    ] {
        let xml = ABRASF_2
            .replace("Aliquota>0.02<", &format!("Aliquota>{rate}<"))
            .replace("ValorIss>30.00<", &format!("ValorIss>{iss}<"));
        let d = Danfse::from_nfse_xml(&xml).expect("a note");
        assert_eq!(d.iss.rate, money(shown), "{rate} with {iss}");
    }
}

#[test]
fn a_city_tells_of_cancellation_and_substitution() {
    for (beside, status, text) in [
        (
            "<NfseCancelamento><Confirmacao><DataHora>2026-04-01T10:00:00</DataHora></Confirmacao></NfseCancelamento>",
            Status::Cancelled,
            "NFS-e cancelada em 01/04/2026 10:00:00",
        ),
        (
            "<NfseCancelamento><Confirmacao><InfConfirmacaoCancelamento><Sucesso>false</Sucesso>\
             </InfConfirmacaoCancelamento></Confirmacao></NfseCancelamento>",
            Status::Normal,
            "NFS-e emitida",
        ),
        ("<NfseCancelamento/>", Status::Normal, "NFS-e emitida"),
        (
            "<NfseSubstituicao><SubstituicaoNfse><NfseSubstituidora>16</NfseSubstituidora>\
             </SubstituicaoNfse></NfseSubstituicao>",
            Status::Replaced,
            "NFS-e substituída pela NFS-e 16",
        ),
    ] {
        let xml = ABRASF_2.replace("</n:CompNfse>", &format!("{beside}</n:CompNfse>"));
        let d = Danfse::from_nfse_xml(&xml).expect("a note");
        assert_eq!((d.status, &*d.status_text), (status, text), "{beside}");
    }
}

#[test]
fn a_note_inside_an_answer_is_found() {
    let escaped = ABRASF_2.replace('&', "&amp;").replace('<', "&lt;");
    for answer in [
        format!("<Envelope><Body>{ABRASF_2}</Body></Envelope>"),
        format!("<Envelope><outputXML>{escaped}</outputXML></Envelope>"),
        format!("<Envelope><outputXML>  <![CDATA[{ABRASF_2}]]></outputXML></Envelope>"),
    ] {
        assert_eq!(Danfse::from_nfse_xml(&answer), Ok(abrasf()));
    }
}

#[test]
fn what_is_not_one_note_is_refused() {
    let two = format!("<ListaNfse>{ABRASF_2}{ABRASF_2}</ListaNfse>");
    let long = ABRASF_2.replace("Suporte técnico", &"x".repeat(MAX_TEXT));
    // The same wrapping over and over never ends in a note.
    let mut onion = "<a/>".to_owned();
    for _ in 0..8 {
        onion = format!(
            "<a>{}</a>",
            onion.replace('&', "&amp;").replace('<', "&lt;")
        );
    }
    for (xml, error) in [
        ("<DPS><infDPS/></DPS>", DanfseError::NoNota),
        ("<NFSe><infNFSe Id=\"NFS9\"/></NFSe>", DanfseError::NoNota),
        ("<a>&lt;b/></a>", DanfseError::NoNota),
        (&onion, DanfseError::NoNota),
        (&two, DanfseError::SeveralNotas(2)),
        (
            &long,
            DanfseError::LongText(MAX_TEXT + "\nMês de março".len()),
        ),
    ] {
        assert_eq!(Danfse::from_nfse_xml(xml), Err(error));
    }
    for xml in ["", "nota", "<NFSe", "<a>&lt;b></a>"] {
        assert!(
            matches!(Danfse::from_nfse_xml(xml), Err(DanfseError::Xml(_))),
            "{xml}"
        );
    }
}

#[test]
fn municipalities_get_the_names_they_lack() {
    let mut d = national();
    d.name_municipalities(|code| (code == 3_303_302).then(|| "Nictheroy".to_owned()));
    assert_eq!(d.tomador.expect("tomador").municipality.name, "Nictheroy");
    // A name the XML gives stays.
    assert_eq!(d.service.local.name, "Niterói");
    assert_eq!(d.prestador.party.municipality.name, "");
}

/// Every answer with a note that we have seen, whole and cut anywhere.
#[test]
fn no_sample_is_too_much() {
    let mut notes = 0;
    for (path, text) in samples() {
        match Danfse::from_nfse_xml(&text) {
            Ok(d) => {
                notes += 1;
                assert!(render(&d).starts_with(b"%PDF-1.7"), "{}", path.display());
                assert!(!d.number.is_empty(), "{}", path.display());
            }
            Err(DanfseError::NoNota | DanfseError::SeveralNotas(_)) => {}
            Err(error) => eprintln!("{}: {error}", path.display()),
        }
    }
    eprintln!("{notes} sample notes drawn");
    for source in [NATIONAL, ABRASF_2] {
        for at in (0..source.len()).filter(|at| source.is_char_boundary(*at)) {
            let cut = source.get(..at).unwrap_or("");
            assert!(Danfse::from_nfse_xml(cut).is_err());
        }
        // Elements gone one at a time.
        for (at, _) in source.match_indices("</") {
            let open = source.get(..at).and_then(|before| before.rfind('>'));
            let text = open.and_then(|open| source.get(open + 1..at)).unwrap_or("");
            if !text.trim().is_empty() {
                let without = source.replacen(text, "", 1);
                if let Ok(d) = Danfse::from_nfse_xml(&without) {
                    assert!(!render(&d).is_empty());
                }
            }
        }
    }
}
