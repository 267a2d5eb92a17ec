//! GET /api/v1/reforma/eventos/catalogo: the events with their fields, from the
//! rows that /nfe/eventos-reforma reads requests by. Free.

use axum::extract::Query as UrlQuery;
use axum::routing::on;
use fiscal::nfe::event::{Codigo, EventField, Formato, Kind, Receiver, catalogue};
use gate::Call;
use gate::answer::ApiAnswer;
use gate::docs::{Built, Docs};
use gate::request::list::{Query, flag, only};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

pub fn built() -> Built {
    Built {
        operation: "reforma.eventos.catalogo",
        route: |method| on(method, catalogo),
        docs: Docs::new("Lista os eventos da reforma tributária (IBS, CBS, IS) com autor, prazo e campos: os nomes que POST /api/v1/nfe/eventos-reforma aceita em dados.")
            .query(
                "todos",
                "1: também os outros eventos da NF-e e da NFC-e, que têm operações próprias.",
                json!({ "type": "string", "enum": ["0", "1"] }),
            )
            .success::<CatalogoOut>(),
    }
}

/// Os tipos de evento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CatalogoDeEventosOut")]
struct CatalogoOut {
    itens: Vec<KindOut>,
}

/// Um tipo de evento.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TipoDoCatalogo")]
struct KindOut {
    /// Seis dígitos (`tpEvento`).
    tipo_evento: &'static str,
    nome: &'static str,
    /// O texto do leiaute (`descEvento`).
    descricao: &'static str,
    /// Quando e por que registrar.
    explicacao: &'static str,
    /// `emitente`, `destinatario`, `sucessora` ou `fisco`; vários com `|` entre eles.
    autor: String,
    /// Modelos da nota: `55`, `65`.
    modelos: Vec<&'static str>,
    receptor: ReceiverOut,
    /// A maior `sequencia` do mesmo evento em uma nota.
    sequencia_maxima: u8,
    prazo: &'static str,
    /// Os membros de `dados`.
    campos: Vec<FieldOut>,
    /// A nota técnica que criou o evento.
    nota_tecnica: &'static str,
    /// É da reforma tributária.
    reforma: bool,
    /// O hub transmite o evento; `false`: só o fisco o registra, ou foi extinto.
    envia: bool,
}

/// Quem registra o evento.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ReceptorDoEvento")]
enum ReceiverOut {
    /// A SEFAZ que autorizou a nota.
    Autorizador,
    /// A SEFAZ Virtual do Rio Grande do Sul.
    Svrs,
    /// A SVRS na NF-e, o autorizador na NFC-e.
    SvrsOuAutorizador,
    AmbienteNacional,
}

/// Um campo de `dados`, ou de um grupo.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CampoDoEvento")]
struct FieldOut {
    /// O nome no pedido.
    nome: &'static str,
    /// O nome no leiaute, que o pedido também aceita.
    tag: &'static str,
    rotulo: &'static str,
    descricao: &'static str,
    tipo: FieldKind,
    obrigatorio: bool,
    /// Quantas vezes cabe; acima de 1 é uma lista.
    ocorrencias: u16,
    /// Os campos (nome do leiaute) que vão junto com este.
    exige: &'static [&'static str],
    /// De `texto`; `digitos` tem os dois iguais. `null` nos outros tipos.
    tamanho_minimo: Option<u16>,
    /// Como `tamanho_minimo`.
    tamanho_maximo: Option<u16>,
    /// De `decimal`: algarismos antes da vírgula.
    inteiros: Option<u32>,
    /// De `decimal`: casas depois da vírgula.
    decimais: Option<u32>,
    /// De `opcao`: os valores aceitos.
    opcoes: Vec<ChoiceOut>,
    /// De `grupo`: os seus campos.
    campos: Vec<FieldOut>,
}

/// O que um campo guarda.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "TipoDoCampo")]
enum FieldKind {
    Texto,
    Decimal,
    Opcao,
    Digitos,
    /// Texto do leiaute, que o hub preenche.
    Fixo,
    /// AAAA-MM-DD.
    Data,
    /// Chave de acesso, 44 posições.
    Chave,
    /// 15 ou 17 dígitos.
    Protocolo,
    Cnpj,
    /// Sigla do estado.
    Uf,
    /// Número do item da nota, 1 a 990.
    Item,
    Grupo,
}

