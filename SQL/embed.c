#include "SQLFiles.h"

const struct sql_file sql_files[] = {
    {0, 0, 0},
};
const unsigned long sql_file_count = 0;
