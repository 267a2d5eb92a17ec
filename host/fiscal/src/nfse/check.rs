//! A document of the national NFS-e that somebody made: `DPS`, `NFSe`,
//! `pedRegEvento`, `evento`. Only what it says of itself.
//!
//! Source: NFS-e annexes I (rules of the DPS) and II (events) of layout 1.01.

use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime};

use crate::nfe::reading::assinado::{self, Codigos};
use crate::nfe::reading::{Achado, Achados};
use markup::ids::{ChaveNfse, CpfCnpj};
use markup::xml::{Document, Element};
use markup::xmldsig::SignatureParts;

/// Namespace of all documents of the national NFS-e.
pub const NAMESPACE: &str = "http://www.sped.fazenda.gov.br/nfse";
/// The rules, named after the day of the annex they are in (annex I v1.01). It is
/// the only set there is here: documents of every day are judged by it.
pub const REGRAS: &str = "nfse-2026-02-09";

/// `AAAA-MM-DD`.
const DIA: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const ASSINATURA: Codigos = Codigos {
    forma: "E0714",
    conteudo: "E0714",
};

/// Documents by their root and the element that is signed.
const RAIZES: [(&str, &str); 4] = [
    ("NFSe", "infNFSe"),
    ("evento", "infEvento"),
    ("pedRegEvento", "infPedReg"),
    ("DPS", "infDPS"),
];

/// The outermost document of the national NFS-e in a text, by the name of its
/// root.
pub fn raiz<'d>(doc: &'d Document<'d>) -> Option<Element<'d>> {
    doc.elements().find(|elemento| {
        elemento.namespace() == NAMESPACE && RAIZES.iter().any(|(raiz, _)| *raiz == elemento.name())
    })
}

/// Everything that does not fit in the document of a [`raiz`] and in those it
/// carries. `rsa` is as of [`crate::nfe::reading::check`].
pub fn check(
    doc: &Document<'_>,
    raiz: Element<'_>,
    hoje: Date,
    rsa: impl Fn(&SignatureParts) -> bool,
) -> Vec<Achado> {
    let mut achados = Achados::novo(0);
    for dono in raiz.descendants_or_self() {
        let Some(corpo) = corpo(dono) else {
            continue;
        };
        match dono.name() {
            "NFSe" => nota(corpo, &mut achados),
            "DPS" => declaracao(corpo, hoje, &mut achados),
            "pedRegEvento" => pedido(corpo, hoje, &mut achados),
            _ => {}
        }
        assinado::confere(doc.text(), (dono, corpo), &ASSINATURA, &rsa, &mut achados);
    }
    achados.em_ordem()
}

fn corpo<'d>(dono: Element<'d>) -> Option<Element<'d>> {
    let (_, nome) = RAIZES.iter().find(|(raiz, _)| *raiz == dono.name())?;
    dono.child(nome)
        .filter(|corpo| corpo.namespace() == NAMESPACE)
}

fn texto(inf: Element<'_>, caminho: &[&str]) -> String {
    inf.text_at(caminho).unwrap_or_default().trim().to_owned()
}

fn documento(parte: Element<'_>) -> Option<(&'static str, String)> {
    ["CNPJ", "CPF"]
        .into_iter()
        .find_map(|nome| Some((nome, parte.text_at(&[nome])?.trim().to_owned())))
}

/// The key of a note against the note.
fn nota(inf: Element<'_>, achados: &mut Achados) {
    let id = inf.attribute("Id").unwrap_or("");
    // The shape is the layout's to judge.
    let Ok(chave) = ChaveNfse::parse(id) else {
        return;
    };
    let numero = texto(inf, &["nNFSe"]);
    if numero.parse() != Ok(chave.numero()) {
        achados
            .erro(
                "infNFSe/nNFSe",
                "chave_diverge",
                format!("A chave diz que o número é {}.", chave.numero()),
                "Obtenha o XML autorizado; este foi alterado.",
            )
            .valor(&numero);
    }
    let emitente = inf.child("emit").and_then(documento);
    if let Some((_, emitente)) = emitente
        && chave
            .emitente()
            .is_some_and(|dono| dono.as_str() != emitente)
    {
        achados.erro(
            "infNFSe/emit",
            "chave_diverge",
            "O emitente não é o da chave.",
            "Obtenha o XML autorizado; este foi alterado.",
        );
    }
}

