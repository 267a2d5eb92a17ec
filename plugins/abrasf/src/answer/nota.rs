//! A note as the city writes it.

use crate::answer::isolate;
use crate::dates;
use sdk::xml::{Document, Element};
use sdk::{Context, Decimal, Documento, Situacao};

/// A note of an answer, with what tells whether it is the one asked for.
#[derive(Clone, Debug)]
pub struct Nota {
    pub documento: Documento,
    /// Series and number of the RPS, where the note names one.
    pub rps: Option<(String, u64)>,
    /// Price of the service, where the note names it.
    pub value: Option<Decimal>,
    /// CPF or CNPJ of the taker, where the note names it.
    pub tomador: Option<String>,
}

/// Elements that may hold an address of the note's page.
const ENDERECOS: [&str; 5] = [
    "LinkNota",
    "LinkNfse",
    "UrlNfse",
    "UrlConsulta",
    "OutrasInformacoes",
];

impl Nota {
    /// A note from `CompNfse` (or `Nfse` alone). None without `InfNfse` and a
    /// number: then nothing says that a note exists.
    pub fn read(document: &Document, element: &Element, ctx: &Context) -> Option<Self> {
        let inf = element.descendant("InfNfse")?;
        let number = inf.text_at("Numero")?;
        if !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let mut documento = Documento::new("nfse", status(element));
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

    /// This is no note of another RPS.
    pub fn of_rps(&self, serie: &str, number: u64) -> bool {
        let without_zeros = |serie: &str| serie.trim().trim_start_matches('0').to_ascii_uppercase();
        self.rps.as_ref().is_none_or(|(of_nota, of_rps)| {
            *of_rps == number
                && (of_nota.is_empty() || without_zeros(of_nota) == without_zeros(serie))
        })
    }
}

/// An address without white space, of a length a browser takes.
fn is_url(text: &str) -> bool {
    (text.starts_with("https://") || text.starts_with("http://"))
        && text.len() <= 500
        && !text.contains(char::is_whitespace)
}

fn status(element: &Element) -> Situacao {
    let confirmed = |name: &str| {
        element
            .child(name)
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
    let number = rps.text_at("Numero")?.parse().ok()?;
    Some((rps.text_at("Serie").unwrap_or_default().to_owned(), number))
}

fn tomador(inf: &Element) -> Option<String> {
    let group = inf.descendant("IdentificacaoTomador")?;
    let documento = ["Cnpj", "Cpf"]
        .iter()
        .find_map(|name| group.descendant(name))?
        .text();
    let clean: String = documento
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    (!clean.is_empty()).then_some(clean)
}
