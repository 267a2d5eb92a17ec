//! Documents read and refused; canonical forms compared with those of xmllint.

use std::path::Path;

use judges::{samples, tool};
use markup::xml::{
    C14n, Comments, Document, Element, Limits, MAX_DEPTH, canonicalize, canonicalize_with, parse,
};

/// Documents that exercise what canonical form has to say.
const TRICKY: [&str; 14] = [
    "<a/>",
    "<?xml version=\"1.0\" encoding='UTF-8' standalone=\"no\" ?>\r\n<?p  one ?><!-- c -->\n<a >x</a  ><!--d--><?q?>\n",
    "<a z='1' b=\"2\" xmlns:q='urn:1' xmlns:p='urn:2' q:a='3' p:a='4' xml:lang='pt' a='5'/>",
    "<a xmlns='urn:1'><b xmlns=''><c xmlns='urn:1'/><d/></b><e xmlns='urn:1' xmlns:x='urn:1'><x:f/></e></a>",
    "<a xmlns:x='urn:1'><x:b xmlns:x='urn:1'><x:c xmlns:x='urn:2'><x:d/></x:c><x:e xmlns:x='urn:1'/></x:b></a>",
    "<a xmlns:x='urn:1' xmlns:y='urn:2'><b><x:c y:d='1'><x:e/><b y:e=''/></x:c><b y:e='2'/></b></a>",
    "<a>1 &lt; 2 &amp;&amp; 3 &gt; 2 &quot;&apos; <![CDATA[<&>\"']]>&#13;&#x41;&#x1F600;</a>",
    "<a b='&lt;&amp;&gt;&quot;&apos;&#9;&#10;&#13;&#x20; \t x' c='\"'>\t'\"</a>",
    "<a>\r\nx\ry\n<![CDATA[\r\n\r]]> <!--\r\n-->\r</a>",
    "<a b=' x\r\ny\rz\n'/>",
    "<a>x<![CDATA[]]><![CDATA[]]]]><![CDATA[>]]>y<!-- c --><?p?><?p a?>z</a>",
    "<á:ção xmlns:á='http://exemplo/x?y=1' á:é='ü'>€ 𝄞</á:ção>",
    "<a xml:space='preserve' xmlns='urn:1'><b xml:lang='pt' xmlns='urn:2' xmlns:xml='http://www.w3.org/XML/1998/namespace'>  </b></a>",
    "\u{feff}<soap:Envelope xmlns:soap='urn:s' xmlns:xsi='urn:i'><soap:Body><n xmlns='urn:n' xsi:type='t'><m/></n></soap:Body></soap:Envelope>",
];

fn whole(text: &str, form: C14n) -> String {
    let doc = Document::parse(text).unwrap();
    canonicalize_with(&doc, doc.document(), form, Comments::Keep, None)
}

/// What xmllint makes of files, one after the other.
fn xmllint(flag: &str, files: &[&Path]) -> Option<String> {
    let mut arguments = vec![flag, "--nonet"];
    arguments.extend(files.iter().map(|path| path.to_str().unwrap()));
    tool("xmllint", &arguments).map(|output| {
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    })
}

#[test]
fn canonical_forms_of_tricky_documents_are_those_of_xmllint() {
    let folder = tempfile::tempdir().unwrap();
    for text in TRICKY {
        let file = folder.path().join("tricky.xml");
        std::fs::write(&file, text).unwrap();
        for (flag, form) in [("--c14n", C14n::Inclusive), ("--exc-c14n", C14n::Exclusive)] {
            let Some(expected) = xmllint(flag, &[&file]) else {
                return;
            };
            assert_eq!(whole(text, form), expected, "{flag} {text}");
        }
    }
    println!("{} documents compared, both forms", TRICKY.len());
}

