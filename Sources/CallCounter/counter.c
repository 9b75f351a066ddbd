// Stands between a program and the libraries it uses and counts calls; see the header.
//
// The allocator is whichever comes next in the order of loading, for a program may bring its own.
// The system calls are made by syscall(2), so that nothing has to be looked up for them.

#define _GNU_SOURCE
#include "CallCounter.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// Each on a cache line of its own: threads count at the same time.
struct count {
    _Alignas(64) atomic_ulong value;
};

static struct count allocations, reads, writes, written_bytes;

static void add(struct count *count, unsigned long more) {
    atomic_fetch_add_explicit(&count->value, more, memory_order_relaxed);
}

static ssize_t written(ssize_t result) {
    add(&writes, 1);
    if (result > 0) add(&written_bytes, (unsigned long)result);
    return result;
}

// The next library's function of the same name, looked up at its first call. The look-up itself
// does not allocate.
#define NEXT(result, name, ...)                                                                    \
    static result (*_Atomic next)(__VA_ARGS__);                                                    \
    result (*call)(__VA_ARGS__) = atomic_load_explicit(&next, memory_order_relaxed);               \
    if (!call) {                                                                                   \
        call = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name);                                     \
        atomic_store_explicit(&next, call, memory_order_relaxed);                                  \
    }

// Set while C++ allocates: some libraries do that by malloc, which is then not counted again.
static _Thread_local int is_inside_new;

static void count_allocation(void) {
    if (!is_inside_new) add(&allocations, 1);
}

void *malloc(size_t size) {
    NEXT(void *, "malloc", size_t)
    count_allocation();
    return call(size);
}

void *calloc(size_t count, size_t size) {
    NEXT(void *, "calloc", size_t, size_t)
    count_allocation();
    return call(count, size);
}

void *realloc(void *old, size_t size) {
    NEXT(void *, "realloc", void *, size_t)
    count_allocation();
    return call(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    NEXT(void *, "aligned_alloc", size_t, size_t)
    count_allocation();
    return call(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    NEXT(int, "posix_memalign", void **, size_t, size_t)
    count_allocation();
    return call(result, alignment, size);
}

// C++: operator new(unsigned long).
void *_Znwm(size_t size) {
    NEXT(void *, "_Znwm", size_t)
    count_allocation();
    is_inside_new += 1;
    void *memory = call(size);
    is_inside_new -= 1;
    return memory;
}

ssize_t read(int file, void *bytes, size_t size) {
    add(&reads, 1);
    return syscall(SYS_read, file, bytes, size);
}

ssize_t recv(int socket, void *bytes, size_t size, int flags) {
    add(&reads, 1);
    return syscall(SYS_recvfrom, socket, bytes, size, flags, NULL, NULL);
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    add(&reads, 1);
    return syscall(SYS_recvmsg, socket, message, flags);
}

ssize_t write(int file, const void *bytes, size_t size) {
    return written(syscall(SYS_write, file, bytes, size));
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
    return written(syscall(SYS_writev, file, pieces, count));
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
    return written(syscall(SYS_sendto, socket, bytes, size, flags, NULL, 0));
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
    return written(syscall(SYS_sendmsg, socket, message, flags));
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv(CALL_COUNTER_FILE_VARIABLE);
    if (!path) return;
    unsigned long counts[] = {
        atomic_load(&allocations.value), atomic_load(&reads.value),
        atomic_load(&writes.value), atomic_load(&written_bytes.value),
    };
    FILE *file = fopen(path, "w");
    if (!file) return;
    fprintf(file, "allocations %lu\nreads %lu\nwrites %lu\nwritten_bytes %lu\n", counts[0],
        counts[1], counts[2], counts[3]);
    fclose(file);
}
