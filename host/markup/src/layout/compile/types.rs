//! Elements and complex types to lines of the table.

use super::Receita;
use crate::layout::compile::output::Saida;
use crate::layout::compile::set::{Conjunto, Parte, XSD};
use crate::layout::compile::simple::{self, Simples};
use crate::xmldsig::DSIG_NAMESPACE;

/// Deepest nesting of types.
const MAX_FUNDO: usize = 48;

/// Writes every global element of the set, and what it needs.
pub(super) fn elementos_globais(
    conjunto: &Conjunto<'_>,
    receita: &Receita,
    saida: &mut Saida,
) -> Result<(), String> {
    let compilador = Compilador { conjunto, receita };
    let conhecido = |ns: &str| ns == receita.namespace || ns == DSIG_NAMESPACE;
    if let Some((ns, nome)) = conjunto.tipos().find(|(ns, _)| !conhecido(ns)) {
        return Err(format!(
            "{nome} is in the namespace {ns:?}, not the layout's"
        ));
    }
    for (ns, nome) in conjunto.elementos() {
        let elemento = conjunto.elemento(ns, nome)?;
        let tipo = compilador.tipo_do_elemento(elemento, saida, 0)?;
        let nome = saida.qname(ns, nome);
        saida.raiz(&nome, &tipo);
    }
    for (nome, tipo) in receita.raizes {
        let Some((ns, _)) = conjunto.tipos().find(|(_, outro)| outro == tipo) else {
            continue;
        };
        let ns = ns.to_owned();
        let referencia = compilador.tipo_nomeado(&ns, tipo, saida, 0)?;
        let nome = saida.qname(&ns, nome);
        saida.raiz(&nome, &referencia);
    }
    compilador.derivados(saida)
}

struct Compilador<'c, 't> {
    conjunto: &'c Conjunto<'t>,
    receita: &'c Receita,
}

impl Compilador<'_, '_> {
    /// Named simple types that restrict one in the table: an `xsi:type` may name them.
    fn derivados(&self, saida: &mut Saida) -> Result<(), String> {
        let tipos: Vec<(String, String)> = self
            .conjunto
            .tipos()
            .map(|(ns, nome)| (ns.to_owned(), nome.to_owned()))
            .collect();
        loop {
            let mut cresceu = false;
            for (ns, nome) in &tipos {
                let definicao = self.conjunto.tipo(ns, nome)?;
                let qname = saida.qname(ns, nome);
                if definicao.elemento.name() != "simpleType" || saida.tem(&qname) {
                    continue;
                }
                let simples = simple::de_definicao(self.conjunto, definicao, 0)?;
                let Some((pai_ns, pai)) = &simples.pai else {
                    continue;
                };
                if saida.tem(&saida.qname(pai_ns, pai)) {
                    self.tipo_nomeado(ns, nome, saida, 0)?;
                    cresceu = true;
                }
            }
            if !cresceu {
                return Ok(());
            }
        }
    }

    fn tipo_nomeado(
        &self,
        ns: &str,
        nome: &str,
        saida: &mut Saida,
        fundo: usize,
    ) -> Result<String, String> {
        if ns == XSD {
            Simples::embutido(nome)?;
            return Ok(format!("xs:{nome}"));
        }
        let definicao = self.conjunto.tipo(ns, nome)?;
        let sugestao = saida.qname(ns, nome);
        self.tipo(definicao, &sugestao, Vec::new(), saida, fundo + 1)
            .map_err(|erro| format!("{nome}: {erro}"))
    }

