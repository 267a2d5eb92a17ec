//! What fills the fields of the elements a system adds to the model's messages.

use rps::Fields;
use rps::amounts::{Assessed, assess};
use sdk::nfse::Dps;
use sdk::xml::escape_text;
use sdk::{Context, Decimal, Encoding, Failure, Mensagem, host};
use serde_json::Value;

/// A text with its fields.
#[derive(Debug, PartialEq, Eq)]
pub enum Filled {
    Text(String),
    /// A field is not there.
    Absent,
    /// A field the system demands is not there, or its word has no code.
    Missing(Missing),
}

/// A field the system demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub field: String,
    /// It is there, but its word has no code here.
    pub uncoded: bool,
}

/// Prefix of the secrets among the fields.
const SECRET: &str = "segredo.";

/// What fills the fields of an addition.
pub struct Source<'s> {
    content: Value,
    ctx: &'s Context,
}

impl<'s> Source<'s> {
    /// The content of a call, as JSON, and its context.
    pub fn new(json: &str, ctx: &'s Context) -> Self {
        let content = serde_json::from_str(json).unwrap_or_default();
        Source { content, ctx }
    }

    /// A text with its fields, as markup.
    ///
    /// # Errors
    /// The customer has not given a secret.
    pub fn fill(&self, text: &str) -> Result<Filled, Failure> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, tail)) = after.split_once('}') else {
                return Ok(Filled::Absent);
            };
            out.push_str(before);
            rest = tail;
            if inside.trim_start_matches('!').starts_with(['=', '@']) {
                // Of the message or of the note: they are not there yet.
                out.push_str(&format!("{{{inside}}}"));
                continue;
            }
            let demanded = inside.strip_prefix('!');
            let inside = demanded.unwrap_or(inside);
            let (path, codes) = inside.split_once(':').unwrap_or((inside, ""));
            let found = self.value(path)?;
            let uncoded = found.is_some();
            match found.and_then(|value| coded(value, codes)) {
                Some(value) if path.starts_with(SECRET) => out.push_str(&value),
                // A brace of the customer's text is no field.
                Some(value) => out.push_str(&escape_text(&value).replace('{', "&#123;")),
                None if demanded.is_some() => {
                    let field = path.to_owned();
                    return Ok(Filled::Missing(Missing { field, uncoded }));
                }
                None => return Ok(Filled::Absent),
            }
        }
        out.push_str(rest);
        Ok(Filled::Text(out))
    }

    /// `servico.codigo_nbs` of the content; `emitente.documento`,
    /// `emitente.inscricao_municipal`, `emitente.razao_social`,
    /// `municipio.codigo` and `municipio.uf` of the call; `segredo.senha`;
    /// `retencao_pis_cofins`; `calculado.base` and `calculado.liquido` of a
    /// declaration.
    fn value(&self, path: &str) -> Result<Option<String>, Failure> {
        if let Some(name) = path.strip_prefix(SECRET) {
            // A placeholder: the host writes the value while it sends.
            return match host::secret(name, Encoding::XmlText) {
                Some(placeholder) => Ok(Some(placeholder)),
                None => Err(Failure::credentials(vec![Mensagem::new(
                    "",
                    &format!("A prefeitura exige a credencial {name} do webservice."),
                )])),
            };
        }
        let municipality = self.ctx.municipio.as_ref();
        Ok(match path {
            "emitente.documento" => Some(self.ctx.emitente.documento.clone()),
            "emitente.inscricao_municipal" => self.ctx.emitente.inscricao_municipal.clone(),
            "emitente.razao_social" => Some(self.ctx.emitente.razao_social.clone()),
            "municipio.codigo" => municipality.map(|city| format!("{:07}", city.codigo)),
            "municipio.uf" => municipality.map(|city| city.uf.clone()),
            "retencao_pis_cofins" => Some(self.withholding()),
            "calculado.base" => self.assessed(|assessed| assessed.base),
            "calculado.liquido" => self.assessed(|assessed| assessed.net),
            "homologacao" => Some((!self.ctx.in_production()).to_string()),
            _ => self.field(path),
        })
    }

    /// An amount that the layouts ask for; None: the content is no declaration.
    fn assessed(&self, amount: impl Fn(&Assessed) -> Decimal) -> Option<String> {
        let dps: Dps = serde_json::from_value(self.content.clone()).ok()?;
        // What is wrong with the amounts the message itself tells.
        amount(&assess(&dps.valores, &mut Fields::default())).fixed(2)
    }

    fn field(&self, path: &str) -> Option<String> {
        let mut names = path.split('.');
        let value = names.try_fold(&self.content, |value, name| value.get(name))?;
        match value {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(yes) => Some(yes.to_string()),
            _ => None,
        }
    }

    /// The code given for the PIS, COFINS and CSLL withheld, or the one of the
    /// amounts (`tpRetPisCofins` of the national layout, NT 007).
    fn withholding(&self) -> String {
        let of = |name: &str| self.field(&format!("valores.retencoes.{name}"));
        if let Some(given) = of("tipo_retencao_pis_cofins") {
            return given;
        }
        let positive = |name: &str| {
            let amount = of(name).and_then(|text| text.parse::<Decimal>().ok());
            amount.is_some_and(|amount| !amount.is_zero())
        };
        let code = match (positive("pis"), positive("cofins"), positive("csll")) {
            (false, false, false) => "0",
            (true, true, true) => "3",
            (true, true, false) => "4",
            (true, false, false) => "5",
            (false, true, false) => "6",
            (false, true, true) => "7",
            (false, false, true) => "8",
            (true, false, true) => "9",
        };
        code.to_owned()
    }
}

/// The code of a word; without codes the word itself.
pub fn coded(word: String, codes: &str) -> Option<String> {
    if codes.is_empty() {
        return Some(word);
    }
    let pairs = codes.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(word, code)| (word.trim(), code.trim()))
        .find(|(known, _)| *known == word)
        .map(|(_, code)| code.to_owned())
}
