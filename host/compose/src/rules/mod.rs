//! Pre-flight: what the authority would refuse, told before a number, a
//! credit or a request is spent, all of it at once, by paths of the request.
//!
//! Each message names the rejection it saves from. The numbers and texts are
//! those of the MOC 7.0 and later NTs as the list of answers in `data` has
//! them (second-hand); rules that differ by state are warnings.

mod billing;
mod codes;
mod general;
mod items;
mod layout;
mod nfce;
mod payment;
mod totals;
mod transport;

use crate::context::Contexto;
use markup::field::Campo;
use markup::tree::Elemento;
use std::collections::HashSet;
use time::OffsetDateTime;

pub(crate) use layout::layout;

/// Highest number of problems in an answer: a note of 990 wrong items is told
/// by its first ones.
const MAX_PROBLEMAS: usize = 200;

/// Runs every rule over request and tree.
pub(crate) fn conferir(ctx: &mut Contexto<'_>, raiz: &Elemento, agora: OffsetDateTime) {
    general::datas(ctx, raiz, agora);
    general::emitente(ctx);
    general::recebedor(ctx);
    general::operacao(ctx);
    codes::codes(ctx);
    items::items(ctx, raiz);
    totals::totals(ctx, raiz);
    transport::transport(ctx);
    billing::vencimentos(ctx);
    payment::cartoes(ctx);
    if ctx.nfce() {
        nfce::nfce(ctx, raiz);
    }
}

/// The list as the customer gets it: each problem once, the emitter's profile
/// first (nothing else helps without it), then what is missing, then the rest
/// in the order of the body.
pub(crate) fn em_ordem(mut campos: Vec<Campo>) -> Vec<Campo> {
    let mut vistos = HashSet::new();
    campos.retain(|campo| vistos.insert((campo.campo.clone(), campo.codigo.clone())));
    campos.sort_by_key(|campo| match campo.codigo.as_str() {
        "perfil_fiscal_incompleto" => 0,
        "obrigatorio" => 1,
        _ => 2,
    });
    campos.truncate(MAX_PROBLEMAS);
    campos
}
