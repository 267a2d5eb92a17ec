//! Operation "cadastro": a taxpayer in the register of a state.

use crate::Call;
use crate::answer::cstat::State;
use crate::answer::text;
use crate::content::{self, Registration};
use crate::family;
use crate::request::message;
use crate::service::Service;
use sdk::xml::Element;
use sdk::{Conteudo, Failure, Flow, Outcome, Situacao, Success};
use serde_json::{Map, Value, json};

/// Schema of the answer.
const ANSWER: &str = "sefaz.cadastro.resposta/1";
/// Version of ConsCad.
const VERSION: &str = "2.00";
/// Most registrations read from one answer.
const MAX_REGISTRATIONS: usize = 100;

/// Fields of infCad and their names in the answer.
const FIELDS: [(&str, &str); 16] = [
    ("IE", "ie"),
    ("CNPJ", "cnpj"),
    ("CPF", "cpf"),
    ("UF", "uf"),
    ("cSit", "situacao"),
    ("indCredNFe", "credenciamento_nfe"),
    ("indCredCTe", "credenciamento_cte"),
    ("xNome", "nome"),
    ("xFant", "fantasia"),
    ("xRegApur", "regime"),
    ("CNAE", "cnae"),
    ("dIniAtiv", "inicio_atividade"),
    ("dUltSit", "ultima_situacao"),
    ("dBaixa", "baixa"),
    ("IEUnica", "ie_unica"),
    ("IEAtual", "ie_atual"),
];

/// Fields of infCad/ender.
const ADDRESS: [(&str, &str); 7] = [
    ("xLgr", "logradouro"),
    ("nro", "numero"),
    ("xCpl", "complemento"),
    ("xBairro", "bairro"),
    ("cMun", "codigo_municipio"),
    ("xMun", "municipio"),
    ("CEP", "cep"),
];

pub async fn query(flow: &Flow, content: &Conteudo) -> Outcome {
    let request: Registration = content::read(content, content::REGISTRATION)?;
    let call = Call::fresh(flow, &family::NFE)?;
    let question = message(&family::NFE, "ConsCad", VERSION, |w| {
        w.group("infCons", &[], |w| {
            w.leaf("xServ", "CONS-CAD");
            w.leaf("UF", &request.uf);
            w.optional("IE", request.ie.as_deref());
            w.optional("CNPJ", request.cnpj.as_deref());
            w.optional("CPF", request.cpf.as_deref());
        });
    });
    let answer = call.ask(Service::Registration, &question).await?;
    let inf = answer.root().child("infCons").unwrap_or(answer.root());
    let Some(state) = State::of(inf) else {
        return Err(Failure::unexpected("retConsCad sem cStat", answer.text()));
    };
    let status = match state.cstat.as_str() {
        // One registration, or several.
        "111" | "112" => Situacao::Consultado,
        // CNPJ, IE or CPF that the register does not have.
        "259" | "261" | "264" => Situacao::NaoEncontrado,
        _ => return Err(state.failure(&answer)),
    };
    let registrations: Vec<Value> = inf
        .children_named("infCad")
        .take(MAX_REGISTRATIONS)
        .map(registration)
        .collect();
    if status == Situacao::Consultado && registrations.is_empty() {
        return Err(Failure::unexpected("retConsCad sem infCad", answer.text()));
    }
    let response = json!({
        "cstat": state.cstat,
        "motivo": state.reason,
        "consultado_em": text(inf, "dhCons"),
        "inscricoes": registrations,
    });
    let mut success = Success::new(status);
    success.conteudo = Some(Conteudo {
        schema: ANSWER.into(),
        json: response.to_string(),
    });
    Ok(success)
}

fn registration(inf: &Element) -> Value {
    let mut registration = fields(inf, &FIELDS);
    let address = inf
        .child("ender")
        .map(|ender| Value::Object(fields(ender, &ADDRESS)));
    registration.insert("endereco".into(), address.unwrap_or(Value::Null));
    Value::Object(registration)
}

fn fields(element: &Element, names: &[(&str, &str)]) -> Map<String, Value> {
    names
        .iter()
        .map(|(tag, name)| ((*name).to_owned(), json!(text(element, tag))))
        .collect()
}
