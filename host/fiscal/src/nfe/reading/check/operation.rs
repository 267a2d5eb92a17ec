//! What a note says of its operation, held against itself: purpose, parties,
//! regime, and what a model does not carry. The same rules the pre-flight
//! ([`compose::rules`]) holds a request against, here over anybody's XML.

use rust_decimal::{Decimal, RoundingStrategy};

use super::nota::{Item, texto, valor};
use super::{Achados, Nota};
use crate::nfe::ibs_cbs_alone::Operacao;
use crate::nfe::reading::check::items::CENTAVO;
use crate::nfe::reading::check::validity::Regras;

pub(super) fn confere(nota: &Nota<'_>, achados: &mut Achados) {
    let nfce = nota.modelo() == 65;
    recebedor(nota, nfce, achados);
    referencias(nota, achados);
    let vedados = vedados(nota);
    for item in &nota.itens {
        so_ibs_cbs(item, vedados, achados);
        regime(nota, item, achados);
        if nota.finalidade(&["1"]) {
            icms(item, achados);
        }
    }
    fatura(nota, achados);
    pagamentos(nota, nfce, achados);
    if nfce {
        consumidor(nota, achados);
    } else if matches!(ide(nota, "tpImp").as_deref(), Some("4" | "5")) {
        achados.erro(
            "infNFe/ide/tpImp",
            "710",
            "O formato do DANFE é de NFC-e, e a nota é NF-e.",
            "Use tpImp 1 (retrato), 2 (paisagem), 3 ou 6 (simplificado).",
        );
    }
}

fn ide(nota: &Nota<'_>, nome: &str) -> Option<String> {
    nota.texto(&["ide", nome]).map(|texto| texto.into_owned())
}

fn recebedor(nota: &Nota<'_>, nfce: bool, achados: &mut Achados) {
    let Some(dest) = nota.inf.child("dest").filter(|_| !nfce) else {
        return;
    };
    let indicador = texto(dest, &["indIEDest"]);
    if indicador.as_deref() == Some("1") && texto(dest, &["IE"]).is_none() {
        achados.erro(
            "infNFe/dest/IE",
            "232",
            "O destinatário é contribuinte (indIEDest 1) e a inscrição estadual não foi informada.",
            "Informe a IE do destinatário, ou corrija indIEDest.",
        );
    }
    if indicador.as_deref() == Some("9")
        && ide(nota, "indFinal").as_deref() == Some("0")
        && ide(nota, "tpNF").as_deref() == Some("1")
        && ide(nota, "idDest").as_deref() != Some("3")
    {
        achados.erro(
            "infNFe/ide/indFinal",
            "696",
            "O destinatário não é contribuinte (indIEDest 9): a operação é com consumidor final.",
            "Informe indFinal 1, ou a inscrição do destinatário com indIEDest 1.",
        );
    }
}

fn referencias(nota: &Nota<'_>, achados: &mut Achados) {
    let na_nota = nota.inf.find(&["ide", "NFref"]).is_some();
    let no_item = nota
        .itens
        .iter()
        .any(|item| item.det.child("DFeReferenciado").is_some());
    let (codigo, qual) = if nota.finalidade(&["4"]) {
        ("321", "de devolução")
    } else if nota.finalidade(&["2"]) {
        ("254", "complementar")
    } else {
        return;
    };
    if !na_nota && !no_item {
        achados.erro(
            "infNFe/ide/NFref",
            codigo,
            format!("A nota {qual} não diz a que documento se refere."),
            "Informe a chave do documento em NFref, ou no item em DFeReferenciado.",
        );
    }
}

