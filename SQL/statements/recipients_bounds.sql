-- The devices of the first and the last recipient of a range.
-- {recipient} the run's table, {from} and {through} ordinals. One row: first and last device id.
SELECT min(device_id), max(device_id) FROM {recipient} WHERE ordinal IN ({from}, {through})
