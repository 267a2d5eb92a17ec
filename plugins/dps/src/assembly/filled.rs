//! A note that the provider fills in around its DPS: some cities take that in
//! the place of the DPS, and give it its number and key.

use super::{issuing_municipality, regime, taxation};
use crate::assembly::party::only_digits;
use crate::description::application;
use crate::ids;
use crate::transport;
use sdk::nfse::{Dps, Exigibilidade, OpcaoSimples, RegimeEspecial, Retencao, Tributacao};
use sdk::soap::without_declaration;
use sdk::xml::Writer;
use sdk::{Context, Decimal, FieldError};

/// Longest `xTribNac` of the layout.
const MAX_SERVICE: usize = 600;

/// A note around a DPS.
#[derive(Debug)]
pub struct Filled {
    /// Id of `infNFSe`; empty where the city wants none.
    pub id: String,
    pub xml: String,
}

/// Builds the note of a content and its DPS.
///
/// # Errors
/// The address of the emitter is not known.
pub fn fill(inner: &str, dps: &Dps, ctx: &Context) -> Result<Filled, Vec<FieldError>> {
    let address = Address::of(ctx)?;
    let municipality = issuing_municipality(dps, ctx);
    let emission = match dps.data_emissao.trim() {
        "" => ctx.now.as_str(),
        moment => moment,
    };
    let moment = ids::date_time(emission).unwrap_or_default();
    let number = dps.identificacao.numero.to_string();
    let id = match ctx.option_flag("ids_vazios", false) {
        true => String::new(),
        false => format!("NFS{}", key(&municipality, dps, &moment, ctx)),
    };
    let (name, uf) = ctx
        .municipio
        .as_ref()
        .map_or(("", ""), |m| (m.nome.as_str(), m.uf.as_str()));
    // The names of other municipalities are not known here.
    let named = |code: &str| match code == municipality {
        true => name.to_owned(),
        false => code.to_owned(),
    };
    let place = dps.servico.codigo_municipio_prestacao.as_deref();
    let incidence = dps.servico.codigo_municipio_incidencia.as_deref();
    let incidence = incidence.unwrap_or(&municipality);
    let service: String = dps.servico.descricao.chars().take(MAX_SERVICE).collect();
    let mut w = Writer::with_declaration();
    let root = [
        ("xmlns", transport::namespace(ctx)),
        ("versao", transport::version(ctx)),
    ];
    w.group("NFSe", &root, |w| {
        w.group("infNFSe", &[(transport::id_attribute(ctx), &id)], |w| {
            w.leaf("xLocEmi", name);
            w.leaf("xLocPrestacao", &named(place.unwrap_or(&municipality)));
            let zero = ctx.option("numero_nota") == Some("zero");
            w.leaf("nNFSe", if zero { "0" } else { &number });
            w.leaf("cLocIncid", incidence);
            w.leaf("xLocIncid", &named(incidence));
            w.leaf("xTribNac", &service);
            w.leaf("verAplic", &application(ctx));
            // 1: the city's own system; 2: in its own application.
            w.leaf("ambGer", "1");
            w.leaf("tpEmis", "2");
            w.leaf("cStat", "100");
            w.leaf("dhProc", &moment);
            w.leaf("nDFSe", &number);
            w.group("emit", &[], |w| {
                emitter(w, &address, &municipality, uf, ctx)
            });
            w.group("valores", &[], |w| amounts(w, dps));
            w.raw(without_declaration(inner));
        });
    });
    Ok(Filled {
        id,
        xml: w.finish(),
    })
}

/// A key of the form of the layout, with the number of the DPS in the places
/// of those that the city gives: municipality (7), environment (1), kind of
/// inscription (1), inscription (14), number (13), year and month (4), code
/// (9), check digit (1).
fn key(municipality: &str, dps: &Dps, moment: &str, ctx: &Context) -> String {
    let provider = ctx.emitente.documento.as_str();
    let kind = if provider.len() == 11 { 1 } else { 2 };
    let number = dps.identificacao.numero;
    let year_month: String = only_digits(moment).chars().skip(2).take(4).collect();
    let start = format!(
        "{municipality}1{kind}{provider:0>14}{:013}{year_month}{:09}",
        number % 10_000_000_000_000,
        number % 1_000_000_000,
    );
    let digit = check_digit(&start);
    format!("{start}{digit}")
}

/// Module 11 with weights 2 to 9 from the right; letters count as their ASCII
/// code less 48, and 0 and 1 give 0 (TSChaveNFSe).
fn check_digit(text: &str) -> u32 {
    let sum: u32 = text
        .bytes()
        .rev()
        .zip((2..=9).cycle())
        .map(|(byte, weight)| u32::from(byte).saturating_sub(48) * weight)
        .sum();
    match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    }
}

/// Where the emitter is, out of its profile.
struct Address<'a> {
    street: &'a str,
    number: &'a str,
    more: Option<&'a str>,
    district: &'a str,
    code: String,
}

