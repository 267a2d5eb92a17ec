use issuing::settle::impediment::forget;
use store::tables::notas::NotaRow;

#[test]
fn details_that_cannot_be_read_are_not_written_over() {
    let damaged = "{\"chaves_anteriores\":[\"velha\"";
    let mut nota = NotaRow {
        detalhes: damaged.to_owned(),
        ..NotaRow::default()
    };
    assert!(forget(&mut nota).is_err());
    assert_eq!(nota.detalhes, damaged);
}
