//! Every function that gives rows of notes and events, asked for all it finds.

use crate::packing::rows::{
    LETTER, NEW, NOT_TAKEN, OLD, OTHERS, PRODUCT, REFUSED, TOLD, VOIDED, account, company,
};
use store::ids::{NotaId, RequestId};
use store::tables::documents::{self, Asked, Kept, Text};
use store::tables::eventos::{self, EventKind, EventoRow};
use store::tables::exportacoes::{self, Selection};
use store::tables::notas::{self, Filter, NotaRow};
use store::tables::recebidas::ReceivedNotaRow;
use store::words::{Ambiente, Maybe, Model};
use store::{Conn, Period};

/// Lists that are empty.
pub const NOTHING: [&str; 2] = ["a name that is a reference", "nearly a text"];

/// What one of them gave, as text; `packed` is not compared.
pub type Given = (&'static str, Vec<String>);

/// A row that has all its texts.
fn whole(row: NotaRow) -> String {
    format!("{:?}", NotaRow { packed: 0, ..row })
}

/// A row of a list, which has no content, context and answer.
fn listed(rows: Vec<NotaRow>) -> Vec<String> {
    let rows = rows.into_iter().map(|row| NotaRow {
        conteudo: String::new(),
        context: String::new(),
        answer: String::new(),
        ..row
    });
    rows.map(whole).collect()
}

fn events(rows: impl IntoIterator<Item = EventoRow>) -> Vec<String> {
    let rows = rows.into_iter().map(|row| EventoRow { packed: 0, ..row });
    rows.map(|row| format!("{row:?}")).collect()
}

/// What all of them give.
pub async fn all(conn: &mut Conn) -> Vec<Given> {
    let mut given = notes(conn).await;
    given.extend(lists(conn).await);
    given.extend(found(conn).await);
    given.extend(of_events(conn).await);
    given
}

async fn notes(conn: &mut Conn) -> Vec<Given> {
    let (account, company) = (account(), company());
    let mut given = Vec::new();
    for id in [OLD, NEW, PRODUCT, REFUSED] {
        let id = NotaId::from(id);
        let rows = [
            notas::get(conn, &account, &id).await,
            notas::by_ref(conn, &account, &id, "").await,
            notas::by_id(conn, &id).await,
            notas::lock(conn, &id).await,
        ];
        let rows = rows.map(|row| whole(row.expect("read").expect("a note")));
        given.push(("one note", rows.to_vec()));
        let look = notas::look(conn, &id).await.expect("read").expect("a note");
        let look = format!("{:?} {} {}", look.status, look.answer_status, look.answer);
        given.push(("look", vec![look]));
    }
    let live = Ambiente::Production;
    let rows = [
        notas::by_ref(conn, &account, &format!("{:044}", 3), "").await,
        notas::by_reference(conn, &company, live, "Pedido-1").await,
        notas::substitute_of(conn, &OLD.into()).await,
    ];
    let rows = rows.map(|row| whole(row.expect("read").expect("a note")));
    given.push(("by key, by reference, the substitute", rows.to_vec()));
    let newest = notas::newest_by_reference(conn, &account, Model::Nfse, "Pedido-2", "").await;
    let newest = newest.expect("read").into_iter().map(whole).collect();
    given.push(("newest_by_reference", newest));
    given
}

async fn lists(conn: &mut Conn) -> Vec<Given> {
    let (account, company) = (account(), company());
    let any = Maybe(None);
    let period = Period::default();
    let mut given = Vec::new();
    let released = notas::newest_released(conn, &account, &company, "Pedido-4", "").await;
    given.push(("newest_released", listed(released.expect("read"))));
    let which = Kept {
        modelos: String::new(),
        emitter_id: &any,
        period: &period,
        since_ms: 0,
        left_out: "",
    };
    let kept = documents::kept(conn, &account, &which, None, 10).await;
    given.push(("documents::kept", listed(kept.expect("read").rows)));
    let filter = Filter {
        model: "produto".to_owned(),
        limit: 10,
        ..Filter::default()
    };
    let notes = documents::notes(conn, &account, &filter).await;
    given.push(("documents::notes", listed(notes.expect("read").rows)));
    let selection = selection();
    let notes = exportacoes::notas(conn, &selection, None, 10).await;
    given.push(("exportacoes::notas", listed(notes.expect("read").rows)));
    given
}

fn selection() -> Selection {
    Selection {
        account_id: account(),
        period: Period {
            to_ms: i64::MAX,
            ..Period::default()
        },
        modelos: [true; 3],
        ..Selection::default()
    }
}

/// Lists by a name and by a text.
async fn found(conn: &mut Conn) -> Vec<Given> {
    let named = |name: &str| Asked {
        name: notas::part(name),
        limit: 10,
        ..Asked::default()
    };
    let with = |part: &str| Asked {
        text: Some(Text {
            part: notas::part(part),
            value: -1,
            ..Text::default()
        }),
        limit: 10,
        ..Asked::default()
    };
    let asked = [
        ("all documents", named("")),
        ("a name with accents", named("JOSÉ DA acao")),
        ("a name with a sign of its own", named("nº 1")),
        ("a name whose small letters are more", named("comércio")),
        ("one of two names of a CNPJ", named("josé da ação nº 1")),
        (NOTHING[0], named("pedido")),
        ("a text in a reference", with("PEDIDO-3")),
        ("a text in a name", with("ação nº 2")),
        (NOTHING[1], with("aczo nº 2")),
    ];
    let mut given = Vec::new();
    for (what, asked) in asked {
        let rows = documents::list(conn, &account(), &asked).await;
        given.push((what, listed(rows.expect("read").rows)));
    }
    given
}

async fn of_events(conn: &mut Conn) -> Vec<Given> {
    let (account, company) = (account(), company());
    let product = NotaId::from(PRODUCT);
    let mut given = Vec::new();
    for id in [LETTER, VOIDED, NOT_TAKEN, TOLD] {
        let row = eventos::by_id(conn, &id.into()).await.expect("read");
        given.push(("one event", events(row)));
    }
    let request = RequestId::from("req_events");
    let rows = [
        (
            "standing",
            eventos::standing(conn, &account, &product).await,
        ),
        ("of_nota", eventos::of_nota(conn, &account, &product).await),
        (
            "asked_by",
            eventos::asked_by(conn, &account, &product, &request).await,
        ),
        (
            "of_chave",
            eventos::of_chave(
                conn,
                &company,
                Ambiente::Production,
                OTHERS,
                EventKind::Manifestation,
            )
            .await,
        ),
    ];
    for (what, rows) in rows {
        given.push((what, events(rows.expect("read"))));
    }
    let start = (0, String::new());
    let ranges = exportacoes::ranges(conn, &selection(), &start, 10).await;
    given.push(("ranges", events(ranges.expect("read"))));
    let received = ReceivedNotaRow {
        emitter_id: company,
        ambiente: Ambiente::Production,
        chave: OTHERS.to_owned(),
        ..ReceivedNotaRow::default()
    };
    let told = exportacoes::manifestations(conn, &received).await;
    given.push(("manifestations", events(told.expect("read"))));
    // What a statement looks at in the rows themselves.
    let last = eventos::last_sequence(conn, &product, "110113").await;
    given.push(("last_sequence", vec![last.expect("read").to_string()]));
    let count = exportacoes::count(conn, &selection()).await;
    given.push(("count", vec![count.expect("read").to_string()]));
    given
}
