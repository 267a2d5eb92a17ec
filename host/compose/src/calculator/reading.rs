//! The request as facts, or everything that is wrong with it.

use super::facts::{Amounts, Facts, Given, Icms, Rates};
use super::input::CalcularImpostosIn;
use crate::arithmetic::{TOLERANCE, f2, r2, times};
use crate::emitter::Regime;
use data::cfop::{Cfop, Reach};
use data::class_trib::{self, ClassTrib};
use data::ufs::{self, Uf};
use fiscal::nfe::order::Number;
use fiscal::taxes::{MAX_AMOUNT, MAX_FACTOR};
use markup::field::{Field, Fields};
use rust_decimal::Decimal;
use time::Date;
use time::macros::{date, format_description};

/// Days the tables speak of: they begin in 2023, and from 2029 on ICMS gives
/// way to IBS by rates that no table has (ADCT art. 128).
const FIRST_DAY: Date = date!(2023 - 01 - 01);
const LAST_DAY: Date = date!(2028 - 12 - 31);
/// Most a rate may be that is part of its own base, percent.
const RATE: Decimal = Decimal::from_parts(999_999, 0, 0, false, 4);
const ORIGINS: [&str; 9] = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];

/// Reads the request; `today` is the day where it has none.
///
/// # Errors
/// Every field that is missing or wrong.
pub(super) fn read(input: &CalcularImpostosIn, today: Date) -> Result<Facts, Vec<Field>> {
    let mut fields = Fields::default();
    let mut reader = Reader {
        input,
        fields: &mut fields,
    };
    let day = reader.day(today);
    let of = reader.uf("uf_origem", input.uf_origem.as_deref());
    let to = reader.uf("uf_destino", input.uf_destino.as_deref());
    let ncm = reader.ncm(day);
    let ex = reader.ex();
    let icms = reader.cfop(of.zip(to)).map_or(Icms::Usual, Icms::of);
    let amounts = reader.amounts();
    let origin = reader.origin();
    let regime = reader.given("regime", input.regime, "Informe o regime de quem vende.");
    let taxpayer = reader.given(
        "contribuinte",
        input.contribuinte,
        "Diga se o destinatário é contribuinte do ICMS.",
    );
    let consumer = reader.consumer(taxpayer);
    let rates = reader.rates(of.zip(to));
    let given = reader.amounts_of_taxes(regime);
    let class = reader.class(day);
    let (Some(day), Some(of), Some(to), Some(origin), Some(regime), Some(taxpayer)) =
        (day, of, to, origin, regime, taxpayer)
    else {
        return Err(fields.0);
    };
    fields.into_result()?;
    Ok(Facts {
        day,
        ncm,
        ex,
        of,
        to,
        amounts,
        origin,
        regime,
        taxpayer,
        consumer,
        icms,
        rates,
        given,
        without_icms: input.sem_icms == Some(true),
        contributions: input.regime_pis_cofins.map(Into::into),
        class,
    })
}

struct Reader<'a> {
    input: &'a CalcularImpostosIn,
    fields: &'a mut Fields,
}

