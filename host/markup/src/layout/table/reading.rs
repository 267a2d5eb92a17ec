//! Text of a table to types.

use std::collections::HashMap;

use super::{
    Atributo, Base, Brancos, Complexo, Conteudo, Declaracao, Espaco, Modelo, PadraoDaTabela,
    SEM_FIM, Simples, Tabela, Tipo, Unico,
};
use crate::layout::table::content::{Automato, Curinga, Exame, Ocorre, Particula};

/// Deepest nesting of groups in a particle.
const MAX_FUNDO: usize = 48;

pub(super) fn le(texto: &'static str) -> Result<Tabela, String> {
    let mut leitor = Leitor {
        tabela: Tabela {
            namespace: "",
            raizes: Vec::new(),
            simples: Vec::new(),
            complexos: Vec::new(),
            padroes: Vec::new(),
            por_nome: HashMap::new(),
        },
        nomes: HashMap::new(),
        padroes: HashMap::new(),
    };
    let mut raizes = Vec::new();
    for (numero, linha) in texto.lines().enumerate() {
        let mut campos = linha.split('\t');
        let letra = campos.next().unwrap_or("");
        let feito = match letra {
            "L" => {
                leitor.tabela.namespace = campos.nth(1).unwrap_or("");
                Ok(())
            }
            // Roots come before the types they name.
            "R" => {
                raizes.push((campos.next().unwrap_or(""), campos.next().unwrap_or("")));
                Ok(())
            }
            "S" | "s" => leitor.simples(letra == "S", campos),
            "C" | "c" => leitor.complexo(letra == "C", campos),
            comentario if comentario.starts_with('#') => Ok(()),
            outra => Err(format!("unknown kind of line {outra:?}")),
        };
        feito.map_err(|erro| format!("line {}: {erro}", numero + 1))?;
    }
    for (nome, tipo) in raizes {
        let declaracao = leitor.declaracao(nome, tipo)?;
        leitor.tabela.raizes.push(declaracao);
    }
    if leitor.tabela.raizes.is_empty() || leitor.tabela.namespace.is_empty() {
        return Err("a table without roots or namespace".to_owned());
    }
    Ok(leitor.tabela)
}

/// A table that grows line by line.
struct Leitor {
    tabela: Tabela,
    /// All types read so far, anonymous ones too.
    nomes: HashMap<&'static str, Tipo>,
    padroes: HashMap<&'static str, usize>,
}

type Campos = std::str::Split<'static, char>;

impl Leitor {
    fn simples(&mut self, nomeado: bool, mut campos: Campos) -> Result<(), String> {
        let nome = campos.next().ok_or("a type without name")?;
        let embutido = campos.next().ok_or("a type without base")?;
        let mut tipo = embutido_de(embutido)?;
        tipo.nome = nome;
        tipo.nomeado = nomeado;
        for campo in campos {
            let (chave, valor) = campo.split_once('=').ok_or("a facet without value")?;
            match chave {
                "espacos" => {
                    tipo.brancos = match valor {
                        "preserve" => Brancos::Preserva,
                        "replace" => Brancos::Troca,
                        _ => Brancos::Junta,
                    }
                }
                "tamanho" => tipo.tamanho = Some(numero(valor)?),
                "min" => tipo.min = Some(numero(valor)?),
                "max" => tipo.max = Some(numero(valor)?),
                "digitos" => tipo.digitos = Some(numero(valor)?),
                "decimais" => tipo.decimais = Some(numero(valor)?),
                "de" => tipo.de = Some(valor),
                "ate" => tipo.ate = Some(valor),
                "padrao" => tipo.padroes.push(self.padrao(valor)),
                "valor" => tipo.valores.push(valor),
                "deriva" => tipo.deriva = Some(valor),
                _ => return Err(format!("unknown facet {chave:?}")),
            }
        }
        let indice = self.tabela.simples.len();
        self.tabela.simples.push(tipo);
        self.nomeia(nome, Tipo::Simples(indice), nomeado);
        Ok(())
    }

    fn complexo(&mut self, nomeado: bool, mut campos: Campos) -> Result<(), String> {
        let nome = campos.next().ok_or("a type without name")?;
        let mut tipo = Complexo {
            nome,
            misto: false,
            atributos: Vec::new(),
            qualquer_atributo: false,
            unicos: Vec::new(),
            conteudo: Conteudo::Vazio,
        };
        for campo in campos {
            if campo == "misto" {
                tipo.misto = true;
            } else if campo == "@*" {
                tipo.qualquer_atributo = true;
            } else if let Some(atributo) = campo.strip_prefix('@') {
                tipo.atributos.push(self.atributo(atributo)?);
            } else if let Some(simples) = campo.strip_prefix('$') {
                tipo.conteudo = Conteudo::Simples(self.tipo_simples(simples)?);
            } else if let Some(unico) = campo.strip_prefix('^') {
                let (alcance, atributo) = unico.split_once('@').ok_or("a bad unique")?;
                tipo.unicos.push(Unico {
                    todos: alcance == "todos",
                    atributo,
                });
            } else {
                tipo.conteudo = Conteudo::Elementos(Box::new(le_particula(campo, self)?));
            }
        }
        // In the order of C14N, which for names without prefix is that of the names.
        tipo.atributos.sort_by_key(|atributo| atributo.nome);
        let indice = self.tabela.complexos.len();
        self.tabela.complexos.push(tipo);
        self.nomeia(nome, Tipo::Complexo(indice), nomeado);
        Ok(())
    }

