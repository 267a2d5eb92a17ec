//! Paths of the layout in the words of the API, for error messages.

use sdk::nfse::table::{DPS, field_path};

/// `toma.end.endNac.CEP` is `tomador.endereco.cep`. What the API has no name
/// for can only come from `inf_dps`, and is named by it.
pub fn field_of(layout_path: &str) -> String {
    field_path(DPS, layout_path).unwrap_or_else(|| format!("inf_dps.{layout_path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_layout_have_names_in_the_api() {
        for (official, api) in [
            ("toma.end.endNac.CEP", "tomador.endereco.cep"),
            ("toma.CNPJ", "tomador.cpf_cnpj"),
            ("interm.email", "intermediario.email"),
            ("IBSCBS.dest.xNome", "ibs_cbs.destinatario.nome"),
            ("serv.cServ.xDescServ", "servico.descricao"),
            ("serv.obra.end.xLgr", "obra.endereco.logradouro"),
            ("serv.obra.cObra", "obra.codigo"),
            (
                "valores.vDedRed.documentos.docDedRed[3].tpDedRed",
                "valores.deducoes.documentos[3].tipo",
            ),
            (
                "valores.trib.totTrib.vTotTrib",
                "inf_dps.valores.trib.totTrib.vTotTrib",
            ),
            (
                "IBSCBS.gRefNFSe.refNFSe[1]",
                "ibs_cbs.notas_referenciadas[1]",
            ),
            ("chNFSeRej", "inf_dps.chNFSeRej"),
            ("series", "inf_dps.series"),
        ] {
            assert_eq!(field_of(official), api);
        }
    }
}
