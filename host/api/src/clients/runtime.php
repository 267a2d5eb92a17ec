/** Uma recusa do hub: decida por `codigo`; `dica` e `campos` dizem o que corrigir. */
final class ErroDoHub extends \RuntimeException
{
    public readonly string $codigo;
    public readonly string $mensagem;
    public readonly string $dica;
    /** @var list<array{campo: string, codigo: string, mensagem: string, correcao: string, valor?: mixed}> */
    public readonly array $campos;
    /** @var array<string, mixed>|null */
    public readonly ?array $rejeicao;
    public readonly ?string $nota_id;
    public readonly string $request_id;
    public readonly string $documentacao;

    /** @param array<string, mixed> $corpo */
    public function __construct(
        public readonly int $status,
        public readonly array $corpo,
        public readonly ?int $tentar_em_s = null,
    ) {
        $this->codigo = $corpo['codigo'] ?? '';
        $this->mensagem = $corpo['mensagem'] ?? 'resposta inesperada';
        $this->dica = $corpo['dica'] ?? '';
        $this->campos = $corpo['campos'] ?? [];
        $this->rejeicao = $corpo['rejeicao'] ?? null;
        $this->nota_id = $corpo['nota_id'] ?? null;
        $this->request_id = $corpo['request_id'] ?? '';
        $this->documentacao = $corpo['documentacao'] ?? '';
        $quem = $this->codigo === '' ? (string) $status : $this->codigo;
        parent::__construct(trim("{$quem}: {$this->mensagem} {$this->dica}"), $status);
    }
}

/** O que todo cliente tem, quaisquer que sejam as operações. */
abstract class Base
{
    private readonly string $base_url;
    private readonly \Closure $transporte;
    private readonly \Closure $dormir;

    /**
     * `tentativas`: vezes que uma chamada que pode ser repetida é feita; `espera_maxima_s`: o maior Retry-After que se espera;
     * `transporte`, em testes: recebe método, endereço, cabeçalhos e corpo, e devolve [status, cabeçalhos em minúsculas, corpo],
     * ou null se ninguém respondeu.
     */
    public function __construct(
        string $base_url,
        #[\SensitiveParameter] private readonly string $chave = '',
        private readonly int $tentativas = 3,
        private readonly float $prazo_s = 60.0,
        private readonly float $espera_maxima_s = 30.0,
        ?\Closure $transporte = null,
        ?\Closure $dormir = null,
    ) {
        $this->base_url = rtrim($base_url, '/');
        $this->transporte = $transporte ?? $this->pela_rede(...);
        $this->dormir = $dormir ?? static fn (float $segundos) => usleep((int) ($segundos * 1_000_000));
    }

    /**
     * Qualquer operação; as de cada nome estão em Hub.
     *
     * @param array<string, mixed>|\stdClass|null $pedido
     * @param array<string, mixed> $consulta
     * @param array<string, string> $cabecalhos
     */
    public function pedir(
        string $metodo,
        string $caminho,
        array|\stdClass|null $pedido = null,
        ?string $dados = null,
        array $consulta = [],
        bool $idempotente = false,
        bool $publica = false,
        ?string $idempotency_key = null,
        array $cabecalhos = [],
    ): mixed {
        $url = $this->base_url . $caminho;
        $dada = array_filter($consulta, static fn (mixed $valor) => $valor !== null);
        $dada = array_map(static fn (mixed $valor) => is_bool($valor) ? ($valor ? 'true' : 'false') : $valor, $dada);
        if ($dada !== []) {
            $url .= '?' . http_build_query($dada, '', '&', \PHP_QUERY_RFC3986);
        }
        $todos = ['Accept' => 'application/json, */*', ...$cabecalhos];
        if (!$publica) {
            $todos['Authorization'] = "Bearer {$this->chave}";
        }
        if ($pedido !== null) {
            // Um corpo sem campos é um objeto, não uma lista.
            $dados = json_encode($pedido === [] ? new \stdClass() : $pedido, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_UNICODE | \JSON_PRESERVE_ZERO_FRACTION);
            $todos['Content-Type'] = 'application/json';
        }
        // A mesma chave em todas as tentativas: o documento é um só.
        if ($idempotente && !(is_array($pedido) && isset($pedido['idempotency_key']))) {
            $todos['Idempotency-Key'] = $idempotency_key ?? bin2hex(random_bytes(16));
        }
        $repetivel = $idempotente || in_array($metodo, ['GET', 'PUT', 'DELETE'], true);
        for ($vez = 1; ; $vez++) {
            $espera_s = (float) (2 ** ($vez - 1));
            $resposta = ($this->transporte)($metodo, $url, $todos, $dados);
            if ($resposta === null) {
                if ($vez >= $this->tentativas || !$repetivel) {
                    throw new ErroDoHub(0, ['codigo' => 'sem_resposta', 'mensagem' => 'O hub não respondeu.']);
                }
            } else {
                [$status, $lidos, $corpo] = $resposta;
                if ($status < 300) {
                    return $this->resposta($status, $lidos, $corpo);
                }
                $erro = $this->recusa($status, $lidos, $corpo);
                // Com 429 e 503 nada foi feito; o resto só se repete onde repetir não muda nada.
                $passa = in_array($status, [429, 503], true)
                    || ($repetivel && (in_array($status, [502, 504], true) || $erro->codigo === 'requisicao_em_andamento'));
                $espera_s = (float) ($erro->tentar_em_s ?? $espera_s);
                if ($vez >= $this->tentativas || !$passa || $espera_s > $this->espera_maxima_s) {
                    throw $erro;
                }
            }
            ($this->dormir)($espera_s);
        }
    }

