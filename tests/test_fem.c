// The elements of all bodies: A, forces and energy against a dense sum of single elements, bits,
// stress, what cannot be a body.

#define PL_LANES 1
#include "../fem/element_kernel.h"
#include "../fem/fem.h"
#include "failing_alloc.h"
#include "matrix3.h"

#include <stdio.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(0);
}

// --- Systems ---

enum { MAX_BODIES = 8 };

typedef struct set {
    int32_t n;
    pl_mesh *mesh[MAX_BODIES];
    pl_material_options material[MAX_BODIES];
    pl_fem_source source[MAX_BODIES];
    pl_fem fem;
    pl_bsr A;
    double *x, *f; // (3*n_vert)
} set;

static pl_mesh *make(const char *description)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make(description, &mesh));
    return mesh;
}

static void add(set *s, pl_mesh *mesh, int kind)
{
    s->mesh[s->n] = mesh;
    s->material[s->n] = pl_material_options_default();
    s->material[s->n].kind = (pl_material_kind)kind;
    s->material[s->n].stiffness_damping = 0.01 * (s->n + 1);
    s->source[s->n] = (pl_fem_source){mesh, &s->material[s->n]};
    s->n++;
}

// Creates the system and moves every vertex at random by up to `size`.
static void create(set *s, double size)
{
    pl_status status = pl_fem_create(s->n, s->source, &s->fem, &s->A);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    s->x = malloc(3 * (size_t)s->fem.n_vert * sizeof(double));
    s->f = malloc(3 * (size_t)s->fem.n_vert * sizeof(double));
    for (int32_t b = 0, at = 0; b < s->n; b++) {
        for (int64_t i = 0; i < 3 * s->mesh[b]->n_vert; i++) {
            s->x[at++] = s->mesh[b]->x[i] + random_between(-size, size);
        }
    }
}

static void destroy(set *s)
{
    for (int32_t b = 0; b < s->n; b++) pl_mesh_destroy(s->mesh[b]);
    pl_fem_free(&s->fem);
    pl_bsr_free(&s->A);
    free(s->x);
    free(s->f);
}

// --- The plain version: one element after the other, into a dense matrix ---

typedef struct dense {
    int64_t n;     // rows
    double *A, *f; // (n*n), (n)
    double energy;
} dense;

static void rest_of(const pl_mesh *mesh, const int32_t *tet, pl_rest *rest)
{
    double d[9];
    for (int i = 0; i < 9; i++) {
        d[i] = mesh->x[3 * (int64_t)tet[i % 3 + 1] + i / 3] - mesh->x[3 * (int64_t)tet[0] + i / 3];
    }
    double det = determinant3(d);
    rest->volume = det / 6;
    for (int i = 0; i < 9; i++) {
        int r = i % 3, c = i / 3;
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        rest->shape[i] = (d[3 * r1 + c1] * d[3 * r2 + c2] - d[3 * r1 + c2] * d[3 * r2 + c1]) / det;
    }
}

static void add_element(const pl_material *m, const pl_rest *rest, const int32_t row[4],
                        const double *x, double scale, double share, dense *out)
{
    double corner[4][3], f[4][3], k[6][9];
    for (int i = 0; i < 12; i++) corner[i / 3][i % 3] = x[3 * (int64_t)row[i / 3] + i % 3];
    out->energy += pl_element_evaluate(m, rest, corner, scale, share, f, k);
    for (int i = 0; i < 12; i++) out->f[3 * row[i / 3] + i % 3] += f[i / 3][i % 3];
    for (int a = 0, edge = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++, edge++) {
            for (int i = 0; i < 9; i++) {
                int64_t ra = 3 * row[a], rb = 3 * row[b];
                int p = i / 3, q = i % 3;
                double value = k[edge][i];
                out->A[(ra + p) * out->n + rb + q] += value;
                out->A[(rb + q) * out->n + ra + p] += value;
                out->A[(ra + p) * out->n + ra + q] -= value;
                out->A[(rb + q) * out->n + rb + p] -= value;
            }
        }
    }
}

