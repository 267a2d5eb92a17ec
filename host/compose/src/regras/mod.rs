//! Pre-flight: what the authority would refuse, told before a number, a
//! credit or a request is spent, all of it at once, by paths of the request.
//!
//! Each message names the rejection it saves from. The numbers and texts are
//! those of the MOC 7.0 and later NTs as the list of answers in `data` has
//! them (second-hand); rules that differ by state are warnings.

mod caminhos;
mod cobranca;
mod codigos;
mod geral;
mod itens;
mod leiaute;
mod nfce;
mod pagamento;
mod totais;
mod transporte;

use crate::contexto::Contexto;
use markup::arvore::Elemento;
use markup::campo::Campo;
use std::collections::HashSet;
use time::OffsetDateTime;

pub(crate) use leiaute::leiaute;

/// Highest number of problems in an answer: a note of 990 wrong items is told
/// by its first ones.
const MAX_PROBLEMAS: usize = 200;

/// Runs every rule over request and tree.
pub(crate) fn conferir(ctx: &mut Contexto<'_>, raiz: &Elemento, agora: OffsetDateTime) {
    geral::datas(ctx, raiz, agora);
    geral::emitente(ctx);
    geral::recebedor(ctx);
    geral::operacao(ctx);
    codigos::codigos(ctx);
    itens::itens(ctx, raiz);
    totais::totais(ctx, raiz);
    transporte::transporte(ctx);
    cobranca::vencimentos(ctx);
    pagamento::cartoes(ctx);
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
