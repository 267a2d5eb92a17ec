//! POST /nfse: checks a DPS and issues the note.

use std::collections::BTreeMap;

use serde_json::json;

use super::answer::{VERSION, envelope, refuse_list};
use super::codes::Refusal;
use super::dps::{Dps, NS, uses_prefix};
use super::key::Key;
use super::services::{self, Incidence};
use super::signed::{Signed, read, signer};
use super::tax::{self, Consumption, Values, money};
use super::{Ambiente, SYSTEM, event, package, rules};
use crate::clock;
use crate::documents::{municipality_name, same_holder, uf};
use crate::engine::{Call, Outcome};
use crate::nfse::layout::{self, NACIONAL};
use crate::notes::{Nota, Record, Status, note_id};
use crate::request::Answer;
use crate::xml::escape;
use crate::xml::signature;

/// Reads, checks and issues; `given` is a document out of the form of a city
/// and who signed it there. A refusal changes nothing.
pub(super) fn issue(call: &mut Call<'_>, ambiente: Ambiente, given: Option<Signed>) -> Outcome {
    match accept(call, ambiente, given) {
        Ok(outcome) => outcome,
        Err(Stop::Refused(id, refusals)) => {
            refuse_list(call, ambiente, 400, id.as_deref(), &refusals).into()
        }
        Err(Stop::Broken(answer)) => answer.into(),
    }
}

enum Stop {
    Refused(Option<String>, Vec<Refusal>),
    Broken(Answer),
}

fn accept(call: &mut Call<'_>, ambiente: Ambiente, given: Option<Signed>) -> Result<Outcome, Stop> {
    let refuse =
        |id: Option<&str>, refusal: Refusal| Stop::Refused(id.map(str::to_owned), vec![refusal]);
    let (xml, known) = match given {
        Some(Signed { xml, signer }) => (xml, Some(signer)),
        None => {
            let xml = package::open(&call.req.body, "dpsXmlGZipB64")
                .map_err(|code| refuse(None, code.into()))?;
            (xml, None)
        }
    };
    let root = read(&xml).map_err(|r| refuse(None, r))?;
    if root.name != "DPS" {
        return Err(refuse(None, "E1242".into()));
    }
    if uses_prefix(&root) {
        return Err(refuse(None, "E1228".into()));
    }
    layout::check(&NACIONAL, &[("", NS)], &root).map_err(|v| {
        refuse(
            root.child("infDPS").and_then(|i| i.attr("Id")),
            Refusal::with("E1235", v.to_string()),
        )
    })?;
    let Some(dps) = Dps::of(&root) else {
        return Err(refuse(None, "E1235".into()));
    };
    let id = dps.id().to_owned();

    let signer = known.map_or_else(|| signer(call, &root, dps.inf), Ok);
    let signer = signer.map_err(|code| refuse(Some(&id), code.into()))?;
    let mut refusals = rules::check(&dps, ambiente, call.now_ms);
    let provider = dps.provider();
    if !same_holder(&signer.document, &provider) {
        refusals.push("E0718".into());
    }
    let values = tax::values(&dps);
    if values.net.is_sign_negative() && !values.net.is_zero() {
        refusals.push("E1508".into());
    }
    let replaced = match dps.text("subst/chSubstda") {
        Some(chave) => match replaceable(call, ambiente, &dps, &chave) {
            Ok(nota) => Some(nota),
            Err(code) => {
                refusals.push(code.into());
                None
            }
        },
        None => None,
    };
    let natural = note_id(SYSTEM, ambiente.name(), &provider, &id);
    call.notes.attempt(natural.clone());
    if let Some(nota) = call.notes.note(&natural) {
        let already = Refusal::with("E0014", nota.chave.clone().unwrap_or_default());
        refusals.push(already);
    }
    if !refusals.is_empty() {
        return Err(Stop::Refused(Some(id), refusals));
    }

    let source = root.source(&xml).to_owned();
    let nota = build(call, ambiente, &dps, &source, &signer.name, &values)
        .ok_or_else(|| Stop::Broken(Answer::new(500, "text/plain", "")))?;
    let chave = nota.chave.clone().unwrap_or_default();
    let packed = package::pack(&nota.xml);
    call.record(Record::Nota(Box::new(nota)))
        .map_err(Stop::Broken)?;
    if let Some(old) = replaced {
        event::replace(call, ambiente, &old, &chave, &dps).map_err(Stop::Broken)?;
    }

    Ok(issued(call, ambiente, &id, chave, &packed))
}

/// The answer to an issued note.
fn issued(call: &Call<'_>, ambiente: Ambiente, id: &str, chave: String, packed: &str) -> Outcome {
    let mut body = envelope(call, ambiente);
    body.insert("idDps".into(), json!(id));
    body.insert("chaveAcesso".into(), json!(chave));
    body.insert("nfseXmlGZipB64".into(), json!(packed));
    body.insert("alertas".into(), serde_json::Value::Null);
    let again = refuse_list(
        call,
        ambiente,
        400,
        Some(id),
        &[Refusal::with("E0014", chave)],
    );
    Outcome {
        answer: Answer::json(201, &serde_json::Value::Object(body)),
        if_duplicate: Some(again),
        tells_queue: false,
    }
}

