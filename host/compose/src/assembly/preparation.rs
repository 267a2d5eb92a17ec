//! The facts of a note out of request and profile.

use crate::context::{Contexto, Onde};
use crate::emitter::Emitente;
use crate::frame::{Dados, Modelo};
use data::ufs::{self, Uf};
use fiscal::nfe::ibs_cbs_alone::Operacao;
use fiscal::nfe::order::{
    Destino, Endereco, Finalidade, IndicadorIe, Pedido, Pessoa, Presenca, TipoOperacao,
};
use markup::field::{Campo, Campos};

/// Works the facts out.
///
/// # Errors
/// A profile without the emitter's state, without which nothing can be told.
pub(super) fn preparar<'a>(
    pedido: &'a Pedido,
    emitente: &'a Emitente,
    dados: &'a Dados,
) -> Result<Contexto<'a>, Vec<Campo>> {
    let Some(uf) = uf_do(&emitente.endereco) else {
        let mut campos = Campos::default();
        campos.add(
            "perfil_fiscal.endereco.uf",
            "perfil_fiscal_incompleto",
            "O perfil fiscal do emitente não tem a UF do endereço.",
            "Complete o endereço em PUT /api/v1/emitters/{id}/fiscal-profile.",
        );
        return Err(campos.0);
    };
    let nfce = dados.modelo == Modelo::Nfce;
    let (_, recebedor) = pedido.recebedor();
    let operacao = pedido.tipo_operacao.unwrap_or(TipoOperacao::Saida);
    let finalidade = pedido.finalidade.unwrap_or(Finalidade::Normal);
    let presenca = pedido.presenca.unwrap_or(match (nfce, finalidade) {
        (true, _) => Presenca::Presencial,
        (false, Finalidade::Complementar | Finalidade::Ajuste) => Presenca::NaoSeAplica,
        (false, _) => Presenca::Outros,
    });
    let indicador_ie = recebedor.map_or(IndicadorIe::NaoContribuinte, |pessoa| {
        indicador(pessoa, nfce)
    });
    let exterior = recebedor.is_some_and(no_exterior);
    let consumidor_final = nfce
        || pedido
            .consumidor_final
            .unwrap_or(indicador_ie == IndicadorIe::NaoContribuinte && !exterior);
    let uf_destino = if exterior {
        "EX"
    } else {
        recebedor
            .and_then(|pessoa| pessoa.endereco.as_ref())
            .and_then(uf_do)
            .map_or(uf.sigla, |uf| uf.sigla)
    };
    let destino = if nfce {
        Destino::Interna
    } else {
        pedido
            .destino_operacao
            .or_else(|| pelos_cfops(pedido))
            .unwrap_or(match uf_destino {
                "EX" => Destino::Exterior,
                // Over the counter to a consumer the operation ends here,
                // wherever the buyer lives.
                sigla
                    if sigla == uf.sigla
                        || (presenca == Presenca::Presencial && consumidor_final) =>
                {
                    Destino::Interna
                }
                _ => Destino::Interestadual,
            })
    };
    let para = para_que(pedido, finalidade, dados);
    Ok(Contexto {
        pedido,
        emitente,
        dados,
        campos: Campos::default(),
        avisos: Vec::new(),
        uf,
        uf_destino,
        operacao,
        finalidade,
        presenca,
        destino,
        consumidor_final,
        indicador_ie,
        calcular: pedido.calcular_impostos.unwrap_or(true),
        exige_antigos: para.exige(),
        vedados: para.vedados(),
    })
}

fn para_que<'a>(pedido: &'a Pedido, finalidade: Finalidade, dados: &Dados) -> Operacao<'a> {
    let governo = pedido.compra_governamental.as_ref();
    Operacao {
        finalidade: finalidade.codigo(),
        debito: pedido.tipo_nota_debito.map_or("", |tipo| tipo.codigo()),
        credito: pedido.tipo_nota_credito.map_or("", |tipo| tipo.codigo()),
        governo: governo
            .and_then(|compra| compra.tipo_operacao.as_deref())
            .unwrap_or_default()
            .trim(),
        ano: dados.dh_emi.year(),
    }
}

/// The state of an address: its sigla, else by the municipality's code.
pub(super) fn uf_do(endereco: &Endereco) -> Option<&'static Uf> {
    let pela_sigla = endereco
        .uf
        .as_deref()
        .and_then(|uf| ufs::por_sigla(&uf.trim().to_ascii_uppercase()));
    pela_sigla.or_else(|| {
        let codigo = endereco.codigo_ibge.as_deref()?.get(..2)?.parse().ok()?;
        ufs::por_codigo(codigo)
    })
}

/// `1058` and `BR` are Brazil; so is nothing at all.
pub(super) fn pais_estrangeiro(codigo: Option<&str>) -> bool {
    codigo
        .map(|codigo| codigo.trim().trim_start_matches('0'))
        .is_some_and(|codigo| {
            !codigo.is_empty() && codigo != "1058" && !codigo.eq_ignore_ascii_case("BR")
        })
}

pub(super) fn no_exterior(pessoa: &Pessoa) -> bool {
    pessoa.endereco.as_ref().is_some_and(|endereco| {
        pais_estrangeiro(endereco.codigo_pais.as_deref())
            || endereco
                .uf
                .as_deref()
                .is_some_and(|uf| uf.eq_ignore_ascii_case("EX"))
    })
}

fn indicador(pessoa: &Pessoa, nfce: bool) -> IndicadorIe {
    // Abroad there is no taxpayer of ICMS (rejection 790).
    if nfce || no_exterior(pessoa) {
        return IndicadorIe::NaoContribuinte;
    }
    pessoa
        .indicador_ie
        .unwrap_or_else(|| match pessoa.ie.as_deref().map(str::trim) {
            None | Some("") => IndicadorIe::NaoContribuinte,
            Some(ie) if ie.eq_ignore_ascii_case("isento") => IndicadorIe::Isento,
            Some(_) => IndicadorIe::Contribuinte,
        })
}

fn pelos_cfops(pedido: &Pedido) -> Option<Destino> {
    let cfop = pedido.itens.iter().find_map(|item| item.cfop.as_deref())?;
    match cfop.trim().bytes().next()? {
        b'1' | b'5' => Some(Destino::Interna),
        b'2' | b'6' => Some(Destino::Interestadual),
        b'3' | b'7' => Some(Destino::Exterior),
        _ => None,
    }
}

impl Contexto<'_> {
    /// Where the recipient stands in the request.
    pub fn onde_recebedor(&self) -> Onde<'static> {
        Onde::raiz(self.pedido.recebedor().0)
    }

    /// States the goods leave and reach: on an entry the other party is the
    /// origin.
    pub fn percurso(&self) -> (&'static str, &'static str) {
        match self.operacao {
            TipoOperacao::Saida => (self.uf.sigla, self.uf_destino),
            TipoOperacao::Entrada => (self.uf_destino, self.uf.sigla),
        }
    }

    /// Modal internal rate of a state on the day of emission, percent.
    pub fn icms_interna(&self, uf: &str) -> Option<rust_decimal::Decimal> {
        data::icms::interna(uf, self.dados.dh_emi.date()).map(|interna| interna.aliquota)
    }
}
