//! The fields of an event: from JSON, by the catalogue, to official elements.

use std::collections::HashSet;

use serde_json::{Map, Value};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::nfe::event::deadline::{self, Prazo};
use crate::nfe::event::kind::{Autor, CampoEvento, Codigo, Formato, Tipo};
use markup::field::{Campo, Campos};
use markup::ids::Cnpj;
use markup::ids::chave::Chave;
use markup::layout::normalizar_texto;
use markup::tree::Elemento;

/// Most problems told at once; a list of 990 items can have thousands.
const MAX_ERROS: usize = 100;

/// `AAAA-MM-DD`.
const DIA: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// What is known beside the fields. Whatever is absent is not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Contexto<'a> {
    /// Of the note.
    pub chave: Option<&'a Chave>,
    pub sequencia: Option<u32>,
    /// Role of the sender in the note.
    pub autor: Option<Autor>,
    /// When the authority authorised the note.
    pub autorizada_em: Option<OffsetDateTime>,
    pub agora: Option<OffsetDateTime>,
    /// How many items the note has.
    pub itens: Option<u16>,
}

/// Everything wrong with an event that can be told before it is sent; paths
/// are those of the request (`dados.justificativa`, `sequencia`, `ref`).
pub fn pre_validar(tipo: &Tipo, dados: &Value, contexto: &Contexto<'_>) -> Vec<Campo> {
    let mut erros = Campos::default();
    confere_contexto(tipo, contexto, &mut erros);
    elementos(tipo, dados, contexto.itens, &mut erros);
    erros.0
}

fn confere_contexto(tipo: &Tipo, contexto: &Contexto<'_>, erros: &mut Campos) {
    if !tipo.envia {
        erros.add(
            "tipo_evento",
            "evento_nao_enviado",
            format!(
                "O evento {} ({}) não é enviado por contribuintes.",
                tipo.codigo, tipo.nome
            ),
            "Escolha outro evento em GET /api/v1/reforma/eventos/catalogo.",
        );
    }
    if let Some(chave) = contexto.chave {
        let modelo = chave.modelo().to_string();
        if !tipo.modelos.contains(&modelo.as_str()) {
            erros.add(
                "ref",
                "modelo_nao_aceito",
                format!(
                    "{} só existe para o modelo {}; a nota é do modelo {modelo}.",
                    tipo.nome,
                    tipo.modelos.join(" e ")
                ),
                "Confira a nota indicada.",
            );
        }
    }
    if let Some(autor) = contexto.autor
        && !tipo.autores.contains(&autor)
    {
        let quem: Vec<&str> = tipo.autores.iter().map(|autor| autor.nome()).collect();
        erros.add(
            "tipo_evento",
            "autor_nao_permitido",
            format!(
                "{} só pode ser registrado por: {}.",
                tipo.nome,
                quem.join(", ")
            ),
            "Use o emitente cadastrado que tem esse papel na nota.",
        );
    }
    if let Some(sequencia) = contexto.sequencia
        && !(1..=u32::from(tipo.sequencia_maxima)).contains(&sequencia)
    {
        erros.add_value(
            "sequencia",
            "sequencia_invalida",
            &sequencia.to_string(),
            format!(
                "A sequência vai de 1 a {} neste evento.",
                tipo.sequencia_maxima
            ),
            "Deixe sequencia em branco para o hub numerar.",
        );
    }
    if let (Some(chave), Some(desde), Some(agora)) =
        (contexto.chave, contexto.autorizada_em, contexto.agora)
        && let Some(Prazo { minutos, codigo }) = deadline::deadline(tipo, chave, desde.date())
        && agora - desde > time::Duration::minutes(minutos)
    {
        erros.add(
            "ref",
            codigo,
            format!("O prazo deste evento acabou: {}.", tipo.prazo),
            "Não há como registrar o evento; veja com o contador a alternativa, como uma nota de devolução ou de estorno.",
        );
    }
}

