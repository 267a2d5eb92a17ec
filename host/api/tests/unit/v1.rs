use api::v1::nfe::parse::ANSWER;
use api::v1::storage::arquivo::attachment;
use api::v1::usage::get::date_of;

#[test]
fn the_document_names_what_is_no_request() {
    for name in fiscal::nfe::fields::of_the_note_alone() {
        assert!(ANSWER.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn a_name_stays_within_its_quotes() {
    assert_eq!(
        attachment("notas/ação \"1\".pdf"),
        "attachment; filename=\"a__o _1_.pdf\"; filename*=UTF-8''a%C3%A7%C3%A3o%20%221%22.pdf"
    );
}

#[test]
fn a_day_that_is_none_is_not_the_first_of_all() {
    assert_eq!(date_of("20777").expect("a day"), "2026-11-20");
    for damaged in ["", "hoje", "2026-11-20"] {
        assert!(date_of(damaged).is_err(), "{damaged}");
    }
}
