//! Small parts of a tree.

use super::digits;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fiscal::nfe::order::ResponsavelTecnico;
use markup::tree::{ElementContent, Node};
use sha1::{Digest, Sha1};
use time::OffsetDateTime;

/// `AAAA-MM-DDTHH:MM:SS±HH:MM`, without fractions of a second.
pub(crate) fn moment(moment: OffsetDateTime) -> String {
    let (hours, minutes, _) = moment.offset().as_hms();
    let sign = if moment.offset().is_negative() {
        '-'
    } else {
        '+'
    };
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{sign}{:02}:{:02}",
        moment.year(),
        u8::from(moment.month()),
        moment.day(),
        moment.hour(),
        moment.minute(),
        moment.second(),
        hours.unsigned_abs(),
        minutes.unsigned_abs(),
    )
}

/// The first child of that name.
pub(crate) fn child<'n>(node: &'n mut Node, name: &str) -> Option<&'n mut Node> {
    match &mut node.content {
        ElementContent::Children(children) => children.iter_mut().find(|child| child.name == name),
        ElementContent::Text(_) => None,
    }
}

/// `hashCSRT` (NT 2018.005 of the NF-e, which the others follow): base64 of
/// SHA-1 of the code followed by the key.
pub(crate) fn technician(given: Option<&ResponsavelTecnico>, tree: &mut Node, chave: &str) {
    let Some(group) = child(tree, "infRespTec") else {
        return;
    };
    let Some((id, code)) = given.and_then(|given| given.id_csrt.as_ref().zip(given.csrt.as_ref()))
    else {
        return;
    };
    if let Some(written) = child(group, "idCSRT") {
        written.content = ElementContent::Text(format!("{:0>3}", digits(id)));
    }
    let digest = Sha1::digest(format!("{}{chave}", code.trim()).as_bytes());
    group.put(Node::field("hashCSRT", STANDARD.encode(digest)));
}
