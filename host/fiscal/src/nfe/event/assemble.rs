//! An event as the official tree.

use serde_json::Value;
use time::OffsetDateTime;

use crate::nfe::event::content;
use crate::nfe::event::kind::{Autor, Cabeca, Tipo};
use markup::field::{Campo, Campos};
use markup::ids::CpfCnpj;
use markup::ids::chave::Chave;
use markup::layout::{Escrito, Layout, normalizar_texto};
use markup::tree::Elemento;

/// An event about to be built.
#[derive(Debug, Clone)]
pub struct Evento {
    pub tipo: &'static Tipo,
    /// Of the note.
    pub chave: Chave,
    /// `nSeqEvento`.
    pub sequencia: u8,
    /// Who registers it.
    pub autor: CpfCnpj,
    /// Role of the author, for `tpAutor`; the catalogue's first one if absent.
    pub papel: Option<Autor>,
    /// `cOrgao`; by the catalogue and the key if absent. Only a note issued in
    /// SVC, or a taxpayer of IBS/CBS alone, needs another.
    pub orgao: Option<u8>,
    /// `cOrgaoAutor`, code of a state. The key's state if absent: the schema
    /// asks for "the state's code" without saying whose (not confirmed for
    /// authors of another state).
    pub orgao_autor: Option<u8>,
    /// `tpAmb` 1.
    pub producao: bool,
    /// `dhEvento`; written with the offset it has, cut to whole hours as the
    /// layout's pattern asks.
    pub em: OffsetDateTime,
    /// `verAplic` of our program.
    pub ver_aplic: String,
    /// As the request had it.
    pub dados: Value,
}

impl Evento {
    /// `Id` of `infEvento`: `ID`, type, key, two digits of the sequence.
    pub fn id(&self) -> String {
        format!(
            "ID{}{}{:02}",
            self.tipo.codigo,
            self.chave.as_str(),
            self.sequencia
        )
    }

    /// `cOrgao`.
    pub fn orgao(&self) -> String {
        match self.orgao {
            Some(orgao) => format!("{orgao:02}"),
            None => {
                let cuf = format!("{:02}", self.chave.uf());
                let modelo = self.chave.modelo().to_string();
                self.tipo.receptor.orgao(&modelo, &cuf).to_owned()
            }
        }
    }
}

/// Name of the layout that writes and judges this event (`evento-110111`).
pub fn nome_do_layout(tipo: &Tipo) -> String {
    format!("evento-{}", tipo.codigo)
}

