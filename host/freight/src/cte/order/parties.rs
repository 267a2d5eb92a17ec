//! Who takes part, and when the cargo is delivered.

use super::{Papel, TipoData, TipoHora};
use fiscal::body::group;
use fiscal::nfe::order::Endereco;

group! {
    /// Quem paga o frete: um dos participantes, ou outro, com os próprios dados.
    #[schemars(rename = "CteTomador")]
    Tomador {
        /// `toma`: o papel de quem paga; com `outro`, informe os demais campos.
        papel: Option<Papel>,
        cpf_cnpj: Option<String>,
        /// Número ou "ISENTO".
        ie: Option<String>,
        nome: Option<String>,
        nome_fantasia: Option<String>,
        telefone: Option<String>,
        email: Option<String>,
        endereco: Option<Endereco>,
    }
}

group! {
    /// Participante do transporte.
    #[schemars(rename = "CteParte")]
    Parte {
        /// Ausente, com endereço no exterior: 14 zeros, como o leiaute pede.
        cpf_cnpj: Option<String>,
        /// Número ou "ISENTO".
        ie: Option<String>,
        nome: Option<String>,
        /// Só do remetente.
        nome_fantasia: Option<String>,
        /// `ISUF`, só do destinatário.
        suframa: Option<String>,
        telefone: Option<String>,
        email: Option<String>,
        endereco: Option<Endereco>,
    }
}

group! {
    /// Por onde a carga passa (`fluxo`).
    #[schemars(rename = "CteFluxo")]
    Fluxo {
        /// Sigla da filial, porto, estação ou aeroporto (`xOrig`).
        origem: Option<String>,
        /// `pass`.
        passagens: Vec<String>,
        destino: Option<String>,
        /// Código da rota de entrega (`xRota`).
        rota: Option<String>,
    }
}

group! {
    /// Previsão de entrega (`Entrega`).
    #[schemars(rename = "CteEntrega")]
    Entrega {
        /// Ausente: sem data definida.
        data: Option<EntregaData>,
        /// Ausente: sem hora definida.
        hora: Option<EntregaHora>,
    }
}

group! {
    #[schemars(rename = "CteEntregaData")]
    EntregaData {
        tipo: Option<TipoData>,
        /// `AAAA-MM-DD` (`dProg`).
        data: Option<String>,
        /// `AAAA-MM-DD`, de um período (`dIni`).
        inicio: Option<String>,
        /// `AAAA-MM-DD`, de um período (`dFim`).
        fim: Option<String>,
    }
}

group! {
    #[schemars(rename = "CteEntregaHora")]
    EntregaHora {
        tipo: Option<TipoHora>,
        /// `HH:MM:SS` (`hProg`).
        hora: Option<String>,
        /// `HH:MM:SS`, de um intervalo (`hIni`).
        inicio: Option<String>,
        /// `HH:MM:SS`, de um intervalo (`hFim`).
        fim: Option<String>,
    }
}
