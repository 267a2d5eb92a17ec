use HubCliente\ErroDoHub;
use HubCliente\Hub;

$hub = new Hub(base_url: '{base_url}', chave: getenv('HUB_CHAVE'));

try {
    $nota = $hub->nfe_create([
        'natureza_operacao' => 'Venda de mercadoria',
        'destinatario' => [
            'cpf_cnpj' => '12345678000195', 'nome' => 'Cliente Exemplo Ltda', 'indicador_ie' => '9',
            'endereco' => ['cep' => '30140071', 'logradouro' => 'Rua da Bahia', 'numero' => '1000', 'bairro' => 'Centro', 'codigo_ibge' => '3106200', 'uf' => 'MG'],
        ],
        'itens' => [['descricao' => 'Café torrado 1 kg', 'ncm' => '09012100', 'quantidade' => 2, 'valor_unitario' => '18.90']],
        'pagamentos' => [['forma' => 'pix', 'valor' => '37.80']],
    ], idempotency_key: 'pedido-8812');
    echo $nota['id'], ' ', $nota['status'], "\n";
} catch (ErroDoHub $erro) {
    echo $erro->codigo, ' ', $erro->dica, "\n";
}
