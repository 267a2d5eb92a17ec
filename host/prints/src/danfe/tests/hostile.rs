//! PDFs made to break a reader, and every way text is packed.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::danfe::tests::generator::Gerador;
use crate::danfe::{LeituraError, Opcoes, danfe, nfce, read};

const CHAVE: &str = "35261011222333000181550010000015231123456780";

/// A page whose content stream is this, packed as the dictionary says.
fn pdf(dicionario: &str, conteudo: &[u8], fonte: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n".to_vec();
    write!(
        out,
        "3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>> endobj\n5 0 obj {fonte} endobj\n4 0 obj <<{dicionario}/Length {}>>\nstream\n",
        conteudo.len()
    )
    .expect("write");
    out.extend_from_slice(conteudo);
    out.extend_from_slice(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF");
    out
}

const SIMPLES: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

fn texto(chave: &str) -> Vec<u8> {
    format!("BT /F1 9 Tf 50 700 Td (Chave de acesso {chave}) Tj ET").into_bytes()
}

fn inflavel(dados: &[u8]) -> Vec<u8> {
    let mut zip = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zip.write_all(dados).expect("deflate");
    zip.finish().expect("deflate")
}

fn chave_de(pdf: &[u8]) -> Result<String, LeituraError> {
    read(pdf).map(|lida| lida.chave)
}

/// LZW as Adobe wrote it: the codes get longer one early.
fn lzw(dados: &[u8], cedo: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut acumulado, mut tem) = (0_u64, 0);
    let mut escrever = |codigo: usize, bits: usize| {
        acumulado = acumulado << bits | codigo as u64;
        tem += bits;
        while tem >= 8 {
            tem -= 8;
            out.push((acumulado >> tem & 0xFF) as u8);
        }
    };
    let mut tabela: std::collections::HashMap<Vec<u8>, usize> = std::collections::HashMap::new();
    let mut bits = 9;
    escrever(256, bits);
    let mut atual: Vec<u8> = Vec::new();
    let codigo_de = |tabela: &std::collections::HashMap<Vec<u8>, usize>, s: &[u8]| match s {
        [um] => usize::from(*um),
        _ => *tabela.get(s).expect("in the table"),
    };
    for byte in dados {
        let mut maior = atual.clone();
        maior.push(*byte);
        if maior.len() == 1 || tabela.contains_key(&maior) {
            atual = maior;
            continue;
        }
        escrever(codigo_de(&tabela, &atual), bits);
        let novo = tabela.len() + 258;
        tabela.insert(maior, novo);
        // The decoder's table is one entry behind.
        if novo + cedo > (1 << bits) - 1 {
            bits += 1;
        }
        if novo >= 4093 {
            escrever(256, bits);
            tabela.clear();
            bits = 9;
        }
        atual = vec![*byte];
    }
    if !atual.is_empty() {
        escrever(codigo_de(&tabela, &atual), bits);
    }
    escrever(257, bits);
    escrever(0, 16);
    out
}

