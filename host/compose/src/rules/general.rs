//! Rules of the whole note: dates, parties, purpose.

use crate::context::{Contexto, Onde};
use fiscal::nfe::ie::{self, Ie};
use fiscal::nfe::order::{
    Destino, Endereco, Finalidade, Forma, IndicadorIe, Presenca, TipoOperacao,
};
use markup::ids::IbgeMunicipio;
use markup::layout::normalizar_texto;
use markup::tree::Elemento;
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

/// Clocks differ: what is a little ahead is not the future (rejection 703), what
/// is a little behind is issued now (704).
const FOLGA: Duration = Duration::minutes(5);
/// Of an NF-e (rejection 228).
const ATRASO_MAXIMO: Duration = Duration::days(30);
/// Rejections 504 and 505.
const SAIDA_MAXIMA: Duration = Duration::days(30);
/// States that know no taxpayer without registration (rejection 805;
/// second-hand, so only a warning).
const SEM_ISENTO: [&str; 12] = [
    "AM", "BA", "CE", "GO", "MG", "MS", "MT", "PA", "PE", "RN", "SE", "SP",
];

pub(super) fn datas(ctx: &mut Contexto<'_>, raiz: &Elemento, agora: OffsetDateTime) {
    let emissao = ctx.dados.dh_emi;
    let onde = Onde::raiz("data_emissao");
    if emissao > agora + FOLGA {
        ctx.erro(
            onde,
            "emissao_futura",
            "A data de emissão está no futuro (rejeição 703).",
            "Omita data_emissao ou informe a hora atual, com o fuso certo.",
        );
    }
    if ctx.nfce() && emissao < agora - FOLGA {
        ctx.erro(
            onde,
            "emissao_atrasada",
            "A NFC-e é emitida na hora da venda: a data de emissão já passou (rejeição 704).",
            "Omita data_emissao ou informe a hora atual, com o fuso certo.",
        );
    } else if emissao < agora - ATRASO_MAXIMO {
        ctx.erro(
            onde,
            "emissao_atrasada",
            "A data de emissão tem mais de 30 dias (rejeição 228).",
            "Emita com a data atual.",
        );
    }
    saida(ctx, raiz, agora);
    if ctx.nfce() && ctx.pedido.data_saida.is_some() {
        ctx.aviso(
            Onde::raiz("data_saida"),
            "A NFC-e não leva data de saída: o campo foi ignorado.",
        );
    }
}

/// When the goods go or come (rejections 504 to 506).
fn saida(ctx: &mut Contexto<'_>, raiz: &Elemento, agora: OffsetDateTime) {
    let texto = raiz.valor(&["ide", "dhSaiEnt"]).unwrap_or_default();
    let Ok(saida) = OffsetDateTime::parse(texto, &Rfc3339) else {
        return;
    };
    let antes = ctx.operacao == TipoOperacao::Saida && saida < ctx.dados.dh_emi;
    let longe = (saida - agora).abs() > SAIDA_MAXIMA;
    if !antes && !longe {
        return;
    }
    let (mensagem, correcao) = if antes {
        (
            "A data de saída é anterior à de emissão (rejeição 506).",
            "Omita data_saida ou informe a hora da saída, depois da emissão.",
        )
    } else {
        (
            "A data de entrada ou saída está a mais de 30 dias de hoje (rejeições 504 e 505).",
            "Corrija ou omita data_saida.",
        )
    };
    ctx.campos.add_value(
        "data_saida",
        "data_saida_invalida",
        texto,
        mensagem,
        correcao,
    );
}

pub(super) fn emitente(ctx: &mut Contexto<'_>) {
    let perfil = Onde::raiz("perfil_fiscal");
    let uf = ctx.uf.sigla;
    if let Some(ie) = ctx.emitente.ie.as_deref()
        && ie::le(uf, ie).is_none()
    {
        ctx.erro(
            perfil.em("ie"),
            "ie_invalida",
            format!("A inscrição estadual do emitente não é válida para {uf} (rejeição 209)."),
            "Corrija a inscrição no perfil fiscal.",
        );
    }
    let endereco = &ctx.emitente.endereco;
    municipio(ctx, perfil.em("endereco"), endereco);
}

/// Does the municipality exist, in the state told?
pub(super) fn municipio(ctx: &mut Contexto<'_>, onde: Onde<'_>, endereco: &Endereco) {
    fiscal::person::municipio(&mut ctx.campos, &onde.to_string(), endereco);
}

