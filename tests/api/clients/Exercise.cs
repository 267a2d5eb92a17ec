// Uses the generated client as a customer would; says what it saw as JSON.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using HubCliente;

/// <summary>The answer of the first attempt is lost on its way.</summary>
public sealed class Lossy : DelegatingHandler
{
    public readonly List<string> keys = new List<string>();

    public Lossy() : base(new HttpClientHandler { AllowAutoRedirect = false }) { }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken signal)
    {
        IEnumerable<string> read;
        keys.Add(request.Headers.TryGetValues("Idempotency-Key", out read) ? string.Join("", read) : null);
        var answer = await base.SendAsync(request, signal);
        if (keys.Count == 1) throw new HttpRequestException("lost");
        return answer;
    }
}

public static class Exercise
{
    public static int Main(string[] arguments)
    {
        Saw(arguments[1]).GetAwaiter().GetResult();
        return 0;
    }

    /// <summary>The note of the file, without its items if so wanted: each call has its own.</summary>
    private static nfe_create_pedido Note(Dictionary<string, object> world, bool items)
    {
        var note = (nfe_create_pedido)Json.Como(world["nfe"], typeof(nfe_create_pedido));
        if (!items) note.itens.Clear();
        return note;
    }

    private static async Task Saw(string file)
    {
        var world = (Dictionary<string, object>)Json.Lido(File.ReadAllText(file));
        string base_url = (string)world["base_url"], key = (string)world["chave"];
        Func<double, Task> at_once = seconds => Task.FromResult(0);
        var hub = new Hub(base_url: base_url, chave: key, dormir: at_once);
        var nota = await hub.nfe_create(Note(world, true));

        var lossy = new Lossy();
        var repetida = await new Hub(base_url: base_url, chave: key, transporte: lossy, dormir: at_once).nfe_create(Note(world, true));

        var listadas = hub.nfe_list_todos(limite: 1).Select(item => item.nota_id).ToList();
        var xml = await hub.documentos_xml(nota.nota_id, formato: "binario");
        object recusa = null;
        try
        {
            await hub.nfe_create(Note(world, false));
        }
        catch (ErroDoHub erro)
        {
            recusa = new { erro.status, erro.codigo, erro.dica, campos = erro.campos.Count };
        }
        var cancelada = await hub.nfe_cancelar(new nfe_cancelar_pedido { @ref = nota.nota_id, justificativa = "Pedido desfeito pelo cliente" });

        var entrega = (Dictionary<string, object>)world["entrega"];
        var segredo = (string)entrega["segredo"];
        var agora_s = Convert.ToInt64(entrega["agora_s"], CultureInfo.InvariantCulture);
        var corpo = Convert.FromBase64String((string)entrega["corpo"]);
        var hook = ((Dictionary<string, object>)entrega["cabecalhos"]).ToDictionary(par => par.Key, par => (string)par.Value);
        var padrao = hook.Where(par => par.Key.StartsWith("webhook-", StringComparison.Ordinal)).ToDictionary(par => par.Key, par => par.Value);
        var nenhum = new Dictionary<string, string>();
        var outro = "whsec_" + new string('A', 43) + "=";
        var mudado = corpo.Concat(new byte[] { 32 }).ToArray();
        var forjadas = new List<string>
        {
            Forged(segredo, hook, mudado, agora_s),
            Forged(outro, hook, corpo, agora_s),
            Forged(segredo, hook, corpo, agora_s + 301),
            Forged(segredo, padrao, corpo, agora_s + 301),
            Forged(segredo, nenhum, corpo, agora_s),
        };

        Console.WriteLine(Json.Escrito(new Dictionary<string, object>
        {
            { "status", nota.status }, { "valor", nota.valor_total.Value.ToString("F2", CultureInfo.InvariantCulture) },
            { "chaves", lossy.keys }, { "repetida", repetida.nota_id }, { "nota_id", nota.nota_id }, { "listadas", listadas },
            { "xml", Encoding.UTF8.GetString(xml.bytes, 0, 5) }, { "recusa", recusa }, { "depois", cancelada.status },
            { "evento", Hub.conferir_webhook(segredo, hook, corpo).id },
            { "evento_padrao", Hub.conferir_webhook(segredo, padrao, corpo).id },
            { "forjadas", forjadas }, { "publica", (await hub.saude()).status },
        }));
    }

    private static string Forged(string segredo, Dictionary<string, string> cabecalhos, byte[] corpo, long agora_s)
    {
        try
        {
            Hub.conferir_webhook(segredo, cabecalhos, corpo, agora_s);
            return "aceita";
        }
        catch (ErroDoHub erro)
        {
            return erro.codigo;
        }
    }
}