static dense assemble_dense(const set *s, double stiffness, double damping, double share)
{
    int64_t n = 3 * (int64_t)s->fem.n_vert;
    dense out = {n, calloc((size_t)(n * n), sizeof(double)), calloc((size_t)n, sizeof(double)), 0};
    for (int32_t b = 0, first = 0; b < s->n; first += s->mesh[b++]->n_vert) {
        pl_material m;
        TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&s->material[b], &m));
        double scale = stiffness + damping * s->material[b].stiffness_damping;
        for (int64_t t = 0; t < s->mesh[b]->n_tet; t++) {
            const int32_t *tet = s->mesh[b]->tet + 4 * t;
            pl_rest rest;
            rest_of(s->mesh[b], tet, &rest);
            const int32_t row[4] = {first + tet[0], first + tet[1], first + tet[2], first + tet[3]};
            add_element(&m, &rest, row, s->x, scale, share, &out);
        }
    }
    return out;
}

// A's entries against the dense matrix; what A does not store must be 0 there.
static void compare(const set *s, const dense *d, double energy)
{
    double size = 0, force = 0;
    for (int64_t i = 0; i < d->n * d->n; i++) size = fmax(size, fabs(d->A[i]));
    for (int64_t i = 0; i < d->n; i++) force = fmax(force, fabs(d->f[i]));
    for (int64_t i = 0; i < d->n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * force, d->f[i], s->f[i]);
        for (int64_t j = 0; j < d->n; j++) {
            int64_t block = pl_bsr_find(&s->A, (int32_t)(i / 3), (int32_t)(j / 3));
            double value = block < 0 ? 0 : s->A.val[9 * block + j % 3 * 3 + i % 3];
            TEST_ASSERT_DOUBLE_WITHIN(1e-13 * size, d->A[i * d->n + j], value);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-13 * fabs(d->energy), d->energy, energy);
}

// What A and f held before does not matter.
static double assemble(set *s, double stiffness, double beta, double project)
{
    memset(s->A.val, 0xff, 9 * (size_t)s->A.nnz * sizeof(double));
    memset(s->f, 0xff, 3 * (size_t)s->fem.n_vert * sizeof(double));
    const pl_fem_weights weights = {
        .stiffness = stiffness, .stiffness_beta = beta, .project = project};
    return pl_fem_assemble(&s->fem, s->x, &weights, NULL, &s->A, s->f);
}

static void check_against_dense(set *s, double size)
{
    create(s, size);
    for (int k = 0; k < 3; k++) {
        const double share = (const double[]){1, 0, 0.25}[k];
        dense d = assemble_dense(s, 0.5, 2, share);
        double energy = assemble(s, 0.5, 2, share);
        compare(s, &d, energy);
        memset(s->f, 0xff, 3 * (size_t)s->fem.n_vert * sizeof(double));
        TEST_ASSERT_EQUAL_DOUBLE(energy, pl_fem_forces(&s->fem, s->x, s->f));
        compare(s, &d, pl_fem_forces(&s->fem, s->x, NULL));
        free(d.A);
        free(d.f);
    }
    destroy(s);
}

static void test_against_dense(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (int k = 0; k < 2; k++) {
            set s = {0};
            add(&s, make("cube:cells=3"), kind);
            check_against_dense(&s, k == 0 ? 0.05 : 0.8); // gently, and scrambled
        }
    }
}

// Bodies smaller than a batch, a last batch that is not full, each with its own material.
static void test_several_bodies(void)
{
    static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    set s = {0};
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        pl_mesh *mesh;
        int32_t n = 1 + kind % 2; // tets
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3 + n, x, 0, NULL, n, tet, &mesh));
        add(&s, kind == 2 ? make("box:cells=1,1,3") : mesh, kind);
        if (kind == 2) pl_mesh_destroy(mesh);
    }
    add(&s, make("ring"), PL_MATERIAL_NEO_HOOKEAN);
    check_against_dense(&s, 0.2);
}

