//! A PDF file as objects by number.
//!
//! Cross-reference tables are not believed: they are what is most often broken,
//! and in a hostile file what leads in circles. The file is read once from start
//! to end instead; an object that comes later replaces an earlier one of the same
//! number, which is how PDF updates itself.

use std::cell::Cell;
use std::collections::HashMap;
use std::rc::Rc;

use super::LeituraError;
use crate::danfe::read::filter::{self, Aberto};
use crate::danfe::read::object::{Dicionario, Leitor, Objeto, branco};

/// Objects of one file.
const MAX_OBJETOS: usize = 300_000;
/// What all streams together may unpack to.
const MAX_ABERTO: usize = 96 * 1024 * 1024;
/// References one after the other.
const MAX_SALTOS: usize = 8;

/// Where an object stands.
#[derive(Clone)]
enum Lugar {
    /// In the file, after `obj`.
    Arquivo(usize),
    /// In an object stream.
    Pacote(Rc<Vec<u8>>, usize),
}

pub(super) struct Arquivo<'p> {
    bytes: &'p [u8],
    lugares: HashMap<u32, Lugar>,
    /// Dictionaries that may name the root: trailers and cross-reference streams.
    raizes: Vec<Dicionario>,
    catalogo: Option<u32>,
    /// Pages in the order of the file, for files without a usable tree.
    pub paginas_soltas: Vec<u32>,
    aberto: Cell<usize>,
    /// Bytes looked at again and again, to stop files made for that.
    trabalho: Cell<usize>,
}

/// An object with the bytes of its stream, still packed.
pub(super) struct Fluxo<'p> {
    pub dicionario: Dicionario,
    dados: &'p [u8],
}