/// The element `evento`, children in official order, without signature (which
/// goes after `infEvento`).
///
/// # Errors
/// Every problem of the fields, with request paths. What depends on the note
/// and the clock is [`super::pre_validar`]'s.
pub fn assemble(evento: &Evento) -> Result<Elemento, Vec<Campo>> {
    let mut erros = Campos::default();
    let tipo = evento.tipo;
    if !(1..=tipo.sequencia_maxima).contains(&evento.sequencia) {
        erros.add_value(
            "sequencia",
            "sequencia_invalida",
            &evento.sequencia.to_string(),
            format!(
                "A sequência vai de 1 a {} neste evento.",
                tipo.sequencia_maxima
            ),
            "Deixe sequencia em branco para o hub numerar.",
        );
    }
    let ver_aplic: String = normalizar_texto(&evento.ver_aplic)
        .chars()
        .take(20)
        .collect();
    let papel = evento.papel.or(tipo.autores.first().copied());
    // Where several may, nothing is known of an author who does not say.
    let do_emitente = evento.papel == Some(Autor::Emitente) || tipo.autores == [Autor::Emitente];
    if do_emitente && !emitiu(evento) {
        erros.add(
            "ref",
            "autor_diverge",
            "A nota não é deste emitente: só quem a emitiu registra este evento.",
            "Confira a nota e o emitente indicados.",
        );
    }
    let mut detalhe = Elemento::grupo("detEvento")
        .atributo("versao", tipo.versao)
        .com("descEvento", tipo.descricao);
    let cuf = evento.orgao_autor.unwrap_or(evento.chave.uf());
    if matches!(tipo.cabeca, Cabeca::Orgao | Cabeca::Completa) {
        detalhe = detalhe.com("cOrgaoAutor", format!("{cuf:02}"));
    }
    if tipo.cabeca == Cabeca::Completa {
        detalhe = detalhe.com_se("tpAutor", papel.map(Autor::codigo));
    }
    if tipo.cabeca != Cabeca::Nada {
        detalhe = detalhe.com("verAplic", ver_aplic.trim_end());
    }
    let campos = content::elementos(tipo, &evento.dados, None, &mut erros);
    detalhe = detalhe.filhos(campos);
    erros.into_result()?;
    let (inscricao, documento) = match &evento.autor {
        CpfCnpj::Cnpj(cnpj) => ("CNPJ", cnpj.as_str()),
        CpfCnpj::Cpf(cpf) => ("CPF", cpf.as_str()),
    };
    let corpo = Elemento::grupo("infEvento")
        .atributo("Id", evento.id())
        .com("cOrgao", evento.orgao())
        .com("tpAmb", if evento.producao { "1" } else { "2" })
        .com(inscricao, documento)
        .com("chNFe", evento.chave.as_str())
        .com("dhEvento", momento(evento.em))
        .com("tpEvento", tipo.codigo)
        .com("nSeqEvento", evento.sequencia.to_string())
        .com("verEvento", tipo.versao)
        .filho(detalhe);
    Ok(Elemento::grupo("evento")
        .atributo("versao", "1.00")
        .filho(corpo))
}

/// Whether the author is the company of the key, any of its establishments.
/// Keys of notes a tax office issues (series 890 to 899 and 910 to 919) hold
/// the office's CNPJ and tell nothing.
fn emitiu(evento: &Evento) -> bool {
    if matches!(evento.chave.serie(), 890..=899 | 910..=919) {
        return true;
    }
    match (evento.chave.emitente(), &evento.autor) {
        (Some(CpfCnpj::Cnpj(emitente)), CpfCnpj::Cnpj(autor)) => emitente.raiz() == autor.raiz(),
        (Some(emitente), autor) => emitente == *autor,
        (None, _) => true,
    }
}

/// The event as canonical XML, ready to be signed: [`montar`], then the layout
/// of its type.
///
/// # Errors
/// As [`montar`]; what the layout has no place for.
pub fn escrever(evento: &Evento) -> Result<Escrito, Vec<Campo>> {
    escrito(&nome_do_layout(evento.tipo), &assemble(evento)?)
}

/// Writes by a layout; its errors as those of the request's fields.
pub(super) fn escrito(layout: &str, arvore: &Elemento) -> Result<Escrito, Vec<Campo>> {
    let campo = |caminho: String, codigo: &str, mensagem: String, correcao: String| Campo {
        campo: caminho,
        codigo: codigo.to_owned(),
        mensagem,
        correcao,
        valor: None,
    };
    let Some(tabela) = Layout::get(layout) else {
        return Err(vec![campo(
            "tipo_evento".to_owned(),
            "layout",
            format!("O layout {layout} não está disponível."),
            "Escolha outro evento.".to_owned(),
        )]);
    };
    tabela.escrever(arvore).map_err(|erros| {
        erros
            .into_iter()
            .map(|erro| campo(erro.caminho, erro.regra, erro.mensagem, erro.correcao))
            .collect()
    })
}

/// `TDateTimeUTC`: whole seconds, offset of whole hours from -11 to +12.
pub(super) fn momento(em: OffsetDateTime) -> String {
    let horas = em.offset().whole_hours().clamp(-11, 12);
    let fuso = time::UtcOffset::from_hms(horas, 0, 0).unwrap_or(time::UtcOffset::UTC);
    let em = em.to_offset(fuso);
    format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:00",
        em.year(),
        u8::from(em.month()),
        em.day(),
        em.hour(),
        em.minute(),
        em.second(),
        if horas < 0 { '-' } else { '+' },
        horas.unsigned_abs()
    )
}
