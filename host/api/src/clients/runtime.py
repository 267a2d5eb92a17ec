import base64
import hashlib
import hmac
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from decimal import Decimal
from typing import Any, Callable, Dict, Iterator, List, Literal, Mapping, Optional, TypedDict, Union

try:
    from typing import NotRequired
except ImportError:  # Python 3.8 a 3.10: os tipos não são lidos em execução.
    NotRequired = Optional


class ErroDoHub(Exception):
    """Uma recusa do hub: decida por `codigo`; `dica` e `campos` dizem o que corrigir."""

    def __init__(self, status: int, corpo: Dict[str, Any], tentar_em_s: Optional[int] = None) -> None:
        mensagem = corpo.get("mensagem", "resposta inesperada")
        super().__init__(f"{corpo.get('codigo', status)}: {mensagem} {corpo.get('dica', '')}".strip())
        self.status = status
        self.codigo: str = corpo.get("codigo", "")
        self.mensagem: str = mensagem
        self.dica: str = corpo.get("dica", "")
        self.campos: List[Dict[str, Any]] = corpo.get("campos", [])
        self.rejeicao: Optional[Dict[str, Any]] = corpo.get("rejeicao")
        self.nota_id: Optional[str] = corpo.get("nota_id")
        self.request_id: str = corpo.get("request_id", "")
        self.documentacao: str = corpo.get("documentacao", "")
        self.tentar_em_s = tentar_em_s
        self.corpo = corpo


def _numero(valor: Any) -> Any:
    """Um Decimal vai como texto: nenhum dígito se perde."""
    if isinstance(valor, Decimal):
        return str(valor)
    raise TypeError(f"{type(valor).__name__} não é JSON")


def _texto(valor: Any) -> str:
    """Um valor como texto de uma consulta."""
    return str(valor).lower() if isinstance(valor, bool) else str(valor)


def _ler(texto: bytes) -> Any:
    return json.loads(texto.decode("utf-8"), parse_float=Decimal)


