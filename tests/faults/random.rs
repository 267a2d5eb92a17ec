//! Notes, cancellations, faults of the authority and deaths of the hub in an
//! order nobody thought of. The seed is printed: `HUB_FAULT_SEED` repeats it.

use crate::client::Order;
use crate::lane::{City, HURRY, Lane, Node};
use futures::future::join_all;
use serde_json::json;
use sim::{Fault, FaultKind, When};
use tests::app::Backend;

const NOTES: usize = 30;
/// Rounds of requests, each with new faults.
const ROUNDS: usize = 12;
/// A hub dies within so many fault points of its birth.
const MOST_POINTS: u64 = 250;

/// xorshift64*: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        let at = usize::try_from(self.below(all.len() as u64)).expect("an index");
        all[at]
    }
}

const FAULTS: [FaultKind; 13] = [
    FaultKind::Lento,
    FaultKind::CortarAntes,
    FaultKind::CortarDepois,
    FaultKind::Erro500,
    FaultKind::Html,
    FaultKind::XmlPelaMetade,
    FaultKind::JsonEstranho5xx,
    FaultKind::Duplicada,
    FaultKind::Fila,
    FaultKind::Recusar,
    FaultKind::LimiteRequisicoes,
    FaultKind::CertificadoVencido,
    FaultKind::Lixo,
];

/// Some faults wait for whoever comes next.
fn trouble(lane: &Lane, random: &mut Random) {
    for operation in [
        "emitir",
        "emitir",
        "consultar",
        "consultar",
        "eventos",
        "cancelar",
    ] {
        let when = When {
            operacao: Some(operation.to_owned()),
            apos: random.below(4),
            vezes: Some(1 + random.below(3)),
            ..When::default()
        };
        let kind = random.pick(&FAULTS);
        // A queue is in the authority's time.
        let scale = if kind == FaultKind::Fila {
            HURRY.unsigned_abs()
        } else {
            1
        };
        let ms = Some((50 + random.below(400)) * scale);
        let failure = Fault {
            quando: when,
            falha: kind,
            ms,
            ..Fault::default()
        };
        assert!(lane.sim.add_fault(failure), "too many faults");
    }
}

async fn run(backend: Backend, seed: u64) {
    let seed = std::env::var("HUB_FAULT_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(seed);
    println!("HUB_FAULT_SEED={seed}");
    let cities = [City::National, City::Webiss, City::Giss];
    let Some(lane) = Lane::open_with(
        backend,
        &cities,
        &[
            ("HUB_FLOW_LEASE_MS", "1000"),
            ("HUB_ISSUING_WAIT_MS", "3000"),
        ],
    )
    .await
    else {
        return;
    };
    let mut random = Random(seed);
    lane.arm();
    let mut deaths = 0;
    let mut node = lane.node_dying_at(1 + random.below(MOST_POINTS)).await;
    let orders: Vec<Order> = (0..NOTES)
        .map(|n| Order::issue(&lane, random.pick(&cities), format!("nota-{n}")))
        .collect();
    let mut cancellations = Vec::new();
    for _ in 0..ROUNDS {
        trouble(&lane, &mut random);
        let some: Vec<&Order> = orders
            .iter()
            .chain(&cancellations)
            .filter(|_| random.below(4) == 0)
            .collect();
        let answers = join_all(some.iter().map(|order| order.send(&lane, &node))).await;
        let issued = answers
            .iter()
            .flatten()
            .filter(|answer| answer.status == 201);
        cancellations.extend(issued.filter(|_| random.below(3) == 0).map(cancellation));
        if node.dead() {
            deaths += 1;
            lane.arm();
            node = reborn(&lane, 1 + random.below(MOST_POINTS)).await;
        }
    }
    // From here on nothing fails: all must come to its end.
    let applied: u64 = lane.sim.faults().iter().map(|fault| fault.aplicadas).sum();
    lane.sim.clear_faults();
    lane.disarm();
    node.kill().await;
    let node = reborn(&lane, 0).await;
    let answers = join_all(orders.iter().map(|order| order.insist(&lane, &node))).await;
    for (order, answer) in orders.iter().zip(&answers) {
        assert!(
            matches!(answer.status, 201 | 422 | 503),
            "seed {seed}, {}: {} {}\n{}",
            order.key,
            answer.status,
            answer.text,
            lane.log()
        );
    }
    join_all(cancellations.iter().map(|order| order.insist(&lane, &node))).await;
    lane.settled().await;
    lane.check(&format!("seed {seed}")).await;
    let issued = answers.iter().filter(|answer| answer.status == 201).count();
    println!(
        "{issued} of {NOTES} issued over {deaths} deaths and {applied} faults of the authority: {:?}",
        lane.sim.overview().recebidas
    );
    assert!(
        issued > NOTES / 3,
        "seed {seed}: most notes exist in the end"
    );
}

fn cancellation(answer: &tests::Answer) -> Order {
    let id = answer.text_at("/nota_id");
    let body = json!({ "ref": id, "codigo_motivo": "erro_emissao", "justificativa": "Valor do serviço digitado errado" });
    Order {
        path: "/api/v1/nfse/cancelar",
        body,
        key: format!("cancelar-{id}"),
    }
}

async fn reborn(lane: &Lane, dies_at: u64) -> Node {
    if lane.backend == Backend::Postgres {
        lane.expire_leases().await;
    }
    lane.node_dying_at(dies_at).await
}

macro_rules! seeds {
    ($($name:ident: $backend:ident, $seed:literal;)+) => {
        $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            run(Backend::$backend, $seed).await;
        })+
    };
}

seeds! {
    sqlite_1: Sqlite, 20_261_120;
    sqlite_2: Sqlite, 7_919;
    postgres_1: Postgres, 104_729;
    postgres_2: Postgres, 1_299_709;
}
