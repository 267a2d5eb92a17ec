//! A small store: notes and events that have ended, each with its flow and its document.

use sha2::{Digest as _, Sha256};
use store::ids::{AccountId, EmitterId};
use store::tables::accounts::{self, Account};
use store::tables::artifacts::{self, ArtifactRow};
use store::tables::emitters::{self, EmitterRow};
use store::tables::eventos::{self, EventKind, EventoRow, EventoStatus};
use store::tables::flows::{self, FlowPhase, FlowRow, TurnNext, TurnRow};
use store::tables::notas::{self, NotaRow, NotaStatus, Via};
use store::tables::packs;
use store::words::{Ambiente, Maybe, Model};
use store::{Conn, copy};
use tempfile::TempDir;

pub const ACCOUNT: &str = "con_1";
pub const COMPANY: &str = "emi_1";
/// When the first note was made, epoch milliseconds.
pub const MADE_MS: i64 = 1_750_000_000_000;
pub const OLD: &str = "nfse_1";
pub const NEW: &str = "nfse_2";
pub const PRODUCT: &str = "nfe_3";
pub const REFUSED: &str = "nfe_4";
pub const LETTER: &str = "eve_1";
pub const VOIDED: &str = "eve_2";
pub const NOT_TAKEN: &str = "eve_3";
pub const TOLD: &str = "eve_4";
/// All that are packed.
pub const SUBJECTS: [&str; 8] = [OLD, NEW, PRODUCT, REFUSED, LETTER, VOIDED, NOT_TAKEN, TOLD];
/// Key of a note that another company issued.
pub const OTHERS: &str = "41250604000000000000550010000000991000000990";

pub fn account() -> AccountId {
    ACCOUNT.into()
}

pub fn company() -> EmitterId {
    COMPANY.into()
}

/// The store, not packed; its folder goes when it is dropped.
pub async fn store() -> (TempDir, Conn) {
    let folder = tempfile::tempdir().expect("folder");
    let url = copy::sqlite_url(&folder.path().join("hub.db"));
    let mut conn = copy::migrated(&url).await.expect("database");
    write_owner(&mut conn).await;
    for nota in notes() {
        let kind = nota.modelo.as_str();
        assert!(notas::insert(&mut conn, &nota).await.expect("note"));
        write_flow(&mut conn, &nota.id).await;
        if nota.status != NotaStatus::Rejected {
            write_document(&mut conn, &nota.id, kind).await;
        }
    }
    for evento in events() {
        assert!(eventos::insert(&mut conn, &evento).await.expect("event"));
        write_flow(&mut conn, &evento.id).await;
    }
    (folder, conn)
}

/// Packs all of them.
pub async fn pack(conn: &mut Conn) {
    for subject in SUBJECTS {
        let pack = packs::prepare(conn, subject, i64::MAX).await;
        let pack = pack.expect("read").expect(subject);
        assert!(
            packs::write(conn, &pack).await.expect("written"),
            "{subject}"
        );
    }
}

async fn write_owner(conn: &mut Conn) {
    let owner = Account {
        id: account(),
        nome: "Oficina".to_owned(),
        requests_per_minute: 60,
        created_at_ms: MADE_MS,
        ..Account::default()
    };
    accounts::insert(conn, &owner).await.expect("account");
    let emitter = EmitterRow {
        id: company(),
        account_id: account(),
        cnpj: "11444777000161".to_owned(),
        razao_social: "Oficina Ltda.".to_owned(),
        apelido: String::new(),
        ambiente: Ambiente::Production,
        padrao: 1,
        perfil: "{}".to_owned(),
        certificate_id: Maybe(None),
        version: 1,
        created_at_ms: MADE_MS,
        updated_at_ms: MADE_MS,
    };
    assert!(emitters::insert(conn, &emitter).await.expect("company"));
}

/// A flow that has ended, with one turn.
async fn write_flow(conn: &mut Conn, subject: &str) {
    let flow = FlowRow {
        id: format!("flx_{subject}").into(),
        account_id: account(),
        subject_id: subject.to_owned(),
        component: "sefaz".to_owned(),
        conteudo: format!("{{\"de\":\"{subject}\"}}"),
        context: "{}".to_owned(),
        way: "{\"via\":\"sefaz\"}".to_owned(),
        phase: FlowPhase::Done,
        step: 1,
        created_at_ms: MADE_MS,
        updated_at_ms: MADE_MS + 1,
        ..FlowRow::default()
    };
    assert!(flows::insert(conn, &flow).await.expect("flow"));
    let turn = TurnRow {
        flow_id: flow.id,
        step: 1,
        event: "{}".to_owned(),
        event_body: b"<retorno/>".to_vec(),
        next: TurnNext::Done,
        label: "autoriza".to_owned(),
        request: String::new(),
        request_body: b"<envio/>".to_vec(),
        at_ms: MADE_MS,
    };
    flows::turn(conn, &turn).await.expect("turn");
}