fn declaracao(inf: Element<'_>, hoje: Date, achados: &mut Achados) {
    let prestador = inf.child("prest").and_then(documento);
    // The other two who may declare are named in annex I, their id is not confirmed.
    if let Some((nome, prestador)) = prestador
        .as_ref()
        .filter(|_| texto(inf, &["tpEmit"]) == "1")
    {
        let esperado = format!(
            "DPS{}{}{prestador:0>14}{:0>5}{:0>15}",
            texto(inf, &["cLocEmi"]),
            if *nome == "CPF" { 1 } else { 2 },
            texto(inf, &["serie"]),
            texto(inf, &["nDPS"])
        );
        let id = inf.attribute("Id").unwrap_or("");
        if id != esperado {
            achados
                .erro(
                    "infDPS/@Id",
                    "E0004",
                    "O Id não é feito de DPS, cLocEmi, tipo e número da inscrição do prestador, serie e nDPS.",
                    "Monte o Id com os campos da DPS e assine outra vez.",
                )
                .valor(id);
        }
    }
    datas(inf, hoje, achados);
    for (parte, quem, cnpj, cpf, o_mesmo) in [
        ("prest", "prestador", "E0080", "E0096", ""),
        ("toma", "tomador", "E0188", "E0206", "E0202"),
        ("interm", "intermediário", "E0248", "E0266", "E0262"),
    ] {
        let Some((nome, documento)) = inf.child(parte).and_then(documento) else {
            continue;
        };
        let caminho = format!("infDPS/{parte}/{nome}");
        if CpfCnpj::parse(&documento).is_err() {
            achados.erro(
                caminho,
                if nome == "CPF" { cpf } else { cnpj },
                format!("O {nome} do {quem} tem dígito verificador errado."),
                format!("Confira o documento do {quem}."),
            );
        } else if parte != "prest"
            && prestador
                .as_ref()
                .is_some_and(|(_, prestador)| *prestador == documento)
        {
            achados.erro(
                caminho,
                o_mesmo,
                format!("Prestador e {quem} são o mesmo."),
                format!("Confira o documento do {quem}: ninguém presta serviço a si mesmo."),
            );
        }
    }
}

fn datas(inf: Element<'_>, hoje: Date, achados: &mut Achados) {
    let Ok(emissao) = OffsetDateTime::parse(&texto(inf, &["dhEmi"]), &Rfc3339) else {
        return;
    };
    if emissao.date() > hoje.saturating_add(Duration::days(1)) {
        achados
            .erro(
                "infDPS/dhEmi",
                "E0008",
                "A DPS foi emitida no futuro.",
                "Acerte o relógio e a data de emissão.",
            )
            .valor(&emissao.date().to_string());
    }
    let competencia = texto(inf, &["dCompet"]);
    if Date::parse(&competencia, DIA).is_ok_and(|dia| dia > emissao.date()) {
        achados
            .erro(
                "infDPS/dCompet",
                "E0015",
                "A competência é posterior à emissão da DPS.",
                "Informe o dia em que o serviço foi prestado.",
            )
            .valor(&competencia);
    }
}

