//! Nothing of a note comes through, whatever stands around it.

use authority::exchange::{Body, Mask, path};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Generated; nobody's.
const CPF: &str = "52998224725";
const CNPJ: &str = "11222333000181";
const NAME: &str = "Zuleica Quaresma Modelo";
const STREET: &str = "Rua das Palmeiras Imaginárias";
const EMAIL: &str = "zuleica@modelo.example";
const AMOUNT: &str = "98765.43";
const CERTIFICATE: &str = "MIIBxjCCAW2gAwIBAgIUexemplo";

/// What must not be read anywhere.
const SECRETS: [&str; 9] = [
    CPF,
    CNPJ,
    NAME,
    "Quaresma",
    "Palmeiras",
    EMAIL,
    AMOUNT,
    "98765",
    CERTIFICATE,
];

fn nota() -> String {
    format!(
        "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe versao=\"4.00\" Id=\"NFe35261011222333000181550010000000571718293040\">\
         <ide><cUF>35</cUF><natOp>Venda</natOp><mod>55</mod><tpAmb>2</tpAmb></ide><emit><CNPJ>{CNPJ}</CNPJ></emit>\
         <dest><CPF>{CPF}</CPF><xNome>{NAME}</xNome><enderDest><xLgr>{STREET}</xLgr><nro>1000</nro></enderDest><email>{EMAIL}</email></dest>\
         <total><ICMSTot><vNF>{AMOUNT}</vNF></ICMSTot></total></infNFe>\
         <Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\"><KeyInfo><X509Data><X509Certificate>{CERTIFICATE}</X509Certificate></X509Data></KeyInfo></Signature></NFe>"
    )
}

fn envelope(inner: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><soap:Envelope xmlns:soap=\"http://www.w3.org/2003/05/soap-envelope\"><soap:Body>{inner}</soap:Body></soap:Envelope>"
    )
}

fn answer(reason: &str) -> String {
    envelope(&format!(
        "<nfeResultMsg><retEnviNFe versao=\"4.00\"><tpAmb>2</tpAmb><verAplic>SVRSnfce202410081545</verAplic><cStat>104</cStat><xMotivo>Lote processado</xMotivo><cUF>35</cUF>\
         <dhRecbto>2026-10-05T10:15:03-03:00</dhRecbto><protNFe versao=\"4.00\"><infProt><chNFe>35261011222333000181550010000000571718293040</chNFe>\
         <nProt>135260000000101</nProt><digVal>zwJzbq4FXks09tlHU1GEWRI7t/A=</digVal><cStat>539</cStat><xMotivo>{reason}</xMotivo></infProt></protNFe></retEnviNFe></nfeResultMsg>"
    ))
}

fn xml(mask: &mut Mask, text: &str) -> Body {
    mask.body("application/soap+xml; charset=utf-8", text.as_bytes(), true)
}

fn shown(text: &str) -> String {
    xml(&mut Mask::default(), text).text.expect("a text")
}

/// The sentence, after a note was sent.
fn reason(sentence: &str) -> String {
    let text = xml(&mut Mask::of(&nota()), &answer(sentence)).text;
    let text = text.expect("a text");
    let line = text
        .lines()
        .filter(|line| line.contains("<xMotivo>"))
        .nth(1);
    let line = line.expect("a sentence").trim();
    let inner = line
        .strip_prefix("<xMotivo>")
        .and_then(|line| line.strip_suffix("</xMotivo>"));
    inner.expect("a sentence alone").to_owned()
}

fn clean(text: &str) {
    let folded = text.to_lowercase();
    for secret in SECRETS {
        assert!(
            !folded.contains(&secret.to_lowercase()),
            "{secret} in {text}"
        );
    }
}

fn gzip(text: &str) -> String {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(text.as_bytes()).expect("packed");
    STANDARD.encode(packer.finish().expect("packed"))
}

