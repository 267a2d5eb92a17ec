//! Rules of the registration of events.
//!
//! Source: MOC 7.0, tables 5-35 to 5-42; NT 2018.004 (cancelling by
//! substitution); periods of the states second-hand (2026-11).

use super::super::SISTEMA;
use super::super::chave::{self, Chave};
use super::super::cstat::Recusa;
use super::{Aceita, Pedida};
use crate::clock::{self, DAY_MS, HOUR_MS, parse_date_time};
use crate::documents::{cnpj_ok, cpf_ok, same_holder};
use crate::notes::{Evento, Nota, Situacao};
use crate::sefaz::answer::Lugar;
use crate::sefaz::document::Nfe;
use crate::sefaz::event::types::{self, Autor, Onde, Tipo};
use crate::sefaz::memory::Call;
use crate::sefaz::rules::ie_ok;
use crate::sefaz::services::Atendimento;
use crate::xml::parse;

/// The clocks of company and authority may differ by this much.
const SINCRONISMO_MS: i64 = 5 * 60_000;
/// CC-e after authorization.
const CCE_MS: i64 = 720 * HOUR_MS;
/// Cancelling by substitution.
const SUBSTITUICAO_MS: i64 = 168 * HOUR_MS;

pub(super) fn check(call: &Call<'_>, lugar: Lugar, event: &Pedida) -> Result<Aceita, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let (codigo, key) = (event.t("tpEvento"), event.t("chNFe"));
    let id = format!("ID{codigo}{key}{:02}", event.sequencia());
    if event.inf().attr("Id") != Some(id.as_str()) {
        return refuse("572");
    }
    let Some(tipo) = types::find(&codigo) else {
        return refuse("491");
    };
    if event.t("verEvento") != "1.00" {
        return refuse("492");
    }
    crate::sefaz::structure::event(&codigo, &event.texto)?;
    let parts = form(call, lugar, event, tipo, &key)?;
    let local = lugar.local();
    let nota = call
        .notes
        .note_by_key(&key)
        .filter(|n| n.sistema == SISTEMA && n.local == local)
        .cloned();
    let known: Vec<&Evento> = call
        .notes
        .events_of(&key)
        .filter(|e| e.sistema == SISTEMA)
        .collect();
    let repeated = known
        .iter()
        .any(|e| e.tipo == codigo && e.sequencia == event.sequencia());
    if repeated {
        return refuse("573");
    }
    if !(1..=tipo.maximo).contains(&event.sequencia()) {
        return refuse("594");
    }
    let Some(nota) = nota else {
        return Err(Recusa::com("494", format!(" [chNFe:{key}]")));
    };
    if nota.disponivel_ms > call.now_ms {
        // The national environment does not have it yet.
        if tipo.onde == Onde::Nacional {
            return Ok(Aceita {
                codigo: "136",
                nota: None,
            });
        }
        return Err(Recusa::com("494", format!(" [chNFe:{key}]")));
    }
    author(tipo, event, &nota)?;
    let codigo = match tipo.codigo {
        "110111" | "110112" => cancelling(call, event, &nota, &known, &parts)?,
        "110110" => correction(call, event, &nota, &known, &parts)?,
        c if c.starts_with("2102") => manifestation(call, tipo, &nota, &known)?,
        _ => other(event, tipo, &nota, &known)?,
    };
    dates(event, tipo, &nota)?;
    Ok(Aceita {
        codigo,
        nota: Some(nota),
    })
}

/// What is looked at without the data base.
fn form<'a>(
    call: &Call<'_>,
    lugar: Lugar,
    event: &Pedida,
    tipo: &Tipo,
    key: &'a str,
) -> Result<Chave<'a>, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let national = lugar.servico.is("AN");
    let organ = event.t("cOrgao");
    let right_organ = match tipo.onde {
        Onde::Nacional => national && organ == "91",
        Onde::Uf => !national && key.get(..2) == Some(organ.as_str()),
        Onde::Ambos => {
            key.get(..2) == Some(organ.as_str()) || matches!(organ.as_str(), "91" | "92")
        }
    };
    // SVRS registers some events for all states, in its own name.
    let for_all = tipo.onde == Onde::Ambos && organ == "92" && lugar.servico.is("SVRS");
    if !right_organ {
        return refuse("250");
    }
    if event.t("tpAmb") != lugar.tp_amb() {
        return refuse("252");
    }
    let author = event.autor();
    if event.inf().child("CNPJ").is_some() {
        if !cnpj_ok(&author) {
            return refuse("489");
        }
    } else if !cpf_ok(&author) {
        return refuse("490");
    }
    let parts = chave::check(key, clock::year(call.now_ms))?;
    let served = lugar.servico.atende(parts.modelo, parts.uf());
    if !for_all && !matches!(served, Atendimento::Normal | Atendimento::Contingencia) {
        return refuse("249");
    }
    if parts.modelo == "65" && !matches!(tipo.codigo, "110111" | "110112" | "110750" | "110751") {
        return refuse(if tipo.codigo == "110110" {
            "784"
        } else {
            "450"
        });
    }
    if tipo.autor == Autor::Emitente && author != parts.documento() {
        return refuse("574");
    }
    if tipo.autor == Autor::Fisco {
        return refuse("576");
    }
    match parse_date_time(&event.t("dhEvento")) {
        Some(at) if at <= call.now_ms.saturating_add(SINCRONISMO_MS) => {}
        _ => return refuse("578"),
    }
    let says_state = event.t("detEvento/cOrgaoAutor");
    if tipo.codigo == "110112" && says_state != parts.cuf {
        return refuse("455");
    }
    let kind = event.t("detEvento/tpAutor");
    let wanted = match tipo.codigo {
        c if c.starts_with("112") || c == "110112" => "1",
        "211120" => kind.as_str(),
        c if c.starts_with("211") => "2",
        _ => kind.as_str(),
    };
    if kind != wanted {
        return refuse("466");
    }
    Ok(parts)
}