fn pedido(inf: Element<'_>, hoje: Date, achados: &mut Achados) {
    let tipo = inf.children().find_map(|elemento| {
        elemento
            .name()
            .strip_prefix('e')
            .filter(|tipo| tipo.len() == 6)
    });
    let esperado = format!("PRE{}{}", texto(inf, &["chNFSe"]), tipo.unwrap_or_default());
    let id = inf.attribute("Id").unwrap_or("");
    if id != esperado {
        achados
            .erro(
                "infPedReg/@Id",
                "E0004",
                "O Id não é feito de PRE, chNFSe e o código do evento.",
                "Monte o Id com os campos do pedido e assine outra vez.",
            )
            .valor(id);
    }
    for nome in ["CNPJAutor", "CPFAutor"] {
        let autor = texto(inf, &[nome]);
        if !autor.is_empty() && CpfCnpj::parse(&autor).is_err() {
            achados.erro(
                format!("infPedReg/{nome}"),
                "autor_invalido",
                "O documento do autor tem dígito verificador errado.",
                "Confira o documento do autor.",
            );
        }
    }
    let em = OffsetDateTime::parse(&texto(inf, &["dhEvento"]), &Rfc3339);
    if let Ok(em) = em
        && em.date() > hoje.saturating_add(Duration::days(1))
    {
        achados
            .erro(
                "infPedReg/dhEvento",
                "evento_no_futuro",
                "O evento é do futuro.",
                "Acerte o relógio e a data do evento.",
            )
            .valor(&em.date().to_string());
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    const DPS: &str = "<DPS xmlns=\"http://www.sped.fazenda.gov.br/nfse\"><infDPS Id=\"DPS310620021122233300018100001000000000000007\"><dhEmi>2026-11-20T10:15:00-03:00</dhEmi><serie>1</serie><nDPS>7</nDPS><dCompet>2026-11-20</dCompet><tpEmit>1</tpEmit><cLocEmi>3106200</cLocEmi><prest><CNPJ>11222333000181</CNPJ></prest><toma><CNPJ>11444777000161</CNPJ></toma><interm><CPF>52998224725</CPF></interm></infDPS></DPS>";
    const CHAVE: &str = "31062002211222333000181000000000000126113476337090";

    fn nota() -> String {
        format!(
            "<NFSe xmlns=\"{NAMESPACE}\"><infNFSe Id=\"NFS{CHAVE}\"><nNFSe>1</nNFSe><emit><CNPJ>11222333000181</CNPJ></emit>{DPS}</infNFSe></NFSe>"
        )
    }

    fn pedido() -> String {
        format!(
            "<pedRegEvento xmlns=\"{NAMESPACE}\"><infPedReg Id=\"PRE{CHAVE}101101\"><dhEvento>2026-11-20T10:15:00-03:00</dhEvento><CNPJAutor>11222333000181</CNPJAutor><chNFSe>{CHAVE}</chNFSe><e101101/></infPedReg></pedRegEvento>"
        )
    }

    fn achados(xml: &str) -> Vec<String> {
        let doc = Document::parse(xml).unwrap();
        let achados = check(&doc, raiz(&doc).unwrap(), date!(2026 - 11 - 20), |_| true);
        let achados = achados.iter();
        achados
            .map(|achado| format!("{} {}", achado.codigo, achado.caminho))
            .collect()
    }

    #[test]
    fn one_thing_wrong_at_a_time() {
        for certo in [DPS.to_owned(), nota(), pedido()] {
            assert_eq!(achados(&certo), [""; 0]);
        }
        let (nota, pedido) = (nota(), pedido());
        for (certo, antes, depois, achado) in [
            (DPS, "<nDPS>7", "<nDPS>8", "E0004 infDPS/@Id"),
            (
                DPS,
                "<dhEmi>2026-11-20",
                "<dhEmi>2026-11-25",
                "E0008 infDPS/dhEmi",
            ),
            (
                DPS,
                "<dCompet>2026-11-20",
                "<dCompet>2026-11-21",
                "E0015 infDPS/dCompet",
            ),
            (
                DPS,
                "<CNPJ>11444777000161",
                "<CNPJ>11444777000162",
                "E0188 infDPS/toma/CNPJ",
            ),
            (
                DPS,
                "<CNPJ>11444777000161",
                "<CNPJ>11222333000181",
                "E0202 infDPS/toma/CNPJ",
            ),
            (
                DPS,
                "<CPF>52998224725",
                "<CPF>52998224726",
                "E0266 infDPS/interm/CPF",
            ),
            (&nota, "<nNFSe>1", "<nNFSe>2", "chave_diverge infNFSe/nNFSe"),
            (
                &nota,
                "<emit><CNPJ>11222333000181",
                "<emit><CNPJ>11444777000161",
                "chave_diverge infNFSe/emit",
            ),
            (&nota, "<nDPS>7", "<nDPS>8", "E0004 infDPS/@Id"),
            (&pedido, "<e101101/>", "<e105102/>", "E0004 infPedReg/@Id"),
            (
                &pedido,
                "<CNPJAutor>11222333000181",
                "<CNPJAutor>11222333000182",
                "autor_invalido infPedReg/CNPJAutor",
            ),
            (
                &pedido,
                "2026-11-20T",
                "2026-11-25T",
                "evento_no_futuro infPedReg/dhEvento",
            ),
        ] {
            let errado = certo.replacen(antes, depois, 1);
            assert_ne!(errado, certo, "{antes}");
            assert_eq!(achados(&errado), [achado], "{depois}");
        }
    }
}
