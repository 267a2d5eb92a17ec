//! From the request to the tree of `infNFe`.
//!
//! [`validar`] runs before a number is taken and lists everything to correct;
//! what passes it, [`montar`] builds. Both are pure: number, `cNF` and time
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
use crate::emitter::Emitente;
use crate::frame::{Dados, layout_de};

use crate::context::{Contexto, Onde};
use crate::qrcode::Suplemento;
use crate::rules;
use fiscal::nfe::order::Pedido;
use markup::field::Campo;
use markup::ids::CpfCnpj;
use markup::ids::chave::{Chave, Partes};
use markup::layout::{Erro, Escrito};
use markup::tree::Elemento;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use sums::Somas;
use time::OffsetDateTime;

/// Highest number of items (MOC, H01).
pub const MAX_ITENS: usize = 990;

/// A note that is ready to be written and signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Nota {
    /// `infNFe`, with `versao` and `Id`.
    pub arvore: Elemento,
    /// Access key, 44 positions.
    pub chave: String,
    /// `vNF`, reais.
    pub valor_total: Decimal,
    pub totais: Totais,
    pub avisos: Vec<Aviso>,
}

/// Totals for the answer, reais; the complete ones are in the tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totais {
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
/// here cannot fail in [`montar`] for another number.
///
/// # Errors
/// All problems, the most useful first, with paths in the request.
pub fn validar(
    pedido: &mut Pedido,
    emitente: &Emitente,
    dados: &Dados,
    agora: OffsetDateTime,
) -> Result<Nota, Vec<Campo>> {
    normaliza(pedido);
    let mut ctx = preparation::preparar(pedido, emitente, dados)?;
    if !cabe(&mut ctx) {
        return Err(ctx.campos.0);
    }
    let chave = chave(&mut ctx);
    let (mut raiz, nota) = inf_nfe(&mut ctx, chave);
    rules::conferir(&mut ctx, &raiz, agora);
    if ctx.campos.0.is_empty() {
        raiz = rules::layout(&mut ctx, raiz);
    }
    match nota {
        Some(nota) if ctx.campos.0.is_empty() => Ok(nota.com(raiz, ctx.avisos)),
        _ => Err(rules::em_ordem(ctx.campos.0)),
    }
}

/// Builds the tree of `infNFe` and its totals.
///
/// # Errors
/// What keeps the tree from being built; nothing for a request that
/// [`validar`] has passed.
pub fn montar(pedido: &Pedido, emitente: &Emitente, dados: &Dados) -> Result<Nota, Vec<Campo>> {
    let mut ctx = preparation::preparar(pedido, emitente, dados)?;
    if !cabe(&mut ctx) {
        return Err(ctx.campos.0);
    }
    let chave = chave(&mut ctx);
    let (raiz, nota) = inf_nfe(&mut ctx, chave);
    match nota {
        Some(nota) if ctx.campos.0.is_empty() => Ok(nota.com(raiz, ctx.avisos)),
        _ => Err(rules::em_ordem(ctx.campos.0)),
    }
}

/// Codes in the form they are stored and searched by.
fn normaliza(pedido: &mut Pedido) {
    for pessoa in [&mut pedido.destinatario, &mut pedido.consumidor]
        .into_iter()
        .flatten()
    {
        if let Some(documento) = pessoa
            .cpf_cnpj
            .as_deref()
            .and_then(|t| CpfCnpj::parse(t).ok())
        {
            pessoa.cpf_cnpj = Some(documento.to_string());
        }
    }
}

/// Is the number of items in bounds? Nothing is built otherwise.
fn cabe(ctx: &mut Contexto<'_>) -> bool {
    let quantos = ctx.pedido.itens.len();
    let por_fora = ctx.pedido.inf_nfe.as_ref();
    let por_fora = por_fora.is_some_and(|inf_nfe| inf_nfe.contains_key("det"));
    let cabe = (1..=MAX_ITENS).contains(&quantos) || quantos == 0 && por_fora;
    if !cabe {
        ctx.erro(
            Onde::raiz("itens"),
            "limite",
            format!("A nota tem de 1 a {MAX_ITENS} itens; vieram {quantos}."),
            "Informe ao menos um item, ou divida a nota.",
        );
    }
    cabe
}

impl Nota {
    /// The document as canonical XML, ready to be signed
    /// ([`Escrito::preparar`]); with the QR code's group, for an NFC-e.
    ///
    /// # Errors
    /// Members the layout has no place for; none for a note that [`validar`]
    /// passed.
    pub fn escrever(
        self,
        dados: &Dados,
        suplemento: Option<&Suplemento>,
    ) -> Result<Escrito, Vec<Erro>> {
        let documento = Elemento::grupo("NFe")
            .filho(self.arvore)
            .filho_se(suplemento.map(Suplemento::elemento));
        layout_de(dados).escrever(&documento)
    }
}

