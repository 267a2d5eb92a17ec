//! Control calls under `/__sim/`: faults, state, certificates for tests.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Sim;
use crate::clock::DAY_MS;
use crate::engine::faults::Fault;
use crate::pki::{A1Request, PfxFormat};
use crate::request::{Answer, SimRequest};
use crate::sefaz::DepositOrder;

/// Paths that belong to the control.
pub(crate) const PREFIX: &str = "/__sim/";
/// Largest control body, bytes.
const MAX_CONTROL: usize = 64 * 1024;

#[derive(Deserialize)]
#[serde(untagged)]
enum Faults {
    Many(Vec<Fault>),
    One(Box<Fault>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// NFS-e.
    #[serde(default)]
    prazo_cancelamento_dias: Option<i64>,
    /// NF-e and NFC-e, in the place of what the state allows.
    #[serde(default)]
    prazo_cancelamento_horas: Option<i64>,
    /// Asynchronous batches of NFS-e, in the place of what the system takes.
    #[serde(default)]
    lote_pronto_ms: Option<i64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Deposit {
    Cancel(Cancel),
    Notes(DepositOrder),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancel {
    cancelar: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecurityCode {
    cnpj: String,
    id: String,
    csc: String,
    #[serde(default)]
    ambiente: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payment {
    /// The purchase of the charge.
    compra: String,
    /// Another amount than was charged.
    #[serde(default)]
    centavos: Option<i64>,
    /// Whether the hub is told; absent: yes.
    #[serde(default)]
    avisar: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Callback {
    url: String,
    segredo: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counters {
    documento: String,
    #[serde(default)]
    ambiente: Option<String>,
    /// The next NSU of the party; never less than it is.
    #[serde(default)]
    proximo_nsu: Option<u64>,
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

pub(crate) async fn answer(sim: &Sim, req: &SimRequest) -> Answer {
    if req.body.len() > MAX_CONTROL {
        return problem(413, "corpo grande demais");
    }
    let path = req.plain_path().strip_prefix(PREFIX).unwrap_or_default();
    match (req.method.as_str(), path) {
        ("GET", "estado") => match serde_json::to_value(sim.overview()) {
            Ok(value) => Answer::json(200, &value),
            Err(_) => problem(500, "estado"),
        },
        ("GET", "faults") => Answer::json(200, &json!(sim.faults())),
        ("POST", "faults") => match serde_json::from_slice(&req.body) {
            Ok(Faults::One(fault)) => ordered(sim, vec![*fault]),
            Ok(Faults::Many(faults)) => ordered(sim, faults),
            // The untagged error says nothing; read it again for a useful one.
            Err(_) => match serde_json::from_slice::<Fault>(&req.body) {
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
                let mut set = serde_json::Map::new();
                if let Some(days) = p.prazo_cancelamento_dias {
                    sim.set_cancel_days(days);
                    set.insert("prazo_cancelamento_dias".to_owned(), json!(days.max(0)));
                }
                if let Some(hours) = p.prazo_cancelamento_horas {
                    sim.set_cancel_hours(Some(hours));
                    set.insert("prazo_cancelamento_horas".to_owned(), json!(hours.max(0)));
                }
                if let Some(ms) = p.lote_pronto_ms {
                    sim.set_batch_ms(Some(ms));
                    set.insert("lote_pronto_ms".to_owned(), json!(ms.max(0)));
                }
                Answer::json(200, &Value::Object(set))
            }
            Err(e) => problem(400, &e.to_string()),
        },
        (method, path) if path.starts_with("sefaz/") => {
            sefaz(sim, method, path.trim_start_matches("sefaz/"), &req.body)
        }
        (method, path) if path.starts_with("psp/") => {
            psp(sim, method, path.trim_start_matches("psp/"), &req.body).await
        }
        ("GET", "cidades") => cities(sim),
        ("POST", "cidades") => {
            sim.cities().read_again();
            cities(sim)
        }
        ("GET", "ca.pem") => Answer::new(200, "application/x-pem-file", sim.pki().ca_pem()),
        ("POST", "certificados") => match serde_json::from_slice::<CertificateOrder>(&req.body) {
            Ok(order) => certificate(sim, order),
            Err(e) => problem(400, &e.to_string()),
        },
        _ => problem(404, "chamada de controle desconhecida"),
    }
}

/// Names of the cities that are known by their cases, and what of the cases
/// could not be learned.
fn cities(sim: &Sim) -> Answer {
    let cities = sim.cities();
    Answer::json(
        200,
        &json!({"cidades": cities.names(), "problemas": cities.problems()}),
    )
}

/// Control of NF-e and NFC-e.
fn sefaz(sim: &Sim, method: &str, path: &str, body: &[u8]) -> Answer {
    match (method, path) {
        ("POST", "depositos") => match serde_json::from_slice::<Deposit>(body) {
            Ok(Deposit::Notes(order)) => match sim.deposit(&order) {
                Ok(keys) => Answer::json(201, &json!({"chaves": keys})),
                Err(text) => problem(400, &text),
            },
            Ok(Deposit::Cancel(order)) => match sim.cancel_deposit(&order.cancelar) {
                Ok(()) => Answer::json(201, &json!({"cancelada": order.cancelar})),
                Err(text) => problem(400, &text),
            },
            // The untagged error says nothing; read it again for a useful one.
            Err(_) => match serde_json::from_slice::<DepositOrder>(body) {
                Ok(_) => problem(400, "deposito"),
                Err(e) => problem(400, &e.to_string()),
            },
        },
        ("PUT", "csc") => match serde_json::from_slice::<SecurityCode>(body) {
            Ok(code) => {
                let ambiente = code.ambiente.as_deref().unwrap_or("homologacao");
                written(sim.set_csc(ambiente, &code.cnpj, &code.id, &code.csc))
            }
            Err(e) => problem(400, &e.to_string()),
        },
        ("PUT", "contadores") => match serde_json::from_slice::<Counters>(body) {
            Ok(order) => {
                let ambiente = order.ambiente.as_deref().unwrap_or("homologacao");
                written(sim.set_nsu(ambiente, &order.documento, order.proximo_nsu))
            }
            Err(e) => problem(400, &e.to_string()),
        },
        ("GET", "inutilizacoes") => Answer::json(200, &json!(sim.overview().inutilizacoes)),
        ("GET", path) => {
            let key = path.strip_prefix("notas/").unwrap_or_default();
            match sim.nfe_proc(key) {
                Some(xml) => Answer::new(200, "application/xml; charset=utf-8", xml),
                None => problem(404, "nota desconhecida"),
            }
        }
        _ => problem(404, "chamada de controle desconhecida"),
    }
}

/// Control of the payment service provider.
async fn psp(sim: &Sim, method: &str, path: &str, body: &[u8]) -> Answer {
    match (method, path) {
        ("PUT", "aviso") => match serde_json::from_slice::<Callback>(body) {
            Ok(callback) => {
                sim.set_aviso(&callback.url, &callback.segredo);
                Answer::json(200, &json!({"gravado": true}))
            }
            Err(e) => problem(400, &e.to_string()),
        },
        ("POST", "pagar") => match serde_json::from_slice::<Payment>(body) {
            Ok(order) => {
                let told = order.avisar.unwrap_or(true);
                match sim.pay(&order.compra, order.centavos, told).await {
                    Ok(status) => Answer::json(200, &json!({"paga": true, "aviso": status})),
                    Err(text) => problem(400, &text),
                }
            }
            Err(e) => problem(400, &e.to_string()),
        },
        ("POST", "expirar") => match serde_json::from_slice::<Payment>(body) {
            Ok(order) => match sim.expire(&order.compra) {
                Ok(()) => Answer::json(200, &json!({"expirada": true})),
                Err(text) => problem(400, &text),
            },
            Err(e) => problem(400, &e.to_string()),
        },
        ("GET", path) => {
            let id = path.strip_prefix("cobrancas/").unwrap_or_default();
            match sim.charge(id) {
                Some(charge) => Answer::json(200, &json!(charge)),
                None => problem(404, "cobrança desconhecida"),
            }
        }
        _ => problem(404, "chamada de controle desconhecida"),
    }
}

fn written(result: std::io::Result<()>) -> Answer {
    match result {
        Ok(()) => Answer::json(200, &json!({"gravado": true})),
        Err(e) => problem(500, &e.to_string()),
    }
}

fn ordered(sim: &Sim, faults: Vec<Fault>) -> Answer {
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
            document: order.documento,
            name: order.nome,
            valid_from_ms: now.min(end).saturating_sub(DAY_MS),
            valid_until_ms: end,
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
