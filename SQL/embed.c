// Embeds the SQL files with C23's #embed; the compiler notices when one changes. A new file needs a
// line in one of the two lists; a test compares the lists with the folders.
#include "SQLFiles.h"

#include <stddef.h>

static const unsigned char V0001_tables[] = {
#embed "migrations/V0001_tables.sql"
};
static const unsigned char V0002_functions[] = {
#embed "migrations/V0002_functions.sql"
};
static const unsigned char V0003_report_views[] = {
#embed "migrations/V0003_report_views.sql"
};
static const unsigned char V0004_provider_token[] = {
#embed "migrations/V0004_provider_token.sql"
};
static const unsigned char V0005_rehearsal[] = {
#embed "migrations/V0005_rehearsal.sql"
};
static const unsigned char V0006_canary[] = {
#embed "migrations/V0006_canary.sql"
};
static const unsigned char V0007_several_workers[] = {
#embed "migrations/V0007_several_workers.sql"
};
static const unsigned char V0008_cheaper_freezing[] = {
#embed "migrations/V0008_cheaper_freezing.sql"
};
static const unsigned char V0009_evictions[] = {
#embed "migrations/V0009_evictions.sql"
};
static const unsigned char V0010_overruled_brakes[] = {
#embed "migrations/V0010_overruled_brakes.sql"
};

