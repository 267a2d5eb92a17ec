//! Which groups a classification calls for, and which it forbids.

mod credits;
mod mono;

use data::class_trib::{self, ClassTrib, Cst};
use time::Date;

use super::{Contexto, Item, Modelo, Versao};
use markup::field::Campos;

/// First year in which a sale to government turns IBS and CBS over to the buyer
/// (LC 214/2025, art. 473; share by year second-hand): not modelled.
const INICIO_REPARTICAO: i32 = 2029;

/// Classifications that only go with one type of debit or credit note
/// (UB14-60, UB14-70, UB14-80): code, `tpNFDebito`, `tpNFCredito`.
const CLASSE_POR_NOTA: [(&str, Option<u8>, Option<u8>); 7] = [
    ("800002", Some(1), None),
    ("811001", Some(2), None),
    ("811002", Some(3), None),
    ("800001", Some(5), Some(5)),
    ("410030", Some(7), None),
    ("811003", Some(8), None),
    ("810001", None, Some(2)),
];

/// What the tables say about an item.
pub(super) struct Classe {
    pub cst: &'static Cst,
    pub classe: &'static ClassTrib,
}

/// The item's rows of the tables, if they exist and fit each other.
pub(super) fn classificacao(
    contexto: &Contexto,
    item: &Item,
    campos: &mut Campos,
) -> Option<Classe> {
    let cst = class_trib::cst(&item.cst);
    let classe = class_trib::get(&item.c_class_trib).filter(|row| row.em_vigor(contexto.data));
    if cst.is_none() {
        campos.add_value(
            "cst",
            "UB13-10",
            &item.cst,
            "CST do IBS/CBS inexistente.",
            "Use um CST da tabela, como 000 (tributação integral).",
        );
    }
    let Some(classe) = classe else {
        campos.add_value(
            "cclass_trib",
            "UB14-10",
            &item.c_class_trib,
            "Classificação tributária do IBS/CBS inexistente ou fora de vigência.",
            "Use um cClassTrib da tabela em vigor, como 000001.",
        );
        return None;
    };
    let cst = cst?;
    if classe.cst() != cst.codigo {
        campos.add_value(
            "cclass_trib",
            "UB14-20",
            &item.c_class_trib,
            "A classificação tributária não pertence ao CST informado.",
            format!(
                "Os três primeiros dígitos são o CST: use CST {}.",
                classe.cst()
            ),
        );
        return None;
    }
    let permitida = match contexto.modelo {
        Modelo::Nfe => classe.nfe,
        Modelo::Nfce => classe.nfce,
    };
    if !permitida {
        campos.add_value(
            "cclass_trib",
            "UB14-25",
            &item.c_class_trib,
            "Esta classificação tributária não vale para este modelo de documento.",
            "Escolha uma classificação admitida no modelo, ou emita o documento próprio.",
        );
        return None;
    }
    Some(Classe { cst, classe })
}

/// Stock lost (`tpNFDebito` 07): only credits are given back, and `gIBSCBS` is
/// not asked for (UB13-30, UB116-20).
pub(super) fn perda_em_estoque(contexto: &Contexto) -> bool {
    contexto.finalidade.tp_nf_debito == Some(7)
}

/// Groups that are missing, and groups that may not be there.
pub(super) fn confere(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    if contexto.compra_gov.is_some() && contexto.data.year() >= INICIO_REPARTICAO {
        campos.add(
            "compra_governamental",
            "lc214_art_473",
            "A repartição dos tributos em compras governamentais a partir de 2029 ainda não é calculada.",
            "Emita sem o grupo de compra governamental ou fale com o suporte.",
        );
    }
    finalidade(contexto, item, campos);
    tributos(contexto, item, classe, campos);
    regular(contexto, item, classe, campos);
    mono::confere(contexto, item, classe, campos);
    credits::avulsos(contexto, item, classe, campos);
    credits::operacao(contexto, item, classe, campos);
    credits::zfm(contexto, item, classe, campos);
    area_incentivada(contexto, item, classe, campos);
}

