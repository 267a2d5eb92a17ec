// What a person does in the panel, in a real browser: register, log in, make a
// key, issue a test note, see and download it, buy credits, register a webhook,
// see and resend a delivery, find a municipality. Each page is also looked at
// by axe-core and for scrolling sideways, at two widths and in both themes.
//
//   node run.mjs <demo.json of a running `hub up`> [folder for pictures]
//
// `.ci/browser` starts a hub for it. CHROMIUM names the browser (default
// /usr/bin/chromium). With a folder every page is taken at both widths in both
// themes, one picture each.
import { chromium } from "playwright-core";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import fs from "node:fs";
import { looker } from "./look.mjs";
import { operator } from "./operator.mjs";
import { story } from "./story.mjs";

const [demoFile, pictures] = process.argv.slice(2);
const demo = JSON.parse(fs.readFileSync(demoFile, "utf8"));
const base = demo.base_url;
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
let passed = 0;

function check(holds, what) {
  console.log(`${holds ? "ok  " : "FAIL"} ${what}`);
  if (holds) passed += 1;
  else failures.push(what);
}

/** A part of the run; what breaks it off is a failure, and the next part goes on. */
async function part(name, work) {
  try {
    await work();
  } catch (error) {
    check(false, `${name}: ${error.stack ?? error}`);
  }
}

// A customer's server for the webhooks.
const received = [];
const receiver = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => { body += part; });
  request.on("end", () => { received.push({ headers: request.headers, body }); response.end("ok"); });
});
await new Promise((done) => receiver.listen(0, "127.0.0.1", done));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

