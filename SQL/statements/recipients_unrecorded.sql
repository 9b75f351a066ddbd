-- Condition of recipients_of_slice for a slice that was worked on before: recipients without
-- outcome and not parked. {outcome} the run's table, {run} and {phase} numbers.
AND NOT EXISTS (SELECT FROM {outcome} AS o WHERE o.phase = {phase} AND o.ordinal = r.ordinal)
AND NOT EXISTS (SELECT FROM sortie.retry AS t
    WHERE t.run_id = {run} AND t.phase = {phase} AND t.ordinal = r.ordinal)