fn finalidade(contexto: &Contexto, item: &Item, campos: &mut Campos) {
    let nota = &contexto.finalidade;
    let codigo = item.c_class_trib.as_str();
    let da_classe = CLASSE_POR_NOTA
        .iter()
        .find(|(classe, ..)| *classe == codigo);
    if let Some((_, debito, credito)) = da_classe {
        let serve = (debito.is_some() && nota.tp_nf_debito == *debito)
            || (credito.is_some() && nota.tp_nf_credito == *credito);
        if !serve {
            campos.add_value(
                "cclass_trib",
                "UB14-60",
                codigo,
                "Esta classificação só cabe em um tipo próprio de nota de débito ou de crédito.",
                "Use a finalidade e o tipo de nota de débito ou crédito correspondentes.",
            );
        }
    }
    let pede = |debito: bool| {
        CLASSE_POR_NOTA.iter().find(|(_, d, c)| {
            if debito {
                d.is_some() && *d == nota.tp_nf_debito
            } else {
                c.is_some() && *c == nota.tp_nf_credito
            }
        })
    };
    for (debito, regra) in [(true, "UB14-70"), (false, "UB14-80")] {
        if let Some((esperada, ..)) = pede(debito).filter(|(classe, ..)| *classe != codigo) {
            campos.add_value(
                "cclass_trib",
                regra,
                codigo,
                "O tipo da nota de débito ou crédito pede outra classificação tributária.",
                format!("Use o cClassTrib {esperada}."),
            );
        }
    }
    if codigo == "620005" && nota.fin_nfe != 5 {
        campos.add_value(
            "cclass_trib",
            "UB14-40",
            codigo,
            "O cClassTrib 620005 só cabe em nota de crédito.",
            "Use a finalidade nota de crédito.",
        );
    }
}

/// Deferral, reduction and tax given back, for each of the three taxes.
fn tributos(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let normal = classe.cst.g_ibs_cbs;
    let todos = [
        (
            "ibs_uf",
            &item.ibs_uf,
            classe.classe.p_red_ibs,
            "UB22-10",
            "UB22-20",
            "UB26-10",
            "UB27-10",
        ),
        (
            "ibs_mun",
            &item.ibs_mun,
            classe.classe.p_red_ibs,
            "UB40-20",
            "UB40-10",
            "UB45-10",
            "UB46-10",
        ),
        (
            "cbs",
            &item.cbs,
            classe.classe.p_red_cbs,
            "UB59-20",
            "UB59-10",
            "UB64-10",
            "UB65-10",
        ),
    ];
    for (nome, tributo, reducao, dif_vedado, dif_exigido, red_vedada, red_valida) in todos {
        if !normal && tributo.aliquota.is_some() {
            veda(
                campos,
                &format!("{nome}.aliquota"),
                "UB13-20",
                "Este CST não leva alíquotas de IBS e CBS.",
            );
        }
        if !classe.cst.g_dif && tributo.p_dif.is_some() {
            veda(
                campos,
                &format!("{nome}.diferimento"),
                dif_vedado,
                "Este CST não tem diferimento.",
            );
        }
        if classe.cst.g_dif && tributo.p_dif.is_none() {
            exige(
                campos,
                &format!("{nome}.diferimento"),
                dif_exigido,
                "Este CST exige o percentual de diferimento.",
            );
        }
        match tributo.reducao {
            Some(dada) if !classe.cst.g_red && !dada.is_zero() => {
                veda(
                    campos,
                    &format!("{nome}.reducao"),
                    red_vedada,
                    "Este CST não tem redução de alíquota.",
                );
            }
            Some(dada) if classe.cst.g_red && dada != reducao => campos.add_value(
                format!("{nome}.reducao"),
                red_valida,
                &dada.to_string(),
                "A redução de alíquota não é a desta classificação.",
                format!("Use {reducao}% ou deixe em branco."),
            ),
            _ => {}
        }
    }
    devolucao(contexto, item, normal, campos);
}

/// Tax given back to consumers: since v1.40 only CBS, only in NF-e, by percent.
fn devolucao(contexto: &Contexto, item: &Item, normal: bool, campos: &mut Campos) {
    let por_percentual = contexto.versao >= Versao::E;
    for (nome, tributo, regra) in [
        ("ibs_uf", &item.ibs_uf, "UB24-10"),
        ("ibs_mun", &item.ibs_mun, "UB43-10"),
        ("cbs", &item.cbs, "UB62-10"),
    ] {
        if tributo.p_dev.is_none() && tributo.v_dev.is_none() {
            continue;
        }
        let campo = format!("{nome}.percentual_devolvido");
        if !normal {
            veda(
                campos,
                &campo,
                "UB13-20",
                "Este CST não leva valores de IBS e CBS.",
            );
        } else if por_percentual && nome != "cbs" {
            veda(campos, &campo, regra, "Só a CBS pode ser devolvida.");
        } else if por_percentual && contexto.modelo == Modelo::Nfce {
            veda(
                campos,
                &campo,
                regra,
                "A devolução da CBS não se informa em NFC-e.",
            );
        } else if por_percentual && tributo.p_dev.is_none() {
            exige(
                campos,
                &campo,
                "UB62a-10",
                "Falta o percentual da CBS devolvida.",
            );
        } else if !por_percentual && tributo.v_dev.is_none() {
            exige(
                campos,
                &format!("{nome}.valor_devolvido"),
                "UB63",
                "Este leiaute pede o valor devolvido.",
            );
        }
    }
}

