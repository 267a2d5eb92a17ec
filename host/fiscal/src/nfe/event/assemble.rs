//! An event as the official tree.

use serde_json::Value;
use time::OffsetDateTime;

use crate::nfe::event::content;
use crate::nfe::event::family::Family;
use crate::nfe::event::kind::{Author, Head, Kind};
use markup::field::{Field, Fields, of_layout};
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use markup::layout::{Layout, Written, normalize_text};
use markup::tree::Node;

/// An event about to be built.
#[derive(Debug, Clone)]
pub struct Evento {
    pub kind: &'static Kind,
    /// Of the note.
    pub chave: Chave,
    /// `nSeqEvento`.
    pub sequence: u8,
    /// Who registers it.
    pub author: CpfCnpj,
    /// Role of the author, for `tpAutor`; the catalogue's first one if absent.
    pub role: Option<Author>,
    /// `cOrgao`; by the catalogue and the key if absent. Only a note issued in
    /// SVC, or a taxpayer of IBS/CBS alone, needs another.
    pub agency: Option<u8>,
    /// `cOrgaoAutor`, code of a state. The key's state if absent: the schema
    /// asks for "the state's code" without saying whose (not confirmed for
    /// authors of another state).
    pub author_agency: Option<u8>,
    /// `tpAmb` 1.
    pub production: bool,
    /// `dhEvento`; written with the offset it has, cut to whole hours as the
    /// layout's pattern asks.
    pub at: OffsetDateTime,
    /// `verAplic` of our program.
    pub ver_aplic: String,
    /// As the request had it.
    pub data: Value,
}

impl Evento {
    /// `Id` of `infEvento`: `ID`, type, key, two digits of the sequence; three
    /// of transport documents.
    pub fn id(&self) -> String {
        format!(
            "ID{}{}{:0width$}",
            self.kind.codigo,
            self.chave.as_str(),
            self.sequence,
            width = self.kind.familia.sequence_digits()
        )
    }

    /// `cOrgao`.
    pub fn agency(&self) -> String {
        match self.agency {
            Some(agency) => format!("{agency:02}"),
            None => {
                let cuf = format!("{:02}", self.chave.uf());
                let model = self.chave.model().to_string();
                self.kind.receptor.agency(&model, &cuf).to_owned()
            }
        }
    }
}

/// Name of the layout that writes and judges this event (`evento-110111`,
/// `eventoCTe-110111`).
pub fn layout_name(kind: &Kind) -> String {
    format!("{}-{}", kind.familia.event(), kind.codigo)
}

/// The element `evento`, or that of the family, children in official order,
/// without signature (which goes after `infEvento`).
///
/// # Errors
/// Every problem of the fields, with request paths. What depends on the note
/// and the clock is [`super::pre_validar`]'s.
pub fn assemble(evento: &Evento) -> Result<Node, Vec<Field>> {
    let mut erros = Fields::default();
    let kind = evento.kind;
    if !(1..=kind.sequencia_maxima).contains(&evento.sequence) {
        erros.add_value(
            "sequencia",
            "sequencia_invalida",
            &evento.sequence.to_string(),
            format!(
                "A sequência vai de 1 a {} neste evento.",
                kind.sequencia_maxima
            ),
            "Deixe sequencia em branco para o hub numerar.",
        );
    }
    let ver_aplic: String = normalize_text(&evento.ver_aplic).chars().take(20).collect();
    let role = evento.role.or(kind.autores.first().copied());
    // Where several may, nothing is known of an author who does not say.
    let of_issuer = evento.role == Some(Author::Emitente) || kind.autores == [Author::Emitente];
    if of_issuer && !has_issued(evento) {
        erros.add(
            "ref",
            "autor_diverge",
            "A nota não é deste emitente: só quem a emitiu registra este evento.",
            "Confira a nota e o emitente indicados.",
        );
    }
    let mut detail = Node::group(inside(kind)).with("descEvento", kind.descricao);
    let cuf = evento.author_agency.unwrap_or(evento.chave.uf());
    if matches!(kind.cabeca, Head::Agency | Head::Complete) {
        detail = detail.with("cOrgaoAutor", format!("{cuf:02}"));
    }
    if kind.cabeca == Head::Complete {
        detail = detail.with_if("tpAutor", role.map(Author::codigo));
    }
    if kind.cabeca != Head::Nothing {
        detail = detail.with("verAplic", ver_aplic.trim_end());
    }
    let fields = content::elements(kind, &evento.data, None, &mut erros);
    detail = detail.children(fields);
    erros.into_result()?;
    Ok(enveloped(evento, detail))
}

/// Element that the fields stand in.
fn inside(kind: &Kind) -> &'static str {
    match kind.elemento {
        "" => "detEvento",
        own => own,
    }
}