#[test]
fn canonical_forms_of_samples_are_those_of_xmllint() {
    let samples = samples();
    // Some samples are excerpts. What xmllint does not read, we must not either.
    let mut read = Vec::new();
    let (mut refused, mut relative) = (0, 0);
    for (path, text) in &samples {
        let Some(output) = tool("xmllint", &["--noout", "--nonet", path.to_str().unwrap()]) else {
            return;
        };
        match Document::parse(text) {
            Ok(doc) => {
                assert!(
                    output.status.success(),
                    "{} is not well-formed",
                    path.display()
                );
                // Cities have the namespaces "7Lag", "lote" and "_http://...".
                // libxml2 has no canonical form for that; we have, for it is signed.
                let scheme = |uri: &str| {
                    uri.find(':')
                        .is_some_and(|at| uri[..at].chars().all(|c| c.is_ascii_alphanumeric()))
                };
                if doc.namespaces().any(|uri| !uri.is_empty() && !scheme(uri)) {
                    relative += 1;
                } else {
                    read.push((path.as_path(), doc));
                }
            }
            Err(error) => {
                assert!(!output.stderr.is_empty(), "{}: {error}", path.display());
                refused += 1;
            }
        }
    }
    for (flag, form) in [("--c14n", C14n::Inclusive), ("--exc-c14n", C14n::Exclusive)] {
        for group in read.chunks(50) {
            let files: Vec<&Path> = group.iter().map(|(path, _)| *path).collect();
            let Some(expected) = xmllint(flag, &files) else {
                return;
            };
            let actual: Vec<String> = group
                .iter()
                .map(|(_, doc)| canonicalize_with(doc, doc.document(), form, Comments::Keep, None))
                .collect();
            if actual.concat() != expected {
                for (file, text) in files.iter().zip(&actual) {
                    assert_eq!(
                        Some(text),
                        xmllint(flag, &[file]).as_ref(),
                        "{}",
                        file.display()
                    );
                }
            }
        }
    }
    println!(
        "{} samples compared in both forms; {refused} not well-formed, {relative} with namespaces that xmllint refuses",
        read.len()
    );
}

#[test]
fn a_part_takes_along_what_is_in_force_around_it() {
    let text = "<a xmlns='urn:1' xmlns:u='urn:2' xml:lang='pt' xml:base='x'><!--c--><b xml:lang='en'>\
                <c xmlns:v='urn:3' v:k='1' k='2'><d/></c></b></a>";
    let doc = Document::parse(text).unwrap();
    let c = doc.root().find(&["b", "c"]).unwrap();
    assert_eq!(
        canonicalize(&doc, c.id(), C14n::Inclusive, None),
        "<c xmlns=\"urn:1\" xmlns:u=\"urn:2\" xmlns:v=\"urn:3\" k=\"2\" xml:base=\"x\" xml:lang=\"en\" v:k=\"1\"><d></d></c>"
    );
    assert_eq!(
        canonicalize(&doc, c.id(), C14n::Exclusive, None),
        "<c xmlns=\"urn:1\" xmlns:v=\"urn:3\" k=\"2\" v:k=\"1\"><d></d></c>"
    );
    // libxml2 leaves namespaces unescaped here; the text would not be XML any more.
    let quoted = "<p:a xmlns:p='urn:\"&amp;'/>";
    assert_eq!(
        whole(quoted, C14n::Exclusive),
        "<p:a xmlns:p=\"urn:&quot;&amp;\"></p:a>"
    );
    assert_eq!(
        canonicalize(&doc, doc.document(), C14n::Inclusive, Some(c.id())),
        "<a xmlns=\"urn:1\" xmlns:u=\"urn:2\" xml:base=\"x\" xml:lang=\"pt\"><b xml:lang=\"en\"></b></a>"
    );
}

#[test]
fn canonical_form_is_a_fixed_point() {
    for (_, text) in samples()
        .iter()
        .map(|(path, text)| (path.to_str(), text.as_str()))
        .chain(TRICKY.map(|t| (None, t)))
    {
        let Ok(doc) = Document::parse(text) else {
            continue;
        };
        for form in [C14n::Inclusive, C14n::Exclusive] {
            let once = canonicalize(&doc, doc.document(), form, None);
            let again = Document::parse(&once).unwrap();
            assert_eq!(canonicalize(&again, again.document(), form, None), once);
        }
    }
}