/// The note that a DPS wants to replace.
fn replaceable(
    call: &Call<'_>,
    ambiente: Ambiente,
    dps: &Dps<'_>,
    chave: &str,
) -> Result<Nota, &'static str> {
    let nota = call
        .notes
        .note_by_key(chave)
        .filter(|n| n.local == ambiente.name() && n.disponivel_ms <= call.now_ms)
        .ok_or("E0044")?;
    if nota.prestador != dps.provider() {
        return Err("E0042");
    }
    if nota.situacao != Status::Normal {
        return Err("E0046");
    }
    if call.now_ms.saturating_sub(nota.emitida_ms) > call.cancel_days.saturating_mul(clock::DAY_MS)
    {
        return Err("E0050");
    }
    // Rule E0061: who pays by the Simples may not change what the tax is about.
    let same =
        |field: &str, now: String| nota.dados.get(field).is_some_and(|before| *before == now);
    let kept = same("tomador", dps.document("toma").unwrap_or_default())
        && same("competencia", dps.get("dCompet"))
        && same("valor", money(dps.money("valores/vServPrest/vServ")));
    if dps.simples() != "1" && !kept {
        return Err("E0061");
    }
    Ok(nota)
}

fn build(
    call: &Call<'_>,
    ambiente: Ambiente,
    dps: &Dps<'_>,
    source: &str,
    signer_name: &str,
    values: &Values,
) -> Option<Nota> {
    let provider = dps.provider();
    let number = call.notes.next_number(SYSTEM, ambiente.name(), &provider);
    let municipality = dps.get("cLocEmi");
    let chave = Key {
        municipality: &municipality,
        document: &provider,
        number,
        aamm: &clock::aamm(call.now_ms),
        random: call.draw(
            &format!("chave|{}|{}", ambiente.name(), dps.id()),
            1_000_000_000,
        ),
    }
    .text();
    let inside = information(call, dps, source, signer_name, values, number, &chave);
    let unsigned = format!("<NFSe xmlns=\"{NS}\" versao=\"1.01\">{inside}</NFSe>");
    let signed = signature::sign(&unsigned, "infNFSe", call.pki.authority())?;
    let mut data = BTreeMap::new();
    data.insert(
        "tomador".to_owned(),
        dps.document("toma").unwrap_or_default(),
    );
    data.insert("competencia".to_owned(), dps.get("dCompet"));
    data.insert(
        "valor".to_owned(),
        money(dps.money("valores/vServPrest/vServ")),
    );
    data.insert("municipio".to_owned(), municipality);
    let parts = ["prest", "toma", "interm", "IBSCBS/dest"]
        .iter()
        .filter_map(|g| dps.document(g))
        .collect();
    Some(Nota {
        sistema: SYSTEM.to_owned(),
        local: ambiente.name().to_owned(),
        prestador: provider,
        chave_natural: dps.id().to_owned(),
        numero: number,
        chave: Some(chave),
        codigo_verificacao: None,
        situacao: Status::Normal,
        emitida_ms: call.now_ms,
        disponivel_ms: call.available_ms(),
        partes: parts,
        xml: format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{signed}"),
        dados: data,
    })
}

/// `<name>text</name>`
fn tag(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape(text))
}

fn information(
    call: &Call<'_>,
    dps: &Dps<'_>,
    source: &str,
    signer_name: &str,
    values: &Values,
    number: u64,
    chave: &str,
) -> String {
    let municipality = dps.get("cLocEmi");
    let place = dps.text("serv/locPrest/cLocPrestacao");
    let service = dps.get("serv/cServ/cTribNac");
    let mut x = format!("<infNFSe Id=\"NFS{chave}\">");
    x += &tag("xLocEmi", &municipality_name(&municipality));
    x += &tag(
        "xLocPrestacao",
        &place
            .as_deref()
            .map_or("Exterior".to_owned(), municipality_name),
    );
    x += &tag("nNFSe", &number.to_string());
    if dps.taxation() == "1" {
        let due = incidence(dps, &service, place.as_deref());
        x += &tag("cLocIncid", &due);
        x += &tag("xLocIncid", &municipality_name(&due));
    }
    x += &tag("xTribNac", &services::title(&service));
    if let Some(code) = dps.text("serv/cServ/cTribMun") {
        x += &tag("xTribMun", &format!("Código municipal {code}"));
    }
    if let Some(nbs) = dps.text("serv/cServ/cNBS") {
        x += &tag("xNBS", &format!("NBS {nbs}"));
    }
    x += &tag("verAplic", VERSION);
    x += &tag("ambGer", "2");
    x += &tag("tpEmis", "1");
    x += &tag("procEmi", "1");
    // 107: note of a MEI.
    x += &tag("cStat", if dps.simples() == "2" { "107" } else { "100" });
    x += &tag("dhProc", &clock::date_time(call.now_ms));
    x += &tag("nDFSe", &(call.notes.documents() + 1).to_string());
    x += &issuer(dps, signer_name, &municipality);
    x += &amounts(values);
    if let Some(consumption) = tax::consumption(dps, values) {
        x += &new_taxes(
            &consumption,
            place
                .as_deref()
                .filter(|p| *p != "0000000")
                .unwrap_or(&municipality),
        );
    }
    x + source + "</infNFSe>"
}

