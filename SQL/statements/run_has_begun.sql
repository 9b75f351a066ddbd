-- Whether anything of a campaign's occurrence was done before: whether its audience is fixed.
-- $1 campaign text, $2 occurrence text. One row. Index: run_occurrence_unique.
SELECT EXISTS (SELECT FROM sortie.run
    WHERE campaign = $1::text AND occurrence = $2::text AND frozen_at IS NOT NULL)
