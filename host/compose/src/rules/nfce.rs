//! What an NFC-e does not carry (MOC, model 65).

use crate::context::{Contexto, Onde};
use fiscal::nfe::order::{Finalidade, Forma, Item, ModalidadeFrete, Presenca, TipoOperacao};
use markup::tree::Elemento;
use rust_decimal::Decimal;

/// Above this the consumer is named (rejections 750 to 752); states may have
/// lower bounds, none is known for sure.
const IDENTIFICAR: Decimal = Decimal::from_parts(10_000, 0, 0, false, 0);
/// Greatest NFC-e (rejection 780).
const LIMITE: Decimal = Decimal::from_parts(200_000, 0, 0, false, 0);

pub(super) fn nfce(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    let pedido = ctx.pedido;
    let transporte = pedido.transporte.as_ref();
    let entrega = ctx.presenca == Presenca::EntregaDomicilio;
    let vedados = da_operacao(ctx)
        .into_iter()
        .chain(do_transporte(ctx, entrega));
    for (errado, campo, rejeicao, o_que) in vedados.collect::<Vec<_>>() {
        if errado {
            ctx.campos.add(
                campo,
                "nao_cabe_na_nfce",
                format!("A NFC-e não admite {o_que} (rejeição {rejeicao})."),
                "Retire o campo, ou emita NF-e.",
            );
        }
    }
    if !matches!(
        ctx.presenca,
        Presenca::Presencial | Presenca::EntregaDomicilio | Presenca::ForaEstabelecimento
    ) {
        ctx.erro(
            Onde::raiz("presenca"),
            "presenca_invalida",
            "A NFC-e é de operação presencial ou com entrega em domicílio (rejeição 717).",
            "Use presencial ou entrega_domicilio, ou emita NF-e.",
        );
    }
    consumidor(ctx, entrega);
    valor(ctx, raiz);
    pagamentos(ctx);
    if entrega && transporte.is_none_or(|t| t.transportador.is_none()) {
        ctx.falta(
            Onde::raiz("transporte").em("transportador"),
            "Informe quem entrega (rejeição 786).",
        );
    }
    for (i, item) in pedido.itens.iter().enumerate() {
        um_item(ctx, Onde::lista("itens", i), item);
    }
}

/// Whether something is there that does not belong in an NFC-e, its member, the
/// rejection and its name.
type Vedado = (bool, &'static str, u16, &'static str);

fn da_operacao(ctx: &Contexto<'_>) -> [Vedado; 8] {
    let pedido = ctx.pedido;
    [
        (
            ctx.operacao == TipoOperacao::Entrada,
            "tipo_operacao",
            706,
            "operação de entrada",
        ),
        (
            ctx.finalidade != Finalidade::Normal,
            "finalidade",
            715,
            "finalidade que não seja normal",
        ),
        (
            pedido.consumidor_final == Some(false),
            "consumidor_final",
            716,
            "operação que não seja com consumidor final",
        ),
        (
            !pedido.referencias.is_empty(),
            "referencias",
            708,
            "documento referenciado",
        ),
        (
            pedido.cobranca.is_some(),
            "cobranca",
            760,
            "dados de cobrança",
        ),
        (pedido.compra.is_some(), "compra", 762, "dados de compra"),
        (pedido.cana.is_some(), "cana", 763, "aquisição de cana"),
        (pedido.exportacao.is_some(), "exportacao", 707, "exportação"),
    ]
}

