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
    pub valor: Option<Decimal>,
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
    pub fn ler(document: &Document, element: &Element, ctx: &Context) -> Option<Self> {
        let inf = element.descendant("InfNfse")?;
        let numero = inf.text_at("Numero")?;
        if !numero.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let mut documento = Documento::new("nfse", situacao(element));
        documento.xml = Some(isolate(document, element).into_bytes());
        documento.numero = Some(numero.to_owned());
        documento.codigo_verificacao = inf.text_at("CodigoVerificacao").map(str::to_owned);
        documento.emitido_em = inf
            .text_at("DataEmissao")
            .and_then(|texto| dates::momento(texto, ctx));
        documento.chave = ["ChaveAcesso", "ChaveNotaNacional"]
            .iter()
            .find_map(|nome| element.descendant(nome))
            .map(Element::text)
            .filter(|chave| chave.len() == 50)
            .map(str::to_owned);
        documento.url_consulta = ENDERECOS
            .iter()
            .filter_map(|nome| inf.descendant(nome))
            .map(Element::text)
            .find(|url| eh_url(url))
            .map(str::to_owned);
        valores(&mut documento, inf);
        Some(Nota {
            documento,
            rps: rps(inf),
            valor: inf
                .descendant("ValorServicos")
                .and_then(|valor| valor.text().parse().ok()),
            tomador: tomador(inf),
        })
    }

    /// This is no note of another RPS.
    pub fn do_rps(&self, serie: &str, numero: u64) -> bool {
        let sem_zeros = |serie: &str| serie.trim().trim_start_matches('0').to_ascii_uppercase();
        self.rps.as_ref().is_none_or(|(da_nota, do_rps)| {
            *do_rps == numero && (da_nota.is_empty() || sem_zeros(da_nota) == sem_zeros(serie))
        })
    }
}

/// An address without white space, of a length a browser takes.
fn eh_url(texto: &str) -> bool {
    (texto.starts_with("https://") || texto.starts_with("http://"))
        && texto.len() <= 500
        && !texto.contains(char::is_whitespace)
}

fn situacao(element: &Element) -> Situacao {
    let confirmado = |nome: &str| {
        element
            .child(nome)
            .is_some_and(|grupo| !grupo.children().is_empty())
    };
    if confirmado("NfseCancelamento") {
        Situacao::Cancelado
    } else if confirmado("NfseSubstituicao") {
        Situacao::Substituido
    } else {
        Situacao::Autorizado
    }
}

/// From 2.00 on the amounts are in `ValoresNfse`, in 1.00 in the service.
fn valores(documento: &mut Documento, inf: &Element) {
    let grupo = inf
        .child("ValoresNfse")
        .or_else(|| inf.find("Servico/Valores"));
    let Some(grupo) = grupo else { return };
    for (nome, elemento) in [
        ("base_calculo", "BaseCalculo"),
        ("aliquota", "Aliquota"),
        ("iss", "ValorIss"),
        ("liquido", "ValorLiquidoNfse"),
    ] {
        let valor = grupo.text_at(elemento);
        // Only decimal text, as the contract has it.
        documento.valor(nome, valor.filter(|v| v.parse::<Decimal>().is_ok()));
    }
}

fn rps(inf: &Element) -> Option<(String, u64)> {
    let rps = inf.descendant("IdentificacaoRps")?;
    let numero = rps.text_at("Numero")?.parse().ok()?;
    Some((rps.text_at("Serie").unwrap_or_default().to_owned(), numero))
}

fn tomador(inf: &Element) -> Option<String> {
    let grupo = inf.descendant("IdentificacaoTomador")?;
    let documento = ["Cnpj", "Cpf"]
        .iter()
        .find_map(|nome| grupo.descendant(nome))?
        .text();
    let limpo: String = documento
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    (!limpo.is_empty()).then_some(limpo)
}
