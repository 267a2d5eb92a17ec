//! People and addresses.

use crate::assembly::group::Grupo;
use crate::ids::digitos;
use sdk::nfse::{Endereco, Pessoa, TipoPessoa};

/// cNaoNIF when a person abroad has no tax id: "not required".
const NIF_NAO_EXIGIDO: &str = "2";

/// toma, interm. None for someone who is not identified.
pub fn party(dados: &Pessoa) -> Option<Grupo> {
    let mut g = destinatario(dados)?;
    g.opcional("IM", dados.im.as_deref());
    Some(g)
}

/// dest, which has no municipal registration (TCRTCInfoDest).
pub fn destinatario(pessoa: &Pessoa) -> Option<Grupo> {
    if pessoa.tipo == TipoPessoa::NaoIdentificado {
        return None;
    }
    let mut g = Grupo::default();
    let nif = pessoa.nif.as_deref().filter(|nif| !nif.trim().is_empty());
    match (&pessoa.cpf_cnpj, nif) {
        (Some(numero), _) if pessoa.tipo == TipoPessoa::Identificado => {
            documento(&mut g, numero.trim())
        }
        (_, Some(nif)) => g.texto("NIF", nif),
        _ if pessoa.tipo == TipoPessoa::Exterior => g.texto("cNaoNIF", NIF_NAO_EXIGIDO),
        _ => {}
    }
    g.opcional("xNome", pessoa.nome.as_deref());
    g.opcional_grupo("end", pessoa.endereco.as_ref().map(endereco));
    g.opcional(
        "fone",
        pessoa.telefone.as_deref().map(so_digitos).as_deref(),
    );
    g.opcional("email", pessoa.email.as_deref());
    Some(g)
}

/// CPF or CNPJ by size; anything else fails as a CNPJ, with its rule.
pub fn documento(g: &mut Grupo, numero: &str) {
    let nome = if numero.len() == 11 && digitos(numero) {
        "CPF"
    } else {
        "CNPJ"
    };
    g.texto(nome, numero);
}

pub fn so_digitos(texto: &str) -> String {
    texto.chars().filter(char::is_ascii_digit).collect()
}

/// TCEndereco.
fn endereco(endereco: &Endereco) -> Grupo {
    let mut g = Grupo::default();
    if endereco.exterior() {
        let mut fora = exterior(endereco);
        fora.opcional("cPais", endereco.codigo_pais.as_deref());
        g.group("endExt", fora);
    } else {
        let mut nacional = Grupo::default();
        nacional.opcional("cMun", endereco.codigo_ibge.as_deref());
        nacional.opcional("CEP", endereco.cep.as_deref().map(so_digitos).as_deref());
        g.group("endNac", nacional);
    }
    logradouro(&mut g, endereco);
    g
}

/// TCEnderecoSimples and TCEnderObraEvento: without country and municipality.
pub fn endereco_simples(endereco: &Endereco) -> Grupo {
    let mut g = Grupo::default();
    if endereco.exterior() {
        g.group("endExt", exterior(endereco));
    } else {
        g.opcional("CEP", endereco.cep.as_deref().map(so_digitos).as_deref());
    }
    logradouro(&mut g, endereco);
    g
}

fn exterior(endereco: &Endereco) -> Grupo {
    let mut g = Grupo::default();
    g.opcional(
        "cEndPost",
        endereco
            .codigo_postal
            .as_deref()
            .or(endereco.cep.as_deref()),
    );
    g.opcional("xCidade", endereco.cidade.as_deref());
    g.opcional(
        "xEstProvReg",
        endereco.estado.as_deref().or(endereco.uf.as_deref()),
    );
    g
}

fn logradouro(g: &mut Grupo, endereco: &Endereco) {
    g.opcional("xLgr", endereco.logradouro.as_deref());
    g.opcional("nro", endereco.numero.as_deref());
    g.opcional("xCpl", endereco.complemento.as_deref());
    g.opcional("xBairro", endereco.bairro.as_deref());
}