// A body of several patches, behind another: what lies on seams.
static void test_seams(void)
{
    set s = {0};
    add(&s, make("cube:cells=2"), PL_MATERIAL_STVK);
    add(&s, make("cube:cells=8"), PL_MATERIAL_COROTATIONAL);
    check_against_dense(&s, 0.02);
}

// A := base + (mass + mass_alpha alpha) M + ...: the mass on the diagonals, the base everywhere.
static void test_mass_and_base(void)
{
    set s = {0};
    add(&s, make("cube:cells=3"), PL_MATERIAL_STVK);
    add(&s, make("cube:cells=8"), PL_MATERIAL_NEO_HOOKEAN); // has seams
    create(&s, 0.02);
    s.fem.body[0].mass_damping = 4;
    s.fem.body[1].mass_damping = 8;
    int64_t n = 9 * s.A.nnz;
    double *stiffness = malloc((size_t)n * sizeof *stiffness);
    assemble(&s, 0.5, 0, 1);
    memcpy(stiffness, s.A.val, (size_t)n * sizeof *stiffness);
    const pl_fem_weights weights = {.mass = 2, .mass_alpha = 0.25};
    pl_fem_assemble(&s.fem, s.x, &weights, stiffness, &s.A, s.f);
    for (int32_t i = 0; i < s.fem.n_vert; i++) {
        for (int64_t k = 9 * s.A.row[i]; k < 9 * s.A.row[i + 1]; k++) {
            bool diagonal = k / 9 == s.A.diag[i] && k % 9 % 4 == 0;
            double factor = i < s.fem.body[1].first ? 3 : 4;
            double expected = stiffness[k] + (diagonal ? factor * s.fem.mass[i] : 0);
            TEST_ASSERT_DOUBLE_WITHIN(1e-15 * fabs(expected), expected, s.A.val[k]);
        }
    }
    free(stiffness);
    destroy(&s);
}

// One inverted tet makes the energy infinite where the material has a barrier, also in a batch that
// repeats it in lanes without an element.
static void test_energy_of_a_barrier(void)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tet[4] = {0, 1, 2, 3};
    set s = {0};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 0, NULL, 1, tet, &mesh));
    add(&s, mesh, PL_MATERIAL_NEO_HOOKEAN);
    s.material[0].stretch_limit = 0;
    create(&s, 0);
    s.x[11] = 1e-3;
    double energy = pl_fem_forces(&s.fem, s.x, s.f);
    TEST_ASSERT_TRUE(isfinite(energy) && energy > 0);
    for (int flat = 0; flat < 2; flat++) {
        s.x[11] = flat ? 0 : -0.1;
        energy = pl_fem_forces(&s.fem, s.x, s.f);
        TEST_ASSERT_TRUE(isinf(energy) && energy > 0);
        for (int i = 0; i < 12; i++) TEST_ASSERT_TRUE(isfinite(s.f[i]));
    }
    destroy(&s);
}

// --- Bits ---

