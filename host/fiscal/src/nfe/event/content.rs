//! The fields of an event: from JSON, by the catalogue, to official elements.

use std::collections::HashSet;

use serde_json::{Map, Value};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::nfe::event::deadline::{self, Deadline};
use crate::nfe::event::kind::{Author, Codigo, EventField, Formato, Kind};
use markup::field::{Field, Fields};
use markup::ids::Cnpj;
use markup::ids::chave::Chave;
use markup::layout::normalize_text;
use markup::tree::Node;

/// Most problems told at once; a list of 990 items can have thousands.
const MAX_ERROS: usize = 100;

/// `AAAA-MM-DD`.
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// What is known beside the fields. Whatever is absent is not checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// Of the note.
    pub chave: Option<&'a Chave>,
    pub sequence: Option<u32>,
    /// Role of the sender in the note.
    pub author: Option<Author>,
    /// When the authority authorised the note.
    pub authorized_at: Option<OffsetDateTime>,
    pub now: Option<OffsetDateTime>,
    /// How many items the note has.
    pub items: Option<u16>,
}

/// Everything wrong with an event that can be told before it is sent; paths
/// are those of the request (`dados.justificativa`, `sequencia`, `ref`).
pub fn pre_validar(kind: &Kind, data: &Value, context: &Context<'_>) -> Vec<Field> {
    let mut erros = Fields::default();
    check_context(kind, context, &mut erros);
    elements(kind, data, context.items, &mut erros);
    erros.0
}

fn check_context(kind: &Kind, context: &Context<'_>, erros: &mut Fields) {
    if !kind.envia {
        erros.add(
            "tipo_evento",
            "evento_nao_enviado",
            format!(
                "O evento {} ({}) não é enviado por contribuintes.",
                kind.codigo, kind.nome
            ),
            "Escolha outro evento em GET /api/v1/reforma/eventos/catalogo.",
        );
    }
    if let Some(chave) = context.chave {
        let model = chave.model().to_string();
        if !kind.modelos.contains(&model.as_str()) {
            erros.add(
                "ref",
                "modelo_nao_aceito",
                format!(
                    "{} só existe para o modelo {}; a nota é do modelo {model}.",
                    kind.nome,
                    kind.modelos.join(" e ")
                ),
                "Confira a nota indicada.",
            );
        }
    }
    if let Some(author) = context.author
        && !kind.autores.contains(&author)
    {
        let who: Vec<&str> = kind.autores.iter().map(|author| author.name()).collect();
        erros.add(
            "tipo_evento",
            "autor_nao_permitido",
            format!(
                "{} só pode ser registrado por: {}.",
                kind.nome,
                who.join(", ")
            ),
            "Use o emitente cadastrado que tem esse papel na nota.",
        );
    }
    if let Some(sequence) = context.sequence
        && !(1..=u32::from(kind.sequencia_maxima)).contains(&sequence)
    {
        erros.add_value(
            "sequencia",
            "sequencia_invalida",
            &sequence.to_string(),
            format!(
                "A sequência vai de 1 a {} neste evento.",
                kind.sequencia_maxima
            ),
            "Deixe sequencia em branco para o hub numerar.",
        );
    }
    if let (Some(chave), Some(since), Some(now)) =
        (context.chave, context.authorized_at, context.now)
        && let Some(Deadline { minutes, codigo }) = deadline::deadline(kind, chave, since.date())
        && now - since > time::Duration::minutes(minutes)
    {
        erros.add(
            "ref",
            codigo,
            format!("O prazo deste evento acabou: {}.", kind.prazo),
            "Não há como registrar o evento; veja com o contador a alternativa, como uma nota de devolução ou de estorno.",
        );
    }
}

