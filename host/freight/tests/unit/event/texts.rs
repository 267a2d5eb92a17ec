//! What is refused before an event is signed, at the names of the request.

use super::kinds::{PROTOCOL, REASON, all, correction, evento, in_contingency};
use crate::cte::orders::{CTE, NFE};
use fiscal::nfe::event::{Family, assemble, document_proc, proc_evento, write};
use freight::event::{
    Closing, Inclusion, add_documents, add_driver, cancel_cte, catalogue, close, correction_letter,
    epec, search,
};
use markup::field::Field;
use time::macros::date;

/// `field code` of every problem.
fn told<T>(result: Result<T, Vec<Field>>) -> Vec<String> {
    match result {
        Ok(_) => Vec::new(),
        Err(fields) => fields
            .iter()
            .map(|field| format!("{} {}", field.campo, field.codigo))
            .collect(),
    }
}

fn corrected(group: &str, field: &str) -> Vec<String> {
    told(correction_letter(&[correction(
        group, field, "Outro", None,
    )]))
}

#[test]
fn a_letter_changes_no_amount_no_party_and_no_identity() {
    for (group, field) in [
        ("vPrest", "vTPrest"),
        ("Comp", "vComp"),
        ("ICMS00", "pICMS"),
        ("ICMSUFFim", "vBCUFFim"),
        ("IBSCBS", "CST"),
        ("emit", "CNPJ"),
        ("rem", "CPF"),
        ("dest", "IE"),
        ("toma3", "toma"),
        ("toma4", "CNPJ"),
        ("ide", "dhEmi"),
        ("ide", "nCT"),
    ] {
        assert_eq!(
            corrected(group, field),
            ["correcoes[0].campo correcao_proibida"],
            "{group}/{field}"
        );
    }
}

#[test]
fn a_letter_changes_texts() {
    for (group, field) in [
        ("infCarga", "proPred"),
        ("compl", "xObs"),
        ("ObsCont", "xTexto"),
        ("ObsCont", "xCampo"),
        ("imp", "infAdFisco"),
        ("rem", "xNome"),
        ("enderDest", "xLgr"),
        ("rodo", "RNTRC"),
        ("ide", "natOp"),
        ("ide", "CFOP"),
        ("pass", "xPass"),
    ] {
        assert_eq!(corrected(group, field), [""; 0], "{group}/{field}");
    }
}

#[test]
fn a_letter_names_elements_of_the_layout() {
    assert_eq!(
        corrected("infCarga", "produto"),
        ["correcoes[0].campo campo_desconhecido"]
    );
    assert_eq!(
        corrected("carga", "proPred"),
        ["correcoes[0].campo campo_desconhecido"]
    );
}

#[test]
fn a_letter_is_checked_as_a_whole() {
    let long = "x".repeat(501);
    let letter = [
        correction("infCarga", "proPred", &long, None),
        correction("", "proPred", "Outro", Some(100)),
    ];
    let told = told(correction_letter(&letter));
    for expected in [
        "correcoes[0].valor tamanho_invalido",
        "correcoes[1].grupo tamanho_invalido",
        "correcoes[1].item valor_invalido",
    ] {
        assert!(
            told.iter().any(|one| one == expected),
            "{expected}: {told:?}"
        );
    }
    assert_eq!(
        self::told(correction_letter(&[])),
        ["correcoes tamanho_invalido"]
    );
}

#[test]
fn a_justification_has_fifteen_characters() {
    assert_eq!(
        told(cancel_cte(PROTOCOL, "curta")),
        ["justificativa tamanho_invalido"]
    );
    assert_eq!(told(cancel_cte("1", REASON)), ["protocolo valor_invalido"]);
}

#[test]
fn an_emission_in_advance_says_who_pays() {
    let (kind, data) = epec(&in_contingency(), REASON).expect("an event");
    assert_eq!(kind.codigo, "110113");
    assert_eq!(data["tomador"]["papel"], "3");
    assert_eq!(data["tomador"]["cnpj"], "11444777000161");
    assert_eq!(data["tomador"]["uf"], "SP");
    assert_eq!(data["valor_icms"], "180.00");
    assert_eq!(data["valor_carga"], "25000.00");
}

