//! PDFs made to break a reader, and every way text is packed.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::generator::Generator;
use prints::danfe::{PrintOptions, ReadError, danfe, nfce, read};

const CHAVE: &str = "35261011222333000181550010000015231123456780";

/// A page whose content stream is this, packed as the dictionary says.
fn pdf(dictionary: &str, content: &[u8], font: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n".to_vec();
    write!(
        out,
        "3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj\n5 0 obj {font} endobj\n4 0 obj <<{dictionary}/Length {}>>\nstream\n",
        content.len()
    )
    .expect("write");
    out.extend_from_slice(content);
    out.extend_from_slice(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF");
    out
}

const SIMPLES: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

fn text(chave: &str) -> Vec<u8> {
    format!("BT /F1 9 Tf 50 700 Td (Chave de acesso {chave}) Tj ET").into_bytes()
}

fn inflatable(data: &[u8]) -> Vec<u8> {
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zip.write_all(data).expect("deflate");
    zip.finish().expect("deflate")
}

fn chave_of(pdf: &[u8]) -> Result<String, ReadError> {
    read(pdf).map(|found| found.chave)
}

/// LZW as Adobe wrote it: the codes get longer one early.
fn lzw(data: &[u8], early: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut accumulated, mut has) = (0_u64, 0);
    let mut write = |code: usize, bits: usize| {
        accumulated = accumulated << bits | code as u64;
        has += bits;
        while has >= 8 {
            has -= 8;
            out.push((accumulated >> has & 0xFF) as u8);
        }
    };
    let mut table: std::collections::HashMap<Vec<u8>, usize> = std::collections::HashMap::new();
    let mut bits = 9;
    write(256, bits);
    let mut current: Vec<u8> = Vec::new();
    let code_of = |table: &std::collections::HashMap<Vec<u8>, usize>, s: &[u8]| match s {
        [one] => usize::from(*one),
        _ => *table.get(s).expect("in the table"),
    };
    for byte in data {
        let mut greatest = current.clone();
        greatest.push(*byte);
        if greatest.len() == 1 || table.contains_key(&greatest) {
            current = greatest;
            continue;
        }
        write(code_of(&table, &current), bits);
        let new = table.len() + 258;
        table.insert(greatest, new);
        // The decoder's table is one entry behind.
        if new + early > (1 << bits) - 1 {
            bits += 1;
        }
        if new >= 4093 {
            write(256, bits);
            table.clear();
            bits = 9;
        }
        current = vec![*byte];
    }
    if !current.is_empty() {
        write(code_of(&table, &current), bits);
    }
    write(257, bits);
    write(0, 16);
    out
}

#[test]
fn text_is_read_however_it_is_packed() {
    let light = text(CHAVE);
    // Enough before it for the codes to get longer and the table to start anew.
    let mut along = Vec::new();
    for n in 0..6_000_u32 {
        write!(along, "{} {} m ", n.wrapping_mul(2_654_435_761) % 991, n).expect("write");
    }
    along.extend_from_slice(&light);
    let hex: String = light.iter().map(|b| format!("{b:02x}")).collect::<String>() + ">";
    let mut repeated = Vec::new();
    for part in light.chunks(100) {
        repeated.push(part.len() as u8 - 1);
        repeated.extend_from_slice(part);
    }
    repeated.extend([255 - 8, b' ', 128]);
    // PNG predictor "up" over rows of twenty bytes.
    let mut above = [0_u8; 20];
    let mut filtered = Vec::new();
    let mut full = light.clone();
    full.resize(light.len().div_ceil(20) * 20, b' ');
    for line in full.chunks(20) {
        filtered.push(2);
        filtered.extend(line.iter().zip(&above).map(|(a, b)| a.wrapping_sub(*b)));
        above.copy_from_slice(line);
    }
    let cases: Vec<(&str, &str, Vec<u8>)> = vec![
        ("plain", "", light.clone()),
        ("deflated", "/Filter/FlateDecode", inflatable(&light)),
        ("deflated, raw", "/Filter[/FlateDecode]", {
            let mut raw =
                flate2::write::DeflateEncoder::new(vec![0, 0], flate2::Compression::fast());
            raw.write_all(&light).expect("deflate");
            raw.finish().expect("deflate")
        }),
        (
            "predictor",
            "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 20>>",
            inflatable(&filtered),
        ),
        ("lzw", "/Filter/LZWDecode", lzw(&along, 1)),
        (
            "lzw, late",
            "/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>",
            lzw(&along, 0),
        ),
        ("hexadecimal", "/Filter/ASCIIHexDecode", hex.into_bytes()),
        ("runs", "/Filter/RunLengthDecode", repeated),
    ];
    for (name, dictionary, content) in cases {
        let file = pdf(dictionary, &content, SIMPLES);
        assert_eq!(chave_of(&file).as_deref(), Ok(CHAVE), "{name}");
    }
}