// Tets that share nothing, each in a state of its own: what the wide kernels add to an empty A is
// one element, and must have the bits of the plain kernel.
static void test_wide_equals_plain(void)
{
    enum { N = 203 };
    static double x[12 * N];
    static int32_t tet[4 * N];
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 12 * N; i++) x[i] = corner[i % 12] + random_between(-0.1, 0.1);
    for (int i = 0; i < 4 * N; i++) tet[i] = i;
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        set s = {0};
        pl_mesh *mesh;
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4 * N, x, 0, NULL, N, tet, &mesh));
        add(&s, mesh, kind);
        create(&s, 0);
        for (int t = 0; t < N; t++) {
            double f[9];
            random_with_stretches(stretch_cases[t % N_STRETCH_CASES], f);
            for (int i = 0; i < 12; i++) {
                const double *row = f + i % 3 * 3, *X = x + 12 * t + i / 3 * 3;
                s.x[12 * t + i] = row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
            }
        }
        dense d = assemble_dense(&s, 0.25, 0, 1);
        assemble(&s, 0.25, 0, 1);
        TEST_ASSERT_EQUAL_MEMORY(d.f, s.f, 12 * N * sizeof(double));
        for (int t = 0; t < N; t++) { // the diagonal sums in an order of its own
            for (int k = 0; k < 144; k++) {
                int64_t i = 12 * t + k / 12, j = 12 * t + k % 12;
                if (i / 3 == j / 3) continue;
                int64_t block = pl_bsr_find(&s.A, (int32_t)(i / 3), (int32_t)(j / 3));
                double value = s.A.val[9 * block + j % 3 * 3 + i % 3];
                TEST_ASSERT_EQUAL_MEMORY(&d.A[i * d.n + j], &value, sizeof value);
            }
        }
        free(d.A);
        free(d.f);
        destroy(&s);
    }
}

static void test_same_bits_for_any_number_of_threads(void)
{
    set s = {0};
    add(&s, make("cube:cells=12"), PL_MATERIAL_NEO_HOOKEAN);
    add(&s, make("ring"), PL_MATERIAL_COROTATIONAL);
    add(&s, make("cube:cells=5"), PL_MATERIAL_FIXED_COROTATED);
    create(&s, 0.02);
    size_t a_size = 9 * (size_t)s.A.nnz * sizeof(double);
    size_t f_size = 3 * (size_t)s.fem.n_vert * sizeof(double);
    double *A = malloc(a_size), *f = malloc(f_size), energy = 0;
    for (int k = 0; k < 4; k++) {
        pl_threads_set((const int[]){1, 2, 4, 3}[k]);
        double value = assemble(&s, 1, 0.1, 1);
        if (k == 0) {
            memcpy(A, s.A.val, a_size);
            memcpy(f, s.f, f_size);
            energy = value;
        }
        TEST_ASSERT_EQUAL_MEMORY(A, s.A.val, a_size);
        TEST_ASSERT_EQUAL_MEMORY(f, s.f, f_size);
        TEST_ASSERT_EQUAL_MEMORY(&energy, &value, sizeof value);
        value = pl_fem_forces(&s.fem, s.x, s.f);
        TEST_ASSERT_EQUAL_MEMORY(f, s.f, f_size);
        TEST_ASSERT_EQUAL_MEMORY(&energy, &value, sizeof value);
    }
    free(A);
    free(f);
    destroy(&s);
}