#[test]
fn what_is_not_well_formed_is_refused() {
    let refused = [
        "",
        " ",
        "x",
        "<a>",
        "<a></b>",
        "</a>",
        "<a/><b/>",
        "<a/>x",
        "x<a/>",
        "<a",
        "<a b/>",
        "<a b=1/>",
        "<a b='1'c='2'/>",
        "<a b='<'/>",
        "<a b='1' b='2'/>",
        "<1/>",
        "< a/>",
        "<a / >",
        "<a>]]></a>",
        "<a>\u{1}</a>",
        "<a>\u{ffff}</a>",
        "<a>&#0;</a>",
        "<a>&#xFFFE;</a>",
        "<a>&#xD800;</a>",
        "<a>&#+65;</a>",
        "<a>&#;</a>",
        "<a>&#x;</a>",
        "<a>&nbsp;</a>",
        "<a>&</a>",
        "<a>&amp</a>",
        "<a b='&x;'/>",
        "<a><!-- -- --></a>",
        "<a><!-- ---></a>",
        "<a><!-- </a>",
        "<a><![CDATA[ </a>",
        "<![CDATA[x]]><a/>",
        "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>",
        "<?xml version='1.1'?><a/>",
        "<?xml encoding='UTF-8'?><a/>",
        "<?p<a/>",
        "<a><??></a>",
        "<?xml version='1.0'encoding='UTF-8'?><a/>",
        "<?xml version='1.0' standalone='maybe'?><a/>",
        // Namespaces.
        "<p:a/>",
        "<a p:b=''/>",
        "<a xmlns:p=''/>",
        "<a xmlns:p='u' xmlns:p='v'/>",
        "<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>",
        "<a xmlns:xmlns='u'/>",
        "<a xmlns:xml='u'/>",
        "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>",
        "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
        "<a:b:c xmlns:a='u'/>",
        "<:a/>",
        "<a:/>",
        "<xmlns:a/>",
    ];
    for text in refused {
        assert!(Document::parse(text).is_err(), "{text}");
    }
    // Well-formed, and refused all the same.
    for text in [
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<!ENTITY b 'c'><a/>",
    ] {
        assert!(Document::parse(text).is_err(), "{text}");
    }
}

#[test]
fn xmllint_refuses_the_same_and_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cut.xml");
    let seed = "<a xmlns:p='u'><p:b c='1&lt;' p:d=\"é\">x<!--y--><![CDATA[z]]></p:b><?q r?></a>";
    let mut compared = 0;
    // Every text with one character left out or replaced.
    for (at, c) in seed.char_indices() {
        for replacement in ["", "<", "&", "x"] {
            let text = [&seed[..at], replacement, &seed[at + c.len_utf8()..]].concat();
            std::fs::write(&file, &text).unwrap();
            let Some(output) = tool("xmllint", &["--noout", "--nonet", file.to_str().unwrap()])
            else {
                return;
            };
            // Namespace errors leave the status at 0, but not the error output.
            let accepted = output.status.success() && output.stderr.is_empty();
            assert_eq!(Document::parse(&text).is_ok(), accepted, "{text}");
            compared += 1;
        }
    }
    println!("{compared} texts compared");
}

#[test]
fn limits_hold() {
    let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    assert!(Document::parse(&nested(MAX_DEPTH)).is_ok());
    assert!(Document::parse(&nested(MAX_DEPTH + 1)).is_err());
    assert!(Document::parse(&"<a>".repeat(1_000_000)).is_err());

    let attributes = |count: usize| {
        format!(
            "<a{}/>",
            (0..count).map(|i| format!(" b{i}=''")).collect::<String>()
        )
    };
    assert!(Document::parse(&attributes(64)).is_ok());
    assert!(Document::parse(&attributes(65)).is_err());

    let limits = Limits {
        bytes: 20,
        nodes: 4,
    };
    assert!(parse("<a><b/><c/></a>", &limits).is_ok());
    assert!(parse("<a><b/><c/>x</a>", &limits).is_err());
    assert!(parse("<a>              </a>", &limits).is_err());

    // One long namespace used by many names would grow a thousand times.
    let uri = "u".repeat(4000);
    let many = format!("<a xmlns:p='{uri}'>{}</a>", "<p:b/>".repeat(10_000));
    assert!(Document::parse(&many).is_err());

    let long_name = format!("<{}/>", "a".repeat(257));
    assert!(Document::parse(&long_name).is_err());
}

