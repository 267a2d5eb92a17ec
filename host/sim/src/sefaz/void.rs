//! NFeInutilizacao4.
//!
//! Source: MOC 7.0, table 5-12.

use super::cstat::Recusa;
use super::{Incoming, NS, SISTEMA};
use crate::clock;
use crate::documents::{cnpj_ok, sigla_of};
use crate::engine::Outcome;
use crate::notes::note_id;
use crate::request::Answer;
use crate::sefaz::answer::{VERSAO, hora, protocolo};
use crate::sefaz::author::{assinante, same_company};
use crate::sefaz::document::document;
use crate::sefaz::memory::{Call, Inutilizacao, Registro as Novo};
use crate::sefaz::services::Atendimento;

/// Most numbers of a range (I04).
const MAX_NUMEROS: u64 = 10_000;
/// Kinds of emission under which an NFC-e's number may have been used.
const EMISSOES_NFCE: [&str; 3] = ["1", "4", "9"];

pub(super) fn faixa(call: &mut Call<'_>, pedido: &Incoming<'_>) -> Outcome {
    let range = match check(call, pedido) {
        Ok(range) => range,
        Err((recusa, protocol)) => {
            let document = ret(call, pedido, &recusa, protocol.as_deref());
            return pedido.responder(call, &document).into();
        }
    };
    match record(call, pedido, range) {
        Ok(outcome) => outcome,
        Err(answer) => answer.into(),
    }
}

fn record(
    call: &mut Call<'_>,
    pedido: &Incoming<'_>,
    mut range: Inutilizacao,
) -> Result<Outcome, Answer> {
    let number = protocolo(call, &pedido.t("infInut/cUF"));
    let done = ret(call, pedido, &"102".into(), Some(&number));
    let again = ret(call, pedido, &"563".into(), Some(&number));
    range.protocolo = number;
    range.xml = format!(
        "<ProcInutNFe xmlns=\"{NS}\" versao=\"4.00\">{}{done}</ProcInutNFe>",
        pedido.mensagem.texto
    );
    call.keep(Novo::Inutilizada(range))?;
    Ok(Outcome {
        answer: pedido.responder(call, &done),
        if_duplicate: Some(pedido.responder(call, &again)),
        tells_queue: false,
    })
}

/// The range, or the refusal with the protocol of the range that is there.
fn check(call: &Call<'_>, pedido: &Incoming<'_>) -> Result<Inutilizacao, (Recusa, Option<String>)> {
    let range = form(call, pedido).map_err(|r| (r, None))?;
    let before = || {
        call.memory
            .voided(&range.local, &range.cnpj, &range.modelo, range.serie)
            .filter(|v| v.ano == range.ano)
    };
    let same = before().find(|v| v.inicial == range.inicial && v.final_ == range.final_);
    if let Some(there) = same {
        return Err(("563".into(), Some(there.protocolo.clone())));
    }
    if before().any(|v| v.inicial <= range.final_ && v.final_ >= range.inicial) {
        return Err(("256".into(), None));
    }
    if (range.inicial..=range.final_).any(|n| used(call, &range, n)) {
        return Err(("241".into(), None));
    }
    Ok(range)
}

fn used(call: &Call<'_>, range: &Inutilizacao, n: u64) -> bool {
    let base = format!("{}/{}/{n}", range.modelo, range.serie);
    let ids: Vec<String> = if range.modelo == "65" {
        EMISSOES_NFCE
            .iter()
            .map(|e| format!("{base}/{e}"))
            .collect()
    } else {
        vec![base]
    };
    ids.iter()
        .filter_map(|natural| {
            call.notes
                .note(&note_id(SISTEMA, &range.local, &range.cnpj, natural))
        })
        .any(|n| n.chave.as_deref().and_then(|c| c.get(2..4)) == Some(range.ano.as_str()))
}

