//! What a page draws as text: pieces with their places (ISO 32000-1, §9.4).

use std::collections::HashMap;
use std::rc::Rc;

use super::LeituraError;
use crate::danfe::read::file::Arquivo;
use crate::danfe::read::font::Fonte;
use crate::danfe::read::object::{Dicionario, Leitor, Objeto, Simbolo, branco};

/// Pieces of one document, and operators that are looked at.
const MAX_TRECHOS: usize = 400_000;
const MAX_OPERADORES: usize = 3_000_000;
/// Saved states, and forms within forms.
const MAX_PILHA: usize = 64;
const MAX_FORMAS: usize = 6;
const MAX_USOS: usize = 500;
/// Text of one document: forty full pages have a quarter of it.
const MAX_TEXTO: usize = 2 * 1024 * 1024;

/// A text and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trecho {
    pub texto: String,
    pub x: f32,
    pub y: f32,
    /// Direction of the writing: 0 right, 1 up, 2 left, 3 down.
    pub rumo: u8,
}

type Matriz = [f32; 6];
const IDENTIDADE: Matriz = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// `a` done before `b`.
fn vezes(a: &Matriz, b: &Matriz) -> Matriz {
    let [a0, a1, a2, a3, a4, a5] = *a;
    let [b0, b1, b2, b3, b4, b5] = *b;
    [
        a0 * b0 + a1 * b2,
        a0 * b1 + a1 * b3,
        a2 * b0 + a3 * b2,
        a2 * b1 + a3 * b3,
        a4 * b0 + a5 * b2 + b4,
        a4 * b1 + a5 * b3 + b5,
    ]
}

/// Reads pages one after the other, with one budget for all.
pub(super) struct Paginas<'a, 'p> {
    arquivo: &'a Arquivo<'p>,
    fontes: HashMap<u32, Rc<Fonte>>,
    trechos: usize,
    texto: usize,
    operadores: usize,
    usos: usize,
}

/// What `q` saves and `Q` brings back.
#[derive(Clone)]
struct Estado {
    ctm: Matriz,
    fonte: Rc<Fonte>,
    entrelinha: f32,
}

/// Where the operators of a page or a form have got to.
struct Cursor {
    estado: Estado,
    pilha: Vec<Estado>,
    matriz: Matriz,
    /// Whether the next text goes on where the last one ended.
    segue: bool,
}

impl Cursor {
    fn new(ctm: Matriz) -> Cursor {
        Cursor {
            estado: Estado {
                ctm,
                fonte: Rc::default(),
                entrelinha: 0.0,
            },
            pilha: Vec::new(),
            matriz: IDENTIDADE,
            segue: false,
        }
    }

    /// An operator that only moves or saves; others are passed over.
    fn apply(&mut self, operador: &[u8], operandos: &[Objeto]) {
        let numero = |at: usize| operandos.get(at).and_then(Objeto::numero).unwrap_or(0.0);
        let seis = || std::array::from_fn(numero);
        match operador {
            b"q" if self.pilha.len() < MAX_PILHA => self.pilha.push(self.estado.clone()),
            b"Q" => {
                if let Some(estado) = self.pilha.pop() {
                    self.estado = estado;
                }
            }
            b"cm" => self.estado.ctm = vezes(&seis(), &self.estado.ctm),
            b"BT" => self.place(IDENTIDADE),
            b"Tm" => self.place(seis()),
            b"Td" | b"TD" => {
                if operador == b"TD" {
                    self.estado.entrelinha = -numero(1);
                }
                self.shift(numero(0), numero(1));
            }
            b"TL" => self.estado.entrelinha = numero(0),
            b"T*" => self.next_line(),
            _ => {}
        }
    }

    /// The next text begins here.
    fn place(&mut self, matriz: Matriz) {
        self.matriz = matriz;
        self.segue = false;
    }

    /// The next text begins so far from where the last line began.
    fn shift(&mut self, x: f32, y: f32) {
        self.place(vezes(&[1.0, 0.0, 0.0, 1.0, x, y], &self.matriz));
    }

    fn next_line(&mut self) {
        self.shift(0.0, -self.estado.entrelinha);
    }
}