#[test]
fn text_is_read_whatever_its_font_calls_the_letters() {
    let content = |bytes: &str| format!("BT /F1 9 Tf 50 700 Td <{bytes}> Tj ET").into_bytes();
    // Letters shifted by one and by name.
    let shifted: String = CHAVE.bytes().map(|b| format!("{:02x}", b + 1)).collect();
    let names = "/zero/one/two/three/four/five/six/seven/eight/nine";
    let font = format!("<</Type/Font/Subtype/Type1/Encoding<</Differences[49{names}]>>>>");
    let file = pdf("", &content(&shifted), &font);
    assert_eq!(chave_of(&file).as_deref(), Ok(CHAVE));
    // Two bytes a letter and a map.
    let double: String = CHAVE
        .bytes()
        .map(|b| format!("01{:02x}", b - b'0'))
        .collect();
    let cmap = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0100> <0104> <0030> <0105> <0107> [<0035> <0036> <0037>] endbfrange 2 beginbfchar <0108> <0038> <0109> <0039> endbfchar";
    let mut file = pdf(
        "",
        &content(&double),
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R>>",
    );
    write!(
        file,
        "\n6 0 obj <</Length {}>> stream\n{cmap}\nendstream endobj",
        cmap.len()
    )
    .expect("write");
    assert_eq!(chave_of(&file).as_deref(), Ok(CHAVE));
    // Two bytes and no map: glyph numbers.
    let glyphs: String = CHAVE
        .bytes()
        .map(|b| format!("{:04x}", u32::from(b) - 29))
        .collect();
    let file = pdf(
        "",
        &content(&glyphs),
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H>>",
    );
    assert_eq!(chave_of(&file).as_deref(), Ok(CHAVE));
}

#[test]
fn the_key_of_the_note_is_preferred_to_others() {
    let other = Generator {
        number: 77,
        ..Generator::default()
    }
    .chave();
    let cte = {
        let base = format!("{}57{}", &CHAVE[..20], &CHAVE[22..43]);
        format!("{base}{}", markup::ids::chave::digit(base.as_bytes()))
    };
    let read_text = |text: &str| chave_of(&pdf("", text.as_bytes(), SIMPLES));
    let line = |y: u32, text: &str| format!("BT /F1 9 Tf 50 {y} Td ({text}) Tj ET\n");
    // Wherever the referenced key stands.
    for (one, two) in [(700, 300), (300, 700)] {
        let pages = [
            line(two, &format!("NF-e referenciada: {other}"))
                + &line(one, &format!("CHAVE DE ACESSO {CHAVE}")),
            line(one, &format!("CHAVE DE ACESSO {CHAVE}"))
                + &line(two, &format!("NF-e referenciada: {other}")),
            // No caption, but the issuer and the number are on the page.
            line(two, &format!("NF-e ref. {other}"))
                + &line(one, CHAVE)
                + &line(500, "11.222.333/0001-81 N. 000.001.523"),
        ];
        for page in pages {
            assert_eq!(read_text(&page).as_deref(), Ok(CHAVE), "{page}");
        }
    }
    let with_cte =
        line(700, &format!("CT-e {cte}")) + &line(600, &format!("Chave de acesso {CHAVE}"));
    assert_eq!(read_text(&with_cte).as_deref(), Ok(CHAVE));
    assert_eq!(
        read_text(&line(700, &cte)),
        Err(ReadError::OtherModel("57".to_owned()))
    );
    let wrong = CHAVE.replacen("0780", "0781", 1).replace("6780", "6781");
    assert_eq!(read_text(&line(700, &wrong)), Err(ReadError::InvalidDigit));
    assert_eq!(read_text(&line(700, "recibo 123")), Err(ReadError::NoChave));
    assert_eq!(read_text("0 0 10 10 re f"), Err(ReadError::NoText));
    // A key within a longer number is no key.
    assert_eq!(
        read_text(&line(700, &format!("{CHAVE}12"))),
        Err(ReadError::NoChave)
    );
    assert_eq!(
        read_text(&line(700, &format!("NFe{CHAVE}.xml"))).as_deref(),
        Ok(CHAVE)
    );
}