fn chave(ctx: &mut Contexto<'_>) -> Option<Chave> {
    let dados = ctx.dados;
    // The emitter's document is told by `emit` when it is not right.
    let documento = CpfCnpj::parse(&ctx.emitente.cpf_cnpj).ok()?;
    let partes = Partes {
        uf: ctx.uf.codigo,
        ano: u16::try_from(dados.dh_emi.year()).unwrap_or_default(),
        mes: u8::from(dados.dh_emi.month()),
        documento,
        modelo: dados.modelo.codigo(),
        serie: dados.serie,
        numero: dados.numero,
        tp_emis: dados.tp_emis,
        c_nf: dados.c_nf,
    };
    match partes.chave() {
        Ok(chave) => Some(chave),
        Err(_) => {
            ctx.erro(
                Onde::raiz("serie"),
                "chave_impossivel",
                "Série, número ou data de emissão fora do que a chave de acesso comporta.",
                "Use série de 0 a 999, número de 1 a 999999999 e data a partir de 2006.",
            );
            None
        }
    }
}

/// All of a note but its tree.
struct Resto {
    chave: Chave,
    valor_total: Decimal,
    totais: Totais,
}

impl Resto {
    fn com(self, arvore: Elemento, avisos: Vec<Aviso>) -> Nota {
        Nota {
            arvore,
            chave: self.chave.to_string(),
            valor_total: self.valor_total,
            totais: self.totais,
            avisos,
        }
    }
}

fn inf_nfe(ctx: &mut Contexto<'_>, chave: Option<Chave>) -> (Elemento, Option<Resto>) {
    let pedido = ctx.pedido;
    let so_por_fora = pedido.itens.is_empty();
    let texto = chave.map(|chave| chave.to_string()).unwrap_or_default();
    let mut raiz = Elemento::grupo("infNFe")
        .atributo("Id", format!("NFe{texto}"))
        .atributo("versao", "4.00");
    raiz.poe(ide::ide(ctx, chave.map_or(0, |chave| chave.dv())));
    raiz.poe(parties::emit(ctx));
    if !so_por_fora || pedido.recebedor().1.is_some() {
        raiz = raiz.filho_se(parties::dest(ctx));
    }
    raiz = raiz
        .filho_se(parties::local(ctx, "retirada", pedido.retirada.as_ref()))
        .filho_se(parties::local(ctx, "entrega", pedido.entrega.as_ref()))
        .filhos(parties::autorizados(ctx));
    let (valor_total, totais) = match so_por_fora {
        true => (Decimal::ZERO, Totais::default()),
        false => valores(ctx, &mut raiz),
    };
    let textos = additional::textos(ctx, &raiz);
    raiz = raiz
        .filho_se(additional::intermediador(ctx))
        .filho_se(textos)
        .filho_se(additional::cana(ctx))
        .filho_se(additional::responsavel(ctx, &texto))
        .filho_se(additional::agropecuario(ctx));
    plain::write(ctx, &mut raiz);
    let (mut valor_total, mut totais) = (valor_total, totais);
    if pedido.inf_nfe.is_some() {
        overlay::aplica(ctx, &mut raiz);
        (valor_total, totais) = overlay::totais(&raiz);
    }
    let resto = chave.map(|chave| Resto {
        chave,
        valor_total,
        totais,
    });
    (raiz, resto)
}

/// From the items to the payment: all that carries amounts.
fn valores(ctx: &mut Contexto<'_>, raiz: &mut Elemento) -> (Decimal, Totais) {
    let pedido = ctx.pedido;
    let valores = line::valores(ctx);
    let mut somas = Somas::default();
    let mut reforma = Vec::with_capacity(pedido.itens.len());
    let mut v_nf_tot = Decimal::ZERO;
    for (i, (item, valores)) in pedido.itens.iter().zip(valores).enumerate() {
        let feito = item::det(ctx, i, item, valores);
        somas.junta(&feito.somas);
        v_nf_tot = crate::arithmetic::mais(v_nf_tot, feito.v_item);
        reforma.push(feito.reforma);
        raiz.poe(feito.det);
    }
    raiz.poe(totals::total(ctx, &somas, &reforma, v_nf_tot));
    raiz.poe(transport::transp(ctx));
    let total = somas.total();
    if total.is_sign_negative() && !total.is_zero() {
        ctx.erro(
            Onde::raiz("itens"),
            "total_negativo",
            "O total da nota ficou negativo.",
            "Confira descontos e valores desonerados.",
        );
    }
    let (pag, troco) = payment::pag(ctx, total);
    if let Some(cobr) = billing::cobr(ctx, total) {
        raiz.poe(cobr);
    }
    raiz.poe(pag);
    (total, totals::resumo(&somas, &reforma, troco))
}