#[test]
fn text_is_read_however_it_is_packed() {
    let claro = texto(CHAVE);
    // Enough before it for the codes to get longer and the table to start anew.
    let mut longo = Vec::new();
    for n in 0..6_000_u32 {
        write!(longo, "{} {} m ", n.wrapping_mul(2_654_435_761) % 991, n).expect("write");
    }
    longo.extend_from_slice(&claro);
    let hexa: String = claro.iter().map(|b| format!("{b:02x}")).collect::<String>() + ">";
    let mut repetido = Vec::new();
    for parte in claro.chunks(100) {
        repetido.push(parte.len() as u8 - 1);
        repetido.extend_from_slice(parte);
    }
    repetido.extend([255 - 8, b' ', 128]);
    // PNG predictor "up" over rows of twenty bytes.
    let mut acima = [0_u8; 20];
    let mut filtrado = Vec::new();
    let mut cheio = claro.clone();
    cheio.resize(claro.len().div_ceil(20) * 20, b' ');
    for linha in cheio.chunks(20) {
        filtrado.push(2);
        filtrado.extend(linha.iter().zip(&acima).map(|(a, b)| a.wrapping_sub(*b)));
        acima.copy_from_slice(linha);
    }
    let casos: Vec<(&str, &str, Vec<u8>)> = vec![
        ("plain", "", claro.clone()),
        ("deflated", "/Filter/FlateDecode", inflavel(&claro)),
        ("deflated, raw", "/Filter[/FlateDecode]", {
            let mut cru =
                flate2::write::DeflateEncoder::new(vec![0, 0], flate2::Compression::fast());
            cru.write_all(&claro).expect("deflate");
            cru.finish().expect("deflate")
        }),
        (
            "predictor",
            "/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 20>>",
            inflavel(&filtrado),
        ),
        ("lzw", "/Filter/LZWDecode", lzw(&longo, 1)),
        (
            "lzw, late",
            "/Filter/LZWDecode/DecodeParms<</EarlyChange 0>>",
            lzw(&longo, 0),
        ),
        ("hexadecimal", "/Filter/ASCIIHexDecode", hexa.into_bytes()),
        ("runs", "/Filter/RunLengthDecode", repetido),
    ];
    for (nome, dicionario, conteudo) in casos {
        let arquivo = pdf(dicionario, &conteudo, SIMPLES);
        assert_eq!(chave_de(&arquivo).as_deref(), Ok(CHAVE), "{nome}");
    }
}

#[test]
fn text_is_read_whatever_its_font_calls_the_letters() {
    let conteudo = |bytes: &str| format!("BT /F1 9 Tf 50 700 Td <{bytes}> Tj ET").into_bytes();
    // Letters shifted by one and by name.
    let deslocada: String = CHAVE.bytes().map(|b| format!("{:02x}", b + 1)).collect();
    let nomes = "/zero/one/two/three/four/five/six/seven/eight/nine";
    let fonte = format!("<</Type/Font/Subtype/Type1/Encoding<</Differences[49{nomes}]>>>>");
    let arquivo = pdf("", &conteudo(&deslocada), &fonte);
    assert_eq!(chave_de(&arquivo).as_deref(), Ok(CHAVE));
    // Two bytes a letter and a map.
    let dupla: String = CHAVE
        .bytes()
        .map(|b| format!("01{:02x}", b - b'0'))
        .collect();
    let cmap = "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0100> <0104> <0030> <0105> <0107> [<0035> <0036> <0037>] endbfrange 2 beginbfchar <0108> <0038> <0109> <0039> endbfchar";
    let mut arquivo = pdf(
        "",
        &conteudo(&dupla),
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 6 0 R>>",
    );
    write!(
        arquivo,
        "\n6 0 obj <</Length {}>> stream\n{cmap}\nendstream endobj",
        cmap.len()
    )
    .expect("write");
    assert_eq!(chave_de(&arquivo).as_deref(), Ok(CHAVE));
    // Two bytes and no map: glyph numbers.
    let glifos: String = CHAVE
        .bytes()
        .map(|b| format!("{:04x}", u32::from(b) - 29))
        .collect();
    let arquivo = pdf(
        "",
        &conteudo(&glifos),
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H>>",
    );
    assert_eq!(chave_de(&arquivo).as_deref(), Ok(CHAVE));
}