    /** @param array<string, string> $lidos */
    private function resposta(int $status, array $lidos, string $corpo): mixed
    {
        if ($status === 204) {
            return null;
        }
        $json = str_contains($lidos['content-type'] ?? '', 'json');
        return $json ? json_decode($corpo, true, 512, \JSON_THROW_ON_ERROR | \JSON_BIGINT_AS_STRING) : $corpo;
    }

    /** @param array<string, string> $lidos */
    private function recusa(int $status, array $lidos, string $corpo): ErroDoHub
    {
        $lido = json_decode($corpo, true);
        $espera = $lidos['retry-after'] ?? '';
        return new ErroDoHub($status, is_array($lido) ? $lido : ['mensagem' => substr($corpo, 0, 200)], ctype_digit($espera) ? (int) $espera : null);
    }

    /**
     * @param array<string, string> $cabecalhos
     * @return array{int, array<string, string>, string}|null
     */
    private function pela_rede(string $metodo, string $url, array $cabecalhos, ?string $corpo): ?array
    {
        $linhas = array_map(static fn (string $nome, string $valor) => "{$nome}: {$valor}", array_keys($cabecalhos), $cabecalhos);
        $contexto = stream_context_create(['http' => [
            'method' => $metodo, 'header' => $linhas, 'content' => $corpo ?? '', 'ignore_errors' => true,
            'timeout' => $this->prazo_s, 'protocol_version' => 1.1,
            // O PHP levaria a chave ao servidor de um redirecionamento.
            'follow_location' => 0,
        ]]);
        $http_response_header = [];
        $lido = @file_get_contents($url, false, $contexto);
        if ($lido === false || $http_response_header === []) {
            return null;
        }
        $status = 0;
        $lidos = [];
        foreach ($http_response_header as $linha) {
            if (preg_match('#^HTTP/\S+ (\d+)#', $linha, $achado) === 1) {
                // Depois de um 1xx, vale o que veio por último.
                $status = (int) $achado[1];
                $lidos = [];
            } elseif (str_contains($linha, ':')) {
                [$nome, $valor] = explode(':', $linha, 2);
                $lidos[strtolower(trim($nome))] = trim($valor);
            }
        }
        return [$status, $lidos, $lido];
    }

    /** Os itens de todas as páginas. */
    protected function paginas(\Closure $pagina): \Generator
    {
        $cursor = null;
        do {
            $lida = $pagina($cursor);
            yield from $lida['itens'];
            $cursor = $lida['proximo_cursor'] ?? null;
        } while ($lida['tem_mais'] && $cursor !== null);
    }

    /** Uma parte de um endereço; `barras`: um caminho com as suas. */
    protected static function parte(string $texto, bool $barras = false): string
    {
        $escrito = rawurlencode($texto);
        return $barras ? str_replace('%2F', '/', $escrito) : $escrito;
    }

    /**
     * Confere a assinatura de uma entrega e devolve o evento. `corpo` são os bytes como chegaram.
     *
     * Vale tanto X-Webhook-Signature-256 quanto os cabeçalhos de Standard Webhooks. Despreze um evento cujo id já viu.
     *
     * @param array<string, string> $cabecalhos
     * @return array<string, mixed>
     */
    public static function conferir_webhook(
        #[\SensitiveParameter] string $segredo,
        array $cabecalhos,
        string $corpo,
        ?int $agora_s = null,
        int $tolerancia_s = 300,
    ): array {
        $lidos = array_change_key_case($cabecalhos);
        $recusa = static fn (string $mensagem) => new ErroDoHub(0, ['codigo' => 'assinatura_invalida', 'mensagem' => $mensagem]);
        $do_hub = $lidos['x-webhook-signature-256'] ?? null;
        if ($do_hub !== null) {
            $partes = array_map(trim(...), explode(',', $do_hub));
            $comeca = static fn (string $inicio) => array_values(array_map(
                static fn (string $parte) => substr($parte, strlen($inicio)),
                array_filter($partes, static fn (string $parte) => str_starts_with($parte, $inicio)),
            ));
            $t = $comeca('t=')[0] ?? '';
            $dadas = $comeca('v1=');
            $certa = hash_hmac('sha256', "{$t}." . ($lidos['x-webhook-id'] ?? '') . ".{$corpo}", $segredo);
        } else {
            $t = $lidos['webhook-timestamp'] ?? '';
            $dadas = [];
            foreach (explode(' ', $lidos['webhook-signature'] ?? '') as $parte) {
                if (str_starts_with($parte, 'v1,')) {
                    $dadas[] = substr($parte, 3);
                }
            }
            $chave = base64_decode(str_starts_with($segredo, 'whsec_') ? substr($segredo, 6) : $segredo, true);
            $certa = base64_encode(hash_hmac('sha256', ($lidos['webhook-id'] ?? '') . ".{$t}.{$corpo}", (string) $chave, true));
        }
        if (preg_match('/^\d{1,12}$/D', $t) !== 1 || abs(($agora_s ?? time()) - (int) $t) > $tolerancia_s) {
            throw $recusa('A entrega é velha demais, ou não diz quando foi assinada.');
        }
        foreach ($dadas as $dada) {
            if (hash_equals($certa, $dada)) {
                return json_decode($corpo, true, 512, \JSON_THROW_ON_ERROR);
            }
        }
        throw $recusa('A assinatura não confere.');
    }
}
