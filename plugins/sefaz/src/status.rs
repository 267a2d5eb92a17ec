//! Operation "status": does the authorizer work?

use crate::Call;
use crate::answer::cstat::State;
use crate::answer::text;
use crate::content::{self, Status};
use crate::ids;
use crate::request::{message, tp_amb};
use crate::service::Service;
use sdk::{Conteudo, Failure, FieldError, Flow, Outcome, Situacao, Success};
use serde_json::json;

/// Schema of the answer.
const ANSWER: &str = "sefaz.status.resposta/1";

pub async fn status(flow: &Flow, content: &Conteudo) -> Outcome {
    let asked: Status = content::read(content, content::STATUS)?;
    let call = Call::fresh(flow, asked.family()?)?;
    let (ctx, family) = (flow.ctx(), call.family);
    let Some(uf) = ctx.uf.as_deref().and_then(ids::uf_code) else {
        let error = FieldError::new("uf", "obrigatorio", "Informe a UF do emitente.");
        return Err(Failure::invalid_input(vec![error]));
    };
    let request = message(family, family.status, family.version, |w| {
        w.leaf("tpAmb", tp_amb(ctx));
        if family.status_has_uf {
            w.leaf("cUF", &uf.to_string());
        }
        w.leaf("xServ", "STATUS");
    });
    let answer = call.ask(Service::Status, &request).await?;
    let root = answer.root();
    let Some(state) = State::of(root) else {
        return Err(Failure::unexpected("status sem cStat", answer.text()));
    };
    let status = match state.cstat.as_str() {
        "107" => Situacao::EmOperacao,
        // Down, down without forecast; SVC being closed, SVC closed: an
        // answer all the same.
        "108" | "109" | "113" | "114" => Situacao::Consultado,
        _ => return Err(state.failure(&answer)),
    };
    let response = json!({
        "cstat": state.cstat,
        "motivo": state.reason,
        "tempo_medio_s": text(root, "tMed").and_then(|media| media.parse::<u32>().ok()),
        "recebido_em": text(root, "dhRecbto"),
        "retorno_em": text(root, "dhRetorno"),
        "obs": text(root, "xObs"),
    });
    let mut success = Success::new(status);
    success.conteudo = Some(Conteudo {
        schema: ANSWER.into(),
        json: response.to_string(),
    });
    Ok(success)
}
