//! Codes in words, as the DACTE shows them.

/// `modal`.
pub(super) fn modal(code: &str) -> &'static str {
    match code {
        "01" => "RODOVIÁRIO",
        "02" => "AÉREO",
        "03" => "AQUAVIÁRIO",
        "04" => "FERROVIÁRIO",
        "05" => "DUTOVIÁRIO",
        "06" => "MULTIMODAL",
        _ => "",
    }
}

/// `tpCTe`; 2 until layout 3.00.
pub(super) fn kind(code: &str) -> &'static str {
    match code {
        "0" => "NORMAL",
        "1" => "COMPLEMENTAR",
        "2" => "ANULAÇÃO",
        "3" => "SUBSTITUIÇÃO",
        _ => "",
    }
}

/// `tpServ`.
pub(super) fn service(code: &str) -> &'static str {
    match code {
        "0" => "NORMAL",
        "1" => "SUBCONTRATAÇÃO",
        "2" => "REDESPACHO",
        "3" => "REDESPACHO INTERMEDIÁRIO",
        "4" => "SERVIÇO VINCULADO A MULTIMODAL",
        _ => "",
    }
}

/// `toma`.
pub(super) fn role(code: &str) -> &'static str {
    match code {
        "0" => "REMETENTE",
        "1" => "EXPEDIDOR",
        "2" => "RECEBEDOR",
        "3" => "DESTINATÁRIO",
        "4" => "OUTROS",
        _ => "",
    }
}

/// `cUnid`.
pub(super) fn unit(code: &str) -> &'static str {
    match code {
        "00" => "M3",
        "01" => "KG",
        "02" => "TON",
        "03" => "UNIDADE",
        "04" => "LITROS",
        "05" => "MMBTU",
        _ => "",
    }
}

/// `uniAP`, the unit of dangerous goods by air.
pub(super) fn unit_of_danger(code: &str) -> &'static str {
    match code {
        "1" => "KG",
        "2" => "KG G",
        "3" => "LITROS",
        "4" => "TI",
        "5" => "UNIDADES",
        _ => "",
    }
}

/// The group of the ICMS.
pub(super) fn situation(group: &str, cst: &str) -> String {
    let text = match (group, cst) {
        ("ICMSSN", _) => return "SIMPLES NACIONAL".to_owned(),
        ("ICMSOutraUF", _) => "ICMS devido à UF de origem",
        (_, "00") => "Tributação normal do ICMS",
        (_, "20") => "Tributação com redução de base",
        (_, "40") => "Isenta",
        (_, "41") => "Não tributada",
        (_, "51") => "Diferida",
        (_, "60") => "Cobrada por substituição tributária",
        (_, "90") => "Outros",
        _ => return cst.to_owned(),
    };
    format!("{cst} - {text}")
}

/// `tpDoc` of the documents that are no notes.
pub(super) fn other_document(code: &str) -> &'static str {
    match code {
        "00" => "DECLARAÇÃO",
        "10" => "DUTOVIÁRIO",
        "59" => "CF-e SAT",
        "65" => "NFC-e",
        _ => "OUTROS",
    }
}

/// `tpDoc` of the papers of an earlier transport.
pub(super) fn paper(code: &str) -> &'static str {
    match code {
        "07" => "ATRE",
        "08" => "DTA",
        "09" => "CONHEC. AÉREO INTERN.",
        "10" => "CARTA DE PORTE INTERN.",
        "11" => "CONHEC. AVULSO",
        "12" => "TIF",
        "13" => "BL",
        _ => "PAPEL",
    }
}

/// `direc`.
pub(super) fn direction(code: &str) -> &'static str {
    match code {
        "N" => "NORTE",
        "S" => "SUL",
        "L" => "LESTE",
        "O" => "OESTE",
        _ => "",
    }
}

/// `tpTraf`.
pub(super) fn traffic(code: &str) -> &'static str {
    match code {
        "0" => "PRÓPRIO",
        "1" => "MÚTUO",
        "2" => "RODOFERROVIÁRIO",
        "3" => "RODOVIÁRIO",
        _ => "",
    }
}

/// `respFat` and `ferrEmi`.
pub(super) fn railway(code: &str) -> &'static str {
    match code {
        "1" => "FERROVIA DE ORIGEM",
        "2" => "FERROVIA DE DESTINO",
        _ => "",
    }
}

/// `classDuto`.
pub(super) fn pipeline(code: &str) -> &'static str {
    match code {
        "1" => "GASODUTO",
        "2" => "MINERODUTO",
        "3" => "OLEODUTO",
        _ => "",
    }
}

/// `CL`.
pub(super) fn tariff(code: &str) -> &'static str {
    match code {
        "M" => "MÍNIMA",
        "G" => "GERAL",
        "E" => "ESPECÍFICA",
        _ => "",
    }
}