pub(super) fn recebedor(ctx: &mut Contexto<'_>) {
    let onde = ctx.onde_recebedor();
    let pedido = ctx.pedido;
    if pedido.destinatario.is_some() && pedido.consumidor.is_some() {
        ctx.erro(
            Onde::raiz("consumidor"),
            "grupos_excludentes",
            "Foram informados destinatario e consumidor.",
            "Informe um dos dois.",
        );
    }
    let Some(pessoa) = pedido.recebedor().1 else {
        return;
    };
    let uf = ctx.uf_destino;
    // One that is not there was told already.
    if !ctx.nfce()
        && pessoa
            .nome
            .as_deref()
            .is_some_and(|nome| normalizar_texto(nome).is_empty())
    {
        ctx.erro(
            onde.em("nome"),
            "obrigatorio",
            "Falta o nome do destinatário (rejeição 724).",
            "Informe o nome ou a razão social.",
        );
    }
    if let Some(endereco) = &pessoa.endereco {
        municipio(ctx, onde.em("endereco"), endereco);
    }
    if uf == "EX" && pessoa.ie.as_deref().is_some_and(|ie| !ie.trim().is_empty()) {
        ctx.aviso(
            onde.em("ie"),
            "Quem está no exterior não tem inscrição estadual: o campo foi ignorado.",
        );
    }
    let estrangeiro = pessoa.cpf_cnpj.is_none() && pessoa.documento_estrangeiro.is_some();
    if estrangeiro && !ctx.nfce() && ctx.destino != Destino::Exterior && !ctx.consumidor_final {
        ctx.erro(
            onde.em("cpf_cnpj"),
            "obrigatorio",
            "Quem compra no país sem CPF nem CNPJ é consumidor final (rejeição 721).",
            "Informe cpf_cnpj, ou consumidor_final true.",
        );
    }
    inscricao(ctx, onde, pessoa.ie.as_deref().filter(|_| uf != "EX"));
    if ctx.indicador_ie == IndicadorIe::NaoContribuinte
        && !ctx.consumidor_final
        && ctx.destino != Destino::Exterior
        && ctx.operacao == TipoOperacao::Saida
    {
        ctx.erro(
            Onde::raiz("consumidor_final"),
            "consumidor_final_obrigatorio",
            "Operação com não contribuinte é com consumidor final (rejeição 696).",
            "Informe consumidor_final true, ou a inscrição estadual do destinatário.",
        );
    }
}

/// State registration of the recipient, and what its indicator says.
fn inscricao(ctx: &mut Contexto<'_>, onde: Onde<'_>, ie: Option<&str>) {
    let uf = ctx.uf_destino;
    match ie.map(|ie| ie::le(uf, ie)) {
        Some(None) if ctx.indicador_ie != IndicadorIe::Isento => ctx.erro(
            onde.em("ie"),
            "ie_invalida",
            format!("Inscrição estadual inválida para {uf} (rejeição 210)."),
            "Confira o número ou informe indicador_ie 9 (não contribuinte).",
        ),
        Some(Some(Ie::Isento)) if ctx.indicador_ie == IndicadorIe::Contribuinte => ctx.erro(
            onde.em("ie"),
            "ie_invalida",
            "Contribuinte (indicador_ie 1) não pode ser isento de inscrição.",
            "Informe a inscrição ou indicador_ie 2.",
        ),
        _ => {}
    }
    if ctx.indicador_ie == IndicadorIe::Isento && SEM_ISENTO.contains(&uf) {
        ctx.aviso(
            onde.em("indicador_ie"),
            format!("{uf} pode não aceitar contribuinte isento de inscrição (rejeição 805)."),
        );
    }
}

pub(super) fn operacao(ctx: &mut Contexto<'_>) {
    destino(ctx);
    fato_gerador(ctx);
    finalidade(ctx);
    let pedido = ctx.pedido;
    if !ctx.nfce() && ctx.presenca == Presenca::EntregaDomicilio {
        ctx.erro(
            Onde::raiz("presenca"),
            "presenca_invalida",
            "Entrega em domicílio é indicador da NFC-e (rejeição 794).",
            "Use internet, teleatendimento ou outros.",
        );
    }
    if pedido.intermediador.is_some() && !ctx.presenca.is_a_distancia() {
        ctx.erro(
            Onde::raiz("intermediador"),
            "intermediador_indevido",
            "Só há intermediador em operação não presencial.",
            "Corrija presenca (internet, teleatendimento, entrega_domicilio, outros) ou retire o grupo.",
        );
    }
}

