//! Operation "nao_encerrados": the manifests (MDF-e) of an emitter that
//! nobody closed. They block new ones after some days.

use crate::Call;
use crate::answer::cstat::State;
use crate::content::{self, Open};
use crate::family::MDFE;
use crate::ids;
use crate::request::{message, tp_amb};
use crate::service::Service;
use sdk::{Conteudo, Failure, Flow, Outcome, Situacao, Success};
use serde_json::{Value, json};

/// Schema of the answer.
const ANSWER: &str = "sefaz.nao-encerrados.resposta/1";
/// What the layout calls the service.
const SERVICE: &str = "CONSULTAR NÃO ENCERRADOS";
/// Most manifests read from one answer.
const MAX_ITEMS: usize = 2_000;

pub async fn query(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Open = content::read(content, content::OPEN)?;
    let mut call = Call::fresh(flow, &MDFE)?;
    call.uf = Some(request.uf);
    let question = message(&MDFE, "consMDFeNaoEnc", MDFE.version, |w| {
        w.leaf("tpAmb", tp_amb(flow.ctx()));
        w.leaf("xServ", SERVICE);
        w.optional("CNPJ", request.cnpj.as_deref());
        w.optional("CPF", request.cpf.as_deref());
    });
    let answer = call.ask(Service::Open, &question).await?;
    let root = answer.root();
    let Some(state) = State::of(root) else {
        return Err(Failure::unexpected(
            "retConsMDFeNaoEnc sem cStat",
            answer.text(),
        ));
    };
    // There are some, there is none.
    if !matches!(state.cstat.as_str(), "111" | "112") {
        return Err(state.failure(&answer));
    }
    if root
        .text_at("tpAmb")
        .is_some_and(|said| said != tp_amb(flow.ctx()))
    {
        return Err(Failure::unexpected(
            "manifestos de outro ambiente",
            answer.text(),
        ));
    }
    let items: Vec<Value> = root
        .children_named("infMDFe")
        .take(MAX_ITEMS)
        .filter_map(|inf| {
            let chave = inf.text_at(MDFE.chave).filter(|chave| ids::chave(chave))?;
            let protocol = inf.text_at("nProt").filter(|number| ids::protocol(number));
            Some(json!({ "chave": chave, "protocolo": protocol }))
        })
        .collect();
    if state.cstat == "111" && items.is_empty() {
        return Err(Failure::unexpected("111 sem infMDFe", answer.text()));
    }
    let response = json!({
        "cstat": state.cstat,
        "motivo": state.reason,
        "itens": items,
    });
    let mut success = Success::new(Situacao::Consultado);
    success.conteudo = Some(Conteudo {
        schema: ANSWER.into(),
        json: response.to_string(),
    });
    Ok(success)
}