// Each tet is in one patch, its corners and edges are what the patch lists; what only one patch has
// is inner, and the rest is on a seam with all its parts.
static void test_patches(void)
{
    set s = {0};
    add(&s, make("cube:cells=12"), PL_MATERIAL_COROTATIONAL);
    add(&s, make("torus"), PL_MATERIAL_COROTATIONAL);
    create(&s, 0);
    const pl_fem *fem = &s.fem;
    int32_t n_tet = 0, *patches = calloc((size_t)s.A.nnz, sizeof *patches);
    TEST_ASSERT_TRUE(fem->n_patch > 2);
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        const int32_t *vert = fem->vert + patch->vert;
        const pl_fem_edge *edge = fem->edge + patch->edge;
        for (int32_t i = 0; i < patch->n_vert; i++) patches[s.A.diag[vert[i]]]++;
        for (int32_t i = 0; i < patch->n_edge; i++) {
            patches[edge[i].slot]++;
            int32_t v = vert[edge[i].end[0]], w = vert[edge[i].end[1]];
            TEST_ASSERT_TRUE(v < w);
            TEST_ASSERT_EQUAL_INT64(pl_bsr_find(&s.A, v, w), edge[i].slot);
            TEST_ASSERT_EQUAL_INT64(pl_bsr_find(&s.A, w, v), edge[i].mirror);
        }
        for (int32_t i = 0; i < patch->n_batch * PL_FEM_LANES; i++) {
            const pl_fem_batch *batch = &fem->batch[patch->batch + i / PL_FEM_LANES];
            int lane = i % PL_FEM_LANES;
            n_tet += batch->tet[lane] >= 0;
            for (int a = 0, e = 0; a < 4; a++) {
                for (int b = a + 1; b < 4; b++, e++) {
                    const pl_fem_edge *listed = &edge[batch->edge[e][lane]];
                    TEST_ASSERT_EQUAL_INT(batch->corner[a][lane], listed->end[0]);
                    TEST_ASSERT_EQUAL_INT(batch->corner[b][lane], listed->end[1]);
                }
            }
        }
    }
    TEST_ASSERT_EQUAL_INT(fem->n_tet, n_tet);
    for (int32_t p = 0; p < fem->n_patch; p++) {
        const pl_fem_patch *patch = &fem->patch[p];
        for (int32_t i = 0; i < patch->n_vert; i++) {
            int32_t count = patches[s.A.diag[fem->vert[patch->vert + i]]];
            TEST_ASSERT_EQUAL_INT(i < patch->n_inner_vert, count == 1);
        }
        for (int32_t i = 0; i < patch->n_edge; i++) {
            int32_t count = patches[fem->edge[patch->edge + i].slot];
            TEST_ASSERT_EQUAL_INT(i < patch->n_inner_edge, count == 1);
        }
    }
    for (int32_t i = 0; i < fem->seam_edges.n; i++) {
        int32_t count = fem->seam_edges.start[i + 1] - fem->seam_edges.start[i];
        TEST_ASSERT_EQUAL_INT(patches[fem->edge[fem->seam_edges.item[i]].slot], count);
    }
    free(patches);
    destroy(&s);
}

// A's halves mirror each other to the bit, whatever rounding does to an element's sums.
static void test_symmetry(void)
{
    set s = {0};
    add(&s, make("cube:cells=12"), PL_MATERIAL_NEO_HOOKEAN);
    add(&s, make("ring"), PL_MATERIAL_COROTATIONAL);
    create(&s, 0.05);
    assemble(&s, 1, 0, 0.5);
    for (int32_t i = 0; i < s.A.n; i++) {
        for (int64_t block = s.A.row[i]; block < s.A.row[i + 1]; block++) {
            int64_t mirror = pl_bsr_find(&s.A, s.A.col[block], i);
            for (int k = 0; k < 9; k++) {
                double other = s.A.val[9 * mirror + k % 3 * 3 + k / 3];
                TEST_ASSERT_EQUAL_MEMORY(&s.A.val[9 * block + k], &other, sizeof other);
            }
        }
    }
    destroy(&s);
}

// --- Mass ---

static void test_mass(void)
{
    set s = {0};
    add(&s, make("cube:cells=4"), PL_MATERIAL_COROTATIONAL);
    add(&s, make("ring"), PL_MATERIAL_COROTATIONAL);
    s.material[1].density = 700;
    create(&s, 0);
    for (int32_t b = 0; b < 2; b++) {
        double sum = 0, mass = s.material[b].density * pl_mesh_volume(s.mesh[b]);
        for (int32_t i = 0; i < s.fem.body[b].n_vert; i++) {
            double m = s.fem.mass[s.fem.body[b].first + i];
            TEST_ASSERT_TRUE(m > 0);
            sum += m;
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * mass, mass, sum);
    }
    destroy(&s);
}

// --- Stress ---

