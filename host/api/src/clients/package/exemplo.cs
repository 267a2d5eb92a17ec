using HubCliente;

var hub = new Hub(base_url: "{base_url}", chave: Environment.GetEnvironmentVariable("HUB_CHAVE"));

try
{
    var nota = await hub.nfe_create(new nfe_create_pedido
    {
        natureza_operacao = "Venda de mercadoria",
        destinatario = new NfePessoa
        {
            cpf_cnpj = "12345678000195", nome = "Cliente Exemplo Ltda", indicador_ie = "9",
            endereco = new NfeEndereco { cep = "30140071", logradouro = "Rua da Bahia", numero = "1000", bairro = "Centro", codigo_ibge = "3106200", uf = "MG" },
        },
        itens = new List<NfeItem> { new NfeItem { descricao = "Café torrado 1 kg", ncm = "09012100", quantidade = 2, valor_unitario = 18.90m } },
        pagamentos = new List<NfePagamento> { new NfePagamento { forma = "pix", valor = 37.80m } },
    }, idempotency_key: "pedido-8812");
    Console.WriteLine(nota.id + " " + nota.status);
}
catch (ErroDoHub erro)
{
    Console.WriteLine(erro.codigo + " " + erro.dica);
}
