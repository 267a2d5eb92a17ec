//! What the official layout still refuses, told by paths of the request.

use super::caminhos::do_pedido;
use crate::arvore::{Conteudo, Elemento};
use crate::campo::Campo;
use crate::layout::Erro;
use crate::nfe::montagem::contexto::Contexto;
use crate::nfe::montagem::layout_de;

/// Writes the document without signature and asks the layout in force on the
/// day of emission. Gives the tree back, unchanged.
pub(in crate::nfe) fn leiaute(ctx: &mut Contexto<'_>, raiz: Elemento) -> Elemento {
    let layout = layout_de(ctx.dados);
    let documento = Elemento::grupo("NFe").filho(raiz);
    let erros = match layout.escrever(&documento) {
        Ok(escrito) => layout.validar_sem_assinatura(&escrito.xml),
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

fn campo(erro: Erro, recebedor: &str) -> Campo {
    Campo {
        campo: do_pedido(&erro.caminho, recebedor),
        codigo: format!("layout_{}", erro.regra),
        mensagem: erro.mensagem,
        correcao: erro.correcao,
        valor: erro.valor,
    }
}