/// The paper of a transport names the notes it carries: their keys are not its
/// own.
#[test]
fn the_key_of_another_document_is_not_a_note_it_names() {
    let of_model = |model: &str| {
        let base = format!("{}{model}{}", &CHAVE[..20], &CHAVE[22..43]);
        format!("{base}{}", markup::ids::chave::digit(base.as_bytes()))
    };
    let line = |y: u32, text: &str| format!("BT /F1 9 Tf 50 {y} Td ({text}) Tj ET\n");
    for (title, model) in [("DACTE", "57"), ("DACTE OS", "67"), ("DAMDFE", "58")] {
        let own = of_model(model);
        for paper in [
            line(800, title)
                + &line(700, &format!("Chave de acesso {own}"))
                + &line(300, &format!("NF-e {CHAVE}")),
            // The captions of a table of notes say the same as that of the key.
            line(800, title) + &line(700, &own) + &line(310, "Chave de acesso") + &line(300, CHAVE),
            line(700, &format!("Chave de acesso {own}")) + &line(300, CHAVE),
        ] {
            let found = chave_of(&pdf("", paper.as_bytes(), SIMPLES));
            assert_eq!(
                found,
                Err(ReadError::OtherModel(model.to_owned())),
                "{paper}"
            );
        }
    }
    // A paper that names the one of its transport is still that of a note.
    let named = line(800, "DANFE")
        + &line(700, &format!("CHAVE DE ACESSO {CHAVE}"))
        + &line(300, &format!("DACTE {}", of_model("57")));
    assert_eq!(
        chave_of(&pdf("", named.as_bytes(), SIMPLES)).as_deref(),
        Ok(CHAVE)
    );
}

/// A key in groups of four, as papers print it.
fn grouped(key: &str) -> String {
    let groups: Vec<&str> = (0..key.len())
        .step_by(4)
        .map(|at| &key[at..(at + 4).min(key.len())])
        .collect();
    groups.join(" ")
}

/// A key as the older papers print it, by its numbers.
fn by_numbers(key: &str) -> String {
    let cuts = [0, 2, 6, 20, 22, 25, 34, 35, 43, key.len()];
    let parts: Vec<&str> = cuts.windows(2).map(|cut| &key[cut[0]..cut[1]]).collect();
    parts.join("-")
}

/// A key that is damaged is told, though a whole one stands below: of another
/// note of the issuer, or of somebody else's.
#[test]
fn no_damage_of_the_key_makes_it_another_notes() {
    let line = |y: u32, text: &str| format!("BT /F1 9 Tf 50 {y} Td ({text}) Tj ET\n");
    let other = |cnpj: &str| {
        let base = format!("352609{cnpj}55001000000077112345678");
        format!("{base}{}", markup::ids::chave::digit(base.as_bytes()))
    };
    let mut damages: Vec<(String, String)> = Vec::new();
    for at in 0..44 {
        let changed = |to: &str| format!("{}{to}{}", &CHAVE[..at], &CHAVE[at + 1..]);
        let digit = CHAVE.as_bytes()[at] - b'0';
        for to in [(digit + 1) % 10, (digit + 7) % 10] {
            damages.push((format!("{to} at {at}"), changed(&to.to_string())));
        }
        damages.push((format!("{at} lost"), changed("")));
        damages.push((format!("one more at {at}"), changed(&format!("{digit}7"))));
        damages.push((format!("a letter at {at}"), changed("o")));
    }
    // One check digit in eleven is right by chance, also that of the first 44 of 45
    // positions, which a blank may end.
    let right = |key: &str| {
        key.len() == 44
            && key.bytes().all(|b| b.is_ascii_digit())
            && markup::ids::chave::digit(&key.as_bytes()[..43]) + b'0' == key.as_bytes()[43]
    };
    let lost = grouped(&damages[2].1);
    damages.retain(|(_, damaged)| !right(damaged.get(..44).unwrap_or(damaged)));
    for (name, damaged) in &damages {
        for other in [other("11222333000181"), other("44477700000161")] {
            for shown in [damaged.clone(), grouped(damaged), by_numbers(damaged)] {
                for origin in ["Nota de origem", "Chave de acesso da nota de origem"] {
                    for caption in ["CHAVE DE ACESSO", ""] {
                        let paper = line(800, "DANFE")
                            + &line(710, caption)
                            + &line(700, &shown)
                            + &line(600, "11.222.333/0001-81 N. 000.001.523 SERIE 1")
                            + &line(300, &format!("{origin} {other}"));
                        let found = chave_of(&pdf("", paper.as_bytes(), SIMPLES));
                        assert_eq!(found, Err(ReadError::InvalidDigit), "{name}: {paper}");
                    }
                }
            }
        }
    }
    // The same with the paper of a transport.
    let base = format!("{}57{}", &CHAVE[..20], &CHAVE[22..43]);
    let paper = line(800, "DACTE")
        + &line(700, &format!("Chave de acesso {}9 9", &base[..40]))
        + &line(300, &format!("Chave de acesso {CHAVE}"));
    let found = chave_of(&pdf("", paper.as_bytes(), SIMPLES));
    assert_eq!(found, Err(ReadError::OtherModel("57".to_owned())));
    // A damaged key elsewhere does not hide the paper's own, nor does a number
    // that is none, as that of a bill.
    for more in [
        format!("NF-e referenciada: {lost}"),
        format!("Nota de origem {lost}"),
        "23793.38128 60007.827136 95000.063305 9 84660000012345".to_owned(),
    ] {
        for own in [CHAVE.to_owned(), grouped(CHAVE), by_numbers(CHAVE)] {
            let paper = line(800, "DANFE")
                + &line(710, "CHAVE DE ACESSO")
                + &line(700, &own)
                + &line(300, &more);
            let found = chave_of(&pdf("", paper.as_bytes(), SIMPLES));
            assert_eq!(found.as_deref(), Ok(CHAVE), "{paper}");
        }
    }
}