    fn nomeia(&mut self, nome: &'static str, tipo: Tipo, nomeado: bool) {
        self.nomes.insert(nome, tipo);
        if nomeado {
            self.tabela.por_nome.insert(nome, tipo);
        }
    }

    fn padrao(&mut self, texto: &'static str) -> usize {
        let padroes = &mut self.tabela.padroes;
        *self.padroes.entry(texto).or_insert_with(|| {
            padroes.push(PadraoDaTabela::novo(texto));
            padroes.len() - 1
        })
    }

    fn atributo(&mut self, campo: &'static str) -> Result<Atributo, String> {
        let (nome, resto) = campo.split_once('=').ok_or("an attribute without type")?;
        let (tipo, fixo) = match resto.split_once('=') {
            Some((tipo, fixo)) => (tipo, Some(fixo)),
            None => (resto, None),
        };
        let obrigatorio = nome.ends_with('!');
        Ok(Atributo {
            nome: nome.strip_suffix('!').unwrap_or(nome),
            obrigatorio,
            tipo: self.tipo_simples(tipo)?,
            fixo,
        })
    }

    fn tipo_simples(&mut self, nome: &'static str) -> Result<usize, String> {
        match self.tipo(nome)? {
            Tipo::Simples(indice) => Ok(indice),
            Tipo::Complexo(_) => Err(format!("{nome} is not a simple type")),
        }
    }

    fn tipo(&mut self, nome: &'static str) -> Result<Tipo, String> {
        if let Some(tipo) = self.nomes.get(nome) {
            return Ok(*tipo);
        }
        if !nome.starts_with("xs:") {
            return Err(format!("the type {nome:?} comes later or never"));
        }
        let tipo = Tipo::Simples(self.tabela.simples.len());
        self.tabela.simples.push(embutido_de(nome)?);
        self.nomes.insert(nome, tipo);
        Ok(tipo)
    }

    /// An element by the name and type of the table.
    fn declaracao(&mut self, nome: &'static str, tipo: &'static str) -> Result<Declaracao, String> {
        let tipo = self.tipo(tipo)?;
        let (espaco, nome) = match nome.strip_prefix("ds:") {
            Some(nome) => (Espaco::Assinatura, nome),
            None => (Espaco::Layout, nome),
        };
        Ok(Declaracao { nome, espaco, tipo })
    }
}

/// Reads a particle: `(a=T,b=T?)`.
fn le_particula(texto: &'static str, leitor: &mut Leitor) -> Result<Modelo, String> {
    let mut leitura = Leitura {
        texto,
        em: 0,
        leitor,
        declaracoes: Vec::new(),
        curingas: Vec::new(),
    };
    let arvore = leitura.particula(0)?;
    if leitura.em != texto.len() {
        return Err(format!("something after the particle at {}", leitura.em));
    }
    let automato = Automato::de(&arvore.no())?;
    let grupo_repete = arvore.grupo_repete();
    let declaracoes = &leitura.declaracoes;
    let unicos = declaracoes.iter().enumerate().all(|(indice, esta)| {
        declaracoes
            .iter()
            .skip(indice + 1)
            .all(|d| d.nome != esta.nome)
    });
    Ok(Modelo {
        nomes_decidem: unicos && leitura.curingas.is_empty() && !grupo_repete,
        grupo_repete,
        declaracoes: leitura.declaracoes,
        curingas: leitura.curingas,
        arvore,
        automato,
    })
}

struct Leitura<'l> {
    texto: &'static str,
    em: usize,
    leitor: &'l mut Leitor,
    declaracoes: Vec<Declaracao>,
    curingas: Vec<Curinga>,
}

