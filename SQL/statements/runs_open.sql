-- The runs that a worker can help with, the oldest first: those that are being sent, and those that
-- were begun and have nobody.
-- No parameters. Rows: id.
SELECT r.id
FROM sortie.run AS r
WHERE r.finished_at IS NULL AND r.wish IS NULL AND NOT r.rehearsal
    AND (r.state IN ('preflight', 'sending', 'retrying')
        OR (r.state IN ('planned', 'freezing', 'canary') AND sortie.live_workers(r.id) = 0))
ORDER BY r.id
