// Testes do cliente, sem rede. Um programa: termina com 0 se tudo está certo.

using System;
using System.Collections.Generic;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using HubCliente;

public static class Teste
{
    private static int feitos;

    /// <summary>Responde com o que lhe é dado, em ordem, e guarda o que foi pedido.</summary>
    private sealed class Porta : HttpMessageHandler
    {
        public readonly List<HttpRequestMessage> pedidas = new List<HttpRequestMessage>();
        public readonly List<string> chaves = new List<string>();
        private readonly Tuple<int, string>[] respostas;

        public Porta(params Tuple<int, string>[] respostas) { this.respostas = respostas; }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage requisicao, CancellationToken sinal)
        {
            pedidas.Add(requisicao);
            IEnumerable<string> lidas;
            chaves.Add(requisicao.Headers.TryGetValues("Idempotency-Key", out lidas) ? string.Join("", lidas) : "");
            var vez = respostas[Math.Min(pedidas.Count, respostas.Length) - 1];
            var resposta = new HttpResponseMessage((HttpStatusCode)vez.Item1);
            resposta.Content = new StringContent(vez.Item2, Encoding.UTF8, "application/json");
            if (vez.Item1 == 503) resposta.Headers.TryAddWithoutValidation("Retry-After", "0");
            return Task.FromResult(resposta);
        }
    }

    private static void Confere(string que, bool certo)
    {
        feitos++;
        if (certo) return;
        Console.Error.WriteLine("falhou: " + que);
        Environment.Exit(1);
    }

    private static Hub Novo(Porta porta)
    {
        return new Hub(base_url: "https://hub.example/", chave: "svc_test_1", transporte: porta, dormir: segundos => Task.FromResult(0));
    }

    private static ErroDoHub Recusado(Action chamada)
    {
        try { chamada(); }
        catch (ErroDoHub erro) { return erro; }
        return null;
    }

    public static int Main()
    {
        var porta = new Porta(Tuple.Create(200, "{\"sucesso\":true,\"nome\":\"Conta\",\"saldo\":200}"));
        var conta = Novo(porta).conta().GetAwaiter().GetResult();
        Confere("lê a resposta", conta.nome == "Conta" && conta.saldo == 200);
        Confere("chama o endereço", porta.pedidas[0].RequestUri.ToString() == "https://hub.example/api/v1/conta");
        Confere("leva a chave", string.Join("", porta.pedidas[0].Headers.GetValues("Authorization")) == "Bearer svc_test_1");

        var nota = new nfe_create_pedido { itens = new List<NfeItem> { new NfeItem { descricao = "Café \"torrado\"", quantidade = 2 } } };
        porta = new Porta(Tuple.Create(422, "{\"codigo\":\"validacao_previa\",\"mensagem\":\"A nota tem 1 ponto a corrigir.\",\"campos\":[{\"campo\":\"itens[0].ncm\"}]}"));
        var erro = Recusado(() => Novo(porta).nfe_create(nota).GetAwaiter().GetResult());
        Confere("uma recusa é um ErroDoHub", erro != null && erro.status == 422 && erro.codigo == "validacao_previa");
        Confere("a recusa diz o campo", erro.campos[0].campo == "itens[0].ncm");
        Confere("escreve o que foi dado, e nada mais", Json.Escrito(nota) == "{\"itens\":[{\"descricao\":\"Café \\\"torrado\\\"\",\"quantidade\":2}]}");

        porta = new Porta(Tuple.Create(503, "{}"), Tuple.Create(201, "{\"sucesso\":true,\"id\":\"nfe_1\",\"valor_total\":37.80}"));
        var emitida = Novo(porta).nfe_create(nota).GetAwaiter().GetResult();
        Confere("repete", emitida.id == "nfe_1" && emitida.valor_total == 37.80m && porta.pedidas.Count == 2);
        Confere("a repetição leva a mesma chave de idempotência", porta.chaves[0] != "" && porta.chaves[0] == porta.chaves[1]);

        var corpo = Encoding.UTF8.GetBytes("{\"id\":\"evt_1\",\"tipo\":\"nfe.autorizada\"}");
        var do_hub = new Dictionary<string, string> { { "X-Webhook-Id", "evt_1" }, { "X-Webhook-Signature-256", "t=1791206103,v1=d1a7f1a959f7cfbee0d00203d1a7915d2390c58a2b227d1e63f1f5a33b26de16" } };
        var padrao = new Dictionary<string, string> { { "webhook-id", "evt_1" }, { "webhook-timestamp", "1791206103" }, { "webhook-signature", "v1,sK0Fpvno1znHDMgBZ2PLZo41hQvVj4WS24zJrHOdH94=" } };
        foreach (var cabecalhos in new[] { do_hub, padrao })
            Confere("a assinatura confere", Hub.conferir_webhook("whsec_dGVzdGU=", cabecalhos, corpo, 1791206103).id == "evt_1");
        var mudado = Encoding.UTF8.GetBytes("{\"id\":\"evt_1\",\"tipo\":\"nfe.autorizada\"} ");
        Confere("um corpo mudado não confere", Recusado(() => Hub.conferir_webhook("whsec_dGVzdGU=", do_hub, mudado, 1791206103)) != null);
        Confere("uma entrega velha não confere", Recusado(() => Hub.conferir_webhook("whsec_dGVzdGU=", do_hub, corpo, 1791206404)) != null);

        Console.WriteLine(feitos + " verificações certas");
        return 0;
    }
}