/// Um valor aceito.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "OpcaoDoCampo")]
struct ChoiceOut {
    /// O valor do leiaute.
    valor: &'static str,
    /// O nome que o pedido também aceita.
    nome: &'static str,
    descricao: &'static str,
}

async fn catalogo(call: Call, UrlQuery(query): UrlQuery<Query>) -> ApiAnswer<CatalogoOut> {
    only(&query, &["todos"])?;
    let all = flag(&query, "todos")?;
    let kinds = catalogue().iter().filter(|kind| all || kind.reforma);
    call.ok(CatalogoOut {
        itens: kinds.map(KindOut::from).collect(),
    })
}

impl From<&'static Kind> for KindOut {
    fn from(kind: &'static Kind) -> KindOut {
        let authors: Vec<&str> = kind.autores.iter().map(|author| author.name()).collect();
        KindOut {
            tipo_evento: kind.codigo,
            nome: kind.nome,
            descricao: kind.descricao,
            explicacao: kind.explicacao,
            autor: authors.join("|"),
            modelos: kind.modelos.to_vec(),
            receptor: match kind.receptor {
                Receiver::Autorizador => ReceiverOut::Autorizador,
                Receiver::Svrs => ReceiverOut::Svrs,
                Receiver::SvrsOuAutorizador => ReceiverOut::SvrsOuAutorizador,
                Receiver::AmbienteNacional => ReceiverOut::AmbienteNacional,
            },
            sequencia_maxima: kind.sequencia_maxima,
            prazo: kind.prazo,
            campos: kind.campos.iter().map(FieldOut::from).collect(),
            nota_tecnica: kind.nota_tecnica,
            reforma: kind.reforma,
            envia: kind.envia,
        }
    }
}

impl From<&'static EventField> for FieldOut {
    fn from(field: &'static EventField) -> FieldOut {
        let mut out = FieldOut {
            nome: field.nome,
            tag: field.tag,
            rotulo: field.rotulo,
            descricao: field.explicacao,
            tipo: FieldKind::of(field.formato),
            obrigatorio: field.obrigatorio,
            ocorrencias: field.ocorrencias,
            exige: field.exige,
            tamanho_minimo: None,
            tamanho_maximo: None,
            inteiros: None,
            decimais: None,
            opcoes: Vec::new(),
            campos: field.campos.iter().map(FieldOut::from).collect(),
        };
        match field.formato {
            Formato::Texto {
                tamanho_minimo,
                tamanho_maximo,
            } => {
                out.tamanho_minimo = Some(tamanho_minimo);
                out.tamanho_maximo = Some(tamanho_maximo);
            }
            Formato::Digitos { tamanho } => {
                out.tamanho_minimo = Some(u16::from(tamanho));
                out.tamanho_maximo = out.tamanho_minimo;
            }
            Formato::Decimal { inteiros, decimais } => {
                out.inteiros = Some(inteiros);
                out.decimais = Some(decimais);
            }
            Formato::Opcao { opcoes } => out.opcoes = opcoes.iter().map(ChoiceOut::from).collect(),
            _ => {}
        }
        out
    }
}

impl FieldKind {
    fn of(formato: Formato) -> FieldKind {
        match formato {
            Formato::Texto { .. } => FieldKind::Texto,
            Formato::Decimal { .. } => FieldKind::Decimal,
            Formato::Opcao { .. } => FieldKind::Opcao,
            Formato::Digitos { .. } => FieldKind::Digitos,
            Formato::Fixo { .. } => FieldKind::Fixo,
            Formato::Data => FieldKind::Data,
            Formato::Chave => FieldKind::Chave,
            Formato::Protocolo => FieldKind::Protocolo,
            Formato::Cnpj => FieldKind::Cnpj,
            Formato::Uf => FieldKind::Uf,
            Formato::Item => FieldKind::Item,
            Formato::Grupo => FieldKind::Grupo,
        }
    }
}

impl From<&'static Codigo> for ChoiceOut {
    fn from(choice: &'static Codigo) -> ChoiceOut {
        ChoiceOut {
            valor: choice.valor,
            nome: choice.nome,
            descricao: choice.significado,
        }
    }
}
