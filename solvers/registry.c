// The table of solvers: those of the library, those of ../lcp on the scalar form, then those of the
// program.

#include "../lcp/lcp.h"
#include "solver.h"

#include <stdio.h>
#include <string.h>
#include <threads.h>

// What most solvers know.
#define ALL_LAWS                                                                                   \
    (PL_CAN_CONE | PL_CAN_BOX | PL_CAN_COMPLIANCE | PL_CAN_PYRAMID | PL_CAN_FOLLOWING |            \
     PL_CAN_DIAMOND)

static const pl_solver built_in[] = {
    {.name = "apg",
     .form = PL_FORM_FULL,
     .can = ALL_LAWS,
     .guarantee = "exact cones; friction within contact_tolerance; one product with A per "
                  "iteration, no state machine",
     .paper = "accelerated proximal gradient [Beck & Teboulle 2009; O'Donoghue & Candes 2015]",
     .solve = pl_apg_solve},
    {.name = "cone-newton",
     .form = PL_FORM_FULL,
     .can = ALL_LAWS,
     .guarantee =
         "as apg; for large or stiff bodies and large steps: iterations hardly grow with them",
     .paper = "apg and Newton's method on the faces of the cones, with multigrid",
     .solve = pl_cone_newton_solve},
    {.name = "auto",
     .form = PL_FORM_FULL,
     .can = ALL_LAWS,
     .guarantee = "as apg: newton for joints and large mass ratios, else apg, and newton or "
                  "cone-newton where that would take more than 100 iterations",
     .paper = "as apg, newton and cone-newton",
     .solve = pl_auto_solve},
    {.name = "newton",
     .form = PL_FORM_FULL,
     .can = ALL_LAWS,
     .guarantee = "as apg; by sparse factors: for mechanisms and small systems, however stiff or "
                  "unequal in mass",
     .paper = "proximal semi-smooth Newton [Alart & Curnier 1991], started by interior points",
     .solve = pl_newton_solve},
    {.name = "cr",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee =
         "friction within contact_tolerance unless as printed; few iterations without friction",
     .paper = "preconditioned conjugate residuals with switching states [VJ19, Alg. 1-3]",
     .solve = pl_cr_solve},
    {.name = "minres",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee = "as cr, with directions by Lanczos' recurrence; may stall where cr does not",
     .paper = "MINRES in place of CR [VJ19, 7; Paige & Saunders 1975]",
     .solve = pl_minres_solve},
    {.name = "gcr",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee = "as cr, with directions orthogonal to all since the last switch",
     .paper = "GCR in place of CR, restarted at each switch [VJ19, 7; Eisenstat et al. 1983]",
     .solve = pl_gcr_solve},
    {.name = "ica",
     .form = PL_FORM_FULL,
     .can = ALL_LAWS,
     .guarantee =
         "exact cones; plain relaxation: slow where A is stiff or contacts nearly coincide",
     .paper = "iterative constraint anticipation [Otaduy et al. 2009; VJ19, 6.2.2]",
     .solve = pl_ica_solve},
    {.name = "sp-cr",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee = "normal and friction impulses in turns, each by cr; may cycle",
     .paper = "staggered projections [Kaufman et al. 2008], 2xCR Diag of [VJ19, 6.2.3]",
     .solve = pl_sp_cr_solve},
    {.name = "sp-as",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee = "as sp-cr, but states switch only between linear solves; may cycle",
     .paper = "staggered projections [Kaufman et al. 2008], Active Set of [VJ19, 6.2.3]",
     .solve = pl_sp_as_solve},
    {.name = "sp-minres",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE,
     .guarantee = "as sp-as, with MINRES for its linear problems; may cycle",
     .paper = "staggered projections [Kaufman et al. 2008], with MINRES [VJ19, 7]",
     .solve = pl_sp_minres_solve},
    {.name = "admm-cone",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE | PL_CAN_BOX | PL_CAN_COMPLIANCE,
     .guarantee = "convex with the slip held, which follows; linear convergence, one or a few "
                  "sparse factors",
     .paper =
         "alternating directions [Boyd et al. 2011], adaptive; fixed point on the slip [Acary & "
         "Cadoux 2013]",
     .solve = pl_admm_cone_solve},
    {.name = "ipm-cone",
     .form = PL_FORM_FULL,
     .can = PL_CAN_CONE | PL_CAN_BOX | PL_CAN_COMPLIANCE,
     .guarantee = "convex with the slip held, solved by interior points; then the slip follows; "
                  "sparse factors",
     .paper = "interior points [Mehrotra 1992]; fixed point on the slip [Acary & Cadoux 2013]",
     .solve = pl_ipm_cone_solve},
    {.name = "delassus",
     .form = PL_FORM_REDUCED,
     .can = ALL_LAWS,
     .guarantee = "exact cones; builds L A^-1 L^T: for few contacts of small bodies",
     .paper =
         "Delassus operator by sparse factors, and Gauss-Seidel [VJ19, 6.2.4; Daviet et al. 2011]",
     .solve = pl_delassus_solve},
    {.name = "sp-direct",
     .form = PL_FORM_REDUCED,
     .can = PL_CAN_DIAMOND | PL_CAN_COMPLIANCE,
     .guarantee =
         "friction in diamonds; normal and friction impulses in turns, each by active sets; "
         "may cycle",
     .paper = "staggered projections by PDASM with a factor for each set [Lit13, Alg. 2.2, 4.1]",
     .solve = pl_sp_direct_solve},
    {.name = "sp-schurpa",
     .form = PL_FORM_REDUCED,
     .can = PL_CAN_DIAMOND | PL_CAN_COMPLIANCE,
     .guarantee = "as sp-direct, with one factor for contact and one for friction",
     .paper = "SCHURPA-SP [Lit13, Alg. 4.2]",
     .solve = pl_sp_schurpa_solve},
};

