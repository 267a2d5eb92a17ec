//! The note that a city issues for an RPS.

use std::collections::BTreeMap;

use super::Work;
use super::answer::{Style, rewrite, tag, wrap};
use super::rps::{Amounts, Rps};
use crate::clock;
use crate::documents::{municipality_ok, uf};
use crate::engine::Call;
use crate::notes::{Nota, Record, Status};
use crate::request::Answer;
use crate::xml::Element;
use crate::xml::signature;

/// Values of a 1.00 note in the layout's order; the computed ones are filled in.
const VALUES_1: [&str; 15] = [
    "ValorServicos",
    "ValorDeducoes",
    "ValorPis",
    "ValorCofins",
    "ValorInss",
    "ValorIr",
    "ValorCsll",
    "IssRetido",
    "ValorIss",
    "ValorIssRetido",
    "OutrasRetencoes",
    "BaseCalculo",
    "Aliquota",
    "ValorLiquidoNfse",
    "DescontoIncondicionado",
];

/// Issues and records a note; answers its id in the state.
pub(super) fn issue(
    call: &mut Call<'_>,
    work: &Work<'_>,
    rps: &Rps<'_>,
    available_ms: i64,
    replaces: Option<u64>,
) -> Result<String, Answer> {
    let profile = work.profile;
    let provider = rps.provider();
    let sequence = call.notes.next_number(profile.id, &work.local, &provider);
    // WebISS begins again each year: AAAA and eleven digits.
    let first = if profile.yearly_numbers {
        u64::try_from(clock::year(call.now_ms))
            .unwrap_or(0)
            .saturating_mul(100_000_000_000)
            + 1
    } else {
        1
    };
    let number = sequence.max(first);
    let natural = rps.natural().unwrap_or_else(|| format!("sem-rps/{number}"));
    let code = format!(
        "{:08X}",
        call.draw(
            &format!("codigo|{}|{provider}|{number}", work.local),
            1 << 32
        )
    );
    let amounts = rps.amounts();
    let style = Style::of(profile, work.message.op);
    let new = New {
        number,
        code: &code,
        replaces,
        amounts: &amounts,
    };
    let xml = if rps.first_generation {
        first_generation(call, work, rps, &new).ok_or_else(|| Answer::new(500, "text/plain", ""))?
    } else {
        second_generation(call, work, rps, &style, &new)
    };
    let mut data = BTreeMap::new();
    data.insert("competencia".to_owned(), rps.text("Competencia"));
    let nota = Nota {
        sistema: profile.id.to_owned(),
        local: work.local.clone(),
        prestador: provider.clone(),
        chave_natural: natural,
        numero: number,
        chave: None,
        codigo_verificacao: Some(code),
        situacao: Status::Normal,
        emitida_ms: call.now_ms,
        disponivel_ms: available_ms,
        partes: std::iter::once(provider).chain(rps.customer()).collect(),
        xml,
        dados: data,
    };
    let id = nota.id();
    call.record(Record::Nota(Box::new(nota)))?;
    Ok(id)
}

struct New<'a> {
    number: u64,
    code: &'a str,
    replaces: Option<u64>,
    amounts: &'a Amounts,
}

impl New<'_> {
    /// Number, verification code and date, the same in all layouts.
    fn head(&self, prefix: &str, now_ms: i64) -> String {
        tag(prefix, "Numero", &self.number.to_string())
            + &tag(prefix, "CodigoVerificacao", self.code)
            + &tag(prefix, "DataEmissao", &clock::plain_date_time(now_ms))
    }

    fn replaced(&self, prefix: &str) -> String {
        self.replaces
            .map(|n| tag(prefix, "NfseSubstituida", &n.to_string()))
            .unwrap_or_default()
    }
}

/// The provider's register data: name from the certificate, a made-up address.
fn provider(
    work: &Work<'_>,
    rps: &Rps<'_>,
    prefix: &str,
    municipality: &str,
    identified: bool,
) -> String {
    let mut inside = String::new();
    if identified && let Some(who) = rps.inf.child("Prestador") {
        let mut fields = String::new();
        for field in who.elements() {
            rewrite(field, prefix, &mut fields);
        }
        inside += &wrap(prefix, "IdentificacaoPrestador", &fields);
    }
    let name = if work.name.is_empty() {
        "PRESTADOR DE TESTE"
    } else {
        &work.name
    };
    inside += &tag(prefix, "RazaoSocial", name);
    let address = tag(prefix, "Endereco", "RUA DO SIMULADOR")
        + &tag(prefix, "Numero", "100")
        + &tag(prefix, "Bairro", "CENTRO")
        + &tag(prefix, "CodigoMunicipio", municipality)
        + &tag(prefix, "Uf", uf(municipality).unwrap_or("DF"))
        + &tag(prefix, "Cep", "70000000");
    inside += &wrap(prefix, "Endereco", &address);
    wrap(prefix, "PrestadorServico", &inside)
}