#[test]
fn the_key_of_the_note_is_preferred_to_others() {
    let outra = Gerador {
        numero: 77,
        ..Gerador::default()
    }
    .chave();
    let cte = {
        let base = format!("{}57{}", &CHAVE[..20], &CHAVE[22..43]);
        format!("{base}{}", markup::ids::chave::digito(base.as_bytes()))
    };
    let ler_texto = |texto: &str| chave_de(&pdf("", texto.as_bytes(), SIMPLES));
    let linha = |y: u32, texto: &str| format!("BT /F1 9 Tf 50 {y} Td ({texto}) Tj ET\n");
    // Wherever the referenced key stands.
    for (um, dois) in [(700, 300), (300, 700)] {
        let paginas = [
            linha(dois, &format!("NF-e referenciada: {outra}"))
                + &linha(um, &format!("CHAVE DE ACESSO {CHAVE}")),
            linha(um, &format!("CHAVE DE ACESSO {CHAVE}"))
                + &linha(dois, &format!("NF-e referenciada: {outra}")),
            // No caption, but the issuer and the number are on the page.
            linha(dois, &format!("NF-e ref. {outra}"))
                + &linha(um, CHAVE)
                + &linha(500, "11.222.333/0001-81 N. 000.001.523"),
        ];
        for pagina in paginas {
            assert_eq!(ler_texto(&pagina).as_deref(), Ok(CHAVE), "{pagina}");
        }
    }
    let com_cte =
        linha(700, &format!("CT-e {cte}")) + &linha(600, &format!("Chave de acesso {CHAVE}"));
    assert_eq!(ler_texto(&com_cte).as_deref(), Ok(CHAVE));
    assert_eq!(
        ler_texto(&linha(700, &cte)),
        Err(LeituraError::OutroModelo("57".to_owned()))
    );
    let errada = CHAVE.replacen("0780", "0781", 1).replace("6780", "6781");
    assert_eq!(
        ler_texto(&linha(700, &errada)),
        Err(LeituraError::DigitoInvalido)
    );
    assert_eq!(
        ler_texto(&linha(700, "recibo 123")),
        Err(LeituraError::SemChave)
    );
    assert_eq!(ler_texto("0 0 10 10 re f"), Err(LeituraError::SemTexto));
    // A key within a longer number is no key.
    assert_eq!(
        ler_texto(&linha(700, &format!("{CHAVE}12"))),
        Err(LeituraError::SemChave)
    );
    assert_eq!(
        ler_texto(&linha(700, &format!("NFe{CHAVE}.xml"))).as_deref(),
        Ok(CHAVE)
    );
}

/// The paper of a transport names the notes it carries: their keys are not its
/// own.
#[test]
fn the_key_of_another_document_is_not_a_note_it_names() {
    let de_modelo = |modelo: &str| {
        let base = format!("{}{modelo}{}", &CHAVE[..20], &CHAVE[22..43]);
        format!("{base}{}", markup::ids::chave::digito(base.as_bytes()))
    };
    let linha = |y: u32, texto: &str| format!("BT /F1 9 Tf 50 {y} Td ({texto}) Tj ET\n");
    for (titulo, modelo) in [("DACTE", "57"), ("DACTE OS", "67"), ("DAMDFE", "58")] {
        let propria = de_modelo(modelo);
        for papel in [
            linha(800, titulo)
                + &linha(700, &format!("Chave de acesso {propria}"))
                + &linha(300, &format!("NF-e {CHAVE}")),
            // The captions of a table of notes say the same as that of the key.
            linha(800, titulo)
                + &linha(700, &propria)
                + &linha(310, "Chave de acesso")
                + &linha(300, CHAVE),
            linha(700, &format!("Chave de acesso {propria}")) + &linha(300, CHAVE),
        ] {
            let lida = chave_de(&pdf("", papel.as_bytes(), SIMPLES));
            assert_eq!(
                lida,
                Err(LeituraError::OutroModelo(modelo.to_owned())),
                "{papel}"
            );
        }
    }
    // A key that is damaged is told, though a whole one stands below.
    let outra = Gerador {
        numero: 77,
        ..Gerador::default()
    }
    .chave();
    let danificada = CHAVE.replacen("6780", "6781", 1);
    let papel = linha(800, "DANFE")
        + &linha(700, &format!("CHAVE DE ACESSO {danificada}"))
        + &linha(300, &format!("Nota de origem {outra}"));
    assert_eq!(
        chave_de(&pdf("", papel.as_bytes(), SIMPLES)),
        Err(LeituraError::DigitoInvalido)
    );
}

#[test]
fn a_person_who_issues_is_not_a_company() {
    let base = "3526100005299822472555920000001523112345678";
    let chave = format!("{base}{}", markup::ids::chave::digito(base.as_bytes()));
    let lida = read(&pdf("", &texto(&chave), SIMPLES)).expect("a key");
    assert_eq!(lida.cpf_emitente.as_deref(), Some("52998224725"));
    assert_eq!((&*lida.cnpj_emitente, lida.serie), ("", 920));
    let json =
        serde_json::to_value(read(&pdf("", &texto(CHAVE), SIMPLES)).expect("a key")).expect("json");
    assert_eq!(
        json,
        serde_json::json!({"chave": CHAVE, "uf": "SP", "cnpj_emitente": "11222333000181", "modelo": "55",
            "serie": 1, "numero": 1523, "ano_mes": "2026-10", "dv_confere": true})
    );
}