impl Leitura<'_> {
    fn espia(&self) -> Option<u8> {
        self.texto.as_bytes().get(self.em).copied()
    }

    fn come(&mut self, byte: u8) -> bool {
        let aqui = self.espia() == Some(byte);
        self.em += usize::from(aqui);
        aqui
    }

    /// Up to one of `fins`, or the end.
    fn palavra(&mut self, fins: &[u8]) -> &'static str {
        let inicio = self.em;
        while self.espia().is_some_and(|byte| !fins.contains(&byte)) {
            self.em += 1;
        }
        self.texto.get(inicio..self.em).unwrap_or("")
    }

    fn particula(&mut self, fundo: usize) -> Result<Ocorre, String> {
        if fundo > MAX_FUNDO {
            return Err("nested too deeply".to_owned());
        }
        let o = match self.espia() {
            Some(b'(') => self.grupo(fundo)?,
            Some(b'*') => self.curinga()?,
            _ => self.elemento()?,
        };
        let (min, max) = self.ocorrencia()?;
        Ok(Ocorre { o, min, max })
    }

    fn grupo(&mut self, fundo: usize) -> Result<Particula, String> {
        self.em += 1;
        let mut partes = Vec::new();
        let mut escolha = false;
        while !self.come(b')') {
            if !partes.is_empty() {
                escolha = self.espia() == Some(b'|');
                if !self.come(b'|') && !self.come(b',') {
                    return Err(format!("a separator is missing at {}", self.em));
                }
            }
            partes.push(self.particula(fundo + 1)?);
        }
        Ok(if escolha {
            Particula::Escolha(partes)
        } else {
            Particula::Sequencia(partes)
        })
    }

    fn curinga(&mut self) -> Result<Particula, String> {
        let espaco = self.palavra(b"/");
        self.em += 1;
        let exame = self.palavra(b"?*+{,|)");
        let exceto = match espaco {
            "*=##any" => None,
            "*=##other()" => Some(Espaco::Layout),
            "*=##other(ds)" => Some(Espaco::Assinatura),
            _ => return Err(format!("unknown wildcard {espaco:?}")),
        };
        let exame = match exame {
            "skip" => Exame::Nenhum,
            "lax" => Exame::Conhecidos,
            "strict" => Exame::Todos,
            _ => return Err(format!("unknown wildcard {exame:?}")),
        };
        self.curingas.push(Curinga { exceto, exame });
        Ok(Particula::Qualquer(self.curingas.len() - 1))
    }

    fn elemento(&mut self) -> Result<Particula, String> {
        let nome = self.palavra(b"=");
        self.em += 1;
        let tipo = self.palavra(b"?*+{,|)");
        let declaracao = self.leitor.declaracao(nome, tipo)?;
        self.declaracoes.push(declaracao);
        Ok(Particula::Elemento(self.declaracoes.len() - 1))
    }

    fn ocorrencia(&mut self) -> Result<(u32, u32), String> {
        if self.come(b'?') {
            return Ok((0, 1));
        }
        if self.come(b'*') {
            return Ok((0, SEM_FIM));
        }
        if self.come(b'+') {
            return Ok((1, SEM_FIM));
        }
        if !self.come(b'{') {
            return Ok((1, 1));
        }
        let min = numero(self.palavra(b","))?;
        self.em += 1;
        let max = match self.palavra(b"}") {
            "" => SEM_FIM,
            texto => numero(texto)?,
        };
        self.em += 1;
        Ok((min, max))
    }
}

fn numero(texto: &str) -> Result<u32, String> {
    texto
        .parse()
        .ok()
        .filter(|numero| *numero != SEM_FIM)
        .ok_or_else(|| format!("{texto:?} is not a number"))
}

fn embutido_de(nome: &'static str) -> Result<Simples, String> {
    let base = match nome.strip_prefix("xs:").unwrap_or("") {
        "string" => Base::String,
        "normalizedString" => Base::NormalizedString,
        "token" => Base::Token,
        "ID" => Base::Id,
        "NCName" => Base::NcName,
        "anyURI" => Base::AnyUri,
        "base64Binary" => Base::Base64,
        "date" => Base::Date,
        "dateTime" => Base::DateTime,
        "gYearMonth" => Base::GYearMonth,
        "boolean" => Base::Boolean,
        "decimal" => Base::Decimal,
        "integer" => Base::Inteiro(None, None),
        "nonNegativeInteger" => Base::Inteiro(Some(0), None),
        "positiveInteger" => Base::Inteiro(Some(1), None),
        "long" => Base::Inteiro(Some(i64::MIN.into()), Some(i64::MAX.into())),
        "int" => Base::Inteiro(Some(i32::MIN.into()), Some(i32::MAX.into())),
        "short" => Base::Inteiro(Some(i16::MIN.into()), Some(i16::MAX.into())),
        "byte" => Base::Inteiro(Some(i8::MIN.into()), Some(i8::MAX.into())),
        "unsignedLong" => Base::Inteiro(Some(0), Some(u64::MAX.into())),
        "unsignedInt" => Base::Inteiro(Some(0), Some(u32::MAX.into())),
        "unsignedShort" => Base::Inteiro(Some(0), Some(u16::MAX.into())),
        "unsignedByte" => Base::Inteiro(Some(0), Some(u8::MAX.into())),
        _ => return Err(format!("unknown built-in type {nome:?}")),
    };
    let brancos = match base {
        // libxml2 does not trim dates.
        Base::String | Base::Date | Base::DateTime | Base::GYearMonth => Brancos::Preserva,
        Base::NormalizedString => Brancos::Troca,
        _ => Brancos::Junta,
    };
    Ok(Simples {
        nome,
        nomeado: true,
        base,
        embutido: nome,
        brancos,
        tamanho: None,
        min: None,
        max: None,
        de: None,
        ate: None,
        digitos: None,
        decimais: None,
        padroes: Vec::new(),
        valores: Vec::new(),
        deriva: None,
    })
}
