//! CT-e that other programs made, where there are some among the samples.

use prints::dacte::dacte;
use prints::danfe::{PrintOptions, read};

#[test]
fn samples_are_printed() {
    let samples: Vec<_> = judges::samples()
        .into_iter()
        .filter(|(_, text)| text.contains("<infCte ") && text.contains("<mod>57</mod>"))
        .collect();
    if samples.is_empty() {
        return judges::skipped("no CT-e among the samples");
    }
    for (path, text) in samples {
        let name = path.display();
        let pdf = dacte(&text, &PrintOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let pages = read::text(&pdf).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert!(pages.concat().contains("DACTE"), "{name}");
        if let Some(folder) = std::env::var_os("HUB_TEST_PDF_OUT") {
            let stem = path.file_stem().expect("a name").to_string_lossy();
            let file = std::path::Path::new(&folder).join(format!("dacte-sample-{stem}.pdf"));
            std::fs::write(file, pdf).expect("write");
        }
    }
}