#[test]
fn a_person_who_issues_is_not_a_company() {
    let base = "3526100005299822472555920000001523112345678";
    let chave = format!("{base}{}", markup::ids::chave::digit(base.as_bytes()));
    let found = read(&pdf("", &text(&chave), SIMPLES)).expect("a key");
    assert_eq!(found.cpf_emitente.as_deref(), Some("52998224725"));
    assert_eq!((&*found.cnpj_emitente, found.serie), ("", 920));
    let json =
        serde_json::to_value(read(&pdf("", &text(CHAVE), SIMPLES)).expect("a key")).expect("json");
    assert_eq!(
        json,
        serde_json::json!({"chave": CHAVE, "uf": "SP", "cnpj_emitente": "11222333000181", "modelo": "55",
            "serie": 1, "numero": 1523, "ano_mes": "2026-10", "dv_confere": true})
    );
}

/// Ends within a few seconds, also where tests are not optimized.
fn quickly(name: &str, pdf: &[u8]) -> Result<String, ReadError> {
    let start = Instant::now();
    let found = chave_of(pdf);
    let took = start.elapsed();
    println!("{name}: {took:?}");
    assert!(took < Duration::from_secs(20), "{name}: {took:?}");
    found
}

#[test]
fn files_made_to_hurt_end_soon() {
    let zeros = inflatable(&vec![b' '; 48 * 1024 * 1024]);
    let bomb = pdf("/Filter/FlateDecode", &zeros, SIMPLES);
    assert!(quickly("zip bomb", &bomb).is_err());
    let double = pdf(
        "/Filter[/FlateDecode/FlateDecode]",
        &inflatable(&zeros),
        SIMPLES,
    );
    assert!(quickly("zip in zip", &double).is_err());

    let head = "%PDF-1.4\n";
    let many = |part: &str, times: usize| format!("{head}{}", part.repeat(times)).into_bytes();
    for (name, file) in [
        ("open strings", many("1 0 obj (", 120_000)),
        ("open lists", many("1 0 obj [ ", 120_000)),
        ("open streams", many("1 0 obj <<>> stream ", 120_000)),
        ("comments", many("1 0 obj %", 120_000)),
        ("names", many("1 0 obj <</A/B", 120_000)),
        ("trailers", many("trailer <</Root 1 0 R>> ", 120_000)),
        ("trailers, open", many("trailer << (", 120_000)),
        ("brackets", many("<<[", 1_000_000)),
        ("o", many("o", 4_000_000)),
        (
            "objects",
            (0..120_000).fold(many("", 0), |mut out, n| {
                write!(out, "{n} 0 obj 1 endobj ").expect("write");
                out
            }),
        ),
    ] {
        assert!(quickly(name, &file).is_err(), "{name}");
    }

    // Rows of a million bytes for a few, maps of everything again and again, a
    // thousand bombs.
    let packages = many(
        "1 0 obj <</Type/ObjStm/N 1/First 4/Filter/ASCIIHexDecode>> stream\n31>\nendstream endobj ",
        50_000,
    );
    assert!(quickly("packages", &packages).is_err());
    let mut lines = head.as_bytes().to_vec();
    let little = inflatable(b"\x02abc");
    for n in 0..20_000 {
        writeln!(
            lines, "{n} 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<</Predictor 12/Colors 32/BitsPerComponent 16/Columns 1000000>>/Length {}>> stream", little.len()).expect("write");
        lines.extend_from_slice(&little);
        lines.extend_from_slice(b"\nendstream endobj ");
    }
    assert!(quickly("rows", &lines).is_err());
    let mut maps = pdf(
        "",
        b"BT /F1 1 Tf <0000> Tj ET",
        "<</Subtype/Type0/ToUnicode 6 0 R>>",
    );
    let cmap =
        "0 beginbfrange ".to_owned() + &"<0000> <ffff> <0020> ".repeat(20_000) + "endbfrange ";
    write!(
        maps,
        "\n6 0 obj <<>> stream\n{}\nendstream endobj",
        cmap.repeat(5)
    )
    .expect("write");
    assert!(quickly("maps", &maps).is_err());
    let mut bombs = head.as_bytes().to_vec();
    for n in 0..300 {
        writeln!(
            bombs,
            "{n} 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length {}>> stream",
            zeros.len()
        )
        .expect("write");
        bombs.extend_from_slice(&zeros);
        bombs.extend_from_slice(b"\nendstream endobj ");
    }
    assert!(quickly("bombs", &bombs).is_err());

    // Trees that lead in circles, forms that draw themselves.
    let loop_file = b"%PDF-1.4 1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[2 0 R 2 0 R 3 0 R]>> endobj 3 0 obj <</Kids[2 0 R 3 0 R]/Resources 3 0 R/Contents 3 0 R>> endobj 4 0 obj 4 0 R endobj trailer <</Root 4 0 R>>";
    assert!(quickly("circles", loop_file).is_err());
    let form = b"%PDF-1.4 1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[3 0 R]>> endobj 3 0 obj <</Type/Page/Contents 4 0 R/Resources 5 0 R>> endobj 5 0 obj <</XObject<</A 4 0 R>>>> endobj 4 0 obj <</Subtype/Form/Resources 5 0 R>> stream\n/A Do /A Do /A Do /A Do /A Do /A Do /A Do /A Do\nendstream endobj";
    assert!(quickly("forms", form).is_err());
    let stacks = pdf("", &b"q BT /F1 1 Tf ".repeat(200_000), SIMPLES);
    assert!(quickly("states", &stacks).is_err());
    let texts = pdf(
        "",
        &b"BT (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1) Tj ET ".repeat(60_000),
        SIMPLES,
    );
    assert!(quickly("digits", &texts).is_err());
    let many_keys: String = (0..20_000)
        .map(|n| {
            let base = format!("35261011222333000181550010{n:08}1{n:08}");
            let dv = markup::ids::chave::digit(base.as_bytes());
            format!("BT ({base}{dv}) Tj ET ")
        })
        .collect();
    assert!(quickly("keys", &pdf("", many_keys.as_bytes(), SIMPLES)).is_ok());
    assert_eq!(
        read(&vec![b'%'; read_max() + 1]),
        Err(ReadError::Large("bytes"))
    );
    let encrypted =
        b"%PDF-1.4 1 0 obj <</Type/Catalog>> endobj trailer <</Root 1 0 R/Encrypt 9 0 R>>";
    assert_eq!(read(encrypted), Err(ReadError::Protected));
}

