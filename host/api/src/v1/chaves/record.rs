//! A key as the API shows it: never more of it than its last characters.

use crate::gate::Call;
use accounts::api_keys::Nova;
use accounts::ledger;
use accounts::scopes::Scopes;
use base::when;
use serde_json::{Map, Value, json as value};
use store::tables::api_keys::{ApiKey, Listed};
use store::tables::budgets::Spent;
use vault::apikey::{self, KeyKind};

/// A key of a listing.
pub fn listed(row: &Listed, now_ms: i64) -> Map<String, Value> {
    let spent = Spent {
        dia_ms: row.dia_ms,
        gasto_dia: row.gasto_dia,
        mes_ms: row.mes_ms,
        gasto_mes: row.gasto_mes,
    };
    let (dia, mes) = ledger::spent_at(&spent, now_ms);
    let limited = row.limite_diario.is_some() || row.limite_mensal.is_some();
    let status = if row.revoked_at_ms > 0 {
        "revogada"
    } else if row.expires_at_ms > 0 && row.expires_at_ms <= now_ms {
        "expirada"
    } else {
        "ativa"
    };
    let ips: Vec<&str> = row.ips.split(' ').filter(|net| !net.is_empty()).collect();
    let moment = |ms: i64| (ms > 0).then(|| when::rfc3339(ms));
    let substituida = Some(&row.substituida_por).filter(|id| !id.is_empty());
    let record = value!({
        "id": row.id,
        "nome": row.nome,
        "tipo": if row.kind == KeyKind::Live { "producao" } else { "teste" },
        "prefixo": apikey::prefix(row.kind),
        "final": row.hint,
        "status": status,
        "escopos": Scopes::read(&row.escopos).names(),
        "ips": ips,
        "limite_diario": row.limite_diario,
        "limite_mensal": row.limite_mensal,
        "gasto_no_dia": limited.then_some(dia),
        "gasto_no_mes": limited.then_some(mes),
        "criada_em": when::rfc3339(row.created_at_ms),
        "expira_em": moment(row.expires_at_ms),
        "ultimo_uso_em": moment(row.last_used_ms),
        "revogada_em": moment(row.revoked_at_ms),
        "substituida_por": substituida,
    });
    match record {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// A key just made, with the two texts that are shown this once. `spent`: of
/// the allowance it shares with others.
pub fn made(call: &Call, nova: &Nova, spent: Spent) -> Map<String, Value> {
    let mut body = listed(&unused(&nova.row, spent), call.app.now_ms());
    let mut set = |name: &str, text: &str| body.insert(name.to_owned(), text.into());
    set("chave", nova.chave.expose());
    set("segredo", nova.segredo.expose());
    set("request_id", &call.caller.request_id);
    body.insert("sucesso".to_owned(), true.into());
    body
}

fn unused(row: &ApiKey, spent: Spent) -> Listed {
    let row = row.clone();
    Listed {
        id: row.id,
        kind: row.kind,
        nome: row.nome,
        hint: row.hint,
        escopos: row.escopos,
        ips: row.ips,
        limite_diario: row.limite_diario,
        limite_mensal: row.limite_mensal,
        substituida_por: row.substituida_por,
        created_at_ms: row.created_at_ms,
        revoked_at_ms: row.revoked_at_ms,
        expires_at_ms: row.expires_at_ms,
        last_used_ms: 0,
        dia_ms: spent.dia_ms,
        gasto_dia: spent.gasto_dia,
        mes_ms: spent.mes_ms,
        gasto_mes: spent.gasto_mes,
    }
}
