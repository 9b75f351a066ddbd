// Headers that the Glibc module leaves out, and stand-ins for macros.
//
// _GNU_SOURCE is not defined here: the Glibc module was built without it, and the two would
// disagree about common types. The GNU functions we need are declared below instead, as their
// manual pages have them.
#ifndef SORTIE_CLINUX_SHIM_H
#define SORTIE_CLINUX_SHIM_H

#include <netdb.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

// accept4(2), since glibc 2.10: accept that sets flags on the new descriptor.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
// pipe2(2), since glibc 2.9: pipe that sets flags on both ends.
int pipe2(int descriptors[2], int flags);
// strerrordesc_np(3), since glibc 2.32: the constant text of an errno.
const char *strerrordesc_np(int code);
// pthread_setname_np(3), since glibc 2.12.
int pthread_setname_np(pthread_t thread, const char *name);
// posix_spawn_file_actions_addclosefrom_np, since glibc 2.34: the child inherits nothing above.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Constants of <netdb.h> and <spawn.h> that are seen under _GNU_SOURCE only.
static const int shim_EAI_NODATA = -5;
static const short shim_POSIX_SPAWN_SETSID = 0x80;

// Macro WIFEXITED: did the process end by exit?
static inline int shim_exited(int status) { return WIFEXITED(status); }
// Macro WEXITSTATUS: its exit code.
static inline int shim_exit_code(int status) { return WEXITSTATUS(status); }
// Macro WTERMSIG: the signal that ended it.
static inline int shim_ending_signal(int status) { return WTERMSIG(status); }

#endif