fn read_max() -> usize {
    prints::danfe::read::MAX_BYTES
}

/// Our own files with bytes changed, cut out and repeated: any answer but a panic.
#[test]
fn damaged_files_never_panic() {
    let nota = Generator {
        items: 3,
        ..Generator::default()
    };
    let receipt = Generator {
        model: "65",
        qr: "https://x/?p=1|3|1".to_owned(),
        ..Generator::default()
    };
    let wholes = [
        danfe(&nota.xml(), &PrintOptions::default()).expect("a printout"),
        nfce(&receipt.xml(), &PrintOptions::default()).expect("a printout"),
        pdf("", &text(CHAVE), SIMPLES),
        pdf("/Filter/LZWDecode", &lzw(&text(CHAVE), 1), SIMPLES),
    ];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let mut found = 0;
    for turn in 0..800 {
        let mut file = wholes[turn % wholes.len()].clone();
        for _ in 0..=random(3) {
            let at = random(file.len());
            match random(4) {
                0 => file[at] = random(256) as u8,
                1 => file.truncate(at.max(20)),
                2 => {
                    let end = (at + random(200)).min(file.len());
                    file.drain(at..end);
                }
                _ => {
                    let end = (at + random(200)).min(file.len());
                    let copy = file[at..end].to_vec();
                    let place = random(file.len());
                    file.splice(place..place, copy);
                }
            }
            if file.is_empty() {
                break;
            }
        }
        found += usize::from(read(&file).is_ok());
    }
    // Much of the damage is survived.
    println!("{found} of 800 damaged files still told their key");
    assert!(found > 80, "{found}");
}