fn body(prefix: &str, municipality: &str) -> String {
    let inside = tag(prefix, "CodigoMunicipio", municipality)
        + &tag(prefix, "Uf", uf(municipality).unwrap_or("DF"));
    wrap(prefix, "OrgaoGerador", &inside)
}

/// City of the issuing body; services abroad name no Brazilian city.
fn city(rps: &Rps<'_>) -> String {
    let code = rps.municipality();
    if municipality_ok(&code) {
        code
    } else {
        "5300108".to_owned()
    }
}

fn second_generation(
    call: &Call<'_>,
    work: &Work<'_>,
    rps: &Rps<'_>,
    style: &Style,
    new: &New<'_>,
) -> String {
    let t = style.t;
    let municipality = city(rps);
    let mut inf = new.head(t, call.now_ms) + &new.replaced(t);
    let values = tag(t, "BaseCalculo", &new.amounts.base.to_string())
        + &tag(t, "Aliquota", &new.amounts.rate.to_string())
        + &tag(t, "ValorIss", &new.amounts.iss.to_string())
        + &tag(t, "ValorLiquidoNfse", &new.amounts.net.to_string());
    inf += &wrap(t, "ValoresNfse", &values);
    // 2.04 dropped the provider's identification from this group.
    inf += &provider(work, rps, t, &municipality, work.profile.version != "2.04");
    inf += &body(t, &municipality);
    let mut declaration = String::new();
    rewrite(rps.inf, t, &mut declaration);
    inf += &wrap(t, "DeclaracaoPrestacaoServico", &declaration);
    if work.profile.access_key {
        let digits = call.draw(&format!("chave|{}|{}", work.local, new.number), u64::MAX);
        inf += &tag(
            t,
            "ChaveAcesso",
            &format!("{municipality}{:015}{digits:028}", new.number),
        );
    }
    format!(
        "<{t}Nfse versao=\"{}\"><{t}InfNfse Id=\"nfse{}\">{inf}</{t}InfNfse></{t}Nfse>",
        work.profile.version, new.number
    )
}

/// 1.00 repeats the RPS field by field, and its notes must be signed.
fn first_generation(
    call: &Call<'_>,
    work: &Work<'_>,
    rps: &Rps<'_>,
    new: &New<'_>,
) -> Option<String> {
    let (declarations, _, _) = work.profile.answer_style("Nfse");
    let municipality = city(rps);
    let copy = |name: &str| {
        let mut out = String::new();
        if let Some(element) = rps.inf.child(name) {
            rewrite(element, "", &mut out);
        }
        out
    };
    let mut inf = new.head("", call.now_ms);
    inf += &copy("IdentificacaoRps");
    let emission = rps.text("DataEmissao");
    inf += &tag("", "DataEmissaoRps", emission.get(..10).unwrap_or_default());
    for name in [
        "NaturezaOperacao",
        "RegimeEspecialTributacao",
        "OptanteSimplesNacional",
        "IncentivadorCultural",
    ] {
        inf += &copy(name);
    }
    inf += &tag("", "Competencia", &clock::plain_date_time(call.now_ms));
    inf += &new.replaced("");
    inf += &service_1(rps.inf.child("Servico")?, new.amounts);
    inf += &provider(work, rps, "", &municipality, true);
    if let Some(customer) = rps.inf.child("Tomador") {
        let mut fields = String::new();
        for field in customer.elements() {
            rewrite(field, "", &mut fields);
        }
        inf += &wrap("", "TomadorServico", &fields);
    }
    inf += &copy("IntermediarioServico");
    inf += &body("", &municipality);
    inf += &copy("ContrucaoCivil");
    let unsigned = format!(
        "<Nfse{declarations} versao=\"1.00\"><InfNfse Id=\"nfse{}\">{inf}</InfNfse></Nfse>",
        new.number
    );
    signature::sign(&unsigned, "InfNfse", call.pki.authority())
}

fn service_1(service: &Element, amounts: &Amounts) -> String {
    let given = service.child("Valores");
    let mut values = String::new();
    for name in VALUES_1 {
        let computed = match name {
            "ValorIss" => Some(amounts.iss.to_string()),
            "BaseCalculo" => Some(amounts.base.to_string()),
            "Aliquota" => Some(amounts.rate.to_string()),
            "ValorLiquidoNfse" => Some(amounts.net.to_string()),
            _ => given.and_then(|v| v.text_at(name)),
        };
        if let Some(value) = computed {
            values += &tag("", name, value.trim());
        }
    }
    if let Some(value) = given.and_then(|v| v.text_at("DescontoCondicionado")) {
        values += &tag("", "DescontoCondicionado", value.trim());
    }
    let mut inside = wrap("", "Valores", &values);
    for field in service.elements().filter(|e| e.name != "Valores") {
        rewrite(field, "", &mut inside);
    }
    wrap("", "Servico", &inside)
}
