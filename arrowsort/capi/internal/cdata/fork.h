//go:build capi

// Whether this process is a fork of the one that loaded the library. Go does not run in it: nothing may call Go. Each C
// file that includes this has a flag, since C files of different Go packages are not linked when cgo reads them.
#pragma once

static volatile int is_fork;

static const char fork_text[] =
    "arrowsort: this process is a fork of one that has loaded the library, and Go does not run in forks: load it after "
    "the fork, or start processes by exec (in Python: multiprocessing's spawn or forkserver)";

#ifndef _WIN32
#include <pthread.h>

static void mark_fork(void) { is_fork = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, mark_fork); }
#endif
