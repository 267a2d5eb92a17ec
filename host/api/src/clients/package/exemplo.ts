import { Hub, ErroDoHub } from "hub-cliente";

const hub = new Hub({ base_url: "{base_url}", chave: process.env.HUB_CHAVE });

try {
  const nota = await hub.nfe_create({
    natureza_operacao: "Venda de mercadoria",
    destinatario: {
      cpf_cnpj: "12345678000195", nome: "Cliente Exemplo Ltda", indicador_ie: "9",
      endereco: { cep: "30140071", logradouro: "Rua da Bahia", numero: "1000", bairro: "Centro", codigo_ibge: "3106200", uf: "MG" },
    },
    itens: [{ descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: 2, valor_unitario: 18.9 }],
    pagamentos: [{ forma: "pix", valor: 37.8 }],
  }, { idempotency_key: "pedido-8812" });
  console.log(nota.id, nota.status);
} catch (erro) {
  if (!(erro instanceof ErroDoHub)) throw erro;
  console.error(erro.codigo, erro.dica, erro.campos);
}
