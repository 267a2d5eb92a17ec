//! IBSCBS: the group of the tax reform (LC 214/2025).

use crate::assembly::group::Grupo;
use crate::assembly::party::destinatario;
use sdk::FieldError;
use sdk::nfse::IbsCbs;

pub fn ibs_cbs(dados: &IbsCbs, erros: &mut Vec<FieldError>) -> Grupo {
    let mut g = Grupo::default();
    // 0, regular: the only purpose the current schema has.
    g.texto("finNFSe", "0");
    g.texto("indFinal", if dados.consumo_pessoal { "1" } else { "0" });
    g.texto("cIndOp", &dados.codigo_indicador_operacao);
    g.opcional("tpOper", dados.tipo_operacao.as_deref());
    if !dados.notas_referenciadas.is_empty() {
        let mut referencias = Grupo::default();
        referencias.textos("refNFSe", &dados.notas_referenciadas);
        g.group("gRefNFSe", referencias);
    }
    g.opcional("tpEnteGov", dados.ente_governamental.as_deref());
    let outro = dados.destinatario.as_ref().and_then(destinatario);
    g.texto("indDest", if outro.is_some() { "1" } else { "0" });
    g.opcional_grupo("dest", outro);

    let mut situacao = Grupo::default();
    situacao.texto("CST", &dados.cst);
    situacao.texto("cClassTrib", &dados.cclass_trib);
    situacao.opcional("cCredPres", dados.credito_presumido.as_deref());
    if let Some(regular) = &dados.tributacao_regular {
        let mut grupo = Grupo::default();
        grupo.texto("CSTReg", &regular.cst);
        grupo.texto("cClassTribReg", &regular.cclass_trib);
        situacao.group("gTribRegular", grupo);
    }
    if let Some(diferimento) = &dados.diferimento {
        let mut grupo = Grupo::default();
        for (nome, valor, campo) in [
            ("pDifUF", diferimento.uf, "uf"),
            ("pDifMun", diferimento.municipio, "municipio"),
            ("pDifCBS", diferimento.cbs, "cbs"),
        ] {
            grupo.valor(nome, valor, &format!("ibs_cbs.diferimento.{campo}"), erros);
        }
        situacao.group("gDif", grupo);
    }
    let mut tributos = Grupo::default();
    tributos.group("gIBSCBS", situacao);
    let mut valores = Grupo::default();
    valores.group("trib", tributos);
    g.group("valores", valores);
    g
}