/// The fields as children of `detEvento`, in official order.
pub(super) fn elements(
    kind: &Kind,
    data: &Value,
    items: Option<u16>,
    erros: &mut Fields,
) -> Vec<Node> {
    let empty = Map::new();
    let object = match data {
        Value::Object(object) => object,
        Value::Null => &empty,
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
    let mut reader = Reader { items, erros };
    let mut output = Node::group("detEvento");
    reader.members("dados", kind.campos, object, &mut output);
    match output.content {
        markup::tree::ElementContent::Children(children) => children,
        markup::tree::ElementContent::Text(_) => Vec::new(),
    }
}

struct Reader<'e> {
    items: Option<u16>,
    erros: &'e mut Fields,
}

impl Reader<'_> {
    fn error(
        &mut self,
        caminho: &str,
        codigo: &str,
        message: impl Into<String>,
        correction: impl Into<String>,
    ) {
        if self.erros.0.len() < MAX_ERROS {
            self.erros.add(caminho, codigo, message, correction);
        }
    }

    fn value_error(
        &mut self,
        caminho: &str,
        codigo: &str,
        value: &str,
        message: String,
        correction: &str,
    ) {
        if self.erros.0.len() < MAX_ERROS {
            self.erros
                .add_value(caminho, codigo, value, message, correction);
        }
    }

    /// Tells the members that none of the fields has as its name.
    fn unknowns(&mut self, caminho: &str, fields: &[EventField], object: &Map<String, Value>) {
        let without_field = |name: &&String| !fields.iter().any(|field| is_called(field, name));
        for name in object.keys().filter(without_field) {
            let known: Vec<&str> = fields
                .iter()
                .filter(|field| !fixed(field))
                .map(|field| field.nome)
                .collect();
            self.error(
                &format!("{caminho}.{}", short(name)),
                "campo_desconhecido",
                "Este campo não existe neste evento.",
                format!("Campos aceitos aqui: {}.", known.join(", ")),
            );
        }
    }

    /// Members of one object into one element.
    fn members(
        &mut self,
        caminho: &str,
        fields: &[EventField],
        object: &Map<String, Value>,
        output: &mut Node,
    ) {
        self.unknowns(caminho, fields, object);
        for field in fields {
            if let Formato::Fixo { texto: text } = field.formato {
                output.put(Node::field(field.tag, text));
                continue;
            }
            let mut findings = object
                .iter()
                .filter(|(name, value)| is_called(field, name) && !value.is_null());
            let Some((name, value)) = findings.next() else {
                if field.obrigatorio {
                    self.error(
                        &format!("{caminho}.{}", field.nome),
                        "campo_obrigatorio",
                        format!("Falta {} ({}).", field.rotulo, field.nome),
                        field.explicacao,
                    );
                }
                continue;
            };
            let caminho = format!("{caminho}.{}", short(name));
            if findings.next().is_some() {
                self.error(
                    &caminho,
                    "campo_repetido",
                    format!(
                        "{} veio duas vezes, como {} e como {}.",
                        field.rotulo, field.nome, field.tag
                    ),
                    "Deixe só um dos dois.",
                );
            }
            for demanded in field.exige {
                let other = fields.iter().find(|other| other.tag == *demanded);
                if let Some(other) = other
                    && !object
                        .iter()
                        .any(|(name, value)| is_called(other, name) && !value.is_null())
                {
                    self.error(
                        &caminho,
                        "campo_dependente",
                        format!(
                            "{} só vai junto com {} ({}).",
                            field.rotulo, other.rotulo, other.nome
                        ),
                        format!("Informe {} ou retire {}.", other.nome, field.nome),
                    );
                }
            }
            self.field(&caminho, field, value, output);
        }
        // Form 99 of ECONF says what it is (as rule YA02a of the note).
        let others = output.value(&["tPag"]) == Some("99");
        if others && output.find("xPag").is_none() {
            self.error(
                &format!("{caminho}.descricao"),
                "campo_obrigatorio",
                "Falta a descrição da forma de pagamento 99 (outros).",
                "Diga em descricao qual é a forma.",
            );
        }
    }

    fn field(&mut self, caminho: &str, field: &EventField, value: &Value, output: &mut Node) {
        if field.formato != Formato::Grupo {
            if let Some(text) = self.value(caminho, field, value) {
                if field.atributo {
                    output.attributes.push((field.tag.into(), text));
                } else {
                    output.put(Node::field(field.tag, text));
                }
            }
            return;
        }
        match value {
            Value::Array(list) if field.ocorrencias > 1 => {
                if list.is_empty() || list.len() > usize::from(field.ocorrencias) {
                    self.error(
                        caminho,
                        "tamanho_invalido",
                        format!(
                            "{} tem de 1 a {} entradas; vieram {}.",
                            field.rotulo,
                            field.ocorrencias,
                            list.len()
                        ),
                        "Divida em mais de um evento, com sequências diferentes.",
                    );
                    return;
                }
                let mut seen = HashSet::new();
                for (index, value) in list.iter().enumerate() {
                    self.group(
                        &format!("{caminho}[{index}]"),
                        field,
                        value,
                        output,
                        &mut seen,
                    );
                }
            }
            _ => self.group(caminho, field, value, output, &mut HashSet::new()),
        }
    }

    fn group(
        &mut self,
        caminho: &str,
        field: &EventField,
        value: &Value,
        output: &mut Node,
        seen: &mut HashSet<String>,
    ) {
        let Value::Object(object) = value else {
            self.error(
                caminho,
                "tipo_invalido",
                format!("{} é um grupo de campos.", field.rotulo),
                "Envie um objeto { … }.",
            );
            return;
        };
        let mut group = Node::group(field.tag);
        self.members(caminho, field.campos, object, &mut group);
        // The schema's key over nItem.
        if let Some((_, item)) = group.attributes.iter().find(|(name, _)| name == "nItem")
            && !seen.insert(item.clone())
        {
            self.error(
                &format!("{caminho}.item"),
                "item_repetido",
                format!("O item {item} aparece mais de uma vez."),
                "Some os valores em uma só entrada por item.",
            );
        }
        output.put(group);
    }

    /// A value in its official form.
    fn value(&mut self, caminho: &str, field: &EventField, value: &Value) -> Option<String> {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            // Written with an exponent or without, a JSON number is its digits.
            Value::Number(_) => markup::decimal::from_json(value)
                .map_or_else(|| value.to_string(), |number| number.to_string()),
            Value::Bool(sim) => if *sim { "1" } else { "0" }.to_owned(),
            _ => {
                self.error(
                    caminho,
                    "tipo_invalido",
                    format!("{} é um valor simples.", field.rotulo),
                    "Envie um texto ou número.",
                );
                return None;
            }
        };
        match le(field.formato, &text, self.items) {
            Ok(official) => Some(official),
            Err((codigo, message)) => {
                self.value_error(
                    caminho,
                    codigo,
                    &text,
                    format!("{}: {message}", field.rotulo),
                    field.explicacao,
                );
                None
            }
        }
    }
}

