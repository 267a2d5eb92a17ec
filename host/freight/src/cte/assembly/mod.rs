//! From the request to the tree of `infCte`.
//!
//! [`validate`] runs before a number is taken and lists everything to correct;
//! what passes it, [`build`] builds for the number that was taken. Both are
//! pure: number, `cCT` and time are given.

mod complete;
mod emitter;
mod head;
mod taxes;

use super::fields::{INF_CTE, place_in_request};
use super::frame::{Frame, layout};
use super::order::{Papel, Pedido};
use super::work::Work;
use super::{MODEL, qrcode, rules};
use crate::document::technician;
use crate::writing::{Choice, write};
use compose::context::Aviso;
use compose::emitter::Emitter;
use fiscal::body::{Member, Members};
use markup::field::{Field, of_layout};
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Parts};
use markup::layout::{LayoutError, Written};
use markup::tree::Node;
use rust_decimal::Decimal;

/// A CT-e that is ready to be written and signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Cte {
    /// `infCte`, with `versao` and `Id`.
    pub tree: Node,
    pub chave: Chave,
    /// `vTPrest`, reais.
    pub total_value: Decimal,
    /// `vRec`, reais.
    pub receivable: Decimal,
    /// ICMS of the service, reais.
    pub icms: Decimal,
    pub notices: Vec<Aviso>,
    /// State of the emitter, whose authority's address the QR code has.
    uf: &'static str,
}

/// Everything that can be known to be wrong before a number is spent.
///
/// # Errors
/// All problems, with paths in the request.
pub fn validate(request: &Pedido, emitter: &Emitter, frame: &Frame) -> Result<Cte, Vec<Field>> {
    let (mut work, cte) = assemble(request, emitter, frame)?;
    rules::check(&mut work);
    let Some(cte) = cte else {
        return Err(work.fields.0);
    };
    // The layout repeats what the rules have told already, in its own words.
    if work.fields.0.is_empty() {
        judge(&mut work, &cte, frame);
    }
    match work.fields.0.is_empty() {
        true => Ok(Cte {
            notices: work.notices,
            ..cte
        }),
        false => Err(work.fields.0),
    }
}

/// Builds the tree of `infCte`.
///
/// # Errors
/// What keeps it from being built; nothing for a request that [`validate`]
/// passed.
pub fn build(request: &Pedido, emitter: &Emitter, frame: &Frame) -> Result<Cte, Vec<Field>> {
    let (work, cte) = assemble(request, emitter, frame)?;
    match cte {
        Some(cte) if work.fields.0.is_empty() => Ok(Cte {
            notices: work.notices,
            ..cte
        }),
        _ => Err(work.fields.0),
    }
}

type Assembled<'a> = (Work<'a>, Option<Cte>);

fn assemble<'a>(
    request: &Pedido,
    emitter: &'a Emitter,
    frame: &'a Frame,
) -> Result<Assembled<'a>, Vec<Field>> {
    let mut work = Work::new(request.clone(), emitter, frame)?;
    complete::complete(&mut work);
    let reform = taxes::taxes(&mut work);
    let chave = key(&mut work);
    let text = chave.map(|chave| chave.to_string()).unwrap_or_default();
    let mut tree = Node::group("infCte")
        .attribute("Id", format!("CTe{text}"))
        .attribute("versao", "4.00");
    write(INF_CTE, &work.order, &Elements, &mut tree);
    head::ide(&work, &mut tree, chave.map_or(0, |chave| chave.dv()));
    tree.put(emitter::emit(&mut work));
    head::simples(&mut tree);
    head::modal(&mut tree);
    head::earlier(&mut tree);
    head::payments(&mut tree);
    technician(work.order.responsavel_tecnico.as_ref(), &mut tree, &text);
    if let Some(reform) = reform {
        head::reform(&mut tree, reform, work.total());
    }
    let cte = chave.map(|chave| Cte {
        tree,
        chave,
        total_value: work.total(),
        receivable: work.receivable(),
        icms: work.icms(),
        notices: Vec::new(),
        uf: work.uf.abbreviation,
    });
    Ok((work, cte))
}

impl Cte {
    /// State of the emitter, two letters.
    pub fn uf(&self) -> &'static str {
        self.uf
    }

    /// The document as canonical XML, ready to be signed
    /// ([`Written::prepare`]), with the QR code's group.
    ///
    /// # Errors
    /// Members the layout has no place for; none for a CT-e that [`validate`]
    /// passed.
    pub fn write(&self, frame: &Frame) -> Result<Written, Vec<LayoutError>> {
        let document = Node::group("CTe")
            .child(self.tree.clone())
            .child(qrcode::supplement(self.uf, frame.ambiente, &self.chave));
        layout().ok_or_else(Vec::new)?.write(&document)
    }
}

/// Asks the official layout about the document without its signature.
fn judge(work: &mut Work<'_>, cte: &Cte, frame: &Frame) {
    let errors = match (cte.write(frame), layout()) {
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
        c_nf: frame.c_ct,
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

/// Of elements that exclude each other, the one that the request means.
struct Elements;

impl Choice for Elements {
    fn admits(&self, tag: &str, from: &dyn Members) -> bool {
        let code = |name| match from.member(name) {
            Some(Member::Code(code)) => Some(code),
            _ => None,
        };
        let date = || code("data.tipo");
        let time = || code("hora.tipo");
        match tag {
            "toma3" => code("tomador.papel").is_some_and(|role| role != Papel::Outro.codigo()),
            "toma4" => code("tomador.papel").is_some_and(|role| role == Papel::Outro.codigo()),
            "semData" => date() == Some("0"),
            "comData" => matches!(date(), Some("1" | "2" | "3")),
            "noPeriodo" => date() == Some("4"),
            "semHora" => time() == Some("0"),
            "comHora" => matches!(time(), Some("1" | "2" | "3")),
            "noInter" => time() == Some("4"),
            // Built by calculation.
            "IBSCBS" => false,
            _ => true,
        }
    }

    fn only_child(&self, tag: &str, text: &str) -> &'static str {
        match tag {
            "pass" => "xPass",
            "infCteComp" | "idDocAntEle" => "chCTe",
            "infCTeMultimodal" => "chCTeMultimodal",
            "infDCe" => "chave",
            "balsa" => "xBalsa",
            "autXML" if matches!(CpfCnpj::parse(text), Ok(CpfCnpj::Cpf(_))) => "CPF",
            "autXML" => "CNPJ",
            _ => "nLacre",
        }
    }
}
