// Tudo funciona sem este arquivo; ele só poupa cliques.
"use strict";
document.documentElement.classList.add("com-js");

// Copiar: <button data-copia="#id">
document.addEventListener("click", async (event) => {
  const botao = event.target.closest("[data-copia]");
  if (!botao) return;
  const alvo = document.querySelector(botao.dataset.copia);
  if (!alvo) return;
  try {
    await navigator.clipboard.writeText(alvo.textContent.trim());
    const antes = botao.textContent;
    botao.textContent = "Copiado";
    setTimeout(() => { botao.textContent = antes; }, 1500);
  } catch {
    const faixa = document.createRange();
    faixa.selectNodeContents(alvo);
    getSelection().removeAllRanges();
    getSelection().addRange(faixa);
  }
});

// Confirmar: <form data-confirma="Pergunta?">
document.addEventListener("submit", (event) => {
  const pergunta = event.target.dataset.confirma;
  if (pergunta && !confirm(pergunta)) event.preventDefault();
});

// Voltar mostra o mesmo formulário, ainda que o navegador peça a página de novo:
// a ficha de cada um (o campo vez) fica no histórico, e o servidor sabe se ela já
// foi usada.
const fichas = [...document.querySelectorAll("form input[name=vez]")];
const guardadas = history.state?.fichas;
if (guardadas && performance.getEntriesByType("navigation")[0]?.type === "back_forward") {
  for (const ficha of fichas) {
    ficha.value = guardadas[ficha.form.getAttribute("action")] ?? ficha.value;
  }
} else {
  const destinos = fichas.map((ficha) => [ficha.form.getAttribute("action"), ficha.value]);
  history.replaceState({ fichas: Object.fromEntries(destinos) }, "");
}

// Mostrar de novo o que ainda muda: <div id="x" data-atualiza="2000">
async function atualiza(parte) {
  if (document.hidden) return agenda(parte);
  const resposta = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!resposta.ok) return;
  const pagina = new DOMParser().parseFromString(await resposta.text(), "text/html");
  const nova = pagina.getElementById(parte.id);
  if (!nova) return;
  parte.replaceWith(nova);
  agenda(nova);
}
function agenda(parte) {
  const pausa = Number(parte.dataset.atualiza);
  if (pausa >= 1000) setTimeout(() => atualiza(parte).catch(() => agenda(parte)), pausa);
}
document.querySelectorAll("[data-atualiza]").forEach(agenda);

// Botões que só preenchem o formulário: trocam a parte dele, sem nova página.
// <div id="x" data-parcial> … <button name="acao" data-parte>
document.addEventListener("submit", async (event) => {
  const botao = event.submitter;
  const parte = event.target.closest("[data-parcial]");
  if (!parte || !botao || !("parte" in botao.dataset) || event.defaultPrevented) return;
  event.preventDefault();
  if (parte.getAttribute("aria-busy") === "true") return;
  parte.setAttribute("aria-busy", "true");
  try {
    const dados = new URLSearchParams(new FormData(event.target, botao));
    const resposta = await fetch(event.target.action, { method: "POST", body: dados, headers: { accept: "text/html" } });
    const pagina = new DOMParser().parseFromString(await resposta.text(), "text/html");
    const nova = pagina.getElementById(parte.id);
    if (!nova || resposta.redirected) { location.assign(resposta.url); return; }
    parte.replaceWith(nova);
    (nova.querySelector("[autofocus]") ?? nova.querySelector("[role=alert]"))?.focus();
  } catch {
    parte.removeAttribute("aria-busy");
    delete botao.dataset.parte;
    event.target.requestSubmit(botao);
  }
});

// O primeiro campo com erro, ou aquele em que se continua. O navegador faz o mesmo
// sem este arquivo, salvo onde o endereço leva a uma parte da página.
document.querySelector("[autofocus]")?.focus();

// Um segundo clique no formulário da nota, enquanto a página não responde, não
// envia de novo.
document.addEventListener("submit", (event) => {
  const formulario = event.target;
  if (event.defaultPrevented || !formulario.closest("[data-parcial]")) return;
  if (formulario.dataset.enviado) { event.preventDefault(); return; }
  formulario.dataset.enviado = "1";
});
addEventListener("pageshow", () => {
  document.querySelectorAll("form[data-enviado]").forEach((formulario) => delete formulario.dataset.enviado);
});

