//! The parties of the operation (NT 008, items 2.1.3 to 2.1.6).

use super::city_uf;
use crate::danfse::board::{Board, FIELD, Field};
use crate::danfse::{Danfse, Party, Recipient, Standard};
use markup::format::{cep, document, join, or_dash, telephone};

pub(super) fn prestador(board: &mut Board, danfse: &Danfse) {
    let prestador = &danfse.prestador;
    party(board, "PRESTADOR / FORNECEDOR", &prestador.party, true);
    board.fields(&[
        Field::new(
            0,
            2,
            "Simples Nacional na Data de Competência",
            or_dash(&prestador.simples_nacional),
        ),
        Field::new(
            2,
            2,
            "Regime de Apuração Tributária pelo SN",
            or_dash(&prestador.computation_regime),
        ),
    ]);
}

/// Items 2.3.1 and 2.3.2: one sentence for a party that is not identified.
pub(super) fn participants(board: &mut Board, danfse: &Danfse) {
    match &danfse.tomador {
        Some(tomador) => party(board, "TOMADOR / ADQUIRENTE", tomador, true),
        None => board.sentence("TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
    match &danfse.recipient {
        Recipient::Other(other) => party(board, "DESTINATÁRIO DA OPERAÇÃO", other, false),
        Recipient::Tomador => {
            board.sentence("O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO");
        }
        // Only the national layout has a recipient apart from the taker.
        Recipient::Unidentified if danfse.standard == Standard::National => {
            board.sentence("DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e");
        }
        Recipient::Unidentified => {}
    }
    match &danfse.intermediary {
        Some(other) => party(board, "INTERMEDIÁRIO DA OPERAÇÃO", other, true),
        None => board.sentence("INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
}

fn party(board: &mut Board, title: &str, party: &Party, with_registration: bool) {
    board.reserve(3.0 * FIELD);
    board.divider();
    let document = document(&party.document);
    let telephone = telephone(&party.telephone);
    let mut first = vec![
        Field::title(title),
        Field::new(1, 1, "CNPJ / CPF / NIF", or_dash(&document)),
    ];
    if with_registration {
        first.push(Field::new(
            2,
            1,
            "Indicador Municipal (Inscrição)",
            or_dash(&party.municipal_registration),
        ));
    }
    first.push(Field::new(3, 1, "Telefone", or_dash(&telephone)));
    board.fields(&first);
    board.fields(&[
        Field::new(0, 2, "Nome / Nome Empresarial", or_dash(&party.name)),
        Field::new(2, 1, "Município / Sigla UF", city_uf(&party.municipality)),
        Field::new(
            3,
            1,
            "Código IBGE / CEP",
            join(&[&party.municipality.code, &cep(&party.cep)]),
        ),
    ]);
    board.fields(&[
        Field::new(0, 2, "Endereço", or_dash(&party.address)),
        Field::new(2, 2, "E-mail", or_dash(&party.email)),
    ]);
}
