-- What became of the recipients that went first.
-- {outcome} the run's table; $1 ordinals integer[]. One row: with an outcome; answered or given up
-- on the wire; of those, rejected for another reason than that the token is gone.
-- Index: the primary key of the run's outcomes.
SELECT count(*), count(*) FILTER (WHERE outcome IN (1, 2, 3)),
    count(*) FILTER (WHERE outcome = 2 AND status <> 410)
FROM {outcome}
WHERE phase = 2 AND ordinal = ANY ($1::integer[])
