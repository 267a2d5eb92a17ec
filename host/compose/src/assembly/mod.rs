//! From the request to the tree of `infNFe`.
//!
//! [`validate`] runs before a number is taken and lists everything to correct;
//! what passes it, [`build`] builds. Both are pure: number, `cNF` and time
//! are given.

mod additional;
mod billing;
mod contributions;
mod difal;
mod icms;
mod ide;
mod ipi;
mod issqn;
mod item;
mod leftovers;
mod line;
mod overlay;
mod particular;
mod parties;
mod payment;
mod plain;
mod preparation;
mod reform;
mod sums;
mod totals;
mod transport;

use crate::context::Aviso;
use crate::emitter::Emitter;
use crate::frame::{Data, layout_of};

use crate::context::{Context, Place};
use crate::qrcode::Supplement;
use crate::rules;
use fiscal::nfe::order::Pedido;
use markup::field::Field;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Parts};
use markup::layout::{LayoutError, Written};
use markup::tree::Node;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sums::Sums;
use time::OffsetDateTime;

/// Highest number of items (MOC, H01).
pub const MAX_ITEMS: usize = 990;

/// A note that is ready to be written and signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Nota {
    /// `infNFe`, with `versao` and `Id`.
    pub tree: Node,
    /// Access key, 44 positions.
    pub chave: String,
    /// `vNF`, reais.
    pub total_value: Decimal,
    pub totals: Totals,
    pub notices: Vec<Aviso>,
    /// The document as it was judged, of a note that [`validate`] passed.
    judged: Option<Written>,
}

/// Totals for the answer, reais; the complete ones are in the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub produtos: Decimal,
    pub servicos: Decimal,
    pub desconto: Decimal,
    pub frete: Decimal,
    pub seguro: Decimal,
    pub outras_despesas: Decimal,
    pub icms: Decimal,
    pub icms_st: Decimal,
    pub fcp: Decimal,
    pub difal: Decimal,
    pub ipi: Decimal,
    pub ii: Decimal,
    pub pis: Decimal,
    pub cofins: Decimal,
    pub iss: Decimal,
    pub ibs: Decimal,
    pub cbs: Decimal,
    pub tributos_aproximados: Decimal,
    pub troco: Decimal,
}

/// Everything that can be known to be wrong before a number is spent.
///
/// Takes masks off the request's identifiers in place, then builds the note
/// with `dados`, whose number, `cNF` and time may be provisional: what passes
/// here cannot fail in [`build`] for another number.
///
/// # Errors
/// All problems, the most useful first, with paths in the request.
pub fn validate(
    request: &mut Pedido,
    emitter: &Emitter,
    given: &Data,
    now: OffsetDateTime,
) -> Result<Nota, Vec<Field>> {
    normalize(request);
    let mut ctx = preparation::prepare(request, emitter, given)?;
    if !fits(&mut ctx) {
        return Err(ctx.fields.0);
    }
    let chave = chave(&mut ctx);
    let (mut root, nota) = inf_nfe(&mut ctx, chave);
    rules::check(&mut ctx, &root, now);
    let mut judged = None;
    if ctx.fields.0.is_empty() {
        (root, judged) = rules::layout(&mut ctx, root);
    }
    match nota {
        Some(nota) if ctx.fields.0.is_empty() => Ok(nota.with(root, ctx.notices, judged)),
        _ => Err(rules::in_order(ctx.fields.0)),
    }
}

/// Builds the tree of `infNFe` and its totals.
///
/// # Errors
/// What keeps the tree from being built; nothing for a request that
/// [`validate`] has passed.
pub fn build(request: &Pedido, emitter: &Emitter, given: &Data) -> Result<Nota, Vec<Field>> {
    let mut ctx = preparation::prepare(request, emitter, given)?;
    if !fits(&mut ctx) {
        return Err(ctx.fields.0);
    }
    let chave = chave(&mut ctx);
    let (root, nota) = inf_nfe(&mut ctx, chave);
    match nota {
        Some(nota) if ctx.fields.0.is_empty() => Ok(nota.with(root, ctx.notices, None)),
        _ => Err(rules::in_order(ctx.fields.0)),
    }
}

/// Codes in the form they are stored and searched by.
fn normalize(request: &mut Pedido) {
    for person in [&mut request.destinatario, &mut request.consumidor]
        .into_iter()
        .flatten()
    {
        if let Some(documento) = person
            .cpf_cnpj
            .as_deref()
            .and_then(|t| CpfCnpj::parse(t).ok())
        {
            person.cpf_cnpj = Some(documento.to_string());
        }
    }
}

/// Is the number of items in bounds? Nothing is built otherwise.
fn fits(ctx: &mut Context<'_>) -> bool {
    let count = ctx.request.itens.len();
    let on_top = ctx.request.inf_nfe.as_ref();
    let on_top = on_top.is_some_and(|inf_nfe| inf_nfe.contains_key("det"));
    let fits = (1..=MAX_ITEMS).contains(&count) || count == 0 && on_top;
    if !fits {
        ctx.error(
            Place::root("itens"),
            "limite",
            format!("A nota tem de 1 a {MAX_ITEMS} itens; vieram {count}."),
            "Informe ao menos um item, ou divida a nota.",
        );
    }
    fits
}

