//! The questions of all cases against the official schemas, where these are.
//!
//! What carries a signed document is judged where the document is made.

use sdk::cassette::{self, Mode};
use std::path::Path;
use std::process::Command;

/// Root of each question, and where the package keeps its schema.
const SCHEMAS: [(&str, &str); 10] = [
    (
        "consSitNFe",
        "schemas/nfe/PL_010e_NT2025.002_v1.01/consSitNFe_v4.00.xsd",
    ),
    (
        "consStatServ",
        "schemas/nfe/PL_010e_NT2025.002_v1.01/consStatServ_v4.00.xsd",
    ),
    (
        "consReciNFe",
        "schemas/nfe/PL_010e_NT2025.002_v1.01/consReciNFe_v4.00.xsd",
    ),
    (
        "ConsCad",
        "schemas/nfe/eventos-sped-nfe-PL_010_V1.30/consCad_v2.00.xsd",
    ),
    (
        "distDFeInt",
        "schemas/nfe/nfelib-3.2.0-nfe_dist_dfe/distDFeInt_v1.01.xsd",
    ),
    (
        "consSitCTe",
        "schemas/cte/PL_CTe_400_NT2026.002_RTC_1.00/consSitCTe_v4.00.xsd",
    ),
    (
        "consStatServCTe",
        "schemas/cte/PL_CTe_400_NT2026.002_RTC_1.00/consStatServCTe_v4.00.xsd",
    ),
    (
        "consSitMDFe",
        "schemas/mdfe/PL_MDFe_300b_NT2025.001_1.03/consSitMDFe_v3.00.xsd",
    ),
    (
        "consStatServMDFe",
        "schemas/mdfe/PL_MDFe_300b_NT2025.001_1.03/consStatServMDFe_v3.00.xsd",
    ),
    (
        "consMDFeNaoEnc",
        "schemas/mdfe/PL_MDFe_300b_NT2025.001_1.03/consMDFeNaoEnc_v3.00.xsd",
    ),
];

fn xmllint(schema: &Path, message: &str) -> String {
    let file = std::env::temp_dir().join(format!("sefaz-{}.xml", std::process::id()));
    std::fs::write(&file, message).expect("write");
    let run = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .args([schema, &file])
        .output()
        .expect("xmllint runs");
    std::fs::remove_file(&file).expect("remove");
    if run.status.success() {
        String::new()
    } else {
        String::from_utf8_lossy(&run.stderr).into_owned()
    }
}

#[test]
fn questions_fit_the_official_schemas() {
    let Some(shared) = judges::shared("") else {
        return;
    };
    if Mode::from_env() == Mode::Record || !judges::has("xmllint") {
        return;
    }
    let mut judged = std::collections::BTreeSet::new();
    for case in cassette::cases(env!("CARGO_MANIFEST_DIR")).expect("cases") {
        let played = cassette::play(&case, adapter_sefaz::adapter(), Mode::Play)
            .unwrap_or_else(|error| panic!("{}: {error}", case.display()));
        for request in played.requests {
            let body = String::from_utf8(request.body).expect("text");
            for (root, schema) in SCHEMAS {
                let Some(start) = body.find(&format!("<{root} ")) else {
                    continue;
                };
                let close = format!("</{root}>");
                let end = body.find(&close).expect("closed") + close.len();
                let message = &body[start..end];
                if judged.insert(message.to_owned()) {
                    let errors = xmllint(&shared.join(schema), message);
                    assert_eq!(errors, "", "{}: {message}", case.display());
                }
            }
        }
    }
    for (root, _) in SCHEMAS {
        let seen = judged
            .iter()
            .any(|message| message.starts_with(&format!("<{root} ")));
        assert!(seen, "no case asks with {root}");
    }
}
