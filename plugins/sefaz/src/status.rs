//! Operation "status": does the authorizer work?

use crate::Chamada;
use crate::answer::cstat::Estado;
use crate::answer::texto;
use crate::content::{self, Status};
use crate::ids;
use crate::request::{mensagem, tp_amb};
use crate::service::Servico;
use sdk::{Conteudo, Failure, FieldError, Flow, Outcome, Situacao, Success};
use serde_json::json;

/// Schema of the answer.
const RESPOSTA: &str = "sefaz.status.resposta/1";
/// Version of consStatServ.
const VERSAO: &str = "4.00";

pub async fn status(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let Status {} = content::ler(conteudo, content::STATUS)?;
    let chamada = Chamada::nova(flow)?;
    let ctx = flow.ctx();
    let Some(uf) = ctx.uf.as_deref().and_then(ids::codigo_da_sigla) else {
        let erro = FieldError::new("uf", "obrigatorio", "Informe a UF do emitente.");
        return Err(Failure::invalid_input(vec![erro]));
    };
    let pedido = mensagem("consStatServ", VERSAO, |w| {
        w.leaf("tpAmb", tp_amb(ctx));
        w.leaf("cUF", &uf.to_string());
        w.leaf("xServ", "STATUS");
    });
    let retorno = chamada.perguntar(Servico::Status, &pedido).await?;
    let raiz = retorno.raiz();
    let Some(estado) = Estado::de(raiz) else {
        return Err(Failure::unexpected(
            "retConsStatServ sem cStat",
            retorno.texto(),
        ));
    };
    let situacao = match estado.cstat.as_str() {
        "107" => Situacao::EmOperacao,
        // Down, down without forecast; SVC being closed, SVC closed: an
        // answer all the same.
        "108" | "109" | "113" | "114" => Situacao::Consultado,
        _ => return Err(estado.falha(&retorno)),
    };
    let resposta = json!({
        "cstat": estado.cstat,
        "motivo": estado.motivo,
        "tempo_medio_s": texto(raiz, "tMed").and_then(|media| media.parse::<u32>().ok()),
        "recebido_em": texto(raiz, "dhRecbto"),
        "retorno_em": texto(raiz, "dhRetorno"),
        "obs": texto(raiz, "xObs"),
    });
    let mut sucesso = Success::new(situacao);
    sucesso.conteudo = Some(Conteudo {
        schema: RESPOSTA.into(),
        json: resposta.to_string(),
    });
    Ok(sucesso)
}
