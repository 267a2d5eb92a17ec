//! NFeRecepcaoEvento4.

mod rules;
mod types;

use std::collections::BTreeMap;

use super::cstat::Recusa;
use super::soap::{Mensagem, alone};
use super::{Incoming, NS, SISTEMA};
use crate::engine::Outcome;
use crate::notes::{Evento, Nota, Registro, Situacao};
use crate::request::Answer;
use crate::sefaz::answer;
use crate::sefaz::answer::{Lugar, VERSAO, hora, local, protocolo};
use crate::sefaz::author::{assinante, same_company};
use crate::sefaz::document::document;
use crate::sefaz::memory::{Call, LIBERAM, MANIFESTADA};
use crate::xml::{Element, escape, parse};

/// Most events of a batch.
const MAX_EVENTOS: usize = 20;

/// Operation name of an event for faults and counters.
pub(super) fn operacao(tipo: &str) -> &'static str {
    match tipo {
        "110111" | "110112" => "cancelar",
        "110110" => "cce",
        "210200" | "210210" | "210220" | "210240" => "manifestar",
        "110750" | "110751" => "econf",
        _ => "evento",
    }
}

/// One event of a batch.
struct Pedida {
    /// The document alone.
    texto: String,
    raiz: Element,
}

impl Pedida {
    fn from(batch: &str, element: &Element) -> Option<Self> {
        let texto = alone(element.source(batch), element);
        let raiz = parse(&texto).ok()?;
        raiz.child("infEvento")?;
        Some(Self { texto, raiz })
    }

    fn inf(&self) -> &Element {
        self.raiz.child("infEvento").unwrap_or(&self.raiz)
    }

    fn t(&self, path: &str) -> String {
        self.inf().text_at(path).unwrap_or_default()
    }

    fn autor(&self) -> String {
        document(Some(self.inf()))
    }

    fn sequencia(&self) -> u32 {
        self.t("nSeqEvento").parse().unwrap_or(0)
    }
}

/// What an event leads to once every rule holds.
struct Aceita {
    codigo: &'static str,
    nota: Option<Nota>,
}

/// NFeRecepcaoEvento4.
pub(super) fn lote(call: &mut Call<'_>, pedido: &Incoming<'_>) -> Outcome {
    let refuse = |call: &Call<'_>, code: &str| pedido.recusar(call, &code.into()).into();
    let elements = events(pedido.raiz());
    if elements.is_empty() || elements.len() > MAX_EVENTOS {
        return refuse(call, "215");
    }
    let mut read = Vec::with_capacity(elements.len());
    for element in elements {
        match Pedida::from(&pedido.mensagem.texto, element) {
            Some(event) => read.push(event),
            None => return refuse(call, "215"),
        }
    }
    let organ = read.first().map(|e| e.t("cOrgao")).unwrap_or_default();
    let known = crate::documents::sigla_of(&organ).is_some()
        || matches!(organ.as_str(), "90" | "91" | "92");
    if !known {
        return refuse(call, "215");
    }
    if read.iter().any(|e| e.t("cOrgao") != organ) {
        return refuse(call, "477");
    }
    let (mut answers, mut again) = (String::new(), String::new());
    for event in &read {
        match judge(call, pedido, event) {
            Ok((one, twice)) => {
                answers.push_str(&one);
                again.push_str(&twice);
            }
            Err(answer) => return answer.into(),
        }
    }
    let lote = pedido.t("idLote");
    let answer =
        |inside: &str| pedido.responder(call, &returned(pedido.lugar, &lote, &organ, inside));
    Outcome {
        answer: answer(&answers),
        if_duplicate: Some(answer(&again)),
        tells_queue: false,
    }
}

fn events(root: &Element) -> Vec<&Element> {
    root.elements().filter(|e| e.name == "evento").collect()
}

fn returned(lugar: Lugar, lote: &str, organ: &str, inside: &str) -> String {
    format!(
        "<retEnvEvento xmlns=\"{NS}\" versao=\"1.00\"><idLote>{}</idLote><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic>\
         <cOrgao>{organ}</cOrgao><cStat>128</cStat><xMotivo>{}</xMotivo>{inside}</retEnvEvento>",
        answer::lote(lote),
        lugar.tp_amb(),
        lugar.texto("128"),
    )
}

/// Judges one event and records it. Answers its `retEvento` and the one of
/// the same event sent once more.
fn judge(
    call: &mut Call<'_>,
    pedido: &Incoming<'_>,
    event: &Pedida,
) -> Result<(String, String), Answer> {
    let lugar = pedido.lugar;
    let verdict = same_company(&pedido.caller, &event.autor())
        .and_then(|()| assinante(call, &event.raiz, event.inf()))
        .and_then(|holder| same_company(&holder, &event.autor()))
        .and_then(|()| rules::check(call, lugar, event));
    let (tipo, chave) = (event.t("tpEvento"), event.t("chNFe"));
    call.notes.attempt(format!(
        "{SISTEMA}|{}|evento|{chave}|{tipo}|{}",
        lugar.local(),
        event.sequencia()
    ));
    let accepted = match verdict {
        Ok(accepted) => accepted,
        Err(recusa) => {
            let text = ret_evento(call, lugar, event, &recusa, None);
            return Ok((text.clone(), text));
        }
    };
    let ret = register(call, lugar, event, &accepted)?;
    let again = ret_evento(call, lugar, event, &"573".into(), None);
    Ok((ret, again))
}

