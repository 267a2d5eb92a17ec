//! What comes after payment: marketplace, texts, cane, technical responsible,
//! farming.

use crate::assembly::billing;
use crate::assembly::parties;
use crate::context::{Contexto, Onde};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fiscal::nfe::order::{Agropecuario, Cana};
use fiscal::nfe::simples_credit;
use markup::tree::Elemento;
use sha1::{Digest, Sha1};

const MAX_OBSERVACOES: usize = 10;
const MAX_PROCESSOS: usize = 100;
/// Characters of `infCpl` (MOC, Z03).
const MAX_COMPLEMENTARES: usize = 5000;

pub(super) fn intermediador(ctx: &mut Contexto<'_>) -> Option<Elemento> {
    let dados = ctx.pedido.intermediador.as_ref()?;
    let onde = Onde::raiz("intermediador");
    if dados.cnpj.is_none() {
        ctx.falta(onde.em("cnpj"), "Informe o CNPJ do intermediador.");
    }
    let cnpj = parties::cnpj(ctx, onde.em("cnpj"), "CNPJ", dados.cnpj.as_deref());
    Some(Elemento::grupo("infIntermed").filho_se(cnpj))
}

/// `infAdic`, of a note that has these items.
pub(super) fn textos(ctx: &mut Contexto<'_>, itens: &Elemento) -> Option<Elemento> {
    let pedido = ctx.pedido;
    let fisco = ctx.texto(
        Onde::raiz("informacoes_fisco"),
        pedido.informacoes_fisco.as_deref(),
        2000,
    );
    let vendedor = pedido
        .vendedor
        .as_ref()
        .map(|nome| format!("Vendedor: {nome}"));
    let complementares: Vec<&str> = [
        pedido.informacoes_complementares.as_deref(),
        ctx.emitente.padroes.informacoes_complementares.as_deref(),
        vendedor.as_deref(),
    ]
    .into_iter()
    .flatten()
    .filter(|texto| !texto.trim().is_empty())
    .collect();
    let mut junto = complementares.join(" | ");
    if let Some(numeros) = billing::numeros_proprios(ctx) {
        let separador = if junto.is_empty() { "" } else { " | " };
        let com = format!("{junto}{separador}{numeros}");
        if com.chars().count() <= MAX_COMPLEMENTARES {
            junto = com;
        } else {
            ctx.aviso(
                Onde::raiz("cobranca").em("duplicatas"),
                "Os números informados das duplicatas não couberam nas informações complementares.",
            );
        }
    }
    if let Some(credito) = credito_do_simples(ctx, itens, &junto) {
        let separador = if junto.is_empty() { "" } else { " | " };
        let com = format!("{junto}{separador}{credito}");
        if com.chars().count() <= MAX_COMPLEMENTARES {
            junto = com;
        } else {
            ctx.aviso(
                Onde::raiz("informacoes_complementares"),
                "O texto do crédito de ICMS do Simples Nacional (LC 123/2006, art. 23) não coube nas informações complementares.",
            );
        }
    }
    let onde = Onde::raiz("informacoes_complementares");
    let complementares = ctx.texto(onde, Some(&junto), MAX_COMPLEMENTARES);
    let mut grupo = Elemento::grupo("infAdic")
        .com_se("infAdFisco", fisco)
        .com_se("infCpl", complementares);
    for (lista, nome, elemento) in [
        (
            &pedido.observacoes_contribuinte,
            "observacoes_contribuinte",
            "obsCont",
        ),
        (&pedido.observacoes_fisco, "observacoes_fisco", "obsFisco"),
    ] {
        limite(ctx, nome, lista.len(), MAX_OBSERVACOES);
        for _ in lista.iter().take(MAX_OBSERVACOES) {
            grupo.poe(Elemento::grupo(elemento));
        }
    }
    limite(ctx, "processos", pedido.processos.len(), MAX_PROCESSOS);
    for (i, processo) in pedido.processos.iter().take(MAX_PROCESSOS).enumerate() {
        let onde = Onde::lista("processos", i);
        if processo.origem.is_none() {
            ctx.falta(onde.em("origem"), "Informe a origem do processo.");
        }
        grupo.poe(
            Elemento::grupo("procRef")
                .com_se("indProc", processo.origem.map(|origem| origem.codigo())),
        );
    }
    (!grupo.lista().is_empty()).then_some(grupo)
}

