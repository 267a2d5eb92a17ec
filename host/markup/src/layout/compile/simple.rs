//! Simple types, with what they inherit.

use crate::layout::compile::set::{Conjunto, Parte, XSD};

/// Built-in types the engine can judge.
const EMBUTIDOS: &[&str] = &[
    "string",
    "normalizedString",
    "token",
    "ID",
    "NCName",
    "anyURI",
    "base64Binary",
    "date",
    "dateTime",
    "gYearMonth",
    "boolean",
    "decimal",
    "integer",
    "nonNegativeInteger",
    "positiveInteger",
    "long",
    "int",
    "short",
    "byte",
    "unsignedLong",
    "unsignedInt",
    "unsignedShort",
    "unsignedByte",
];
/// Longest chain of derivations.
const MAX_FUNDO: usize = 16;

/// A simple type down to its built-in base.
#[derive(Clone, Default)]
pub(super) struct Simples {
    /// Name without prefix: `string`.
    pub base: String,
    /// Nearest named type this one restricts, if it is not built in.
    pub pai: Option<(String, String)>,
    espacos: Option<String>,
    /// One per step of derivation: all must fit.
    padroes: Vec<String>,
    valores: Vec<String>,
    /// Facets with one value: name in the table and value.
    limites: Vec<(&'static str, String)>,
}

impl Simples {
    /// A built-in type itself.
    pub fn embutido(nome: &str) -> Result<Simples, String> {
        if !EMBUTIDOS.contains(&nome) {
            return Err(format!("the built-in type {nome} is not supported"));
        }
        Ok(Simples {
            base: nome.to_owned(),
            ..Simples::default()
        })
    }

    /// Fields of the table after the name.
    pub fn campos(&self) -> Vec<String> {
        let mut campos = vec![format!("xs:{}", self.base)];
        if let Some(espacos) = &self.espacos {
            campos.push(format!("espacos={espacos}"));
        }
        for (nome, valor) in &self.limites {
            campos.push(format!("{nome}={valor}"));
        }
        campos.extend(self.padroes.iter().map(|p| format!("padrao={p}")));
        campos.extend(self.valores.iter().map(|v| format!("valor={v}")));
        campos
    }

    fn limite(&mut self, nome: &'static str, valor: &str) {
        match self.limites.iter_mut().find(|(outro, _)| *outro == nome) {
            Some((_, antes)) => *antes = valor.to_owned(),
            None => self.limites.push((nome, valor.to_owned())),
        }
        self.limites.sort_unstable();
    }

    fn faceta(&mut self, nome: &str, valor: &str, passo: &mut Passo) -> Result<(), String> {
        if valor.contains(['\t', '\n', '\r']) {
            return Err(format!("{nome} with a blank that is not a space"));
        }
        match nome {
            "whiteSpace" => {
                let usual = if self.base == "string" {
                    "preserve"
                } else {
                    "collapse"
                };
                self.espacos = (valor != usual).then(|| valor.to_owned());
            }
            "pattern" => passo.padroes.push(valor.to_owned()),
            "enumeration" => passo.valores.push(valor.to_owned()),
            "length" => self.limite("tamanho", valor),
            "minLength" => self.limite("min", valor),
            "maxLength" => self.limite("max", valor),
            "minInclusive" => self.limite("de", valor),
            "maxInclusive" => self.limite("ate", valor),
            "totalDigits" => self.limite("digitos", valor),
            "fractionDigits" => self.limite("decimais", valor),
            _ => return Err(format!("the facet {nome} is not supported")),
        }
        Ok(())
    }
}

/// What one restriction adds.
#[derive(Default)]
struct Passo {
    padroes: Vec<String>,
    valores: Vec<String>,
}

/// The type a `QName` names.
pub(super) fn por_nome(
    conjunto: &Conjunto<'_>,
    parte: Parte<'_>,
    qname: &str,
    fundo: usize,
) -> Result<Simples, String> {
    if fundo > MAX_FUNDO {
        return Err(format!("{qname}: derived too often"));
    }
    let (ns, nome) = conjunto.qname(parte, qname)?;
    if ns == XSD {
        return Simples::embutido(nome);
    }
    let definicao = conjunto.tipo(&ns, nome)?;
    let mut simples =
        de_definicao(conjunto, definicao, fundo + 1).map_err(|erro| format!("{nome}: {erro}"))?;
    simples.pai = Some((ns, nome.to_owned()));
    Ok(simples)
}

/// The type a `simpleType` element defines; its `pai` is what it restricts.
pub(super) fn de_definicao(
    conjunto: &Conjunto<'_>,
    definicao: Parte<'_>,
    fundo: usize,
) -> Result<Simples, String> {
    if fundo > MAX_FUNDO {
        return Err("derived too often".to_owned());
    }
    if definicao.elemento.name() != "simpleType" {
        return Err("a simple type is expected".to_owned());
    }
    let restricao = definicao
        .filho("restriction")
        .ok_or("only restrictions of simple types are supported")?;
    let mut simples = match restricao.atributo("base") {
        Some(base) => por_nome(conjunto, restricao, base, fundo + 1)?,
        None => {
            let dentro = restricao
                .filho("simpleType")
                .ok_or("a restriction of nothing")?;
            de_definicao(conjunto, dentro, fundo + 1)?
        }
    };
    let mut passo = Passo::default();
    for faceta in restricao.filhos() {
        let nome = faceta.elemento.name();
        if nome == "simpleType" {
            continue;
        }
        let valor = faceta.atributo("value").ok_or("a facet without value")?;
        simples.faceta(nome, valor, &mut passo)?;
    }
    // Patterns of one step are alternatives (XSD part 2, §4.3.4.3), those of
    // different steps all hold; enumerations of a step replace inherited ones.
    if !passo.padroes.is_empty() {
        let padrao = passo.padroes.join("|");
        if !simples.padroes.contains(&padrao) {
            simples.padroes.push(padrao);
        }
    }
    if !passo.valores.is_empty() {
        simples.valores = passo.valores;
    }
    Ok(simples)
}
