// What an operator sees and does at /operador, in a browser: every page, with something on
// it, at two widths and in both themes, looked at by axe-core; a reason is given, and the
// action is in the list of actions.
//
// `.ci/browser` starts the hub with a listener for operators and names it: OPERATOR_URL,
// OPERATOR_TOKEN, and SIMULATOR_URL, the simulated authorities of that hub.
import { looker } from "./look.mjs";
import { simulator } from "./simulator.mjs";

const PAGES = {
  "": "operador-adaptadores",
  "/contas": "operador-contas",
  "/notas?minutos=0": "operador-notas",
  "/filas": "operador-filas",
  "/entregas": "operador-entregas",
  "/autorizadores": "operador-autorizadores",
  "/disco": "operador-disco",
  "/acoes": "operador-acoes",
  "/historico": "operador-historico",
};

/** A note whose answer got lost, and a delivery that does not arrive. */
async function stuck(demo) {
  await simulator("POST", "faults", [
    { falha: "cortar_depois", quando: { operacao: "emitir" } },
    { falha: "erro_500", quando: { operacao: "consultar", vezes: 0 } },
  ]);
  const call = (where, body, more) => fetch(demo.base_url + where, {
    method: "POST",
    headers: { authorization: `Bearer ${demo.chave_producao}`, "content-type": "application/json", ...more },
    body: JSON.stringify(body),
  });
  const note = await call("/api/v1/nfse", {
    tomador: { cpf_cnpj: "12345678000195", nome: "Cliente Exemplo Ltda", endereco: { cep: "30140071", logradouro: "Rua da Bahia", numero: "1000", bairro: "Centro", codigo_ibge: "3106200" } },
    servico: { descricao: "Desenvolvimento de software", codigo_tributacao_nacional: "010101" },
    valores: { servico: 1500 },
  }, { prefer: "respond-async" });
  const webhook = await (await call("/api/v1/webhooks", { url: "http://127.0.0.1:9/avisos", eventos: ["*"] })).json();
  await call(`/api/v1/webhooks/${webhook.id}/testar`, {});
  return note.status;
}

export async function operator({ browser, demo, check, axe, visits, pictures }) {
  const base = `${process.env.OPERATOR_URL}/operador`;
  check(await stuck(demo) === 202, "a note is stuck");
  for (const [width, height, colorScheme] of visits) {
    const name = (what) => `${what} (${width}, ${colorScheme})`;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    const errors = [];
    page.on("console", (message) => { if (message.type() === "error") errors.push(message.text()); });

    const look = looker({ context, page, axe, check, name, width, colorScheme, pictures });

    await page.goto(`${base}/notas`);
    await look("operador-entrar");
    await page.fill("#token", process.env.OPERATOR_TOKEN);
    await page.getByRole("button", { name: "Entrar", exact: true }).click();
    await page.waitForURL(base);
    for (const [where, what] of Object.entries(PAGES)) {
      const shown = await page.goto(base + where);
      check(shown.status() === 200, name(what));
      // What is folded away is looked at as well.
      await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => { one.open = true; }));
      await look(what);
    }
    if (width < 640) {
      await page.getByText("Menu", { exact: true }).click();
      await look("operador-menu");
    }
    await page.goto(`${base}/contas`);
    await page.getByRole("link", { name: "Demonstração" }).first().click();
    await look("operador-conta");
    check(errors.length === 0, name(`no errors of the browser at /operador ${errors.join("; ")}`));

    if (width < 640) {
      await context.close();
      continue;
    }
    // The link to the account of a note, and a reason that is kept.
    await page.goto(`${base}/contas`);
    await page.getByRole("link", { name: "Demonstração" }).first().click();
    await page.fill("#creditos", "1.000");
    await page.fill("#motivo-do-credito", "Contrato 117");
    await page.getByRole("button", { name: "Conceder", exact: true }).click();
    await page.getByText("Os créditos foram concedidos").waitFor();
    await look("operador-concedido");
    await page.goto(`${base}/acoes`);
    check(await page.getByText("Contrato 117").first().isVisible(), name("the reason of an action is kept"));
    await context.close();
  }
  await simulator("DELETE", "faults");
}