#[test]
fn an_answer_tells_what_is_technical() {
    let text = shown(&answer("Duplicidade de NF-e"));
    for kept in [
        "<cStat>104</cStat>",
        "<xMotivo>Lote processado</xMotivo>",
        "<verAplic>SVRSnfce202410081545</verAplic>",
        "<dhRecbto>2026-10-05T10:15:03-03:00</dhRecbto>",
        "<nProt>135260000000101</nProt>",
        "<cStat>539</cStat>",
        "<xMotivo>Duplicidade de NF-e</xMotivo>",
        "<chNFe>352610•••3040</chNFe>",
        "<digVal>•••</digVal>",
        "<retEnviNFe versao=\"4.00\">",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    clean(&text);
}

#[test]
fn a_note_keeps_its_shape_alone() {
    let text = shown(&envelope(&nota()));
    for kept in [
        "<CPF>•••</CPF>",
        "<xNome>•••</xNome>",
        "<vNF>•••</vNF>",
        "<mod>55</mod>",
        "Id=\"NFe352•••3040\"",
        "<Signature>[assinatura]</Signature>",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    assert!(!text.contains("KeyInfo"), "{text}");
    clean(&text);
}

#[test]
fn the_place_of_the_signed_document_shows_it() {
    let mut mask = Mask::of(&nota());
    let place = "@@hub:0011223344556677:plain:documento@@";
    let sent = envelope(&format!(
        "<enviNFe><idLote>1</idLote>{place}<x>{place}</x><senha>@@hub:0011223344556677:xml:senha@@</senha></enviNFe>"
    ));
    let text = xml(&mut mask, &sent).text.expect("a text");
    assert!(
        text.contains("<xNome>•••</xNome>") && text.contains("<senha>[segredo]</senha>"),
        "{text}"
    );
    assert!(text.contains("<x>[documento assinado]</x>"), "once: {text}");
    assert!(!text.contains("@@hub"), "{text}");
    clean(&text);
    // A CT-e and an MDF-e travel compressed; what is shown is the document.
    let packed =
        envelope("<cteDadosMsg>@@hub:0011223344556677:plain:documento_gzip@@</cteDadosMsg>");
    let text = xml(&mut mask, &packed).text.expect("a text");
    assert!(text.contains("<xNome>•••</xNome>"), "{text}");
    // Forged places do not multiply the document.
    let many = envelope(&format!(
        "<a>{}</a>",
        format!("<x>{place}</x>").repeat(5_000)
    ));
    let shown = xml(&mut Mask::of(&many), &many);
    assert!(shown.cut);
}

#[test]
fn sentences_are_kept_but_for_what_is_somebodys() {
    for (sentence, kept) in [
        ("Autorizado o uso da NF-e", "Autorizado o uso da NF-e"),
        ("CPF 529.982.247-25 inválido", "CPF ••• inválido"),
        ("CPF 52998224725, recusado", "CPF •••, recusado"),
        (
            "CNPJ 11.222.333/0001-81 não habilitado",
            "CNPJ ••• não habilitado",
        ),
        ("CNPJ 7K2M9QX4000108 e 7K.2M9.QX4/0001-08", "CNPJ ••• e •••"),
        (
            "CNPJ AB.CDE.FGH/IJKL-83 sem cadastro",
            "CNPJ ••• sem cadastro",
        ),
        ("CPF 5 2 9 9 8 2 2 4 7 2 5", "CPF •••"),
        ("CPF ５２９９８２２４７２５", "CPF •••"),
        ("CPF 529\u{200b}982\u{200b}247\u{2060}25", "CPF •••"),
        ("CPF &amp;#53;&amp;#50;", "•••"),
        ("Telefone (31) 3333-4444", "Telefone (•••"),
        (
            "Valor 1.500,00 difere de R$ 7",
            "Valor ••• difere de R$ •••",
        ),
        (
            "Destinatario ZULEICA QUARESMA MODELO sem cadastro",
            "Destinatario ••• sem cadastro",
        ),
        (
            "Zuleica Quaresma, da RUA DAS PALMEIRAS IMAGINARIAS, 1000",
            "•••, da •••, •••",
        ),
        ("Escreva a zuleica@modelo.example", "Escreva a •••"),
        (
            "The 'http://www.portalfiscal.inf.br/nfe:xNome' element is invalid - The value 'FULANA DE TAL' is invalid according to its datatype 'TString'",
            "The 'http://www.portalfiscal.inf.br/nfe:xNome' element is invalid - The value '•••' is invalid according to its datatype '•••'",
        ),
        (
            "Elemento \"infNFe\" com \"FULANA",
            "Elemento &quot;infNFe&quot; com &quot;•••",
        ),
        (
            "[chNFe: 35261011222333000181550010000000571718293040]",
            "[chNFe: •••]",
        ),
    ] {
        assert_eq!(reason(sentence), kept, "{sentence}");
    }
}

#[test]
fn a_long_sentence_is_cut_without_cutting_a_number() {
    for at in 480..510 {
        let text = reason(&format!("{} {CPF} fim", "a b".repeat(at / 3)));
        assert!(!text.contains("529"), "{text}");
    }
    assert!(reason(&"abc ".repeat(10_000)).chars().count() <= 501);
}

#[test]
fn codes_that_are_no_codes_are_hidden() {
    for hidden in [
        format!("<verAplic>{CPF}</verAplic>"),
        format!("<verAplic>{NAME}</verAplic>"),
        "<verAplic>Zuleica</verAplic>".to_owned(),
        format!("<nRec>{CNPJ}</nRec>"),
        format!("<nRec>00{CPF}00</nRec>"),
        format!("<dhRecbto>{NAME}</dhRecbto>"),
        format!("<dhRecbto>2026-10-05T10:15:03.{CPF}</dhRecbto>"),
        format!("<cStat>{AMOUNT}</cStat>"),
        format!("<chNFe>{NAME}</chNFe>"),
        format!("<chNFe>{CNPJ}</chNFe>"),
        format!("<a versao=\"{NAME}\" outro=\"{CPF}\" xmlns=\"{EMAIL}\" Id=\"{CPF}\"/>"),
        format!("<e101101><xMotivo>{NAME}</xMotivo></e101101>"),
        "<e101101><xMotivo>O tomador desistiu</xMotivo></e101101>".to_owned(),
        format!("<p:xMotivo xmlns:p=\"http://{CPF}.example/\">O tomador desistiu</p:xMotivo>"),
        format!("<_{CPF}/>"),
    ] {
        let mut mask = Mask::of(&nota().replace("Zuleica Quaresma Modelo", "Zuleica"));
        let text = xml(&mut mask, &hidden).text.expect("a text");
        assert!(text.contains("•••"), "{hidden}: {text}");
        assert!(
            !text.contains("desistiu") && !text.contains("Zuleica"),
            "{text}"
        );
        clean(&text.replace(NAME, "nome"));
    }
}

#[test]
fn packed_documents_are_opened_and_hidden() {
    let packed = gzip(&nota());
    let body = format!(
        "{{\"dpsXmlGZipB64\":\"{packed}\",\"tipoAmbiente\":2,\"chaveAcesso\":\"35261011222333000181550010000000571718293040\",\"valor\":98765.43,\
         \"certificado\":\"{CERTIFICATE}\",\"erros\":[{{\"Codigo\":\"E0014\",\"Descricao\":\"Já existe para {CPF}\",\"Complemento\":\"\",\"Nome\":\"{NAME}\"}}],\"{CPF}\":1}}"
    );
    let masked = Mask::default().body("application/json", body.as_bytes(), true);
    let text = masked.text.expect("a text");
    for kept in [
        "\"dpsXmlGZipB64\": \"[XML 1]\"",
        "[XML 1: dpsXmlGZipB64]",
        "<xNome>•••</xNome>",
        "\"Codigo\": \"E0014\"",
        "\"Descricao\": \"Já existe para •••\"",
        "\"tipoAmbiente\": 2",
        "\"chaveAcesso\": \"352610•••3040\"",
        "\"valor\": \"•••\"",
        "\"certificado\": \"[assinatura]\"",
    ] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
    clean(&text);

    let zipped = envelope(&format!(
        "<docZip NSU=\"000000000000123\" schema=\"procNFe_v4.00.xsd\">{packed}</docZip>"
    ));
    let escaped = nota()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let twice = escaped.replace('&', "&amp;");
    for (body, shape) in [
        (zipped, "<docZip NSU=\"•••\" schema=\"procNFe_v4.00.xsd\">"),
        (
            envelope(&format!("<nfseDadosMsg>{escaped}</nfseDadosMsg>")),
            "<nfseDadosMsg>",
        ),
        (
            envelope(&format!("<outputXML><![CDATA[{}]]></outputXML>", nota())),
            "<outputXML>",
        ),
        (
            envelope(&format!("<a>{}</a>", STANDARD.encode(nota()))),
            "<a>",
        ),
    ] {
        let text = shown(&body);
        assert!(
            text.contains(shape) && text.contains("<xNome>•••</xNome>"),
            "{text}"
        );
        clean(&text);
    }
    clean(&shown(&envelope(&format!("<a>{twice}</a>"))));
    // Half of a packed document is read as far as it goes.
    let half = packed.get(..packed.len() / 2).expect("ASCII");
    clean(&shown(&envelope(&format!("<docZip>{half}</docZip>"))));
    let binary = STANDARD.encode([7_u8; 900]);
    assert!(shown(&format!("<a>{binary}</a>")).contains("<a>[900 bytes]</a>"));
}

#[test]
fn what_is_no_xml_json_or_form_is_not_shown() {
    for (media_type, body) in [
        ("text/html", format!("<html><body>{NAME}</body></html>")),
        ("text/xml", format!("<!DOCTYPE HTML><p>{NAME}")),
        ("", format!("  <HTML>{NAME}")),
        ("text/plain", NAME.to_owned()),
        ("application/json", format!("{{\"nome\": \"{NAME}\"")),
        ("application/json", "{\"a\":".repeat(500)),
        ("application/pdf", "<a>1</a>".to_owned()),
        ("multipart/form-data; boundary=x", "<a>1</a>".to_owned()),
    ] {
        let masked = Mask::default().body(media_type, body.as_bytes(), true);
        assert_eq!(masked, Body::default(), "{media_type} {body}");
    }
    assert_eq!(
        Mask::default().body("text/xml", b"\xff\xfe<\0a\0", true),
        Body::default()
    );
    assert_eq!(Mask::default().body("text/xml", b"", true), Body::default());
}

#[test]
fn forms_show_their_fields() {
    let body = format!(
        "usuario=zuleica&senha=@@hub:0011223344556677:url:senha@@&xml={}&{CPF}=1",
        "%3CRps%3E%3CNome%3EZuleica+Quaresma+Modelo%3C/Nome%3E%3C/Rps%3E"
    );
    let masked = Mask::default().body("application/x-www-form-urlencoded", body.as_bytes(), true);
    let text = masked.text.expect("a text");
    assert_eq!(
        text,
        "usuario=•••\nsenha=[segredo]\nxml=[XML 1]\n•••=•••\n\n[XML 1: xml]\n<Rps>\n  <Nome>•••</Nome>\n</Rps>\n"
    );
}

/// Text of an answer in which a name and a sentence have accents, with a byte that
/// belongs to no character.
fn damaged(media_type: &str, prolog: &str, reason: &[u8]) -> String {
    let mut mask = Mask::of("<a><b>João Conceição</b></a>");
    let head = format!("{prolog}<retA><cStat>215</cStat><xMotivo>");
    let bytes = [head.as_bytes(), reason, b"</xMotivo></retA>"].concat();
    mask.body(media_type, &bytes, true).text.expect("a text")
}

#[test]
fn one_damaged_byte_changes_one_character() {
    let utf8 = "Servi\u{e7}o de Jo\u{e3}o Concei\u{e7}\u{e3}o";
    let utf8 = [utf8.as_bytes(), b": \xe9."].concat();
    let one: &[u8] = b"Servi\xc3\xa7o: \xe9.";
    let latin: &[u8] = b"Servi\xe7o: \xe9.";
    let iso = "<?xml version='1.0' encoding='ISO-8859-1'?>";
    for (media_type, prolog, reason, shown) in [
        ("text/xml", "", &utf8[..], "Serviço de •••: \u{fffd}."),
        ("text/xml; charset=utf-8", "", one, "Serviço: \u{fffd}."),
        (
            "",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            one,
            "Serviço: \u{fffd}.",
        ),
        // Nothing says what it is, and one pair may be an accident.
        ("text/xml", "", one, "ServiÃ§o: é."),
        ("text/xml; charset=utf-8", iso, one, "ServiÃ§o: é."),
        // Servers say UTF-8 that write ISO 8859-1.
        ("text/xml; charset=utf-8", "", latin, "Serviço: é."),
    ] {
        let text = damaged(media_type, prolog, reason);
        assert!(
            text.contains(&format!("<xMotivo>{shown}</xMotivo>")),
            "{text}"
        );
    }
}

#[test]
fn hostile_documents_neither_leak_nor_break() {
    let entity = format!(
        "<!DOCTYPE a [<!ENTITY n \"{NAME}\"><!ENTITY m SYSTEM \"file:///etc/hostname\">]><a><cStat>&n;</cStat><xNome>&m;</xNome></a>"
    );
    let text = shown(&entity);
    assert!(
        text.contains("<cStat>•••</cStat>") && text.contains("<xNome>•••</xNome>"),
        "{text}"
    );
    let billion = "<!DOCTYPE a [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><cStat>&b;</cStat>";
    assert!(shown(billion).contains("<cStat>•••</cStat>"));
    for body in [
        entity.clone(),
        format!("<a><!-- {NAME} --><?pi {CPF}?><b>{NAME}<!-- --></b>{CPF}</a>"),
        format!("<a><b>{NAME}"),
        format!("<a {NAME}={CPF}>x</a>"),
        format!("<a b='{NAME}\" c=\"{CPF}' d>x</a>"),
        format!("<cStat><![CDATA[{NAME}]]></cStat>"),
        format!("<cStat>{NAME}</xMotivo>"),
        format!("<cStat>1<b>{NAME}</b>{CPF}</cStat>"),
        format!("<Signature><a>{NAME}</a></Signature><b>{CPF}</b>"),
        format!("<Signature/><b>{CPF}</b>"),
        format!("<Signature>{NAME}"),
        format!("<a>&#x{:x};{NAME}</a>", 0xd800),
        format!("<![CDATA[{NAME}"),
        format!("<!DOCTYPE [{NAME}"),
        format!("</a>{NAME}"),
        format!("<>{NAME}</>"),
        format!("<a/>{NAME}"),
        format!("<{NAME}>1</{NAME}>"),
        "<a>".repeat(80_000),
        format!("{}{NAME}", "<a><Signature>".repeat(10_000)),
        format!("<a {}>{NAME}</a>", "b=\"1\" ".repeat(20_000)),
        format!("<a>{}</a>", "&lt;".repeat(60_000)),
        format!("<cStat>{}</cStat>", "1".repeat(200_000)),
        "<".repeat(200_000),
        "&".repeat(200_000),
        format!("<retA><xMotivo>{}</xMotivo></retA>", "'".repeat(200_000)),
        format!("<retA><xMotivo>{}</xMotivo></retA>", "1 ".repeat(100_000)),
    ] {
        let masked = xml(&mut Mask::default(), &body);
        let text = masked.text.unwrap_or_default();
        assert!(text.len() <= 16 * 1024);
        clean(&text);
    }
    // ISO 8859-1: the name is known with its accents.
    let mut mask = Mask::of("<a><b>João Conceição</b></a>");
    let latin =
        b"<retA><cStat>215</cStat><xMotivo>Falha de Jo\xe3o Concei\xe7\xe3o</xMotivo></retA>";
    let text = mask.body("text/xml", latin, true).text.expect("a text");
    assert!(text.contains("<xMotivo>Falha de •••</xMotivo>"), "{text}");
    clean(
        &Mask::default()
            .body("", b"<a>\xff\xc3\x28</a><b>\xf0\x9f</b>", true)
            .text
            .unwrap_or_default(),
    );
}

#[test]
fn a_bomb_stays_small() {
    let bomb = gzip(&format!("<a>{}</a>", "<b>x</b>".repeat(2_000_000)));
    let masked = xml(&mut Mask::default(), &format!("<docZip>{bomb}</docZip>"));
    assert!(masked.cut && masked.text.is_some_and(|text| text.len() <= 16 * 1024));
    let mut nested = nota();
    for _ in 0..10 {
        nested = format!("<a>{}</a>", gzip(&nested));
    }
    clean(&shown(&nested));
}

/// Everything that starts as a request and ends anywhere.
#[test]
fn no_prefix_and_no_wrong_byte_leaks() {
    let packed = gzip(&nota());
    let bodies = [
        envelope(&nota()),
        answer(&format!("Falha de {NAME}, CPF {CPF}")),
        format!("<docZip schema=\"a\">{packed}</docZip>"),
        format!("{{\"erros\":[{{\"descricao\":\"{NAME} {CPF}\"}}],\"x\":\"{packed}\"}}"),
    ];
    for body in &bodies {
        for end in (0..=body.len()).filter(|end| body.is_char_boundary(*end)) {
            let cut = body.get(..end).expect("a boundary");
            let shown = Mask::of(&nota()).body("", cut.as_bytes(), false);
            clean(&shown.text.unwrap_or_default());
        }
    }
    // A generator of the classic kind: the same bytes each time.
    let mut seed = 20_261_122_u64;
    let mut draw = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % below
    };
    for round in 0..4_000 {
        let mut bytes = bodies[round % bodies.len()].clone().into_bytes();
        let at = draw(bytes.len());
        bytes[at] = u8::try_from(draw(256)).unwrap_or(0);
        let shown = Mask::of(&nota())
            .body("", &bytes, true)
            .text
            .unwrap_or_default();
        // The wrong byte may stand within a value, and leave the rest of it.
        for secret in [CPF, CNPJ, NAME, EMAIL, AMOUNT, CERTIFICATE, "Palmeiras"] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
}

#[test]
fn addresses_show_the_service() {
    for (url, shown) in [
        (
            "https://sefin.nfse.gov.br/SefinNacional/nfse",
            "/SefinNacional/nfse",
        ),
        (
            "https://a.example/ws/NfeAutorizacao4.asmx?wsdl",
            "/ws/NfeAutorizacao4.asmx?wsdl",
        ),
        (
            "https://a.example/dps/DPS410690225184302700018700001000000000000042",
            "/dps/DPS410•••0042",
        ),
        (
            "https://a.example/nfse/11222333000181/52998224725?cnpj=11222333000181&token=abc&52998224725=1",
            "/nfse/•••/•••?cnpj=•••&token=•••&•••=•••",
        ),
        ("https://a.example/Zuleica%20Quaresma", "/•••"),
        ("https://a.example", "/"),
    ] {
        let url = reqwest::Url::parse(url).expect("an address");
        assert_eq!(path(&url), shown);
    }
}
