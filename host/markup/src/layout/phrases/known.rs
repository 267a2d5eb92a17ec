//! What the commonest fields and types expect, said by hand.

/// By field, then by type; to follow «deve ter».
pub(super) fn expected(field: &str, kind: &str) -> Option<&'static str> {
    of_field(field).or_else(|| of_type(kind.split('~').next().unwrap_or(kind)))
}

fn of_field(field: &str) -> Option<&'static str> {
    Some(match field {
        "NCM" => "2 ou 8 dígitos",
        "CFOP" => "4 dígitos, o primeiro 1, 2, 3, 5, 6 ou 7",
        "CEST" => "7 dígitos",
        "CEP" => "8 dígitos, sem traço",
        "fone" => "de 6 a 14 dígitos, só números, com o DDD",
        "cEAN" | "cEANTrib" => "o GTIN com 8, 12, 13 ou 14 dígitos, ou \"SEM GTIN\"",
        "cNF" => "8 dígitos",
        "cDV" => "1 dígito",
        "nItem" => "número de 1 a 990, sem zeros à esquerda",
        "CNAE" => "7 dígitos",
        "cMun" | "cMunFG" | "cMunFGIBS" | "cMunDesp" | "cMunCarreg" => {
            "o código IBGE do município, com 7 dígitos"
        }
        "cPais" => "o código do país na tabela do Banco Central, com até 4 dígitos",
        "idEstrangeiro" => "o documento do estrangeiro, com 5 a 20 caracteres, ou nada",
        "cClassTrib" | "cClassTribReg" | "cClassTribIS" => {
            "6 dígitos, os três primeiros iguais ao CST"
        }
        "cBenef" => "o código do benefício, com 8 ou 10 caracteres, ou \"SEM CBENEF\"",
        "placa" => "a placa com letras maiúsculas e dígitos, sem traço",
        "qrCode" => "o endereço do QR Code no formato da versão 2 ou 3",
        "nSerieSAT" => "9 dígitos",
        "AAMM" => "ano e mês com 4 dígitos (AAMM)",
        "nProt" => "15 ou 17 dígitos",
        "NSU" | "ultNSU" | "maxNSU" => "15 dígitos, com zeros à esquerda",
        "idLote" => "de 1 a 15 dígitos",
        "tpEvento" => "6 dígitos",
        "dia" => "o dia do mês, de 1 a 31",
        "nFat" | "nDup" => "texto sem espaços nas pontas, com até 60 caracteres",
        "nAdicao" | "nSeqAdic" => "número sem zeros à esquerda",
        "nRECOPI" => "20 dígitos",
        "nCOO" => "de 1 a 6 dígitos",
        "cProdANP" => "9 dígitos",
        "cTribNac" => "6 dígitos",
        "cNBS" => "9 dígitos",
        "dCompet" => "data no formato AAAA-MM-DD",
        "versao" => "a versão deste layout",
        _ => return None,
    })
}

fn of_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "TCnpj" | "TCnpjVar" | "TSCNPJ" => {
            "14 posições sem pontuação: 12 dígitos ou letras maiúsculas e 2 dígitos"
        }
        "TCnpjOpc" => "14 posições sem pontuação, ou nada",
        "TCpf" | "TCpfVar" | "TSCPF" => "11 dígitos, sem pontuação",
        "TChNFe" | "TChDFeRTC" | "TSChaveNFe" => "a chave de acesso, com 44 posições, sem espaços",
        "TSChaveNFSe" => "a chave de acesso da NFS-e, com 50 posições",
        "TIe" | "TIeDest" => "de 2 a 14 dígitos, sem pontuação, ou \"ISENTO\"",
        "TIeDestNaoIsento" | "TIeST" => "de 2 a 14 dígitos, sem pontuação",
        "TDateTimeUTC" | "TSDateTimeUTC" => "data e hora no formato AAAA-MM-DDThh:mm:ss-03:00",
        "TData" | "TSData" => "data no formato AAAA-MM-DD",
        "TTime" => "hora no formato hh:mm:ss",
        "TNF" => "número de 1 a 999999999, sem zeros à esquerda",
        "TSerie" => "número de 0 a 999, sem zeros à esquerda",
        "TCodMunIBGE" | "TSCodMunIBGE" => "o código IBGE do município, com 7 dígitos",
        "TProt" => "15 ou 17 dígitos",
        "TStat" => "3 ou 4 dígitos",
        "TPlaca" => "a placa com letras maiúsculas e dígitos, sem traço",
        "TNSU" => "15 dígitos, com zeros à esquerda",
        "TCompetApur" => "ano e mês no formato AAAA-MM",
        "TLatitude" => "latitude com 6 casas decimais",
        "TLongitude" => "longitude com 6 casas decimais",
        "TGuid" => "um GUID em letras maiúsculas",
        "Tano" => "o ano com 4 dígitos",
        _ => return None,
    })
}

/// Lists of values that have a name; to follow «deve ser».
pub(super) fn list(field: &str, kind: &str) -> Option<&'static str> {
    let kind = kind.split('~').next().unwrap_or(kind);
    Some(match (field, kind) {
        ("tpAmb", _) => "1 (produção) ou 2 (homologação)",
        ("mod", "TMod") => "55 (NF-e) ou 65 (NFC-e)",
        ("tpNF", _) => "0 (entrada) ou 1 (saída)",
        ("idDest", _) => "1 (interna), 2 (interestadual) ou 3 (exterior)",
        ("finNFe", _) => {
            "1 (normal), 2 (complementar), 3 (ajuste), 4 (devolução), 5 (crédito) ou 6 (débito)"
        }
        ("indFinal", _) => "0 (não) ou 1 (consumidor final)",
        ("indIEDest", _) => "1 (contribuinte), 2 (isento) ou 9 (não contribuinte)",
        ("CRT", _) => {
            "1 (Simples Nacional), 2 (Simples, excesso de sublimite), 3 (regime normal) ou 4 (MEI)"
        }
        ("modFrete", _) => {
            "0 (emitente), 1 (destinatário), 2 (terceiros), 3 ou 4 (próprio), ou 9 (sem frete)"
        }
        ("indTot", _) => "0 (não compõe o total) ou 1 (compõe)",
        (_, "TUf" | "TUfEmi" | "TUfCons") => "a sigla de uma UF, como SP, ou EX para o exterior",
        (_, "TCodUfIBGE" | "TCOrgaoIBGE") => "o código IBGE de uma UF, com 2 dígitos, como 35",
        _ => return None,
    })
}

/// Built-in types.
pub(super) fn of_base(base: &str) -> &'static str {
    match base {
        "xs:date" => "data no formato AAAA-MM-DD",
        "xs:dateTime" => "data e hora no formato AAAA-MM-DDThh:mm:ss-03:00",
        "xs:gYearMonth" => "ano e mês no formato AAAA-MM",
        "xs:base64Binary" => "conteúdo em base64",
        "xs:ID" | "xs:NCName" => "um identificador que comece por letra, sem espaços",
        "xs:anyURI" => "um endereço (URI)",
        "xs:boolean" => "true ou false",
        "xs:decimal" => "um número decimal, com ponto",
        _ => "um número inteiro",
    }
}
