// Loaded before a program (LD_PRELOAD), this library counts what the program asks of the allocator
// and of the kernel's read and write calls. It has nothing to be called.
#ifndef CALL_COUNTER_H
#define CALL_COUNTER_H

// Where the counts are written at the program's exit: one line "NAME NUMBER" each.
#define CALL_COUNTER_FILE_VARIABLE "SORTIE_BENCH_COUNTS"

#endif
