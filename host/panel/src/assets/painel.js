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
