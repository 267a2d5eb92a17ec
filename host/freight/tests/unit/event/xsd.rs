//! Every event is accepted by the official schemas, and a changed one is not.

use super::kinds::{all, evento};
use crate::signing::{held, judge, signed};
use fiscal::nfe::event::{Evento, Family, layout_name, write};
use markup::layout::Layout;

fn written() -> Vec<(&'static str, Evento, String)> {
    all()
        .into_iter()
        .map(|(name, described)| {
            let evento = evento(described.unwrap_or_else(|e| panic!("{name}: {e:#?}")));
            let xml = write(&evento)
                .unwrap_or_else(|e| panic!("{name}: {e:#?}"))
                .xml;
            (name, evento, signed(&xml))
        })
        .collect()
}

#[test]
fn every_event_is_accepted_by_its_layout() {
    for (name, evento, xml) in written() {
        assert_eq!(layout_name(evento.kind), name);
        let layout = Layout::get(name).expect("a layout");
        let errors = layout.validate(&xml);
        assert!(errors.is_empty(), "{name}: {errors:#?}\n{xml}");
        // What another event has in its place is refused.
        let other = xml.replace(evento.kind.elemento, "evOutro");
        assert!(!layout.validate(&other).is_empty(), "{name}");
        let other = xml.replace(evento.kind.descricao, "Outro evento");
        assert!(!layout.validate(&other).is_empty(), "{name}");
    }
}

#[test]
fn libxml2_accepts_every_event() {
    let (Some(cte), Some(mdfe)) = (
        judges::shared("schemas/cte/nfelib-3.2.0"),
        judges::shared("schemas/mdfe/nfelib-3.2.0"),
    ) else {
        return;
    };
    if !judges::has("xmllint") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, evento, xml) in written() {
        let file = folder.path().join(format!("{name}.xml"));
        let (schemas, envelope, version) = match evento.kind.familia {
            Family::Cte => (&cte, "eventoCTe_v4.00.xsd", "4.00"),
            _ => (&mdfe, "eventoMDFe_v3.00.xsd", "3.00"),
        };
        judge(&schemas.join(envelope), &file, &xml, name);
        let namespace = evento.kind.familia.namespace();
        let (element, part) = held(&xml, "detEvento", namespace).expect("a group");
        // The file of this one has another name.
        let element = element.replace("evIncDFeMDFe", "evInclusaoDFeMDFe");
        let schema = schemas.join(format!("{element}_v{version}.xsd"));
        judge(&schema, &file, &part, name);
    }
}
