//! The parties of the operation (NT 008, items 2.1.3 to 2.1.6).

use super::cidade_uf;
use crate::danfse::board::{CAMPO, Campo, Quadro};
use crate::danfse::{Danfse, Destinatario, Padrao, Pessoa};
use markup::format::{cep, documento, juntar, ou_traco, telefone};

pub(super) fn prestador(quadro: &mut Quadro, danfse: &Danfse) {
    let prestador = &danfse.prestador;
    pessoa(quadro, "PRESTADOR / FORNECEDOR", &prestador.pessoa, true);
    quadro.campos(&[
        Campo::novo(
            0,
            2,
            "Simples Nacional na Data de Competência",
            ou_traco(&prestador.simples_nacional),
        ),
        Campo::novo(
            2,
            2,
            "Regime de Apuração Tributária pelo SN",
            ou_traco(&prestador.regime_apuracao),
        ),
    ]);
}

/// Items 2.3.1 and 2.3.2: one sentence for a party that is not identified.
pub(super) fn participantes(quadro: &mut Quadro, danfse: &Danfse) {
    match &danfse.tomador {
        Some(tomador) => pessoa(quadro, "TOMADOR / ADQUIRENTE", tomador, true),
        None => quadro.frase("TOMADOR/ADQUIRENTE DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
    match &danfse.destinatario {
        Destinatario::Outro(outro) => pessoa(quadro, "DESTINATÁRIO DA OPERAÇÃO", outro, false),
        Destinatario::Tomador => {
            quadro.frase("O DESTINATÁRIO É O PRÓPRIO TOMADOR/ADQUIRENTE DA OPERAÇÃO");
        }
        // Only the national layout has a recipient apart from the taker.
        Destinatario::NaoIdentificado if danfse.padrao == Padrao::Nacional => {
            quadro.frase("DESTINATÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e");
        }
        Destinatario::NaoIdentificado => {}
    }
    match &danfse.intermediario {
        Some(outro) => pessoa(quadro, "INTERMEDIÁRIO DA OPERAÇÃO", outro, true),
        None => quadro.frase("INTERMEDIÁRIO DA OPERAÇÃO NÃO IDENTIFICADO NA NFS-e"),
    }
}

fn pessoa(quadro: &mut Quadro, titulo: &str, pessoa: &Pessoa, com_inscricao: bool) {
    quadro.reservar(3.0 * CAMPO);
    quadro.divisoria();
    let documento = documento(&pessoa.documento);
    let telefone = telefone(&pessoa.telefone);
    let mut primeira = vec![
        Campo::titulo(titulo),
        Campo::novo(1, 1, "CNPJ / CPF / NIF", ou_traco(&documento)),
    ];
    if com_inscricao {
        primeira.push(Campo::novo(
            2,
            1,
            "Indicador Municipal (Inscrição)",
            ou_traco(&pessoa.inscricao_municipal),
        ));
    }
    primeira.push(Campo::novo(3, 1, "Telefone", ou_traco(&telefone)));
    quadro.campos(&primeira);
    quadro.campos(&[
        Campo::novo(0, 2, "Nome / Nome Empresarial", ou_traco(&pessoa.nome)),
        Campo::novo(2, 1, "Município / Sigla UF", cidade_uf(&pessoa.municipio)),
        Campo::novo(
            3,
            1,
            "Código IBGE / CEP",
            juntar(&[&pessoa.municipio.codigo, &cep(&pessoa.cep)]),
        ),
    ]);
    quadro.campos(&[
        Campo::novo(0, 2, "Endereço", ou_traco(&pessoa.endereco)),
        Campo::novo(2, 2, "E-mail", ou_traco(&pessoa.email)),
    ]);
}