impl<'p> Arquivo<'p> {
    pub fn abrir(bytes: &'p [u8]) -> Result<Arquivo<'p>, LeituraError> {
        let mut arquivo = Arquivo {
            bytes,
            lugares: HashMap::new(),
            raizes: Vec::new(),
            catalogo: None,
            paginas_soltas: Vec::new(),
            aberto: Cell::new(0),
            trabalho: Cell::new(0),
        };
        arquivo.indexar()?;
        if arquivo
            .raizes
            .iter()
            .any(|raiz| raiz.get(b"Encrypt").is_some())
        {
            return Err(LeituraError::Protegido);
        }
        if arquivo.lugares.is_empty() {
            return Err(LeituraError::NaoPdf);
        }
        Ok(arquivo)
    }

    /// Every reading that may be repeated pays here.
    pub fn gastar(&self, bytes: usize) -> Result<(), LeituraError> {
        let gasto = self.trabalho.get() + bytes;
        self.trabalho.set(gasto);
        if gasto > self.bytes.len() * 16 + 64 * 1024 * 1024 {
            return Err(LeituraError::Grande("trabalho"));
        }
        Ok(())
    }

    fn indexar(&mut self) -> Result<(), LeituraError> {
        let bytes = self.bytes;
        let mut at = 0;
        // Past here there is no `endstream` any more.
        let mut sem_fim = usize::MAX;
        while at < bytes.len() {
            let Some(salto) = proximo(bytes.get(at..).unwrap_or(&[])) else {
                break;
            };
            at += salto;
            if bytes
                .get(at..)
                .is_some_and(|resto| resto.starts_with(b"trailer"))
            {
                at += b"trailer".len();
                let mut leitor = Leitor::novo(bytes, at);
                let objeto = leitor.object();
                self.gastar(leitor.at - at)?;
                if let Some(Objeto::Dicionario(dicionario)) = objeto {
                    self.raizes.push(dicionario);
                    at = leitor.at;
                }
                continue;
            }
            let depois = at + b"obj".len();
            let Some(numero) = numero_antes(bytes, at) else {
                at = depois;
                continue;
            };
            if self.lugares.len() >= MAX_OBJETOS {
                return Err(LeituraError::Grande("objetos"));
            }
            self.lugares.insert(numero, Lugar::Arquivo(depois));
            let mut leitor = Leitor::novo(bytes, depois);
            let objeto = leitor.object();
            self.gastar(leitor.at - depois)?;
            let Some(objeto) = objeto else {
                at = depois;
                continue;
            };
            at = leitor.at;
            let Objeto::Dicionario(dicionario) = objeto else {
                continue;
            };
            self.notar(numero, &dicionario);
            leitor.pular();
            if !leitor.resto().starts_with(b"stream") {
                continue;
            }
            let inicio = inicio_do_fluxo(bytes, leitor.at);
            let fim = match fim_declarado(bytes, inicio, &dicionario) {
                Some(fim) => fim,
                None if inicio < sem_fim => {
                    let resto = bytes.get(inicio..).unwrap_or(&[]);
                    match achar(resto, b"endstream") {
                        Some(tamanho) => inicio + tamanho,
                        None => {
                            sem_fim = inicio;
                            bytes.len()
                        }
                    }
                }
                // Cut off, or without the word: objects may still follow.
                None => inicio,
            };
            let dados = bytes.get(inicio..fim).unwrap_or(&[]);
            match dicionario.nome(b"Type") {
                Some(b"ObjStm") => self.desempacotar(&Fluxo { dicionario, dados })?,
                Some(b"XRef") => self.raizes.push(dicionario),
                _ => {}
            }
            if sem_fim == usize::MAX {
                at = fim;
            }
        }
        Ok(())
    }

    fn notar(&mut self, numero: u32, dicionario: &Dicionario) {
        match dicionario.nome(b"Type") {
            Some(b"Catalog") => self.catalogo = Some(numero),
            Some(b"Page") => self.paginas_soltas.push(numero),
            _ => {}
        }
    }

    /// Objects inside a stream (§7.5.7).
    fn desempacotar(&mut self, fluxo: &Fluxo<'_>) -> Result<(), LeituraError> {
        let Some(aberto) = self.conteudo(fluxo)? else {
            return Ok(());
        };
        let aberto = Rc::new(aberto);
        let numero = |nome: &[u8]| fluxo.dicionario.numero(nome).map(|n| n.max(0.0) as usize);
        let (Some(quantos), Some(primeiro)) = (numero(b"N"), numero(b"First")) else {
            return Ok(());
        };
        let mut leitor = Leitor::novo(&aberto, 0);
        for _ in 0..quantos {
            let (Some(Objeto::Numero(id)), Some(Objeto::Numero(desvio))) =
                (leitor_numero(&mut leitor), leitor_numero(&mut leitor))
            else {
                break;
            };
            if self.lugares.len() >= MAX_OBJETOS {
                return Err(LeituraError::Grande("objetos"));
            }
            let (id, at) = (
                id.max(0.0) as u32,
                primeiro.saturating_add(desvio.max(0.0) as usize),
            );
            self.lugares
                .insert(id, Lugar::Pacote(Rc::clone(&aberto), at));
            let mut dentro = Leitor::novo(&aberto, at);
            let objeto = dentro.object();
            self.gastar(dentro.at.saturating_sub(at))?;
            if let Some(Objeto::Dicionario(dicionario)) = objeto {
                self.notar(id, &dicionario);
            }
        }
        Ok(())
    }

    /// The root of the document, as the last trailer that names one says.
    pub fn raiz(&self) -> Result<Option<Dicionario>, LeituraError> {
        let mut candidatas: Vec<Objeto> = self
            .raizes
            .iter()
            .rev()
            .filter_map(|raiz| raiz.get(b"Root").cloned())
            .collect();
        candidatas.extend(self.catalogo.map(Objeto::Referencia));
        // A file has a handful of trailers; a hostile one many.
        for candidata in candidatas.iter().take(16) {
            if let Some(Objeto::Dicionario(raiz)) = self.seguir(candidata)?
                && raiz.get(b"Pages").is_some()
            {
                return Ok(Some(raiz));
            }
        }
        Ok(None)
    }

    /// What a reference stands for; anything else is itself.
    pub fn seguir(&self, objeto: &Objeto) -> Result<Option<Objeto>, LeituraError> {
        let mut atual = objeto.clone();
        for _ in 0..MAX_SALTOS {
            let Objeto::Referencia(numero) = atual else {
                return Ok(Some(atual));
            };
            match self.ler(numero)? {
                Some(objeto) => atual = objeto,
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    fn ler(&self, numero: u32) -> Result<Option<Objeto>, LeituraError> {
        let Some(lugar) = self.lugares.get(&numero) else {
            return Ok(None);
        };
        let (bytes, at): (&[u8], usize) = match lugar {
            Lugar::Arquivo(at) => (self.bytes, *at),
            Lugar::Pacote(bytes, at) => (bytes, *at),
        };
        let mut leitor = Leitor::novo(bytes, at);
        let objeto = leitor.object();
        self.gastar(leitor.at.saturating_sub(at) + 16)?;
        Ok(objeto)
    }

    /// A value of a dictionary, references followed.
    pub fn valor(
        &self,
        dicionario: &Dicionario,
        nome: &[u8],
    ) -> Result<Option<Objeto>, LeituraError> {
        match dicionario.get(nome) {
            Some(objeto) => self.seguir(objeto),
            None => Ok(None),
        }
    }

    /// A dictionary in a dictionary, references followed.
    pub fn dicionario(
        &self,
        dicionario: &Dicionario,
        nome: &[u8],
    ) -> Result<Option<Dicionario>, LeituraError> {
        Ok(match self.valor(dicionario, nome)? {
            Some(Objeto::Dicionario(dicionario)) => Some(dicionario),
            _ => None,
        })
    }

    /// A stream by reference: streams are never anything else.
    pub fn fluxo(&self, objeto: &Objeto) -> Result<Option<Fluxo<'p>>, LeituraError> {
        let Objeto::Referencia(numero) = objeto else {
            return Ok(None);
        };
        let Some(Lugar::Arquivo(at)) = self.lugares.get(numero) else {
            return Ok(None);
        };
        let mut leitor = Leitor::novo(self.bytes, *at);
        let objeto = leitor.object();
        self.gastar(leitor.at - *at + 16)?;
        let Some(Objeto::Dicionario(dicionario)) = objeto else {
            return Ok(None);
        };
        leitor.pular();
        if !leitor.resto().starts_with(b"stream") {
            return Ok(None);
        }
        let inicio = inicio_do_fluxo(self.bytes, leitor.at);
        let declarado = match self.valor(&dicionario, b"Length")? {
            Some(Objeto::Numero(tamanho)) => fim_em(self.bytes, inicio, tamanho),
            _ => None,
        };
        let resto = self.bytes.get(inicio..).unwrap_or(&[]);
        let fim = match declarado {
            Some(fim) => fim,
            None => {
                let tamanho = achar(resto, b"endstream").unwrap_or(resto.len());
                self.gastar(tamanho)?;
                inicio + tamanho
            }
        };
        Ok(Some(Fluxo {
            dicionario,
            dados: self.bytes.get(inicio..fim).unwrap_or(&[]),
        }))
    }

    /// The stream unpacked; none if it is not packed in a way that is read.
    pub fn conteudo(&self, fluxo: &Fluxo<'_>) -> Result<Option<Vec<u8>>, LeituraError> {
        let lista = |nomes: [&[u8]; 2]| -> Result<Vec<Objeto>, LeituraError> {
            let mut achado = self.valor(&fluxo.dicionario, nomes[0])?;
            if achado.is_none() {
                achado = self.valor(&fluxo.dicionario, nomes[1])?;
            }
            Ok(match achado {
                None | Some(Objeto::Nulo) => Vec::new(),
                Some(Objeto::Lista(lista)) => lista,
                Some(um) => vec![um],
            })
        };
        let parametros = lista([b"DecodeParms", b"DP"])?;
        let mut filtros = Vec::new();
        for (at, filtro) in lista([b"Filter", b"F"])?.iter().enumerate() {
            let Some(Objeto::Nome(nome)) = self.seguir(filtro)? else {
                return Ok(None);
            };
            let parametro = match parametros.get(at) {
                Some(parametro) => self.seguir(parametro)?,
                None => None,
            };
            let parametro = parametro.as_ref().and_then(Objeto::dicionario).cloned();
            filtros.push((nome, parametro));
        }
        let sobra = MAX_ABERTO.saturating_sub(self.aberto.get());
        let mut gasto = 0;
        let feito = filter::abrir(fluxo.dados, &filtros, sobra, &mut gasto);
        self.aberto.set(self.aberto.get() + gasto);
        match feito {
            Aberto::Bytes(bytes) => Ok(Some(bytes)),
            Aberto::Demais => Err(LeituraError::Grande("conteúdo expandido")),
            Aberto::Ilegivel => {
                self.gastar(fluxo.dados.len())?;
                Ok(None)
            }
        }
    }
}

fn leitor_numero(leitor: &mut Leitor<'_>) -> Option<Objeto> {
    match leitor.simbolo()? {
        crate::danfe::read::object::Simbolo::Objeto(objeto) => Some(objeto),
        crate::danfe::read::object::Simbolo::Palavra(_) => None,
    }
}

/// Distance to the next `obj` or `trailer`.
fn proximo(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let resto = bytes.get(at..)?;
        at += resto.iter().position(|b| matches!(b, b'o' | b't'))?;
        let aqui = bytes.get(at..)?;
        if aqui.starts_with(b"obj") || aqui.starts_with(b"trailer") {
            return Some(at);
        }
        at += 1;
    }
}

/// The 12 of `12 0 obj`, if that is what stands before `obj`.
fn numero_antes(bytes: &[u8], obj: usize) -> Option<u32> {
    let mut at = obj;
    let mut voltar = |serve: fn(&u8) -> bool, maximo: usize| -> Option<(usize, usize)> {
        let fim = at;
        while at > 0 && fim - at < maximo && bytes.get(at - 1).is_some_and(serve) {
            at -= 1;
        }
        (at < fim).then_some((at, fim))
    };
    voltar(|b| branco(*b), 8)?;
    voltar(u8::is_ascii_digit, 5)?;
    voltar(|b| branco(*b), 8)?;
    let (de, ate) = voltar(u8::is_ascii_digit, 10)?;
    std::str::from_utf8(bytes.get(de..ate)?).ok()?.parse().ok()
}

/// After `stream` and its line end.
fn inicio_do_fluxo(bytes: &[u8], palavra: usize) -> usize {
    let at = palavra + b"stream".len();
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => at + 2,
        (Some(b'\r' | b'\n'), _) => at + 1,
        _ => at,
    }
}

fn fim_declarado(bytes: &[u8], inicio: usize, dicionario: &Dicionario) -> Option<usize> {
    fim_em(bytes, inicio, dicionario.numero(b"Length")?)
}

/// The declared end, if `endstream` follows there.
fn fim_em(bytes: &[u8], inicio: usize, tamanho: f32) -> Option<usize> {
    // A number above 16 million loses digits: the word is looked for then.
    if !(0.0..16_000_000.0).contains(&tamanho) {
        return None;
    }
    let fim = inicio.checked_add(tamanho as usize)?;
    let depois = bytes.get(fim..bytes.len().min(fim.checked_add(24)?))?;
    achar(depois, b"endstream").map(|_| fim)
}

pub(super) fn achar(onde: &[u8], palavra: &[u8]) -> Option<usize> {
    let (primeira, _) = palavra.split_first()?;
    let mut at = 0;
    loop {
        let resto = onde.get(at..)?;
        at += resto.iter().position(|b| b == primeira)?;
        if onde.get(at..)?.starts_with(palavra) {
            return Some(at);
        }
        at += 1;
    }
}
