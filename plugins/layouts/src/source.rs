//! The values of a call, by the names of `names.rs`.

use crate::names::CALCULATED;
use crate::template::{Source, Value};
use rps::amounts::{self, Assessed, assess};
use rps::{Fields, Learnt, Question, tax};
use sdk::nfse::{Dps, Field, Identificacao, NotaRef, Pessoa, TipoPessoa, find};
use sdk::{Context, Decimal};

/// A call: its context, what it is about, and what the registry says.
pub struct Call<'c> {
    pub ctx: &'c Context,
    pub question: &'c Question<'c>,
    pub variants: &'c [String],
    /// The finished message, in the templates of the request.
    message: Option<&'c str>,
    /// Name of the operation there.
    operation: &'c str,
    /// What the flow has learnt.
    learnt: Learnt<'c>,
    /// Signature of the text that is signed by itself.
    signature: String,
    assessed: Option<Assessed>,
}

impl<'c> Call<'c> {
    /// A call; problems of its amounts go to `fields`.
    pub fn new(
        ctx: &'c Context,
        question: &'c Question<'c>,
        variants: &'c [String],
        fields: &mut Fields,
    ) -> Self {
        let mut call = Call {
            ctx,
            question,
            variants,
            message: None,
            operation: "",
            learnt: Learnt::default(),
            signature: String::new(),
            assessed: None,
        };
        call.assessed = call.dps().map(|dps| assess(&dps.valores, fields));
        call
    }

    /// The same call for the templates of its request.
    #[must_use]
    pub fn with_message(mut self, message: &'c str, operation: &'c str) -> Self {
        self.message = Some(message);
        self.operation = operation;
        self
    }

    /// The same call with what the flow has learnt.
    #[must_use]
    pub fn with_learnt(mut self, learnt: Learnt<'c>) -> Self {
        self.learnt = learnt;
        self
    }

    /// The same call with the signature of its text.
    #[must_use]
    pub fn with_signature(mut self, signature: String) -> Self {
        self.signature = signature;
        self
    }

    fn dps(&self) -> Option<&Dps> {
        match self.question {
            Question::Issue(dps) | Question::Replace(dps, _) => Some(dps),
            _ => None,
        }
    }

    fn nota(&self) -> Option<&NotaRef> {
        match self.question {
            Question::Replace(_, nota) | Question::ByNota(nota) => Some(nota),
            Question::Cancel(cancellation) => Some(&cancellation.documento),
            _ => None,
        }
    }

    /// Series and number of the RPS.
    fn rps(&self) -> Option<(&str, u64)> {
        let of = |rps: &'c Identificacao| (rps.serie.as_str(), rps.numero);
        match *self.question {
            Question::Issue(dps) | Question::Replace(dps, _) => Some(of(&dps.identificacao)),
            Question::ByRps(rps) => Some((rps.serie.as_str(), rps.number)),
            Question::ByNota(nota) => nota.rps.as_ref().map(of),
            Question::Cancel(cancellation) => cancellation.documento.rps.as_ref().map(of),
            Question::Status(_) | Question::Batch(_) => {
                let rps = self.learnt.rps?;
                Some((rps.serie.as_str(), rps.number))
            }
        }
    }

    /// The moment that the declaration names.
    fn emitted_at(&self) -> Option<&str> {
        match self.question {
            Question::Issue(dps) | Question::Replace(dps, _) => Some(dps.data_emissao.as_str()),
            Question::ByRps(rps) => rps.emitted_at.as_deref(),
            Question::ByNota(nota) => nota.emitida_em.as_deref(),
            Question::Cancel(cancellation) => cancellation.documento.emitida_em.as_deref(),
            Question::Status(_) | Question::Batch(_) => self.learnt.rps?.emitted_at.as_deref(),
        }
    }

