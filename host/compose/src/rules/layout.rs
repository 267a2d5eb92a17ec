//! What the official layout still refuses, told by paths of the request.

use crate::context::{Contexto, Onde};
use crate::frame::layout_de;
use fiscal::nfe::fields::place_in_request;
use fiscal::nfe::reading::da_operacao;
use markup::field::Campo;
use markup::layout::Erro;
use markup::tree::{Conteudo, Elemento};
use markup::xmldsig::MAX_DOCUMENTO;

/// Longest message of an authorizer, bytes (MOC; second-hand). Not every one
/// holds to it, and it counts what is around the note too: only a warning.
const MENSAGEM: usize = 500 * 1024;

/// Writes the document without signature and asks the layout in force on the
/// day of emission. Gives the tree back, unchanged.
pub(crate) fn layout(ctx: &mut Contexto<'_>, raiz: Elemento) -> Elemento {
    let layout = layout_de(ctx.dados);
    let documento = Elemento::grupo("NFe").filho(raiz);
    let erros = match layout.escrever(&documento) {
        Ok(escrito) => {
            tamanho(ctx, escrito.xml.len());
            let erros = layout.validar_sem_assinatura(&escrito.xml);
            if erros.is_empty() && ctx.pedido.inf_nfe.is_some() {
                sobreposto(ctx, &escrito.xml);
            }
            erros
        }
        Err(erros) => erros,
    };
    let recebedor = ctx.pedido.recebedor().0;
    ctx.campos
        .0
        .extend(erros.into_iter().map(|erro| campo(erro, recebedor)));
    match documento.conteudo {
        Conteudo::Filhos(mut filhos) if filhos.len() == 1 => filhos.remove(0),
        conteudo => Elemento {
            conteudo,
            ..Elemento::grupo("infNFe")
        },
    }
}

/// What the caller's own `inf_nfe` made the note say, held against itself by
/// the rules that check anybody's XML: those of this module see the request.
fn sobreposto(ctx: &mut Contexto<'_>, xml: &str) {
    let Some(inf_nfe) = &ctx.pedido.inf_nfe else {
        return;
    };
    // What was written reads back: nothing to tell if not.
    let Ok(achados) = da_operacao(xml, ctx.dados.dh_emi.date()) else {
        return;
    };
    let recebedor = ctx.pedido.recebedor().0;
    for achado in achados {
        let caminho = achado.caminho.strip_prefix("infNFe/");
        let caminho = caminho.unwrap_or(&achado.caminho);
        let grupo = caminho.split(['/', '[']).next().unwrap_or_default();
        let campo = match inf_nfe.contains_key(grupo) {
            true => format!("inf_nfe.{}", caminho.replace('/', ".")),
            false => in_request(&achado.caminho, recebedor),
        };
        ctx.campos.0.push(Campo {
            campo,
            codigo: format!("rejeicao_{}", achado.codigo),
            mensagem: format!("{} (Rejeição {}.)", achado.mensagem, achado.codigo),
            correcao: achado.correcao,
            valor: achado.valor,
        });
    }
}

/// Texts of 990 items, and what XML makes of their `&` and `<`, add up.
fn tamanho(ctx: &mut Contexto<'_>, bytes: usize) {
    let onde = Onde::raiz("itens");
    let kib = bytes.div_ceil(1024);
    if bytes > MAX_DOCUMENTO {
        ctx.erro(
            onde,
            "documento_grande",
            format!(
                "O XML da nota teria {kib} KB; o limite é {} KB.",
                MAX_DOCUMENTO / 1024
            ),
            "Divida a nota, ou encurte descrições e informações dos itens.",
        );
    } else if bytes > MENSAGEM {
        ctx.aviso(
            onde,
            format!(
                "O XML da nota tem {kib} KB: acima de 500 KB a SEFAZ pode recusar a mensagem (rejeição 214)."
            ),
        );
    }
}

fn campo(erro: Erro, recebedor: &str) -> Campo {
    Campo {
        campo: in_request(&erro.caminho, recebedor),
        codigo: format!("layout_{}", erro.regra),
        mensagem: erro.mensagem,
        correcao: erro.correcao,
        valor: erro.valor,
    }
}

/// The place in the request of an official path; what it has no member for is
/// told under `inf_nfe`, by the official names.
fn in_request(official: &str, recipient: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_request_has_no_member_for_is_told_by_its_official_names() {
        for (official, place) in [
            ("infNFe/det[2]/prod/NCM", "itens[1].ncm"),
            ("infNFe/dest/xNome", "consumidor.nome"),
            ("infNFe/infSolicNFF/xSolic", "inf_nfe.infSolicNFF.xSolic"),
            ("infNFe/avulsa[1]/CNPJ", "inf_nfe.avulsa.CNPJ"),
            ("", "inf_nfe."),
        ] {
            assert_eq!(in_request(official, "consumidor"), place);
        }
    }
}
