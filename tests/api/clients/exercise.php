<?php

// Uses the generated client as a customer would; says what it saw as JSON.

declare(strict_types=1);

[, $folder, $file] = $argv;
require "{$folder}/cliente.php";

use HubCliente\Base;
use HubCliente\ErroDoHub;
use HubCliente\Hub;

$world = json_decode(file_get_contents($file), true, 512, JSON_THROW_ON_ERROR);
$hub = new Hub(base_url: $world['base_url'], chave: $world['chave'], dormir: static fn (float $segundos) => null);
$nota = $hub->nfe_create($world['nfe']);

// The answer of the first attempt is lost on its way.
$keys = [];
$real = new ReflectionMethod(Base::class, 'pela_rede');
$lossy = static function (string $metodo, string $url, array $cabecalhos, ?string $corpo) use ($hub, $real, &$keys): ?array {
    $keys[] = $cabecalhos['Idempotency-Key'] ?? null;
    $answer = $real->invoke($hub, $metodo, $url, $cabecalhos, $corpo);
    return count($keys) === 1 ? null : $answer;
};
$perdida = new Hub(base_url: $world['base_url'], chave: $world['chave'], transporte: $lossy, dormir: static fn (float $segundos) => null);
$repetida = $perdida->nfe_create($world['nfe']);

$listadas = [];
foreach ($hub->nfe_list_todos(limite: 1) as $item) {
    $listadas[] = $item['nota_id'];
}
$xml = $hub->documentos_xml($nota['nota_id'], formato: 'binario');
$recusa = null;
try {
    $hub->nfe_create([...$world['nfe'], 'itens' => []]);
} catch (ErroDoHub $erro) {
    $recusa = ['status' => $erro->status, 'codigo' => $erro->codigo, 'dica' => $erro->dica, 'campos' => count($erro->campos)];
}
$cancelada = $hub->nfe_cancelar(['ref' => $nota['nota_id'], 'justificativa' => 'Pedido desfeito pelo cliente']);

['segredo' => $segredo, 'cabecalhos' => $hook, 'agora_s' => $agora_s] = $world['entrega'];
$corpo = base64_decode($world['entrega']['corpo'], true);
$evento = Hub::conferir_webhook($segredo, $hook, $corpo);
$padrao = array_filter($hook, static fn (string $nome) => str_starts_with($nome, 'webhook-'), ARRAY_FILTER_USE_KEY);
$evento_padrao = Hub::conferir_webhook($segredo, $padrao, $corpo);
$forjadas = [];
foreach ([
    [$segredo, $hook, "{$corpo} ", 0],
    ['whsec_' . str_repeat('A', 43) . '=', $hook, $corpo, 0],
    [$segredo, $hook, $corpo, 301],
    [$segredo, $padrao, $corpo, 301],
    [$segredo, [], $corpo, 0],
] as [$chave, $cabecalhos, $bytes, $depois]) {
    try {
        Hub::conferir_webhook($chave, $cabecalhos, $bytes, agora_s: $agora_s + $depois);
        $forjadas[] = 'aceita';
    } catch (ErroDoHub $erro) {
        $forjadas[] = $erro->codigo;
    }
}

echo json_encode([
    'status' => $nota['status'], 'valor' => number_format($nota['valor_total'], 2, '.', ''), 'chaves' => $keys, 'repetida' => $repetida['nota_id'],
    'nota_id' => $nota['nota_id'], 'listadas' => $listadas, 'xml' => substr($xml, 0, 5), 'recusa' => $recusa, 'depois' => $cancelada['status'],
    'evento' => $evento['id'], 'evento_padrao' => $evento_padrao['id'], 'forjadas' => $forjadas, 'publica' => $hub->saude()['status'],
], JSON_THROW_ON_ERROR), "\n";