/// The event around its fields.
fn enveloped(evento: &Evento, fields: Node) -> Node {
    let kind = evento.kind;
    let family = kind.familia;
    let detail = match family {
        Family::Nfe => fields,
        Family::Cte | Family::Mdfe => Node::group("detEvento").child(fields),
    };
    let detail = detail.attribute(family.detail_version(), kind.versao);
    let version = (family == Family::Nfe).then_some(kind.versao);
    let (registration, documento) = match &evento.author {
        CpfCnpj::Cnpj(cnpj) => ("CNPJ", cnpj.as_str()),
        CpfCnpj::Cpf(cpf) => ("CPF", cpf.as_str()),
    };
    let body = Node::group("infEvento")
        .attribute("Id", evento.id())
        .with("cOrgao", evento.agency())
        .with("tpAmb", if evento.production { "1" } else { "2" })
        .with(registration, documento)
        .with(family.key(), evento.chave.as_str())
        .with("dhEvento", moment(evento.at))
        .with("tpEvento", kind.codigo)
        .with("nSeqEvento", evento.sequence.to_string())
        .with_if("verEvento", version)
        .child(detail);
    Node::group(family.event())
        .attribute("versao", family.event_version())
        .child(body)
}

/// Whether the author is the company of the key, any of its establishments.
/// Keys of notes a tax office issues (series 890 to 899 and 910 to 919) hold
/// the office's CNPJ and tell nothing.
fn has_issued(evento: &Evento) -> bool {
    if matches!(evento.chave.serie(), 890..=899 | 910..=919) {
        return true;
    }
    match (evento.chave.emitter(), &evento.author) {
        (Some(CpfCnpj::Cnpj(issuer)), CpfCnpj::Cnpj(author)) => issuer.root() == author.root(),
        (Some(issuer), author) => issuer == *author,
        (None, _) => true,
    }
}

/// The event as canonical XML, ready to be signed: [`build`], then the layout
/// of its type.
///
/// # Errors
/// As [`build`]; what the layout has no place for.
pub fn write(evento: &Evento) -> Result<Written, Vec<Field>> {
    written(&layout_name(evento.kind), &assemble(evento)?, |official| {
        place_in_request(evento.kind, official)
    })
}

/// The place in a request of an official path of an event: that of its longest
/// beginning that is a field of the kind (`dados.itens[0].valor`), or the official
/// names where none is.
pub fn place_in_request(kind: &Kind, official: &str) -> String {
    let mut steps = official.split('/').skip_while(|step| *step != "detEvento");
    let mut fields = kind.campos;
    let mut place = None;
    steps.next();
    for step in steps.skip_while(|step| *step == kind.elemento) {
        let step = step.strip_prefix('@').unwrap_or(step);
        let tag = step.split('[').next().unwrap_or_default();
        let Some(field) = fields.iter().find(|field| field.tag == tag) else {
            break;
        };
        let mut below = place.unwrap_or_else(|| "dados".to_owned());
        below.push('.');
        below.push_str(field.nome);
        // The position, from 0, of what may be there several times.
        below.push_str(of_layout(step).strip_prefix(tag).unwrap_or_default());
        fields = field.campos;
        place = Some(below);
    }
    place.unwrap_or_else(|| of_layout(official))
}

/// Writes by a layout; its errors at their places in the request.
pub(super) fn written(
    layout: &str,
    tree: &Node,
    place: impl Fn(&str) -> String,
) -> Result<Written, Vec<Field>> {
    let field = |caminho: String, codigo: &str, message: String, correction: String| Field {
        campo: caminho,
        codigo: codigo.to_owned(),
        mensagem: message,
        correcao: correction,
        valor: None,
    };
    let Some(table) = Layout::get(layout) else {
        return Err(vec![field(
            "tipo_evento".to_owned(),
            "layout",
            format!("O layout {layout} não está disponível."),
            "Escolha outro evento.".to_owned(),
        )]);
    };
    table.write(tree).map_err(|erros| {
        erros
            .into_iter()
            .map(|error| {
                let place = place(&error.caminho);
                field(place, error.regra, error.mensagem, error.correcao)
            })
            .collect()
    })
}

/// `TDateTimeUTC`: whole seconds, offset of whole hours from -11 to +12.
pub(super) fn moment(at: OffsetDateTime) -> String {
    let hours = at.offset().whole_hours().clamp(-11, 12);
    let zone = time::UtcOffset::from_hms(hours, 0, 0).unwrap_or(time::UtcOffset::UTC);
    let at = at.to_offset(zone);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:00",
        at.year(),
        u8::from(at.month()),
        at.day(),
        at.hour(),
        at.minute(),
        at.second(),
        if hours < 0 { '-' } else { '+' },
        hours.unsigned_abs()
    )
}
