//! Control calls under `/__sim/`: faults, state, certificates for tests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::DAY_MS;
use crate::faults::Falha;
use crate::pki::{A1Request, PfxFormat};
use crate::request::{Answer, SimRequest};
use crate::sim::Sim;

/// Paths that belong to the control.
pub(crate) const PREFIX: &str = "/__sim/";
/// Largest control body, bytes.
const MAX_CONTROL: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(untagged)]
enum Faults {
    Many(Vec<Falha>),
    One(Box<Falha>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    prazo_cancelamento_dias: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CertificateOrder {
    documento: String,
    nome: String,
    senha: String,
    /// `moderno` (default) or `legado`.
    #[serde(default)]
    formato: Option<String>,
    /// Days of validity from the simulator's now; negative: already expired.
    #[serde(default)]
    dias: Option<i64>,
}

pub(crate) fn answer(sim: &Sim, req: &SimRequest) -> Answer {
    if req.body.len() > MAX_CONTROL {
        return problem(413, "corpo grande demais");
    }
    let path = req.plain_path().strip_prefix(PREFIX).unwrap_or_default();
    match (req.method.as_str(), path) {
        ("GET", "estado") => match serde_json::to_value(sim.estado()) {
            Ok(value) => Answer::json(200, &value),
            Err(_) => problem(500, "estado"),
        },
        ("GET", "faults") => Answer::json(200, &json!(sim.faults())),
        ("POST", "faults") => match serde_json::from_slice(&req.body) {
            Ok(Faults::One(fault)) => ordered(sim, vec![*fault]),
            Ok(Faults::Many(faults)) => ordered(sim, faults),
            // The untagged error says nothing; read it again for a useful one.
            Err(_) => match serde_json::from_slice::<Falha>(&req.body) {
                Ok(_) => problem(400, "falha"),
                Err(e) => problem(400, &e.to_string()),
            },
        },
        ("DELETE", "faults") => {
            sim.clear_faults();
            Answer::json(200, &json!({"falhas": 0}))
        }
        ("PUT", "parametros") => match serde_json::from_slice::<Parameters>(&req.body) {
            Ok(p) => {
                sim.set_cancel_days(p.prazo_cancelamento_dias);
                Answer::json(
                    200,
                    &json!({"prazo_cancelamento_dias": p.prazo_cancelamento_dias.max(0)}),
                )
            }
            Err(e) => problem(400, &e.to_string()),
        },
        ("GET", "ca.pem") => Answer::new(200, "application/x-pem-file", sim.pki().ca_pem()),
        ("POST", "certificados") => match serde_json::from_slice::<CertificateOrder>(&req.body) {
            Ok(order) => certificate(sim, order),
            Err(e) => problem(400, &e.to_string()),
        },
        _ => problem(404, "chamada de controle desconhecida"),
    }
}

fn ordered(sim: &Sim, faults: Vec<Falha>) -> Answer {
    for fault in faults {
        if !sim.add_fault(fault) {
            return problem(409, "falhas demais");
        }
    }
    Answer::json(201, &json!({"falhas": sim.faults().len()}))
}

fn certificate(sim: &Sim, order: CertificateOrder) -> Answer {
    let now = sim.now_ms();
    let days = order.dias.unwrap_or(365).clamp(-3650, 3650);
    let end = now.saturating_add(days.saturating_mul(DAY_MS));
    let format = match order.formato.as_deref() {
        None | Some("moderno") => PfxFormat::Modern,
        Some("legado") => PfxFormat::Legacy,
        Some(_) => return problem(400, "formato: moderno ou legado"),
    };
    let issued = sim
        .pki()
        .issue_a1(A1Request {
            documento: order.documento,
            nome: order.nome,
            valido_de_ms: now.min(end).saturating_sub(DAY_MS),
            valido_ate_ms: end,
        })
        .and_then(|files| files.pfx(&order.senha, format));
    match issued {
        Ok(pfx) => Answer::json(201, &json!({"pfx_base64": STANDARD.encode(pfx)})),
        Err(e) => problem(400, &e.to_string()),
    }
}

fn problem(status: u16, text: &str) -> Answer {
    Answer::json(
        status,
        &Value::from(serde_json::Map::from_iter([(
            "erro".to_owned(),
            json!(text),
        )])),
    )
}
