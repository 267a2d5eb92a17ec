//! Which vendor answers for a city.

use sim::SimRequest;
use sim::nfse::abrasf::{giss_space, profile};

#[test]
fn hosts_and_paths_choose_the_profile() {
    let of = |host: &str, path: &str| {
        profile(
            host,
            &SimRequest {
                path: path.to_owned(),
                ..SimRequest::default()
            },
        )
        .id
    };
    assert_eq!(of("palmasto.webiss.com.br", "/ws/nfse.asmx"), "webiss-2.02");
    assert_eq!(
        of("www3.webiss.com.br", "/x_wsnfse/NfseServices.svc"),
        "webiss-1.00"
    );
    assert_eq!(
        of("ws-paulista.giss.com.br", "/service-ws/nf/nfse-ws"),
        "giss-2.04"
    );
    assert_eq!(
        of("fi1.fiorilli.com.br", "/IssWeb-ejb/IssWebWS/IssWebWS?wsdl"),
        "fiorilli-2.00"
    );
    assert_eq!(of("cidade.example", "/ws"), "abrasf");
    assert_eq!(
        giss_space("ConsultarNfseRpsEnvio"),
        "http://www.giss.com.br/consultar-nfse-rps-envio-v2_04.xsd"
    );
}
