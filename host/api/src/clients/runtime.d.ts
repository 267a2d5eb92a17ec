/** Ajustes do cliente. `prazo_ms`, se dado, vale no lugar de `prazo_s`. */
export interface Ajustes { base_url: string; chave?: string; tentativas?: number; prazo_s?: number; prazo_ms?: number; espera_maxima_s?: number; fetch?: typeof fetch }
/** Ajustes de uma chamada: no último argumento, ou com os parâmetros da consulta. */
export interface Opcoes { idempotency_key?: string; cabecalhos?: Record<string, string>; sinal?: AbortSignal }
/** O item de uma lista. */
export type Item<T> = T extends { itens?: Array<infer I> } ? I : any;
interface Partes { pedido?: any; bytes?: any; consulta?: Record<string, any>; idempotente?: boolean; publica?: boolean }
/** Uma recusa do hub: decida por `codigo`; `dica` e `campos` dizem o que corrigir. */
export declare class ErroDoHub extends Error {
  status: number;
  codigo: string;
  mensagem: string;
  dica: string;
  campos: Array<{ campo: string; codigo: string; mensagem: string; correcao: string; valor?: any }>;
  rejeicao: any;
  nota_id: string | undefined;
  request_id: string;
  documentacao: string;
  tentar_em_s: number | undefined;
  corpo: any;
  constructor(status: number, corpo: any, tentar_em_s?: number);
}
declare class Base {
  /** `tentativas`: vezes que uma chamada que pode ser repetida é feita; `espera_maxima_s`: o maior Retry-After que se espera. */
  constructor(ajustes: Ajustes);
  /** Qualquer operação; as de cada nome estão em Hub. */
  pedir(metodo: string, caminho: string, partes?: Partes, opcoes?: Opcoes): Promise<any>;
  /** Os itens de todas as páginas. */
  paginas(pagina: (cursor: string | undefined) => Promise<any>): AsyncGenerator<any>;
}
/**
 * Confere a assinatura de uma entrega e devolve o evento. `corpo` são os bytes como chegaram; `cabecalhos` aceita Headers ou um objeto.
 * Vale tanto X-Webhook-Signature-256 quanto os cabeçalhos de Standard Webhooks. Despreze um evento cujo id já viu.
 */
export declare function conferir_webhook(segredo: string, cabecalhos: any, corpo: string | Uint8Array, ajustes?: { agora_s?: number; tolerancia_s?: number }): Promise<any>;
