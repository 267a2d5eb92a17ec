//! CNPJ, CPF, state registrations and municipalities of all parties.

use super::nota::text;
use super::{Findings, Nota};
use crate::nfe::ie;
use markup::ids::chave::Chave;
use markup::ids::{Cnpj, Cpf};
use markup::xml::Element;

/// Party, its name for people, cStat of its CNPJ and of its CPF.
const PARTIES: [(&[&str], &str, &str, &str); 8] = [
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

pub(super) fn check(nota: &Nota<'_>, findings: &mut Findings) {
    for (caminho, who, cnpj, cpf) in PARTIES {
        if let Some(part) = nota.inf.find(caminho) {
            registration(
                part,
                &format!("infNFe/{}", caminho.join("/")),
                who,
                (cnpj, cpf),
                findings,
            );
        }
    }
    for (position, authorized) in nota.inf.find_all(&["autXML"]).into_iter().enumerate() {
        let caminho = format!("infNFe/autXML[{}]", position + 1);
        registration(
            authorized,
            &caminho,
            "de quem pode baixar o XML",
            ("323", "325"),
            findings,
        );
    }
    for (position, payment) in nota
        .inf
        .find_all(&["pag", "detPag"])
        .into_iter()
        .enumerate()
    {
        if let Some(card) = payment.child("card") {
            let caminho = format!("infNFe/pag/detPag[{}]/card", position + 1);
            registration(
                card,
                &caminho,
                "da instituição de pagamento",
                ("437", "cpf_invalido"),
                findings,
            );
        }
    }
    state_registrations(nota, findings);
    municipalities(nota, findings);
    references(nota, findings);
}

/// `CNPJ` and `CPF` of a party, which are personal: not shown. `who` is in
/// sentences: `do emitente`.
pub fn registration(
    part: Element<'_>,
    caminho: &str,
    who: &str,
    codes: (&'static str, &'static str),
    findings: &mut Findings,
) {
    if text(part, &["CNPJ"]).is_some_and(|cnpj| Cnpj::parse(&cnpj).is_err()) {
        findings.error(
            format!("{caminho}/CNPJ"),
            codes.0,
            format!("O CNPJ {who} não é válido: os dígitos verificadores não conferem."),
            "Confira o CNPJ no cadastro.",
        );
    }
    if text(part, &["CPF"]).is_some_and(|cpf| Cpf::parse(&cpf).is_err()) {
        findings.error(
            format!("{caminho}/CPF"),
            codes.1,
            format!("O CPF {who} não é válido: os dígitos verificadores não conferem."),
            "Confira o CPF no cadastro.",
        );
    }
}

fn state_registrations(nota: &Nota<'_>, findings: &mut Findings) {
    // Path of the registration, of the state it is of, whose, cStat.
    const CASES: [(&[&str], &[&str], &str, &str); 4] = [
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
    for (caminho, of_uf, who, codigo) in CASES {
        let (Some(registration), Some(uf)) = (nota.text(caminho), nota.text(of_uf)) else {
            continue;
        };
        let place = format!("infNFe/{}", caminho.join("/"));
        state_registration((&uf, &registration), place, who, codigo, findings);
    }
}

/// A state registration by the rule of its state.
pub fn state_registration(
    (uf, registration): (&str, &str),
    place: String,
    who: &str,
    code: &'static str,
    findings: &mut Findings,
) {
    // Foreign parties have none that follows a rule.
    if uf == "EX" || ie::le(uf, registration).is_some() {
        return;
    }
    findings
        .error(
            place,
            code,
            format!(
                "A inscrição estadual {who} não é válida para {}.",
                uf.chars().take(2).collect::<String>()
            ),
            "Confira a inscrição e a UF do endereço.",
        )
        .value(registration);
}

/// Path of the municipality, of its state, code for one that does not exist,
/// code for one of another state.
type Place = (
    &'static [&'static str],
    Option<&'static [&'static str]>,
    &'static str,
    &'static str,
);

const PLACES: [Place; 5] = [
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

fn municipalities(nota: &Nota<'_>, findings: &mut Findings) {
    for (caminho, of_uf, nonexistent, of_other) in PLACES {
        let Some(codigo) = nota.text(caminho) else {
            continue;
        };
        let uf = of_uf
            .and_then(|caminho| nota.text(caminho))
            .unwrap_or_default();
        let place = format!("infNFe/{}", caminho.join("/"));
        municipality((&codigo, &uf), place, (nonexistent, of_other), findings);
    }
}

/// A municipality and the state that is named beside it; `codes` are those of
/// one that does not exist and of one of another state.
pub fn municipality(
    (code, uf): (&str, &str),
    place: String,
    codes: (&'static str, &'static str),
    findings: &mut Findings,
) {
    if code == "9999999" || uf == "EX" {
        return;
    }
    let found = code.parse().ok().and_then(data::municipalities::get);
    match found {
        None => findings
            .error(
                place,
                codes.0,
                "O código do município não existe na tabela do IBGE.",
                "Use o código de 7 dígitos do IBGE.",
            )
            .value(code),
        Some(found) if found.uf().is_some_and(|own| own.abbreviation != uf) => findings
            .error(
                place,
                codes.1,
                format!("{} não fica na UF informada.", found.name),
                "Corrija o município ou a UF.",
            )
            .value(code),
        Some(_) => {}
    }
}

fn references(nota: &Nota<'_>, findings: &mut Findings) {
    for (position, reference) in nota.inf.find_all(&["ide", "NFref"]).into_iter().enumerate() {
        let caminho = format!("infNFe/ide/NFref[{}]", position + 1);
        for (name, codigo) in [("refNFe", "547"), ("refCTe", "552")] {
            if let Some(chave) = text(reference, &[name])
                && Chave::parse(&chave).is_err()
            {
                findings
                    .error(
                        format!("{caminho}/{name}"),
                        codigo,
                        "A chave referenciada não é válida.",
                        "Copie a chave de 44 posições da nota referenciada.",
                    )
                    .value(&chave);
            }
        }
        for (name, cnpj, cpf) in [("refNF", "548", "550"), ("refNFP", "549", "550")] {
            if let Some(nota) = reference.child(name) {
                registration(
                    nota,
                    &format!("{caminho}/{name}"),
                    "da nota referenciada",
                    (cnpj, cpf),
                    findings,
                );
            }
        }
    }
}
