//! A valid document with one thing changed, in every way that matters to a schema.

use markup::xml::{Document, Element};

/// Every `passo`-th of all mutants of a document.
pub fn from(text: &str, step: usize, shift: usize) -> Vec<String> {
    let doc = Document::parse(text).expect("a generated document");
    let mut number = shift;
    let mut output = Vec::new();
    for element in doc.elements() {
        for change in CHANGES {
            number += 1;
            if number.is_multiple_of(step)
                && let Some(new) = change(text, element)
                && new != text
            {
                output.push(new);
            }
        }
    }
    output
}

/// How many mutants there are at most.
pub fn how_many(text: &str) -> usize {
    let doc = Document::parse(text).expect("a generated document");
    doc.elements().count() * CHANGES.len()
}

type Change = fn(&str, Element<'_>) -> Option<String>;

const CHANGES: &[Change] = &[
    // Structure.
    |t, e| e.parent().map(|_| swap(t, e.span(), "")),
    |t, e| {
        e.parent()
            .map(|_| swap(t, e.span(), &t[e.span()].repeat(2)))
    },
    |t, e| {
        e.parent()
            .map(|_| swap(t, e.span(), &t[e.span()].repeat(130)))
    },
    with_next,
    to_the_start,
    |t, e| rename(t, e, &format!("{}x", e.name())),
    |t, e| rename(t, e, &e.name().to_lowercase()),
    |t, e| start(t, e, "<novo>1</novo>"),
    |t, e| start(t, e, "texto"),
    |t, e| start(t, e, " \n\t"),
    |t, e| start(t, e, "<!-- nota --><?pi x?>"),
    |t, e| start(t, e, "<![CDATA[]]>"),
    |t, e| start(t, e, "&#160;"),
    |t, e| Some(swap(t, e.content_span()?, "")),
    |t, e| {
        Some(swap(
            t,
            e.span(),
            &format!("{}/>", t[e.span()].split('>').next()?),
        ))
    },
    // Namespaces and attributes.
    |t, e| {
        opening(t, e, " xmlns=\"\"").filter(|_| {
            !t[e.span()]
                .split('>')
                .next()
                .unwrap_or("")
                .contains("xmlns")
        })
    },
    |t, e| {
        opening(t, e, " xmlns=\"urn:x\"").filter(|_| {
            !t[e.span()]
                .split('>')
                .next()
                .unwrap_or("")
                .contains("xmlns")
        })
    },
    |t, e| opening(t, e, " novo=\"1\""),
    |t, e| opening(t, e, " xml:lang=\"pt\""),
    |t, e| {
        opening(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:schemaLocation=\"a b\"",
        )
    },
    |t, e| {
        opening(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:nil=\"true\"",
        )
    },
    |t, e| {
        opening(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" i:type=\"TString\"",
        )
    },
    |t, e| {
        opening(
            t,
            e,
            " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\" xmlns:x=\"http://www.w3.org/2001/XMLSchema\" i:type=\"x:string\"",
        )
    },
    |t, e| attribute(t, e, |_| None),
    |t, e| attribute(t, e, |v| Some(format!("{v}0"))),
    |t, e| attribute(t, e, |v| Some(format!(" {v}"))),
    |t, e| attribute(t, e, |_| Some(String::new())),
    |t, e| attribute(t, e, |_| Some("x y".to_owned())),
    // Values.
    |t, e| value(t, e, |_| String::new()),
    |t, e| value(t, e, |v| format!(" {v}")),
    |t, e| value(t, e, |v| format!("{v} ")),
    |t, e| value(t, e, |v| format!("{v}\n")),
    |t, e| value(t, e, |v| format!("{v}{v}")),
    |t, e| value(t, e, |v| v.chars().skip(1).collect()),
    |t, e| {
        value(t, e, |v| {
            v.chars()
                .take(v.chars().count().saturating_sub(1))
                .collect()
        })
    },
    |t, e| value(t, e, |v| format!("0{v}")),
    |t, e| value(t, e, |v| format!("{v}0")),
    |t, e| value(t, e, |v| format!("{v}.00")),
    |t, e| value(t, e, |v| format!("-{v}")),
    |t, e| value(t, e, |v| v.replace('.', ",")),
    |t, e| value(t, e, |v| v.to_lowercase()),
    |t, e| value(t, e, |v| v.replace(|c: char| c.is_ascii_digit(), "9")),
    |t, e| value(t, e, |v| v.replacen(|c: char| c.is_ascii_digit(), "٣", 1)),
    |t, e| value(t, e, |v| v.replacen('5', "x", 1)),
    |t, e| value(t, e, |_| "0".to_owned()),
    |t, e| value(t, e, |_| "x".to_owned()),
    |t, e| value(t, e, |_| "€".to_owned()),
    |t, e| value(t, e, |v| format!("{v}ÿ")),
    |t, e| value(t, e, |v| format!("{v}😀")),
    |t, e| value(t, e, |_| "A".repeat(61)),
    |t, e| value(t, e, |_| "A".repeat(5001)),
    |t, e| value(t, e, |v| format!("<![CDATA[{v}]]>")),
    |t, e| value(t, e, |v| format!("<!--a-->{v}<?b c?>")),
    |t, e| value(t, e, |v| format!("{v}<novo/>")),
    |t, e| {
        value(t, e, |v| {
            v.chars().map(|c| format!("&#{};", u32::from(c))).collect()
        })
    },
    |t, e| value(t, e, |v| format!("{v}&#x20;")),
    |t, e| value(t, e, |_| "2026-02-30".to_owned()),
    |t, e| value(t, e, |_| "2026-12-31T23:59:59-03:00".to_owned()),
    |t, e| value(t, e, |_| "2026-12-31T23:59:59Z".to_owned()),
    |t, e| value(t, e, |v| format!("{v}!=")),
];

fn swap(text: &str, place: std::ops::Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..place.start], &text[place.end..])
}

