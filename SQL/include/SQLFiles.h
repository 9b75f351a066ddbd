#ifndef SORTIE_SQLFILES_H
#define SORTIE_SQLFILES_H
struct sql_file { const char *name; const unsigned char *bytes; unsigned long count; };
extern const struct sql_file sql_files[];
extern const unsigned long sql_file_count;
#endif