#[test]
fn errors_say_where() {
    let error = Document::parse("<a>\n<b>&x;</b></a>").unwrap_err();
    assert_eq!(error.offset, 7);
    assert_eq!(Document::parse("<a><b></a>").unwrap_err().offset, 6);
    assert_eq!(Document::parse("<a b='x&y;'/>").unwrap_err().offset, 7);
}

#[test]
fn content_is_found_by_local_names() {
    let text = "<n:a xmlns:n='urn:n' xmlns='urn:d'><b/><b i='1' n:i='2'><c>x<!--y--> <![CDATA[<]]></c></b><b><c>z</c></b></n:a>";
    let doc = Document::parse(text).unwrap();
    let root = doc.root();
    assert_eq!(
        (root.prefix(), root.name(), root.namespace()),
        ("n", "a", "urn:n")
    );
    assert_eq!(root.children().count(), 3);
    // The first `b` has no `c`: the search goes on.
    let c = root.find(&["b", "c"]).unwrap();
    assert_eq!(c.text(), "x <");
    assert_eq!(c.namespace(), "urn:d");
    assert_eq!(root.text_at(&["b", "c"]).as_deref(), Some("x <"));
    assert!(root.find(&["c"]).is_none());
    let b = c.parent().unwrap();
    assert_eq!(
        (
            b.attribute("i"),
            b.attribute_in("urn:n", "i"),
            b.attribute("j")
        ),
        (Some("1"), Some("2"), None)
    );
    let all: Vec<_> = root
        .find_all(&["b", "c"])
        .into_iter()
        .map(Element::text)
        .collect();
    assert_eq!(all, ["x <", "z"]);
    assert_eq!(
        doc.elements().map(Element::name).collect::<Vec<_>>(),
        ["a", "b", "b", "c", "b", "c"]
    );
    assert!(root.contains(c) && b.contains(c) && !c.contains(b));
    assert!(root.parent().is_none());
}

#[test]
fn spans_are_positions_in_the_original_text() {
    for (_, text) in samples()
        .iter()
        .map(|(path, text)| (path.to_str(), text.as_str()))
        .chain(TRICKY.map(|t| (None, t)))
    {
        let Ok(doc) = Document::parse(text) else {
            continue;
        };
        for element in doc.elements() {
            let whole = &text[element.span()];
            let name = match element.prefix() {
                "" => element.name().to_owned(),
                prefix => format!("{prefix}:{}", element.name()),
            };
            assert!(whole.starts_with(&format!("<{name}")) && whole.ends_with('>'));
            match element.content_span() {
                Some(content) => assert!(text[content.end..].starts_with(&format!("</{name}"))),
                None => assert!(whole.ends_with("/>")),
            }
        }
    }
    let text = "\u{feff}<a>\r\n<b c='>'/>é<d></d></a>";
    let doc = Document::parse(text).unwrap();
    assert_eq!(&text[doc.root().child("b").unwrap().span()], "<b c='>'/>");
    assert_eq!(&text[doc.root().child("d").unwrap().span()], "<d></d>");
    assert_eq!(
        &text[doc.root().content_span().unwrap()],
        "\r\n<b c='>'/>é<d></d>"
    );
}

#[test]
fn no_text_makes_it_panic() {
    // Cuts and splices of real documents, at any byte that begins a character.
    let seeds = TRICKY;
    for (number, seed) in seeds.iter().enumerate() {
        let other = seeds[(number + 5) % seeds.len()];
        for at in (0..=seed.len()).filter(|at| seed.is_char_boundary(*at)) {
            for tail in [
                "",
                "<",
                "&",
                "&#",
                "<!",
                "<![CDATA[",
                "='",
                "</",
                "<?xml ",
                &other.chars().rev().collect::<String>(),
            ] {
                let text = format!("{}{tail}{other}", &seed[..at]);
                if let Ok(doc) = Document::parse(&text) {
                    assert!(!canonicalize(&doc, doc.document(), C14n::Exclusive, None).is_empty());
                }
            }
        }
    }
}
