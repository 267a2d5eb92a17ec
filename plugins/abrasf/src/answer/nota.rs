//! A note as the city writes it.

use rps::content::{bare_document, is_url};
use rps::{Nota, dates, isolate};
use sdk::xml::{Document, Element};
use sdk::{Context, Decimal, Documento, Situacao};

/// Elements that may hold an address of the note's page.
const ENDERECOS: [&str; 5] = [
    "LinkNota",
    "LinkNfse",
    "UrlNfse",
    "UrlConsulta",
    "OutrasInformacoes",
];

/// A note from `CompNfse` (or `Nfse` alone). None without `InfNfse` and a
/// number: then nothing says that a note exists.
pub fn read(document: &Document, element: &Element, ctx: &Context) -> Option<Nota> {
    let inf = element.descendant("InfNfse")?;
    let number = inf.text_at("Numero")?;
    if !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut documento = Documento::new("nfse", status(element, inf, ctx));
    documento.xml = Some(isolate(document, element).into_bytes());
    documento.numero = Some(number.to_owned());
    documento.codigo_verificacao = inf.text_at("CodigoVerificacao").map(str::to_owned);
    documento.emitido_em = inf
        .text_at("DataEmissao")
        .and_then(|text| dates::moment(text, ctx));
    documento.chave = ["ChaveAcesso", "ChaveNotaNacional"]
        .iter()
        .find_map(|name| element.descendant(name))
        .map(Element::text)
        .filter(|chave| chave.len() == 50)
        .map(str::to_owned);
    documento.url_consulta = ENDERECOS
        .iter()
        .filter_map(|name| inf.descendant(name))
        .map(Element::text)
        .find(|url| is_url(url))
        .map(str::to_owned);
    values(&mut documento, inf);
    Some(Nota {
        documento,
        rps: rps(inf),
        value: inf
            .descendant("ValorServicos")
            .and_then(|value| value.text().parse().ok()),
        tomador: tomador(inf),
    })
}

fn status(element: &Element, inf: &Element, ctx: &Context) -> Situacao {
    // Some systems tell it by a code of the note.
    let code = ctx.option("status_cancelado");
    let status = ["Status", "StatusNfse"]
        .iter()
        .find_map(|name| inf.text_at(name));
    if code.is_some() && status == code {
        return Situacao::Cancelado;
    }
    let confirmed = |name: &str| {
        // Below CompNfse, or below the element of its type inside it.
        element
            .descendant(name)
            .is_some_and(|group| !group.children().is_empty())
    };
    if confirmed("NfseCancelamento") {
        Situacao::Cancelado
    } else if confirmed("NfseSubstituicao") {
        Situacao::Substituido
    } else {
        Situacao::Autorizado
    }
}

/// From 2.00 on the amounts are in `ValoresNfse`, in 1.00 in the service.
fn values(documento: &mut Documento, inf: &Element) {
    let group = inf
        .child("ValoresNfse")
        .or_else(|| inf.find("Servico/Valores"));
    let Some(group) = group else { return };
    for (name, element) in [
        ("base_calculo", "BaseCalculo"),
        ("aliquota", "Aliquota"),
        ("iss", "ValorIss"),
        ("liquido", "ValorLiquidoNfse"),
    ] {
        let value = group.text_at(element);
        // Only decimal text, as the contract has it.
        documento.value(name, value.filter(|v| v.parse::<Decimal>().is_ok()));
    }
}

fn rps(inf: &Element) -> Option<(String, u64)> {
    let rps = inf.descendant("IdentificacaoRps")?;
    // Some write the number alone.
    let number = rps.text_at("Numero").unwrap_or_else(|| rps.text());
    let number = number.trim().parse().ok()?;
    Some((rps.text_at("Serie").unwrap_or_default().to_owned(), number))
}

fn tomador(inf: &Element) -> Option<String> {
    let group = inf.descendant("IdentificacaoTomador")?;
    let documento = ["Cnpj", "Cpf"]
        .iter()
        .find_map(|name| group.descendant(name))?
        .text();
    bare_document(documento)
}
