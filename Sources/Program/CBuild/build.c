#include "CBuild.h"

const char *kine_build_commit(void) { return KINE_COMMIT; }

const char *kine_build_checkout(void) { return KINE_CHECKOUT; }
