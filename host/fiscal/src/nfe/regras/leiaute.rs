//! What the official layout still refuses, told by paths of the request.

use super::caminhos::do_pedido;
use crate::arvore::Elemento;
use crate::campo::Campo;
use crate::layout::{Erro, Layout};
use crate::nfe::montagem::Ambiente;
use crate::nfe::montagem::contexto::Contexto;

/// Writes the document without signature and asks the layout in force on the
/// day of emission.
pub(in crate::nfe) fn leiaute(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    let dia = ctx.dados.dh_emi.date();
    let layout = match ctx.dados.ambiente {
        Ambiente::Producao => Layout::nfe(dia),
        Ambiente::Homologacao => Layout::nfe_homologacao(dia),
    };
    let documento = Elemento::grupo("NFe").filho(raiz.clone());
    let erros = match layout.escrever(&documento) {
        Ok(escrito) => layout.validar(&escrito.xml),
        Err(erros) => erros,
    };
    let recebedor = ctx.pedido.recebedor().0;
    for erro in erros {
        if erro.caminho.starts_with("infNFe") {
            ctx.campos.0.push(campo(erro, recebedor));
        }
    }
}

fn campo(erro: Erro, recebedor: &str) -> Campo {
    Campo {
        campo: do_pedido(&erro.caminho, recebedor),
        codigo: format!("layout_{}", erro.regra),
        mensagem: erro.mensagem,
        correcao: erro.correcao,
        valor: erro.valor,
    }
}
