//! What the official layout still refuses, told by paths of the request.

use crate::context::{Context, Place};
use crate::frame::layout_of;
use fiscal::nfe::fields::place_in_request;
use fiscal::nfe::reading::of_operation;
use markup::field::{Field, of_layout};
use markup::layout::{LayoutError, Written};
use markup::tree::{ElementContent, Node};
use markup::xmldsig::MAX_DOCUMENTO;

/// Longest message of an authorizer, bytes (MOC; second-hand). Not every one
/// holds to it, and it counts what is around the note too: only a warning.
const MESSAGE: usize = 500 * 1024;

/// Writes the document without signature, judged by the layout in force on the
/// day of emission. Gives the tree back, unchanged, with the text, if there is one.
pub(crate) fn layout(ctx: &mut Context<'_>, root: Node) -> (Node, Option<Written>) {
    let documento = Node::group("NFe").child(root);
    let (written, erros) = match layout_of(ctx.given).validate_and_write(&documento) {
        Ok((written, erros)) => {
            size(ctx, written.xml.len());
            if erros.is_empty() && ctx.request.inf_nfe.is_some() {
                overlaid(ctx, &written.xml);
            }
            (Some(written), erros)
        }
        Err(erros) => (None, erros),
    };
    let receiver = ctx.request.receiver().0;
    ctx.fields
        .0
        .extend(erros.into_iter().map(|error| field(error, receiver)));
    let root = match documento.content {
        ElementContent::Children(mut children) if children.len() == 1 => children.remove(0),
        content => Node {
            content,
            ..Node::group("infNFe")
        },
    };
    (root, written)
}

/// What the caller's own `inf_nfe` made the note say, held against itself by
/// the rules that check anybody's XML: those of this module see the request.
fn overlaid(ctx: &mut Context<'_>, xml: &str) {
    let Some(inf_nfe) = &ctx.request.inf_nfe else {
        return;
    };
    // What was written reads back: nothing to tell if not.
    let Ok(findings) = of_operation(xml, ctx.given.dh_emi.date()) else {
        return;
    };
    let receiver = ctx.request.receiver().0;
    for finding in findings {
        let caminho = finding.caminho.strip_prefix("infNFe/");
        let caminho = caminho.unwrap_or(&finding.caminho);
        let group = caminho.split(['/', '[']).next().unwrap_or_default();
        let field = match inf_nfe.contains_key(group) {
            true => format!("inf_nfe.{}", of_layout(caminho)),
            false => in_request(&finding.caminho, receiver),
        };
        ctx.fields.0.push(Field {
            campo: field,
            codigo: format!("rejeicao_{}", finding.codigo),
            mensagem: format!("{} (Rejeição {}.)", finding.mensagem, finding.codigo),
            correcao: finding.correcao,
            valor: finding.valor,
        });
    }
}

/// Texts of 990 items, and what XML makes of their `&` and `<`, add up.
fn size(ctx: &mut Context<'_>, bytes: usize) {
    let place = Place::root("itens");
    let kib = bytes.div_ceil(1024);
    if bytes > MAX_DOCUMENTO {
        ctx.error(
            place,
            "documento_grande",
            format!(
                "O XML da nota teria {kib} KB; o limite é {} KB.",
                MAX_DOCUMENTO / 1024
            ),
            "Divida a nota, ou encurte descrições e informações dos itens.",
        );
    } else if bytes > MESSAGE {
        ctx.aviso(
            place,
            format!(
                "O XML da nota tem {kib} KB: acima de 500 KB a SEFAZ pode recusar a mensagem (rejeição 214)."
            ),
        );
    }
}

fn field(error: LayoutError, receiver: &str) -> Field {
    Field {
        campo: in_request(&error.caminho, receiver),
        codigo: format!("layout_{}", error.regra),
        mensagem: error.mensagem,
        correcao: error.correcao,
        valor: error.valor,
    }
}

/// The place in the request of an official path; what it has no member for is
/// told under `inf_nfe`, by the official names. `recipient` is the member that
/// says who receives the note.
pub fn in_request(official: &str, recipient: &str) -> String {
    place_in_request(official, recipient).unwrap_or_else(|| {
        let inside = official.strip_prefix("infNFe/").unwrap_or(official);
        let names: Vec<&str> = inside
            .split('/')
            .take(12)
            .map(|step| step.split('[').next().unwrap_or_default())
            .collect();
        format!("inf_nfe.{}", names.join("."))
    })
}
