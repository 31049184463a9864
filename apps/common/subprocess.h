// Runs code that may print, crash, hang or eat all memory, in a child process. Internal.

#ifndef PL_SUBPROCESS_H
#define PL_SUBPROCESS_H

#include "../../base/file.h"

typedef struct pl_subprocess_limits {
    double seconds; // wall clock
    int64_t bytes;  // of address space beyond what the parent has, and of the answer
} pl_subprocess_limits;

// The work of the child: answers with pl_subprocess_send and returns the exit status, 0 if all went
// well. Its standard input and outputs are /dev/null.
typedef int pl_subprocess_fn(int answer, const void *argument);

// False if the parent no longer listens.
bool pl_subprocess_send(int answer, const void *data, size_t size);

// Runs `work` and collects its answer (without the pad of a loaded file), which the caller gives
// back with pl_bytes_free. `name` is
// the subject of the error sentence: "name crashed (signal 11)". Fails with PL_ERROR_GEOMETRY if
// the child crashes, exceeds its time or exits with a status other than 0, PL_ERROR_MEMORY if no
// child can be started or the answer is too long. The child is always gone on return, and it does
// not survive its parent.
pl_status pl_subprocess_run(const char *name, pl_subprocess_fn *work, const void *argument,
                            const pl_subprocess_limits *limits, pl_bytes *answer);

#endif