impl<'a> Address<'a> {
    fn of(ctx: &'a Context) -> Result<Self, Vec<FieldError>> {
        let mut missing = Vec::new();
        let mut member = |name: &str| match ctx.extra(name) {
            Some(text) => text,
            None => {
                missing.push(FieldError::new(
                    &format!("emitente.endereco.{name}"),
                    "obrigatorio",
                    "Este município pede o endereço do emitente na nota: complete o perfil da empresa.",
                ));
                ""
            }
        };
        let address = Address {
            street: member("logradouro"),
            number: ctx.extra("numero").unwrap_or("S/N"),
            more: ctx.extra("complemento"),
            district: member("bairro"),
            code: only_digits(member("cep")),
        };
        match missing.is_empty() {
            true => Ok(address),
            false => Err(missing),
        }
    }
}

fn emitter(w: &mut Writer, address: &Address<'_>, municipality: &str, uf: &str, ctx: &Context) {
    let emitter = &ctx.emitente;
    let document = if emitter.documento.len() == 11 {
        "CPF"
    } else {
        "CNPJ"
    };
    w.leaf(document, &emitter.documento);
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    if let Some(registration) = filled(&emitter.inscricao_municipal) {
        w.leaf("IM", registration.trim());
    }
    w.leaf("xNome", &emitter.razao_social);
    w.group("enderNac", &[], |w| {
        w.leaf("xLgr", address.street);
        w.leaf("nro", address.number);
        if let Some(more) = address.more {
            w.leaf("xCpl", more);
        }
        w.leaf("xBairro", address.district);
        w.leaf("cMun", municipality);
        w.leaf("UF", uf);
        w.leaf("CEP", &address.code);
    });
    if let Some(phone) = ctx.extra("telefone") {
        w.leaf("fone", &only_digits(phone));
    }
    if let Some(mail) = ctx.extra("email") {
        w.leaf("email", mail);
    }
}

/// The amounts that follow from those of the DPS. Of MEI, of what is not taxed
/// and of special regimes only the net amount is given (E1302, E1303, E1307,
/// E1311).
fn amounts(w: &mut Writer, dps: &Dps) {
    let values = &dps.valores;
    let of = |value: Option<Decimal>| value.unwrap_or_default();
    let iss = values.iss.clone().unwrap_or_default();
    let (option, _, special) = regime(dps);
    let suspended = matches!(
        iss.exigibilidade,
        Some(Exigibilidade::SuspensaJudicial | Exigibilidade::SuspensaAdministrativa)
    );
    let only_net = option == OpcaoSimples::Mei
        || taxation(dps) != Tributacao::Tributavel
        || special != RegimeEspecial::Nenhum
        || suspended;
    let discount = of(values.desconto_incondicionado);
    let base = (values.servico - discount - deducted(dps)).rounded(2);
    let base = if base.is_negative() {
        Decimal::ZERO
    } else {
        base
    };
    let rate = iss.aliquota.filter(|_| !only_net);
    let tax = rate.and_then(|rate| base.checked_mul(rate.percent_to_fraction()));
    let tax = tax.map(|tax| tax.rounded(2));
    let mut withheld = values.retencoes.as_ref().map_or(Decimal::ZERO, |given| {
        [given.pis, given.cofins, given.csll, given.inss, given.ir]
            .into_iter()
            .fold(Decimal::ZERO, |sum, value| sum + of(value))
    });
    if iss.retencao != Retencao::NaoRetido {
        withheld = withheld + of(tax);
    }
    let money = |value: Decimal| value.rounded(2).fixed(2).unwrap_or_default();
    if !only_net {
        w.leaf("vBC", &money(base));
    }
    if let (Some(rate), Some(tax)) = (rate, tax) {
        w.leaf("pAliqAplic", &money(rate));
        w.leaf("vISSQN", &money(tax));
    }
    if !withheld.is_zero() {
        w.leaf("vTotalRet", &money(withheld));
    }
    let net = values.servico - discount - of(values.desconto_condicionado) - withheld;
    w.leaf("vLiq", &money(net));
}

/// What is taken off the base of the ISS.
fn deducted(dps: &Dps) -> Decimal {
    let Some(deductions) = &dps.valores.deducoes else {
        return Decimal::ZERO;
    };
    if !deductions.documentos.is_empty() {
        let amounts = deductions.documentos.iter().map(|d| d.valor_deducao);
        return amounts.fold(Decimal::ZERO, |sum, value| sum + value);
    }
    let share = deductions.percentual.and_then(|percent| {
        dps.valores
            .servico
            .checked_mul(percent.percent_to_fraction())
    });
    share
        .map(|share| share.rounded(2))
        .or(deductions.valor)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::check_digit;

    #[test]
    fn the_digit_of_a_key_that_was_given() {
        // The key of the layout's own example of Sefin Nacional.
        let key = "1400159120176113500013200000000000002209610019726";
        assert_eq!(check_digit(key), 0);
    }
}