// Completar o nome de uma cidade: <input list="x" data-sugere="/endereço">
let espera;
document.addEventListener("input", (event) => {
  const campo = event.target.closest("[data-sugere]");
  if (!campo) return;
  clearTimeout(espera);
  if (campo.value.trim().length < 3) return;
  espera = setTimeout(async () => {
    const resposta = await fetch(`${campo.dataset.sugere}?q=${encodeURIComponent(campo.value)}`);
    if (!resposta.ok || !campo.list) return;
    const nomes = (await resposta.text()).split("\n").filter(Boolean);
    campo.list.replaceChildren(...nomes.map((nome) => new Option(nome, nome)));
  }, 250);
});

// A soma dos itens enquanto se escreve: <form data-soma="#x">. Não há soma onde um
// número não se lê ou pode ser dois, como 1.500: o formulário pergunta ao conferir.
const numero = (campo) => {
  const texto = (campo?.value ?? "").replace(/\s/g, "").replace(/^R\$(?=.)/, "");
  if (/^\d*\.\d*$/.test(texto)) return /^(?!0\.)\d{0,3}\.\d{3}$/.test(texto) ? NaN : Number(texto);
  const lido = /^(\d*|\d{1,3}(\.\d{3})+)(,\d*)?$/.test(texto);
  return lido ? Number(texto.replaceAll(".", "").replace(",", ".")) : NaN;
};
document.addEventListener("input", (event) => {
  const formulario = event.target.closest("form[data-soma]");
  const soma = formulario && document.querySelector(formulario.dataset.soma);
  if (!soma) return;
  let total = 0;
  for (const quantidade of formulario.querySelectorAll("[name^=quantidade]")) {
    const campo = (nome) => formulario.elements.namedItem(quantidade.name.replace("quantidade", nome));
    // Um serviço sem quantidade foi feito uma vez.
    const umaVez = !quantidade.value.trim() && formulario.elements.namedItem("tipo")?.value === "nfse";
    total += (umaVez ? 1 : numero(quantidade)) * numero(campo("valor")) - numero(campo("desconto"));
  }
  soma.textContent = Number.isFinite(total) ? total.toLocaleString("pt-BR", { style: "currency", currency: "BRL" }) : "–";
});

// Marcar todos de uma lista: <input type="checkbox" data-marca="id">
document.addEventListener("change", (event) => {
  const nome = event.target.dataset?.marca;
  if (!nome) return;
  for (const caixa of event.target.form.querySelectorAll(`input[type=checkbox][name="${nome}"]`)) {
    caixa.checked = event.target.checked;
  }
});

// Buscar em tudo: Ctrl-K abre a busca por cima da página, com o que a página de
// busca acha enquanto se escreve.
let sobre;
function buscar() {
  const menu = document.querySelector("form.busca-geral");
  if (!menu) return;
  if (!sobre) {
    sobre = document.createElement("dialog");
    sobre.className = "sobre";
    sobre.setAttribute("aria-label", "Buscar em tudo");
    const formulario = document.createElement("form");
    formulario.className = "procura";
    formulario.action = menu.action;
    const campo = document.createElement("input");
    Object.assign(campo, { type: "search", name: "q", maxLength: 60, autocomplete: "off", placeholder: "Chave, número, nome, valor ou página" });
    campo.setAttribute("aria-label", "Buscar em tudo");
    formulario.append(campo);
    const achados = document.createElement("div");
    achados.setAttribute("aria-live", "polite");
    sobre.append(formulario, achados);
    document.body.append(sobre);
    // As setas andam pelos achados; Enter abre aquele em que se está.
    sobre.addEventListener("keydown", (event) => {
      const passo = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!passo) return;
      event.preventDefault();
      const lugares = [campo, ...achados.querySelectorAll("a")];
      const aqui = Math.max(lugares.indexOf(document.activeElement), 0);
      lugares[(aqui + passo + lugares.length) % lugares.length].focus();
    });
    let pausa;
    let vez = 0;
    campo.addEventListener("input", () => {
      clearTimeout(pausa);
      pausa = setTimeout(async () => {
        vez += 1;
        const minha = vez;
        if (!campo.value.trim()) { achados.replaceChildren(); return; }
        const resposta = await fetch(`${menu.action}?q=${encodeURIComponent(campo.value)}`, { headers: { accept: "text/html" } });
        if (!resposta.ok || minha !== vez) return;
        const pagina = new DOMParser().parseFromString(await resposta.text(), "text/html");
        const novos = pagina.getElementById("achados");
        if (novos) achados.replaceChildren(...novos.childNodes);
      }, 200);
    });
  }
  if (!sobre.open) sobre.showModal();
  sobre.querySelector("input").select();
}
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  buscar();
});
