-- Tries an audience's condition on every device it may meet; run read-only.
-- {where} the condition; $1 app text, $2 environment text. One row: how many it takes.
-- Reads every active device of the app once.
SELECT count(*)
FROM sortie.device AS d
WHERE d.app = $1::text AND d.environment = $2::text AND d.status = 'active' AND {where}