impl<'a, 'p> Paginas<'a, 'p> {
    pub fn novo(arquivo: &'a Arquivo<'p>) -> Paginas<'a, 'p> {
        Paginas {
            arquivo,
            fontes: HashMap::new(),
            trechos: 0,
            texto: 0,
            operadores: 0,
            usos: 0,
        }
    }

    /// Texts of a page in the order in which they are drawn.
    pub fn ler(
        &mut self,
        pagina: &Dicionario,
        recursos: &Dicionario,
    ) -> Result<Vec<Trecho>, LeituraError> {
        let partes = match pagina.get(b"Contents") {
            Some(Objeto::Lista(lista)) => lista.clone(),
            Some(Objeto::Referencia(numero)) => {
                let direto = Objeto::Referencia(*numero);
                match self.arquivo.seguir(&direto)? {
                    Some(Objeto::Lista(lista)) => lista,
                    _ => vec![direto],
                }
            }
            _ => return Ok(Vec::new()),
        };
        let mut conteudo = Vec::new();
        for parte in partes.iter().take(1_000) {
            if let Some(fluxo) = self.arquivo.fluxo(parte)?
                && let Some(aberto) = self.arquivo.conteudo(&fluxo)?
            {
                conteudo.extend_from_slice(&aberto);
                conteudo.push(b'\n');
            }
        }
        let mut out = Vec::new();
        self.executar(&conteudo, recursos, IDENTIDADE, 0, &mut out)?;
        Ok(out)
    }

    /// Runs the operators of a page or of a form.
    fn executar(
        &mut self,
        conteudo: &[u8],
        recursos: &Dicionario,
        ctm: Matriz,
        profundidade: usize,
        out: &mut Vec<Trecho>,
    ) -> Result<(), LeituraError> {
        let fontes = self
            .arquivo
            .dicionario(recursos, b"Font")?
            .unwrap_or_default();
        let objetos = self
            .arquivo
            .dicionario(recursos, b"XObject")?
            .unwrap_or_default();
        let mut leitor = Leitor::novo(conteudo, 0);
        let mut cursor = Cursor::new(ctm);
        let mut operandos: Vec<Objeto> = Vec::new();
        while let Some(simbolo) = leitor.simbolo() {
            let operador = match simbolo {
                Simbolo::Objeto(objeto) => {
                    if operandos.len() < 64 {
                        operandos.push(objeto);
                    }
                    continue;
                }
                Simbolo::Palavra(palavra) => palavra,
            };
            self.operadores += 1;
            if self.operadores > MAX_OPERADORES {
                return Err(LeituraError::Grande("operadores"));
            }
            match operador {
                b"Tf" => {
                    if let Some(Objeto::Nome(nome)) = operandos.first() {
                        cursor.estado.fonte = self.fonte(&fontes, nome)?;
                    }
                }
                b"Tj" | b"TJ" | b"'" | b"\"" => {
                    if matches!(operador, b"'" | b"\"") {
                        cursor.next_line();
                    }
                    self.show(&mut cursor, operandos.last(), out)?;
                }
                b"BI" => pular_imagem(&mut leitor),
                b"Do" => {
                    if let Some(Objeto::Nome(nome)) = operandos.first()
                        && profundidade < MAX_FORMAS
                        && self.usos < MAX_USOS
                    {
                        self.usos += 1;
                        let ctm = &cursor.estado.ctm;
                        self.forma((&objetos, recursos), nome, ctm, profundidade, out)?;
                    }
                }
                _ => cursor.apply(operador, &operandos),
            }
            operandos.clear();
        }
        Ok(())
    }

    /// The text of an operand, where the cursor stands.
    fn show(
        &mut self,
        cursor: &mut Cursor,
        operando: Option<&Objeto>,
        out: &mut Vec<Trecho>,
    ) -> Result<(), LeituraError> {
        let mut texto = String::new();
        if let Some(objeto) = operando {
            escrever(objeto, &cursor.estado.fonte, &mut texto);
        }
        let onde = vezes(&cursor.matriz, &cursor.estado.ctm);
        self.guardar(out, texto, &onde, cursor.segue)?;
        cursor.segue = true;
        Ok(())
    }

