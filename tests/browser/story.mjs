// The story of a shop in the panel, by its bookkeeper: a company is registered and sends
// its certificate, issues a product note and a service note, finds them, corrects one,
// cancels one, answers a note of a supplier, takes the month away as a file, and issues
// many notes of a spreadsheet of which some lines are wrong.
//
// With a script each page is looked at, at every size and theme of `visits`, and so are the
// pages that no step needs. Without one the same is done by forms and links alone; what
// changes by itself is asked for again.
import fs from "node:fs";
import { looker } from "./look.mjs";
import { simulator } from "./simulator.mjs";

const CUSTOMER = {
  documento: "12.345.678/0001-95", nome: "Cliente Exemplo Ltda", cep: "30140-071", logradouro: "Rua da Bahia", numero: "1000",
  bairro: "Centro", municipio: "Belo Horizonte",
};
const REASON = "Serviço lançado em duplicidade.";
const LETTER = "Onde se lê volume 1, leia-se volume 2.";
const TITLES = "CNPJ;Nome;CEP;Logradouro;Número;Bairro;Município;UF;Descrição;NCM;Quantidade;Valor unitário;Forma de pagamento";
/** What a line of a spreadsheet may have wrong: the column, and what stands there. */
const MISTAKES = [[9, "1"], [0, "12.345.678/0001-94"], [6, "Belo Horizomte"], [10, "zero"], [1, ""]];
/** Pages that no step of the story opens. */
const OTHERS = ["relatorio", "numeracao", "numeracao/inutilizar", "autorizadores", "busca?q=exemplo", "documentos?status=rascunho"];

/** A valid CNPJ of nobody, by its first twelve digits. */
function cnpj(root) {
  const digit = (digits) => {
    const sum = [...digits].reverse().reduce((sum, one, place) => sum + Number(one) * (2 + (place % 8)), 0);
    return sum % 11 < 2 ? 0 : 11 - (sum % 11);
  };
  const first = root + digit(root);
  return first + digit(first);
}

/** A spreadsheet of so many lines; the first ones have a mistake each. */
function spreadsheet(lines, wrong) {
  const all = [TITLES];
  for (let line = 1; line <= lines; line += 1) {
    const cells = ["12.345.678/0001-95", "Cliente Exemplo Ltda", "30140-071", "Rua da Bahia", "1000", "Centro", "Belo Horizonte", "MG",
      `Café torrado, lote ${line}`, "09012100", "1", "10,00", "PIX"];
    const mistake = line <= wrong ? MISTAKES[line - 1] : undefined;
    if (mistake) cells[mistake[0]] = mistake[1];
    all.push(cells.join(";"));
  }
  return Buffer.from(all.join("\n"));
}

const reais = (value) => `R$ ${value.toLocaleString("pt-BR", { minimumFractionDigits: 2 })}`;

/**
 * `script`: whether the browser has one. `branch`: four digits, so that no other company of
 * the hub has the same CNPJ. `lines` of a spreadsheet, of which `wrong` are.
 */
