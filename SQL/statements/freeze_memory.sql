-- For the present transaction: an audience of a million is sorted in memory, and statistics are
-- taken of a few thousand rows, which is plenty for numbers that rise evenly.
-- No parameters. One row, of no interest.
SELECT set_config('work_mem', '64MB', true), set_config('default_statistics_target', '10', true)
