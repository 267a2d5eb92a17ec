    /// <summary>Uma recusa do hub: decida por <c>codigo</c>; <c>dica</c> e <c>campos</c> dizem o que corrigir.</summary>
    public sealed class ErroDoHub : Exception
    {
        public int status { get; private set; }
        public string codigo { get; private set; }
        public string mensagem { get; private set; }
        public string dica { get; private set; }
        public List<Campo> campos { get; private set; }
        public Rejeicao rejeicao { get; private set; }
        public string nota_id { get; private set; }
        public string request_id { get; private set; }
        public string documentacao { get; private set; }
        public int? tentar_em_s { get; private set; }
        /// <summary>Tudo o que veio.</summary>
        public IDictionary<string, object> corpo { get; private set; }

        public ErroDoHub(int status, IDictionary<string, object> corpo, int? tentar_em_s = null)
            : base((Texto(corpo, "codigo", status.ToString(CultureInfo.InvariantCulture)) + ": " + Texto(corpo, "mensagem", "resposta inesperada") + " " + Texto(corpo, "dica", "")).Trim())
        {
            this.status = status;
            this.corpo = corpo;
            this.tentar_em_s = tentar_em_s;
            codigo = Texto(corpo, "codigo", "");
            mensagem = Texto(corpo, "mensagem", "resposta inesperada");
            dica = Texto(corpo, "dica", "");
            nota_id = Texto(corpo, "nota_id", null);
            request_id = Texto(corpo, "request_id", "");
            documentacao = Texto(corpo, "documentacao", "");
            object lido;
            campos = corpo.TryGetValue("campos", out lido) ? (List<Campo>)Json.Como(lido, typeof(List<Campo>)) : new List<Campo>();
            rejeicao = corpo.TryGetValue("rejeicao", out lido) ? (Rejeicao)Json.Como(lido, typeof(Rejeicao)) : null;
        }

        private static string Texto(IDictionary<string, object> corpo, string nome, string senao)
        {
            object lido;
            return corpo.TryGetValue(nome, out lido) && lido is string ? (string)lido : senao;
        }
    }

    /// <summary>O que uma operação responde que ora é JSON, ora um arquivo: um dos dois.</summary>
    public sealed class Resposta<T>
    {
        public T json { get; internal set; }
        public byte[] bytes { get; internal set; }
    }

    /// <summary>O nome de um membro que não pode ser o de uma propriedade.</summary>
    [AttributeUsage(AttributeTargets.Property)]
    public sealed class NomeAttribute : Attribute
    {
        public string nome { get; private set; }
        public NomeAttribute(string nome) { this.nome = nome; }
    }

    /// <summary>O que todo cliente tem, quaisquer que sejam as operações.</summary>
    public abstract class Base
    {
        private readonly string base_url;
        private readonly string chave;
        private readonly int tentativas;
        private readonly double espera_maxima_s;
        private readonly HttpClient rede;
        private readonly Func<double, Task> dormir;

        /// <summary><c>tentativas</c>: vezes que uma chamada que pode ser repetida é feita; <c>espera_maxima_s</c>: o maior Retry-After que se espera.</summary>
        protected Base(string base_url, string chave, int tentativas, double prazo_s, double espera_maxima_s, HttpMessageHandler transporte, Func<double, Task> dormir)
        {
            this.base_url = base_url.TrimEnd('/');
            this.chave = chave;
            this.tentativas = tentativas;
            this.espera_maxima_s = espera_maxima_s;
            this.dormir = dormir ?? (segundos => Task.Delay(TimeSpan.FromSeconds(segundos)));
            // Nem todo .NET tira a chave da chamada ao servidor de um redirecionamento.
            rede = new HttpClient(transporte ?? new HttpClientHandler { AllowAutoRedirect = false });
            rede.Timeout = TimeSpan.FromSeconds(prazo_s);
        }

        /// <summary>Qualquer operação; as de cada nome estão em Hub. Devolve os bytes e se são JSON.</summary>
        public async Task<Lida> pedir(string metodo, string caminho, object pedido = null, byte[] dados = null, Dictionary<string, object> consulta = null, bool idempotente = false, bool publica = false, string idempotency_key = null, IDictionary<string, string> cabecalhos = null, CancellationToken sinal = default(CancellationToken))
        {
            var partes = new List<string>();
            foreach (var par in consulta ?? new Dictionary<string, object>())
                if (par.Value != null) partes.Add(par.Key + "=" + Uri.EscapeDataString(Json.Simples(par.Value)));
            var url = base_url + caminho + (partes.Count > 0 ? "?" + string.Join("&", partes) : "");
            var texto = pedido == null ? null : Json.Escrito(pedido);
            // A mesma chave em todas as tentativas: o documento é um só.
            if (idempotente && idempotency_key == null && (texto == null || !texto.Contains("\"idempotency_key\":"))) idempotency_key = Guid.NewGuid().ToString();
            var repetivel = idempotente || metodo == "GET" || metodo == "PUT" || metodo == "DELETE";
            for (var vez = 1; ; vez++)
            {
                var espera_s = Math.Pow(2, vez - 1);
                try
                {
                    return await uma_vez(metodo, url, texto, dados, publica, idempotency_key, cabecalhos, sinal).ConfigureAwait(false);
                }
                catch (ErroDoHub erro)
                {
                    // Com 429 e 503 nada foi feito; o resto só se repete onde repetir não muda nada.
                    var passa = erro.status == 429 || erro.status == 503 || (repetivel && (erro.status == 502 || erro.status == 504 || erro.codigo == "requisicao_em_andamento"));
                    espera_s = erro.tentar_em_s ?? espera_s;
                    if (vez >= tentativas || !passa || espera_s > espera_maxima_s) throw;
                }
                catch (HttpRequestException)
                {
                    if (vez >= tentativas || !repetivel) throw;
                }
                catch (TaskCanceledException)
                {
                    // O prazo acabou; quem chamou, se não foi ele quem cancelou, tenta de novo.
                    if (sinal.IsCancellationRequested || vez >= tentativas || !repetivel) throw;
                }
                await dormir(espera_s).ConfigureAwait(false);
            }
        }

        private async Task<Lida> uma_vez(string metodo, string url, string texto, byte[] dados, bool publica, string idempotency_key, IDictionary<string, string> cabecalhos, CancellationToken sinal)
        {
            var requisicao = new HttpRequestMessage(new HttpMethod(metodo), url);
            requisicao.Headers.TryAddWithoutValidation("Accept", "application/json, */*");
            if (!publica) requisicao.Headers.TryAddWithoutValidation("Authorization", "Bearer " + chave);
            if (idempotency_key != null) requisicao.Headers.TryAddWithoutValidation("Idempotency-Key", idempotency_key);
            if (texto != null) requisicao.Content = new StringContent(texto, new UTF8Encoding(false), "application/json");
            else if (dados != null) requisicao.Content = new ByteArrayContent(dados);
            foreach (var par in cabecalhos ?? new Dictionary<string, string>())
                if (!requisicao.Headers.TryAddWithoutValidation(par.Key, par.Value) && requisicao.Content != null)
                {
                    requisicao.Content.Headers.Remove(par.Key);
                    requisicao.Content.Headers.TryAddWithoutValidation(par.Key, par.Value);
                }
            using (requisicao)
            using (var resposta = await rede.SendAsync(requisicao, sinal).ConfigureAwait(false))
            {
                var bytes = resposta.Content == null ? new byte[0] : await resposta.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                var tipo = resposta.Content == null || resposta.Content.Headers.ContentType == null ? "" : resposta.Content.Headers.ContentType.MediaType;
                var status = (int)resposta.StatusCode;
                if (status < 300) return new Lida(bytes, tipo.Contains("json"));
                IDictionary<string, object> corpo = null;
                try { corpo = Json.Lido(Encoding.UTF8.GetString(bytes)) as IDictionary<string, object>; }
                catch (FormatException) { }
                if (corpo == null)
                {
                    var visto = Encoding.UTF8.GetString(bytes);
                    corpo = new Dictionary<string, object> { { "mensagem", visto.Substring(0, Math.Min(200, visto.Length)) } };
                }
                IEnumerable<string> esperas;
                int segundos;
                int? espera = null;
                if (resposta.Headers.TryGetValues("Retry-After", out esperas) && int.TryParse(string.Join("", esperas), out segundos)) espera = segundos;
                throw new ErroDoHub(status, corpo, espera);
            }
        }

        /// <summary>Uma parte de um endereço; <c>barras</c>: um caminho com as suas.</summary>
        protected static string parte(string texto, bool barras = false)
        {
            var escrito = Uri.EscapeDataString(texto);
            return barras ? escrito.Replace("%2F", "/") : escrito;
        }

        /// <summary>Confere a assinatura de uma entrega e devolve o evento; <c>corpo</c> são os bytes como chegaram. Vale tanto X-Webhook-Signature-256 quanto os cabeçalhos de Standard Webhooks. Despreze um evento cujo id já viu.</summary>
        public static Evento conferir_webhook(string segredo, IDictionary<string, string> cabecalhos, byte[] corpo, long? agora_s = null, long tolerancia_s = 300)
        {
            var lidos = new Dictionary<string, string>(cabecalhos, StringComparer.OrdinalIgnoreCase);
            Func<string, string> lido = nome => lidos.ContainsKey(nome) ? lidos[nome] : "";
            string t, certa;
            var dadas = new List<string>();
            if (lidos.ContainsKey("X-Webhook-Signature-256"))
            {
                t = "";
                foreach (var parte in lido("X-Webhook-Signature-256").Split(','))
                {
                    var inteira = parte.Trim();
                    if (inteira.StartsWith("t=", StringComparison.Ordinal) && t == "") t = inteira.Substring(2);
                    if (inteira.StartsWith("v1=", StringComparison.Ordinal)) dadas.Add(inteira.Substring(3));
                }
                var feita = hmac(Encoding.UTF8.GetBytes(segredo), t + "." + lido("X-Webhook-Id") + ".", corpo);
                certa = BitConverter.ToString(feita).Replace("-", "").ToLowerInvariant();
            }
            else
            {
                t = lido("webhook-timestamp");
                foreach (var parte in lido("webhook-signature").Split(' '))
                    if (parte.StartsWith("v1,", StringComparison.Ordinal)) dadas.Add(parte.Substring(3));
                var chave = Convert.FromBase64String(segredo.StartsWith("whsec_", StringComparison.Ordinal) ? segredo.Substring(6) : segredo);
                certa = Convert.ToBase64String(hmac(chave, lido("webhook-id") + "." + t + ".", corpo));
            }
            long quando;
            var agora = agora_s ?? (long)(DateTime.UtcNow - new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc)).TotalSeconds;
            if (t.Length > 12 || !long.TryParse(t, NumberStyles.None, CultureInfo.InvariantCulture, out quando) || Math.Abs(agora - quando) > tolerancia_s)
                throw recusa("A entrega é velha demais, ou não diz quando foi assinada.");
            var confere = false;
            foreach (var dada in dadas) confere |= iguais(dada, certa);
            if (!confere) throw recusa("A assinatura não confere.");
            return (Evento)Json.Como(Json.Lido(Encoding.UTF8.GetString(corpo)), typeof(Evento));
        }

        private static ErroDoHub recusa(string mensagem)
        {
            return new ErroDoHub(0, new Dictionary<string, object> { { "codigo", "assinatura_invalida" }, { "mensagem", mensagem } });
        }

        private static byte[] hmac(byte[] chave, string inicio, byte[] corpo)
        {
            var antes = Encoding.UTF8.GetBytes(inicio);
            var tudo = new byte[antes.Length + corpo.Length];
            antes.CopyTo(tudo, 0);
            corpo.CopyTo(tudo, antes.Length);
            using (var conta = new HMACSHA256(chave)) return conta.ComputeHash(tudo);
        }

        /// <summary>Compara sem dizer pelo tempo onde está a diferença.</summary>
        private static bool iguais(string a, string b)
        {
            if (a.Length != b.Length) return false;
            var diferenca = 0;
            for (var i = 0; i < a.Length; i++) diferenca |= a[i] ^ b[i];
            return diferenca == 0;
        }
    }

    /// <summary>Uma resposta, como veio.</summary>
    public sealed class Lida
    {
        public byte[] bytes { get; private set; }
        public bool json { get; private set; }
        public Lida(byte[] bytes, bool json) { this.bytes = bytes; this.json = json; }

        public T como<T>() { return bytes.Length == 0 ? default(T) : (T)Json.Como(Json.Lido(Encoding.UTF8.GetString(bytes)), typeof(T)); }

        public Resposta<T> ou_arquivo<T>()
        {
            return json ? new Resposta<T> { json = como<T>() } : new Resposta<T> { bytes = bytes };
        }
    }

    /// <summary>JSON, sem dependências: números são decimais e não perdem dígitos; membros nulos não são escritos.</summary>
    public static class Json
    {
        private static string nome_de(PropertyInfo membro)
        {
            var dito = (NomeAttribute)Attribute.GetCustomAttribute(membro, typeof(NomeAttribute));
            return dito == null ? membro.Name : dito.nome;
        }

        /// <summary>Um valor como texto de uma consulta.</summary>
        public static string Simples(object valor)
        {
            if (valor is bool) return (bool)valor ? "true" : "false";
            return Convert.ToString(valor, CultureInfo.InvariantCulture);
        }

        public static string Escrito(object valor)
        {
            var texto = new StringBuilder();
            escrever(texto, valor);
            return texto.ToString();
        }

        private static void escrever(StringBuilder texto, object valor)
        {
            if (valor == null) texto.Append("null");
            else if (valor is string) cotado(texto, (string)valor);
            else if (valor is bool) texto.Append((bool)valor ? "true" : "false");
            else if (valor is int || valor is long || valor is decimal || valor is uint || valor is ulong || valor is short || valor is byte) texto.Append(Convert.ToString(valor, CultureInfo.InvariantCulture));
            else if (valor is double) texto.Append(((double)valor).ToString("R", CultureInfo.InvariantCulture));
            else if (valor is float) texto.Append(((float)valor).ToString("R", CultureInfo.InvariantCulture));
            else if (valor is IDictionary)
            {
                var antes = "{";
                foreach (DictionaryEntry par in (IDictionary)valor)
                {
                    texto.Append(antes);
                    antes = ",";
                    cotado(texto, (string)par.Key);
                    texto.Append(':');
                    escrever(texto, par.Value);
                }
                texto.Append(antes == "{" ? "{}" : "}");
            }
            else if (valor is IEnumerable)
            {
                var antes = "[";
                foreach (var um in (IEnumerable)valor)
                {
                    texto.Append(antes);
                    antes = ",";
                    escrever(texto, um);
                }
                texto.Append(antes == "[" ? "[]" : "]");
            }
            else
            {
                var antes = "{";
                foreach (var membro in valor.GetType().GetProperties())
                {
                    var lido = membro.GetValue(valor, null);
                    if (lido == null) continue;
                    texto.Append(antes);
                    antes = ",";
                    cotado(texto, nome_de(membro));
                    texto.Append(':');
                    escrever(texto, lido);
                }
                texto.Append(antes == "{" ? "{}" : "}");
            }
        }

        private static void cotado(StringBuilder texto, string dito)
        {
            texto.Append('"');
            foreach (var letra in dito)
            {
                if (letra == '"' || letra == '\\') texto.Append('\\').Append(letra);
                else if (letra < ' ') texto.Append("\\u").Append(((int)letra).ToString("x4", CultureInfo.InvariantCulture));
                else texto.Append(letra);
            }
            texto.Append('"');
        }

        /// <summary>Dicionários, listas, textos, decimais e booleanos.</summary>
        public static object Lido(string texto)
        {
            var onde = 0;
            var valor = valor_em(texto, ref onde);
            espacos(texto, ref onde);
            if (onde != texto.Length) throw new FormatException("JSON com sobras.");
            return valor;
        }

        private static void espacos(string texto, ref int onde)
        {
            while (onde < texto.Length && " \t\r\n".IndexOf(texto[onde]) >= 0) onde++;
        }

        private static void exato(string texto, ref int onde, string dito)
        {
            if (string.CompareOrdinal(texto, onde, dito, 0, dito.Length) != 0) throw new FormatException("JSON inválido.");
            onde += dito.Length;
        }

        private static object valor_em(string texto, ref int onde)
        {
            espacos(texto, ref onde);
            if (onde >= texto.Length) throw new FormatException("JSON incompleto.");
            switch (texto[onde])
            {
                case '{': return objeto_em(texto, ref onde);
                case '[': return lista_em(texto, ref onde);
                case '"': return texto_em(texto, ref onde);
                case 't': exato(texto, ref onde, "true"); return true;
                case 'f': exato(texto, ref onde, "false"); return false;
                case 'n': exato(texto, ref onde, "null"); return null;
            }
            var inicio = onde;
            while (onde < texto.Length && "+-0123456789.eE".IndexOf(texto[onde]) >= 0) onde++;
            var numero = texto.Substring(inicio, onde - inicio);
            decimal lido;
            if (decimal.TryParse(numero, NumberStyles.Float, CultureInfo.InvariantCulture, out lido)) return lido;
            return double.Parse(numero, NumberStyles.Float, CultureInfo.InvariantCulture);
        }

        private static object objeto_em(string texto, ref int onde)
        {
            var objeto = new Dictionary<string, object>();
            onde++;
            espacos(texto, ref onde);
            if (onde < texto.Length && texto[onde] == '}') { onde++; return objeto; }
            while (true)
            {
                espacos(texto, ref onde);
                var nome = texto_em(texto, ref onde);
                espacos(texto, ref onde);
                exato(texto, ref onde, ":");
                objeto[nome] = valor_em(texto, ref onde);
                espacos(texto, ref onde);
                if (onde < texto.Length && texto[onde] == ',') { onde++; continue; }
                exato(texto, ref onde, "}");
                return objeto;
            }
        }

        private static object lista_em(string texto, ref int onde)
        {
            var lista = new List<object>();
            onde++;
            espacos(texto, ref onde);
            if (onde < texto.Length && texto[onde] == ']') { onde++; return lista; }
            while (true)
            {
                lista.Add(valor_em(texto, ref onde));
                espacos(texto, ref onde);
                if (onde < texto.Length && texto[onde] == ',') { onde++; continue; }
                exato(texto, ref onde, "]");
                return lista;
            }
        }

        private static string texto_em(string texto, ref int onde)
        {
            exato(texto, ref onde, "\"");
            var lido = new StringBuilder();
            while (onde < texto.Length && texto[onde] != '"')
            {
                var letra = texto[onde++];
                if (letra != '\\') { lido.Append(letra); continue; }
                if (onde >= texto.Length) break;
                letra = texto[onde++];
                if (letra == 'u' && onde + 4 <= texto.Length)
                {
                    lido.Append((char)int.Parse(texto.Substring(onde, 4), NumberStyles.HexNumber, CultureInfo.InvariantCulture));
                    onde += 4;
                }
                else
                {
                    var qual = "bfnrt".IndexOf(letra);
                    lido.Append(qual < 0 ? letra : "\b\f\n\r\t"[qual]);
                }
            }
            exato(texto, ref onde, "\"");
            return lido.ToString();
        }

        /// <summary>O que se leu, como um tipo; membros que o tipo não conhece são desprezados.</summary>
        public static object Como(object lido, Type tipo)
        {
            if (lido == null || tipo == typeof(object)) return lido;
            var contido = Nullable.GetUnderlyingType(tipo);
            if (contido != null) tipo = contido;
            if (tipo.IsInstanceOfType(lido)) return lido;
            if (tipo == typeof(string)) return Simples(lido);
            if (tipo.IsPrimitive || tipo == typeof(decimal)) return Convert.ChangeType(lido, tipo, CultureInfo.InvariantCulture);
            if (tipo.IsGenericType && tipo.GetGenericTypeDefinition() == typeof(List<>))
            {
                var lista = (IList)Activator.CreateInstance(tipo);
                foreach (var um in (IEnumerable)lido) lista.Add(Como(um, tipo.GetGenericArguments()[0]));
                return lista;
            }
            var membros = lido as IDictionary<string, object>;
            if (membros == null) throw new FormatException("Esperava um objeto de " + tipo.Name + ".");
            if (tipo.IsGenericType && tipo.GetGenericTypeDefinition() == typeof(Dictionary<,>))
            {
                var feito = (IDictionary)Activator.CreateInstance(tipo);
                foreach (var par in membros) feito[par.Key] = Como(par.Value, tipo.GetGenericArguments()[1]);
                return feito;
            }
            var objeto = Activator.CreateInstance(tipo);
            foreach (var membro in tipo.GetProperties())
            {
                object valor;
                if (membros.TryGetValue(nome_de(membro), out valor) && valor != null) membro.SetValue(objeto, Como(valor, membro.PropertyType), null);
            }
            return objeto;
        }
    }
