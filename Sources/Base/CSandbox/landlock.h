// Within this target.
#pragma once

// For the child, between fork and exec, and for kine_confine_self: adds the parts of /proc that programs need to the ruleset, and enters it for good.
// Returns 0, or -1 with errno set.
int kine_landlock_enter(int ruleset);
