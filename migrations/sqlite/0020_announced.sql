-- A CT-e that was announced in contingency (EPEC) is a draft with a number and a
-- key until it is issued. Its reference is another document's no more.
CREATE UNIQUE INDEX notas_announced ON notas (emitter_id, ambiente, referencia)
    WHERE referencia <> '' AND status = 'rascunho' AND chave <> '';