/// Groups the note may not have, by what it is for.
fn vedados(nota: &Nota<'_>) -> &'static [&'static str] {
    let texto = |caminho: &[&str]| nota.texto(caminho).unwrap_or_default();
    let operacao = Operacao {
        finalidade: &texto(&["ide", "finNFe"]),
        debito: &texto(&["ide", "tpNFDebito"]),
        credito: &texto(&["ide", "tpNFCredito"]),
        governo: &texto(&["ide", "gCompraGov", "tpOperGov"]),
        ano: nota.dia.year(),
    };
    operacao.vedados()
}

fn so_ibs_cbs(item: &Item<'_>, vedados: &[&str], achados: &mut Achados) {
    for nome in vedados {
        let (pai, caminho) = match *nome {
            "impostoDevol" => (Some(item.det), item.caminho.clone()),
            _ => (item.imposto, format!("{}/imposto", item.caminho)),
        };
        if pai.is_some_and(|pai| pai.child(nome).is_some()) {
            achados.erro(
                format!("{caminho}/{nome}"),
                "1001",
                format!("A nota de débito, de crédito ou de recebimento de compra governamental só leva IBS e CBS, e o item tem {nome}."),
                "Retire o grupo do item, ou corrija a finalidade e o tipo da nota.",
            );
        }
    }
}

/// CSOSN belongs to CRT 1 and 4; fuels taxed once have a CST in every regime.
fn regime(nota: &Nota<'_>, item: &Item<'_>, achados: &mut Achados) {
    let (Some(crt), Some(icms)) = (nota.texto(&["emit", "CRT"]), item.icms) else {
        return;
    };
    let simples = matches!(&*crt, "1" | "4");
    let caminho = |nome: &str| format!("{}/imposto/ICMS/{}/{nome}", item.caminho, icms.name());
    if let Some(cst) = texto(icms, &["CST"])
        && simples
        && !matches!(&*cst, "02" | "15" | "53" | "61")
    {
        achados
            .erro(
                caminho("CST"),
                "590",
                format!("O item tem CST, e o emitente é do Simples Nacional (CRT {crt})."),
                "Informe CSOSN, ou corrija o CRT do emitente.",
            )
            .valor(&cst);
    }
    if let Some(csosn) = texto(icms, &["CSOSN"])
        && !simples
    {
        achados
            .erro(
                caminho("CSOSN"),
                "591",
                format!("O item tem CSOSN, e o emitente não é do Simples Nacional (CRT {crt})."),
                "Informe CST, ou corrija o CRT do emitente.",
            )
            .valor(&csosn);
    }
}

/// ICMS = base × rate, where nothing is deferred (N17-10).
fn icms(item: &Item<'_>, achados: &mut Achados) {
    let Some(icms) = item.icms else { return };
    if !matches!(icms.name(), "ICMS00" | "ICMS10" | "ICMS20" | "ICMS70")
        || icms.child("vICMS").is_none()
    {
        return;
    }
    let (Some(base), Some(taxa), Some(dito)) = (
        valor(icms, &["vBC"]),
        valor(icms, &["pICMS"]),
        valor(icms, &["vICMS"]),
    ) else {
        return;
    };
    let Some(produto) = base.checked_mul(taxa) else {
        return;
    };
    let certo = (produto / Decimal::ONE_HUNDRED)
        .round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero);
    if (certo - dito).abs() > CENTAVO {
        achados
            .erro(
                format!("{}/imposto/ICMS/{}/vICMS", item.caminho, icms.name()),
                "528",
                format!("vICMS é {dito}, mas vBC × pICMS dá {certo}."),
                "Corrija vICMS, vBC ou pICMS.",
            )
            .valor(&dito.to_string());
    }
}

/// NT 2016.002 wants the invoice whole.
fn fatura(nota: &Nota<'_>, achados: &mut Achados) {
    let Some(cobr) = nota.inf.child("cobr") else {
        return;
    };
    if nota.regras < Regras::Fatura {
        return;
    }
    let falta = ["nFat", "vOrig", "vLiq"]
        .into_iter()
        .find(|nome| texto(cobr, &["fat", nome]).is_none());
    if let Some(falta) = falta {
        achados.erro(
            format!("infNFe/cobr/fat/{falta}"),
            "905",
            format!("A cobrança não tem {falta} da fatura."),
            "Informe a fatura inteira (nFat, vOrig, vLiq), ou retire o grupo cobr.",
        );
    }
}

fn pagamentos(nota: &Nota<'_>, nfce: bool, achados: &mut Achados) {
    let todos = nota.inf.find_all(&["pag", "detPag"]);
    for (posicao, pagamento) in todos.into_iter().enumerate() {
        let caminho = format!("infNFe/pag/detPag[{}]", posicao + 1);
        match texto(pagamento, &["tPag"]).as_deref() {
            Some("99")
                if nota.regras >= Regras::Pagamento && texto(pagamento, &["xPag"]).is_none() =>
            {
                achados.erro(
                    format!("{caminho}/xPag"),
                    "441",
                    "O meio de pagamento 99 (outros) não está descrito.",
                    "Descreva o pagamento em xPag.",
                );
            }
            Some("90") if nfce => {
                achados.erro(
                    format!("{caminho}/tPag"),
                    "899",
                    "A NFC-e não admite venda sem pagamento (tPag 90).",
                    "Informe a forma de pagamento real.",
                );
            }
            _ => {}
        }
    }
}

/// What the note to a consumer does not carry.
fn consumidor(nota: &Nota<'_>, achados: &mut Achados) {
    let presenca = ide(nota, "indPres");
    let entrega = presenca.as_deref() == Some("4");
    let frete = nota.texto(&["transp", "modFrete"]);
    let fora = |valor: &Option<String>, admitidos: &[&str]| {
        valor
            .as_deref()
            .is_some_and(|valor| !admitidos.contains(&valor))
    };
    for (errado, caminho, codigo, mensagem, correcao) in [
        (
            ide(nota, "dhSaiEnt").is_some(),
            "infNFe/ide/dhSaiEnt",
            "705",
            "A NFC-e não leva data de saída.",
            "Retire dhSaiEnt.",
        ),
        (
            fora(&ide(nota, "tpImp"), &["4", "5"]),
            "infNFe/ide/tpImp",
            "709",
            "O formato do DANFE não é de NFC-e.",
            "Use tpImp 4 (DANFE NFC-e) ou 5 (mensagem eletrônica).",
        ),
        (
            fora(&presenca, &["1", "4", "5"]),
            "infNFe/ide/indPres",
            "717",
            "A NFC-e é de operação presencial, ou de entrega em domicílio.",
            "Use indPres 1, 4 ou 5, ou emita NF-e.",
        ),
        (
            !entrega && frete.is_some_and(|frete| frete != "9"),
            "infNFe/transp/modFrete",
            "753",
            "A NFC-e não leva frete, fora da entrega em domicílio.",
            "Use modFrete 9, ou emita NF-e.",
        ),
    ] {
        if errado {
            achados.erro(caminho, codigo, mensagem, correcao);
        }
    }
}