/// The law wants the buyer's credit told in this very field, besides the
/// item's own ones (CGSN Resolution 140/2018 art. 58): whoever did not write it
/// gets it written. A consumer takes no credit.
fn credito_do_simples(ctx: &Contexto<'_>, itens: &Elemento, junto: &str) -> Option<String> {
    if ctx.nfce() || simples_credit::ja_diz(junto) {
        return None;
    }
    let grupos = itens
        .lista()
        .iter()
        .filter(|elemento| elemento.nome == "det")
        .filter_map(|det| det.caminho(&["imposto", "ICMS"])?.lista().first());
    simples_credit::texto(
        grupos.filter_map(|icms| Some((icms.valor(&["pCredSN"])?, icms.valor(&["vCredICMSSN"])?))),
    )
}

fn limite(ctx: &mut Contexto<'_>, nome: &'static str, quantos: usize, maximo: usize) {
    if quantos > maximo {
        ctx.erro(
            Onde::raiz(nome),
            "limite",
            format!("São no máximo {maximo}."),
            "Retire os excedentes.",
        );
    }
}

pub(super) fn cana(ctx: &mut Contexto<'_>) -> Option<Elemento> {
    let dados: &Cana = ctx.pedido.cana.as_ref()?;
    let mes = dados.mes.as_deref().map(str::trim).unwrap_or_default();
    // `MM/AAAA` in the layout.
    let mes = match mes.split_once('-') {
        Some((ano, mes)) => format!("{mes}/{ano}"),
        None => mes.to_owned(),
    };
    let entries = |tag, many: usize| (0..many).map(move |_| Elemento::grupo(tag));
    Some(
        Elemento::grupo("cana")
            .com("ref", mes)
            .filhos(entries("forDia", dados.fornecimentos.len().min(31)))
            .filhos(entries("deduc", dados.deducoes.len().min(11))),
    )
}

/// `infRespTec`, the note's or the installation's.
pub(super) fn responsavel(ctx: &mut Contexto<'_>, chave: &str) -> Option<Elemento> {
    let proprio = ctx.pedido.responsavel_tecnico.as_ref();
    let dados = proprio.or(ctx.emitente.padroes.responsavel_tecnico.as_ref())?;
    let onde = Onde::raiz("responsavel_tecnico");
    if dados.cnpj.is_none() {
        ctx.falta(onde.em("cnpj"), "Informe o CNPJ do responsável técnico.");
    }
    let cnpj = parties::cnpj(ctx, onde.em("cnpj"), "CNPJ", dados.cnpj.as_deref());
    let contato = ctx.texto_obrigatorio(onde.em("contato"), dados.contato.as_deref(), 60);
    let email = ctx.texto_obrigatorio(onde.em("email"), dados.email.as_deref(), 60);
    let fone = parties::fone(ctx, onde.em("telefone"), dados.telefone.as_deref());
    if dados.telefone.is_none() {
        ctx.falta(
            onde.em("telefone"),
            "Informe o telefone do responsável técnico.",
        );
    }
    let grupo = Elemento::grupo("infRespTec")
        .filho_se(cnpj)
        .com("xContato", contato)
        .com("email", email)
        .com("fone", fone.unwrap_or_default());
    let (Some(id), Some(csrt)) = (&dados.id_csrt, &dados.csrt) else {
        return Some(grupo);
    };
    // NT 2018.005: base64 of SHA-1 of the code followed by the key.
    let resumo = Sha1::digest(format!("{}{chave}", csrt.trim()).as_bytes());
    Some(
        grupo
            .com("idCSRT", format!("{:0>2}", id.trim()))
            .com("hashCSRT", STANDARD.encode(resumo)),
    )
}

pub(super) fn agropecuario(ctx: &Contexto<'_>) -> Option<Elemento> {
    let dados: &Agropecuario = ctx.pedido.agropecuario.as_ref()?;
    let mut grupo = Elemento::grupo("agropecuario");
    for defensivo in dados.defensivos.iter().take(21) {
        grupo.poe(
            Elemento::grupo("defensivo").com(
                "CPFRespTec",
                ctx.codigo(defensivo.cpf_responsavel.as_deref())
                    .unwrap_or_default(),
            ),
        );
    }
    (!grupo.lista().is_empty() || dados.guia_transito.is_some()).then_some(grupo)
}