    /// Type of a local or global element declaration.
    fn tipo_do_elemento(
        &self,
        elemento: Parte<'_>,
        saida: &mut Saida,
        fundo: usize,
    ) -> Result<String, String> {
        let nome = elemento.atributo("name").ok_or("an element without name")?;
        for proibido in [
            "nillable",
            "abstract",
            "substitutionGroup",
            "fixed",
            "default",
        ] {
            if elemento.atributo(proibido).is_some() {
                return Err(format!("{nome}: {proibido} is not supported"));
            }
        }
        let mut unicos = Vec::new();
        for filho in elemento.filhos() {
            match filho.elemento.name() {
                "unique" => unicos.push(unico(filho).map_err(|e| format!("{nome}: {e}"))?),
                "simpleType" | "complexType" => {}
                outro => return Err(format!("{nome}: {outro} is not supported")),
            }
        }
        let anonimo = elemento
            .filho("complexType")
            .or_else(|| elemento.filho("simpleType"));
        let tipo = match (anonimo, elemento.atributo("type")) {
            (Some(definicao), None) => self.tipo(definicao, nome, unicos, saida, fundo + 1),
            (None, Some(qname)) => {
                let (ns, tipo) = self.conjunto.qname(elemento, qname)?;
                if unicos.is_empty() {
                    self.tipo_nomeado(&ns, tipo, saida, fundo)
                } else {
                    let definicao = self.conjunto.tipo(&ns, tipo)?;
                    self.tipo(definicao, nome, unicos, saida, fundo + 1)
                }
            }
            _ => Err("an element with no type or two".to_owned()),
        };
        tipo.map_err(|erro| format!("{nome}: {erro}"))
    }

    /// Writes a type and gives the name it has in the table.
    fn tipo(
        &self,
        definicao: Parte<'_>,
        sugestao: &str,
        unicos: Vec<String>,
        saida: &mut Saida,
        fundo: usize,
    ) -> Result<String, String> {
        if fundo > MAX_FUNDO {
            return Err("types are nested too deeply".to_owned());
        }
        if definicao.elemento.name() == "simpleType" {
            let simples = simple::de_definicao(self.conjunto, definicao, 0)?;
            return Ok(self.simples(&simples, definicao.atributo("name"), sugestao, saida));
        }
        let mut campos = Vec::new();
        if definicao.atributo("mixed") == Some("true") {
            campos.push("misto".to_owned());
        }
        for filho in definicao.filhos() {
            match filho.elemento.name() {
                "sequence" | "choice" => {
                    if let Some(conteudo) = self.grupo(filho, saida, fundo)? {
                        let inteiro = matches!(conteudo.chars().last(), Some(')'))
                            && conteudo.starts_with('(')
                            && fecha_no_fim(&conteudo);
                        campos.push(if inteiro {
                            conteudo
                        } else {
                            format!("({conteudo})")
                        });
                    }
                }
                "attribute" => {
                    campos.extend(self.atributo(filho, sugestao, saida)?);
                }
                "anyAttribute" => campos.push(curinga_de_atributo(filho)?),
                "simpleContent" => self.conteudo_simples(filho, sugestao, saida, &mut campos)?,
                outro => return Err(format!("{outro} in a complex type is not supported")),
            }
        }
        campos.extend(unicos);
        let nomeado =
            definicao.atributo("name").is_some() && !campos.iter().any(|c| c.starts_with('^'));
        Ok(saida.tipo(if nomeado { 'C' } else { 'c' }, sugestao, campos, None))
    }

    fn simples(
        &self,
        simples: &Simples,
        nome: Option<&str>,
        sugestao: &str,
        saida: &mut Saida,
    ) -> String {
        let pai = simples.pai.as_ref().map(|(ns, nome)| saida.qname(ns, nome));
        let pai = pai.filter(|_| nome.is_some());
        let letra = if nome.is_some() { 'S' } else { 's' };
        saida.tipo(letra, sugestao, simples.campos(), pai)
    }