/// Ends within a few seconds, also where tests are not optimized.
fn depressa(nome: &str, pdf: &[u8]) -> Result<String, LeituraError> {
    let inicio = Instant::now();
    let lida = chave_de(pdf);
    let levou = inicio.elapsed();
    println!("{nome}: {levou:?}");
    assert!(levou < Duration::from_secs(20), "{nome}: {levou:?}");
    lida
}

#[test]
fn files_made_to_hurt_end_soon() {
    let zeros = inflavel(&vec![b' '; 48 * 1024 * 1024]);
    let bomba = pdf("/Filter/FlateDecode", &zeros, SIMPLES);
    assert!(depressa("zip bomb", &bomba).is_err());
    let dupla = pdf(
        "/Filter[/FlateDecode/FlateDecode]",
        &inflavel(&zeros),
        SIMPLES,
    );
    assert!(depressa("zip in zip", &dupla).is_err());

    let cabeca = "%PDF-1.4\n";
    let muitos =
        |parte: &str, vezes: usize| format!("{cabeca}{}", parte.repeat(vezes)).into_bytes();
    for (nome, arquivo) in [
        ("open strings", muitos("1 0 obj (", 120_000)),
        ("open lists", muitos("1 0 obj [ ", 120_000)),
        ("open streams", muitos("1 0 obj <<>> stream ", 120_000)),
        ("comments", muitos("1 0 obj %", 120_000)),
        ("names", muitos("1 0 obj <</A/B", 120_000)),
        ("trailers", muitos("trailer <</Root 1 0 R>> ", 120_000)),
        ("trailers, open", muitos("trailer << (", 120_000)),
        ("brackets", muitos("<<[", 1_000_000)),
        ("o", muitos("o", 4_000_000)),
        (
            "objects",
            (0..120_000).fold(muitos("", 0), |mut out, n| {
                write!(out, "{n} 0 obj 1 endobj ").expect("write");
                out
            }),
        ),
    ] {
        assert!(depressa(nome, &arquivo).is_err(), "{nome}");
    }

    // Rows of a million bytes for a few, maps of everything again and again, a
    // thousand bombs.
    let pacotes = muitos(
        "1 0 obj <</Type/ObjStm/N 1/First 4/Filter/ASCIIHexDecode>> stream\n31>\nendstream endobj ",
        50_000,
    );
    assert!(depressa("packages", &pacotes).is_err());
    let mut linhas = cabeca.as_bytes().to_vec();
    let pouco = inflavel(b"\x02abc");
    for n in 0..20_000 {
        writeln!(
            linhas, "{n} 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/DecodeParms<</Predictor 12/Colors 32/BitsPerComponent 16/Columns 1000000>>/Length {}>> stream", pouco.len()).expect("write");
        linhas.extend_from_slice(&pouco);
        linhas.extend_from_slice(b"\nendstream endobj ");
    }
    assert!(depressa("rows", &linhas).is_err());
    let mut mapas = pdf(
        "",
        b"BT /F1 1 Tf <0000> Tj ET",
        "<</Subtype/Type0/ToUnicode 6 0 R>>",
    );
    let cmap =
        "0 beginbfrange ".to_owned() + &"<0000> <ffff> <0020> ".repeat(20_000) + "endbfrange ";
    write!(
        mapas,
        "\n6 0 obj <<>> stream\n{}\nendstream endobj",
        cmap.repeat(5)
    )
    .expect("write");
    assert!(depressa("maps", &mapas).is_err());
    let mut bombas = cabeca.as_bytes().to_vec();
    for n in 0..300 {
        writeln!(
            bombas,
            "{n} 0 obj <</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length {}>> stream",
            zeros.len()
        )
        .expect("write");
        bombas.extend_from_slice(&zeros);
        bombas.extend_from_slice(b"\nendstream endobj ");
    }
    assert!(depressa("bombs", &bombas).is_err());

    // Trees that lead in circles, forms that draw themselves.
    let laco = b"%PDF-1.4 1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[2 0 R 2 0 R 3 0 R]>> endobj 3 0 obj <</Kids[2 0 R 3 0 R]/Resources 3 0 R/Contents 3 0 R>> endobj 4 0 obj 4 0 R endobj trailer <</Root 4 0 R>>";
    assert!(depressa("circles", laco).is_err());
    let forma = b"%PDF-1.4 1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj 2 0 obj <</Kids[3 0 R]>> endobj 3 0 obj <</Type/Page/Contents 4 0 R/Resources 5 0 R>> endobj 5 0 obj <</XObject<</A 4 0 R>>>> endobj 4 0 obj <</Subtype/Form/Resources 5 0 R>> stream\n/A Do /A Do /A Do /A Do /A Do /A Do /A Do /A Do\nendstream endobj";
    assert!(depressa("forms", forma).is_err());
    let pilhas = pdf("", &b"q BT /F1 1 Tf ".repeat(200_000), SIMPLES);
    assert!(depressa("states", &pilhas).is_err());
    let textos = pdf(
        "",
        &b"BT (1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1) Tj ET ".repeat(60_000),
        SIMPLES,
    );
    assert!(depressa("digits", &textos).is_err());
    let muitas: String = (0..20_000)
        .map(|n| {
            let base = format!("35261011222333000181550010{n:08}1{n:08}");
            let dv = markup::ids::chave::digito(base.as_bytes());
            format!("BT ({base}{dv}) Tj ET ")
        })
        .collect();
    assert!(depressa("keys", &pdf("", muitas.as_bytes(), SIMPLES)).is_ok());
    assert_eq!(
        read(&vec![b'%'; ler_max() + 1]),
        Err(LeituraError::Grande("bytes"))
    );
    let cifrado =
        b"%PDF-1.4 1 0 obj <</Type/Catalog>> endobj trailer <</Root 1 0 R/Encrypt 9 0 R>>";
    assert_eq!(read(cifrado), Err(LeituraError::Protegido));
}

