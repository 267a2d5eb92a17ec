//! National NFS-e, XSD 1.00 and 1.01; sources of each field as NT 008, item
//! 2.4.5, names them.

use super::ibs_cbs::{self, add};
use crate::danfse::reading::descriptions::national as description;
use crate::danfse::reading::group::Group;
use crate::danfse::{
    Ambiente, Danfse, FederalTaxation, MunicipalTaxation, Municipality, Party, Prestador,
    Recipient, Service, Standard, Totals,
};
use markup::format::{DASH, ibge_uf, money, percentage};
use markup::xml::Element;

/// Positions of an access key.
const CHAVE: usize = 50;

pub(super) fn read(nota: Element<'_>) -> Danfse {
    let id = nota.attribute("Id").unwrap_or("").trim();
    let chave = id.strip_prefix("NFS").unwrap_or(id).to_owned();
    let nfse = Group::from(nota);
    let dps = nfse.at("DPS/infDPS");
    let ambiente = if dps.text("tpAmb") == "2" {
        Ambiente::Homologacao
    } else {
        Ambiente::Production
    };
    let emitter_code = dps.text("cLocEmi");
    let tomador = dps.at("toma");
    let intermediary = dps.at("interm");
    let iss = iss(nfse, dps);
    let federal = federal(dps);
    let ibs_cbs = ibs_cbs::read(
        dps.at("IBSCBS"),
        nfse.at("IBSCBS"),
        add([
            iss.unconditional_discount,
            iss.value,
            federal.pis,
            federal.cofins,
        ]),
    );
    Danfse {
        standard: Standard::National,
        ambiente,
        municipality: Municipality {
            uf: ibge_uf(&emitter_code).to_owned(),
            name: nfse.text("xLocEmi"),
            code: emitter_code,
            country: String::new(),
        },
        generator: description::generator(&nfse.text("ambGer")),
        query_url: query(ambiente, &chave),
        chave,
        number: nfse.text("nNFSe"),
        competence: dps.text("dCompet"),
        issued: nfse.text("dhProc"),
        dps_number: dps.text("nDPS"),
        serie_dps: dps.text("serie"),
        dps_issued: dps.text("dhEmi"),
        emitter: description::emitter(&dps.text("tpEmit")),
        status_text: description::status(&nfse.text("cStat")),
        purpose: description::purpose(&dps.text("IBSCBS/finNFSe")),
        prestador: prestador(nfse, dps),
        tomador: tomador.has_content().then(|| party(tomador)),
        recipient: recipient(dps),
        intermediary: intermediary.has_content().then(|| party(intermediary)),
        service: service(nfse, dps),
        totals: totals(nfse, dps),
        information: information(nfse, dps),
        iss,
        federal,
        ibs_cbs,
        ..Danfse::default()
    }
}

/// Address of the public query (NT 008, item 2.4.3); only for a whole key.
fn query(ambiente: Ambiente, chave: &str) -> String {
    if chave.len() != CHAVE || !chave.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return String::new();
    }
    let host = match ambiente {
        Ambiente::Production => "www.nfse.gov.br",
        Ambiente::Homologacao => "www.producaorestrita.nfse.gov.br",
    };
    format!("https://{host}/ConsultaPublica/?tpc=1&chave={chave}")
}

/// The DPS often has no more than the document of the provider: the rest is in
/// `emit`, if that is the same person (another party may have issued the note).
fn prestador(nfse: Group<'_>, dps: Group<'_>) -> Prestador {
    let declared = dps.at("prest");
    let emit = nfse.at("emit");
    let mut party = party(declared);
    let same = party.document.is_empty() || party.document == document(emit);
    if same {
        let emitter = self::party(emit);
        let complete = |to: &mut String, from: String| {
            if to.is_empty() {
                *to = from;
            }
        };
        complete(&mut party.document, emitter.document);
        complete(
            &mut party.municipal_registration,
            emitter.municipal_registration,
        );
        complete(&mut party.name, emitter.name);
        complete(&mut party.telephone, emitter.telephone);
        complete(&mut party.email, emitter.email);
        // An address is of one piece.
        if party.address.is_empty() {
            party.address = emitter.address;
            party.municipality = emitter.municipality;
            party.cep = emitter.cep;
        }
    }
    Prestador {
        party,
        simples_nacional: description::simples_nacional(&declared.text("regTrib/opSimpNac")),
        computation_regime: description::computation_regime(&declared.text("regTrib/regApTribSN")),
    }
}