    fn guardar(
        &mut self,
        out: &mut Vec<Trecho>,
        texto: String,
        onde: &Matriz,
        segue: bool,
    ) -> Result<(), LeituraError> {
        self.texto += texto.len();
        self.trechos += 1;
        if self.trechos > MAX_TRECHOS || self.texto > MAX_TEXTO {
            return Err(LeituraError::Grande("texto"));
        }
        if segue && let Some(ultimo) = out.last_mut() {
            ultimo.texto.push_str(&texto);
            return Ok(());
        }
        let [a, b, _, _, x, y] = *onde;
        let rumo = match (a.abs() >= b.abs(), a >= 0.0, b >= 0.0) {
            (true, true, _) => 0,
            (true, false, _) => 2,
            (false, _, true) => 1,
            (false, _, false) => 3,
        };
        out.push(Trecho { texto, x, y, rumo });
        Ok(())
    }

    fn fonte(&mut self, fontes: &Dicionario, nome: &[u8]) -> Result<Rc<Fonte>, LeituraError> {
        self.arquivo.gastar(fontes.0.len())?;
        let Some(objeto) = fontes.get(nome) else {
            return Ok(Rc::default());
        };
        if let Objeto::Referencia(numero) = objeto
            && let Some(fonte) = self.fontes.get(numero)
        {
            return Ok(Rc::clone(fonte));
        }
        let Some(Objeto::Dicionario(dicionario)) = self.arquivo.seguir(objeto)? else {
            return Ok(Rc::default());
        };
        let fonte = Rc::new(Fonte::ler(self.arquivo, &dicionario)?);
        if let Objeto::Referencia(numero) = objeto {
            self.fontes.insert(*numero, Rc::clone(&fonte));
        }
        Ok(fonte)
    }

    /// A form: a piece of page of its own (§8.10).
    fn forma(
        &mut self,
        (objetos, recursos): (&Dicionario, &Dicionario),
        nome: &[u8],
        ctm: &Matriz,
        profundidade: usize,
        out: &mut Vec<Trecho>,
    ) -> Result<(), LeituraError> {
        self.arquivo.gastar(objetos.0.len())?;
        let fluxo = objetos.get(nome).map(|objeto| self.arquivo.fluxo(objeto));
        let Some(fluxo) = fluxo.transpose()?.flatten() else {
            return Ok(());
        };
        if fluxo.dicionario.nome(b"Subtype") != Some(b"Form") {
            return Ok(());
        }
        let Some(conteudo) = self.arquivo.conteudo(&fluxo)? else {
            return Ok(());
        };
        let matriz = match self.arquivo.valor(&fluxo.dicionario, b"Matrix")? {
            Some(Objeto::Lista(lista)) => {
                let numeros: Vec<f32> = lista.iter().filter_map(Objeto::numero).collect();
                numeros.try_into().unwrap_or(IDENTIDADE)
            }
            _ => IDENTIDADE,
        };
        let proprios = self.arquivo.dicionario(&fluxo.dicionario, b"Resources")?;
        let recursos = proprios.as_ref().unwrap_or(recursos);
        self.executar(
            &conteudo,
            recursos,
            vezes(&matriz, ctm),
            profundidade + 1,
            out,
        )
    }
}

/// A string, or strings with the space between them: a wide one is a blank.
fn escrever(objeto: &Objeto, fonte: &Fonte, out: &mut String) {
    match objeto {
        Objeto::Texto(bytes) => fonte.texto(bytes, out),
        Objeto::Lista(lista) => {
            for parte in lista {
                match parte {
                    Objeto::Texto(bytes) => fonte.texto(bytes, out),
                    Objeto::Numero(recuo) if *recuo < -180.0 => out.push(' '),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Past the samples of a picture written into the page (§8.9.7).
fn pular_imagem(leitor: &mut Leitor<'_>) {
    let resto = leitor.resto();
    let mut at = 0;
    while let Some(achado) = crate::danfe::read::file::achar(resto.get(at..).unwrap_or(&[]), b"EI")
    {
        let fim = at + achado;
        let antes = fim
            .checked_sub(1)
            .and_then(|i| resto.get(i))
            .is_none_or(|b| branco(*b));
        let depois = resto.get(fim + 2).is_none_or(|b| branco(*b));
        at = fim + 2;
        if antes && depois {
            break;
        }
    }
    leitor.at += if at == 0 { resto.len() } else { at };
}