/// The official form of a value, or code and sentence of what is wrong.
fn le(formato: Formato, text: &str, items: Option<u16>) -> Result<String, (&'static str, String)> {
    let wrong = |codigo, message: &str| Err((codigo, message.to_owned()));
    match formato {
        Formato::Texto {
            tamanho_minimo: min_length,
            tamanho_maximo: max_length,
        } => {
            let clean = normalize_text(text);
            let length = clean.chars().count();
            if (usize::from(min_length)..=usize::from(max_length)).contains(&length) {
                Ok(clean)
            } else {
                Err((
                    "tamanho_invalido",
                    format!("deve ter de {min_length} a {max_length} caracteres; tem {length}."),
                ))
            }
        }
        Formato::Decimal {
            inteiros: integers,
            decimais: fraction,
        } => decimal(text, integers, fraction),
        Formato::Opcao { opcoes: options } => option(text, options),
        Formato::Digitos { tamanho: length } => {
            if text.len() == usize::from(length) && only_digits(text) {
                Ok(text.to_owned())
            } else {
                Err(("valor_invalido", format!("deve ter {length} dígitos.")))
            }
        }
        Formato::Data => Date::parse(text, DAY)
            .ok()
            // The layout's pattern begins years with 20.
            .filter(|data| (2000..2100).contains(&data.year()))
            .map(|_| text.to_owned())
            .ok_or((
                "data_invalida",
                "deve ser um dia existente, AAAA-MM-DD.".to_owned(),
            )),
        Formato::Chave => match Chave::parse(text) {
            Ok(chave) => Ok(chave.as_str().to_owned()),
            Err(_) => wrong(
                "chave_invalida",
                "deve ser uma chave de acesso de 44 posições com dígito verificador correto.",
            ),
        },
        Formato::Protocolo => {
            if matches!(text.len(), 15 | 17) && only_digits(text) {
                Ok(text.to_owned())
            } else {
                wrong("protocolo_invalido", "deve ter 15 ou 17 dígitos.")
            }
        }
        Formato::Cnpj => match Cnpj::parse(text) {
            Ok(cnpj) => Ok(cnpj.as_str().to_owned()),
            Err(_) => wrong("cnpj_invalido", "não é um CNPJ válido."),
        },
        Formato::Uf => {
            let abbreviation = text.to_ascii_uppercase();
            if data::ufs::by_uf(&abbreviation).is_some() {
                Ok(abbreviation)
            } else {
                wrong("uf_invalida", "deve ser a sigla de um estado.")
            }
        }
        Formato::Item => {
            let maximum = items.unwrap_or(990).min(990);
            match text.parse::<u16>() {
                Ok(item) if (1..=maximum).contains(&item) => Ok(item.to_string()),
                _ => Err((
                    "item_invalido",
                    format!("deve ser o número de um item da nota, de 1 a {maximum}."),
                )),
            }
        }
        Formato::Fixo { .. } | Formato::Grupo => wrong("tipo_invalido", "não se informa."),
    }
}

