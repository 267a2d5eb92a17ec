//! Reading tables, writing trees, words. Verdicts are in `tests/layouts`.

use serde_json::json;
use time::macros::date;

use super::{Layout, normalizar_texto};
use crate::layout::catalogue;
use crate::layout::table::Tabela;
use crate::tree::Elemento;
use crate::xml::{C14n, Document, canonicalize};
use crate::xmldsig::{Algorithm, Placement, SignSpec, prepare};

fn layout(nome: &str) -> &'static Layout {
    Layout::get(nome).unwrap_or_else(|| panic!("{nome} is not there"))
}

fn inutilizacao() -> Elemento {
    // Wrong order on purpose.
    let pedido = Elemento::grupo("infInut")
        .atributo("Id", "ID3526123456780001955500100000000100000001 ".trim())
        .com("xJust", "Falha de numeração & \"teste\" <de> sistema")
        .com("ano", "26")
        .com("tpAmb", "2")
        .com("xServ", "INUTILIZAR")
        .com("cUF", "35")
        .com("CNPJ", "12345678000195")
        .com("mod", "55")
        .com("nNFFin", "1")
        .com("serie", "1")
        .com("nNFIni", "1");
    Elemento::grupo("inutNFe")
        .atributo("versao", "4.00")
        .filho(pedido)
}

#[test]
fn every_table_reads_and_every_pattern_compiles() {
    for nome in Layout::nomes() {
        let layout = layout(nome);
        let tabela = Tabela::le(layout.texto).unwrap_or_else(|e| panic!("{nome}: {e}"));
        assert!(tabela.padroes_maus().is_empty(), "{nome}");
        assert!(layout.texto.contains(&format!("\nL\t{nome}\t")), "{nome}");
    }
}

#[test]
fn the_calendar_picks_the_package() {
    let de = |data| Layout::nfe(data).nome();
    assert_eq!(de(date!(2020 - 01 - 01)), "nfe-010b");
    assert_eq!(de(date!(2026 - 06 - 30)), "nfe-010b");
    assert_eq!(de(date!(2026 - 07 - 01)), "nfe-010d");
    assert_eq!(de(date!(2026 - 08 - 03)), "nfe-010e");
    assert_eq!(de(date!(2026 - 11 - 02)), "nfe-010e");
    assert_eq!(de(date!(2026 - 11 - 03)), "nfe-010f");
    assert_eq!(
        catalogue::nfe_homologacao(date!(2026 - 06 - 15)).nome(),
        "nfe-010d"
    );
    assert_eq!(
        catalogue::nfe_homologacao(date!(2026 - 09 - 01)).nome(),
        "nfe-010f"
    );
}

#[test]
fn what_is_written_is_canonical_and_in_order() {
    let layout = layout("inutNFe-4.00");
    let escrito = layout.escrever(&inutilizacao()).expect("a document");
    assert!(escrito.xml.starts_with(
        "<inutNFe xmlns=\"http://www.portalfiscal.inf.br/nfe\" versao=\"4.00\"><infInut Id=\"ID35"
    ));
    let doc = Document::parse(&escrito.xml).expect("XML");
    assert_eq!(
        canonicalize(&doc, doc.document(), C14n::Inclusive, None),
        escrito.xml
    );
    let inf_inut = doc.root().child("infInut").expect("a group");
    let nomes: Vec<&str> = inf_inut.children().map(|e| e.name()).collect();
    assert_eq!(
        nomes,
        [
            "tpAmb", "xServ", "cUF", "ano", "CNPJ", "mod", "serie", "nNFIni", "nNFFin", "xJust"
        ]
    );
}

#[test]
fn the_fast_signature_is_the_slow_one() {
    for algorithm in [Algorithm::RsaSha1, Algorithm::RsaSha256] {
        let escrito = layout("inutNFe-4.00")
            .escrever(&inutilizacao())
            .expect("a document");
        let assinado = escrito.assinado.clone().expect("something to sign");
        let spec = SignSpec {
            algorithm,
            canonicalization: C14n::Inclusive,
            placement: Placement::LastChildOfRoot,
            id_attribute: "Id".to_owned(),
            empty_uri: false,
        };
        let lenta = prepare(&escrito.xml, &assinado.id, &spec).expect("the slow way");
        let rapida = escrito.preparar(algorithm).expect("the fast way");
        assert_eq!(rapida.to_sign(), lenta.to_sign());
        let certificado = vec![vec![1, 2, 3]];
        assert_eq!(
            rapida.finish(b"assinatura", &certificado),
            lenta.finish(b"assinatura", &certificado)
        );
    }
}

#[test]
fn what_has_no_place_is_said() {
    let layout = layout("inutNFe-4.00");
    let mut raiz = inutilizacao();
    raiz.poe(Elemento::campo("xPto", "1"));
    let erros = layout.escrever(&raiz).expect_err("an unknown child");
    assert_eq!(
        (erros[0].caminho.as_str(), erros[0].regra),
        ("xPto", "desconhecido")
    );
    let erros = layout
        .escrever(&inutilizacao().com("infInut", "\u{1}"))
        .expect_err("a value in a group");
    assert!(
        erros.iter().any(|erro| erro.regra == "estrutura"),
        "{erros:?}"
    );
    assert!(layout.escrever(&Elemento::grupo("NFe")).is_err());
}