// Cauchy's stress of a stretch s along z by the textbooks' formulas: along, and across.
static void closed_form(int kind, double mu, double lambda, double s, double out[2])
{
    double e = 0.5 * (s * s - 1);
    switch (kind) {
    case PL_MATERIAL_COROTATIONAL:
    case PL_MATERIAL_FIXED_COROTATED: // J = s: both volume terms are lambda (s - 1)
        out[0] = (2 * mu + lambda) * (s - 1);
        out[1] = kind == PL_MATERIAL_COROTATIONAL ? lambda * (s - 1) / s : lambda * (s - 1);
        break;
    case PL_MATERIAL_STVK: // sigma = F S F^T / J, S = lambda tr E I + 2 mu E
        out[0] = (lambda + 2 * mu) * e * s;
        out[1] = lambda * e / s;
        break;
    default: // sigma = (mu (b - I) + lambda log J I) / J
        out[0] = (mu * (s * s - 1) + lambda * log(s)) / s;
        out[1] = lambda * log(s) / s;
    }
}

static void test_stress(void)
{
    for (int kind = 0; kind < PL_MATERIAL_MOONEY_RIVLIN; kind++) {
        set s = {0};
        add(&s, make("cube:cells=3"), PL_MATERIAL_COROTATIONAL);
        add(&s, make("cube:cells=3"), kind);
        create(&s, 0);
        double R[9], stretch = 1.25, expected[2];
        random_rotation(R);
        for (int32_t i = 0; i < s.mesh[1]->n_vert; i++) {
            const double *X = s.mesh[1]->x + 3 * i;
            double *x = s.x + 3 * (s.fem.body[1].first + i);
            for (int k = 0; k < 3; k++) {
                x[k] = R[3 * k] * X[0] + R[3 * k + 1] * X[1] + stretch * R[3 * k + 2] * X[2] + k;
            }
        }
        int32_t n = s.mesh[1]->n_tet;
        double *mises = malloc((size_t)n * sizeof *mises);
        double *principal = malloc(3 * (size_t)n * sizeof *principal);
        pl_fem_stress(&s.fem, 1, s.x, mises, principal, NULL);
        pl_fem_stress(&s.fem, 1, s.x, NULL, NULL, NULL);
        const pl_material *m = &s.fem.body[1].material;
        closed_form(kind, m->mu, m->lambda, stretch, expected);
        double tolerance = 1e-13 * m->mu * 10;
        for (int32_t t = 0; t < n; t++) {
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[0], principal[3 * t]);
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[1], principal[3 * t + 1]);
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[1], principal[3 * t + 2]);
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, expected[0] - expected[1], mises[t]);
        }
        free(mises);
        free(principal);
        destroy(&s);
    }
}

// --- What cannot be a body ---

static void refuse(int32_t n_vert, const double *x, int32_t n_tet, const int32_t *tet,
                   const char *part)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(n_vert, x, 0, NULL, n_tet, tet, &mesh));
    const pl_material_options material = pl_material_options_default();
    const pl_fem_source source = {mesh, &material};
    pl_fem fem;
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_fem_check(mesh));
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_fem_create(1, &source, &fem, &A));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    TEST_ASSERT_NULL(fem.batch);
    pl_mesh_destroy(mesh);
}