/// Municipality where the ISSQN is due (LC 116/2003 art. 3).
fn incidence(dps: &Dps<'_>, service: &str, place: Option<&str>) -> String {
    let home = dps.get("cLocEmi");
    match services::incidence(service) {
        Some(Incidence::Place) => place
            .filter(|p| *p != "0000000")
            .map_or(home, str::to_owned),
        Some(Incidence::Customer) => dps.text("toma/end/endNac/cMun").unwrap_or(home),
        Some(Incidence::Provider) | None => home,
    }
}

/// The register's data of the issuer: name from the certificate, a made-up address.
fn issuer(dps: &Dps<'_>, name: &str, municipality: &str) -> String {
    let mut x = String::from("<emit>");
    match dps.text("prest/CNPJ") {
        Some(cnpj) => x += &tag("CNPJ", &cnpj),
        None => x += &tag("CPF", &dps.get("prest/CPF")),
    }
    if let Some(im) = dps.text("prest/IM") {
        x += &tag("IM", &im);
    }
    x += &tag(
        "xNome",
        if name.is_empty() {
            "EMITENTE DE TESTE"
        } else {
            name
        },
    );
    x += "<enderNac><xLgr>RUA DO SIMULADOR</xLgr><nro>100</nro><xBairro>CENTRO</xBairro>";
    x += &tag("cMun", municipality);
    x += &tag("UF", uf(municipality).unwrap_or("DF"));
    x += "<CEP>70000000</CEP></enderNac>";
    for field in ["fone", "email"] {
        if let Some(value) = dps.text(&format!("prest/{field}")) {
            x += &tag(field, &value);
        }
    }
    x + "</emit>"
}

fn amounts(v: &Values) -> String {
    let optional = |name: &str, value: Option<rust_decimal::Decimal>| {
        value.map(|v| tag(name, &money(v))).unwrap_or_default()
    };
    let mut x = String::from("<valores>");
    x += &optional("vCalcDR", v.calculated_deduction);
    if let Some((kind, value)) = v.benefit {
        x += &tag("tpBM", &kind.to_string());
        x += &optional("vCalcBM", value);
    }
    x += &optional("vBC", v.base);
    x += &optional("pAliqAplic", v.rate);
    x += &optional("vISSQN", v.iss);
    x += &optional("vTotalRet", v.withheld);
    x += &tag("vLiq", &money(v.net));
    x + "</valores>"
}

fn new_taxes(c: &Consumption, place: &str) -> String {
    let mut x = String::from("<IBSCBS>");
    x += &tag("cLocalidadeIncid", place);
    x += &tag("xLocalidadeIncid", &municipality_name(place));
    x += "<valores>";
    x += &tag("vBC", &money(c.base));
    if let Some(value) = c.reimbursed {
        x += &tag("vCalcReeRepRes", &money(value));
    }
    for (group, rate, effective, value) in [
        ("uf", "pIBSUF", "pAliqEfetUF", c.rates.uf),
        ("mun", "pIBSMun", "pAliqEfetMun", c.rates.mun),
        ("fed", "pCBS", "pAliqEfetCBS", c.rates.fed),
    ] {
        x += &format!(
            "<{group}>{}{}</{group}>",
            tag(rate, &money(value)),
            tag(effective, &money(value))
        );
    }
    x += "</valores><totCIBS>";
    x += &tag("vTotNF", &money(c.total));
    x += "<gIBS>";
    x += &tag("vIBSTot", &money(c.values.uf + c.values.mun));
    let deferred = |name: &str, value: Option<rust_decimal::Decimal>| {
        value.map(|v| tag(name, &money(v))).unwrap_or_default()
    };
    x += &format!(
        "<gIBSUFTot>{}{}</gIBSUFTot>",
        deferred("vDifUF", c.deferred.map(|d| d.uf)),
        tag("vIBSUF", &money(c.values.uf))
    );
    x += &format!(
        "<gIBSMunTot>{}{}</gIBSMunTot>",
        deferred("vDifMun", c.deferred.map(|d| d.mun)),
        tag("vIBSMun", &money(c.values.mun))
    );
    x += "</gIBS>";
    x += &format!(
        "<gCBS>{}{}</gCBS>",
        deferred("vDifCBS", c.deferred.map(|d| d.fed)),
        tag("vCBS", &money(c.values.fed))
    );
    x + "</totCIBS></IBSCBS>"
}
