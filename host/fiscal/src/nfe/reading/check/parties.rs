//! CNPJ, CPF, state registrations and municipalities of all parties.

use super::nota::texto;
use super::{Achados, Nota};
use crate::nfe::ie;
use markup::ids::chave::Chave;
use markup::ids::{Cnpj, Cpf};
use markup::xml::Element;

/// Party, its name for people, cStat of its CNPJ and of its CPF.
const PARTES: [(&[&str], &str, &str, &str); 8] = [
    (&["emit"], "do emitente", "207", "cpf_invalido"),
    (&["dest"], "do destinatário", "208", "237"),
    (&["retirada"], "do local de retirada", "512", "540"),
    (&["entrega"], "do local de entrega", "514", "541"),
    (&["transp", "transporta"], "do transportador", "542", "543"),
    (&["infIntermed"], "do intermediador", "440", "cpf_invalido"),
    (
        &["infRespTec"],
        "do responsável técnico",
        "973",
        "cpf_invalido",
    ),
    (
        &["avulsa"],
        "do órgão da nota avulsa",
        "cnpj_invalido",
        "cpf_invalido",
    ),
];

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    for (caminho, quem, cnpj, cpf) in PARTES {
        if let Some(parte) = nota.inf.find(caminho) {
            inscricao(
                parte,
                &format!("infNFe/{}", caminho.join("/")),
                quem,
                (cnpj, cpf),
                achados,
            );
        }
    }
    for (posicao, autorizado) in nota.inf.find_all(&["autXML"]).into_iter().enumerate() {
        let caminho = format!("infNFe/autXML[{}]", posicao + 1);
        inscricao(
            autorizado,
            &caminho,
            "de quem pode baixar o XML",
            ("323", "325"),
            achados,
        );
    }
    for (posicao, pagamento) in nota
        .inf
        .find_all(&["pag", "detPag"])
        .into_iter()
        .enumerate()
    {
        if let Some(cartao) = pagamento.child("card") {
            let caminho = format!("infNFe/pag/detPag[{}]/card", posicao + 1);
            inscricao(
                cartao,
                &caminho,
                "da instituição de pagamento",
                ("437", "cpf_invalido"),
                achados,
            );
        }
    }
    inscricoes_estaduais(nota, achados);
    municipios(nota, achados);
    referencias(nota, achados);
}

/// `CNPJ` and `CPF` of a party, which are personal: not shown.
fn inscricao(
    parte: Element<'_>,
    caminho: &str,
    quem: &str,
    codigos: (&'static str, &'static str),
    achados: &mut Achados,
) {
    if texto(parte, &["CNPJ"]).is_some_and(|cnpj| Cnpj::parse(&cnpj).is_err()) {
        achados.erro(
            format!("{caminho}/CNPJ"),
            codigos.0,
            format!("O CNPJ {quem} não é válido: os dígitos verificadores não conferem."),
            "Confira o CNPJ no cadastro.",
        );
    }
    if texto(parte, &["CPF"]).is_some_and(|cpf| Cpf::parse(&cpf).is_err()) {
        achados.erro(
            format!("{caminho}/CPF"),
            codigos.1,
            format!("O CPF {quem} não é válido: os dígitos verificadores não conferem."),
            "Confira o CPF no cadastro.",
        );
    }
}