fn author(tipo: &Tipo, event: &Pedida, nota: &Nota) -> Result<(), Recusa> {
    let author = event.autor();
    let is = |who: &str| same_holder(&author, who);
    let dest = nota.dados.get("dest").map_or("", String::as_str);
    match tipo.autor {
        Autor::Destinatario if !is(dest) => Err("575".into()),
        Autor::Partes if !is(dest) && !is(&nota.prestador) => Err("575".into()),
        _ => Ok(()),
    }
}

fn dates(event: &Pedida, tipo: &Tipo, nota: &Nota) -> Result<(), Recusa> {
    let at = parse_date_time(&event.t("dhEvento")).unwrap_or(0);
    let note = parse(&nota.xml).ok();
    let field = |path: &str| {
        note.as_ref()
            .and_then(|n| n.text_at(path))
            .unwrap_or_default()
    };
    let issued = parse_date_time(&field("infNFe/ide/dhEmi")).unwrap_or(0);
    if at < issued {
        return Err("577".into());
    }
    let normal = field("infNFe/ide/tpEmis") == "1" && tipo.autor == Autor::Emitente;
    if normal && at < nota.emitida_ms.saturating_sub(SINCRONISMO_MS) {
        return Err("579".into());
    }
    Ok(())
}

/// Periods of a state: in time, and taken late.
///
/// Second-hand: NF-e 24 h, in AL 168 h, SP late up to 480 h; NFC-e 30 min,
/// late at AM, MT, RJ, RO and SE (a day is assumed).
fn periods(modelo: &str, uf: &str) -> (i64, i64) {
    match (modelo, uf) {
        ("55", "AL") => (168 * HOUR_MS, 168 * HOUR_MS),
        ("55", "SP") => (24 * HOUR_MS, 480 * HOUR_MS),
        ("55", _) => (24 * HOUR_MS, 24 * HOUR_MS),
        (_, "AM" | "MT" | "RJ" | "RO" | "SE") => (HOUR_MS / 2, 24 * HOUR_MS),
        _ => (HOUR_MS / 2, HOUR_MS / 2),
    }
}

fn cancelling(
    call: &Call<'_>,
    event: &Pedida,
    nota: &Nota,
    known: &[&Evento],
    parts: &Chave<'_>,
) -> Result<&'static str, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    if nota.situacao != Situacao::Normal {
        return refuse("420");
    }
    let substitution = event.t("tpEvento") == "110112";
    let age = call
        .now_ms
        .saturating_sub(nota.emitida_ms.max(nota.disponivel_ms));
    let (mut in_time, mut late) = periods(parts.modelo, parts.uf());
    if substitution {
        (in_time, late) = (SUBSTITUICAO_MS, SUBSTITUICAO_MS);
    }
    if let Some(hours) = call.cancel_hours {
        in_time = hours.saturating_mul(HOUR_MS);
        late = late.max(in_time);
    }
    if age > late {
        return refuse("501");
    }
    if nota.dados.get("nProt") != Some(&event.t("detEvento/nProt")) {
        return refuse("222");
    }
    let last = known.iter().rev().find(|e| types::conclusive(&e.tipo));
    if last.is_some_and(|e| e.tipo == "210200") {
        return refuse("221");
    }
    if substitution {
        replaced(call, event, nota, parts)?;
    }
    Ok(if age > in_time { "155" } else { "135" })
}