    fn conteudo_simples(
        &self,
        conteudo: Parte<'_>,
        sugestao: &str,
        saida: &mut Saida,
        campos: &mut Vec<String>,
    ) -> Result<(), String> {
        let extensao = conteudo
            .filho("extension")
            .ok_or("simple content is only read when it extends")?;
        let base = extensao.atributo("base").ok_or("an extension of nothing")?;
        let (ns, nome) = self.conjunto.qname(extensao, base)?;
        campos.push(format!("${}", self.tipo_nomeado(&ns, nome, saida, 0)?));
        for filho in extensao.filhos() {
            match filho.elemento.name() {
                "attribute" => campos.extend(self.atributo(filho, sugestao, saida)?),
                outro => return Err(format!("{outro} in an extension is not supported")),
            }
        }
        Ok(())
    }

    fn atributo(
        &self,
        atributo: Parte<'_>,
        dono: &str,
        saida: &mut Saida,
    ) -> Result<Option<String>, String> {
        let nome = atributo
            .atributo("name")
            .ok_or("a reference to an attribute is not supported")?;
        if atributo.atributo("form") == Some("qualified") {
            return Err(format!("{nome}: a qualified attribute is not supported"));
        }
        let obrigatorio = match atributo.atributo("use") {
            None | Some("optional") => "",
            Some("required") => "!",
            Some(_) => return Ok(None),
        };
        let tipo = match (atributo.filho("simpleType"), atributo.atributo("type")) {
            (Some(definicao), None) => {
                let simples = simple::de_definicao(self.conjunto, definicao, 0)?;
                let dono = dono.rsplit_once(':').map_or(dono, |(_, nome)| nome);
                self.simples(&simples, None, &format!("{dono}@{nome}"), saida)
            }
            (None, Some(qname)) => {
                let (ns, tipo) = self.conjunto.qname(atributo, qname)?;
                self.tipo_nomeado(&ns, tipo, saida, 0)?
            }
            _ => return Err(format!("{nome}: an attribute with no type or two")),
        };
        let fixo = atributo.atributo("fixed").map(|v| format!("={v}"));
        Ok(Some(format!(
            "@{nome}{obrigatorio}={tipo}{}",
            fixo.unwrap_or_default()
        )))
    }

    /// A sequence or choice, with its occurrence; nothing if it may hold nothing.
    fn grupo(
        &self,
        grupo: Parte<'_>,
        saida: &mut Saida,
        fundo: usize,
    ) -> Result<Option<String>, String> {
        if fundo > MAX_FUNDO {
            return Err("groups are nested too deeply".to_owned());
        }
        let Some(vezes) = ocorrencia(grupo)? else {
            return Ok(None);
        };
        let escolha = grupo.elemento.name() == "choice";
        let mut partes = Vec::new();
        for filho in grupo.filhos() {
            match filho.elemento.name() {
                "element" => partes.extend(self.particula(filho, saida, fundo)?),
                "sequence" | "choice" => partes.extend(self.grupo(filho, saida, fundo + 1)?),
                "any" => partes.extend(self.curinga(filho, saida)?),
                outro => return Err(format!("{outro} in a group is not supported")),
            }
        }
        // A group of one that occurs once is what it holds; one that repeats
        // a single element is that element repeated.
        if let [unica] = partes.as_slice()
            && (vezes.is_empty() || !unica.ends_with(['?', '*', '+', '}', ')']))
        {
            return Ok(Some(format!("{unica}{vezes}")));
        }
        let separador = if escolha { "|" } else { "," };
        Ok(Some(format!("({}){vezes}", partes.join(separador))))
    }

    fn particula(
        &self,
        elemento: Parte<'_>,
        saida: &mut Saida,
        fundo: usize,
    ) -> Result<Option<String>, String> {
        let Some(vezes) = ocorrencia(elemento)? else {
            return Ok(None);
        };
        let (ns, nome, declaracao) = match elemento.atributo("ref") {
            Some(qname) => {
                let (ns, nome) = self.conjunto.qname(elemento, qname)?;
                let declaracao = self.conjunto.elemento(&ns, nome)?;
                (ns, nome, declaracao)
            }
            None => {
                let nome = elemento.atributo("name").ok_or("an element without name")?;
                (self.conjunto.alvo(elemento).to_owned(), nome, elemento)
            }
        };
        let trocado = (nome == "detEvento" && self.receita.det_evento.is_some())
            .then(|| self.conjunto.elemento(&ns, nome))
            .transpose()?;
        let tipo = self.tipo_do_elemento(trocado.unwrap_or(declaracao), saida, fundo + 1)?;
        Ok(Some(format!("{}={tipo}{vezes}", saida.qname(&ns, nome))))
    }

