//! What an NFC-e does not carry (MOC, model 65).

use crate::context::{Context, Place};
use fiscal::nfe::order::{Finalidade, Forma, Item, ModalidadeFrete, Presenca, TipoOperacao};
use markup::tree::Node;
use rust_decimal::Decimal;

/// Above this the consumer is named (rejections 750 to 752); states may have
/// lower bounds, none is known for sure.
const IDENTIFY: Decimal = Decimal::from_parts(10_000, 0, 0, false, 0);
/// Greatest NFC-e (rejection 780).
const LIMIT: Decimal = Decimal::from_parts(200_000, 0, 0, false, 0);

pub(super) fn nfce(ctx: &mut Context<'_>, root: &Node) {
    let request = ctx.request;
    let transport = request.transporte.as_ref();
    let delivery = ctx.presence == Presenca::EntregaDomicilio;
    let forbidden = of_operation(ctx)
        .into_iter()
        .chain(of_transport(ctx, delivery));
    for (wrong, field, rejection, what) in forbidden.collect::<Vec<_>>() {
        if wrong {
            ctx.fields.add(
                field,
                "nao_cabe_na_nfce",
                format!("A NFC-e não admite {what} (rejeição {rejection})."),
                "Retire o campo, ou emita NF-e.",
            );
        }
    }
    if !matches!(
        ctx.presence,
        Presenca::Presencial | Presenca::EntregaDomicilio | Presenca::ForaEstabelecimento
    ) {
        ctx.error(
            Place::root("presenca"),
            "presenca_invalida",
            "A NFC-e é de operação presencial ou com entrega em domicílio (rejeição 717).",
            "Use presencial ou entrega_domicilio, ou emita NF-e.",
        );
    }
    consumer(ctx, delivery);
    value(ctx, root);
    payments(ctx);
    if delivery && transport.is_none_or(|t| t.transportador.is_none()) {
        ctx.missing(
            Place::root("transporte").at("transportador"),
            "Informe quem entrega (rejeição 786).",
        );
    }
    for (i, item) in request.itens.iter().enumerate() {
        one_item(ctx, Place::list("itens", i), item);
    }
}

/// Whether something is there that does not belong in an NFC-e, its member, the
/// rejection and its name.
type Forbidden = (bool, &'static str, u16, &'static str);

fn of_operation(ctx: &Context<'_>) -> [Forbidden; 8] {
    let request = ctx.request;
    [
        (
            ctx.operation == TipoOperacao::Entrada,
            "tipo_operacao",
            706,
            "operação de entrada",
        ),
        (
            ctx.purpose != Finalidade::Normal,
            "finalidade",
            715,
            "finalidade que não seja normal",
        ),
        (
            request.consumidor_final == Some(false),
            "consumidor_final",
            716,
            "operação que não seja com consumidor final",
        ),
        (
            !request.referencias.is_empty(),
            "referencias",
            708,
            "documento referenciado",
        ),
        (
            request.cobranca.is_some(),
            "cobranca",
            760,
            "dados de cobrança",
        ),
        (request.compra.is_some(), "compra", 762, "dados de compra"),
        (request.cana.is_some(), "cana", 763, "aquisição de cana"),
        (
            request.exportacao.is_some(),
            "exportacao",
            707,
            "exportação",
        ),
    ]
}

fn of_transport(ctx: &Context<'_>, delivery: bool) -> [Forbidden; 7] {
    let transport = ctx.request.transporte.as_ref();
    let frete = transport
        .and_then(|transport| transport.modalidade_frete)
        .is_some_and(|modality| modality != ModalidadeFrete::SemFrete);
    [
        (
            frete && !delivery,
            "transporte.modalidade_frete",
            753,
            "frete, fora da entrega em domicílio",
        ),
        (
            transport.is_some_and(|t| t.transportador.is_some()) && !delivery,
            "transporte.transportador",
            754,
            "transportador, fora da entrega em domicílio",
        ),
        (
            transport.is_some_and(|t| t.retencao_icms.is_some()),
            "transporte.retencao_icms",
            755,
            "retenção de ICMS no transporte",
        ),
        (
            transport.is_some_and(|t| t.veiculo.is_some()),
            "transporte.veiculo",
            756,
            "veículo de transporte",
        ),
        (
            transport.is_some_and(|t| !t.reboques.is_empty()),
            "transporte.reboques",
            757,
            "reboque",
        ),
        (
            transport.is_some_and(|t| t.vagao.is_some()),
            "transporte.vagao",
            758,
            "vagão",
        ),
        (
            transport.is_some_and(|t| t.balsa.is_some()),
            "transporte.balsa",
            759,
            "balsa",
        ),
    ]
}