static const unsigned char canary_counts[] = {
#embed "statements/canary_counts.sql"
};
static const unsigned char canary_park[] = {
#embed "statements/canary_park.sql"
};
static const unsigned char clock_now[] = {
#embed "statements/clock_now.sql"
};
static const unsigned char device_analyze[] = {
#embed "statements/device_analyze.sql"
};
static const unsigned char device_bulk_lock[] = {
#embed "statements/device_bulk_lock.sql"
};
static const unsigned char device_table_lock[] = {
#embed "statements/device_table_lock.sql"
};
static const unsigned char freeze_analyze[] = {
#embed "statements/freeze_analyze.sql"
};
static const unsigned char freeze_attach[] = {
#embed "statements/freeze_attach.sql"
};
static const unsigned char freeze_begin[] = {
#embed "statements/freeze_begin.sql"
};
static const unsigned char freeze_counts[] = {
#embed "statements/freeze_counts.sql"
};
static const unsigned char freeze_finish[] = {
#embed "statements/freeze_finish.sql"
};
static const unsigned char freeze_lock[] = {
#embed "statements/freeze_lock.sql"
};
static const unsigned char freeze_memory[] = {
#embed "statements/freeze_memory.sql"
};
static const unsigned char freeze_recipients[] = {
#embed "statements/freeze_recipients.sql"
};
static const unsigned char freeze_recipients_plain[] = {
#embed "statements/freeze_recipients_plain.sql"
};
static const unsigned char freeze_slices[] = {
#embed "statements/freeze_slices.sql"
};
static const unsigned char freeze_slices_even[] = {
#embed "statements/freeze_slices_even.sql"
};
static const unsigned char freeze_timeout[] = {
#embed "statements/freeze_timeout.sql"
};
static const unsigned char freeze_try[] = {
#embed "statements/freeze_try.sql"
};
static const unsigned char import_analyze[] = {
#embed "statements/import_analyze.sql"
};
static const unsigned char import_begin[] = {
#embed "statements/import_begin.sql"
};
static const unsigned char import_copy[] = {
#embed "statements/import_copy.sql"
};
static const unsigned char import_latest[] = {
#embed "statements/import_latest.sql"
};
static const unsigned char import_merge[] = {
#embed "statements/import_merge.sql"
};
static const unsigned char import_revive[] = {
#embed "statements/import_revive.sql"
};
static const unsigned char migration_list[] = {
#embed "statements/migration_list.sql"
};
static const unsigned char migration_lock[] = {
#embed "statements/migration_lock.sql"
};
static const unsigned char migration_record[] = {
#embed "statements/migration_record.sql"
};
static const unsigned char migration_table_exists[] = {
#embed "statements/migration_table_exists.sql"
};
static const unsigned char outcome_copy[] = {
#embed "statements/outcome_copy.sql"
};
static const unsigned char phase_counts[] = {
#embed "statements/phase_counts.sql"
};
static const unsigned char phase_rest[] = {
#embed "statements/phase_rest.sql"
};
static const unsigned char provider_token_find[] = {
#embed "statements/provider_token_find.sql"
};
static const unsigned char provider_token_keep[] = {
#embed "statements/provider_token_keep.sql"
};
static const unsigned char provider_token_lock[] = {
#embed "statements/provider_token_lock.sql"
};
static const unsigned char recipients_bounds[] = {
#embed "statements/recipients_bounds.sql"
};
static const unsigned char recipients_of_slice[] = {
#embed "statements/recipients_of_slice.sql"
};
static const unsigned char recipients_rehearsed[] = {
#embed "statements/recipients_rehearsed.sql"
};
static const unsigned char recipients_to_retry[] = {
#embed "statements/recipients_to_retry.sql"
};
static const unsigned char recipients_unrecorded[] = {
#embed "statements/recipients_unrecorded.sql"
};
static const unsigned char record_batch[] = {
#embed "statements/record_batch.sql"
};
static const unsigned char record_late[] = {
#embed "statements/record_late.sql"
};
static const unsigned char report_copy[] = {
#embed "statements/report_copy.sql"
};
static const unsigned char report_events[] = {
#embed "statements/report_events.sql"
};
static const unsigned char report_outcomes_by_reason[] = {
#embed "statements/report_outcomes_by_reason.sql"
};
static const unsigned char report_pruned_devices[] = {
#embed "statements/report_pruned_devices.sql"
};
static const unsigned char report_recipients[] = {
#embed "statements/report_recipients.sql"
};
static const unsigned char report_run_status[] = {
#embed "statements/report_run_status.sql"
};
static const unsigned char report_run_summary[] = {
#embed "statements/report_run_summary.sql"
};
static const unsigned char report_runs[] = {
#embed "statements/report_runs.sql"
};
static const unsigned char report_workers[] = {
#embed "statements/report_workers.sql"
};
static const unsigned char retry_claim[] = {
#embed "statements/retry_claim.sql"
};
static const unsigned char run_ask[] = {
#embed "statements/run_ask.sql"
};
static const unsigned char run_create[] = {
#embed "statements/run_create.sql"
};
static const unsigned char run_event_add[] = {
#embed "statements/run_event_add.sql"
};
static const unsigned char run_find[] = {
#embed "statements/run_find.sql"
};
static const unsigned char run_has_begun[] = {
#embed "statements/run_has_begun.sql"
};
static const unsigned char run_lock[] = {
#embed "statements/run_lock.sql"
};
static const unsigned char run_lock_id[] = {
#embed "statements/run_lock_id.sql"
};
static const unsigned char run_newest[] = {
#embed "statements/run_newest.sql"
};
static const unsigned char run_redefine[] = {
#embed "statements/run_redefine.sql"
};
static const unsigned char run_repace[] = {
#embed "statements/run_repace.sql"
};
static const unsigned char run_restart[] = {
#embed "statements/run_restart.sql"
};
static const unsigned char run_resume[] = {
#embed "statements/run_resume.sql"
};
static const unsigned char run_set_collapse_id[] = {
#embed "statements/run_set_collapse_id.sql"
};
static const unsigned char run_set_expiry[] = {
#embed "statements/run_set_expiry.sql"
};
static const unsigned char run_set_state[] = {
#embed "statements/run_set_state.sql"
};
static const unsigned char run_settle[] = {
#embed "statements/run_settle.sql"
};
static const unsigned char runs_open[] = {
#embed "statements/runs_open.sql"
};
static const unsigned char schedule_instant[] = {
#embed "statements/schedule_instant.sql"
};
static const unsigned char slice_lease[] = {
#embed "statements/slice_lease.sql"
};
static const unsigned char token_status_apply[] = {
#embed "statements/token_status_apply.sql"
};
static const unsigned char token_status_undo[] = {
#embed "statements/token_status_undo.sql"
};
static const unsigned char worker_add[] = {
#embed "statements/worker_add.sql"
};
static const unsigned char worker_evict[] = {
#embed "statements/worker_evict.sql"
};
static const unsigned char worker_heartbeat[] = {
#embed "statements/worker_heartbeat.sql"
};
static const unsigned char worker_lead[] = {
#embed "statements/worker_lead.sql"
};
static const unsigned char worker_leave[] = {
#embed "statements/worker_leave.sql"
};
static const unsigned char worker_peers[] = {
#embed "statements/worker_peers.sql"
};
static const unsigned char worker_share[] = {
#embed "statements/worker_share.sql"
};

#define FILE_NAMED(name) {#name, name, sizeof name}

