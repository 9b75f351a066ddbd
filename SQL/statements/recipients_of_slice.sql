-- Streams the recipients of a part of a slice in the order of their ordinals, which is that of
-- their devices. {columns} more columns of device d, {recipient} the run's table, {from} and
-- {through} ordinals, {first} and {last} their devices, {only}, {unrecorded} and {rehearsed} more
-- conditions.
-- Rows, binary: ordinal int4, translation int2 (-1: the device is not active), token text, then
-- {columns}. Each column costs PostgreSQL time in every row, so there are few.
--
-- The range of devices lets both tables be read in the order of their primary keys and merged. A
-- hash join would read the whole range twice over, or, without good statistics, every device.
SET LOCAL enable_hashjoin = off;
SET LOCAL max_parallel_workers_per_gather = 0;
COPY (
    SELECT r.ordinal,
        CASE WHEN d.status = 'active'{rehearsed} THEN r.translation ELSE -1::smallint END,
        d.token{columns}
    FROM {recipient} AS r
    JOIN sortie.device AS d ON d.id = r.device_id
    WHERE r.ordinal BETWEEN {from} AND {through} AND d.id BETWEEN {first} AND {last}
        {only} {unrecorded}
    ORDER BY r.device_id
) TO STDOUT (FORMAT binary)