/// The fields as children of `detEvento`, in official order.
pub(super) fn elementos(
    tipo: &Tipo,
    dados: &Value,
    itens: Option<u16>,
    erros: &mut Campos,
) -> Vec<Elemento> {
    let vazio = Map::new();
    let objeto = match dados {
        Value::Object(objeto) => objeto,
        Value::Null => &vazio,
        _ => {
            erros.add(
                "dados",
                "tipo_invalido",
                "Os dados do evento são um objeto.",
                "Envie dados como { … }.",
            );
            return Vec::new();
        }
    };
    let mut leitor = Leitor { itens, erros };
    let mut saida = Elemento::grupo("detEvento");
    leitor.membros("dados", tipo.campos, objeto, &mut saida);
    match saida.conteudo {
        markup::tree::Conteudo::Filhos(filhos) => filhos,
        markup::tree::Conteudo::Texto(_) => Vec::new(),
    }
}

struct Leitor<'e> {
    itens: Option<u16>,
    erros: &'e mut Campos,
}

impl Leitor<'_> {
    fn erro(
        &mut self,
        caminho: &str,
        codigo: &str,
        mensagem: impl Into<String>,
        correcao: impl Into<String>,
    ) {
        if self.erros.0.len() < MAX_ERROS {
            self.erros.add(caminho, codigo, mensagem, correcao);
        }
    }

    fn erro_valor(
        &mut self,
        caminho: &str,
        codigo: &str,
        valor: &str,
        mensagem: String,
        correcao: &str,
    ) {
        if self.erros.0.len() < MAX_ERROS {
            self.erros
                .add_value(caminho, codigo, valor, mensagem, correcao);
        }
    }

    /// Tells the members that none of the fields has as its name.
    fn desconhecidos(
        &mut self,
        caminho: &str,
        campos: &[CampoEvento],
        objeto: &Map<String, Value>,
    ) {
        let sem_campo = |nome: &&String| !campos.iter().any(|campo| se_chama(campo, nome));
        for nome in objeto.keys().filter(sem_campo) {
            let conhecidos: Vec<&str> = campos
                .iter()
                .filter(|campo| !fixo(campo))
                .map(|campo| campo.nome)
                .collect();
            self.erro(
                &format!("{caminho}.{}", curto(nome)),
                "campo_desconhecido",
                "Este campo não existe neste evento.",
                format!("Campos aceitos aqui: {}.", conhecidos.join(", ")),
            );
        }
    }

    /// Members of one object into one element.
    fn membros(
        &mut self,
        caminho: &str,
        campos: &[CampoEvento],
        objeto: &Map<String, Value>,
        saida: &mut Elemento,
    ) {
        self.desconhecidos(caminho, campos, objeto);
        for campo in campos {
            if let Formato::Fixo { texto } = campo.formato {
                saida.poe(Elemento::campo(campo.tag, texto));
                continue;
            }
            let mut achados = objeto
                .iter()
                .filter(|(nome, valor)| se_chama(campo, nome) && !valor.is_null());
            let Some((nome, valor)) = achados.next() else {
                if campo.obrigatorio {
                    self.erro(
                        &format!("{caminho}.{}", campo.nome),
                        "campo_obrigatorio",
                        format!("Falta {} ({}).", campo.rotulo, campo.nome),
                        campo.explicacao,
                    );
                }
                continue;
            };
            let caminho = format!("{caminho}.{}", curto(nome));
            if achados.next().is_some() {
                self.erro(
                    &caminho,
                    "campo_repetido",
                    format!(
                        "{} veio duas vezes, como {} e como {}.",
                        campo.rotulo, campo.nome, campo.tag
                    ),
                    "Deixe só um dos dois.",
                );
            }
            for exigido in campo.exige {
                let outro = campos.iter().find(|outro| outro.tag == *exigido);
                if let Some(outro) = outro
                    && !objeto
                        .iter()
                        .any(|(nome, valor)| se_chama(outro, nome) && !valor.is_null())
                {
                    self.erro(
                        &caminho,
                        "campo_dependente",
                        format!(
                            "{} só vai junto com {} ({}).",
                            campo.rotulo, outro.rotulo, outro.nome
                        ),
                        format!("Informe {} ou retire {}.", outro.nome, campo.nome),
                    );
                }
            }
            self.campo(&caminho, campo, valor, saida);
        }
        // Form 99 of ECONF says what it is (as rule YA02a of the note).
        let outros = saida.valor(&["tPag"]) == Some("99");
        if outros && saida.busca("xPag").is_none() {
            self.erro(
                &format!("{caminho}.descricao"),
                "campo_obrigatorio",
                "Falta a descrição da forma de pagamento 99 (outros).",
                "Diga em descricao qual é a forma.",
            );
        }
    }

    fn campo(&mut self, caminho: &str, campo: &CampoEvento, valor: &Value, saida: &mut Elemento) {
        if campo.formato != Formato::Grupo {
            if let Some(texto) = self.valor(caminho, campo, valor) {
                if campo.atributo {
                    saida.atributos.push((campo.tag.into(), texto));
                } else {
                    saida.poe(Elemento::campo(campo.tag, texto));
                }
            }
            return;
        }
        match valor {
            Value::Array(lista) if campo.ocorrencias > 1 => {
                if lista.is_empty() || lista.len() > usize::from(campo.ocorrencias) {
                    self.erro(
                        caminho,
                        "tamanho_invalido",
                        format!(
                            "{} tem de 1 a {} entradas; vieram {}.",
                            campo.rotulo,
                            campo.ocorrencias,
                            lista.len()
                        ),
                        "Divida em mais de um evento, com sequências diferentes.",
                    );
                    return;
                }
                let mut vistos = HashSet::new();
                for (indice, valor) in lista.iter().enumerate() {
                    self.grupo(
                        &format!("{caminho}[{indice}]"),
                        campo,
                        valor,
                        saida,
                        &mut vistos,
                    );
                }
            }
            _ => self.grupo(caminho, campo, valor, saida, &mut HashSet::new()),
        }
    }

    fn grupo(
        &mut self,
        caminho: &str,
        campo: &CampoEvento,
        valor: &Value,
        saida: &mut Elemento,
        vistos: &mut HashSet<String>,
    ) {
        let Value::Object(objeto) = valor else {
            self.erro(
                caminho,
                "tipo_invalido",
                format!("{} é um grupo de campos.", campo.rotulo),
                "Envie um objeto { … }.",
            );
            return;
        };
        let mut grupo = Elemento::grupo(campo.tag);
        self.membros(caminho, campo.campos, objeto, &mut grupo);
        // The schema's key over nItem.
        if let Some((_, item)) = grupo.atributos.iter().find(|(nome, _)| nome == "nItem")
            && !vistos.insert(item.clone())
        {
            self.erro(
                &format!("{caminho}.item"),
                "item_repetido",
                format!("O item {item} aparece mais de uma vez."),
                "Some os valores em uma só entrada por item.",
            );
        }
        saida.poe(grupo);
    }

    /// A value in its official form.
    fn valor(&mut self, caminho: &str, campo: &CampoEvento, valor: &Value) -> Option<String> {
        let texto = match valor {
            Value::String(texto) => texto.trim().to_owned(),
            // Written with an exponent or without, a JSON number is its digits.
            Value::Number(_) => markup::decimal::de_json(valor)
                .map_or_else(|| valor.to_string(), |numero| numero.to_string()),
            Value::Bool(sim) => if *sim { "1" } else { "0" }.to_owned(),
            _ => {
                self.erro(
                    caminho,
                    "tipo_invalido",
                    format!("{} é um valor simples.", campo.rotulo),
                    "Envie um texto ou número.",
                );
                return None;
            }
        };
        match le(campo.formato, &texto, self.itens) {
            Ok(oficial) => Some(oficial),
            Err((codigo, mensagem)) => {
                self.erro_valor(
                    caminho,
                    codigo,
                    &texto,
                    format!("{}: {mensagem}", campo.rotulo),
                    campo.explicacao,
                );
                None
            }
        }
    }
}