class _Base:
    """`tentativas`: vezes que uma chamada que pode ser repetida é feita; `espera_maxima_s`: o maior Retry-After que se espera."""

    def __init__(
        self,
        base_url: str,
        chave: str = "",
        tentativas: int = 3,
        prazo_s: float = 60.0,
        espera_maxima_s: float = 30.0,
        dormir: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url = base_url.rstrip("/")
        self.chave = chave
        self.tentativas = tentativas
        self.prazo_s = prazo_s
        self.espera_maxima_s = espera_maxima_s
        self._dormir = dormir

    def pedir(
        self,
        metodo: str,
        caminho: str,
        pedido: Any = None,
        dados: Optional[bytes] = None,
        consulta: Optional[Mapping[str, Any]] = None,
        idempotente: bool = False,
        publica: bool = False,
        idempotency_key: Optional[str] = None,
        cabecalhos: Optional[Mapping[str, str]] = None,
    ) -> Any:
        """Qualquer operação; as de cada nome estão em Hub."""
        url = self.base_url + caminho
        dada = {nome: _texto(valor) for nome, valor in (consulta or {}).items() if valor is not None}
        if dada:
            url += "?" + urllib.parse.urlencode(dada)
        todos = {"Accept": "application/json, */*", **(cabecalhos or {})}
        if not publica:
            todos["Authorization"] = f"Bearer {self.chave}"
        if pedido is not None:
            dados = json.dumps(pedido, default=_numero).encode("utf-8")
            todos["Content-Type"] = "application/json"
        # A mesma chave em todas as tentativas: o documento é um só.
        if idempotente and not (isinstance(pedido, dict) and pedido.get("idempotency_key")):
            todos["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        repetivel = idempotente or metodo in ("GET", "PUT", "DELETE")
        vez = 1
        while True:
            espera_s = float(2 ** (vez - 1))
            try:
                return self._uma_vez(url, metodo, todos, dados)
            except ErroDoHub as erro:
                # Com 429 e 503 nada foi feito; o resto só se repete onde repetir não muda nada.
                passa = erro.status in (429, 503) or (
                    repetivel and (erro.status in (502, 504) or erro.codigo == "requisicao_em_andamento")
                )
                if erro.tentar_em_s is not None:
                    espera_s = float(erro.tentar_em_s)
                if vez >= self.tentativas or not passa or espera_s > self.espera_maxima_s:
                    raise
            except (urllib.error.URLError, OSError):
                if vez >= self.tentativas or not repetivel:
                    raise
            self._dormir(espera_s)
            vez += 1

    def _uma_vez(self, url: str, metodo: str, cabecalhos: Mapping[str, str], dados: Optional[bytes]) -> Any:
        # A chave não segue um redirecionamento: o arquivo pode estar em outro servidor.
        outros = {nome: valor for nome, valor in cabecalhos.items() if nome != "Authorization"}
        requisicao = urllib.request.Request(url, data=dados, method=metodo, headers=outros)
        if "Authorization" in cabecalhos:
            requisicao.add_unredirected_header("Authorization", cabecalhos["Authorization"])
        try:
            with urllib.request.urlopen(requisicao, timeout=self.prazo_s) as resposta:
                conteudo = resposta.read()
                if resposta.status == 204:
                    return None
                return _ler(conteudo) if "json" in resposta.headers.get("Content-Type", "") else conteudo
        except urllib.error.HTTPError as erro:
            conteudo = erro.read()
            try:
                corpo = _ler(conteudo)
            except ValueError:
                corpo = {"mensagem": conteudo[:200].decode("utf-8", "replace")}
            espera = erro.headers.get("Retry-After")
            raise ErroDoHub(erro.code, corpo, int(espera) if espera and espera.isdigit() else None) from None

    def paginas(self, pagina: Callable[[Optional[str]], Any]) -> Iterator[Any]:
        """Os itens de todas as páginas."""
        cursor: Optional[str] = None
        while True:
            lida = pagina(cursor)
            yield from lida["itens"]
            cursor = lida.get("proximo_cursor")
            if not lida["tem_mais"] or not cursor:
                return


def _parte(texto: str, seguros: str = "") -> str:
    return urllib.parse.quote(texto, safe=seguros)


def conferir_webhook(
    segredo: str,
    cabecalhos: Mapping[str, str],
    corpo: bytes,
    agora_s: Optional[int] = None,
    tolerancia_s: int = 300,
) -> Any:
    """Confere a assinatura de uma entrega e devolve o evento. `corpo` são os bytes como chegaram.

    Vale tanto X-Webhook-Signature-256 quanto os cabeçalhos de Standard Webhooks. Despreze um evento cujo id já viu.
    """
    lidos = {nome.lower(): valor for nome, valor in cabecalhos.items()}
    agora_s = int(time.time()) if agora_s is None else agora_s

    def recusa(mensagem: str) -> ErroDoHub:
        return ErroDoHub(0, {"codigo": "assinatura_invalida", "mensagem": mensagem})

    do_hub = lidos.get("x-webhook-signature-256")
    if do_hub is not None:
        partes = [parte.strip() for parte in do_hub.split(",")]
        t = next((parte[2:] for parte in partes if parte.startswith("t=")), "")
        dadas = [parte[3:] for parte in partes if parte.startswith("v1=")]
        texto = f"{t}.{lidos.get('x-webhook-id', '')}.".encode("utf-8") + corpo
        certa = hmac.new(segredo.encode("utf-8"), texto, hashlib.sha256).hexdigest()
    else:
        t = lidos.get("webhook-timestamp", "")
        dadas = [parte[3:] for parte in lidos.get("webhook-signature", "").split(" ") if parte.startswith("v1,")]
        chave = base64.b64decode(segredo[6:] if segredo.startswith("whsec_") else segredo)
        texto = f"{lidos.get('webhook-id', '')}.{t}.".encode("utf-8") + corpo
        certa = base64.b64encode(hmac.new(chave, texto, hashlib.sha256).digest()).decode("ascii")
    if not re.fullmatch(r"[0-9]{1,12}", t) or abs(agora_s - int(t)) > tolerancia_s:
        raise recusa("A entrega é velha demais, ou não diz quando foi assinada.")
    if not any(hmac.compare_digest(dada.encode("utf-8"), certa.encode("utf-8")) for dada in dadas):
        raise recusa("A assinatura não confere.")
    return _ler(corpo)