fn regular(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let campo = "tributacao_regular";
    match (&item.trib_regular, classe.classe.trib_regular) {
        (None, true) => exige(
            campos,
            campo,
            "UB68-10",
            "Esta classificação exige a tributação regular: como seria tributado sem o benefício.",
        ),
        (Some(_), false) => veda(
            campos,
            campo,
            "UB68-11",
            "Esta classificação não admite tributação regular.",
        ),
        (None, false) => {}
        (Some(regular), true) => {
            if class_trib::cst(&regular.cst).is_none() {
                campos.add_value(
                    "tributacao_regular.cst",
                    "UB69-10",
                    &regular.cst,
                    "CST da tributação regular inexistente.",
                    "Use o CST que valeria sem o benefício, como 000.",
                );
            }
            let classe = class_trib::get(&regular.c_class_trib)
                .filter(|row| row.em_vigor(contexto.data) && row.cst() == regular.cst);
            if classe.is_none() {
                campos.add_value(
                    "tributacao_regular.cclass_trib",
                    "UB70-10",
                    &regular.c_class_trib,
                    "Classificação da tributação regular inexistente, fora de vigência ou de outro CST.",
                    "Use o cClassTrib que valeria sem o benefício, como 000001.",
                );
            }
        }
    }
}

fn area_incentivada(contexto: &Contexto, item: &Item, classe: &Classe, campos: &mut Campos) {
    let Some(area) = &item.zfm_alc else {
        return;
    };
    let campo = "alc_zfm_cbs";
    if contexto.versao < Versao::E {
        veda(
            campos,
            campo,
            "UB66a",
            "O leiaute desta data não tem o grupo de área incentivada.",
        );
    }
    if !classe.cst.g_ibs_cbs {
        veda(
            campos,
            campo,
            "UB13-20",
            "Este CST não leva valores de IBS e CBS.",
        );
    }
    if !matches!(area.tipo, 1 | 2) {
        campos.add_value(
            "alc_zfm_cbs.tipo",
            "UB66b",
            &area.tipo.to_string(),
            "Tipo de área incentivada inexistente.",
            "Use 1 ou 2.",
        );
    }
    let processo = area.processo.as_deref();
    let serve = |texto: &str| {
        (8..=12).contains(&texto.chars().count()) && texto.bytes().all(|b| b.is_ascii_graphic())
    };
    if processo.is_some_and(|texto| !serve(texto)) {
        campos.add(
            "alc_zfm_cbs.processo_suframa",
            "UB66c-10",
            "Número do processo da Suframa inválido.",
            "Informe de 8 a 12 caracteres, sem espaços.",
        );
    }
}

/// `AAAA-MM` from 2025-01 to the month of emission.
fn mes(campos: &mut Campos, campo: &str, regra: &str, texto: &str, data: Date) {
    let lido = || {
        let (ano, mes) = texto.split_once('-')?;
        let digitos = |parte: &str| parte.bytes().all(|b| b.is_ascii_digit());
        let forma = ano.len() == 4 && mes.len() == 2 && digitos(ano) && digitos(mes);
        let (ano, mes): (i32, u8) = (ano.parse().ok()?, mes.parse().ok()?);
        (forma && (1..=12).contains(&mes)).then_some((ano, mes))
    };
    let serve = lido().is_some_and(|(ano, mes)| {
        ano >= 2025 && (ano, mes) <= (data.year(), u8::from(data.month()))
    });
    if !serve {
        campos.add_value(
            campo,
            regra,
            texto,
            "Mês de apuração inválido.",
            "Informe AAAA-MM, de 2025-01 ao mês da emissão.",
        );
    }
}

fn exige(campos: &mut Campos, campo: &str, regra: &str, mensagem: &str) {
    campos.add(
        campo,
        regra,
        mensagem,
        "Informe este grupo ou mude a classificação tributária.",
    );
}

fn veda(campos: &mut Campos, campo: &str, regra: &str, mensagem: &str) {
    campos.add(
        campo,
        regra,
        mensagem,
        "Retire este campo ou mude a classificação tributária.",
    );
}