async function visit(width, height, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, acceptDownloads: true });
  const page = await context.newPage();
  const errors = [];
  // A form that is refused is answered 422, which the browser notes as a failed load.
  const refused = (message) => message.text().includes("status of 422") && /^\/painel\/(emitir|produtos|emitentes\/[^/]+\/(certificado|perfil))$/.test(new URL(message.location().url).pathname);
  page.on("console", (message) => { if (message.type() === "error" && !refused(message)) errors.push(message.text()); });
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("dialog", (dialog) => dialog.accept());
  const name = (what) => `${what} (${width}, ${colorScheme})`;

  const look = looker({ context, page, axe, check, name, width, colorScheme, pictures });
  const goto = (where) => page.goto(base + where);
  const top = (id) => page.locator(`#${id}`).evaluate((one) => Math.round(one.getBoundingClientRect().top));
  const inLine = async (one, other) => (await top(one)) === (await top(other));
  const press = (word) => page.getByRole("button", { name: word, exact: true }).last().click();

  // Register, leave, log in.
  const email = `pessoa.${width}.${colorScheme}.${Date.now()}@exemplo.com.br`;
  await goto("/painel/cadastrar");
  await look("cadastrar");
  await page.fill("#nome", "Maria Exemplo");
  await page.fill("#conta", "Loja Exemplo");
  await page.fill("#email", email);
  await page.fill("#senha", "cavalo bateria grampo");
  await press("Criar conta");
  await page.waitForURL(/bem-vindo/);
  check(await page.getByText("Conta criada").isVisible(), name("registered"));
  await look("inicio");
  if (width < 640) {
    await page.getByText("Menu", { exact: true }).click();
    await look("menu");
  }
  await context.clearCookies();
  await goto("/painel/emitentes");
  await look("entrar");
  await page.fill("#email", email);
  await page.fill("#senha", "cavalo bateria grampo");
  await press("Entrar");
  await page.waitForURL((url) => url.pathname === "/painel/emitentes");
  check(true, name("logged in, and where it was going"));

  // A company, and a key.
  for (const [field, value] of Object.entries({
    cnpj: "11222333000181", razao_social: "Loja Exemplo Ltda", ie: "0623079040081", im: "12345", cep: "30130010",
    logradouro: "Avenida Afonso Pena", numero: "1212", bairro: "Centro", municipio: "3106200", uf: "MG",
  })) await page.fill(`#${field}`, value);
  await page.selectOption("#regime", "normal");
  await press("Cadastrar");
  await page.waitForURL(/criado/);
  await look("emitentes");
  await page.getByRole("link", { name: "Loja Exemplo Ltda" }).click();
  await look("emitente");
  check(width < 640 || await inLine("complemento", "bairro"), name("the inputs of an address fill their lines"));
  await page.setInputFiles("#certificado", { name: "a1.pfx", mimeType: "application/x-pkcs12", buffer: Buffer.from("nada") });
  await page.fill("#senha", "senha");
  await press("Salvar certificado");
  await page.getByText("não é um arquivo .pfx").first().waitFor();
  await page.locator("#certificado:focus").waitFor();
  check(true, name("a file that is no certificate is refused, and its field has the focus"));

  // Another one of CNPJ and name alone, completed on its page.
  await goto("/painel/emitentes");
  await page.fill("#cnpj", "11222333000262");
  await page.fill("#razao_social", "Filial Nova Ltda");
  await page.selectOption("#regime", "normal");
  await press("Cadastrar");
  await page.getByRole("link", { name: "Filial Nova Ltda" }).click();
  await page.fill("#ie", "12x");
  await press("Salvar os dados");
  const told = await page.locator("#ie-falha").boundingBox();
  const block = await page.locator("#bloco-empresa").boundingBox();
  check(width > 640 || told.width > block.width / 2, name("what is wrong with a registration has the whole row of a narrow screen"));
  for (const [field, value] of Object.entries({
    ie: "0623079040081", cep: "30130010", logradouro: "Avenida Afonso Pena", numero: "1213", bairro: "Centro",
    municipio: "3106200", uf: "MG", cfop_interno: "5101",
  })) await page.fill(`#${field}`, value);
  await page.selectOption("#regime", "normal");
  await press("Salvar os dados");
  await page.getByText("Dados da empresa salvos").waitFor();
  check(await page.inputValue("#cfop_interno") === "5101", name("a company is completed on its page"));
  await goto("/painel/chaves");
  await page.fill("#nome", "Servidor");
  await press("Criar chave de teste");
  const key = (await page.textContent("#chave-nova")).trim();
  check(key.startsWith("svc_test_"), name("a key is shown once"));
  await look("chaves");
  const answer = await fetch(`${base}/api/v1/conta`, { headers: { authorization: `Bearer ${key}` } });
  check(answer.status === 200, name("the key works"));

  // A note: issued, seen, downloaded.
  await goto("/painel/emitir");
  await look("emitir");
  check(await inLine("valor", "desconto"), name("a label of two lines does not move its input"));
  await press("Emitir nota de teste");
  await page.waitForURL(/documentos\/nfe_/);
  check(await page.getByText("autorizada", { exact: true }).first().isVisible(), name("a note is issued"));
  await look("documento");
  const issued = page.url();
  await page.goBack();
  await press("Emitir nota de teste");
  await page.waitForURL(/documentos\/nfe_/);
  check(page.url() === issued && await page.getByText("já tinha sido enviado").isVisible(), name("Back and send again issues nothing"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Baixar PDF" }).click()]);
  const pdf = fs.readFileSync(await download.path());
  check(pdf.subarray(0, 5).toString() === "%PDF-", name("the DANFE is downloaded"));
  await goto("/painel/documentos");
  await look("documentos");

  // Three items, one with a discount, and two payments; then a service.
  await goto("/painel/emitir");
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
  await press("Conferir total e impostos");
  await page.getByText("Nada foi emitido ainda").waitFor();
  await look("conferir");
  check(await page.getByText("Dinheiro, R$ 11,30").isVisible() && await page.getByText("ICMS", { exact: true }).first().isVisible(), name("total, taxes and payments are shown before"));
  await press("Emitir nota de R$ 61,30");
  await page.waitForURL(/documentos\/nfe_/);
  check(await page.getByText("Moedor").first().isVisible(), name("a note of three items and two payments is issued"));
  await goto("/painel/emitir");
  await page.selectOption("#tipo", "nfse");
  check(await page.locator("#servico").isVisible() && !await page.locator("#ncm").isVisible(), name("a service has other fields"));
  const legends = await page.locator("legend").allInnerTexts();
  check(legends.includes("Tomador") && !legends.some((legend) => legend.includes("Destinatário")), name("a service has words of its own"));
  await press("Emitir nota de teste");
  await page.waitForURL(/documentos\/nfse_/);
  check(true, name("a service note is issued"));

  // A product is registered, and fills an item of the form.
  await goto("/painel/produtos");
  await look("produtos-vazio");
  for (const [field, value] of Object.entries({ descricao: "Café torrado São João", codigo: "CAFE-1", ncm: "0901", valor: "18,90", unidade: "PCT" })) {
    await page.fill(`#${field}`, value);
  }
  await press("Cadastrar");
  await page.locator("#ncm-falha").waitFor();
  await look("produtos-errado");
  await page.fill("#ncm", "0901.21.00");
  await press("Cadastrar");
  await page.waitForURL(/criado/);
  await look("produto");
  await goto("/painel/produtos?q=sao%20joao");
  check(await page.getByRole("link", { name: "Café torrado São João" }).isVisible(), name("a product is found"));
  const row = await page.locator("form.procura").boundingBox();
  const field = await page.locator("#procura-q").boundingBox();
  check(width > 640 || field.width > row.width - 2, name("the field of a search has the whole row of a narrow screen"));
  await look("produtos");
  await goto("/painel/emitir");
  await page.getByText("Procurar um produto", { exact: true }).click();
  await page.fill("#produto_busca", "CAFE-1");
  await press("No cadastro e nas últimas notas");
  await page.getByRole("button", { name: "Acrescentar Café torrado São João", exact: true }).click();
  await page.waitForSelector("#descricao-2");
  check(await page.inputValue("#ncm-2") === "09012100" && await page.inputValue("#valor-2") === "18,90", name("a registered product fills an item"));
  await press("Guardar produto do item 1");
  await page.getByText("Produto guardado no cadastro").waitFor();
  await look("emitir-produto");
  await press("Procurar o NCM do item 2");
  await page.fill("#ncm_busca", "café torrado");
  await press("Procurar NCM");
  await page.getByRole("button", { name: "Usar o NCM 0901.22.00", exact: true }).click();
  await page.waitForSelector("#ncm-2[value='09012200']");
  check(await page.evaluate(() => document.activeElement.id === "quantidade-2"), name("the NCM of an item is found by words"));

  // In Produção the form is empty; a company without a certificate is told so before the person is asked.
  await goto("/painel/emitir?ambiente=producao");
  check(await page.inputValue("#quantidade") === "", name("the form of Produção is empty"));
  await look("emitir-producao");
  for (const [field, value] of Object.entries({
    documento: "12.345.678/0001-95", nome: "Cliente Exemplo Ltda", cep: "30140-071", logradouro: "Rua da Bahia", numero: "1000",
    bairro: "Centro", municipio: "Belo Horizonte", descricao: "Café torrado 1 kg", ncm: "09012100", quantidade: "2", valor: "18,90",
  })) await page.fill(`#${field}`, value);
  await page.selectOption("#uf", "MG");
  // A second item and a second payment, without another page.
  await page.evaluate(() => { globalThis.same = true; });
  await press("Acrescentar item");
  await page.waitForSelector("#descricao-2");
  check(await page.evaluate(() => globalThis.same && document.activeElement.id === "descricao-2"), name("an item is added without another page"));
  check(await page.inputValue("#valor") === "18,90", name("what was filled in stays"));
  await page.fill("#descricao-2", "Filtro de papel");
  await page.fill("#ncm-2", "123");
  await page.fill("#quantidade-2", "1");
  await page.fill("#valor-2", "10,00");
  await page.fill("#desconto-2", "1,50");
  check((await page.textContent("#soma")).replace(/\s/g, " ") === "R$ 46,30", name("the sum follows what is written"));
  for (const [written, sum] of [["1.500", "–"], ["dez", "–"], ["-1", "–"], ["1.500,00", "R$ 1.536,30"], ["1.500.000", "R$ 1.500.036,30"], ["0.500", "R$ 36,80"], ["R$ 10,00", "R$ 46,30"]]) {
    await page.fill("#valor-2", written);
    check((await page.textContent("#soma")).replace(/\s/g, " ") === sum, name(`the sum with ${written} is ${sum}`));
  }
  await page.fill("#valor-2", "10,00");
  await press("Acrescentar pagamento");
  await page.waitForSelector("#pago-2");
  await page.fill("#pago", "20,00");
  await press("Conferir antes de emitir");
  await page.getByRole("alert").waitFor();
  check(await page.locator("#ncm-2-erro").isVisible(), name("what is wrong stands beside its field"));
  await look("emitir-errado");
  check(await inLine("ncm-2", width < 640 ? "quantidade-2" : "descricao-2"), name("an error does not move the input beside it"));
  await page.fill("#ncm-2", "4823.20.99");
  await press("Conferir antes de emitir");
  await page.getByRole("link", { name: "Enviar o certificado" }).waitFor();
  check(await page.locator("#ncm-2-erro").count() === 0, name("without a certificate the form says what is missing and where"));
  check(await page.inputValue("#nome") === "Cliente Exemplo Ltda", name("what was filled in is there again"));
  await goto("/painel?ambiente=teste");

  // Many notes of a file, of which one is wrong.
  await goto("/painel/lotes");
  await look("lotes");
  const titles = "CNPJ;Nome;CEP;Logradouro;Número;Bairro;Município;UF;Descrição;NCM;Quantidade;Valor unitário;Forma de pagamento";
  const line = (ncm) => `12.345.678/0001-95;Cliente Exemplo Ltda;30140-071;Rua da Bahia;1000;Centro;Belo Horizonte;MG;Café torrado;${ncm};2;18,90;PIX`;
  const file = [titles, line("09012100"), line("1"), line("09012100")].join("\n");
  await page.setInputFiles("#arquivo", { name: "vendas.csv", mimeType: "text/csv", buffer: Buffer.from(file) });
  await press("Conferir o arquivo");
  await page.getByText("nada foi emitido ainda").waitFor();
  await look("lote-conferido");
  await press("Emitir 2 notas de R$ 75,60");
  await page.getByText("2 emitidas").waitFor();
  await look("lote");

  // Credits.
  await goto("/painel/creditos");
  await look("creditos");
  await page.fill("#valor", "120,00");
  await press("Comprar");
  await page.waitForURL(/compras\/cmp_/);
  await look("compra");
  await press("Simular o pagamento");
  await page.getByText("12.000 créditos entraram").waitFor();
  check(true, name("credits are bought"));

  // A webhook: registered, tested, seen, sent again.
  await goto("/painel/webhooks");
  await page.fill("#url", `http://127.0.0.1:${receiver.address().port}/avisos`);
  await press("Registrar webhook");
  check((await page.textContent("#segredo")).trim().startsWith("whsec_"), name("a webhook is registered"));
  const before = received.length;
  await press("Enviar teste");
  await page.waitForURL(/entregas\/ent_/);
  await page.getByText("HTTP 200").first().waitFor();
  check(received.length === before + 1, name("the test event arrives"));
  await look("entrega");
  await press("Reenviar");
  await page.getByText("Tentativa 2").waitFor();
  check(received.length === before + 2 && received.at(-1).headers["x-webhook-attempt"] === "2", name("a delivery is sent again"));
  await goto("/painel/webhooks");
  await look("webhooks");

  // The tools: a rate of the Simples, and a file that is checked.
  await goto("/painel/ferramentas");
  await look("ferramentas");
  await page.getByRole("link", { name: "Alíquota do Simples" }).click();
  await page.selectOption("#anexo", "III");
  await page.fill("#rbt12", "360.000,00");
  await page.getByRole("button", { name: "Consultar" }).click();
  await page.locator(".dados").first().waitFor();
  check(await page.getByText("8,6%", { exact: true }).first().isVisible(), name("a rate is shown with its sign"));
  await look("ferramenta");
  for (const [tool, fields] of [
    ["ncm", { q: "café torrado" }],
    ["cnpj", { cnpj: "11.222.333/0001-81" }],
    ["impostos", { ncm: "09012100", valor_unitario: "18,90" }],
  ]) {
    await goto(`/painel/ferramentas/${tool}`);
    for (const [field, value] of Object.entries(fields)) await page.fill(`#${field}`, value);
    await page.getByRole("button", { name: "Consultar" }).click();
    await page.locator(".dados").first().waitFor();
    await look(`ferramenta-${tool}`);
    const narrow = await page.evaluate(() => [...document.querySelectorAll(".dados :is(dd, td)")]
      .filter((one) => one.clientWidth < 40 && one.textContent.length > 5).map((one) => one.textContent).join("; "));
    check(narrow === "", name(`${tool}: no text stands in a column of letters ${narrow}`));
  }
  await goto("/painel/ferramentas/xml");
  await page.setInputFiles("#xml", { name: "nota.xml", mimeType: "text/xml", buffer: Buffer.from("<a/>") });
  await page.getByRole("button", { name: "Consultar" }).click();
  await page.getByRole("alert").waitFor();
  await look("xml");

  // A municipality on the map.
  await goto("/painel/cobertura");
  await look("cobertura");
  const systems = await page.locator("#sistemas .rolagem").evaluate((one) => one.scrollWidth - one.clientWidth);
  check(systems <= 0, name(`the table of systems fits ${systems}`));
  await goto("/painel/relatorio");
  const places = await page.evaluate(() => ["#mes", ".filtros:has(#mes) > .botao"].map((one) => document.querySelector(one).getBoundingClientRect().top));
  check(Math.abs(places[0] - places[1]) < 2, name(`the button is in line with the month ${places.join(" ")}`));
  await goto("/painel/cobertura");
  await page.getByRole("link", { name: /^MG \d/ }).click();
  await page.fill("#q", "belo horizonte");
  await press("Procurar");
  await page.getByRole("link", { name: "Belo Horizonte/MG" }).click();
  await page.getByText("Evidência").waitFor();
  check(true, name("a municipality is found with its evidence"));
  await look("municipio");

  for (const where of ["uso", "adaptadores", "equipe", "auditoria", "configuracoes"]) {
    const shown = await goto(`/painel/${where}`);
    check(shown.status() === 200, name(where));
    await look(where);
  }
  await goto("/painel");
  await look("painel");
  await goto("/docs/erros");
  await look("erros");
  for (const where of ["guias", "guias/primeira-nfe", "guias/erros-de-quem-comeca"]) {
    await goto(`/docs/${where}`);
    await look(where.replace("/", "-"));
  }
  check(errors.length === 0, name(`no errors of the browser ${errors.join("; ")}`));
  await context.close();
}

const visits = [[1280, 900, "light"], [390, 844, "dark"]];
if (pictures) {
  fs.mkdirSync(pictures, { recursive: true });
  visits.push([1280, 900, "dark"], [390, 844, "light"]);
}
for (const one of visits) await part(`the visit (${one.join(", ")})`, () => visit(...one));

// What a shop does from its registration to the end of a month, with live notes of the
// simulated authorities: in all sizes at once, and again by forms and links alone.
if (process.env.SIMULATOR_URL) {
  const world = { browser, base, check, axe, visits, pictures };
  await part("the story", () => story({ ...world, script: true, branch: "0003", lines: 50, wrong: 5 }));
  // With pictures there are more visits, and one address registers five people at once.
  if (!pictures) await part("the story without a script", () => story({ ...world, script: false, branch: "0004", lines: 10, wrong: 3 }));
}

// The pages of operators, where the hub has a listener for them.
if (process.env.OPERATOR_URL) {
  await part("operators", () => operator({ browser, demo, check, axe, visits, pictures }));
}

// The same without a script: the panel needs none.
await part("without a script", async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const page = await plain.newPage();
  await page.goto(`${base}/painel/entrar`);
  await page.fill("#email", demo.painel_usuario);
  await page.fill("#senha", "nenhuma senha desta pessoa");
  await page.click("button.botao");
  await page.locator("[role=alert]:focus").waitFor();
  check(true, "a refused login has the focus on what is wrong, without a script");
  await page.fill("#senha", demo.painel_senha);
  await page.click("button.botao");
  await page.waitForURL(/painel$/);
  // Going back before the page of the note is loaded would ask a page that is gone.
  const issue = async () => {
    await page.getByRole("button", { name: "Emitir nota de teste" }).click();
    await page.waitForURL(/documentos\/nfe_/);
    return page.url();
  };
  await page.goto(`${base}/painel/emitir`);
  check(/documentos\/nfe_/.test(await issue()), "a note is issued without a script");
  await page.getByRole("link", { name: "Emitir", exact: true }).first().click();
  await page.waitForURL(/emitir/);
  const issued = await issue();
  await page.goBack();
  const result = page.getByRole("link", { name: "Ver o resultado do envio" });
  check(issued.endsWith(await result.getAttribute("href")), "Back leads to what was issued, without a script");
});

// The reference: its badges are legible, and nothing asks for a key.
await part("the reference", async () => {
  const page = await browser.newPage({ colorScheme: "light" });
  await page.goto(`${base}/docs`);
  const badges = page.locator("#swagger .info .title small pre");
  await badges.first().waitFor();
  const boxes = await badges.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  check(boxes.length === 2 && boxes.every((one) => one === "rgba(0, 0, 0, 0)"), `badges of the reference have no box of their own ${boxes}`);
  check(await page.getByRole("button", { name: /authori[sz]/i }).count() === 0, "no button of the reference asks for a key");
  check(await page.locator("#swagger .webhooks .opblock").count() > 10, "the reference shows the events");
  await page.close();
});

await browser.close();
receiver.close();
for (const one of failures) console.log(`FAILED in the browser: ${one}`);
// As the test runner of the rest says it, so that both are counted alike.
console.log(`test result: ${failures.length ? "FAILED" : "ok"}. ${passed} passed; ${failures.length} failed; in the browser`);
process.exit(failures.length ? 1 : 0);