fn do_transporte(ctx: &Contexto<'_>, entrega: bool) -> [Vedado; 7] {
    let transporte = ctx.pedido.transporte.as_ref();
    let frete = transporte
        .and_then(|transporte| transporte.modalidade_frete)
        .is_some_and(|modalidade| modalidade != ModalidadeFrete::SemFrete);
    [
        (
            frete && !entrega,
            "transporte.modalidade_frete",
            753,
            "frete, fora da entrega em domicílio",
        ),
        (
            transporte.is_some_and(|t| t.transportador.is_some()) && !entrega,
            "transporte.transportador",
            754,
            "transportador, fora da entrega em domicílio",
        ),
        (
            transporte.is_some_and(|t| t.retencao_icms.is_some()),
            "transporte.retencao_icms",
            755,
            "retenção de ICMS no transporte",
        ),
        (
            transporte.is_some_and(|t| t.veiculo.is_some()),
            "transporte.veiculo",
            756,
            "veículo de transporte",
        ),
        (
            transporte.is_some_and(|t| !t.reboques.is_empty()),
            "transporte.reboques",
            757,
            "reboque",
        ),
        (
            transporte.is_some_and(|t| t.vagao.is_some()),
            "transporte.vagao",
            758,
            "vagão",
        ),
        (
            transporte.is_some_and(|t| t.balsa.is_some()),
            "transporte.balsa",
            759,
            "balsa",
        ),
    ]
}

fn consumidor(ctx: &mut Contexto<'_>, entrega: bool) {
    let onde = ctx.onde_recebedor();
    let pessoa = ctx.pedido.recebedor().1;
    if let Some(pessoa) = pessoa {
        if pessoa
            .indicador_ie
            .is_some_and(|indicador| indicador.codigo() != "9")
        {
            ctx.erro(
                onde.em("indicador_ie"),
                "nao_cabe_na_nfce",
                "A NFC-e é para quem não é contribuinte (rejeição 789).",
                "Omita indicador_ie, ou emita NF-e.",
            );
        }
        if pessoa.ie.is_some() || pessoa.suframa.is_some() {
            ctx.erro(
                onde.em("ie"),
                "nao_cabe_na_nfce",
                "A NFC-e não leva inscrição estadual nem Suframa (rejeições 729 e 730).",
                "Retire os campos, ou emita NF-e.",
            );
        }
    }
    let identificado = pessoa
        .is_some_and(|pessoa| pessoa.cpf_cnpj.is_some() || pessoa.documento_estrangeiro.is_some());
    if entrega && !(identificado && pessoa.is_some_and(|pessoa| pessoa.endereco.is_some())) {
        ctx.erro(
            onde,
            "obrigatorio",
            "Entrega em domicílio exige CPF ou CNPJ e endereço (rejeições 787 e 788).",
            "Informe cpf_cnpj, nome e endereco.",
        );
    }
    if pessoa.is_some() && !identificado {
        ctx.aviso(
            onde,
            "Consumidor sem CPF, CNPJ ou documento estrangeiro: a nota saiu sem destinatário.",
        );
    }
}

/// The value decides how much is told of the consumer.
fn valor(ctx: &mut Contexto<'_>, raiz: &Elemento) {
    let total = raiz.valor(&["total", "ICMSTot", "vNF"]);
    let total: Decimal = total.and_then(|vnf| vnf.parse().ok()).unwrap_or_default();
    if total > LIMITE {
        ctx.erro(
            Onde::raiz("itens"),
            "limite",
            format!("O total {total} passa do limite da NFC-e, {LIMITE} reais (rejeição 780)."),
            "Emita NF-e.",
        );
        return;
    }
    if total <= IDENTIFICAR {
        return;
    }
    let dest = raiz.busca("dest");
    let tem = |nomes: &[&str]| {
        dest.is_some_and(|dest| nomes.iter().any(|nome| dest.busca(nome).is_some()))
    };
    for (campo, veio, rejeicao) in [
        ("cpf_cnpj", tem(&["CNPJ", "CPF", "idEstrangeiro"]), 750),
        ("nome", tem(&["xNome"]), 751),
        ("endereco", tem(&["enderDest"]), 752),
    ] {
        if !veio {
            let onde = ctx.onde_recebedor();
            ctx.erro(
                onde.em(campo),
                "obrigatorio",
                format!(
                    "Acima de {IDENTIFICAR} reais a NFC-e identifica o consumidor (rejeição {rejeicao})."
                ),
                "Informe cpf_cnpj, nome e endereco do consumidor.",
            );
        }
    }
}

