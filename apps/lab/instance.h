// One problem to solve, of whatever kind, from whatever file.

#ifndef PL_INSTANCE_H
#define PL_INSTANCE_H

#include "fclib.h"

typedef enum pl_format {
    PL_FORMAT_PLP,     // recorded by Pliant
    PL_FORMAT_FCLIB,   // HDF5
    PL_FORMAT_EXPORT,  // a folder of `pliant solve --export`
    PL_FORMAT_TEXT,    // a complementarity problem as text
    PL_FORMAT_MARKET,  // a folder with M.mtx and q.mtx
    PL_FORMAT_MADE,    // by --generate
    PL_FORMAT_UNKNOWN, // no problem
} pl_format;

// A contact problem, or plain rows.
typedef struct pl_instance {
    pl_format format;
    // Of contacts.
    pl_problem *problem; // NULL: plain rows
    pl_problem_size size;
    double *v, *f;  // (3*size.blocks), (3*size.constraints)
    pl_fclib fclib; // what the file held; {0} unless it is one of FCLIB
    // Of plain rows.
    pl_complementarity *rows; // NULL: contacts
    int32_t n;
    double *x; // (n)
} pl_instance;

// By its first bytes, or what is in the folder. Cheap.
pl_format pl_format_of(const char *path);

// Reads a problem. Fails with PL_ERROR_FORMAT if it is none, or as its reader does.
pl_status pl_instance_read(const char *path, pl_instance *out);

// Makes one: a kind and its numbers, "stack:n=10,seed=2" (generate.h of this folder, and
// pl_complementarity_generate).
pl_status pl_instance_make(const char *text, pl_instance *out);

void pl_instance_free(pl_instance *instance); // leaves it empty

// Writes it by the extension: .plp, .hdf5 (contacts, with v and f as the solution), .txt (rows), or
// a folder that ends in '/' (rows; of contacts, see problem_export.h). Fails with PL_ERROR_ARGUMENT
// if that cannot hold it.
pl_status pl_instance_write(pl_instance *instance, const char *path);

// Of a file whose W is not symmetric (fclib.K has columns): takes the antisymmetric part at the
// impulses f. The problem is another one then, of the same size.
pl_status pl_instance_update(pl_instance *instance);

// Of the same: how far u is from that of other impulses (3*constraints), as far as K brings it.
pl_status pl_instance_skew(pl_instance *instance, const double *other, double *out);

// The usual measure of FCLIB (fclib.h) of v and f, on what the file held or what the problem is in
// its terms; NAN if it has none.
double pl_instance_measure(const pl_instance *instance);

#endif
