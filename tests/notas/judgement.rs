//! The judges can refuse: notes that are right but for one thing. A bench
//! that only ever says yes proves nothing.

use crate::authority::Sefaz;
use crate::bench::{AGORA, assina, dados, item, ler, normal, venda};
use compose::assembly::{Nota, validar};
use compose::frame::{Ambiente, Dados, Modelo};
use markup::tree::{Conteudo, Elemento};
use serde_json::json;
use time::Duration;

/// A sale with instalments, right in everything.
fn certa(dados: &Dados) -> Nota {
    let mut corpo = venda(vec![item(), item()]);
    corpo["cobranca"] = json!({ "duplicatas": [
        { "vencimento": "2026-12-20", "valor": 9.98 }, { "vencimento": "2027-01-20", "valor": 9.98 } ] });
    validar(&mut ler(&corpo), &normal(), dados, AGORA).expect("right")
}

/// Writes another text at a path of the tree; at the last of several.
pub fn troca(onde: &mut Elemento, caminho: &[&str], texto: &str) {
    let Some((nome, resto)) = caminho.split_first() else {
        onde.conteudo = Conteudo::Texto(texto.into());
        return;
    };
    let Conteudo::Filhos(filhos) = &mut onde.conteudo else {
        panic!("{nome} is below a text");
    };
    let filho = filhos.iter_mut().rev().find(|filho| filho.nome == *nome);
    troca(filho.expect("in the tree"), resto, texto);
}

#[test]
fn one_wrong_thing_and_the_authority_refuses() {
    let dados = dados(Modelo::Nfe);
    for (caminho, texto, codigo) in [
        ("total/ICMSTot/vNF", "19.97", "610"),
        ("total/ICMSTot/vBC", "19.95", "531"),
        ("total/ICMSTot/vICMS", "3.61", "532"),
        ("total/ICMSTot/vProd", "19.95", "564"),
        ("total/ICMSTot/vPIS", "0.01", "602"),
        ("total/IBSCBSTot/gCBS/vCBS", "9.00", "1091"),
        ("det/prod/vProd", "9.96", "629"),
        ("det/prod/NCM", "12345678", "778"),
        ("det/prod/CFOP", "6102", "732"),
        ("det/imposto/ICMS/ICMS00/vICMS", "1.82", "528"),
        ("det/imposto/IBSCBS/cClassTrib", "999999", "1023"),
        ("emit/IE", "110042490115", "209"),
        ("emit/CRT", "1", "590"),
        ("dest/IE", "110042490115", "210"),
        ("dest/CNPJ", "11111111111111", "208"),
        ("dest/enderDest/cMun", "3304557", "275"),
        ("cobr/fat/vLiq", "19.95", "902"),
        ("cobr/dup/nDup", "B", "852"),
        ("cobr/dup/dVenc", "2026-12-19", "850"),
        ("cobr/dup/dVenc", "2026-11-19", "900"),
        ("cobr/dup/vDup", "9.97", "851"),
        ("pag/vTroco", "1.00", "869"),
        ("ide/nNF", "1524", "502"),
        ("ide/tpAmb", "2", "252"),
        ("ide/finNFe", "4", "321"),
    ] {
        let mut nota = certa(&dados);
        let nomes: Vec<&str> = caminho.split('/').collect();
        troca(&mut nota.arvore, &nomes, texto);
        let xml = assina(&normal(), &nota, &dados);
        let veredito = Sefaz::em(AGORA).julga(&normal(), &dados, &xml);
        assert_eq!(
            veredito.codigo, codigo,
            "{caminho} {texto}: {}",
            veredito.resposta
        );
    }
}

#[test]
fn signature_certificate_clock_and_memory_count() {
    let dados = dados(Modelo::Nfe);
    let nota = certa(&dados);
    let xml = assina(&normal(), &nota, &dados);
    let em = |dias| {
        Sefaz::em(AGORA + Duration::days(dias))
            .julga(&normal(), &dados, &xml)
            .codigo
    };
    assert_eq!([em(0), em(8), em(31), em(-1)], ["100", "150", "228", "703"]);
    let depois = xml.replace("<natOp>Venda", "<natOp>Vende");
    assert_ne!(depois, xml);
    let sefaz = Sefaz::em(AGORA);
    assert_eq!(sefaz.julga(&normal(), &dados, &depois).codigo, "297");
    // Somebody else signs, somebody else calls.
    let mut outro = normal();
    outro.cpf_cnpj = crate::bench::cnpj("998877660001");
    let alheia = assina(&outro, &nota, &dados);
    assert_eq!(sefaz.julga(&normal(), &dados, &alheia).codigo, "213");
    assert_eq!(sefaz.julga(&outro, &dados, &xml).codigo, "213");
    // The other environment.
    let mut homologacao = dados.clone();
    homologacao.ambiente = Ambiente::Homologacao;
    assert_eq!(sefaz.julga(&normal(), &homologacao, &xml).codigo, "252");
    // The same number twice.
    assert_eq!(sefaz.julga(&normal(), &dados, &xml).codigo, "100");
    assert_eq!(sefaz.julga(&normal(), &dados, &xml).codigo, "204");
    let mut de_novo = dados;
    de_novo.c_nf = 11_223_345;
    let xml = assina(&normal(), &certa(&de_novo), &de_novo);
    assert_eq!(sefaz.julga(&normal(), &de_novo, &xml).codigo, "539");
}
