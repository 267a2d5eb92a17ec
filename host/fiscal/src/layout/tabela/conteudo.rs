//! Particles: their text, their tree and their automaton.

use super::leitura::{Leitor, numero};
use super::{Declaracao, Espaco, Modelo, SEM_FIM};

/// Positions of one automaton after repeated groups are written out.
const MAX_POSICOES: usize = 4096;
const MAX_FUNDO: usize = 48;

/// A particle and how often it occurs.
#[derive(Clone, Debug)]
pub(in crate::layout) struct Ocorre {
    pub o: Particula,
    pub min: u32,
    pub max: u32,
}

#[derive(Clone, Debug)]
pub(in crate::layout) enum Particula {
    /// Place in [`Modelo::declaracoes`].
    Elemento(usize),
    /// Place in [`Modelo::curingas`].
    Qualquer(usize),
    Sequencia(Vec<Ocorre>),
    Escolha(Vec<Ocorre>),
}

/// How closely content of a wildcard is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Exame {
    Nenhum,
    /// What has a global declaration.
    Conhecidos,
    /// There must be one.
    Todos,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Curinga {
    /// Any namespace but this one, and not none.
    pub exceto: Option<Espaco>,
    pub exame: Exame,
}

/// A place where a child may stand.
#[derive(Clone, Copy, Debug)]
pub(in crate::layout) struct Posicao {
    pub o: Simbolo,
    pub min: u32,
    pub max: u32,
    /// May it be the last child?
    pub fim: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::layout) enum Simbolo {
    Elemento(usize),
    Qualquer(usize),
}

/// Glushkov automaton of a type. The official schemas obey Unique Particle
/// Attribution (XSD part 1, §3.8.6), so a child's name picks at most one way on.
/// An element that repeats is one position with a counter.
#[derive(Debug, Default)]
pub(in crate::layout) struct Automato {
    pub posicoes: Vec<Posicao>,
    pub inicio: Vec<u16>,
    /// What may follow each position.
    pub segue: Vec<Vec<u16>>,
    pub vazio: bool,
    /// A group repeats: items of one name may stand apart.
    pub grupo_repete: bool,
}

/// Reads `(a=T,b=T?)`.
pub(super) fn le_particula(texto: &'static str, leitor: &mut Leitor) -> Result<Modelo, String> {
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
    let mut automato = Automato::default();
    let inteiro = automato.constroi(&arvore)?;
    automato.vazio = inteiro.vazia;
    automato.inicio = inteiro.primeiras;
    for ultima in inteiro.ultimas {
        if let Some(posicao) = automato.posicoes.get_mut(usize::from(ultima)) {
            posicao.fim = true;
        }
    }
    let declaracoes = &leitura.declaracoes;
    let unicos = declaracoes.iter().enumerate().all(|(indice, esta)| {
        declaracoes
            .iter()
            .skip(indice + 1)
            .all(|d| d.nome != esta.nome)
    });
    Ok(Modelo {
        nomes_decidem: unicos && leitura.curingas.is_empty() && !automato.grupo_repete,
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

struct Parte {
    vazia: bool,
    primeiras: Vec<u16>,
    ultimas: Vec<u16>,
}

impl Automato {
    fn constroi(&mut self, ocorre: &Ocorre) -> Result<Parte, String> {
        let simbolo = match ocorre.o {
            Particula::Elemento(indice) => Some(Simbolo::Elemento(indice)),
            Particula::Qualquer(indice) => Some(Simbolo::Qualquer(indice)),
            _ => None,
        };
        if let Some(o) = simbolo {
            let posicao = self.posicoes.len();
            if posicao >= MAX_POSICOES {
                return Err("the type is too large".to_owned());
            }
            self.posicoes.push(Posicao {
                o,
                min: ocorre.min.max(1),
                max: ocorre.max,
                fim: false,
            });
            self.segue.push(Vec::new());
            let posicao = posicao as u16;
            return Ok(Parte {
                vazia: ocorre.min == 0,
                primeiras: vec![posicao],
                ultimas: vec![posicao],
            });
        }
        self.grupo_repete |= ocorre.max > 1;
        // Copies up to the upper bound; the last of an open range loops.
        let copias = if ocorre.max == SEM_FIM {
            ocorre.min.max(1)
        } else {
            ocorre.max
        };
        let mut junto = Parte {
            vazia: true,
            primeiras: Vec::new(),
            ultimas: Vec::new(),
        };
        let mut finais: Vec<u16> = Vec::new();
        for copia in 0..copias {
            let mut parte = self.uma_vez(&ocorre.o)?;
            if copia + 1 == copias && ocorre.max == SEM_FIM {
                for ultima in &parte.ultimas {
                    self.liga(*ultima, &parte.primeiras);
                }
            }
            // A copy that need not occur: one may stop before it.
            if copia >= ocorre.min {
                parte.vazia = true;
            }
            if copia >= ocorre.min.max(1) {
                finais.extend_from_slice(&junto.ultimas);
            }
            junto = self.emenda(junto, parte);
        }
        junto.ultimas.extend(finais);
        junto.ultimas.sort_unstable();
        junto.ultimas.dedup();
        Ok(junto)
    }

    fn uma_vez(&mut self, particula: &Particula) -> Result<Parte, String> {
        match particula {
            Particula::Escolha(ramos) => {
                let mut junto = Parte {
                    vazia: ramos.is_empty(),
                    primeiras: Vec::new(),
                    ultimas: Vec::new(),
                };
                for ramo in ramos {
                    let parte = self.constroi(ramo)?;
                    junto.vazia |= parte.vazia;
                    junto.primeiras.extend(parte.primeiras);
                    junto.ultimas.extend(parte.ultimas);
                }
                Ok(junto)
            }
            Particula::Sequencia(partes) => {
                let mut junto = Parte {
                    vazia: true,
                    primeiras: Vec::new(),
                    ultimas: Vec::new(),
                };
                for parte in partes {
                    let parte = self.constroi(parte)?;
                    junto = self.emenda(junto, parte);
                }
                Ok(junto)
            }
            // `constroi` took these.
            Particula::Elemento(_) | Particula::Qualquer(_) => Err("not a group".to_owned()),
        }
    }

    fn emenda(&mut self, antes: Parte, depois: Parte) -> Parte {
        for ultima in &antes.ultimas {
            self.liga(*ultima, &depois.primeiras);
        }
        let mut primeiras = antes.primeiras;
        if antes.vazia {
            primeiras.extend_from_slice(&depois.primeiras);
        }
        let mut ultimas = depois.ultimas;
        if depois.vazia {
            ultimas.extend_from_slice(&antes.ultimas);
        }
        Parte {
            vazia: antes.vazia && depois.vazia,
            primeiras,
            ultimas,
        }
    }

    fn liga(&mut self, de: u16, para: &[u16]) {
        if let Some(lista) = self.segue.get_mut(usize::from(de)) {
            for posicao in para {
                if !lista.contains(posicao) {
                    lista.push(*posicao);
                }
            }
        }
    }
}