fn inscricoes_estaduais(nota: &Nota<'_>, achados: &mut Achados) {
    // Path of the registration, of the state it is of, whose, cStat.
    const CASOS: [(&[&str], &[&str], &str, &str); 4] = [
        (
            &["emit", "IE"],
            &["emit", "enderEmit", "UF"],
            "do emitente",
            "209",
        ),
        (
            &["dest", "IE"],
            &["dest", "enderDest", "UF"],
            "do destinatário",
            "210",
        ),
        // Registered as a substitute where the goods go.
        (
            &["emit", "IEST"],
            &["dest", "enderDest", "UF"],
            "de substituto",
            "211",
        ),
        (
            &["transp", "transporta", "IE"],
            &["transp", "transporta", "UF"],
            "do transportador",
            "544",
        ),
    ];
    for (caminho, da_uf, quem, codigo) in CASOS {
        let (Some(inscricao), Some(uf)) = (nota.texto(caminho), nota.texto(da_uf)) else {
            continue;
        };
        // Foreign addressees have none that follows a rule.
        if uf == "EX" || ie::le(&uf, &inscricao).is_some() {
            continue;
        }
        achados
            .erro(
                format!("infNFe/{}", caminho.join("/")),
                codigo,
                format!(
                    "A inscrição estadual {quem} não é válida para {}.",
                    uf.chars().take(2).collect::<String>()
                ),
                "Confira a inscrição e a UF do endereço.",
            )
            .valor(&inscricao);
    }
}

/// Path of the municipality, of its state, code for one that does not exist,
/// code for one of another state.
type Lugar = (
    &'static [&'static str],
    Option<&'static [&'static str]>,
    &'static str,
    &'static str,
);

const LUGARES: [Lugar; 5] = [
    (
        &["ide", "cMunFG"],
        Some(&["emit", "enderEmit", "UF"]),
        "270",
        "271",
    ),
    (
        &["emit", "enderEmit", "cMun"],
        Some(&["emit", "enderEmit", "UF"]),
        "272",
        "273",
    ),
    (
        &["dest", "enderDest", "cMun"],
        Some(&["dest", "enderDest", "UF"]),
        "274",
        "275",
    ),
    (
        &["retirada", "cMun"],
        Some(&["retirada", "UF"]),
        "276",
        "277",
    ),
    (&["entrega", "cMun"], Some(&["entrega", "UF"]), "278", "279"),
];

fn municipios(nota: &Nota<'_>, achados: &mut Achados) {
    for (caminho, da_uf, inexistente, de_outra) in LUGARES {
        let Some(codigo) = nota.texto(caminho) else {
            continue;
        };
        let uf = da_uf
            .and_then(|caminho| nota.texto(caminho))
            .unwrap_or_default();
        if codigo == "9999999" || uf == "EX" {
            continue;
        }
        let onde = format!("infNFe/{}", caminho.join("/"));
        let municipio = codigo.parse().ok().and_then(data::municipalities::get);
        match municipio {
            None => achados
                .erro(
                    onde,
                    inexistente,
                    "O código do município não existe na tabela do IBGE.",
                    "Use o código de 7 dígitos do IBGE.",
                )
                .valor(&codigo),
            Some(municipio) if municipio.uf().is_some_and(|sua| sua.sigla != uf) => achados
                .erro(
                    onde,
                    de_outra,
                    format!("{} não fica na UF informada.", municipio.nome),
                    "Corrija o município ou a UF.",
                )
                .valor(&codigo),
            Some(_) => {}
        }
    }
}

fn referencias(nota: &Nota<'_>, achados: &mut Achados) {
    for (posicao, referencia) in nota.inf.find_all(&["ide", "NFref"]).into_iter().enumerate() {
        let caminho = format!("infNFe/ide/NFref[{}]", posicao + 1);
        for (nome, codigo) in [("refNFe", "547"), ("refCTe", "552")] {
            if let Some(chave) = texto(referencia, &[nome])
                && Chave::parse(&chave).is_err()
            {
                achados
                    .erro(
                        format!("{caminho}/{nome}"),
                        codigo,
                        "A chave referenciada não é válida.",
                        "Copie a chave de 44 posições da nota referenciada.",
                    )
                    .valor(&chave);
            }
        }
        for (nome, cnpj, cpf) in [("refNF", "548", "550"), ("refNFP", "549", "550")] {
            if let Some(nota) = referencia.child(nome) {
                inscricao(
                    nota,
                    &format!("{caminho}/{nome}"),
                    "da nota referenciada",
                    (cnpj, cpf),
                    achados,
                );
            }
        }
    }
}