/// The note that takes the place of the cancelled one (P31, 5P31).
fn replaced(call: &Call<'_>, event: &Pedida, nota: &Nota, parts: &Chave<'_>) -> Result<(), Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let key = event.t("detEvento/chNFeRef");
    let Ok(other) = chave::check(&key, clock::year(call.now_ms)) else {
        return Err(Recusa::com("910", " (Dígito)"));
    };
    for (differs, what) in [
        (key == event.t("chNFe"), " (mesma Chave de Acesso)"),
        (other.cuf != parts.cuf, " (Código da UF)"),
        (other.emitente != parts.emitente, " (CNPJ/CPF)"),
        (other.modelo != parts.modelo, " (Modelo)"),
    ] {
        if differs {
            return Err(Recusa::com("911", what));
        }
    }
    if parts.tp_emis != "1" || other.tp_emis != "9" {
        return refuse("920");
    }
    let found = call.notes.note_by_key(&key).filter(|n| {
        n.sistema == SISTEMA && n.local == nota.local && n.disponivel_ms <= call.now_ms
    });
    let Some(found) = found else {
        return refuse("912");
    };
    if found.situacao != Situacao::Normal {
        return refuse("913");
    }
    let read = |n: &Nota| {
        parse(&n.xml).ok().map(|raiz| Nfe {
            texto: String::new(),
            raiz,
        })
    };
    let (Some(old), Some(new)) = (read(nota), read(found)) else {
        return refuse("912");
    };
    let issued = |n: &Nfe| parse_date_time(&n.t("ide/dhEmi")).unwrap_or(0);
    if issued(&new).saturating_sub(issued(&old)) > 2 * HOUR_MS {
        return refuse("914");
    }
    if old.n("total/ICMSTot/vNF") != new.n("total/ICMSTot/vNF") {
        return refuse("915");
    }
    if old.n("total/ICMSTot/vICMS") != new.n("total/ICMSTot/vICMS") {
        return refuse("916");
    }
    if !old.destinatario().is_empty() && old.destinatario() != new.destinatario() {
        return refuse("917");
    }
    if old.itens().count() != new.itens().count() {
        return refuse("918");
    }
    let fields = [
        "cProd", "cEAN", "xProd", "NCM", "CFOP", "uCom", "qCom", "vUnCom", "vProd", "indTot",
    ];
    let same = old.itens().zip(new.itens()).all(|(a, b)| {
        fields.iter().all(|f| {
            let path = format!("prod/{f}");
            a.text_at(&path) == b.text_at(&path)
        })
    });
    if same { Ok(()) } else { refuse("919") }
}

fn correction(
    call: &Call<'_>,
    event: &Pedida,
    nota: &Nota,
    known: &[&Evento],
    _parts: &Chave<'_>,
) -> Result<&'static str, Recusa> {
    if nota.situacao != Situacao::Normal {
        return Err("580".into());
    }
    if call.now_ms.saturating_sub(nota.emitida_ms) > CCE_MS {
        return Err(Recusa::com("596", ": 720 horas"));
    }
    // Each letter takes the place of the one before: the numbers grow.
    let last = known
        .iter()
        .filter(|e| e.tipo == "110110")
        .map(|e| e.sequencia)
        .max()
        .unwrap_or(0);
    if event.sequencia() <= last {
        return Err("573".into());
    }
    Ok("135")
}

fn manifestation(
    call: &Call<'_>,
    tipo: &Tipo,
    nota: &Nota,
    known: &[&Evento],
) -> Result<&'static str, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let cancelled = nota.situacao != Situacao::Normal;
    let concluded: Vec<_> = known
        .iter()
        .filter(|e| types::conclusive(&e.tipo))
        .collect();
    let age = call.now_ms.saturating_sub(nota.emitida_ms);
    if tipo.codigo == "210210" {
        if cancelled {
            return refuse("650");
        }
        if !concluded.is_empty() {
            return refuse("655");
        }
        if age > 10 * DAY_MS {
            return Err(Recusa::com("596", ": 10 dias"));
        }
        return Ok("135");
    }
    if cancelled && tipo.codigo == "210220" {
        return refuse("651");
    }
    if age > 180 * DAY_MS {
        return Err(Recusa::com("596", ": 180 dias"));
    }
    // A conclusive manifestation may be changed once.
    if concluded.len() >= 2 {
        return refuse("594");
    }
    Ok("135")
}

/// ECONF, delivery, reform: an authorized note, and for a cancelling the
/// event it cancels.
fn other(
    event: &Pedida,
    tipo: &Tipo,
    nota: &Nota,
    known: &[&Evento],
) -> Result<&'static str, Recusa> {
    if nota.situacao != Situacao::Normal {
        return Err("580".into());
    }
    let target = match tipo.codigo {
        "110751" => Some(("110750".to_owned(), "nProtEvento")),
        "110131" => Some(("110130".to_owned(), "nProtEvento")),
        "110193" => Some(("110192".to_owned(), "nProtEvento")),
        "110001" => Some((event.t("detEvento/tpEventoAut"), "nProtEvento")),
        _ => None,
    };
    if let Some((of, field)) = target {
        let number = event.t(&format!("detEvento/{field}"));
        let found = known
            .iter()
            .find(|e| e.tipo == of && e.dados.get("nProt") == Some(&number));
        let Some(found) = found else {
            return Err("222".into());
        };
        let same = found
            .dados
            .get("autor")
            .is_some_and(|a| same_holder(a, &event.autor()));
        if !same {
            return Err("574".into());
        }
    }
    if let Some(ie) = event.inf().text_at("detEvento/IE") {
        let uf = crate::documents::sigla_of(&event.t("cOrgao")).unwrap_or_default();
        if !uf.is_empty() && !ie_ok(uf, &ie) {
            return Err("209".into());
        }
    }
    Ok("135")
}
