//! The messages that issue: single, batch and substitution.

use super::rps100;
use super::tags::Tags;
use crate::message::fields::Campos;
use crate::message::{cancellation, declaration, provider, signature};
use crate::options::Opcoes;
use crate::service::Servico;
use crate::version::Versao;
use sdk::nfse::{Dps, NotaRef};
use sdk::{Context, Emitente, Failure};

/// Ids inside one message. Letters first, as an XML id wants; the number of
/// the RPS keeps them apart in the city's records.
pub struct Ids {
    pub rps: String,
    pub lote: String,
    pub cancelamento: String,
    pub substituicao: String,
}

impl Ids {
    pub fn do_rps(numero: u64) -> Self {
        Ids {
            rps: format!("rps{numero}"),
            lote: format!("lote{numero}"),
            cancelamento: format!("canc{numero}"),
            substituicao: format!("subs{numero}"),
        }
    }
}

/// The message of an emission, signed. `substituida` only with
/// [`Servico::Substituir`].
///
/// # Errors
/// The content does not fit the layout, or nothing can be signed.
pub fn montar(
    opcoes: &Opcoes,
    ctx: &Context,
    dps: &Dps,
    servico: Servico,
    substituida: Option<&NotaRef>,
) -> Result<String, Failure> {
    let mut campos = Campos::default();
    recusar(opcoes, dps, &mut campos);
    let ids = Ids::do_rps(dps.identificacao.numero);
    let mut t = Tags::raiz(opcoes, &servico.envio());
    let corpo = Corpo {
        opcoes,
        emitente: &ctx.emitente,
        dps,
        ids: &ids,
    };
    match servico {
        Servico::Gerar => t.grupo_mensagem("Rps", &[], |t| corpo.rps(t, &mut campos)),
        Servico::Substituir => {
            let padrao = NotaRef::default();
            let nota = substituida.unwrap_or(&padrao);
            let atributos = [(opcoes.atributo_id.as_str(), ids.substituicao.as_str())];
            t.grupo_mensagem("SubstituicaoNfse", &atributos, |t| {
                t.grupo_mensagem("Pedido", &[], |t| {
                    // 1, wrong emission: the model has no code for a substitution.
                    cancellation::pedido(t, opcoes, ctx, nota, "1", &ids.cancelamento, &mut campos);
                });
                t.grupo_mensagem("Rps", &[], |t| corpo.rps(t, &mut campos));
            });
        }
        _ => corpo.lote(&mut t, &mut campos),
    }
    let mut xml = campos.resultado(t.fim())?;
    if servico == Servico::Substituir && opcoes.assina.cancelamento {
        xml = signature::elemento(opcoes, &xml, &ids.cancelamento)?;
    }
    if opcoes.assina.rps {
        xml = signature::elemento(opcoes, &xml, &ids.rps)?;
    }
    if opcoes.assina.lote {
        xml = match servico {
            Servico::Gerar => xml,
            Servico::Substituir => signature::elemento(opcoes, &xml, &ids.substituicao)?,
            _ => signature::elemento(opcoes, &xml, &ids.lote)?,
        };
    }
    Ok(xml)
}

/// What no version of the model can say, although it would change the note.
fn recusar(opcoes: &Opcoes, dps: &Dps, campos: &mut Campos) {
    if dps.inf_dps.as_ref().is_some_and(|mapa| !mapa.is_empty()) {
        campos.erro(
            "inf_dps",
            "sem_equivalente",
            "Esta prefeitura não usa o leiaute nacional: inf_dps não se aplica.",
        );
    }
    if dps.identificacao.numero == 0 {
        campos.erro(
            "identificacao.numero",
            "formato",
            "O número do RPS começa em 1.",
        );
    }
    if dps.evento.is_some() && opcoes.versao < Versao::V204 {
        campos.erro(
            "evento",
            "sem_equivalente",
            "O leiaute da prefeitura não tem o grupo de evento.",
        );
    }
}

struct Corpo<'a> {
    opcoes: &'a Opcoes,
    emitente: &'a Emitente,
    dps: &'a Dps,
    ids: &'a Ids,
}

impl Corpo<'_> {
    fn rps(&self, t: &mut Tags, campos: &mut Campos) {
        let escrever = if self.opcoes.versao.primeira() {
            rps100::escrever
        } else {
            declaration::escrever
        };
        escrever(t, self.opcoes, self.emitente, self.dps, self.ids, campos);
    }

    /// A batch of one: what fails then fails for one note only. It has the
    /// number of its RPS.
    fn lote(&self, t: &mut Tags, campos: &mut Campos) {
        let opcoes = self.opcoes;
        let versao = opcoes.versao;
        let mut atributos = vec![(opcoes.atributo_id.as_str(), self.ids.lote.as_str())];
        if opcoes.versao_lote {
            atributos.push(("versao", opcoes.versao_cabecalho.as_str()));
        }
        t.grupo_mensagem("LoteRps", &atributos, |t| {
            t.folha("NumeroLote", &self.dps.identificacao.numero.to_string());
            if versao >= Versao::V204 {
                t.grupo("Prestador", &[], |t| {
                    provider::identificacao(t, versao, self.emitente, campos);
                });
            } else {
                provider::identificacao(t, versao, self.emitente, campos);
                // The only place where the schema of 1.00 demands it.
                if versao.primeira() {
                    let im = self.emitente.inscricao_municipal.as_deref();
                    campos.texto("emitente.inscricao_municipal", im, 15);
                }
            }
            t.folha("QuantidadeRps", "1");
            t.grupo("ListaRps", &[], |t| {
                t.grupo("Rps", &[], |t| self.rps(t, campos));
            });
        });
    }
}