// Each tet by itself is flat or turned inside out in one of three ways, or whole.
static void test_inverted(void)
{
    enum { N = 203 };
    static double x[12 * N];
    static int32_t tet[4 * N];
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 12 * N; i++) x[i] = corner[i % 12] + random_between(-0.1, 0.1);
    for (int i = 0; i < 4 * N; i++) tet[i] = i;
    for (int i = 0; i < 4 * N;
         i += 8) { // others have their corners in an order that is not ascending
        int32_t first = tet[i];
        tet[i] = tet[i + 1], tet[i + 1] = tet[i + 2], tet[i + 2] = first;
    }
    set s = {0};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4 * N, x, 0, NULL, N, tet, &mesh));
    add(&s, mesh, PL_MATERIAL_NEO_HOOKEAN);
    add(&s, make("cube:cells=8"), PL_MATERIAL_NEO_HOOKEAN); // with seams
    create(&s, 0);
    TEST_ASSERT_EQUAL(0, pl_fem_inverted(&s.fem, s.x));
    int expected = 0;
    for (int t = 0; t < N; t++) {
        int way = t % 5; // 0 to 2: mirrored along an axis; 3: flattened
        for (int a = 0; a < 4 && way < 4; a++) {
            double *at = s.x + 12 * t + 3 * a + (way < 3 ? way : 2);
            *at = way < 3 ? -*at : 0;
        }
        expected += way < 4;
    }
    TEST_ASSERT_EQUAL(expected, pl_fem_inverted(&s.fem, s.x));
    s.x[12 * 4] = NAN; // of a tet that is whole
    TEST_ASSERT_EQUAL(expected + 1, pl_fem_inverted(&s.fem, s.x));
    destroy(&s);
}

static void test_refuses(void)
{
    const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
    refuse(4, x, 0, NULL, "no tets");
    refuse(4, x, 1, (const int32_t[]){0, 2, 1, 3}, "tet 0");
    refuse(5, x, 2, (const int32_t[]){0, 1, 2, 3, 0, 1, 2, 4}, "tet 1");
    refuse(5, x, 1, (const int32_t[]){0, 1, 2, 3}, "vertex 4");
}

// Flat to rounding, somewhere in space: the volume is a few units of the last place of nothing.
static void test_refuses_flat_to_rounding(void)
{
    for (int round = 0; round < 100; round++) {
        const double flat[12] = {0, 0, 0, 1, 0, 0, 0.3, 1, 0, 0.6, 0.6, 0};
        double R[9], x[12];
        random_rotation(R);
        for (int i = 0; i < 12; i++) {
            const double *row = R + i % 3 * 3, *X = flat + i / 3 * 3;
            x[i] = row[0] * X[0] + row[1] * X[1] + row[2] * X[2];
        }
        refuse(4, x, 1, (const int32_t[]){0, 1, 2, 3}, "tet 0");
    }
}

static void test_bad_material(void)
{
    pl_mesh *mesh = make("ring");
    pl_material_options material = pl_material_options_default();
    material.young = NAN;
    const pl_fem_source source = {mesh, &material};
    pl_fem fem;
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fem_create(1, &source, &fem, &A));
    pl_mesh_destroy(mesh);
}

static void test_allocation_failures(void)
{
    set s = {0};
    add(&s, make("ring"), 0);
    add(&s, make("cube:cells=2"), 1);
    live_blocks = 0;
    int64_t n = 0;
    for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; n++) {
        fail_nth(n);
        status = pl_fem_create(s.n, s.source, &s.fem, &s.A);
        if (status == PL_OK) break;
        TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, status);
        TEST_ASSERT_EQUAL_INT64(0, live_blocks);
    }
    TEST_ASSERT_TRUE(n > 10);
    pl_fem_free(&s.fem);
    pl_bsr_free(&s.A);
    TEST_ASSERT_EQUAL_INT64(0, live_blocks);
    fail_never();
    destroy(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_against_dense);
    RUN_TEST(test_several_bodies);
    RUN_TEST(test_seams);
    RUN_TEST(test_mass_and_base);
    RUN_TEST(test_energy_of_a_barrier);
    RUN_TEST(test_wide_equals_plain);
    RUN_TEST(test_same_bits_for_any_number_of_threads);
    RUN_TEST(test_patches);
    RUN_TEST(test_symmetry);
    RUN_TEST(test_mass);
    RUN_TEST(test_stress);
    RUN_TEST(test_inverted);
    RUN_TEST(test_refuses);
    RUN_TEST(test_refuses_flat_to_rounding);
    RUN_TEST(test_bad_material);
    RUN_TEST(test_allocation_failures);
    return UNITY_END();
}
