//! The printouts as files: always the same bytes, and a folder of them to look at.

use super::generator::{Generator, letters, notas, receipts};
use prints::danfe::{PrintOptions, cce, danfe, nfce};

/// Writes every printout to the folder named by `HUB_TEST_PDF_OUT`, for people
/// to look at.
#[test]
fn printouts_for_people_to_look_at() {
    let Some(folder) = std::env::var_os("HUB_TEST_PDF_OUT") else {
        eprintln!("skipped: HUB_TEST_PDF_OUT names no folder");
        return;
    };
    let folder = std::path::PathBuf::from(folder);
    let write = |name: &str, pdf: Vec<u8>| {
        std::fs::write(folder.join(format!("{name}.pdf")), pdf).expect("write");
    };
    for (name, nota) in notas() {
        let xml = nota.xml();
        write(name, danfe(&xml, &PrintOptions::default()).expect(name));
        std::fs::write(folder.join(format!("{name}.xml")), xml).expect("write");
    }
    for (name, nota, options) in receipts() {
        write(name, nfce(&nota.xml(), &options).expect(name));
    }
    let nota = Generator::default();
    let logo = super::logos::png(120, 60, 8, 6);
    let with_logo = PrintOptions {
        logo: Some(&logo),
        ..PrintOptions::default()
    };
    write("logo", danfe(&nota.xml(), &with_logo).expect("a printout"));
    let (_, receipt, _) = receipts().swap_remove(0);
    write(
        "logo-nfce",
        nfce(&receipt.xml(), &with_logo).expect("a printout"),
    );
    for count in [1, 9] {
        let xml = letters(&nota, count);
        let pdf = cce(&xml, Some(&nota.xml()), &PrintOptions::default()).expect("letters");
        write(&format!("cce-{count}"), pdf);
    }
}

#[test]
fn the_same_note_gives_the_same_bytes() {
    for (name, nota) in notas() {
        let xml = nota.xml();
        let pdf = danfe(&xml, &PrintOptions::default()).expect(name);
        assert_eq!(
            pdf,
            danfe(&xml, &PrintOptions::default()).expect(name),
            "{name}"
        );
        assert!(!pdf.windows(13).any(|w| w == b"/CreationDate"), "{name}");
    }
}
