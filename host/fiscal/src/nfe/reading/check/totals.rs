//! Totals against the items, the amount of the note, its payments.

use rust_decimal::Decimal;

use super::nota::{Item, reais, texto, valor};
use super::{Achados, Nota};

/// A total of `ICMSTot`: its field, the cStat, what each item adds.
type Soma = (&'static str, &'static str, fn(&Item<'_>) -> Option<Decimal>);

const SOMAS: [Soma; 26] = [
    ("vBC", "531", |item| item.icms("vBC")),
    ("vICMS", "532", |item| item.icms("vICMS")),
    ("vICMSDeson", "795", |item| item.icms("vICMSDeson")),
    ("vFCPUFDest", "798", |item| {
        item.imposto(&["ICMSUFDest", "vFCPUFDest"])
    }),
    ("vICMSUFDest", "799", |item| {
        item.imposto(&["ICMSUFDest", "vICMSUFDest"])
    }),
    ("vICMSUFRemet", "800", |item| {
        item.imposto(&["ICMSUFDest", "vICMSUFRemet"])
    }),
    ("vBCST", "533", |item| item.icms("vBCST")),
    ("vST", "534", |item| item.icms("vICMSST")),
    ("vFCPST", "862", |item| item.icms("vFCPST")),
    ("vFCPSTRet", "859", |item| item.icms("vFCPSTRet")),
    ("qBCMono", "total_difere", |item| item.icms("qBCMono")),
    ("vICMSMono", "967", |item| item.icms("vICMSMono")),
    ("qBCMonoReten", "total_difere", |item| {
        item.icms("qBCMonoReten")
    }),
    ("vICMSMonoReten", "968", |item| item.icms("vICMSMonoReten")),
    ("qBCMonoRet", "744", |item| item.icms("qBCMonoRet")),
    ("vICMSMonoRet", "969", |item| item.icms("vICMSMonoRet")),
    ("vProd", "564", |item| {
        se(
            item.compoe_total() && !item.is_servico(),
            item.valor("vProd"),
        )
    }),
    ("vFrete", "535", |item| item.valor("vFrete")),
    ("vSeg", "536", |item| item.valor("vSeg")),
    ("vDesc", "537", |item| item.valor("vDesc")),
    ("vII", "601", |item| item.imposto(&["II", "vII"])),
    ("vIPI", "538", |item| {
        item.imposto(&["IPI", "IPITrib", "vIPI"])
    }),
    ("vIPIDevol", "863", |item| {
        valor(item.det, &["impostoDevol", "IPI", "vIPIDevol"])
    }),
    ("vPIS", "602", |item| {
        se(!item.is_servico(), item.contribuicao("PIS", "vPIS"))
    }),
    ("vCOFINS", "603", |item| {
        se(!item.is_servico(), item.contribuicao("COFINS", "vCOFINS"))
    }),
    ("vOutro", "604", |item| item.valor("vOutro")),
];

/// The same of `ISSQNtot`, over services.
const SOMAS_ISS: [Soma; 5] = [
    ("vServ", "605", |item| {
        se(item.compoe_total(), item.valor("vProd"))
    }),
    ("vBC", "606", |item| item.imposto(&["ISSQN", "vBC"])),
    ("vISS", "607", |item| item.imposto(&["ISSQN", "vISSQN"])),
    ("vPIS", "608", |item| item.contribuicao("PIS", "vPIS")),
    ("vCOFINS", "609", |item| {
        item.contribuicao("COFINS", "vCOFINS")
    }),
];

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    if let Some(total) = nota.inf.find(&["total", "ICMSTot"]) {
        for (campo, codigo, parcela) in SOMAS {
            let soma = soma(nota.itens.iter(), parcela);
            difere(
                ("ICMSTot", campo),
                codigo,
                soma,
                valor(total, &[campo]),
                achados,
            );
        }
        fcp(nota, total, achados);
        let aproximado = soma(nota.itens.iter(), |item| item.imposto(&["vTotTrib"]));
        if let (Some(soma), Some(dito)) = (aproximado, valor(total, &["vTotTrib"]))
            && soma != dito
        {
            achados.aviso(
                "infNFe/total/ICMSTot/vTotTrib",
                "685",
                format!(
                    "O total de tributos aproximados é {}, mas os itens somam {}.",
                    reais(dito),
                    reais(soma)
                ),
                "Some vTotTrib dos itens.",
            );
        }
        valor_da_nota(nota, total, achados);
        pagamentos(nota, achados);
    }
    if let Some(total) = nota.inf.find(&["total", "ISSQNtot"]) {
        for (campo, codigo, parcela) in SOMAS_ISS {
            let soma = soma(nota.itens.iter().filter(|item| item.is_servico()), parcela);
            difere(
                ("ISSQNtot", campo),
                codigo,
                soma,
                valor(total, &[campo]),
                achados,
            );
        }
    }
    cobranca(nota, achados);
}

/// W04h. Where the fund is deferred, whether its total is what was put off or
/// what is due (`vFCPEfet`) is not confirmed: either will do.
fn fcp(nota: &Nota<'_>, total: markup::xml::Element<'_>, achados: &mut Achados) {
    let dito = valor(total, &["vFCP"]);
    let devido = soma(nota.itens.iter(), |item| {
        let adiado = item.icms.and_then(|icms| icms.child("vFCPEfet"));
        item.icms(if adiado.is_some() { "vFCPEfet" } else { "vFCP" })
    });
    if devido != dito {
        let cheio = soma(nota.itens.iter(), |item| item.icms("vFCP"));
        difere(("ICMSTot", "vFCP"), "861", cheio, dito, achados);
    }
}

/// Sum over items; none where one has no amount the schema would take.
pub(super) fn soma<'i, 'd: 'i>(
    itens: impl Iterator<Item = &'i Item<'d>>,
    parcela: impl Fn(&Item<'_>) -> Option<Decimal>,
) -> Option<Decimal> {
    itens
        .map(parcela)
        .try_fold(Decimal::ZERO, |soma, parcela| soma.checked_add(parcela?))
}

pub(super) fn difere(
    (grupo, campo): (&str, &str),
    codigo: &'static str,
    soma: Option<Decimal>,
    dito: Option<Decimal>,
    achados: &mut Achados,
) {
    let (Some(soma), Some(dito)) = (soma, dito) else {
        return;
    };
    if soma != dito {
        let onde = if grupo.is_empty() {
            format!("infNFe/total/{campo}")
        } else {
            format!("infNFe/total/{grupo}/{campo}")
        };
        achados
            .erro(
                onde,
                codigo,
                format!(
                    "O total {campo} é {}, mas os itens somam {}.",
                    reais(dito),
                    reais(soma)
                ),
                format!(
                    "Corrija {campo} do total ou dos itens: a diferença é {}.",
                    reais(dito - soma)
                ),
            )
            .valor(&dito.to_string());
    }
}

/// W16-10: what the amount of the note is made of.
fn valor_da_nota(nota: &Nota<'_>, total: markup::xml::Element<'_>, achados: &mut Achados) {
    const MAIS: [&str; 10] = [
        "vProd",
        "vST",
        "vFCPST",
        "vICMSMonoReten",
        "vFrete",
        "vSeg",
        "vOutro",
        "vII",
        "vIPI",
        "vIPIDevol",
    ];
    let somado = MAIS.iter().try_fold(Decimal::ZERO, |soma, campo| {
        soma.checked_add(valor(total, &[campo])?)
    });
    let servicos = nota
        .inf
        .find(&["total", "ISSQNtot"])
        .map_or(Some(Decimal::ZERO), |total| valor(total, &["vServ"]));
    let desonerado = valor(total, &["vICMSDeson"]);
    let partes = (
        somado,
        servicos,
        pis_cofins_st(nota),
        valor(total, &["vDesc"]),
        desonerado,
        desonerado_que_deduz(nota),
        valor(total, &["vNF"]),
    );
    let (
        Some(somado),
        Some(servicos),
        Some(st),
        Some(desconto),
        Some(desonerado),
        Some(deduzido),
        Some(dito),
    ) = partes
    else {
        return;
    };
    // Each below 10^15, ten of them: no overflow.
    let sem_desonerado = somado + servicos + st - desconto;
    // Whether the exempted ICMS comes off the total is the state's choice
    // (NT 2023.004 marks it by item): any of the three is somebody's rule.
    let aceitos = [
        sem_desonerado - desonerado,
        sem_desonerado - deduzido,
        sem_desonerado,
    ];
    if aceitos.contains(&dito) {
        return;
    }
    let mensagem = format!(
        "O valor da nota é {}, mas as parcelas dão {}.",
        reais(dito),
        reais(sem_desonerado - deduzido)
    );
    let correcao = "vNF = vProd - vDesc - vICMSDeson (se deduz) + vST + vFCPST + vICMSMonoReten + vFrete + vSeg + vOutro + vII + vIPI + vIPIDevol + vServ + PIS/COFINS-ST que compõem o total.";
    // Direct billing of vehicles and imports have exceptions by state.
    let excecao = nota.itens.iter().any(|item| {
        item.prod("CFOP").is_some_and(|cfop| cfop.starts_with('3'))
            || item
                .prod
                .is_some_and(|prod| texto(prod, &["veicProd", "tpOp"]).as_deref() == Some("2"))
    });
    let onde = "infNFe/total/ICMSTot/vNF";
    let posto = if excecao {
        achados.aviso(onde, "610", mensagem, correcao)
    } else {
        achados.erro(onde, "610", mensagem, correcao)
    };
    posto.valor(&dito.to_string());
}

/// PIS and COFINS of substitution that compose the total (NT 2020.005).
fn pis_cofins_st(nota: &Nota<'_>) -> Option<Decimal> {
    soma(nota.itens.iter(), |item| {
        let um = |grupo: &str, indicador: &str, campo: &str| {
            let grupo = item.imposto.and_then(|imposto| imposto.child(grupo));
            match grupo {
                Some(grupo) if texto(grupo, &[indicador]).as_deref() == Some("1") => {
                    valor(grupo, &[campo])
                }
                _ => Some(Decimal::ZERO),
            }
        };
        um("PISST", "indSomaPISST", "vPIS")?.checked_add(um(
            "COFINSST",
            "indSomaCOFINSST",
            "vCOFINS",
        )?)
    })
}

/// Exempted ICMS of the items that say it comes off the total (NT 2023.004).
fn desonerado_que_deduz(nota: &Nota<'_>) -> Option<Decimal> {
    soma(nota.itens.iter(), |item| {
        let deduz = item
            .icms
            .and_then(|icms| texto(icms, &["indDeduzDeson"]))
            .is_some_and(|valor| valor == "1");
        se(deduz, item.icms("vICMSDeson"))
    })
}

/// YA: what was paid is the note's amount and the change.
fn pagamentos(nota: &Nota<'_>, achados: &mut Achados) {
    let detalhes = nota.inf.find_all(&["pag", "detPag"]);
    let sem_valor = |forma: &str| forma == "90" || forma == "91";
    let adiado = detalhes
        .iter()
        .any(|detalhe| texto(*detalhe, &["tPag"]).is_some_and(|forma| sem_valor(&forma)));
    // No payment, or a later one; adjusting and returning notes have none.
    if detalhes.is_empty() || adiado {
        return;
    }
    let pago = detalhes.iter().try_fold(Decimal::ZERO, |soma, detalhe| {
        soma.checked_add(valor(*detalhe, &["vPag"])?)
    });
    let total = valor(nota.inf, &["total", "ICMSTot", "vNF"]);
    let troco = valor(nota.inf, &["pag", "vTroco"]);
    let (Some(pago), Some(total), Some(troco)) = (pago, total, troco) else {
        return;
    };
    if pago < total {
        // YA03-10 is each state's choice for an NF-e: a rural sale is paid
        // without what the buyer withholds (Funrural).
        let onde = "infNFe/pag/detPag/vPag";
        let mensagem = format!(
            "Os pagamentos somam {}, menos que a nota, de {}.",
            reais(pago),
            reais(total)
        );
        let correcao = "Complete os pagamentos ou corrija os valores.";
        let posto = match nota.modelo() {
            65 => achados.erro(onde, "865", mensagem, correcao),
            _ => achados.aviso(onde, "865", mensagem, correcao),
        };
        posto.valor(&pago.to_string());
    }
    let certo = (pago - total).max(Decimal::ZERO);
    if pago > total && troco.is_zero() {
        achados.erro(
            "infNFe/pag/vTroco",
            "866",
            format!(
                "Os pagamentos somam {}, mais que a nota, de {}, sem troco.",
                reais(pago),
                reais(total)
            ),
            format!("Informe troco de {}.", reais(pago - total)),
        );
    } else if certo != troco {
        achados
            .erro(
                "infNFe/pag/vTroco",
                "869",
                format!(
                    "O troco é {}, mas deveria ser {}.",
                    reais(troco),
                    reais(certo)
                ),
                "O troco é a soma dos pagamentos menos o valor da nota.",
            )
            .valor(&troco.to_string());
    }
}

fn cobranca(nota: &Nota<'_>, achados: &mut Achados) {
    let Some(fatura) = nota.inf.find(&["cobr", "fat"]) else {
        return;
    };
    let (Some(original), Some(desconto), Some(liquido)) = (
        valor(fatura, &["vOrig"]),
        valor(fatura, &["vDesc"]),
        valor(fatura, &["vLiq"]),
    ) else {
        return;
    };
    if texto(fatura, &["vOrig"]).is_some()
        && texto(fatura, &["vLiq"]).is_some()
        && original - desconto != liquido
    {
        achados
            .erro(
                "infNFe/cobr/fat/vLiq",
                "902",
                format!(
                    "O valor líquido é {}, mas original menos desconto dá {}.",
                    reais(liquido),
                    reais(original - desconto)
                ),
                "Corrija os valores da fatura.",
            )
            .valor(&liquido.to_string());
    }
    let parcelas = nota.inf.find_all(&["cobr", "dup"]);
    let soma = parcelas.iter().try_fold(Decimal::ZERO, |soma, parcela| {
        soma.checked_add(valor(*parcela, &["vDup"])?)
    });
    if let Some(soma) = soma
        && !parcelas.is_empty()
        && texto(fatura, &["vLiq"]).is_some()
        && soma != liquido
    {
        achados
            .erro(
                "infNFe/cobr/dup/vDup",
                "851",
                format!(
                    "As parcelas somam {}, mas a fatura é de {}.",
                    reais(soma),
                    reais(liquido)
                ),
                "Distribua o valor líquido entre as parcelas.",
            )
            .valor(&soma.to_string());
    }
}

fn se(condicao: bool, valor: Option<Decimal>) -> Option<Decimal> {
    if condicao { valor } else { Some(Decimal::ZERO) }
}
