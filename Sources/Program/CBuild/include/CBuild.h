// The commit and the checkout that a build was made from.
#pragma once

/// The commit's first hexadecimal digits, with a plus sign if the sources were changed since; empty: unknown.
const char *kine_build_commit(void);

/// The absolute path of the checkout; empty in an executable of a package.
const char *kine_build_checkout(void);