enum {
    N_BUILT_IN = sizeof built_in / sizeof *built_in,
    MAX_SCALAR = 64, // solvers of ../lcp
    NAME_ROOM = 32,
    TEXT_ROOM = 160,
};

// A solver of the program, with its texts.
typedef struct own_solver {
    pl_solver solver;
    char name[NAME_ROOM], guarantee[TEXT_ROOM], paper[TEXT_ROOM];
} own_solver;

static own_solver own[PL_USER_SOLVERS_MAX];
static int32_t n_own;

// --- Solvers of linear complementarity problems, on the rows of a contact problem ---

static pl_solver scalar[MAX_SCALAR];
static int32_t n_scalar;
static once_flag scalar_once = ONCE_FLAG_INIT;

static void fill_scalar(void)
{
    n_scalar = PL_MIN(pl_lcp_solver_count(), MAX_SCALAR);
    for (int32_t i = 0; i < n_scalar; i++) {
        const pl_lcp_solver *lcp = pl_lcp_solver_at(i);
        unsigned can = PL_CAN_BOX | PL_CAN_COMPLIANCE;
        // The rows of a pyramid are not symmetric, and have zeros on the diagonal.
        unsigned none = PL_LCP_NEEDS_SYMMETRIC | PL_LCP_NEEDS_DIAGONAL | PL_LCP_NOT_PYRAMIDS;
        if ((lcp->needs & none) == 0) {
            can |= PL_CAN_PYRAMID | PL_CAN_FOLLOWING | PL_CAN_DIAMOND;
        }
        if ((lcp->needs & PL_LCP_KNOWS_FOLLOWING) != 0) can |= PL_CAN_FOLLOWING;
        scalar[i] = (pl_solver){.name = lcp->name,
                                .form = PL_FORM_SCALAR,
                                .can = can,
                                .guarantee = lcp->guarantee,
                                .paper = lcp->paper,
                                .solve = pl_scalar_solve,
                                .lcp = lcp};
    }
}

static int32_t scalar_count(void)
{
    call_once(&scalar_once, fill_scalar);
    return n_scalar;
}

// --- All of them ---

int32_t pl_solver_count(void)
{
    return N_BUILT_IN + scalar_count() + n_own;
}

