// Small contact problems of rigid bodies without a scene, by kind, numbers and seed.

#ifndef PL_GENERATE_H
#define PL_GENERATE_H

#include "../../base/base.h"

// The kinds, number 0, 1, ... and what they are; NULL after the last.
const char *pl_contact_kind(int32_t kind);
const char *pl_contact_kind_help(int32_t kind);

// Does a text ("stack:n=10") begin with one of them?
bool pl_is_contact_kind(const char *text);

// Makes the problem of a step. Numbers that a text may give: n (bodies, or rows of a wall), seed,
// mu, ratio (of the largest mass to the smallest), dt [s]. The same text gives the same problem.
// Fails with PL_ERROR_ARGUMENT (named).
pl_status pl_contacts_generate(const char *text, pl_problem **out);

#endif
