//! Operation "cadastro": a taxpayer in the register of a state.

use crate::Chamada;
use crate::answer::cstat::Estado;
use crate::answer::texto;
use crate::content::{self, Cadastro};
use crate::request::mensagem;
use crate::service::Servico;
use sdk::xml::Element;
use sdk::{Conteudo, Failure, Flow, Outcome, Situacao, Success};
use serde_json::{Map, Value, json};

/// Schema of the answer.
const RESPOSTA: &str = "sefaz.cadastro.resposta/1";
/// Version of ConsCad.
const VERSAO: &str = "2.00";
/// Most registrations read from one answer.
const MAX_INSCRICOES: usize = 100;

/// Fields of infCad and their names in the answer.
const CAMPOS: [(&str, &str); 16] = [
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
const ENDERECO: [(&str, &str); 7] = [
    ("xLgr", "logradouro"),
    ("nro", "numero"),
    ("xCpl", "complemento"),
    ("xBairro", "bairro"),
    ("cMun", "codigo_municipio"),
    ("xMun", "municipio"),
    ("CEP", "cep"),
];

pub async fn consultar(flow: &Flow, conteudo: &Conteudo) -> Outcome {
    let pedido: Cadastro = content::ler(conteudo, content::CADASTRO)?;
    let chamada = Chamada::nova(flow)?;
    let pergunta = mensagem("ConsCad", VERSAO, |w| {
        w.group("infCons", &[], |w| {
            w.leaf("xServ", "CONS-CAD");
            w.leaf("UF", &pedido.uf);
            w.optional("IE", pedido.ie.as_deref());
            w.optional("CNPJ", pedido.cnpj.as_deref());
            w.optional("CPF", pedido.cpf.as_deref());
        });
    });
    let retorno = chamada.perguntar(Servico::Cadastro, &pergunta).await?;
    let inf = retorno.raiz().child("infCons").unwrap_or(retorno.raiz());
    let Some(estado) = Estado::de(inf) else {
        return Err(Failure::unexpected("retConsCad sem cStat", retorno.texto()));
    };
    let situacao = match estado.cstat.as_str() {
        // One registration, or several.
        "111" | "112" => Situacao::Consultado,
        // CNPJ, IE or CPF that the register does not have.
        "259" | "261" | "264" => Situacao::NaoEncontrado,
        _ => return Err(estado.falha(&retorno)),
    };
    let inscricoes: Vec<Value> = inf
        .children_named("infCad")
        .take(MAX_INSCRICOES)
        .map(inscricao)
        .collect();
    if situacao == Situacao::Consultado && inscricoes.is_empty() {
        return Err(Failure::unexpected(
            "retConsCad sem infCad",
            retorno.texto(),
        ));
    }
    let resposta = json!({
        "cstat": estado.cstat,
        "motivo": estado.motivo,
        "consultado_em": texto(inf, "dhCons"),
        "inscricoes": inscricoes,
    });
    let mut sucesso = Success::new(situacao);
    sucesso.conteudo = Some(Conteudo {
        schema: RESPOSTA.into(),
        json: resposta.to_string(),
    });
    Ok(sucesso)
}

fn inscricao(inf: &Element) -> Value {
    let mut inscricao = campos(inf, &CAMPOS);
    let endereco = inf
        .child("ender")
        .map(|ender| Value::Object(campos(ender, &ENDERECO)));
    inscricao.insert("endereco".into(), endereco.unwrap_or(Value::Null));
    Value::Object(inscricao)
}

fn campos(elemento: &Element, nomes: &[(&str, &str)]) -> Map<String, Value> {
    nomes
        .iter()
        .map(|(tag, nome)| ((*nome).to_owned(), json!(texto(elemento, tag))))
        .collect()
}
