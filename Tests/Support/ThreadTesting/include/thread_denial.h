// Denies the calling thread new threads and processes.
#pragma once

// From now on clone(2) fails with EAGAIN in the calling thread, which is how it fails in a process that may have no more
// threads; other threads are not concerned. There is no way back. Returns 0, or -1 with errno.
int deny_threads(void);
