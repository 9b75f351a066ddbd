// libpq as it is, and the field codes of postgres_ext.h, which are character constants that Swift
// would import as 32-bit integers of an unhelpful type.
#ifndef SORTIE_CPOSTGRESQL_SHIM_H
#define SORTIE_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

enum {
    sortie_diag_sqlstate = PG_DIAG_SQLSTATE,
    sortie_diag_message_primary = PG_DIAG_MESSAGE_PRIMARY,
    sortie_diag_message_detail = PG_DIAG_MESSAGE_DETAIL,
    sortie_diag_message_hint = PG_DIAG_MESSAGE_HINT,
    sortie_diag_constraint_name = PG_DIAG_CONSTRAINT_NAME,
};

#endif