    fn curinga(&self, curinga: Parte<'_>, saida: &mut Saida) -> Result<Option<String>, String> {
        let Some(vezes) = ocorrencia(curinga)? else {
            return Ok(None);
        };
        let espaco = match curinga.atributo("namespace") {
            None | Some("##any") => "##any".to_owned(),
            Some("##other") => {
                let alvo = self.conjunto.alvo(curinga);
                let qname = saida.qname(alvo, "x");
                format!("##other({})", qname.split_once(':').map_or("", |(p, _)| p))
            }
            Some(outro) => return Err(format!("a wildcard of {outro} is not supported")),
        };
        let exame = curinga.atributo("processContents").unwrap_or("strict");
        Ok(Some(format!("*={espaco}/{exame}{vezes}")))
    }
}

/// Does the last bracket close the first?
fn fecha_no_fim(conteudo: &str) -> bool {
    let mut fundo = 0usize;
    for (indice, byte) in conteudo.bytes().enumerate() {
        match byte {
            b'(' => fundo += 1,
            b')' => fundo = fundo.saturating_sub(1),
            _ => {}
        }
        if fundo == 0 {
            return indice + 1 == conteudo.len();
        }
    }
    false
}

/// `?`, `*`, `+`, `{n,m}` or nothing; `None` when it never occurs.
fn ocorrencia(parte: Parte<'_>) -> Result<Option<String>, String> {
    let numero = |texto: &str| {
        texto
            .parse::<u32>()
            .map_err(|_| format!("{texto:?} is not an occurrence"))
    };
    let minimo = numero(parte.atributo("minOccurs").unwrap_or("1"))?;
    let maximo = match parte.atributo("maxOccurs").unwrap_or("1") {
        "unbounded" => None,
        texto => Some(numero(texto)?),
    };
    Ok(match (minimo, maximo) {
        (_, Some(0)) => None,
        (1, Some(1)) => Some(String::new()),
        (0, Some(1)) => Some("?".to_owned()),
        (0, None) => Some("*".to_owned()),
        (1, None) => Some("+".to_owned()),
        (minimo, None) => Some(format!("{{{minimo},}}")),
        (minimo, Some(maximo)) if minimo <= maximo => Some(format!("{{{minimo},{maximo}}}")),
        _ => return Err("maxOccurs below minOccurs".to_owned()),
    })
}

/// `^filhos@nItem`: children (or all descendants) that differ in an attribute.
fn unico(unico: Parte<'_>) -> Result<String, String> {
    let xpath = |nome| unico.filho(nome).and_then(|parte| parte.atributo("xpath"));
    let alcance = match xpath("selector") {
        Some("./*" | "*") => "filhos",
        Some(".//*") => "todos",
        outro => return Err(format!("unique over {outro:?} is not supported")),
    };
    let campo = xpath("field").and_then(|campo| campo.strip_prefix('@'));
    let campo = campo.ok_or("unique by something else than an attribute")?;
    Ok(format!("^{alcance}@{campo}"))
}

fn curinga_de_atributo(curinga: Parte<'_>) -> Result<String, String> {
    match (
        curinga.atributo("namespace"),
        curinga.atributo("processContents"),
    ) {
        (None | Some("##any"), Some("skip")) => Ok("@*".to_owned()),
        _ => Err("this wildcard of attributes is not supported".to_owned()),
    }
}