    fn of_call(&self, name: &str) -> Option<Value> {
        let emitter = &self.ctx.emitente;
        let municipality = self.ctx.municipio.as_ref();
        let extra = |name: &str| self.ctx.extra(name);
        let found = match name {
            "agora" => Some(self.ctx.now.clone()),
            "assinatura" => Some(self.signature.clone()),
            "basico" => return Some(Value::BasicAuth),
            "fluxo" => Some(self.ctx.flow.clone()),
            "mensagem" => return self.message.map(|text| Value::Document(text.to_owned())),
            "operacao" => Some(self.operation.to_owned()),
            "emitente.documento" => Some(emitter.documento.clone()),
            "emitente.razao_social" => Some(emitter.razao_social.clone()),
            "emitente.inscricao_municipal" => emitter.inscricao_municipal.clone(),
            "emitente.inscricao_estadual" => emitter.inscricao_estadual.clone(),
            "emitente.bairro" => extra("bairro").map(str::to_owned),
            "emitente.cep" => extra("cep").map(str::to_owned),
            "emitente.complemento" => extra("complemento").map(str::to_owned),
            "emitente.logradouro" => extra("logradouro").map(str::to_owned),
            "emitente.numero" => extra("numero").map(str::to_owned),
            "emitente.cnae" => extra("cnae").map(str::to_owned),
            "emitente.email" => extra("email").map(str::to_owned),
            "emitente.nome_fantasia" => extra("nome_fantasia").map(str::to_owned),
            "emitente.telefone" => extra("telefone").map(str::to_owned),
            "municipio.ibge" => municipality.map(|m| format!("{:07}", m.codigo)),
            "municipio.nome" => municipality.map(|m| m.nome.clone()),
            "municipio.uf" => municipality.map(|m| m.uf.clone()),
            "municipio.tom" => municipality.and_then(|m| {
                let known = crate::tom::code(&format!("{:07}", m.codigo));
                m.codigo_tom.clone().or_else(|| known.map(str::to_owned))
            }),
            "rps.numero" => self
                .rps()
                .filter(|(_, number)| *number > 0)
                .map(|(_, number)| number.to_string()),
            "rps.serie" => self.rps().map(|(serie, _)| serie.to_owned()),
            "rps.emitido_em" => self.emitted_at().map(str::to_owned),
            "sessao" => self.learnt.session.map(str::to_owned),
            _ => None,
        };
        found.map(Value::Text)
    }

    fn of_reference(&self, name: &str) -> Option<Value> {
        let nota = self.nota();
        let shown = self.learnt.nota;
        let found = match (name, self.question) {
            ("nota.serie", _) => shown?.documento.serie.clone(),
            ("nota.valor", _) => return Some(Value::Decimal(shown?.value?)),
            ("nota", _) => return nota.map(|_| Value::Group),
            ("nota.numero", _) => nota?.numero.clone(),
            ("nota.chave", _) => nota?.chave.clone(),
            ("nota.codigo_verificacao", _) => nota?.codigo_verificacao.clone(),
            ("nota.emitida_em", _) => nota?.emitida_em.clone(),
            ("nota.rps.numero", _) => nota?.rps.as_ref().map(|rps| rps.numero.to_string()),
            ("nota.rps.serie", _) => nota?.rps.as_ref().map(|rps| rps.serie.clone()),
            ("protocolo", Question::Status(protocol) | Question::Batch(protocol)) => {
                Some((*protocol).to_owned())
            }
            ("protocolo", _) => nota?.protocolo.clone(),
            ("codigo_motivo", Question::Cancel(cancellation)) => {
                Some(cancellation.codigo_motivo.word().to_owned())
            }
            ("justificativa", Question::Cancel(cancellation)) => {
                Some(cancellation.justificativa.clone())
            }
            _ => None,
        };
        found.map(Value::Text)
    }

    fn calculated(&self, name: &str) -> Option<Value> {
        let dps = self.dps()?;
        let assessed = self.assessed.as_ref()?;
        let values = &dps.valores;
        let iss = values.iss.clone().unwrap_or_default();
        let item = || tax::item_parts(&dps.servico);
        let exigibility = tax::exigibility(&iss);
        let is_withheld = amounts::withheld(values);
        let city = dps.codigo_municipio_emissor.as_str();
        Some(match name {
            "calculado.base" => Value::Decimal(assessed.base),
            "calculado.deducoes" => Value::Decimal(assessed.deductions),
            "calculado.liquido" => Value::Decimal(assessed.net),
            "calculado.iss" => Value::Decimal(assessed.iss?),
            "calculado.iss_retido" => Value::Decimal(assessed.iss.filter(|_| is_withheld)?),
            "calculado.retencoes" => Value::Decimal(amounts::federal(values)),
            "calculado.tributos" => Value::Decimal(amounts::taxes(values)?),
            "calculado.retido" => Value::Flag(is_withheld),
            "calculado.simples" => Value::Flag(tax::simples(dps)),
            "calculado.fora_do_municipio" => Value::Flag(tax::outside_city(dps)),
            "calculado.exigibilidade" => Value::Text(exigibility.word().to_owned()),
            "calculado.incidencia" => {
                Value::Text(tax::incidence_municipality(dps, exigibility)?.to_owned())
            }
            "calculado.prestacao" => {
                let given = dps.servico.codigo_municipio_prestacao.as_deref();
                Value::Text(given.unwrap_or(city).to_owned())
            }
            "calculado.prestacao_fora" => {
                let given = dps.servico.codigo_municipio_prestacao.as_deref();
                let abroad = dps.servico.codigo_pais_prestacao.is_some();
                Value::Flag(abroad || given.is_some_and(|given| given != city))
            }
            "calculado.item" => Value::Text(format!("{:02}", item()?.0)),
            "calculado.subitem" => Value::Text(format!("{:02}", item()?.1)),
            "calculado.descricao" => Value::Text(description(dps)),
            "calculado.pessoa" => Value::Text(person(dps.tomador.as_ref()).to_owned()),
            "calculado.tomador_no_municipio" => {
                let address = dps.tomador.as_ref()?.endereco.as_ref()?;
                Value::Flag(address.codigo_ibge.as_deref() == Some(city))
            }
            _ => return None,
        })
    }

