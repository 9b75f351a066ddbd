-- The size of a frozen audience.
-- $1 run bigint. One row: recipients, probe recipients.
SELECT recipients, probe_recipients FROM sortie.run WHERE id = $1::bigint
