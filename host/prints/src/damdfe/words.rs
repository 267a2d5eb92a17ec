//! Codes in words, as the DAMDFE shows them.

/// `modal`.
pub(super) fn modal(code: &str) -> &'static str {
    match code {
        "1" => "RODOVIÁRIO",
        "2" => "AÉREO",
        "3" => "AQUAVIÁRIO",
        "4" => "FERROVIÁRIO",
        _ => "",
    }
}

/// `tpEmit`.
pub(super) fn emitter(code: &str) -> &'static str {
    match code {
        "1" => "PRESTADOR DE SERVIÇO DE TRANSPORTE",
        "2" => "TRANSPORTADOR DE CARGA PRÓPRIA",
        "3" => "PRESTADOR COM CT-E GLOBALIZADO",
        _ => "",
    }
}

/// `tpTransp`.
pub(super) fn carrier(code: &str) -> &'static str {
    match code {
        "1" => "ETC",
        "2" => "TAC",
        "3" => "CTC",
        _ => "",
    }
}

/// `cUnid`.
pub(super) fn unit(code: &str) -> &'static str {
    match code {
        "02" => "PESO TOTAL (TON)",
        _ => "PESO TOTAL (KG)",
    }
}

/// `respSeg`.
pub(super) fn insured_by(code: &str) -> &'static str {
    match code {
        "1" => "EMITENTE",
        "2" => "CONTRATANTE",
        _ => "",
    }
}

/// `tpCarga`.
pub(super) fn load(code: &str) -> &'static str {
    match code {
        "01" => "GRANEL SÓLIDO",
        "02" => "GRANEL LÍQUIDO",
        "03" => "FRIGORIFICADA",
        "04" => "CONTEINERIZADA",
        "05" => "CARGA GERAL",
        "06" => "NEOGRANEL",
        "07" => "PERIGOSA (GRANEL SÓLIDO)",
        "08" => "PERIGOSA (GRANEL LÍQUIDO)",
        "09" => "PERIGOSA (FRIGORIFICADA)",
        "10" => "PERIGOSA (CONTEINERIZADA)",
        "11" => "PERIGOSA (CARGA GERAL)",
        "12" => "GRANEL PRESSURIZADO",
        _ => "",
    }
}

/// `indPag`.
pub(super) fn paid(code: &str) -> &'static str {
    match code {
        "0" => "À VISTA",
        "1" => "A PRAZO",
        _ => "",
    }
}
