-- A note by the id its sender gave it, where the note does not hold the id: the others are in
-- notas_referencia, so a note that is issued is in one of the two.
CREATE INDEX notas_reference_free ON notas (account_id, referencia)
    WHERE referencia <> '' AND status IN ('rejeitada', 'nao_enviada', 'rascunho');
