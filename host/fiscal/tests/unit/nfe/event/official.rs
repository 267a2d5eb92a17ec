//! Every event of the catalogue against the official schemas.

use fiscal::nfe::event::{
    Evento, Kind, NAMESPACE, assemble, catalogue, envi_evento, layout_name, search, write,
};
use markup::field::Field;
use markup::layout::Layout;
use markup::xml::Document;

use super::keyring::{Keyring, xmllint};
use super::{Die, evento, generate, rules, write_out};

const SCHEMAS: &str = "schemas/nfe/eventos-sped-nfe-PL_010_V1.30";

/// The concrete schema of a type's `detEvento`.
fn detail_schema(folder: &std::path::Path, codigo: &str) -> std::path::PathBuf {
    // The source has this one with a blank in its name.
    let name = match codigo {
        "112120" => "e112120_v1.00 .xsd".to_owned(),
        _ => format!("e{codigo}_v1.00.xsd"),
    };
    folder.join(name)
}

/// `detEvento` as a document of its own.
fn detail(xml: &str) -> String {
    let doc = Document::parse(xml).unwrap();
    let element = doc.elements().find(|e| e.name() == "detEvento").unwrap();
    let text = xml.get(element.span()).unwrap();
    text.replacen(
        "<detEvento",
        &format!("<detEvento xmlns=\"{NAMESPACE}\""),
        1,
    )
}

fn built(kind: &'static Kind, seed: u64) -> (Evento, String) {
    let model = kind.modelos[usize::try_from(seed).unwrap() % kind.modelos.len()];
    let mut die = Die(seed);
    let data = generate(
        kind.campos,
        seed.is_multiple_of(2),
        !seed.is_multiple_of(3),
        &mut die,
    );
    let mut request = evento(kind.codigo, model.parse().unwrap(), data.clone());
    request.sequence = 1 + u8::try_from(seed % u64::from(kind.sequencia_maxima)).unwrap();
    request.role = kind
        .autores
        .get(usize::try_from(seed).unwrap() % kind.autores.len())
        .copied();
    let tree = assemble(&request)
        .unwrap_or_else(|erros: Vec<Field>| panic!("{}: {erros:?}\n{data}", kind.codigo));
    let xml = write_out(&tree);
    // The tree is in official order already: the layout's writer agrees.
    let written = write(&request).unwrap();
    assert_eq!(written.xml, xml, "{}", kind.codigo);
    assert_eq!(written.signed.map(|signed| signed.id), Some(request.id()));
    (request, xml)
}

#[test]
fn every_event_fits_its_schema() {
    let Some(folder) = judges::shared(SCHEMAS) else {
        return;
    };
    for kind in catalogue() {
        let details: Vec<String> = (0..24).map(|seed| detail(&built(kind, seed).1)).collect();
        let complaints = xmllint(&detail_schema(&folder, kind.codigo), &details);
        assert!(complaints.is_empty(), "{}: {complaints}", kind.codigo);
    }
}

#[test]
fn signed_batches_fit_and_verify() {
    let (Some(folder), Some(keyring)) = (judges::shared(SCHEMAS), Keyring::new()) else {
        return;
    };
    let mut lotes = Vec::new();
    for kind in catalogue() {
        let (request, xml) = built(kind, 2);
        let signed = keyring.sign(&xml, &request.id());
        keyring.check(&signed, "infEvento");
        let batch = envi_evento(7, &[&signed]).unwrap();
        // In the batch as well: the bytes and what they inherit are the same.
        keyring.check(&batch, "infEvento");
        let layout = Layout::get(&layout_name(kind)).unwrap();
        assert_eq!(layout.validate(&batch), [], "{}", kind.codigo);
        let concrete = match kind.codigo {
            "110110" => Some("envCCe_v1.00.xsd"),
            "110111" => Some("envEventoCancNFe_v1.00.xsd"),
            "110112" => Some("envEventoCancSubst_v1.00.xsd"),
            "110750" => Some("envEventoEConf_v1.00.xsd"),
            "110751" => Some("envEventoCancEConf_v1.00.xsd"),
            "210200" | "210210" | "210220" | "210240" => Some("envConfRecebto_v1.00.xsd"),
            _ => None,
        };
        if let Some(concrete) = concrete {
            let complaints = xmllint(&folder.join(concrete), std::slice::from_ref(&batch));
            assert!(complaints.is_empty(), "{}: {complaints}", kind.codigo);
        }
        lotes.push(batch);
    }
    let complaints = xmllint(&folder.join("envEvento_v1.00.xsd"), &lotes);
    assert!(complaints.is_empty(), "{complaints}");
}

/// The description of each type is one the schema enumerates, and the catalogue
/// has every event whose schema is there, but for those of others.
#[test]
fn the_catalogue_is_complete() {
    let Some(folder) = judges::shared(SCHEMAS) else {
        return;
    };
    let mut lacking = Vec::new();
    for entrada in std::fs::read_dir(folder).unwrap() {
        let name = entrada.unwrap().file_name().into_string().unwrap();
        let Some(codigo) = name.strip_prefix('e').and_then(|rest| rest.get(..6)) else {
            continue;
        };
        let reforma = ["1121", "2111", "2121", "4121"]
            .iter()
            .any(|start| codigo.starts_with(start));
        if reforma && search(codigo).is_none_or(|kind| !kind.reforma) {
            lacking.push(codigo.to_owned());
        }
    }
    assert!(lacking.is_empty(), "{lacking:?}");
}

#[test]
fn voiding_fits_its_schema_and_verifies() {
    let (Some(folder), Some(keyring)) = (judges::shared(SCHEMAS), Keyring::new()) else {
        return;
    };
    let request = rules::voiding();
    let written = request.write().unwrap();
    assert_eq!(written.xml, write_out(&request.build().unwrap()));
    let signed = keyring.sign(&written.xml, &request.id());
    keyring.check(&signed, "infInut");
    let complaints = xmllint(&folder.join("inutNFe_v4.00.xsd"), &[signed]);
    assert!(complaints.is_empty(), "{complaints}");
}