fn consumer(ctx: &mut Context<'_>, delivery: bool) {
    let place = ctx.receiver_place();
    let person = ctx.request.receiver().1;
    if let Some(person) = person {
        if person
            .indicador_ie
            .is_some_and(|indicator| indicator.codigo() != "9")
        {
            ctx.error(
                place.at("indicador_ie"),
                "nao_cabe_na_nfce",
                "A NFC-e é para quem não é contribuinte (rejeição 789).",
                "Omita indicador_ie, ou emita NF-e.",
            );
        }
        if person.ie.is_some() || person.suframa.is_some() {
            ctx.error(
                place.at("ie"),
                "nao_cabe_na_nfce",
                "A NFC-e não leva inscrição estadual nem Suframa (rejeições 729 e 730).",
                "Retire os campos, ou emita NF-e.",
            );
        }
    }
    // Programs at the counter send an empty text for a consumer who says no number.
    let given = |text: &Option<String>| text.as_deref().is_some_and(|it| !it.trim().is_empty());
    let identified = person
        .is_some_and(|person| given(&person.cpf_cnpj) || given(&person.documento_estrangeiro));
    if delivery && !(identified && person.is_some_and(|person| person.endereco.is_some())) {
        ctx.error(
            place,
            "obrigatorio",
            "Entrega em domicílio exige CPF ou CNPJ e endereço (rejeições 787 e 788).",
            "Informe cpf_cnpj, nome e endereco.",
        );
    }
    if person.is_some() && !identified {
        ctx.aviso(
            place,
            "Consumidor sem CPF, CNPJ ou documento estrangeiro: a nota saiu sem destinatário.",
        );
    }
}

/// The value decides how much is told of the consumer.
fn value(ctx: &mut Context<'_>, root: &Node) {
    let total = root.value(&["total", "ICMSTot", "vNF"]);
    let total: Decimal = total.and_then(|vnf| vnf.parse().ok()).unwrap_or_default();
    if total > LIMIT {
        ctx.error(
            Place::root("itens"),
            "limite",
            format!("O total {total} passa do limite da NFC-e, {LIMIT} reais (rejeição 780)."),
            "Emita NF-e.",
        );
        return;
    }
    if total <= IDENTIFY {
        return;
    }
    let dest = root.find("dest");
    let has = |names: &[&str]| {
        dest.is_some_and(|dest| names.iter().any(|name| dest.find(name).is_some()))
    };
    for (field, came, rejection) in [
        ("cpf_cnpj", has(&["CNPJ", "CPF", "idEstrangeiro"]), 750),
        ("nome", has(&["xNome"]), 751),
        ("endereco", has(&["enderDest"]), 752),
    ] {
        if !came {
            let place = ctx.receiver_place();
            ctx.error(
                place.at(field),
                "obrigatorio",
                format!(
                    "Acima de {IDENTIFY} reais a NFC-e identifica o consumidor (rejeição {rejection})."
                ),
                "Informe cpf_cnpj, nome e endereco do consumidor.",
            );
        }
    }
}

fn payments(ctx: &mut Context<'_>) {
    for (i, payment) in ctx.request.pagamentos.iter().enumerate() {
        let (rejection, what) = match payment.forma.map(Forma::codigo) {
            Some("14") => (857, "duplicata mercantil"),
            Some("90") => (899, "venda sem pagamento"),
            _ => continue,
        };
        ctx.error(
            Place::list("pagamentos", i).at("forma"),
            "nao_cabe_na_nfce",
            format!("A NFC-e não admite {what} (rejeição {rejection})."),
            "Informe outra forma de pagamento, ou emita NF-e.",
        );
    }
}

fn one_item(ctx: &mut Context<'_>, place: Place<'_>, item: &Item) {
    let impostos = item.impostos.as_ref();
    let icms = impostos.and_then(|impostos| impostos.icms.as_ref());
    for (wrong, field, rejection, what) in [
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
        if wrong {
            ctx.fields.add(
                format!("{place}.{field}"),
                "nao_cabe_na_nfce",
                format!("A NFC-e não admite {what} (rejeição {rejection})."),
                "Retire o campo, ou emita NF-e.",
            );
        }
    }
}

/// CST or CSOSN as it is in the note: the profile may have given it.
pub(super) fn situation(ctx: &mut Context<'_>, place: Place<'_>, situation: &str) {
    let (field, what) = match situation {
        "51" => ("icms.cst", "CST 51 (rejeição 740)"),
        "50" => ("icms.cst", "CST 50 (rejeição 766)"),
        // Substitution towards whom there is nobody to substitute: N12 and
        // N12a of model 65 (numbers of the rejections not at hand).
        "10" | "30" | "70" | "101" | "201" | "202" | "203" => ("icms", "este CST ou CSOSN"),
        _ => return,
    };
    ctx.fields.add(
        format!("{place}.impostos.{field}"),
        "nao_cabe_na_nfce",
        format!("A NFC-e não admite {what}."),
        "Informe outra situação tributária no item ou no perfil fiscal, ou emita NF-e.",
    );
}
