//! Meaning of the codes. A code that is not listed is shown as it came: cities
//! and later layouts add some, and guessing would print a falsehood.

/// The meaning of `codigo` in a table, or the code itself.
fn de(tabela: &[(&str, &str)], codigo: &str) -> String {
    tabela
        .iter()
        .find(|(key, _)| *key == codigo)
        .map_or(codigo, |(_, text)| text)
        .to_owned()
}

/// National layout: the enumerations of XSD 1.01 (2026-07-27).
pub(super) mod nacional {
    use super::de;

    pub fn ambiente_gerador(codigo: &str) -> String {
        de(
            &[("1", "Prefeitura"), ("2", "Sistema Nacional NFS-e")],
            codigo,
        )
    }

    pub fn emitente(codigo: &str) -> String {
        de(
            &[("1", "Prestador"), ("2", "Tomador"), ("3", "Intermediário")],
            codigo,
        )
    }

    /// 101 is of XSD 1.00 and still found in older notes.
    pub fn situacao(codigo: &str) -> String {
        de(
            &[
                ("100", "NFS-e Gerada"),
                ("101", "NFS-e de Substituição Gerada"),
                ("102", "NFS-e de Decisão Judicial"),
                ("103", "NFS-e Avulsa"),
                ("107", "NFS-e MEI"),
            ],
            codigo,
        )
    }

    pub fn finalidade(codigo: &str) -> String {
        de(&[("0", "NFS-e regular")], codigo)
    }

    pub fn simples_nacional(codigo: &str) -> String {
        de(
            &[
                ("1", "Não Optante"),
                ("2", "Optante - Microempreendedor Individual (MEI)"),
                (
                    "3",
                    "Optante - Microempresa ou Empresa de Pequeno Porte (ME/EPP)",
                ),
            ],
            codigo,
        )
    }

    pub fn regime_apuracao(codigo: &str) -> String {
        de(
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
            codigo,
        )
    }

    pub fn regime_especial(codigo: &str) -> String {
        de(
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
            codigo,
        )
    }

    pub fn tributacao(codigo: &str) -> String {
        de(
            &[
                ("1", "Operação Tributável"),
                ("2", "Imunidade"),
                ("3", "Exportação de Serviço"),
                ("4", "Não Incidência"),
            ],
            codigo,
        )
    }

    /// Shortened: the layout spells out the whole article of the constitution.
    pub fn imunidade(codigo: &str) -> String {
        de(
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
            codigo,
        )
    }

    pub fn suspensao(codigo: &str) -> String {
        de(
            &[
                ("1", "Exigibilidade Suspensa por Decisão Judicial"),
                ("2", "Exigibilidade Suspensa por Processo Administrativo"),
            ],
            codigo,
        )
    }

    pub fn beneficio(codigo: &str) -> String {
        de(
            &[
                ("1", "Isenção"),
                ("2", "Redução da BC em %"),
                ("3", "Redução da BC em R$"),
                ("4", "Alíquota Diferenciada"),
            ],
            codigo,
        )
    }

    pub fn retencao_iss(codigo: &str) -> String {
        de(
            &[
                ("1", "Não Retido"),
                ("2", "Retido pelo Tomador"),
                ("3", "Retido pelo Intermediário"),
            ],
            codigo,
        )
    }

    pub fn retencao_pis_cofins(codigo: &str) -> String {
        de(
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
            codigo,
        )
    }
}

/// ABRASF 1.00 and 2.0x: the conceptual model's tables.
pub(super) mod abrasf {
    use super::de;

    /// 1.00.
    pub fn natureza(codigo: &str) -> String {
        de(
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
            codigo,
        )
    }

    /// 2.0x.
    pub fn exigibilidade(codigo: &str) -> String {
        de(
            &[
                ("1", "Exigível"),
                ("2", "Não incidência"),
                ("3", "Isenção"),
                ("4", "Exportação"),
                ("5", "Imunidade"),
                ("6", "Exigibilidade suspensa por decisão judicial"),
                ("7", "Exigibilidade suspensa por processo administrativo"),
            ],
            codigo,
        )
    }

    pub fn regime_especial(codigo: &str) -> String {
        de(
            &[
                ("1", "Microempresa municipal"),
                ("2", "Estimativa"),
                ("3", "Sociedade de profissionais"),
                ("4", "Cooperativa"),
                ("5", "Microempresário Individual (MEI)"),
                ("6", "Microempresário e Empresa de Pequeno Porte (ME EPP)"),
            ],
            codigo,
        )
    }

    pub fn sim_nao(codigo: &str, sim: &str, nao: &str) -> String {
        de(
            &[("1", sim), ("2", nao), ("true", sim), ("false", nao)],
            codigo,
        )
    }
}
