//! Groups C to GA: issuer, recipient, places, who may read the note.

use super::{Context, ie_ok, refuse, require};
use crate::documents::{cnpj_ok, code_of, cpf_ok, municipality_ok};
use crate::sefaz::cstat::Refusal;
use crate::xml::Element;

/// Name of the recipient in the homologation environment.
const HOMOLOGACAO: &str = "NF-E EMITIDA EM AMBIENTE DE HOMOLOGACAO - SEM VALOR FISCAL";

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    issuer(ctx)?;
    if ctx.nfe.has("dest") {
        recipient(ctx)?;
    } else {
        require(ctx.nfe.nfce(), "719")?;
        require(ctx.nfe.t("ide/indPres") != "4", "787")?;
    }
    places(ctx)?;
    readers(ctx)
}

fn issuer(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let serie: u16 = nfe.t("ide/serie").parse().unwrap_or(0);
    if nfe.has("emit/CNPJ") {
        require(cnpj_ok(&nfe.t("emit/CNPJ")), "207")?;
        require(serie <= 909 || (980..=989).contains(&serie), "503")?;
    } else {
        require(!nfe.nfce(), "337")?;
        require(cpf_ok(&nfe.t("emit/CPF")), "401")?;
        require((910..=969).contains(&serie), "495")?;
    }
    let uf = nfe.t("emit/enderEmit/UF");
    let mun = nfe.t("emit/enderEmit/cMun");
    require(municipality_ok(&mun), "272")?;
    require(mun.get(..2) == code_of(&uf), "273")?;
    require(uf == nfe.uf(), "247")?;
    let ie = nfe.t("emit/IE");
    require(ie.chars().any(|c| c != '0'), "229")?;
    if ie == "ISENTO" {
        return refuse("554");
    }
    require(ie_ok(&uf, &ie), "209")?;
    require(!(nfe.nfce() && nfe.has("emit/IEST")), "718")
}

fn recipient(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let (cnpj, cpf) = (nfe.t("dest/CNPJ"), nfe.t("dest/CPF"));
    let foreign = nfe.has("dest/idEstrangeiro");
    if nfe.has("dest/CNPJ") {
        require(cnpj_ok(&cnpj), "208")?;
        require(!(nfe.nfce() && cnpj == nfe.emitter()), "220")?;
    }
    if nfe.has("dest/CPF") {
        require(cpf_ok(&cpf), "237")?;
    }
    let id_dest = nfe.t("ide/idDest");
    if !nfe.nfce() {
        require(id_dest != "3" || foreign, "720")?;
        require(
            id_dest == "3" || !foreign || nfe.t("ide/indFinal") == "1",
            "721",
        )?;
        require(nfe.has("dest/xNome"), "724")?;
    }
    require(!(foreign && nfe.has("dest/IE")), "925")?;
    if nfe.t("ide/tpAmb") == "2" && nfe.has("dest/xNome") {
        require(nfe.t("dest/xNome") == HOMOLOGACAO, "598")?;
    }
    address(ctx)?;
    let (ind, ie) = (nfe.t("dest/indIEDest"), nfe.t("dest/IE"));
    let uf = nfe.t("dest/enderDest/UF");
    if nfe.nfce() {
        require(ind == "9", "789")?;
        require(!nfe.has("dest/ISUF"), "730")?;
        return Ok(());
    }
    require(id_dest != "3" || ind == "9", "790")?;
    let outgoing = nfe.t("ide/tpNF") == "1";
    require(
        !(ind == "9" && nfe.t("ide/indFinal") != "1" && outgoing && id_dest != "3"),
        "696",
    )?;
    require(ind != "1" || !ie.is_empty(), "728")?;
    require(ind != "2" || ie.is_empty(), "791")?;
    if !ie.is_empty() {
        require(uf != "EX", "792")?;
        require(ie_ok(&uf, &ie), "210")?;
    }
    Ok(())
}

fn address(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    if !nfe.has("dest/enderDest") {
        require(nfe.nfce(), "726")?;
        return require(nfe.t("ide/indPres") != "4", "788");
    }
    let (mun, uf) = (nfe.t("dest/enderDest/cMun"), nfe.t("dest/enderDest/UF"));
    let id_dest = nfe.t("ide/idDest");
    if uf == "EX" {
        require(mun == "9999999", "509")?;
        require(nfe.t("dest/enderDest/cPais") != "1058", "926")?;
    } else {
        require(municipality_ok(&mun), "274")?;
        require(mun.get(..2) == code_of(&uf), "275")?;
        require(id_dest != "3", "727")?;
    }
    if nfe.nfce() {
        return Ok(());
    }
    let same = uf == nfe.t("emit/enderEmit/UF");
    let elsewhere = nfe.has("entrega/UF") || nfe.has("retirada/UF");
    let other_company = nfe.recipient() != nfe.emitter();
    require(
        !(id_dest == "2" && same && other_company && !elsewhere),
        "772",
    )?;
    let consumer = nfe.t("ide/indFinal") == "1";
    require(
        !(id_dest == "1" && !same && uf != "EX" && !consumer && !elsewhere),
        "773",
    )
}

fn places(ctx: &Context<'_>) -> Result<(), Refusal> {
    for (group, cnpj, cpf, missing, other) in [
        ("retirada", "512", "540", "276", "277"),
        ("entrega", "514", "541", "278", "279"),
    ] {
        let Some(place) = ctx.nfe.inf().child(group) else {
            continue;
        };
        documents(place, cnpj, cpf)?;
        let (mun, uf) = (
            place.text_at("cMun").unwrap_or_default(),
            place.text_at("UF").unwrap_or_default(),
        );
        if uf != "EX" {
            require(municipality_ok(&mun), missing)?;
            require(mun.get(..2) == code_of(&uf), other)?;
        }
    }
    if let Some(carrier) = ctx.nfe.inf().at("transp/transporta") {
        documents(carrier, "542", "543")?;
        if let Some(ie) = carrier.text_at("IE") {
            let uf = carrier.text_at("UF").unwrap_or_default();
            require(!uf.is_empty(), "559")?;
            require(ie == "ISENTO" || uf == "EX" || ie_ok(&uf, &ie), "544")?;
        }
    }
    Ok(())
}

fn documents(place: &Element, cnpj: &str, cpf: &str) -> Result<(), Refusal> {
    if let Some(text) = place.text_at("CNPJ").filter(|t| !t.is_empty()) {
        require(cnpj_ok(&text), cnpj)?;
    }
    if let Some(text) = place.text_at("CPF") {
        require(cpf_ok(&text), cpf)?;
    }
    Ok(())
}

fn readers(ctx: &Context<'_>) -> Result<(), Refusal> {
    let recipient = ctx.nfe.recipient();
    for reader in ctx.nfe.inf().elements().filter(|e| e.name == "autXML") {
        documents(reader, "323", "325")?;
        let cnpj = reader.text_at("CNPJ").unwrap_or_default();
        let cpf = reader.text_at("CPF").unwrap_or_default();
        require(cnpj.is_empty() || cnpj != recipient, "324")?;
        require(cpf.is_empty() || cpf != recipient, "326")?;
    }
    if let Some(technician) = ctx.nfe.inf().child("infRespTec") {
        require(
            cnpj_ok(&technician.text_at("CNPJ").unwrap_or_default()),
            "973",
        )?;
    }
    Ok(())
}