fn ler_max() -> usize {
    crate::danfe::read::MAX_BYTES
}

/// Our own files with bytes changed, cut out and repeated: any answer but a panic.
#[test]
fn damaged_files_never_panic() {
    let nota = Gerador {
        itens: 3,
        ..Gerador::default()
    };
    let cupom = Gerador {
        modelo: "65",
        qr: "https://x/?p=1|3|1".to_owned(),
        ..Gerador::default()
    };
    let inteiros = [
        danfe(&nota.xml(), &Opcoes::default()).expect("a printout"),
        nfce(&cupom.xml(), &Opcoes::default()).expect("a printout"),
        pdf("", &texto(CHAVE), SIMPLES),
        pdf("/Filter/LZWDecode", &lzw(&texto(CHAVE), 1), SIMPLES),
    ];
    let mut estado = 0x2545_F491_4F6C_DD1D_u64;
    let mut sorte = |limite: usize| {
        estado ^= estado << 13;
        estado ^= estado >> 7;
        estado ^= estado << 17;
        (estado % limite.max(1) as u64) as usize
    };
    let mut achadas = 0;
    for rodada in 0..800 {
        let mut arquivo = inteiros[rodada % inteiros.len()].clone();
        for _ in 0..=sorte(3) {
            let at = sorte(arquivo.len());
            match sorte(4) {
                0 => arquivo[at] = sorte(256) as u8,
                1 => arquivo.truncate(at.max(20)),
                2 => {
                    let fim = (at + sorte(200)).min(arquivo.len());
                    arquivo.drain(at..fim);
                }
                _ => {
                    let fim = (at + sorte(200)).min(arquivo.len());
                    let copia = arquivo[at..fim].to_vec();
                    let onde = sorte(arquivo.len());
                    arquivo.splice(onde..onde, copia);
                }
            }
            if arquivo.is_empty() {
                break;
            }
        }
        achadas += usize::from(read(&arquivo).is_ok());
    }
    // Much of the damage is survived.
    println!("{achadas} of 800 damaged files still told their key");
    assert!(achadas > 80, "{achadas}");
}