async fn write_document(conn: &mut Conn, subject: &str, kind: &str) {
    let bytes = format!("<documento>{subject}</documento>").into_bytes();
    let digest = Sha256::digest(&bytes);
    let artifact = ArtifactRow {
        subject_id: subject.to_owned(),
        tipo: kind.to_owned(),
        account_id: account(),
        media_type: "application/xml".to_owned(),
        sha256: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        bytes,
        created_at_ms: MADE_MS,
    };
    artifacts::insert(conn, &artifact).await.expect("document");
}

/// A note whose every text is told from every other one.
fn nota(id: &str, number: i64) -> NotaRow {
    let text = |column: &str| format!("{column} de {id}");
    NotaRow {
        id: id.into(),
        account_id: account(),
        emitter_id: company(),
        modelo: Model::Nfse,
        ambiente: Ambiente::Production,
        simulada: 0,
        status: NotaStatus::Authorized,
        serie: "1".to_owned(),
        numero: number,
        number_active: 1,
        referencia: format!("Pedido-{number}"),
        municipio: text("municipio"),
        via: Via::Nacional,
        sistema: text("sistema"),
        conteudo: text("conteudo"),
        context: text("context"),
        competencia: "2025-06-15".to_owned(),
        valor: format!("{number}.00"),
        tomador_documento: format!("{number:014}"),
        tomador_nome: format!("José da Ação Nº {number}"),
        preco: 0,
        hold_id: Maybe(None),
        chave: format!("{number:044}"),
        numero_nfse: format!("2025{number}"),
        codigo_verificacao: text("codigo"),
        protocolo: text("protocolo"),
        url_consulta: text("url"),
        autorizada_em: text("autorizada_em"),
        // Signs that have a meaning where columns are joined.
        valores: format!("{{\"uma\\n{id}\":\"\\\\\"}}"),
        rejeicao: format!("linha\noutra de {id}\n"),
        request_id: format!("req_{id}").into(),
        answer_status: 201,
        answer: text("answer"),
        created_at_ms: MADE_MS + number,
        updated_at_ms: MADE_MS + number + 10,
        detalhes: text("detalhes"),
        valor_centavos: number * 100,
        ..NotaRow::default()
    }
}

fn notes() -> [NotaRow; 4] {
    let new = NotaRow {
        substitui_id: Maybe(Some(OLD.into())),
        // Nobody is named: such a note is found, too.
        tomador_documento: String::new(),
        ..nota(NEW, 2)
    };
    let product = NotaRow {
        modelo: Model::Nfe,
        via: Via::Sefaz,
        // Another name of the first one's CNPJ, and nearly the same.
        tomador_documento: format!("{:014}", 1),
        tomador_nome: "José da Açeo Nº 1".to_owned(),
        // No text is empty but these: they come back empty.
        rejeicao: String::new(),
        url_consulta: String::new(),
        ..nota(PRODUCT, 3)
    };
    let refused = NotaRow {
        modelo: Model::Nfe,
        via: Via::Sefaz,
        status: NotaStatus::Rejected,
        number_active: 0,
        // Its small letters are more than it has: the row says how it is found.
        tomador_nome: "İpek Comércio".to_owned(),
        ..nota(REFUSED, 4)
    };
    [nota(OLD, 1), new, product, refused]
}

fn evento(id: &str, kind: EventKind, status: EventoStatus, number: i64) -> EventoRow {
    let text = |column: &str| format!("{column} de {id}\n");
    EventoRow {
        id: id.into(),
        account_id: account(),
        nota_id: Maybe(kind.has_nota().then(|| PRODUCT.into())),
        tipo: kind,
        status,
        conteudo: text("conteudo"),
        context: text("context"),
        protocolo: text("protocolo"),
        resultado: format!("{{\"codigo\":\"573\",\"de\":\"{id}\"}}"),
        request_id: "req_events".into(),
        answer_status: 200,
        answer: text("answer"),
        created_at_ms: MADE_MS + number,
        updated_at_ms: MADE_MS + number,
        emitter_id: company(),
        ambiente: Maybe(Some(Ambiente::Production)),
        chave: OTHERS.to_owned(),
        codigo: format!("11011{number}"),
        sequencia: 7,
        detalhes: format!("{{\"modelo\":\"55\",\"de\":\"{id}\"}}"),
        ..EventoRow::default()
    }
}

fn events() -> [EventoRow; 4] {
    use EventKind::{Cce, Manifestation, Voiding};
    use EventoStatus::{Registered, Rejected};
    [
        evento(LETTER, Cce, Registered, 1),
        evento(VOIDED, Voiding, Registered, 2),
        evento(NOT_TAKEN, Cce, Rejected, 3),
        evento(TOLD, Manifestation, Registered, 4),
    ]
}