/// The official form of a value, or code and sentence of what is wrong.
fn le(formato: Formato, texto: &str, itens: Option<u16>) -> Result<String, (&'static str, String)> {
    let errado = |codigo, mensagem: &str| Err((codigo, mensagem.to_owned()));
    match formato {
        Formato::Texto {
            tamanho_minimo,
            tamanho_maximo,
        } => {
            let limpo = normalizar_texto(texto);
            let tamanho = limpo.chars().count();
            if (usize::from(tamanho_minimo)..=usize::from(tamanho_maximo)).contains(&tamanho) {
                Ok(limpo)
            } else {
                Err((
                    "tamanho_invalido",
                    format!(
                        "deve ter de {tamanho_minimo} a {tamanho_maximo} caracteres; tem {tamanho}."
                    ),
                ))
            }
        }
        Formato::Decimal { inteiros, decimais } => decimal(texto, inteiros, decimais),
        Formato::Opcao { opcoes } => opcao(texto, opcoes),
        Formato::Digitos { tamanho } => {
            if texto.len() == usize::from(tamanho) && so_digitos(texto) {
                Ok(texto.to_owned())
            } else {
                Err(("valor_invalido", format!("deve ter {tamanho} dígitos.")))
            }
        }
        Formato::Data => Date::parse(texto, DIA)
            .ok()
            // The layout's pattern begins years with 20.
            .filter(|data| (2000..2100).contains(&data.year()))
            .map(|_| texto.to_owned())
            .ok_or((
                "data_invalida",
                "deve ser um dia existente, AAAA-MM-DD.".to_owned(),
            )),
        Formato::Chave => match Chave::parse(texto) {
            Ok(chave) => Ok(chave.as_str().to_owned()),
            Err(_) => errado(
                "chave_invalida",
                "deve ser uma chave de acesso de 44 posições com dígito verificador correto.",
            ),
        },
        Formato::Protocolo => {
            if matches!(texto.len(), 15 | 17) && so_digitos(texto) {
                Ok(texto.to_owned())
            } else {
                errado("protocolo_invalido", "deve ter 15 ou 17 dígitos.")
            }
        }
        Formato::Cnpj => match Cnpj::parse(texto) {
            Ok(cnpj) => Ok(cnpj.as_str().to_owned()),
            Err(_) => errado("cnpj_invalido", "não é um CNPJ válido."),
        },
        Formato::Uf => {
            let sigla = texto.to_ascii_uppercase();
            if data::ufs::por_sigla(&sigla).is_some() {
                Ok(sigla)
            } else {
                errado("uf_invalida", "deve ser a sigla de um estado.")
            }
        }
        Formato::Item => {
            let maximo = itens.unwrap_or(990).min(990);
            match texto.parse::<u16>() {
                Ok(item) if (1..=maximo).contains(&item) => Ok(item.to_string()),
                _ => Err((
                    "item_invalido",
                    format!("deve ser o número de um item da nota, de 1 a {maximo}."),
                )),
            }
        }
        Formato::Fixo { .. } | Formato::Grupo => errado("tipo_invalido", "não se informa."),
    }
}