static const struct sql_file migrations[] = {
    FILE_NAMED(V0001_tables),
    FILE_NAMED(V0002_functions),
    FILE_NAMED(V0003_report_views),
    FILE_NAMED(V0004_provider_token),
    FILE_NAMED(V0005_rehearsal),
    FILE_NAMED(V0006_canary),
    FILE_NAMED(V0007_several_workers),
    FILE_NAMED(V0008_cheaper_freezing),
    FILE_NAMED(V0009_evictions),
    FILE_NAMED(V0010_overruled_brakes),
};

static const struct sql_file statements[] = {
    FILE_NAMED(canary_counts),
    FILE_NAMED(canary_park),
    FILE_NAMED(clock_now),
    FILE_NAMED(device_analyze),
    FILE_NAMED(device_bulk_lock),
    FILE_NAMED(device_table_lock),
    FILE_NAMED(freeze_analyze),
    FILE_NAMED(freeze_attach),
    FILE_NAMED(freeze_begin),
    FILE_NAMED(freeze_counts),
    FILE_NAMED(freeze_finish),
    FILE_NAMED(freeze_lock),
    FILE_NAMED(freeze_memory),
    FILE_NAMED(freeze_recipients),
    FILE_NAMED(freeze_recipients_plain),
    FILE_NAMED(freeze_slices),
    FILE_NAMED(freeze_slices_even),
    FILE_NAMED(freeze_timeout),
    FILE_NAMED(freeze_try),
    FILE_NAMED(import_analyze),
    FILE_NAMED(import_begin),
    FILE_NAMED(import_copy),
    FILE_NAMED(import_latest),
    FILE_NAMED(import_merge),
    FILE_NAMED(import_revive),
    FILE_NAMED(migration_list),
    FILE_NAMED(migration_lock),
    FILE_NAMED(migration_record),
    FILE_NAMED(migration_table_exists),
    FILE_NAMED(outcome_copy),
    FILE_NAMED(phase_counts),
    FILE_NAMED(phase_rest),
    FILE_NAMED(provider_token_find),
    FILE_NAMED(provider_token_keep),
    FILE_NAMED(provider_token_lock),
    FILE_NAMED(recipients_bounds),
    FILE_NAMED(recipients_of_slice),
    FILE_NAMED(recipients_rehearsed),
    FILE_NAMED(recipients_to_retry),
    FILE_NAMED(recipients_unrecorded),
    FILE_NAMED(record_batch),
    FILE_NAMED(record_late),
    FILE_NAMED(report_copy),
    FILE_NAMED(report_events),
    FILE_NAMED(report_outcomes_by_reason),
    FILE_NAMED(report_pruned_devices),
    FILE_NAMED(report_recipients),
    FILE_NAMED(report_run_status),
    FILE_NAMED(report_run_summary),
    FILE_NAMED(report_runs),
    FILE_NAMED(report_workers),
    FILE_NAMED(retry_claim),
    FILE_NAMED(run_ask),
    FILE_NAMED(run_create),
    FILE_NAMED(run_event_add),
    FILE_NAMED(run_find),
    FILE_NAMED(run_has_begun),
    FILE_NAMED(run_lock),
    FILE_NAMED(run_lock_id),
    FILE_NAMED(run_newest),
    FILE_NAMED(run_redefine),
    FILE_NAMED(run_repace),
    FILE_NAMED(run_restart),
    FILE_NAMED(run_resume),
    FILE_NAMED(run_set_collapse_id),
    FILE_NAMED(run_set_expiry),
    FILE_NAMED(run_set_state),
    FILE_NAMED(run_settle),
    FILE_NAMED(runs_open),
    FILE_NAMED(schedule_instant),
    FILE_NAMED(slice_lease),
    FILE_NAMED(token_status_apply),
    FILE_NAMED(token_status_undo),
    FILE_NAMED(worker_add),
    FILE_NAMED(worker_evict),
    FILE_NAMED(worker_heartbeat),
    FILE_NAMED(worker_lead),
    FILE_NAMED(worker_leave),
    FILE_NAMED(worker_peers),
    FILE_NAMED(worker_share),
};

const struct sql_file *sql_migration(unsigned long index) {
    return index < sizeof migrations / sizeof migrations[0] ? &migrations[index] : NULL;
}

const struct sql_file *sql_statement(unsigned long index) {
    return index < sizeof statements / sizeof statements[0] ? &statements[index] : NULL;
}