fn pagamentos(ctx: &mut Contexto<'_>) {
    for (i, pagamento) in ctx.pedido.pagamentos.iter().enumerate() {
        let (rejeicao, o_que) = match pagamento.forma.map(Forma::codigo) {
            Some("14") => (857, "duplicata mercantil"),
            Some("90") => (899, "venda sem pagamento"),
            _ => continue,
        };
        ctx.erro(
            Onde::lista("pagamentos", i).em("forma"),
            "nao_cabe_na_nfce",
            format!("A NFC-e não admite {o_que} (rejeição {rejeicao})."),
            "Informe outra forma de pagamento, ou emita NF-e.",
        );
    }
}

fn um_item(ctx: &mut Contexto<'_>, onde: Onde<'_>, item: &Item) {
    let impostos = item.impostos.as_ref();
    let icms = impostos.and_then(|impostos| impostos.icms.as_ref());
    for (errado, campo, rejeicao, o_que) in [
        (item.recopi.is_some(), "recopi", 348, "RECOPI"),
        (
            item.veiculo_novo.is_some(),
            "veiculo_novo",
            736,
            "veículo novo",
        ),
        (!item.armas.is_empty(), "armas", 738, "armas"),
        (
            item.devolucao.is_some(),
            "devolucao",
            390,
            "devolução de tributos",
        ),
        (
            !item.importacoes.is_empty(),
            "importacoes",
            707,
            "importação",
        ),
        (
            !item.exportacoes.is_empty(),
            "exportacoes",
            707,
            "exportação",
        ),
        (
            item.compoe_total == Some(false),
            "compoe_total",
            774,
            "item fora do total",
        ),
        (
            impostos.is_some_and(|i| i.ii.is_some()),
            "impostos.ii",
            743,
            "imposto de importação",
        ),
        (
            impostos.is_some_and(|i| i.pis_st.is_some()),
            "impostos.pis_st",
            746,
            "PIS por substituição",
        ),
        (
            impostos.is_some_and(|i| i.cofins_st.is_some()),
            "impostos.cofins_st",
            749,
            "COFINS por substituição",
        ),
        (
            icms.is_some_and(|icms| icms.grupo.is_some()),
            "impostos.icms.grupo",
            741,
            "partilha ou repasse de ICMS",
        ),
        (
            icms.is_some_and(|icms| icms.difal.is_some()),
            "impostos.icms.difal",
            807,
            "ICMS para a UF de destino",
        ),
    ] {
        if errado {
            ctx.campos.add(
                format!("{onde}.{campo}"),
                "nao_cabe_na_nfce",
                format!("A NFC-e não admite {o_que} (rejeição {rejeicao})."),
                "Retire o campo, ou emita NF-e.",
            );
        }
    }
}

/// CST or CSOSN as it is in the note: the profile may have given it.
pub(super) fn situacao(ctx: &mut Contexto<'_>, onde: Onde<'_>, situacao: &str) {
    let (campo, o_que) = match situacao {
        "51" => ("icms.cst", "CST 51 (rejeição 740)"),
        "50" => ("icms.cst", "CST 50 (rejeição 766)"),
        // Substitution towards whom there is nobody to substitute: N12 and
        // N12a of model 65 (numbers of the rejections not at hand).
        "10" | "30" | "70" | "101" | "201" | "202" | "203" => ("icms", "este CST ou CSOSN"),
        _ => return,
    };
    ctx.campos.add(
        format!("{onde}.impostos.{campo}"),
        "nao_cabe_na_nfce",
        format!("A NFC-e não admite {o_que}."),
        "Informe outra situação tributária no item ou no perfil fiscal, ou emita NF-e.",
    );
}
