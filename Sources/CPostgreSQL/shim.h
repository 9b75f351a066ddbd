#ifndef SORTIE_CPOSTGRESQL_SHIM_H
#define SORTIE_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

#endif