fn with_next(text: &str, element: Element<'_>) -> Option<String> {
    let parent = element.parent()?;
    let mut siblings = parent
        .children()
        .skip_while(|sibling| *sibling != element)
        .skip(1);
    let other = siblings.next()?;
    let (a, b) = (element.span(), other.span());
    let new = format!(
        "{}{}{}",
        &text[b.clone()],
        &text[a.end..b.start],
        &text[a.clone()]
    );
    Some(swap(text, a.start..b.end, &new))
}

fn to_the_start(text: &str, element: Element<'_>) -> Option<String> {
    let first = element.parent()?.children().next()?;
    let (a, b) = (first.span(), element.span());
    let before = &text[a.start..b.start];
    Some(swap(
        text,
        a.start..b.end,
        &format!("{}{before}", &text[b.clone()]),
    ))
}

fn rename(text: &str, element: Element<'_>, name: &str) -> Option<String> {
    let inside = element.content_span()?;
    let span = element.span();
    let opens = text[span.start..inside.start].replacen(element.name(), name, 1);
    Some(swap(
        text,
        span,
        &format!("{opens}{}</{name}>", &text[inside]),
    ))
}

fn start(text: &str, element: Element<'_>, new: &str) -> Option<String> {
    let inside = element.content_span()?;
    Some(swap(text, inside.start..inside.start, new))
}

fn opening(text: &str, element: Element<'_>, new: &str) -> Option<String> {
    let name = element.span().start + 1 + element.name().len();
    (element.prefix().is_empty()).then(|| swap(text, name..name, new))
}

fn attribute(
    text: &str,
    element: Element<'_>,
    alter: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let (_, name, value) = element.attributes().next()?;
    let old = format!(" {name}=\"{value}\"");
    let opens = element.span().start..element.content_span()?.start;
    let new = alter(value).map_or(String::new(), |value| format!(" {name}=\"{value}\""));
    Some(swap(
        text,
        opens.clone(),
        &text[opens].replacen(&old, &new, 1),
    ))
}

fn value(text: &str, element: Element<'_>, alter: impl Fn(&str) -> String) -> Option<String> {
    if element.children().next().is_some() {
        return None;
    }
    let inside = element.content_span()?;
    let new = alter(&text[inside.clone()]);
    Some(swap(text, inside, &new))
}