    fn of_content(&self, name: &str) -> Option<Value> {
        let dps = self.dps()?;
        match find(dps, name) {
            Field::Text(text) => Some(Value::Text(text.to_owned())),
            Field::Word(word) => Some(Value::Text(word.to_owned())),
            Field::Decimal(value) => Some(Value::Decimal(value)),
            Field::Whole(number) => Some(Value::Text(number.to_string())),
            Field::Flag(yes) => Some(Value::Flag(yes)),
            Field::Object(_) => Some(Value::Group),
            Field::Texts(list) if !list.is_empty() => Some(Value::Group),
            Field::List(list) if !list.is_empty() => Some(Value::Group),
            Field::Texts(_) | Field::List(_) | Field::Absent => None,
        }
    }
}

/// Text of the service with the complementary information after it.
fn description(dps: &Dps) -> String {
    let more = dps.informacoes_complementares.as_deref();
    let parts = [Some(dps.servico.descricao.as_str()), more];
    let parts: Vec<&str> = parts
        .into_iter()
        .flatten()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(" ")
}

/// What the taker is: by kind, else by the length of its document.
fn person(person: Option<&Pessoa>) -> &'static str {
    let Some(person) = person else {
        return "nao_identificado";
    };
    let documento = person.cpf_cnpj.as_deref().map_or(0, |d| d.trim().len());
    match (person.tipo, documento) {
        (TipoPessoa::Exterior, _) => "exterior",
        (TipoPessoa::NaoIdentificado, _) | (_, 0) => "nao_identificado",
        (_, 11) => "fisica",
        _ => "juridica",
    }
}

impl Source for Call<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        if let Some(variant) = name.strip_prefix("variante.") {
            return Some(Value::Flag(self.variants.iter().any(|v| v == variant)));
        }
        if let Some(option) = name.strip_prefix("opcao.") {
            return self
                .ctx
                .option(option)
                .map(|text| Value::Text(text.to_owned()));
        }
        if let Some(secret) = name.strip_prefix("segredo.") {
            return Some(Value::Secret(secret.to_owned()));
        }
        if name == "producao" {
            return Some(Value::Flag(self.ctx.in_production()));
        }
        self.of_call(name)
            .or_else(|| self.of_reference(name))
            .or_else(|| self.calculated(name))
            .or_else(|| self.of_content(name))
    }

    fn path(&self, name: &str) -> String {
        if let Some((.., path)) = CALCULATED.iter().find(|(known, ..)| *known == name) {
            return (*path).to_owned();
        }
        let of_declaration = self.dps().is_some();
        match name.split_once('.') {
            Some(("rps", field)) if of_declaration => format!("identificacao.{field}"),
            Some(("rps", field)) => format!("rps.{field}"),
            Some(("nota", "numero")) if of_declaration => "substitui.numero_nfse".to_owned(),
            Some(("nota", field)) => format!("documento.{field}"),
            Some(("municipio", _)) => "municipio".to_owned(),
            _ => name.to_owned(),
        }
    }
}

/// Nothing of a call: what conditions over the registry's options see.
pub struct Registry<'c> {
    pub ctx: &'c Context,
    pub variants: &'c [String],
}

impl Source for Registry<'_> {
    fn value(&self, name: &str) -> Option<Value> {
        if let Some(variant) = name.strip_prefix("variante.") {
            return Some(Value::Flag(self.variants.iter().any(|v| v == variant)));
        }
        if let Some(option) = name.strip_prefix("opcao.") {
            let text = self.ctx.option(option)?;
            return Some(Value::Text(text.to_owned()));
        }
        (name == "producao").then(|| Value::Flag(self.ctx.in_production()))
    }

    fn path(&self, name: &str) -> String {
        name.to_owned()
    }
}

/// A decimal as systems write it: with comma or point, with or without
/// thousands.
pub fn amount(text: &str) -> Option<Decimal> {
    let text = text.trim().trim_start_matches("R$").trim();
    if text.contains(',') {
        return text.replace('.', "").replace(',', ".").parse().ok();
    }
    text.parse().ok()
}
