//! A valid document with one thing changed, in every way that matters to a schema.

use markup::xml::{Document, Element};

/// Every `passo`-th of all mutants of a document.
pub fn de(texto: &str, passo: usize, deslocamento: usize) -> Vec<String> {
    let doc = Document::parse(texto).expect("a generated document");
    let mut numero = deslocamento;
    let mut saida = Vec::new();
    for elemento in doc.elements() {
        for mudanca in MUDANCAS {
            numero += 1;
            if numero.is_multiple_of(passo)
                && let Some(novo) = mudanca(texto, elemento)
                && novo != texto
            {
                saida.push(novo);
            }
        }
    }
    saida
}

/// How many mutants there are at most.
pub fn quantos(texto: &str) -> usize {
    let doc = Document::parse(texto).expect("a generated document");
    doc.elements().count() * MUDANCAS.len()
}

type Mudanca = fn(&str, Element<'_>) -> Option<String>;

const MUDANCAS: &[Mudanca] = &[
    // Structure.
    |t, e| e.parent().map(|_| troca(t, e.span(), "")),
    |t, e| {
        e.parent()
            .map(|_| troca(t, e.span(), &t[e.span()].repeat(2)))
    },
    |t, e| {
        e.parent()
            .map(|_| troca(t, e.span(), &t[e.span()].repeat(130)))
    },
    com_o_seguinte,
    para_o_inicio,
    |t, e| renomeia(t, e, &format!("{}x", e.name())),
    |t, e| renomeia(t, e, &e.name().to_lowercase()),
    |t, e| inicio(t, e, "<novo>1</novo>"),
    |t, e| inicio(t, e, "texto"),
    |t, e| inicio(t, e, " \n\t"),
    |t, e| inicio(t, e, "<!-- nota --><?pi x?>"),
    |t, e| inicio(t, e, "<![CDATA[]]>"),
    |t, e| inicio(t, e, "&#160;"),
    |t, e| Some(troca(t, e.content_span()?, "")),
    |t, e| {
        Some(troca(
            t,
            e.span(),
            &format!("{}/>", t[e.span()].split('>').next()?),
        ))
    },
    // Namespaces and attributes.
    |t, e| {
        abertura(t, e, " xmlns=\"\"").filter(|_| {
            !t[e.span()]
                .split('>')
                .next()
                .unwrap_or("")
                .contains("xmlns")
        })
    },
    |t, e| {
        abertura(t, e, " xmlns=\"urn:x\"").filter(|_| {
            !t[e.span()]
                .split('>')
                .next()
                .unwrap_or("")
                .contains("xmlns")
        })
    },
    |t, e| abertura(t, e, " novo=\"1\""),
    |t, e| abertura(t, e, " xml:lang=\"pt\""),
    |t, e| {
        abertura(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:schemaLocation=\"a b\"",
        )
    },
    |t, e| {
        abertura(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"",
        )
    },
    |t, e| {
        abertura(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:type=\"TString\"",
        )
    },
    |t, e| {
        abertura(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:x=\"http://www.w3.org/2001/XMLSchema\" i:type=\"x:string\"",
        )
    },
    |t, e| atributo(t, e, |_| None),
    |t, e| atributo(t, e, |v| Some(format!("{v}0"))),
    |t, e| atributo(t, e, |v| Some(format!(" {v}"))),
    |t, e| atributo(t, e, |_| Some(String::new())),
    |t, e| atributo(t, e, |_| Some("x y".to_owned())),
    // Values.
    |t, e| valor(t, e, |_| String::new()),
    |t, e| valor(t, e, |v| format!(" {v}")),
    |t, e| valor(t, e, |v| format!("{v} ")),
    |t, e| valor(t, e, |v| format!("{v}\n")),
    |t, e| valor(t, e, |v| format!("{v}{v}")),
    |t, e| valor(t, e, |v| v.chars().skip(1).collect()),
    |t, e| {
        valor(t, e, |v| {
            v.chars()
                .take(v.chars().count().saturating_sub(1))
                .collect()
        })
    },
    |t, e| valor(t, e, |v| format!("0{v}")),
    |t, e| valor(t, e, |v| format!("{v}0")),
    |t, e| valor(t, e, |v| format!("{v}.00")),
    |t, e| valor(t, e, |v| format!("-{v}")),
    |t, e| valor(t, e, |v| v.replace('.', ",")),
    |t, e| valor(t, e, |v| v.to_lowercase()),
    |t, e| valor(t, e, |v| v.replace(|c: char| c.is_ascii_digit(), "9")),
    |t, e| valor(t, e, |v| v.replacen(|c: char| c.is_ascii_digit(), "٣", 1)),
    |t, e| valor(t, e, |v| v.replacen('5', "x", 1)),
    |t, e| valor(t, e, |_| "0".to_owned()),
    |t, e| valor(t, e, |_| "x".to_owned()),
    |t, e| valor(t, e, |_| "€".to_owned()),
    |t, e| valor(t, e, |v| format!("{v}ÿ")),
    |t, e| valor(t, e, |v| format!("{v}😀")),
    |t, e| valor(t, e, |_| "A".repeat(61)),
    |t, e| valor(t, e, |_| "A".repeat(5001)),
    |t, e| valor(t, e, |v| format!("<![CDATA[{v}]]>")),
    |t, e| valor(t, e, |v| format!("<!--a-->{v}<?b c?>")),
    |t, e| valor(t, e, |v| format!("{v}<novo/>")),
    |t, e| {
        valor(t, e, |v| {
            v.chars().map(|c| format!("&#{};", u32::from(c))).collect()
        })
    },
    |t, e| valor(t, e, |v| format!("{v}&#x20;")),
    |t, e| valor(t, e, |_| "2026-02-30".to_owned()),
    |t, e| valor(t, e, |_| "2026-12-31T23:59:59-03:00".to_owned()),
    |t, e| valor(t, e, |_| "2026-12-31T23:59:59Z".to_owned()),
    |t, e| valor(t, e, |v| format!("{v}!=")),
];

fn troca(texto: &str, onde: std::ops::Range<usize>, por: &str) -> String {
    format!("{}{por}{}", &texto[..onde.start], &texto[onde.end..])
}

fn com_o_seguinte(texto: &str, elemento: Element<'_>) -> Option<String> {
    let pai = elemento.parent()?;
    let mut irmaos = pai
        .children()
        .skip_while(|irmao| *irmao != elemento)
        .skip(1);
    let outro = irmaos.next()?;
    let (a, b) = (elemento.span(), outro.span());
    let novo = format!(
        "{}{}{}",
        &texto[b.clone()],
        &texto[a.end..b.start],
        &texto[a.clone()]
    );
    Some(troca(texto, a.start..b.end, &novo))
}

fn para_o_inicio(texto: &str, elemento: Element<'_>) -> Option<String> {
    let primeiro = elemento.parent()?.children().next()?;
    let (a, b) = (primeiro.span(), elemento.span());
    let antes = &texto[a.start..b.start];
    Some(troca(
        texto,
        a.start..b.end,
        &format!("{}{antes}", &texto[b.clone()]),
    ))
}

fn renomeia(texto: &str, elemento: Element<'_>, nome: &str) -> Option<String> {
    let dentro = elemento.content_span()?;
    let span = elemento.span();
    let abre = texto[span.start..dentro.start].replacen(elemento.name(), nome, 1);
    Some(troca(
        texto,
        span,
        &format!("{abre}{}</{nome}>", &texto[dentro]),
    ))
}

fn inicio(texto: &str, elemento: Element<'_>, novo: &str) -> Option<String> {
    let dentro = elemento.content_span()?;
    Some(troca(texto, dentro.start..dentro.start, novo))
}

fn abertura(texto: &str, elemento: Element<'_>, novo: &str) -> Option<String> {
    let nome = elemento.span().start + 1 + elemento.name().len();
    (elemento.prefix().is_empty()).then(|| troca(texto, nome..nome, novo))
}

fn atributo(
    texto: &str,
    elemento: Element<'_>,
    muda: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let (_, nome, valor) = elemento.attributes().next()?;
    let antigo = format!(" {nome}=\"{valor}\"");
    let abre = elemento.span().start..elemento.content_span()?.start;
    let novo = muda(valor).map_or(String::new(), |valor| format!(" {nome}=\"{valor}\""));
    Some(troca(
        texto,
        abre.clone(),
        &texto[abre].replacen(&antigo, &novo, 1),
    ))
}

fn valor(texto: &str, elemento: Element<'_>, muda: impl Fn(&str) -> String) -> Option<String> {
    if elemento.children().next().is_some() {
        return None;
    }
    let dentro = elemento.content_span()?;
    let novo = muda(&texto[dentro.clone()]);
    Some(troca(texto, dentro, &novo))
}