impl Nota {
    /// The document without QR code as [`validate`] wrote it while it judged
    /// it. It is given once; a note that was only built, or whose text was taken, is
    /// written from its tree. Who changes the tree asks [`Nota::write`].
    ///
    /// # Errors
    /// As [`Nota::write`].
    pub fn take_document(&mut self, given: &Data) -> Result<Written, Vec<LayoutError>> {
        match self.judged.take() {
            Some(written) => Ok(written),
            None => self.clone().write(given, None),
        }
    }

    /// The document as canonical XML, ready to be signed
    /// ([`Written::prepare`]); with the QR code's group, for an NFC-e.
    ///
    /// # Errors
    /// Members the layout has no place for; none for a note that [`validate`]
    /// passed.
    pub fn write(
        self,
        given: &Data,
        supplement: Option<&Supplement>,
    ) -> Result<Written, Vec<LayoutError>> {
        let documento = Node::group("NFe")
            .child(self.tree)
            .child_if(supplement.map(Supplement::element));
        layout_of(given).write(&documento)
    }
}

fn chave(ctx: &mut Context<'_>) -> Option<Chave> {
    let given = ctx.given;
    // The emitter's document is told by `emit` when it is not right.
    let documento = CpfCnpj::parse(&ctx.emitter.cpf_cnpj).ok()?;
    let parts = Parts {
        uf: ctx.uf.codigo,
        year: u16::try_from(given.dh_emi.year()).unwrap_or_default(),
        month: u8::from(given.dh_emi.month()),
        documento,
        model: given.modelo.codigo(),
        serie: given.serie,
        number: given.numero,
        tp_emis: given.tp_emis,
        c_nf: given.c_nf,
    };
    match parts.chave() {
        Ok(chave) => Some(chave),
        Err(_) => {
            ctx.error(
                Place::root("serie"),
                "chave_impossivel",
                "Série, número ou data de emissão fora do que a chave de acesso comporta.",
                "Use série de 0 a 999, número de 1 a 999999999 e data a partir de 2006.",
            );
            None
        }
    }
}

/// All of a note but its tree.
struct Rest {
    chave: Chave,
    total_value: Decimal,
    totals: Totals,
}

impl Rest {
    fn with(self, tree: Node, notices: Vec<Aviso>, judged: Option<Written>) -> Nota {
        Nota {
            tree,
            chave: self.chave.to_string(),
            total_value: self.total_value,
            totals: self.totals,
            notices,
            judged,
        }
    }
}

fn inf_nfe(ctx: &mut Context<'_>, chave: Option<Chave>) -> (Node, Option<Rest>) {
    let request = ctx.request;
    let only_outside = request.itens.is_empty();
    let text = chave.map(|chave| chave.to_string()).unwrap_or_default();
    let mut root = Node::group_of("infNFe", request.itens.len() + 16)
        .attribute("Id", format!("NFe{text}"))
        .attribute("versao", "4.00");
    root.put(ide::ide(ctx, chave.map_or(0, |chave| chave.dv())));
    root.put(parties::emit(ctx));
    if !only_outside || request.receiver().1.is_some() {
        root = root.child_if(parties::dest(ctx));
    }
    root = root
        .child_if(parties::local(ctx, "retirada", request.retirada.as_ref()))
        .child_if(parties::local(ctx, "entrega", request.entrega.as_ref()))
        .children(parties::authorized(ctx));
    let (total_value, totals) = match only_outside {
        true => (Decimal::ZERO, Totals::default()),
        false => values(ctx, &mut root),
    };
    let texts = additional::texts(ctx, &root);
    root = root
        .child_if(additional::intermediator(ctx))
        .child_if(texts)
        .child_if(additional::cane(ctx))
        .child_if(additional::technician(ctx, &text))
        .child_if(additional::agricultural(ctx));
    plain::write(ctx, &mut root);
    let (mut total_value, mut totals) = (total_value, totals);
    if request.inf_nfe.is_some() {
        overlay::apply(ctx, &mut root);
        (total_value, totals) = overlay::totals(&root);
    }
    let rest = chave.map(|chave| Rest {
        chave,
        total_value,
        totals,
    });
    (root, rest)
}

/// From the items to the payment: all that carries amounts.
fn values(ctx: &mut Context<'_>, root: &mut Node) -> (Decimal, Totals) {
    let request = ctx.request;
    let values = line::values(ctx);
    let mut sums = Sums::default();
    let mut reforma = Vec::with_capacity(request.itens.len());
    let mut v_nf_tot = Decimal::ZERO;
    for (i, (item, values)) in request.itens.iter().zip(values).enumerate() {
        let done = item::det(ctx, i, item, values);
        sums.add(&done.sums);
        v_nf_tot = crate::arithmetic::plus(v_nf_tot, done.v_item);
        reforma.push(done.reforma);
        root.put(done.det);
    }
    root.put(totals::total(ctx, &sums, &reforma, v_nf_tot));
    root.put(transport::transp(ctx));
    let total = sums.total();
    if total.is_sign_negative() && !total.is_zero() {
        ctx.error(
            Place::root("itens"),
            "total_negativo",
            "O total da nota ficou negativo.",
            "Confira descontos e valores desonerados.",
        );
    }
    let (pag, change) = payment::pag(ctx, total);
    if let Some(cobr) = billing::cobr(ctx, total) {
        root.put(cobr);
    }
    root.put(pag);
    (total, totals::digest(&sums, &reforma, change))
}
