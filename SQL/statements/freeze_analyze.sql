-- Statistics of a run's recipients, so that the first look-ups are planned well.
-- {recipient} the run's table. No rows.
ANALYZE {recipient}