/// Non-negative, with exactly `decimais` decimals written.
fn decimal(text: &str, integers: u32, fraction: u32) -> Result<String, (&'static str, String)> {
    let number = markup::decimal::parse(text).ok_or_else(|| {
        (
            "decimal_invalido",
            "deve ser um número, com ponto para os decimais.".to_owned(),
        )
    })?;
    let number = number.normalize();
    if number.is_sign_negative() && !number.is_zero() {
        return Err(("decimal_invalido", "não pode ser negativo.".to_owned()));
    }
    if number.scale() > fraction {
        return Err((
            "decimal_invalido",
            format!("tem mais de {fraction} casas decimais."),
        ));
    }
    if number.trunc().to_string().len() > integers as usize {
        return Err((
            "decimal_invalido",
            format!("tem mais de {integers} algarismos inteiros."),
        ));
    }
    let mut number = number.abs();
    number.rescale(fraction);
    Ok(number.to_string())
}

/// The code itself, one digit less (`1` for `01`), or the name we give it.
fn option(text: &str, options: &[Codigo]) -> Result<String, (&'static str, String)> {
    let found = options.iter().find(|option| {
        option.valor == text || option.nome == text || option.valor.strip_prefix('0') == Some(text)
    });
    match found {
        Some(option) => Ok(option.valor.to_owned()),
        None => {
            let accepted: Vec<String> = options
                .iter()
                .map(|option| format!("{} ({})", option.valor, option.nome))
                .collect();
            Err((
                "valor_invalido",
                format!("deve ser um de: {}.", accepted.join(", ")),
            ))
        }
    }
}

fn is_called(field: &EventField, name: &str) -> bool {
    !fixed(field)
        && (name == field.nome
            || name == field.tag
            || (field.atributo && name.strip_prefix('@') == Some(field.tag)))
}

fn fixed(field: &EventField) -> bool {
    matches!(field.formato, Formato::Fixo { .. })
}

fn only_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A name that came from outside, for a path.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