const pl_solver *pl_solver_at(int32_t i)
{
    int32_t n = scalar_count();
    if (i < N_BUILT_IN) return &built_in[i];
    return i < N_BUILT_IN + n ? &scalar[i - N_BUILT_IN] : &own[i - N_BUILT_IN - n].solver;
}

static const pl_solver *find(const char *name)
{
    if (strcmp(name, "face") == 0) name = "cone-newton"; // as it was called before
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        if (strcmp(name, pl_solver_at(i)->name) == 0) return pl_solver_at(i);
    }
    return NULL;
}

pl_status pl_solver_find(const char *name, const pl_solver **out)
{
    const char *names[N_BUILT_IN + MAX_SCALAR + PL_USER_SOLVERS_MAX];
    *out = find(name);
    if (*out != NULL) return PL_OK;
    int32_t n = pl_solver_count();
    for (int32_t i = 0; i < n; i++) names[i] = pl_solver_at(i)->name;
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "solver", name, strlen(name), names, n);
}

// --- Solvers of the program ---

static pl_status check_def(const pl_solver_def *def)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(def->name);
    if (length == 0 || length >= NAME_ROOM || strspn(def->name, letters) != length) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "solver \"%.40s\": a name has 1 to %d letters, digits, '-' and '_'",
                       def->name, NAME_ROOM - 1);
    }
    // `pliant solve --solver all` stands for all of them.
    if (find(def->name) != NULL || strcmp(def->name, "all") == 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "solver \"%s\": the name is taken", def->name);
    }
    bool fits = (def->guarantee == NULL || strlen(def->guarantee) < TEXT_ROOM) &&
                (def->paper == NULL || strlen(def->paper) < TEXT_ROOM);
    if (!fits) {
        return pl_fail(PL_ERROR_ARGUMENT, "solver \"%s\": a text is longer than %d bytes",
                       def->name, TEXT_ROOM - 1);
    }
    if (n_own == PL_USER_SOLVERS_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "solver \"%s\": there are %d already, which is the limit",
                       def->name, PL_USER_SOLVERS_MAX);
    }
    return PL_OK;
}

pl_status pl_solver_register(const pl_solver_def *def)
{
    PL_REQUIRE(def);
    PL_REQUIRE(def->name);
    PL_REQUIRE(def->solve);
    PL_TRY(check_def(def));
    own_solver *to = &own[n_own++];
    snprintf(to->name, sizeof to->name, "%s", def->name);
    snprintf(to->guarantee, sizeof to->guarantee, "%s",
             def->guarantee != NULL ? def->guarantee : "");
    snprintf(to->paper, sizeof to->paper, "%s", def->paper != NULL ? def->paper : "");
    to->solver = (pl_solver){.name = to->name,
                             .form = def->reduced ? PL_FORM_REDUCED : PL_FORM_FULL,
                             .can = PL_CAN_CONE | (def->boxes ? PL_CAN_BOX : 0u) |
                                    (def->compliance ? PL_CAN_COMPLIANCE : 0u),
                             .guarantee = to->guarantee,
                             .paper = to->paper,
                             .solve = pl_user_solve,
                             .own = def->solve,
                             .user = def->user};
    return PL_OK;
}

// --- Preconditioners ---

const char *const pl_precond_names[PL_N_PRECOND] = {[PL_PRECOND_FULL] = "full",
                                                    [PL_PRECOND_DIAG] = "diag",
                                                    [PL_PRECOND_NONE] = "none",
                                                    [PL_PRECOND_SCHUR] = "schur"};

pl_status pl_precond_find(const char *name, pl_precond *out)
{
    for (int i = 0; i < PL_N_PRECOND; i++) {
        if (strcmp(name, pl_precond_names[i]) != 0) continue;
        *out = (pl_precond)i;
        return PL_OK;
    }
    return pl_fail_unknown(PL_ERROR_ARGUMENT, "precond", name, strlen(name), pl_precond_names,
                           PL_N_PRECOND);
}

bool pl_solver_has_precond(const pl_solver *solver)
{
    return solver->solve == pl_cr_solve || solver->solve == pl_minres_solve ||
           solver->solve == pl_gcr_solve;
}