/// Gives an accepted event its protocol and records it; its `retEvento`.
fn register(
    call: &mut Call<'_>,
    lugar: Lugar,
    event: &Pedida,
    accepted: &Aceita,
) -> Result<String, Answer> {
    let number = protocolo(call, &event.t("cOrgao"));
    let ret = ret_evento(
        call,
        lugar,
        event,
        &accepted.codigo.into(),
        Some((&number, accepted.nota.as_ref())),
    );
    let xml = format!(
        "<procEventoNFe xmlns=\"{NS}\" versao=\"1.00\">{}{ret}</procEventoNFe>",
        event.texto
    );
    record(call, lugar, event, accepted, &number, xml)?;
    Ok(ret)
}

/// Registers an event that the simulator itself made.
pub(super) fn registrar(
    call: &mut Call<'_>,
    lugar: Lugar,
    texto: &str,
    codigo: &'static str,
    nota: Nota,
) -> Result<(), String> {
    let raiz = parse(texto).map_err(|e| e.to_string())?;
    let event = Pedida {
        texto: texto.to_owned(),
        raiz,
    };
    let accepted = Aceita {
        codigo,
        nota: Some(nota),
    };
    register(call, lugar, &event, &accepted)
        .map(|_ret| ())
        .map_err(|_| "diário do simulador".to_owned())
}

fn record(
    call: &mut Call<'_>,
    lugar: Lugar,
    event: &Pedida,
    accepted: &Aceita,
    number: &str,
    xml: String,
) -> Result<(), Answer> {
    let tipo = event.t("tpEvento");
    let dados: BTreeMap<String, String> = [
        ("local", local(lugar.tp_amb()).to_owned()),
        ("nProt", number.to_owned()),
        ("cStat", accepted.codigo.to_owned()),
        ("orgao", event.t("cOrgao")),
        ("autor", event.autor()),
        ("dhEvento", event.t("dhEvento")),
        ("xEvento", name(&tipo).to_owned()),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v))
    .collect();
    call.record(Registro::Evento(Box::new(Evento {
        chave: event.t("chNFe"),
        tipo: tipo.clone(),
        sequencia: event.sequencia(),
        registrado_ms: call.now_ms,
        xml,
        sistema: SISTEMA.to_owned(),
        dados,
    })))?;
    let Some(nota) = &accepted.nota else {
        return Ok(());
    };
    let change = if types::cancels(&tipo) {
        Some((Situacao::Cancelada, BTreeMap::new()))
    } else if LIBERAM.contains(&tipo.as_str()) {
        Some((nota.situacao, [(MANIFESTADA.to_owned(), tipo)].into()))
    } else {
        None
    };
    match change {
        Some((situacao, dados)) => call.record(Registro::Situacao {
            id: nota.id(),
            situacao,
            dados,
        }),
        None => Ok(()),
    }
}

fn name(tipo: &str) -> &'static str {
    types::find(tipo).map_or("Evento", |t| t.nome)
}

fn ret_evento(
    call: &Call<'_>,
    lugar: Lugar,
    event: &Pedida,
    code: &Recusa,
    registered: Option<(&str, Option<&Nota>)>,
) -> String {
    let organ = event.t("cOrgao");
    let key = event.t("chNFe");
    let (id, protocol) = match registered {
        Some((number, _)) => (
            format!(" Id=\"ID{number}\""),
            format!("<nProt>{number}</nProt>"),
        ),
        None => (String::new(), String::new()),
    };
    let dest = registered
        .and_then(|(_, nota)| nota?.dados.get("dest").cloned())
        .unwrap_or_default();
    let dest = match dest.len() {
        14 => format!("<CNPJDest>{dest}</CNPJDest>"),
        11 => format!("<CPFDest>{dest}</CPFDest>"),
        _ => String::new(),
    };
    let tipo = event.t("tpEvento");
    let known = types::find(&tipo)
        .map(|t| format!("<xEvento>{}</xEvento>", escape(t.nome)))
        .unwrap_or_default();
    let cuf = if organ == "91" {
        key.get(..2).unwrap_or_default()
    } else {
        &organ
    };
    let part = |name: &str, value: &str, ok: bool| {
        if ok {
            format!("<{name}>{value}</{name}>")
        } else {
            String::new()
        }
    };
    format!(
        "<retEvento xmlns=\"{NS}\" versao=\"1.00\"><infEvento{id}><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cOrgao>{organ}</cOrgao>\
         <cStat>{}</cStat><xMotivo>{}</xMotivo>{}{}{known}{}{dest}<dhRegEvento>{}</dhRegEvento>{protocol}</infEvento></retEvento>",
        lugar.tp_amb(),
        code.codigo,
        lugar.motivo(code),
        part("chNFe", &key, super::chave::split(&key).is_some()),
        part(
            "tpEvento",
            &tipo,
            tipo.len() == 6 && tipo.bytes().all(|b| b.is_ascii_digit())
        ),
        part(
            "nSeqEvento",
            &event.sequencia().to_string(),
            (1..=99).contains(&event.sequencia())
        ),
        hora(call.now_ms, cuf),
    )
}

/// The refusal of every event of a batch, as a fault orders it.
pub(super) fn ordered(
    call: &Call<'_>,
    lugar: Lugar,
    mensagem: &Mensagem,
    recusa: &Recusa,
) -> Option<String> {
    let read: Vec<Pedida> = events(&mensagem.raiz)
        .into_iter()
        .take(MAX_EVENTOS)
        .filter_map(|e| Pedida::from(&mensagem.texto, e))
        .collect();
    let organ = read.first()?.t("cOrgao");
    let inside: String = read
        .iter()
        .map(|e| ret_evento(call, lugar, e, recusa, None))
        .collect();
    let lote = mensagem.raiz.text_at("idLote").unwrap_or_default();
    Some(returned(lugar, &lote, &organ, &inside))
}
