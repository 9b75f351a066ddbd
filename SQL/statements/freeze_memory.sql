-- Lets the present transaction sort an audience of a million in memory.
-- No parameters. One row, of no interest.
SELECT set_config('work_mem', '64MB', true)