#[test]
fn json_goes_both_ways() {
    let layout = layout("inutNFe-4.00");
    let escrito = layout.escrever(&inutilizacao()).expect("a document");
    let doc = Document::parse(&escrito.xml).expect("XML");
    let valor = layout.para_json(&doc);
    assert_eq!(valor["inutNFe"]["infInut"]["ano"], "26");
    assert_eq!(valor["inutNFe"]["@versao"], "4.00");
    let volta = layout.de_json("inutNFe", &valor).expect("a tree");
    assert_eq!(layout.escrever(&volta).expect("a document"), escrito);
}

#[test]
fn json_takes_numbers_lists_and_plain_attributes() {
    let layout = layout("nfe-010f");
    let corpo = json!({
        "versao": "4.00",
        "det": [
            {"nItem": 1, "prod": {"vProd": 10.5, "qCom": 2, "cProd": "A", "xProd": null}},
            {"@nItem": "2", "prod": {"cProd": "B"}},
        ],
        "ide": {"cUF": 35},
    });
    let arvore = layout.de_json("infNFe", &corpo).expect("a tree");
    let itens = arvore.lista().iter().filter(|e| e.nome == "det");
    assert_eq!(itens.count(), 2);
    assert_eq!(arvore.valor(&["det", "prod", "vProd"]), Some("10.50"));
    assert_eq!(arvore.valor(&["det", "prod", "qCom"]), Some("2"));
    let erros = layout
        .de_json("infNFe", &json!({"det": [{"prod": {"ncm": "1"}}, 3]}))
        .expect_err("an unknown member");
    let caminhos: Vec<&str> = erros.iter().map(|erro| erro.caminho.as_str()).collect();
    assert_eq!(caminhos, ["det[1]/prod/ncm", "det[2]"]);
}

#[test]
fn text_is_made_what_the_layout_takes() {
    for (veio, fica) in [
        ("  a\t b\r\n c ", "a b c"),
        ("“aspas” – e… €", "\"aspas\" - e... EUR"),
        ("olá\u{a0}mundo 😀", "olá mundo"),
        ("\u{1}", ""),
    ] {
        assert_eq!(normalizar_texto(veio), fica);
    }
}

/// Forms whose verdict was asked of libxml2 2.9.14, one by one.
#[test]
fn lexical_forms_are_judged_as_libxml2_does() {
    use crate::layout::lexical::{aceita, compara};
    use crate::layout::table::Base;
    let casos: &[(Base, &[&str], &[&str])] = &[
        (
            Base::Base64,
            &[
                "",
                "AAA=",
                "AA==",
                "AAAA",
                "AA A=",
                "AA!AA",
                "AAAA AAAA",
                "é",
            ],
            &[
                "AA", "AB==", "AAB=", "A===", "AAAA=", "=AAA", "AAA=AAAA", "AAA==", "AA=A",
            ],
        ),
        (
            Base::AnyUri,
            &[
                "",
                "a b",
                "#a",
                "a:b",
                "%41",
                "http://[::1]/",
                "é",
                "//a:99",
                "a{b}",
                "http://x y",
            ],
            &[
                "a#b#c",
                "1a:b",
                "%zz",
                "[",
                "a[b",
                "://",
                ":",
                "http://a:b/",
            ],
        ),
        (
            Base::Date,
            &[
                "2025-01-01Z",
                "2024-02-29",
                "2025-01-01+14:00",
                "20250-01-01",
            ],
            &[
                " 2025-01-01",
                "2025-01-01 ",
                "2025-01-01Z ",
                "2025-02-30",
                "2023-02-29",
                "2025-01-01+15:00",
                "02025-01-01",
                "2025-01-01T00:00:00",
            ],
        ),
        (
            Base::DateTime,
            &[
                "2025-01-01T24:00:00",
                "2025-01-01T00:00:00.5Z",
                "2025-01-01T00:00:00-03:00 ",
            ],
            &[
                " 2025-01-01T00:00:00",
                "2025-01-01T00:00:00 ",
                "2025-01-01T24:00:01",
                "2025-01-01T00:00:60",
                "2025-01-01T00:00:00.",
                "2025-01-01T00:00",
            ],
        ),
        (
            Base::Inteiro(None, None),
            &["+1", "-0", "001", "123456789012345678901234"],
            &["1.0", "", "1234567890123456789012345"],
        ),
        (Base::Id, &["a1", "_a.b-c"], &["1a", "a b", "", "a:b"]),
    ];
    for (base, sim, nao) in casos {
        for texto in *sim {
            assert!(aceita(*base, texto), "{base:?} {texto:?}");
        }
        for texto in *nao {
            assert!(!aceita(*base, texto), "{base:?} {texto:?}");
        }
    }
    let desde = |mes: &str| {
        aceita(Base::GYearMonth, mes)
            && compara(Base::GYearMonth, mes, "2025-01").is_some_and(std::cmp::Ordering::is_ge)
    };
    for mes in ["2025-01", "2025-02Z", "2025-01+03:00", "12025-01"] {
        assert!(desde(mes), "{mes}");
    }
    for mes in [
        "2024-12",
        "2025-01Z",
        "2025-01-03:00",
        "2025-1",
        "0000-01",
        "-2025-01",
        "2025-13",
    ] {
        assert!(!desde(mes), "{mes}");
    }
}