impl Reader<'_> {
    /// A member that must come.
    fn given<T>(&mut self, name: &'static str, value: Option<T>, correction: &str) -> Option<T> {
        if value.is_none() {
            let message = format!("Falta o campo {name}.");
            self.fields.add(name, "obrigatorio", message, correction);
        }
        value
    }

    fn day(&mut self, today: Date) -> Option<Date> {
        let Some(text) = self.input.data.as_deref() else {
            return Some(today);
        };
        let day = Date::parse(text.trim(), format_description!("[year]-[month]-[day]")).ok();
        let (message, correction) = match day {
            None => (
                "Data inválida.",
                "Use AAAA-MM-DD, ou omita o campo: o cálculo é de hoje.",
            ),
            Some(day) if !(FIRST_DAY..=LAST_DAY).contains(&day) => (
                "As tabelas não têm as alíquotas deste dia.",
                "Informe um dia de 2023 a 2028.",
            ),
            day => return day,
        };
        self.fields
            .add_value("data", "data_invalida", text, message, correction);
        None
    }

    fn uf(&mut self, name: &'static str, text: Option<&str>) -> Option<&'static Uf> {
        let text = self.given(name, text, "Informe a sigla do estado.")?;
        let uf = ufs::by_uf(&text.trim().to_ascii_uppercase());
        if uf.is_none() {
            let correction = "Informe a sigla de um dos 26 estados ou DF; exportação e importação não são calculadas aqui.";
            self.fields
                .add_value(name, "uf_invalida", text, "Estado inexistente.", correction);
        }
        uf
    }

    fn ncm(&mut self, day: Option<Date>) -> String {
        let text = self.given("ncm", self.input.ncm.as_deref(), "Informe os oito dígitos.");
        let text = text.unwrap_or_default();
        let digits: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let known = day.is_none_or(|day| data::ncm::is_valid(&digits, day));
        if self.input.ncm.is_some() && !known {
            self.fields.add_value(
                "ncm",
                "ncm_inexistente",
                text,
                "NCM inexistente na tabela vigente no dia da operação.",
                "Confira o código de oito dígitos na tabela NCM vigente (Siscomex).",
            );
        }
        digits
    }

    fn ex(&mut self) -> String {
        let text = self.input.ex_tipi.as_deref().unwrap_or_default().trim();
        let digits = text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            self.fields.add_value(
                "ex_tipi",
                "ex_tipi_invalido",
                text,
                "Exceção da TIPI inválida.",
                "Informe os dois dígitos do Ex, ou omita o campo.",
            );
        }
        match text {
            "" => String::new(),
            digits => format!("{digits:0>2}"),
        }
    }

    /// Tells a CFOP that is not of a sale between these states.
    fn cfop(&mut self, states: Option<(&Uf, &Uf)>) -> Option<&'static Cfop> {
        let text = self.input.cfop.as_deref()?.trim();
        let row = data::cfop::by_text(text);
        let problem = match row {
            None => Some((
                "cfop_inexistente",
                "CFOP inexistente.",
                "Confira o código na tabela de CFOP.",
            )),
            Some(row) => of_another_operation(row, states),
        };
        if let Some((code, message, correction)) = problem {
            self.fields
                .add_value("cfop", code, text, message, correction);
        }
        row
    }

    fn origin(&mut self) -> Option<&'static str> {
        let text = self.input.origem.as_deref().unwrap_or("0").trim();
        let known = ORIGINS.into_iter().find(|code| *code == text);
        if known.is_none() {
            self.fields.add_value(
                "origem",
                "origem_invalida",
                text,
                "Origem da mercadoria inexistente.",
                "Informe um dígito de 0 a 8.",
            );
        }
        known
    }

    /// Who is no taxpayer is the last to have the goods (rejection 696).
    fn consumer(&mut self, taxpayer: Option<bool>) -> bool {
        let stated = self.input.consumidor_final;
        if taxpayer == Some(false) && stated == Some(false) {
            self.fields.add(
                "consumidor_final",
                "consumidor_final_incoerente",
                "Quem não é contribuinte do ICMS é consumidor final.",
                "Informe contribuinte: true, ou omita consumidor_final.",
            );
        }
        stated.unwrap_or(taxpayer == Some(false))
    }

    fn class(&mut self, day: Option<Date>) -> Option<&'static ClassTrib> {
        let text = self.input.cclass_trib.as_deref()?.trim();
        let class = class_trib::get(text);
        let class = class.filter(|class| day.is_none_or(|day| class.in_force(day)));
        if class.is_none() {
            self.fields.add_value(
                "cclass_trib",
                "cclass_trib_inexistente",
                text,
                "Classificação tributária do IBS/CBS inexistente ou fora de vigência.",
                "Use um cClassTrib da tabela em vigor, como 000001.",
            );
        }
        class
    }

    fn amounts(&mut self) -> Amounts {
        let input = self.input;
        let quantity = self.number("quantidade", input.quantidade, MAX_AMOUNT);
        let quantity = quantity.unwrap_or(Decimal::ONE);
        let goods = self.goods(quantity);
        let mut amount = |name, number| {
            let amount = self.number(name, number, MAX_AMOUNT);
            amount.map(r2).unwrap_or_default()
        };
        let amounts = Amounts {
            goods,
            frete: amount("frete", input.frete),
            insurance: amount("seguro", input.seguro),
            other: amount("outras_despesas", input.outras_despesas),
            discount: amount("desconto", input.desconto),
            quantity,
        };
        if amounts.discount > amounts.goods && !amounts.goods.is_zero() {
            self.fields.add(
                "desconto",
                "desconto_maior_que_valor",
                "O desconto é maior que o valor da mercadoria.",
                "Reduza o desconto.",
            );
        }
        amounts
    }

    fn goods(&mut self, quantity: Decimal) -> Decimal {
        let input = self.input;
        let unit = self.number("valor_unitario", input.valor_unitario, MAX_AMOUNT);
        let product = unit.map(|unit| r2(times(quantity, unit)));
        if product.is_some_and(|product| product > MAX_AMOUNT) {
            self.out_of_range("valor_unitario", MAX_AMOUNT);
        }
        let stated = self.number("valor", input.valor, MAX_AMOUNT).map(r2);
        match (stated, product) {
            (Some(stated), Some(product)) if (stated - product).abs() > TOLERANCE => {
                let expected = f2(product);
                self.fields.add_value(
                    "valor",
                    "valor_divergente",
                    &stated.to_string(),
                    format!("O valor difere de quantidade vezes valor_unitario, {expected}."),
                    "Informe só um dos dois.",
                );
                stated
            }
            (Some(value), _) | (None, Some(value)) => value,
            (None, None) => {
                let absent = input.valor.or(input.valor_unitario);
                let correction =
                    "Informe o valor total da mercadoria, ou quantidade e valor_unitario.";
                self.given("valor", absent, correction);
                Decimal::ZERO
            }
        }
    }

    fn rates(&mut self, states: Option<(&Uf, &Uf)>) -> Rates {
        let input = self.input;
        let inter = self.number("aliquota_interestadual", input.aliquota_interestadual, RATE);
        let inside = states.is_some_and(|(of, to)| of == to);
        if let Some(rate) = inter
            && (inside || ![4, 7, 12].map(Decimal::from).contains(&rate))
        {
            self.fields.add_value(
                "aliquota_interestadual",
                "aliquota_interestadual_invalida",
                &rate.to_string(),
                "As alíquotas entre estados diferentes são 4, 7 e 12.",
                "Informe uma delas, ou omita o campo.",
            );
        }
        let reduction = self.number("reducao_bc", input.reducao_bc, Decimal::ONE_HUNDRED);
        Rates {
            internal: self.number("aliquota_icms", input.aliquota_icms, RATE),
            inter,
            reduction: reduction.unwrap_or_default(),
            margin: self.number("mva_original", input.mva_original, MAX_FACTOR),
            adjusted_margin: self.number("mva_ajustada", input.mva_ajustada, MAX_FACTOR),
            fcp: self.number("fcp", input.fcp, RATE),
            ipi: self.number("aliquota_ipi", input.aliquota_ipi, MAX_FACTOR),
            pis: self.number("aliquota_pis", input.aliquota_pis, RATE),
            cofins: self.number("aliquota_cofins", input.aliquota_cofins, RATE),
        }
    }

    /// Taxes that the request brings; those in the guide of the Simples it cannot.
    fn amounts_of_taxes(&mut self, regime: Option<Regime>) -> Given {
        let input = self.input;
        let outside = |regime: Regime| regime == Regime::Normal;
        let icms_outside = |regime: Regime| !regime.uses_csosn();
        let mut amount = |name, number, paid: &dyn Fn(Regime) -> bool| {
            let value = self.number(name, number, MAX_AMOUNT).map(r2);
            if value.is_some() && regime.is_some_and(|regime| !paid(regime)) {
                let message = "No Simples Nacional este tributo está no DAS.";
                let correction = "Omita o campo, ou corrija o regime.";
                self.fields
                    .add(name, "nao_cabe_no_regime", message, correction);
            }
            value
        };
        Given {
            icms: amount("valor_icms", input.valor_icms, &icms_outside),
            ipi: amount("valor_ipi", input.valor_ipi, &outside),
            pis: amount("valor_pis", input.valor_pis, &outside),
            cofins: amount("valor_cofins", input.valor_cofins, &outside),
        }
    }

    /// A number from nothing to a maximum.
    fn number(
        &mut self,
        name: &'static str,
        number: Option<Number>,
        maximum: Decimal,
    ) -> Option<Decimal> {
        let number = *number?;
        if number.is_sign_negative() && !number.is_zero() {
            let correction = "Informe zero ou um valor positivo.";
            self.fields.add(
                name,
                "valor_negativo",
                "O valor não pode ser negativo.",
                correction,
            );
            return None;
        }
        if number > maximum {
            self.out_of_range(name, maximum);
            return None;
        }
        Some(number)
    }

    fn out_of_range(&mut self, name: &'static str, maximum: Decimal) {
        let correction = format!("Informe de 0 a {maximum}.");
        self.fields.add(
            name,
            "fora_da_faixa",
            "O número não cabe no cálculo.",
            correction,
        );
    }
}

