// The files of this folder, embedded into the program.
#ifndef SORTIE_SQLFILES_H
#define SORTIE_SQLFILES_H

/// One embedded file: its name without folder and ending, and its text.
struct sql_file {
    const char *name;
    const unsigned char *bytes;
    unsigned long count;
};

/// The migrations in the order in which they are applied; NULL past the last.
const struct sql_file *sql_migration(unsigned long index);

/// The statements, in no order that matters; NULL past the last.
const struct sql_file *sql_statement(unsigned long index);

#endif
