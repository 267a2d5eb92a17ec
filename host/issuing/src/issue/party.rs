//! A registered person in a note: fills what the request leaves out.
//!
//! What the request says stays. An address is one thing: the registered one
//! comes whole or not at all.

use crate::emitters::party::{self, Person};
use base::errors::Failure;
use compose::frame::Model;
use fiscal::nfe::order::{IndicadorIe, Pedido, Presenca};
use fiscal::nfse::dps::{Content, PersonKind};
use markup::field::Fields;
use markup::ids::CpfCnpj;
use std::collections::BTreeMap;
use store::Conn;
use store::ids::PessoaId;
use store::tables::emitters::EmitterRow;
use store::tables::pessoas as rows;

/// Ids of registered persons, by the member of the request they stand in.
pub type Pessoas = BTreeMap<String, PessoaId>;

/// Fills the parties of a product note; the answer: members whose person is
/// not there.
///
/// # Errors
/// The database failed.
pub async fn product(
    conn: &mut Conn,
    emitter: &EmitterRow,
    fields: &mut Fields,
    ids: &Pessoas,
    model: Model,
    request: &mut Pedido,
) -> Result<Vec<String>, Failure> {
    let presence = request.presenca;
    let mut absent = Vec::new();
    for (member, id) in ids {
        let party = match member.as_str() {
            "consumidor" => &mut request.consumidor,
            _ => &mut request.destinatario,
        };
        let party = party.get_or_insert_default();
        let found = of(conn, emitter, fields, member, id, party.cpf_cnpj.as_deref()).await?;
        let Some((documento, person)) = found else {
            absent.push(member.clone());
            continue;
        };
        fill(&mut party.cpf_cnpj, Some(&documento));
        fill(&mut party.nome, Some(&person.name));
        fill(&mut party.email, person.email.as_ref());
        // The consumer of an NFC-e is a name; a place only where it is
        // delivered to.
        let delivered = presence == Some(Presenca::EntregaDomicilio);
        if model == Model::Nfce && !delivered {
            continue;
        }
        let telefone = person.telefones.first().map(|one| &one.numero);
        fill(&mut party.telefone, telefone);
        if party.endereco.is_none() {
            party.endereco = person.principal().map(party::Address::nfe);
        }
        // Who is said to be no taxpayer, or exempt, has no number here.
        let taxpayer = party
            .indicador_ie
            .is_none_or(|indicator| indicator == IndicadorIe::Contribuinte);
        if taxpayer && model == Model::Nfe {
            fill(&mut party.ie, person.ie.as_ref());
            fill(&mut party.im, person.im.as_ref());
        }
    }
    Ok(absent)
}

/// The members of a service note that hold a person.
pub const SERVICE_PARTIES: [&str; 3] = ["tomador", "intermediario", RECIPIENT];

/// The one who receives the service, where that is not the customer.
const RECIPIENT: &str = "ibs_cbs.destinatario";

/// As [`product`], for a service note.
///
/// # Errors
/// The database failed.
pub async fn service(
    conn: &mut Conn,
    emitter: &EmitterRow,
    fields: &mut Fields,
    ids: &Pessoas,
    content: &mut Content,
) -> Result<Vec<String>, Failure> {
    let mut absent = Vec::new();
    for (member, id) in ids {
        let party = match member.as_str() {
            "intermediario" => &mut content.intermediario,
            RECIPIENT => &mut content.ibs_cbs.get_or_insert_default().destinatario,
            _ => &mut content.tomador,
        };
        let party = party.get_or_insert_default();
        if party.tipo != PersonKind::Identificado {
            fields.add(
                format!("{member}.pessoa_id"),
                "grupos_excludentes",
                "Uma pessoa cadastrada é sempre identificada.",
                "Retire pessoa_id, ou deixe tipo de fora.",
            );
            continue;
        }
        let found = of(conn, emitter, fields, member, id, party.cpf_cnpj.as_deref()).await?;
        let Some((documento, person)) = found else {
            absent.push(member.clone());
            continue;
        };
        fill(&mut party.cpf_cnpj, Some(&documento));
        fill(&mut party.nome, Some(&person.name));
        fill(&mut party.im, person.im.as_ref());
        fill(&mut party.email, person.email.as_ref());
        let telefone = person.telefones.first().map(|one| &one.numero);
        fill(&mut party.telefone, telefone);
        if party.endereco.is_none() {
            party.endereco = person.principal().map(party::Address::nfse);
        }
    }
    Ok(absent)
}

/// Removes the findings "required member is missing" about parties whose
/// registered person was not found: that was told already.
pub fn without(found: &mut Vec<markup::field::Field>, absent: &[String]) {
    found.retain(|field| {
        let of_absent = absent.iter().any(|member| {
            let rest = field.campo.strip_prefix(member.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
        !(of_absent && field.codigo == "obrigatorio")
    });
}

fn fill(member: &mut Option<String>, registered: Option<&String>) {
    if member.as_deref().is_none_or(|text| text.trim().is_empty()) {
        *member = registered.cloned().or_else(|| member.take());
    }
}

/// The person of an id, with its document; None, and a point to correct, when
/// the emitter's registry has none, or the request names another document.
async fn of(
    conn: &mut Conn,
    emitter: &EmitterRow,
    fields: &mut Fields,
    member: &str,
    id: &PessoaId,
    given: Option<&str>,
) -> Result<Option<(String, Person)>, Failure> {
    let row = rows::get(conn, &emitter.account_id, id).await?;
    let row = row.filter(|row| row.emitter_id == emitter.id);
    let Some(row) = row else {
        fields.add(
            format!("{member}.pessoa_id"),
            "pessoa_inexistente",
            "O cadastro deste emitente não tem pessoa com este id.",
            "Confira o id em GET /api/v1/pessoas; cada emitente tem o seu cadastro.",
        );
        return Ok(None);
    };
    // One with wrong digits is told by the rules of the note.
    let given = given.and_then(|text| CpfCnpj::parse(text).ok());
    if given.is_some_and(|given| given.as_str() != row.documento) {
        fields.add(
            format!("{member}.cpf_cnpj"),
            "pessoa_divergente",
            "O CPF ou CNPJ informado não é o da pessoa cadastrada.",
            "Deixe cpf_cnpj ou pessoa_id de fora.",
        );
    }
    let person = party::of(&row)?;
    Ok(Some((row.documento, person)))
}