/// Non-negative, with exactly `decimais` decimals written.
fn decimal(texto: &str, inteiros: u32, decimais: u32) -> Result<String, (&'static str, String)> {
    let numero = markup::decimal::ler(texto).ok_or_else(|| {
        (
            "decimal_invalido",
            "deve ser um número, com ponto para os decimais.".to_owned(),
        )
    })?;
    let numero = numero.normalize();
    if numero.is_sign_negative() && !numero.is_zero() {
        return Err(("decimal_invalido", "não pode ser negativo.".to_owned()));
    }
    if numero.scale() > decimais {
        return Err((
            "decimal_invalido",
            format!("tem mais de {decimais} casas decimais."),
        ));
    }
    if numero.trunc().to_string().len() > inteiros as usize {
        return Err((
            "decimal_invalido",
            format!("tem mais de {inteiros} algarismos inteiros."),
        ));
    }
    let mut numero = numero.abs();
    numero.rescale(decimais);
    Ok(numero.to_string())
}

/// The code itself, one digit less (`1` for `01`), or the name we give it.
fn opcao(texto: &str, opcoes: &[Codigo]) -> Result<String, (&'static str, String)> {
    let achada = opcoes.iter().find(|opcao| {
        opcao.valor == texto || opcao.nome == texto || opcao.valor.strip_prefix('0') == Some(texto)
    });
    match achada {
        Some(opcao) => Ok(opcao.valor.to_owned()),
        None => {
            let aceitas: Vec<String> = opcoes
                .iter()
                .map(|opcao| format!("{} ({})", opcao.valor, opcao.nome))
                .collect();
            Err((
                "valor_invalido",
                format!("deve ser um de: {}.", aceitas.join(", ")),
            ))
        }
    }
}

fn se_chama(campo: &CampoEvento, nome: &str) -> bool {
    !fixo(campo)
        && (nome == campo.nome
            || nome == campo.tag
            || (campo.atributo && nome.strip_prefix('@') == Some(campo.tag)))
}

fn fixo(campo: &CampoEvento) -> bool {
    matches!(campo.formato, Formato::Fixo { .. })
}

fn so_digitos(texto: &str) -> bool {
    texto.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name that came from outside, for a path.
fn curto(nome: &str) -> String {
    nome.chars().take(60).collect()
}