/// Code, message and correction of a CFOP that exists.
type Problem = (&'static str, &'static str, &'static str);

fn of_another_operation(row: &Cfop, states: Option<(&Uf, &Uf)>) -> Option<Problem> {
    if row.is_entrada() {
        return Some((
            "cfop_sentido",
            "O CFOP é de entrada; o cálculo é de uma venda.",
            "Informe um CFOP que começa com 5 ou 6, ou omita o campo.",
        ));
    }
    if row.is_return() {
        return Some((
            "cfop_de_devolucao",
            "A devolução leva os tributos da nota original, que o cálculo não conhece.",
            "Repita os tributos da nota devolvida, na proporção da quantidade.",
        ));
    }
    if row.is_service() {
        return Some((
            "cfop_de_servico",
            "O CFOP é de serviço; o cálculo é de mercadoria.",
            "Informe o CFOP da venda da mercadoria, ou omita o campo.",
        ));
    }
    if let Some(problem) = of_no_sale(row) {
        return Some(problem);
    }
    let reach = states.map(|(of, to)| match of == to {
        true => Reach::Internal,
        false => Reach::Interstate,
    });
    if reach.is_some_and(|reach| reach != row.reach()) {
        return Some((
            "cfop_ambito",
            "O CFOP não é do âmbito (interno, interestadual, exterior) destes estados.",
            "Corrija o CFOP ou os estados; na venda presencial, uf_destino é o estado da loja.",
        ));
    }
    None
}

/// Goods that go out of the country, or go out and are not sold.
fn of_no_sale(row: &Cfop) -> Option<Problem> {
    let correction = "Informe o CFOP da venda da mercadoria, ou omita o campo.";
    let (code, message) = match row {
        row if row.is_export() => (
            "cfop_de_exportacao",
            "O CFOP é de exportação; o cálculo é de uma venda dentro do país.",
        ),
        row if row.is_transfer() => (
            "cfop_de_transferencia",
            "O CFOP é de transferência; o cálculo é de uma venda.",
        ),
        row if row.is_remittance() => (
            "cfop_de_remessa",
            "O CFOP é de remessa ou retorno; o cálculo é de uma venda.",
        ),
        row if row.is_annulment() => (
            "cfop_de_anulacao",
            "O CFOP é de anulação; o cálculo é de uma venda.",
        ),
        _ => return None,
    };
    Some((code, message, correction))
}