export async function story({ browser, base, check, axe, visits, pictures, script, branch, lines, wrong }) {
  const [[firstWidth, firstHeight]] = visits;
  const context = await browser.newContext({
    viewport: { width: firstWidth, height: firstHeight }, acceptDownloads: true, javaScriptEnabled: script,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => { if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`); });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => dialog.accept());
  const told = (what) => `${what} (the story, ${script ? "with" : "without"} a script)`;
  const done = (holds, what) => check(holds, told(what));

  const sizes = visits.map(([width, height, colorScheme]) => {
    const name = (what) => `${what} (${width}, ${colorScheme})`;
    return { width, height, colorScheme, look: looker({ context, page, axe, check, name, width, colorScheme, pictures }) };
  });
  async function look(what) {
    if (!script) return;
    for (const { width, height, colorScheme, look: looked } of sizes) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      // Colours that fade over to the other theme's would be judged on their way.
      await page.evaluate(() => document.getAnimations().forEach((one) => one.finish()));
      await looked(`historia-${what}`);
    }
    await page.setViewportSize({ width: firstWidth, height: firstHeight });
  }
  const goto = (where) => page.goto(`${base}/painel${where}`);
  const press = (word) => page.getByRole("button", { name: word, exact: true }).last().click();
  const follow = (word) => page.getByRole("main").getByRole("link", { name: word, exact: true }).first().click();
  const said = (text) => page.getByText(text).first().waitFor();
  async function fill(fields) {
    for (const [field, value] of Object.entries(fields)) await page.fill(`#${field}`, value);
  }
  /** Waits for what comes by itself; without a script the page is asked for again. */
  async function until(there) {
    for (let time = 0; !script && time < 600 && await there.count() === 0; time += 1) await page.reload();
    await there.first().waitFor({ timeout: 120_000 });
  }
  async function file(word) {
    const [download] = await Promise.all([page.waitForEvent("download"), follow(word)]);
    return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
  }

  // A company, by the name of its city, with a certificate, for notes of value.
  const number = cnpj(`11222333${branch}`);
  await goto("/cadastrar");
  await fill({ nome: "Ana Exemplo", conta: "Padaria Exemplo", email: `ana.${branch}@exemplo.com.br`, senha: "cavalo bateria grampo" });
  await press("Criar conta");
  await page.waitForURL(/bem-vindo/);
  await goto("/emitentes");
  await fill({
    cnpj: number, razao_social: "Padaria Exemplo Ltda", ie: "0623079040081", im: "12345", cep: "30130-010",
    logradouro: "Avenida Afonso Pena", numero: "1212", bairro: "Centro", municipio: "Belo Horizonte",
  });
  await page.selectOption("#regime", "normal");
  await press("Cadastrar");
  await page.waitForURL(/criado/);
  await page.getByRole("link", { name: "Padaria Exemplo Ltda" }).click();
  done(await page.inputValue("#municipio") === "Belo Horizonte" && await page.inputValue("#uf") === "MG", "a company is registered by the name of its city");
  const company = page.url();
  const order = { documento: number, nome: "PADARIA EXEMPLO LTDA", senha: "segredo" };
  const { pfx_base64: pfx } = await simulator("POST", "certificados", order);
  await page.setInputFiles("#certificado", { name: "a1.pfx", mimeType: "application/x-pkcs12", buffer: Buffer.from(pfx, "base64") });
  await page.fill("#senha", "segredo");
  await press("Salvar certificado");
  await said("Certificado salvo.");
  done(await page.getByRole("main").getByRole("alert").count() === 0, "a good certificate is taken");
  await look("certificado");
  await follow("Remover certificado");
  await said("A chave do certificado é apagada");
  await look("remover-certificado");
  await follow("Desistir");
  await page.selectOption("#ambiente", "producao");
  await press("Mudar ambiente");
  await said("Ambiente mudado.");
  await goto("/creditos");
  await page.fill("#valor", "120,00");
  await press("Comprar");
  await page.waitForURL(/compras\/cmp_/);
  await press("Simular o pagamento");
  await until(page.getByText("12.000 créditos entraram"));
  await goto("?ambiente=producao");

  // A note of three items, one with a discount, and two payments.
  await goto("/emitir");
  await fill({ ...CUSTOMER, descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: "2", valor: "18,90" });
  await page.selectOption("#uf", "MG");
  await page.check("[name=guardar]");
  for (const [row, values] of [
    [2, { descricao: "Filtro de papel", ncm: "4823.20.99", quantidade: "1", valor: "10,00", desconto: "1,50" }],
    [3, { descricao: "Moedor", ncm: "82100010", quantidade: "3", valor: "5" }],
  ]) {
    await press("Acrescentar item");
    await page.waitForSelector(`#descricao-${row}`);
    for (const [field, value] of Object.entries(values)) await page.fill(`#${field}-${row}`, value);
  }
  await press("Acrescentar pagamento");
  await page.waitForSelector("#pago-2");
  await page.fill("#pago", "50,00");
  await page.selectOption("#forma-2", "dinheiro");
  await look("itens-e-pagamentos");
  await press("Conferir antes de emitir");
  await said("Nada foi emitido ainda");
  await said("A nota terá valor fiscal.");
  await look("conferir");
  await press("Emitir nota de R$ 61,30");
  await page.waitForURL(/documentos\/nfe_/);
  await until(page.getByRole("main").getByText("autorizada", { exact: true }));
  done(await page.getByText("Moedor").first().isVisible(), "a note of three items and two payments is issued for real");
  const product = page.url().split("?")[0];
  const key = (await page.textContent("#chave-de-acesso")).trim();
  if (script) {
    await page.locator("[data-copia='#chave-de-acesso']").click();
    await page.getByText("Copiado", { exact: true }).waitFor();
    done(await page.evaluate(() => navigator.clipboard.readText()) === key, "the key is copied");
  }

  // A service note, to the customer that was kept.
  await goto("/emitir");
  await page.selectOption("#tipo", "nfse");
  await page.selectOption("#cliente", { index: 1 });
  await press("Usar este cliente");
  await page.locator("#nome[value='Cliente Exemplo Ltda']").waitFor();
  await fill({ descricao: "Curso de café", quantidade: "1", valor: "1.500,00", servico: "01.01.01" });
  await press("Conferir antes de emitir");
  await said("Nada foi emitido ainda");
  await press("Emitir nota de R$ 1.500,00");
  await page.waitForURL(/documentos\/nfse_/);
  await until(page.getByRole("main").getByText("autorizada", { exact: true }));
  done(await page.getByText("Curso de café").first().isVisible(), "a service note is issued for real, to a customer that was kept");
  const service = page.url().split("?")[0];
  await look("nfse");

  // Both are found: in the list by what people know, and from anywhere.
  const link = (where) => page.locator(`main a[href^="${new URL(where).pathname}"]`);
  await goto("/documentos");
  for (const [words, there, absent] of [["exemplo", product, undefined], ["61,30", product, service], ["1.500,00", service, product]]) {
    await page.fill("#q", words);
    await press("Procurar");
    await page.waitForURL((url) => url.searchParams.get("q") === words);
    done(await link(there).count() > 0 && (!absent || await link(absent).count() === 0), `the list finds ${words}`);
  }
  await look("achado");
  if (script) {
    await goto("");
    const whole = await page.locator('.rolagem[aria-label="Documentos"]').evaluate((one) => one.scrollWidth <= one.clientWidth);
    done(whole, "the overview shows the last documents with all their columns");
    await page.keyboard.press("Control+k");
    const dialog = page.getByRole("dialog", { name: "Buscar em tudo" });
    await dialog.getByRole("searchbox").fill(key);
    await dialog.locator(`a[href^="${new URL(product).pathname}"]`).first().waitFor();
    await look("ctrl-k");
    await dialog.getByRole("searchbox").press("ArrowDown");
    done(await dialog.locator(`a[href^="${new URL(product).pathname}"]:focus`).count() === 1, "an arrow leads to what was found");
    await page.keyboard.press("Enter");
  } else {
    await page.locator(".lado form.busca-geral input").first().fill(key);
    await page.keyboard.press("Enter");
    await page.waitForURL(/busca/);
    await link(product).first().click();
  }
  await page.waitForURL((url) => url.pathname === new URL(product).pathname);
  done(true, "a note is found from anywhere by its key");

  // One is corrected, the other cancelled.
  await follow("Carta de correção");
  await page.fill("#correcao", LETTER);
  await look("carta");
  await press("Continuar");
  await said("Confira");
  await look("carta-conferida");
  await press("Registrar a carta");
  await said("Carta de correção registrada.");
  done(await page.getByRole("link", { name: "PDF da carta" }).isVisible(), "a letter of correction is registered");
  await look("corrigida");
  await page.goto(service);
  await follow("Substituir");
  await page.locator("#descricao").waitFor();
  await look("substituir");
  await follow("Desistir");
  await follow("Cancelar");
  await page.selectOption("#codigo_motivo", "duplicidade");
  await page.fill("#justificativa", REASON);
  await look("cancelar");
  await press("Continuar");
  await said("Isto tem efeito fiscal");
  await look("cancelar-conferido");
  await press("Cancelar documento");
  await said("Cancelamento registrado.");
  done(await page.getByRole("main").getByText("cancelada", { exact: true }).first().isVisible(), "a service note is cancelled");

  // A form that is not finished is kept, gone on with, and thrown away.
  await goto("/emitir");
  await fill({ nome: "Cliente a completar", descricao: "Moedor" });
  await press("Guardar rascunho");
  await page.waitForURL(/documentos\/nfe_/);
  await look("rascunho");
  const draft = page.url();
  await follow("Continuar o rascunho");
  done(await page.inputValue("#nome") === "Cliente a completar", "a form that is not finished is kept");
  await look("rascunho-continuado");
  await page.goto(draft);
  await follow("Excluir o rascunho");
  await look("rascunho-excluir");
  await press("Excluir");
  await page.waitForURL(/status=rascunho/);
  done(await link(draft.split("?")[0]).count() === 0, "a draft is thrown away");

  // What a supplier issued is fetched, and the company says that it knows of it.
  const deposit = { cnpj: number, ambiente: "producao", uf: "MG", quantidade: 1, valor_centavos: 12_345 };
  await simulator("POST", "sefaz/depositos", deposit);
  await goto("/recebidas");
  await look("recebidas-vazio");
  await follow("Buscar novas");
  await look("recebidas-buscar");
  await press("Buscar agora");
  await said("Chegou 1 documento novo");
  await look("recebidas");
  await follow("FORNECEDOR SIMULADO LTDA");
  await page.getByLabel("Ciência da operação").check();
  if (script) {
    const narrowest = await page.locator(".dica.abaixo").evaluateAll((all) => Math.min(...all.map((one) => one.clientWidth)));
    done(narrowest > 200, `what each answer means stands in whole lines ${narrowest}`);
  }
  await look("recebida");
  await press("Continuar");
  await said("Nada foi enviado ainda");
  await look("manifestar");
  await press("Enviar a manifestação");
  await said("Manifestação registrada.");
  done(true, "a received note is answered");

  // Some are marked, and the month is taken away.
  await goto("/documentos");
  if (script) {
    await page.getByLabel("Selecionar todos desta página").check();
    const boxes = page.locator("input[name=id]");
    done(await boxes.count() === 2 && await page.locator("input[name=id]:checked").count() === 2, "all of a page are marked");
    await look("marcados");
  } else {
    for (const box of await page.locator("input[name=id]").all()) await box.check();
  }
  await press("PDF e XML dos selecionados");
  await said("2 documentos");
  await look("selecionados");
  const chosen = await file("Baixar os XML (ZIP)");
  done(chosen.bytes.subarray(0, 2).toString() === "PK", "the files of what was marked are downloaded");
  await goto("/documentos");
  await follow("Exportar XML e PDF (ZIP)");
  await look("exportar");
  await press("Exportar");
  await until(page.getByRole("link", { name: "Baixar o ZIP" }));
  await look("exportado");
  const month = await file("Baixar o ZIP");
  done(month.bytes.subarray(0, 2).toString() === "PK" && /^notas-\d{4}-\d{2}.*\.zip$/.test(month.name) && month.bytes.includes(`${key}-procNFe.xml`),
    `the month is downloaded ${month.name}`);

  // Many notes of a spreadsheet, without the lines that are wrong.
  const good = lines - wrong;
  await goto("/lotes");
  await page.setInputFiles("#arquivo", { name: "vendas.csv", mimeType: "text/csv", buffer: spreadsheet(lines, wrong) });
  await press("Conferir o arquivo");
  await said("nada foi emitido ainda");
  done(await page.getByText(`${wrong} notas, que não serão emitidas`).isVisible(), "lines that are wrong are said before anything is issued");
  await look("lote-conferido");
  await press(`Emitir ${good} notas de ${reais(good * 10)}`);
  await until(page.getByText(`${good} emitidas, ${wrong} a corrigir`));
  await look("lote");
  const text = ({ bytes }) => bytes.toString("utf8").trim().split(/\r?\n/);
  const result = text(await file("Baixar o resultado (CSV)"));
  done(result.length === lines + 1 && result.filter((line) => line.includes(";emitida;")).length === good, "the result has every line");
  const rest = text(await file("Baixar só estas linhas (CSV)"));
  done(rest.length === wrong + 1 && rest.some((line) => line.includes("Belo Horizomte")), "the lines to correct are a file of their own");

  // Pages that nothing above opened.
  await goto("/clientes");
  await look("clientes");
  await follow("Cliente Exemplo Ltda");
  await look("cliente");
  await page.goto(company);
  await look("empresa");
  for (const where of OTHERS) {
    const shown = await goto(`/${where}`);
    done(shown.status() === 200, where);
    await look(where.replaceAll(/\W+/g, "-"));
  }
  done(errors.length === 0, `no errors of the browser ${errors.join("; ")}`);
  await context.close();
}