fn document(group: Group<'_>) -> String {
    group.text_of(&["CNPJ", "CPF", "NIF"])
}

/// `prest`, `toma`, `interm`, `dest` or `emit`.
fn party(group: Group<'_>) -> Party {
    // `emit` has `enderNac` with the street inside, the others `end`.
    let address = group.one_of(&["end", "enderNac"]);
    let exterior = address.at("endExt");
    let code = address.text_of(&["endNac/cMun", "cMun"]);
    let uf = address.text("UF");
    let municipality = if exterior.has_content() {
        Municipality {
            name: exterior.text("xCidade"),
            uf: exterior.text("xEstProvReg"),
            country: exterior.text("cPais"),
            code: String::new(),
        }
    } else {
        Municipality {
            uf: if uf.is_empty() {
                ibge_uf(&code).to_owned()
            } else {
                uf
            },
            code,
            ..Municipality::default()
        }
    };
    let parts = ["xLgr", "nro", "xCpl", "xBairro"].map(|name| address.text(name));
    Party {
        document: document(group),
        municipal_registration: group.text("IM"),
        name: group.text("xNome"),
        telephone: group.text("fone"),
        email: group.text("email"),
        address: in_line(&parts),
        municipality,
        cep: address.text_of(&["endNac/CEP", "CEP", "endExt/cEndPost"]),
    }
}

/// The parts of an address that are there, with commas; some issuers write a
/// dash for a part that is not.
pub(super) fn in_line(parts: &[String]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !matches!(*part, "" | "-"))
        .collect();
    parts.join(", ")
}

fn recipient(dps: Group<'_>) -> Recipient {
    let other = dps.at("IBSCBS/dest");
    if other.has_content() {
        Recipient::Other(Box::new(party(other)))
    } else if dps.text("IBSCBS/indDest") == "0" && dps.at("toma").has_content() {
        Recipient::Tomador
    } else {
        Recipient::Unidentified
    }
}

fn service(nfse: Group<'_>, dps: Group<'_>) -> Service {
    let code = dps.at("serv/cServ");
    let place = dps.text("serv/locPrest/cLocPrestacao");
    Service {
        national_code: code.text("cTribNac"),
        municipal_code: code.text("cTribMun"),
        cnae: String::new(),
        nbs: code.text("cNBS"),
        local: Municipality {
            name: nfse.text("xLocPrestacao"),
            uf: ibge_uf(&place).to_owned(),
            code: place,
            country: dps.text("serv/locPrest/cPaisPrestacao"),
        },
        code_description: nfse.text_of(&["xTribMun", "xTribNac"]),
        description: code.text("xDescServ"),
    }
}

fn iss(nfse: Group<'_>, dps: Group<'_>) -> MunicipalTaxation {
    let trib = dps.at("valores/trib/tribMun");
    let values = nfse.at("valores");
    let incidence = nfse.text("cLocIncid");
    let benefit = [
        trib.text("BM/nBM"),
        description::benefit(&values.text("tpBM")),
    ];
    MunicipalTaxation {
        // Item 99 of the national list is outside LC 116/2003: IBS/CBS only.
        not_subject: dps.text("serv/cServ/cTribNac").starts_with("99"),
        taxation: description::taxation(&trib.text("tribISSQN")),
        incidence: Municipality {
            name: nfse.text("xLocIncid"),
            uf: ibge_uf(&incidence).to_owned(),
            code: incidence,
            country: trib.text("cPaisResult"),
        },
        special_regime: description::special_regime(&dps.text("prest/regTrib/regEspTrib")),
        immunity: description::immunity(&trib.text("tpImunidade")),
        suspension: description::suspension(&trib.text("exigSusp/tpSusp")),
        suspension_case: trib.text("exigSusp/nProcesso"),
        benefit: benefit
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" - "),
        benefit_base: values.value("vCalcBM"),
        // What was declared, or else what the system computed.
        deductions: dps.value("valores/vDedRed/vDR").or_else(|| {
            add([
                values.value_of(&["vCalcDR", "vCalcAjusteBCISSQN"]),
                nfse.value("IBSCBS/valores/vCalcReeRepRes"),
            ])
        }),
        unconditional_discount: dps.value("valores/vDescCondIncond/vDescIncond"),
        tax_base: values.value("vBC"),
        rate: values.value("pAliqAplic").or_else(|| trib.value("pAliq")),
        retention: description::iss_retention(&trib.text("tpRetISSQN")),
        value: values.value("vISSQN"),
    }
}

