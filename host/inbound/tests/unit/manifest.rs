use fiscal::nfe::event::Manifestation;
use inbound::manifest::permitted;
use store::tables::eventos::{EventoRow, EventoStatus};
use store::tables::recebidas::{ReceivedNotaRow, ReceivedNotaStatus};

fn said(codes: &[&str]) -> Vec<EventoRow> {
    let row = |codigo: &&str| EventoRow {
        codigo: (*codigo).to_owned(),
        status: EventoStatus::Registered,
        ..EventoRow::default()
    };
    codes.iter().map(row).collect()
}

#[test]
fn a_conclusive_word_changes_once_and_awareness_comes_first() {
    use Manifestation::{Acknowledgement, Confirmation, NotPerformed, Unawareness};
    use ReceivedNotaStatus::{Authorized, Cancelled};
    for (status, before, kind, ok) in [
        (Authorized, &[][..], Acknowledgement, true),
        (Authorized, &[], Confirmation, true),
        (Authorized, &["210210"], Acknowledgement, false),
        (Authorized, &["210210"], Confirmation, true),
        (Authorized, &["210200"], Acknowledgement, false),
        (Authorized, &["210200"], Confirmation, false),
        (Authorized, &["210210", "210200"], Unawareness, true),
        (Authorized, &["210200", "210220"], NotPerformed, false),
        (Authorized, &["210200", "210220"], Confirmation, false),
        (Cancelled, &[], Acknowledgement, false),
        (Cancelled, &[], Unawareness, false),
        (Cancelled, &[], NotPerformed, true),
    ] {
        let row = ReceivedNotaRow {
            situacao: status,
            ..ReceivedNotaRow::default()
        };
        let allowed = permitted(&row, kind, &said(before)).is_ok();
        assert_eq!(allowed, ok, "{status} {before:?} {kind:?}");
    }
}
