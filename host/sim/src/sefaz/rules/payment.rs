//! Groups X, Y and YA: transport, invoice and payment.

use rust_decimal::Decimal;

use super::{Context, require};
use crate::documents::cnpj_ok;
use crate::sefaz::cstat::Refusal;
use crate::sefaz::document::number;
use crate::xml::Element;

pub(super) fn check(ctx: &Context<'_>) -> Result<(), Refusal> {
    transport(ctx)?;
    invoice(ctx)?;
    payment(ctx)?;
    intermediary(ctx)
}

fn transport(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    if nfe.nfce() {
        let delivery = nfe.t("ide/indPres") == "4";
        require(nfe.t("transp/modFrete") == "9" || delivery, "753")?;
        require(!nfe.has("transp/transporta") || delivery, "754")?;
        require(!delivery || nfe.has("transp/transporta"), "786")?;
        for (path, code) in [
            ("transp/retTransp", "755"),
            ("transp/veicTransp", "756"),
            ("transp/reboque", "757"),
            ("transp/vagao", "758"),
            ("transp/balsa", "759"),
            ("cobr", "760"),
            ("compra", "762"),
            ("cana", "763"),
            ("exporta", "814"),
        ] {
            require(!nfe.has(path), code)?;
        }
        return Ok(());
    }
    let vehicle = nfe.has("transp/veicTransp") || nfe.has("transp/reboque");
    require(!(nfe.t("ide/idDest") == "2" && vehicle), "868")?;
    let export = nfe.t("ide/tpNF") == "1" && nfe.t("ide/idDest") == "3";
    require(!export || nfe.has("exporta"), "355")?;
    require(export || !nfe.has("exporta"), "356")
}

fn invoice(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let Some(billing) = nfe.inf().child("cobr") else {
        return Ok(());
    };
    let full = ["nFat", "vOrig", "vLiq"]
        .iter()
        .all(|f| billing.at(&format!("fat/{f}")).is_some());
    require(full, "905")?;
    let (gross, off, net) = (
        number(billing, "fat/vOrig"),
        number(billing, "fat/vDesc"),
        number(billing, "fat/vLiq"),
    );
    require(off <= gross, "901")?;
    require(net == gross - off, "902")?;
    let issued = nfe.t("ide/dhEmi").get(..10).unwrap_or_default().to_owned();
    let (mut sum, mut before) = (Decimal::ZERO, issued.clone());
    let parts: Vec<&Element> = billing.elements().filter(|e| e.name == "dup").collect();
    for (n, part) in parts.iter().enumerate() {
        let place = format!(" [nOcor:{:03}]", n + 1);
        let wrong = |code: &str| Err(Refusal::with(code, place.clone()));
        if part.text_at("nDup") != Some(format!("{:03}", n + 1)) {
            return wrong("852");
        }
        let due = part.text_at("dVenc").unwrap_or_default();
        // Dates of one form compare as texts.
        if due < issued {
            return wrong("900");
        }
        if due < before {
            return wrong("850");
        }
        before = due;
        sum += number(part, "vDup");
    }
    require(parts.is_empty() || sum == net, "851")
}

fn payment(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let ways: Vec<&Element> = nfe
        .inf()
        .child("pag")
        .into_iter()
        .flat_map(|p| p.elements().filter(|e| e.name == "detPag"))
        .collect();
    let kind = |e: &Element| e.text_at("tPag").unwrap_or_default();
    let nothing = ways.iter().any(|w| kind(w) == "90");
    let purpose = nfe.t("ide/finNFe");
    if nfe.nfce() {
        require(!ways.iter().any(|w| kind(w) == "14"), "857")?;
        require(!nothing, "899")?;
    } else if matches!(purpose.as_str(), "3" | "4") {
        require(nothing, "871")?;
    }
    let paid: Decimal = ways.iter().map(|w| number(w, "vPag")).sum();
    let (due, change) = (nfe.n("total/ICMSTot/vNF"), nfe.n("pag/vTroco"));
    if nfe.nfce() && !nothing {
        require(paid >= due, "865")?;
    }
    if nothing {
        require(paid == Decimal::ZERO, "904")?;
    } else if paid > due {
        require(nfe.has("pag/vTroco"), "866")?;
    }
    if nfe.has("pag/vTroco") {
        require(change == paid - due, "869")?;
    }
    for way in &ways {
        let card = way.child("card");
        if nfe.nfce() && matches!(kind(way).as_str(), "03" | "04") {
            require(card.is_some(), "391")?;
        }
        require(kind(way) != "99" || way.child("xPag").is_some(), "441")?;
        let Some(card) = card else { continue };
        let cnpj = card.text_at("CNPJ").unwrap_or_default();
        if card.text_at("tpIntegra").as_deref() == Some("1") {
            require(!cnpj.is_empty() && card.child("cAut").is_some(), "392")?;
        }
        require(cnpj.is_empty() || cnpj_ok(&cnpj), "437")?;
    }
    Ok(())
}

fn intermediary(ctx: &Context<'_>) -> Result<(), Refusal> {
    let nfe = ctx.nfe;
    let third_party = nfe.t("ide/indIntermed") == "1";
    let named = nfe.has("infIntermed");
    require(!third_party || named, "438")?;
    require(third_party || !named, "439")?;
    require(!named || cnpj_ok(&nfe.t("infIntermed/CNPJ")), "440")
}
