-- Condition of recipients_of_slice and recipients_to_retry in a rehearsal, whose preflight changes
-- no device: those that it would have pruned count as pruned.
-- {outcome} the run's table. Index: its primary key, for each recipient.
 AND NOT EXISTS (SELECT FROM {outcome} AS p
    WHERE p.phase = 1 AND p.ordinal = r.ordinal AND p.outcome = 2
        AND (p.status = 410 OR p.reason IN ('BadDeviceToken', 'DeviceTokenNotForTopic')))
