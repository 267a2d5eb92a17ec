<?php

// Testes do cliente, sem rede: php tests/teste.php

declare(strict_types=1);

foreach (['ErroDoHub', 'Base', 'Hub'] as $classe) {
    require_once __DIR__ . "/../src/{$classe}.php";
}

use HubCliente\ErroDoHub;
use HubCliente\Hub;

$feitos = 0;

function confere(string $que, bool $certo): void
{
    global $feitos;
    $feitos++;
    if (!$certo) {
        fwrite(STDERR, "falhou: {$que}\n");
        exit(1);
    }
}

/** Um hub que responde com o que lhe é dado, em ordem, e guarda o que foi pedido. */
function hub(array $respostas, array &$pedidas): Hub
{
    return new Hub(
        base_url: 'https://hub.example/',
        chave: 'svc_test_1',
        transporte: function (string $metodo, string $url, array $cabecalhos, ?string $corpo) use ($respostas, &$pedidas): array {
            $pedidas[] = ['metodo' => $metodo, 'url' => $url, 'cabecalhos' => $cabecalhos, 'corpo' => $corpo];
            [$status, $dados, $mais] = $respostas[min(count($pedidas), count($respostas)) - 1];
            return [$status, ['content-type' => 'application/json', ...$mais], json_encode($dados)];
        },
        dormir: static fn (float $segundos) => null,
    );
}

function recusado(callable $chamada): ?ErroDoHub
{
    try {
        $chamada();
    } catch (ErroDoHub $erro) {
        return $erro;
    }
    return null;
}

$pedidas = [];
$conta = hub([[200, ['sucesso' => true, 'nome' => 'Conta'], []]], $pedidas)->conta();
confere('lê a resposta', $conta['nome'] === 'Conta');
confere('chama o endereço', $pedidas[0]['url'] === 'https://hub.example/api/v1/conta');
confere('leva a chave', $pedidas[0]['cabecalhos']['Authorization'] === 'Bearer svc_test_1');

$pedidas = [];
$recusa = ['codigo' => 'validacao_previa', 'mensagem' => 'A nota tem 1 ponto a corrigir.', 'campos' => [['campo' => 'itens[0].ncm']]];
$hub = hub([[422, $recusa, []]], $pedidas);
$erro = recusado(fn () => $hub->nfe_create(['itens' => []]));
confere('uma recusa é um ErroDoHub', $erro?->status === 422 && $erro->codigo === 'validacao_previa');
confere('a recusa diz o campo', $erro->campos[0]['campo'] === 'itens[0].ncm');

$pedidas = [];
$nota = hub([[503, [], ['retry-after' => '0']], [201, ['sucesso' => true, 'id' => 'nfe_1'], []]], $pedidas)->nfe_create(['itens' => []]);
$chaves = array_map(fn (array $pedida) => $pedida['cabecalhos']['Idempotency-Key'], $pedidas);
confere('repete', $nota['id'] === 'nfe_1' && count($chaves) === 2);
confere('a repetição leva a mesma chave de idempotência', $chaves[0] !== '' && $chaves[0] === $chaves[1]);

$corpo = '{"id":"evt_1","tipo":"nfe.autorizada"}';
$do_hub = ['X-Webhook-Id' => 'evt_1', 'X-Webhook-Signature-256' => 't=1791206103,v1=d1a7f1a959f7cfbee0d00203d1a7915d2390c58a2b227d1e63f1f5a33b26de16'];
$padrao = ['webhook-id' => 'evt_1', 'webhook-timestamp' => '1791206103', 'webhook-signature' => 'v1,sK0Fpvno1znHDMgBZ2PLZo41hQvVj4WS24zJrHOdH94='];
foreach ([$do_hub, $padrao] as $cabecalhos) {
    confere('a assinatura confere', Hub::conferir_webhook('whsec_dGVzdGU=', $cabecalhos, $corpo, 1791206103)['id'] === 'evt_1');
}
confere('um corpo mudado não confere', recusado(fn () => Hub::conferir_webhook('whsec_dGVzdGU=', $do_hub, "{$corpo} ", 1791206103)) !== null);
confere('uma entrega velha não confere', recusado(fn () => Hub::conferir_webhook('whsec_dGVzdGU=', $do_hub, $corpo, 1791206404)) !== null);

echo "{$feitos} verificações certas\n";