/// Where the tax falls due, when it is told: in the emitter's state.
fn fato_gerador(ctx: &mut Contexto<'_>) {
    let Some(codigo) = ctx.pedido.municipio_fato_gerador.as_deref() else {
        return;
    };
    let codigo = codigo.trim();
    let existe = codigo
        .parse()
        .ok()
        .and_then(data::municipalities::get)
        .is_some();
    let aqui = IbgeMunicipio::parse(codigo)
        .is_ok_and(|municipio| municipio.sigla_uf() == Some(ctx.uf.sigla));
    if !existe || !aqui {
        let uf = ctx.uf.sigla;
        ctx.campos.add_value(
            "municipio_fato_gerador",
            "municipio_invalido",
            codigo,
            format!("O município do fato gerador não existe em {uf} (rejeições 270 e 271)."),
            "Informe um município da UF do emitente, ou omita o campo.",
        );
    }
}

fn destino(ctx: &mut Contexto<'_>) {
    let (aqui, la) = (ctx.uf.sigla, ctx.uf_destino);
    let problema = match ctx.destino {
        Destino::Exterior if la != "EX" => {
            Some("Operação com o exterior e destinatário no Brasil (rejeição 520).")
        }
        Destino::Interna | Destino::Interestadual if la == "EX" && !ctx.nfce() => {
            // A foreigner who buys over the counter.
            let no_balcao = ctx.destino == Destino::Interna && ctx.consumidor_final;
            (!no_balcao).then_some("Destinatário no exterior e operação dentro do país.")
        }
        Destino::Interestadual if la == aqui => {
            Some("Operação interestadual e destinatário na mesma UF (rejeição 523).")
        }
        Destino::Interna if la != aqui && ctx.indicador_ie == IndicadorIe::Contribuinte => {
            Some("Operação interna e destinatário contribuinte em outra UF (rejeição 521).")
        }
        // Goods may be fetched or delivered elsewhere than where the buyer is.
        Destino::Interna
            if la != aqui
                && la != "EX"
                && !ctx.consumidor_final
                && ctx.pedido.entrega.is_none()
                && ctx.pedido.retirada.is_none() =>
        {
            Some(
                "Operação interna e destinatário em outra UF que não é consumidor final (rejeição 773).",
            )
        }
        _ => None,
    };
    if let Some(mensagem) = problema {
        ctx.erro(
            Onde::raiz("destino_operacao"),
            "destino_incoerente",
            mensagem,
            "Corrija o endereço do destinatário, o CFOP dos itens ou destino_operacao.",
        );
    }
}

fn finalidade(ctx: &mut Contexto<'_>) {
    let pedido = ctx.pedido;
    let por_item = pedido
        .itens
        .iter()
        .any(|item| item.documento_referenciado.is_some());
    let referencia = !pedido.referencias.is_empty() || por_item;
    let (falta, rejeicao) = match ctx.finalidade {
        Finalidade::Complementar => (!referencia, "254"),
        Finalidade::Devolucao => (!referencia, "321"),
        _ => (false, ""),
    };
    if falta {
        ctx.erro(
            Onde::raiz("referencias"),
            "obrigatorio",
            format!("Falta o documento a que a nota se refere (rejeição {rejeicao})."),
            "Informe referencias[].chave.",
        );
    }
    if ctx.finalidade == Finalidade::Complementar && pedido.referencias.len() > 1 {
        ctx.erro(
            Onde::raiz("referencias"),
            "limite",
            "A nota complementar se refere a um só documento (rejeição 255).",
            "Emita uma complementar para cada documento.",
        );
    }
    for (nome, certa, veio) in [
        (
            "tipo_nota_debito",
            Finalidade::NotaDebito,
            pedido.tipo_nota_debito.is_some(),
        ),
        (
            "tipo_nota_credito",
            Finalidade::NotaCredito,
            pedido.tipo_nota_credito.is_some(),
        ),
    ] {
        if (ctx.finalidade == certa) != veio {
            ctx.erro(
                Onde::raiz(nome),
                "tipo_de_nota_incoerente",
                format!(
                    "O campo {nome} acompanha a finalidade {}, e só ela.",
                    certa.palavra()
                ),
                "Informe o tipo da nota ou corrija a finalidade.",
            );
        }
    }
    let sem_pagamento = matches!(ctx.finalidade, Finalidade::Ajuste | Finalidade::Devolucao);
    for (i, pagamento) in pedido.pagamentos.iter().enumerate() {
        if sem_pagamento
            && pagamento
                .forma
                .is_some_and(|forma| forma != Forma::SemPagamento)
        {
            ctx.erro(
                Onde::lista("pagamentos", i).em("forma"),
                "pagamento_indevido",
                "Ajuste e devolução não levam pagamento (rejeição 871).",
                "Use forma \"sem_pagamento\" ou omita pagamentos.",
            );
        }
    }
}
