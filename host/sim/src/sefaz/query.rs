//! NFeConsultaProtocolo4 and NFeStatusServico4.

use super::cstat::Recusa;
use super::{Incoming, NS, SISTEMA, chave};
use crate::clock;
use crate::documents::sigla_of;
use crate::notes::{Nota, Situacao};
use crate::request::Answer;
use crate::sefaz::answer::{VERSAO, eventos, hora};
use crate::sefaz::memory::Call;
use crate::sefaz::services::Atendimento;

/// Situation of a note by its key, with its events.
pub(super) fn protocolo(call: &Call<'_>, pedido: &Incoming<'_>) -> Answer {
    match situation(call, pedido) {
        Ok(document) => pedido.responder(call, &document),
        Err(recusa) => pedido.recusar(call, &recusa),
    }
}

fn situation(call: &Call<'_>, pedido: &Incoming<'_>) -> Result<String, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let lugar = pedido.lugar;
    if pedido.t("tpAmb") != lugar.tp_amb() {
        return refuse("252");
    }
    let key = pedido.t("chNFe");
    let parts = chave::check(&key, clock::year(call.now_ms))?;
    if matches!(
        lugar.servico.atende(parts.modelo, parts.uf()),
        Atendimento::Nenhum | Atendimento::OutraContingencia
    ) {
        return refuse("226");
    }
    // Emission more than six months ago (rule J03, 526 at some authorizers).
    let found = call
        .notes
        .note_by_key(&key)
        .filter(|n| visible(call, n, lugar.local()));
    let Some(nota) = found else {
        return other(call, &parts, lugar.local(), &key);
    };
    let events = eventos(call, &key);
    let code = match (nota.situacao, cancelled_late(&events)) {
        (Situacao::Normal, _) => nota.dados.get("cStat").map_or("100", String::as_str),
        (_, true) => "151",
        (_, false) => "101",
    };
    let procs: String = events
        .iter()
        .filter(|e| e.dados.get("orgao").is_none_or(|o| o != "91"))
        .map(|e| e.xml.as_str())
        .collect();
    let prot = nota.dados.get("prot").map_or("", String::as_str);
    Ok(format!(
        "<retConsSitNFe xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{code}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{}</cUF><dhRecbto>{}</dhRecbto><chNFe>{key}</chNFe>{prot}{procs}</retConsSitNFe>",
        lugar.tp_amb(),
        lugar.texto(code),
        parts.cuf,
        hora(call.now_ms, parts.cuf),
    ))
}

/// Nothing under this key: another key may hold the number (562, 613), which
/// is told with the key that is there.
fn other(
    call: &Call<'_>,
    parts: &chave::Chave<'_>,
    local: &str,
    key: &str,
) -> Result<String, Recusa> {
    let natural = natural(parts);
    let id = crate::notes::note_id(SISTEMA, local, parts.documento(), &natural);
    let same_number = call.notes.note(&id).filter(|n| visible(call, n, local));
    let Some(nota) = same_number else {
        return Err("217".into());
    };
    let there = nota.chave.clone().unwrap_or_default();
    let code = match chave::split(&there) {
        Some(t) if t.ano != parts.ano || t.mes != parts.mes => "561",
        Some(t) if t.cnf != parts.cnf && there.get(..35) == key.get(..35) => "562",
        _ => "613",
    };
    Err(Recusa::com(code, format!(" [chNFe:{there}]")))
}

/// Natural key of a note: model, series and number without zeros in front;
/// for the NFC-e the kind of emission too (rule 2B08-10).
pub(super) fn natural(parts: &chave::Chave<'_>) -> String {
    let plain = |t: &str| t.trim_start_matches('0').to_owned();
    let serie = plain(parts.serie);
    let serie = if serie.is_empty() { "0" } else { &serie };
    let number = plain(parts.numero);
    if parts.modelo == "65" {
        format!("65/{serie}/{number}/{}", parts.tp_emis)
    } else {
        format!("{}/{serie}/{number}", parts.modelo)
    }
}

fn visible(call: &Call<'_>, nota: &Nota, local: &str) -> bool {
    nota.sistema == SISTEMA && nota.local == local && nota.disponivel_ms <= call.now_ms
}

fn cancelled_late(events: &[&crate::notes::Evento]) -> bool {
    events.iter().any(|e| {
        matches!(e.tipo.as_str(), "110111" | "110112")
            && e.dados.get("cStat").is_some_and(|c| c == "155")
    })
}

/// NFeStatusServico4.
pub(super) fn status(call: &Call<'_>, pedido: &Incoming<'_>) -> Answer {
    let lugar = pedido.lugar;
    if pedido.t("tpAmb") != lugar.tp_amb() {
        return pedido.recusar(call, &"252".into());
    }
    let cuf = pedido.t("cUF");
    let served = sigla_of(&cuf).is_some_and(|uf| {
        lugar.servico.modelos.iter().any(|m| {
            matches!(
                lugar.servico.atende(m, uf),
                Atendimento::Normal | Atendimento::Contingencia
            )
        })
    });
    if !served {
        return pedido.recusar(call, &"289".into());
    }
    let document = format!(
        "<retConsStatServ xmlns=\"{NS}\" versao=\"4.00\"><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>107</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF><dhRecbto>{}</dhRecbto><tMed>1</tMed></retConsStatServ>",
        lugar.tp_amb(),
        lugar.texto("107"),
        hora(call.now_ms, &cuf),
    );
    pedido.responder(call, &document)
}
