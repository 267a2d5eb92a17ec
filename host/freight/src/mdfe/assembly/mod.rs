//! From the request to the tree of `infMDFe`.
//!
//! [`validate`] runs before a number is taken and lists everything to correct;
//! what passes it, [`build`] builds for the number that was taken. Both are
//! pure: number, `cMDF` and time are given.

mod complete;
mod head;

use super::fields::{INF_MDFE, place_in_request};
use super::frame::{Frame, layout};
use super::order::Pedido;
use super::work::Work;
use super::{MODEL, qrcode, rules};
use crate::document::{emit, technician};
use crate::writing::{Choice, write};
use compose::context::Aviso;
use compose::emitter::Emitter;
use fiscal::body::Members;
use markup::field::{Field, of_layout};
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Parts};
use markup::layout::{LayoutError, Written};
use markup::tree::Node;
use rust_decimal::Decimal;

/// An MDF-e that is ready to be written and signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Mdfe {
    /// `infMDFe`, with `versao` and `Id`.
    pub tree: Node,
    pub chave: Chave,
    /// `vCarga`, reais.
    pub total_value: Decimal,
    /// Documents of all cities: CT-e, NF-e, MDF-e.
    pub documents: (usize, usize, usize),
    pub notices: Vec<Aviso>,
}

/// Everything that can be known to be wrong before a number is spent.
///
/// # Errors
/// All problems, with paths in the request.
pub fn validate(request: &Pedido, emitter: &Emitter, frame: &Frame) -> Result<Mdfe, Vec<Field>> {
    let (mut work, mdfe) = assemble(request, emitter, frame)?;
    rules::check(&mut work);
    let Some(mdfe) = mdfe else {
        return Err(work.fields.0);
    };
    // The layout repeats what the rules have told already, in its own words.
    if work.fields.0.is_empty() {
        judge(&mut work, &mdfe, frame);
    }
    match work.fields.0.is_empty() {
        true => Ok(Mdfe {
            notices: work.notices,
            ..mdfe
        }),
        false => Err(work.fields.0),
    }
}

/// Builds the tree of `infMDFe`.
///
/// # Errors
/// What keeps it from being built; nothing for a request that [`validate`]
/// passed.
pub fn build(request: &Pedido, emitter: &Emitter, frame: &Frame) -> Result<Mdfe, Vec<Field>> {
    let (work, mdfe) = assemble(request, emitter, frame)?;
    match mdfe {
        Some(mdfe) if work.fields.0.is_empty() => Ok(Mdfe {
            notices: work.notices,
            ..mdfe
        }),
        _ => Err(work.fields.0),
    }
}

type Assembled<'a> = (Work<'a>, Option<Mdfe>);

fn assemble<'a>(
    request: &Pedido,
    emitter: &'a Emitter,
    frame: &'a Frame,
) -> Result<Assembled<'a>, Vec<Field>> {
    let mut work = Work::new(request.clone(), emitter, frame)?;
    complete::complete(&mut work);
    let chave = key(&mut work);
    let text = chave.map(|chave| chave.to_string()).unwrap_or_default();
    let mut tree = Node::group("infMDFe")
        .attribute("Id", format!("MDFe{text}"))
        .attribute("versao", "3.00");
    write(INF_MDFE, &work.order, &Elements, &mut tree);
    head::ide(&work, &mut tree, chave.map_or(0, |chave| chave.dv()));
    // Who carries its own cargo may be no contributor of the ICMS.
    let registered = work.for_others();
    tree.put(emit(
        &mut work.fields,
        emitter,
        work.uf.abbreviation,
        registered,
    ));
    head::modal(&mut tree);
    head::totals(&work, &mut tree);
    technician(work.order.responsavel_tecnico.as_ref(), &mut tree, &text);
    let mdfe = chave.map(|chave| Mdfe {
        tree,
        chave,
        total_value: work.value(),
        documents: work.order.counts(),
        notices: Vec::new(),
    });
    Ok((work, mdfe))
}

impl Mdfe {
    /// The document as canonical XML, ready to be signed
    /// ([`Written::prepare`]), with the QR code's group. `sign` is the signature
    /// of the key, which a document in contingency has there
    /// ([`qrcode::address`]).
    ///
    /// # Errors
    /// Members the layout has no place for; none for an MDF-e that [`validate`]
    /// passed.
    pub fn write(&self, frame: &Frame, sign: Option<&str>) -> Result<Written, Vec<LayoutError>> {
        let document = Node::group("MDFe")
            .child(self.tree.clone())
            .child(qrcode::supplement(frame.ambiente, &self.chave, sign));
        layout().ok_or_else(Vec::new)?.write(&document)
    }
}

/// Asks the official layout about the document without its signature.
fn judge(work: &mut Work<'_>, mdfe: &Mdfe, frame: &Frame) {
    let errors = match (mdfe.write(frame, None), layout()) {
        (Ok(written), Some(layout)) => layout.validate_without_signature(&written.xml),
        (Err(errors), _) => errors,
        (Ok(_), None) => Vec::new(),
    };
    work.fields.0.extend(errors.into_iter().map(placed));
}

/// An error of the layout at its place in the request.
pub fn placed(error: LayoutError) -> Field {
    Field {
        campo: place_in_request(&error.caminho).unwrap_or_else(|| of_layout(&error.caminho)),
        codigo: format!("layout_{}", error.regra),
        mensagem: error.mensagem,
        correcao: error.correcao,
        valor: error.valor,
    }
}

fn key(work: &mut Work<'_>) -> Option<Chave> {
    let frame = work.frame;
    // The emitter's document is told by `emit` when it is not right.
    let documento = CpfCnpj::parse(&work.emitter.cpf_cnpj).ok()?;
    let parts = Parts {
        uf: work.uf.codigo,
        year: u16::try_from(frame.dh_emi.year()).unwrap_or_default(),
        month: u8::from(frame.dh_emi.month()),
        documento,
        model: MODEL,
        serie: frame.serie,
        number: frame.number,
        tp_emis: frame.tp_emis,
        c_nf: frame.c_mdf,
    };
    let chave = parts.chave().ok();
    if chave.is_none() {
        work.fields.add(
            "serie",
            "chave_impossivel",
            "Série, número ou data de emissão fora do que a chave de acesso comporta.",
            "Use série de 0 a 999, número de 1 a 999999999 e data a partir de 2006.",
        );
    }
    chave
}

/// No elements exclude each other by more than their registration.
struct Elements;

impl Choice for Elements {
    fn admits(&self, _: &str, _: &dyn Members) -> bool {
        true
    }

    fn only_child(&self, tag: &str, text: &str) -> &'static str {
        match tag {
            "infPercurso" => "UFPer",
            "infNFePrestParcial" => "chNFe",
            "autXML" if matches!(CpfCnpj::parse(text), Ok(CpfCnpj::Cpf(_))) => "CPF",
            "autXML" => "CNPJ",
            _ => "nLacre",
        }
    }
}