fn form(call: &Call<'_>, pedido: &Incoming<'_>) -> Result<Inutilizacao, Recusa> {
    let refuse = |code: &str| Err(Recusa::from(code));
    let Some(inf) = pedido.raiz().child("infInut") else {
        return refuse("215");
    };
    let t = |name: &str| inf.text_at(name).unwrap_or_default();
    let cnpj = document(Some(inf));
    same_company(&pedido.caller, &cnpj)?;
    let holder = assinante(call, pedido.raiz(), inf)?;
    same_company(&holder, &cnpj)?;
    let lugar = pedido.lugar;
    if t("tpAmb") != lugar.tp_amb() {
        return refuse("252");
    }
    let modelo = t("mod");
    let served = sigla_of(&t("cUF"))
        .is_some_and(|uf| lugar.servico.atende(&modelo, uf) == Atendimento::Normal);
    if !served || !lugar.servico.modelos.contains(&modelo.as_str()) {
        return refuse("250");
    }
    if !cnpj_ok(&cnpj) {
        return refuse("207");
    }
    let serie: u16 = t("serie").parse().map_err(|_| Recusa::from("215"))?;
    if (910..=969).contains(&serie) {
        return refuse("266");
    }
    let ano: i32 = t("ano").parse().map_err(|_| Recusa::from("215"))?;
    if ano + 2000 > clock::year(call.now_ms) {
        return refuse("453");
    }
    if ano < 6 {
        return refuse("454");
    }
    let number = |name: &str| t(name).parse::<u64>().map_err(|_| Recusa::from("215"));
    let (inicial, final_) = (number("nNFIni")?, number("nNFFin")?);
    if inicial > final_ {
        return refuse("224");
    }
    if final_ - inicial + 1 > MAX_NUMEROS {
        return refuse("201");
    }
    let id = format!(
        "ID{}{}{cnpj:0>14}{modelo}{serie:03}{inicial:09}{final_:09}",
        t("cUF"),
        t("ano")
    );
    if inf.attr("Id") != Some(id.as_str()) {
        return refuse("502");
    }
    Ok(Inutilizacao {
        local: lugar.local().to_owned(),
        cnpj,
        ano: t("ano"),
        modelo,
        serie,
        inicial,
        final_,
        protocolo: String::new(),
        registrada_ms: call.now_ms,
        xml: String::new(),
    })
}

/// `retInutNFe`. What the request says wrongly is not repeated.
fn ret(call: &Call<'_>, pedido: &Incoming<'_>, recusa: &Recusa, protocol: Option<&str>) -> String {
    let lugar = pedido.lugar;
    let inf = pedido.raiz().child("infInut");
    let t = |name: &str| inf.and_then(|i| i.text_at(name)).unwrap_or_default();
    let said = t("cUF");
    let cuf = if sigla_of(&said).is_some() {
        said.as_str()
    } else {
        lugar.cuf()
    };
    let digits = |text: &str, max: usize| {
        (1..=max).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let part = |name: &str, ok: bool| {
        if ok {
            format!("<{name}>{}</{name}>", t(name))
        } else {
            String::new()
        }
    };
    let known = cnpj_ok(&t("CNPJ"));
    let id = protocol
        .map(|p| format!(" Id=\"ID{p}\""))
        .unwrap_or_default();
    format!(
        "<retInutNFe xmlns=\"{NS}\" versao=\"4.00\"><infInut{id}><tpAmb>{}</tpAmb><verAplic>{VERSAO}</verAplic><cStat>{}</cStat>\
         <xMotivo>{}</xMotivo><cUF>{cuf}</cUF>{}{}{}{}{}{}<dhRecbto>{}</dhRecbto>{}</infInut></retInutNFe>",
        lugar.tp_amb(),
        recusa.codigo,
        lugar.motivo(recusa),
        part("ano", t("ano").len() == 2 && digits(&t("ano"), 2)),
        part("CNPJ", known),
        part("mod", matches!(t("mod").as_str(), "55" | "65")),
        part("serie", digits(&t("serie"), 3)),
        part("nNFIni", digits(&t("nNFIni"), 9)),
        part("nNFFin", digits(&t("nNFFin"), 9)),
        hora(call.now_ms, cuf),
        protocol
            .map(|p| format!("<nProt>{p}</nProt>"))
            .unwrap_or_default(),
    )
}