#[test]
fn a_closing_is_in_a_place_and_not_in_the_future() {
    let told = |uf, codigo_ibge, data| {
        let closing = Closing {
            uf,
            codigo_ibge,
            data,
        };
        told(close(PROTOCOL, &closing, date!(2026 - 11 - 20)))
    };
    assert_eq!(told("SP", "3550308", None), [""; 0]);
    assert_eq!(told("EX", "9999999", Some("2026-11-01")), [""; 0]);
    assert_eq!(told("SP", "3106200", None), ["uf uf_incompativel"]);
    assert_eq!(told("XX", "3106200", None), ["uf uf_invalida"]);
    assert_eq!(told("SP", "1", None), ["codigo_ibge municipio_inexistente"]);
    assert_eq!(
        told("SP", "3550308", Some("2026-11-21")),
        ["data data_futura"]
    );
    assert_eq!(
        told("SP", "3550308", Some("20/11/2026")),
        ["data data_invalida"]
    );
}

#[test]
fn a_driver_has_a_name_and_a_cpf() {
    assert_eq!(
        told(add_driver("M", "52998224724")),
        ["cpf cpf_invalido", "nome tamanho_invalido"]
    );
}

#[test]
fn added_documents_are_nfe_told_once() {
    let keys = [
        NFE.to_owned(),
        CTE.to_owned(),
        NFE.to_owned(),
        "1".to_owned(),
    ];
    let mut inclusion = Inclusion {
        loading: "3106200",
        unloading: "1",
        chaves: &keys,
    };
    assert_eq!(
        told(add_documents(PROTOCOL, &inclusion)),
        [
            "codigo_ibge_descarga municipio_inexistente",
            "chaves[1] chave_invalida",
            "chaves[2] chave_repetida",
            "chaves[3] chave_invalida",
        ]
    );
    inclusion.unloading = "3106200";
    inclusion.chaves = &[];
    assert_eq!(
        told(add_documents(PROTOCOL, &inclusion)),
        ["chaves tamanho_invalido"]
    );
}

#[test]
fn the_catalogue_finds_kinds_by_family() {
    assert_eq!(catalogue().len(), 7);
    for kind in catalogue() {
        let found = search(kind.familia, kind.codigo);
        assert_eq!(found.map(|found| found.elemento), Some(kind.elemento));
    }
    assert!(search(Family::Nfe, "110111").is_none());
    assert!(search(Family::Cte, "110112").is_none());
}

#[test]
fn an_id_has_three_digits_of_the_sequence() {
    for (name, described) in all() {
        let mut evento = evento(described.unwrap_or_else(|e| panic!("{name}: {e:#?}")));
        evento.sequence = evento.kind.sequencia_maxima;
        let id = evento.id();
        let sequence = format!("{:03}", evento.sequence);
        assert_eq!(id.len(), 2 + 6 + 44 + 3, "{id}");
        assert!(id.ends_with(&sequence), "{id}");
        let tree = assemble(&evento).expect("an event");
        assert_eq!(
            tree.value(&["infEvento", "nSeqEvento"]),
            Some(evento.sequence.to_string().as_str())
        );
        assert_eq!(tree.value(&["infEvento", "cOrgao"]), Some("31"));
    }
}

#[test]
fn an_event_of_another_company_is_refused() {
    let described = cancel_cte(PROTOCOL, REASON).expect("an event");
    let mut evento = evento(described);
    evento.author = markup::ids::CpfCnpj::parse("11444777000161").expect("a CNPJ");
    assert_eq!(told(assemble(&evento)), ["ref autor_diverge"]);
}

#[test]
fn answers_are_joined_under_the_family_s_names() {
    for (family, document, joined) in [
        (Family::Cte, "CTe", "cteProc"),
        (Family::Mdfe, "MDFe", "mdfeProc"),
    ] {
        let namespace = family.namespace();
        let (inf, prot) = (format!("inf{document}"), format!("prot{document}"));
        let xml = format!("<{document} xmlns=\"{namespace}\"><{inf}/></{document}>");
        let whole = document_proc(family, &xml, &format!("<{prot}/>")).expect("both");
        assert!(
            whole.starts_with(&format!("<{joined} xmlns=\"{namespace}\"")),
            "{whole}"
        );
        assert!(whole.contains(&xml), "{whole}");
    }
    let (_, described) = all().remove(1);
    let evento = evento(described.expect("an event"));
    let xml = write(&evento).expect("the layout takes it").xml;
    let answer = "<retEventoCTe versao=\"4.00\"><infEvento/></retEventoCTe>";
    let whole = proc_evento(Family::Cte, &xml, answer).expect("both");
    assert!(whole.starts_with("<procEventoCTe "), "{whole}");
    assert!(whole.contains(answer), "{whole}");
}
