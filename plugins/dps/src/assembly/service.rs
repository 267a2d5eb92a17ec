//! serv: what was done, where, and for what.

use crate::assembly::group::Grupo;
use crate::assembly::party::endereco_simples;
use sdk::nfse::{Dps, Evento, Exportacao, Obra};

pub fn service(dps: &Dps, municipio: &str) -> Grupo {
    let servico = &dps.servico;
    let mut local = Grupo::default();
    let (prestacao, pais) = (
        preenchido(&servico.codigo_municipio_prestacao),
        preenchido(&servico.codigo_pais_prestacao),
    );
    match (prestacao, pais) {
        (Some(codigo), _) => local.texto("cLocPrestacao", codigo),
        (None, Some(pais)) => local.texto("cPaisPrestacao", pais),
        (None, None) => local.texto("cLocPrestacao", municipio),
    }
    let mut codigos = Grupo::default();
    codigos.opcional("cTribNac", servico.codigo_tributacao_nacional.as_deref());
    codigos.opcional("cTribMun", servico.codigo_tributacao_municipio.as_deref());
    codigos.texto("xDescServ", &servico.descricao);
    codigos.opcional("cNBS", servico.codigo_nbs.as_deref());
    codigos.opcional("cIntContrib", servico.codigo_interno.as_deref());

    let mut g = Grupo::default();
    g.group("locPrest", local);
    g.group("cServ", codigos);
    g.opcional_grupo("comExt", dps.exportacao.as_ref().map(comercio_exterior));
    g.opcional_grupo("obra", dps.obra.as_ref().map(obra));
    g.opcional_grupo("atvEvento", dps.evento.as_ref().map(evento));
    let mut complemento = Grupo::default();
    complemento.opcional(
        "idDocTec",
        dps.obra.as_ref().and_then(|obra| obra.art.as_deref()),
    );
    complemento.opcional("xInfComp", dps.informacoes_complementares.as_deref());
    g.opcional_grupo("infoCompl", Some(complemento));
    g
}

fn preenchido(texto: &Option<String>) -> Option<&str> {
    texto
        .as_deref()
        .map(str::trim)
        .filter(|texto| !texto.is_empty())
}

fn comercio_exterior(dados: &Exportacao) -> Grupo {
    let mut g = Grupo::default();
    g.texto("mdPrestacao", &dados.modo_prestacao);
    g.texto("vincPrest", &dados.vinculo);
    g.texto("tpMoeda", &dados.moeda);
    // Foreign amounts keep the two decimals of the layout or fail its form.
    g.texto(
        "vServMoeda",
        &dados
            .valor_moeda
            .fixed(2)
            .unwrap_or_else(|| dados.valor_moeda.to_string()),
    );
    g.texto("mecAFComexP", &dados.mecanismo_prestador);
    g.texto("mecAFComexT", &dados.mecanismo_tomador);
    g.texto("movTempBens", &dados.movimentacao_temporaria);
    g.opcional("nDI", dados.di.as_deref());
    g.opcional("nRE", dados.re.as_deref());
    g.texto("mdic", if dados.mdic { "1" } else { "0" });
    g
}

fn obra(dados: &Obra) -> Grupo {
    let mut g = Grupo::default();
    g.opcional("inscImobFisc", dados.inscricao_imobiliaria.as_deref());
    g.opcional("cObra", dados.codigo.as_deref());
    g.opcional("cCIB", dados.cib.as_deref());
    g.opcional_grupo("end", dados.endereco.as_ref().map(endereco_simples));
    g
}

fn evento(dados: &Evento) -> Grupo {
    let mut g = Grupo::default();
    g.texto("xNome", &dados.nome);
    g.texto("dtIni", &dados.inicio);
    g.texto("dtFim", &dados.fim);
    g.opcional("idAtvEvt", dados.identificacao.as_deref());
    g.opcional_grupo("end", dados.endereco.as_ref().map(endereco_simples));
    g
}
