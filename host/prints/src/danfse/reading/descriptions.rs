//! Meaning of the codes. A code that is not listed is shown as it came: cities
//! and later layouts add some, and guessing would print a falsehood.

/// The meaning of `code` in a table, or the code itself.
fn from(table: &[(&str, &str)], code: &str) -> String {
    table
        .iter()
        .find(|(key, _)| *key == code)
        .map_or(code, |(_, text)| text)
        .to_owned()
}

/// National layout: the enumerations of XSD 1.01 (2026-07-27).
pub(super) mod national {
    use super::from;

    pub fn generator(code: &str) -> String {
        from(
            &[("1", "Prefeitura"), ("2", "Sistema Nacional NFS-e")],
            code,
        )
    }

    pub fn emitter(code: &str) -> String {
        from(
            &[("1", "Prestador"), ("2", "Tomador"), ("3", "Intermediário")],
            code,
        )
    }

    /// 101 is of XSD 1.00 and still found in older notes.
    pub fn status(code: &str) -> String {
        from(
            &[
                ("100", "NFS-e Gerada"),
                ("101", "NFS-e de Substituição Gerada"),
                ("102", "NFS-e de Decisão Judicial"),
                ("103", "NFS-e Avulsa"),
                ("107", "NFS-e MEI"),
            ],
            code,
        )
    }

    pub fn purpose(code: &str) -> String {
        from(&[("0", "NFS-e regular")], code)
    }

    pub fn simples_nacional(code: &str) -> String {
        from(
            &[
                ("1", "Não Optante"),
                ("2", "Optante - Microempreendedor Individual (MEI)"),
                (
                    "3",
                    "Optante - Microempresa ou Empresa de Pequeno Porte (ME/EPP)",
                ),
            ],
            code,
        )
    }

    pub fn computation_regime(code: &str) -> String {
        from(
            &[
                (
                    "1",
                    "Regime de apuração dos tributos federais e municipal pelo SN",
                ),
                (
                    "2",
                    "Regime de apuração dos tributos federais pelo SN e ISSQN por fora do SN",
                ),
                (
                    "3",
                    "Regime de apuração dos tributos federais e municipal por fora do SN",
                ),
            ],
            code,
        )
    }

    pub fn special_regime(code: &str) -> String {
        from(
            &[
                ("0", "Nenhum"),
                ("1", "Ato Cooperado (Cooperativa)"),
                ("2", "Estimativa"),
                ("3", "Microempresa Municipal"),
                ("4", "Notário ou Registrador"),
                ("5", "Profissional Autônomo"),
                ("6", "Sociedade de Profissionais"),
                ("9", "Outros"),
            ],
            code,
        )
    }

    pub fn taxation(code: &str) -> String {
        from(
            &[
                ("1", "Operação Tributável"),
                ("2", "Imunidade"),
                ("3", "Exportação de Serviço"),
                ("4", "Não Incidência"),
            ],
            code,
        )
    }

    /// Shortened: the layout spells out the whole article of the constitution.
    pub fn immunity(code: &str) -> String {
        from(
            &[
                ("0", "Tipo não informado na nota de origem"),
                (
                    "1",
                    "Patrimônio, renda ou serviços, uns dos outros (CF/88, art. 150, VI, a)",
                ),
                ("2", "Templos de qualquer culto (CF/88, art. 150, VI, b)"),
                (
                    "3",
                    "Partidos, sindicatos, educação e assistência social (CF/88, art. 150, VI, c)",
                ),
                ("4", "Livros, jornais e periódicos (CF/88, art. 150, VI, d)"),
                ("5", "Fonogramas e videofonogramas (CF/88, art. 150, VI, e)"),
            ],
            code,
        )
    }

    pub fn suspension(code: &str) -> String {
        from(
            &[
                ("1", "Exigibilidade Suspensa por Decisão Judicial"),
                ("2", "Exigibilidade Suspensa por Processo Administrativo"),
            ],
            code,
        )
    }

    pub fn benefit(code: &str) -> String {
        from(
            &[
                ("1", "Isenção"),
                ("2", "Redução da BC em %"),
                ("3", "Redução da BC em R$"),
                ("4", "Alíquota Diferenciada"),
            ],
            code,
        )
    }

    pub fn iss_retention(code: &str) -> String {
        from(
            &[
                ("1", "Não Retido"),
                ("2", "Retido pelo Tomador"),
                ("3", "Retido pelo Intermediário"),
            ],
            code,
        )
    }

    pub fn pis_cofins_retention(code: &str) -> String {
        from(
            &[
                ("0", "PIS/COFINS/CSLL Não Retidos"),
                ("1", "PIS/COFINS Retidos"),
                ("2", "PIS/COFINS Não Retidos"),
                ("3", "PIS/COFINS/CSLL Retidos"),
                ("4", "PIS/COFINS Retidos, CSLL Não Retido"),
                ("5", "PIS Retido, COFINS/CSLL Não Retido"),
                ("6", "COFINS Retido, PIS/CSLL Não Retido"),
                ("7", "PIS Não Retido, COFINS/CSLL Retidos"),
                ("8", "PIS/COFINS Não Retidos, CSLL Retido"),
                ("9", "COFINS Não Retido, PIS/CSLL Retidos"),
            ],
            code,
        )
    }
}

/// ABRASF 1.00 and 2.0x: the conceptual model's tables.
pub(super) mod abrasf {
    use super::from;

    /// 1.00.
    pub fn nature(code: &str) -> String {
        from(
            &[
                ("1", "Tributação no município"),
                ("2", "Tributação fora do município"),
                ("3", "Isenção"),
                ("4", "Imune"),
                ("5", "Exigibilidade suspensa por decisão judicial"),
                (
                    "6",
                    "Exigibilidade suspensa por procedimento administrativo",
                ),
            ],
            code,
        )
    }

    /// 2.0x.
    pub fn exigibility(code: &str) -> String {
        from(
            &[
                ("1", "Exigível"),
                ("2", "Não incidência"),
                ("3", "Isenção"),
                ("4", "Exportação"),
                ("5", "Imunidade"),
                ("6", "Exigibilidade suspensa por decisão judicial"),
                ("7", "Exigibilidade suspensa por processo administrativo"),
            ],
            code,
        )
    }

    pub fn special_regime(code: &str) -> String {
        from(
            &[
                ("1", "Microempresa municipal"),
                ("2", "Estimativa"),
                ("3", "Sociedade de profissionais"),
                ("4", "Cooperativa"),
                ("5", "Microempresário Individual (MEI)"),
                ("6", "Microempresário e Empresa de Pequeno Porte (ME EPP)"),
            ],
            code,
        )
    }

    pub fn yes_no(code: &str, sim: &str, no: &str) -> String {
        from(&[("1", sim), ("2", no), ("true", sim), ("false", no)], code)
    }
}