fn federal(dps: Group<'_>) -> FederalTaxation {
    let trib = dps.at("valores/trib/tribFed");
    FederalTaxation {
        irrf: trib.value("vRetIRRF"),
        social_security: trib.value("vRetCP"),
        social_contributions: trib.value("vRetCSLL"),
        pis: trib.value("piscofins/vPis"),
        cofins: trib.value("piscofins/vCofins"),
        retention_description: description::pis_cofins_retention(
            &trib.text("piscofins/tpRetPisCofins"),
        ),
        other_retentions: None,
    }
}

fn totals(nfse: Group<'_>, dps: Group<'_>) -> Totals {
    let total = nfse.at("IBSCBS/totCIBS");
    Totals {
        service: dps.value("valores/vServPrest/vServ"),
        unconditional_discount: dps.value("valores/vDescCondIncond/vDescIncond"),
        conditional_discount: dps.value("valores/vDescCondIncond/vDescCond"),
        retentions: nfse.value("valores/vTotalRet"),
        net: nfse.value("valores/vLiq"),
        ibs_cbs: add([total.value("gIBS/vIBSTot"), total.value("gCBS/vCBS")]),
        net_with_ibs_cbs: total.value("vTotNF"),
    }
}

/// NT 008, item 2.4.5, notes 7 and 10: labelled parts with a bar between them,
/// then the line that Lei 12.741/2012 asks for.
fn information(nfse: Group<'_>, dps: Group<'_>) -> Vec<String> {
    let serv = dps.at("serv");
    let items: Vec<String> = serv
        .at("infoCompl/gItemPed")
        .children("xItemPed")
        .map(Group::own_text)
        .collect();
    let parts = [
        ("Inf. Cont.", serv.text("infoCompl/xInfComp")),
        ("NFS-e Subst.", dps.text("subst/chSubstda")),
        ("Doc. Ref.", serv.text("infoCompl/docRef")),
        ("Doc. Tec.", serv.text("infoCompl/idDocTec")),
        ("Cod. Obra", serv.text_of(&["obra/cObra", "obra/cCIB"])),
        ("Insc. Imob.", dps.text("IBSCBS/imovel/inscImobFisc")),
        ("Cod. Evt.", serv.text("atvEvento/idAtvEvt")),
        ("Núm. Ped.", serv.text("infoCompl/xPed")),
        ("Item Ped.", items.join(", ")),
        ("Inf. A. T. Mun.", nfse.text("xOutInf")),
    ];
    let body: Vec<String> = parts
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(label, text)| format!("{label}: {text}"))
        .collect();
    let mut out = Vec::with_capacity(2);
    if !body.is_empty() {
        out.push(body.join(" | "));
    }
    out.push(approximate_taxes(dps.at("valores/trib/totTrib")));
    out
}

fn approximate_taxes(total: Group<'_>) -> String {
    let spheres = if total.at("pTotTrib").exists() {
        ["Fed", "Est", "Mun"].map(|e| percentage(total.value(&format!("pTotTrib/pTotTrib{e}"))))
    } else {
        ["Fed", "Est", "Mun"].map(|e| money(total.value(&format!("vTotTrib/vTotTrib{e}"))))
    };
    let [federal, state, municipal] = spheres;
    let simples = percentage(total.value("pTotTribSN"));
    let simples = if simples == DASH {
        String::new()
    } else {
        format!("; Simples Nacional: {simples}")
    };
    format!(
        "Totais Aproximados dos Tributos cfe. Lei nº 12.741/2012: Federais: {federal}; \
         Estaduais: {state}; Municipais: {municipal}{simples}"
    )
}
