// Worlds: bodies that move, against formulas, laws of conservation and the promises of the header.

#include "../base/team.h"
#include "failing_alloc.h"
#include "matrix3.h"
#include "worlds.h"

// The bodies are small: one thread, but where threads are what is tested.
void setUp(void)
{
    pl_threads_set(1);
}

void tearDown(void)
{
    fail_never();
}

static pl_world_options weightless(pl_integrator integrator, double dt)
{
    pl_world_options options = no_contact();
    options.integrator = integrator;
    options.dt = dt;
    options.gravity[2] = 0;
    return options;
}

static pl_energy energy_of(pl_world *world)
{
    pl_energy energy;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &energy));
    return energy;
}

static double norm3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// --- Statics: a few implicit steps so long that inertia does not matter ---

// Adds the traction t along `along` on the faces of the body whose corners all have the coordinate
// `at` of `axis`; the force of a face goes to its corners in equal parts.
static void add_traction(const pl_world *world, int32_t body, int axis, double at, int along,
                         double t, double *force)
{
    const pl_mesh *mesh = pl_world_mesh(world, body);
    const double *x = pl_mesh_positions(mesh);
    const int32_t *face = pl_mesh_faces(mesh);
    for (int32_t f = 0; f < pl_mesh_face_count(mesh); f++) {
        const double *p[3];
        bool on = true;
        for (int k = 0; k < 3; k++) {
            p[k] = x + 3 * face[3 * f + k];
            on = on && fabs(p[k][axis] - at) < 1e-9;
        }
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        double area = 0.5 * fabs((p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) -
                                 (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]));
        for (int k = 0; on && k < 3; k++) force[3 * face[3 * f + k] + along] += t * area / 3;
    }
}

// What the closed forms of uniaxial tension leave over at the stretches s along and a across:
// [nominal stress along - t, across].
static void tension_residual(int kind, double E, double nu, double share, double t, double s,
                             double a, double out[2])
{
    double mu = E / (2 * (1 + nu)), lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    double J = s * a * a, c1 = 0.5 * mu * (1 - share), c2 = 0.5 * mu * share;
    double pull = (lambda - 4 * c2) * log(J) - 2 * c1 - 4 * c2;
    switch (kind) {
    case PL_MATERIAL_COROTATIONAL: // Hooke
        out[0] = E * (s - 1) - t;
        out[1] = E * (a - 1 + nu * (s - 1));
        break;
    case PL_MATERIAL_STVK: // Hooke for Green's strain and the second Piola-Kirchhoff stress
        out[0] = 0.5 * E * s * (s * s - 1) - t;
        out[1] = 0.5 * E * (a * a - 1 + nu * (s * s - 1));
        break;
    case PL_MATERIAL_FIXED_COROTATED:
        out[0] = 2 * mu * (s - 1) + lambda * (J - 1) * a * a - t;
        out[1] = 2 * mu * (a - 1) + lambda * (J - 1) * a * s;
        break;
    case PL_MATERIAL_NEO_HOOKEAN:
        out[0] = mu * (s - 1 / s) + lambda * log(J) / s - t;
        out[1] = mu * (a - 1 / a) + lambda * log(J) / a;
        break;
    case PL_MATERIAL_STABLE_NEO_HOOKEAN: { // P = mu (1 - 1 / (I + 1)) F + lambda (J - alpha) dJ/dF
        double m = 4 * mu / 3, l = lambda + 5 * mu / 6, alpha = 1 + m / l - m / (4 * l);
        double stiffness = m * (1 - 1 / (s * s + 2 * a * a + 1));
        out[0] = stiffness * s + l * (J - alpha) * a * a - t;
        out[1] = stiffness * a + l * (J - alpha) * a * s;
        break;
    }
    case PL_MATERIAL_OGDEN: // with the default exponent
        out[0] = (mu / 4 * (pow(s, 8) - 1) + lambda * log(J)) / s - t;
        out[1] = (mu / 4 * (pow(a, 8) - 1) + lambda * log(J)) / a;
        break;
    default:
        out[0] = 2 * s * (c1 + 2 * c2 * a * a) + pull / s - t;
        out[1] = 2 * a * (c1 + c2 * (a * a + s * s)) + pull / a;
    }
}

static void stretch_bar(int kind, double share_of_E)
{
    pl_world_options options = weightless(PL_INTEGRATOR_IMPLICIT, 10);
    options.tolerance = options.newton_tolerance = 1e-12;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.kind = (pl_material_kind)kind;
    body.material.poisson = 0.3;
    int32_t bar = add_body(world, "box:size=0.5,0.5,2:cells=2,2,6", &body);
    int32_t n = pl_world_vertex_count(world, bar);
    double t = share_of_E * body.material.young, *force = calloc(3 * (size_t)n, sizeof *force);
    add_traction(world, bar, 2, 1, 2, t, force);
    add_traction(world, bar, 2, -1, 2, -t, force);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, bar, force));
    step(world, 6);
    // The state must be homogeneous: x = F X + c. The bar may have turned as a whole.
    const double *X = pl_mesh_positions(pl_world_mesh(world, bar)),
                 *x = pl_world_positions(world, bar);
    double F[9] = {0}, c[3] = {0}, square[3] = {0}, stretch[3], residual[2];
    for (int32_t i = 0; i < n; i++) { // X is symmetric about the origin and the axes
        for (int k = 0; k < 3; k++) {
            c[k] += x[3 * i + k] / n;
            square[k] += X[3 * i + k] * X[3 * i + k];
        }
        for (int k = 0; k < 9; k++) F[k] += x[3 * i + k / 3] * X[3 * i + k % 3];
    }
    for (int k = 0; k < 9; k++) F[k] /= square[k % 3];
    for (int32_t i = 0; i < 3 * n; i++) {
        const double *row = F + i % 3 * 3, *p = X + i / 3 * 3;
        double there = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + c[i % 3];
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, there, x[i]);
    }
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        stretch[k] = norm3((const double[]){F[k], F[3 + k], F[6 + k]});
        double shear = F[k] * F[l] + F[3 + k] * F[3 + l] + F[6 + k] * F[6 + l];
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, shear);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, stretch[0], stretch[1]);
    TEST_ASSERT_TRUE(stretch[2] > 1 && stretch[0] < 1);
    tension_residual(kind, body.material.young, 0.3, body.material.mooney_share, t, stretch[2],
                     stretch[0], residual);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9 * body.material.young, 0, residual[0],
                                      material_names[kind]);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9 * body.material.young, 0, residual[1],
                                      material_names[kind]);
    free(force);
    pl_world_destroy(world);
}

static void test_uniaxial_stretch(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        stretch_bar(kind, 0.02);
        stretch_bar(kind, 0.4);
    }
}

// Deflection of a clamped beam under a load at its tip, `cells` cells high and wide.
static double bend(int cells, double length, double load, const pl_material_options *material)
{
    char description[64];
    pl_world_options options = weightless(PL_INTEGRATOR_IMPLICIT, 1000);
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material = *material;
    snprintf(description, sizeof description, "box:size=%g,1,1:cells=%d,%d,%d", length,
             (int)length * cells, cells, cells);
    int32_t beam = add_body(world, description, &body), *list;
    int32_t n = pl_world_vertex_count(world, beam);
    double *force = calloc(3 * (size_t)n, sizeof *force), deflection = 0;
    add_traction(world, beam, 0, length / 2, 2, -load, force);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, beam, force));
    int32_t n_clamped = select_vertices(world, beam, 0, -length / 2, -length / 2 + 1e-9, &list);
    TEST_ASSERT_EQUAL_INT((cells + 1) * (cells + 1), n_clamped);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, beam, n_clamped, list, NULL));
    free(list);
    step(world, 1);
    const double *X = pl_mesh_positions(pl_world_mesh(world, beam)),
                 *x = pl_world_positions(world, beam);
    int32_t n_tip = select_vertices(world, beam, 0, length / 2 - 1e-9, length / 2, &list);
    for (int32_t i = 0; i < n_tip; i++) {
        deflection += (X[3 * list[i] + 2] - x[3 * list[i] + 2]) / n_tip;
    }
    free(list);
    free(force);
    pl_world_destroy(world);
    return deflection;
}

// Timoshenko's beam without Poisson's effect: F L^3 / 3 E I + F L / kappa G A, kappa = 5/6. Linear
// tets lock, so that coarse meshes bend too little, and the error falls with the square of the
// size.
static void test_cantilever(void)
{
    pl_material_options material = pl_material_options_default();
    material.poisson = 0;
    const double L = 6, load = 1e-6 * material.young;
    double shear = 0.5 * material.young;
    double beam = load * (4 * L * L * L / material.young + L / (5. / 6 * shear));
    double error[3];
    for (int i = 0; i < 3; i++) {
        double deflection = bend(2 << i, L, load, &material);
        error[i] = 1 - deflection / beam;
        TEST_ASSERT_TRUE(error[i] > 0);
    }
    TEST_ASSERT_TRUE(error[1] < 0.4 * error[0]);
    TEST_ASSERT_TRUE(error[2] < 0.3 * error[1]);
    TEST_ASSERT_TRUE(error[2] < 0.06);
    // Extrapolated to cells of size 0, it is the beam but for the clamped end.
    double rest = (4 * error[2] - error[1]) / 3;
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, rest);
}

// --- Laws of conservation ---

static void check_momentum(pl_integrator integrator, int steps)
{
    pl_world_options options = weightless(integrator, 2e-3);
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    for (int k = 0; k < 3; k++) {
        body.velocity[k] = 1 + k;
        body.angular_velocity[k] = 3 - 2 * k;
    }
    body.material.stiffness_damping = 1e-4;
    int32_t ring = add_body(world, "ring", &body), n = pl_world_vertex_count(world, ring);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, pl_world_positions(world, ring), 3 * (size_t)n * sizeof *x);
    for (int32_t i = 0; i < n; i++) {
        x[3 * i] *= 1.3;
        x[3 * i + 2] += 0.1 * x[3 * i];
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, ring, x, NULL));
    free(x);
    pl_energy start = energy_of(world);
    step(world, steps);
    pl_energy end = energy_of(world);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * norm3(start.momentum), start.momentum[k], end.momentum[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * norm3(start.angular_momentum), start.angular_momentum[k],
                                  end.angular_momentum[k]);
    }
    pl_world_destroy(world);
}

static void test_momentum(void)
{
    check_momentum(PL_INTEGRATOR_SEMI_IMPLICIT, 1000);
    check_momentum(PL_INTEGRATOR_IMPLICIT, 1000);
}

// With forces and mass damping, the momenta follow their own equations.
static void test_momentum_of_loads(void)
{
    pl_world_options options = no_contact();
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.mass_damping = 0.5;
    body.velocity[0] = 2;
    body.angular_velocity[1] = 1;
    add_body(world, "cube:cells=2", &body);
    pl_energy start = energy_of(world);
    double mass = body.material.density; // the cube has a volume of 1
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, mass * 2, start.momentum[0]);
    // Of the centre, which starts at the origin, and about it.
    double x[3] = {0}, v[3] = {2, 0, 0}, spin = norm3(start.angular_momentum);
    for (int i = 0; i < 50; i++) {
        step(world, 1);
        for (int k = 0; k < 3; k++) {
            v[k] = (v[k] + options.dt * options.gravity[k]) / (1 + options.dt * 0.5);
            x[k] += options.dt * v[k];
        }
        spin /= 1 + options.dt * 0.5;
    }
    pl_energy end = energy_of(world);
    double about[3];
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * mass * norm3(v), mass * v[k], end.momentum[k]);
        about[k] = end.angular_momentum[k] - mass * (x[a] * v[b] - x[b] * v[a]);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-7 * spin, spin, norm3(about));
    pl_world_destroy(world);
}

static void test_free_fall(void)
{
    for (int integrator = 0; integrator < 2; integrator++) {
        pl_world_options options = no_contact();
        options.integrator = (pl_integrator)integrator;
        options.dt = 0.01;
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.velocity[0] = 1.5;
        int32_t cube = add_body(world, "cube:cells=3", &body);
        const int n = 100;
        step(world, n);
        // x = x0 + n dt v0 + dt^2 g n (n + 1) / 2
        double fall[3] = {1.5 * n * 0.01, 0, options.gravity[2] * 1e-4 * n * (n + 1) / 2};
        const double *X = pl_mesh_positions(pl_world_mesh(world, cube)),
                     *x = pl_world_positions(world, cube), *v = pl_world_velocities(world, cube);
        for (int32_t i = 0; i < 3 * pl_world_vertex_count(world, cube); i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, X[i] + fall[i % 3], x[i]);
            double speed = i % 3 == 0 ? 1.5 : i % 3 == 1 ? 0 : options.gravity[2] * n * 0.01;
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, speed, v[i]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, pl_world_time(world));
        pl_world_destroy(world);
    }
}

// Without outer forces, and damped, the energy of a step never grows.
static void test_energy_falls(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (int integrator = 0; integrator < 2; integrator++) {
            pl_world_options options = weightless((pl_integrator)integrator, 2e-3);
            pl_world *world = make_world(&options);
            pl_deformable_options body = pl_deformable_options_default();
            body.material.kind = (pl_material_kind)kind;
            body.material.stiffness_damping = 1e-3;
            body.angular_velocity[2] = 2;
            int32_t cube = add_body(world, "cube:cells=3", &body);
            int32_t n = 3 * pl_world_vertex_count(world, cube);
            double *x = malloc((size_t)n * sizeof *x);
            memcpy(x, pl_world_positions(world, cube), (size_t)n * sizeof *x);
            for (int32_t i = 0; i < n; i++) x[i] *= i % 3 == 0 ? 1.2 : i % 3 == 1 ? 0.9 : 1;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
            free(x);
            pl_energy e = energy_of(world);
            double last = e.kinetic + e.elastic;
            for (int i = 0; i < 200; i++) {
                step(world, 1);
                e = energy_of(world);
                TEST_ASSERT_TRUE_MESSAGE(e.kinetic + e.elastic <= last * (1 + 1e-9),
                                         material_names[kind]);
                last = e.kinetic + e.elastic;
            }
            pl_world_destroy(world);
        }
    }
}

// --- Scrambled bodies ---

// A cube whose vertices were put anywhere in it, after two seconds: elastic and kinetic energy. The
// high stretch limit is for such tangles (fem/README.md); crushed bodies want a low one.
static pl_energy unscramble(int kind, pl_integrator integrator, double dt, uint64_t seed)
{
    pl_world_options options = weightless(integrator, dt);
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.kind = (pl_material_kind)kind;
    body.material.mass_damping = 1;
    body.material.stiffness_damping = 2e-3;
    body.material.stretch_limit = 0.7;
    int32_t cube = add_body(world, "cube:cells=3", &body);
    int32_t n = 3 * pl_world_vertex_count(world, cube);
    double *x = malloc((size_t)n * sizeof *x);
    random_state = seed;
    for (int32_t i = 0; i < n; i++) x[i] = random_between(-0.5, 0.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
    free(x);
    step(world, (int)(2 / dt));
    pl_energy energy = energy_of(world);
    pl_world_destroy(world);
    return energy;
}

// At the start it is of the order of 1e6 J.
static const double UNSCRAMBLED = 0.1;

// St. Venant-Kirchhoff's energy depends on the squares of the stretches alone: an element turned
// inside out is as much at rest as one that is not, and elements crushed flat are in equilibrium.
// A tangle of such elements holds itself.
static void test_scrambled_cubes_return(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (uint64_t seed = 1; seed < 4; seed++) {
            pl_energy e = unscramble(kind, PL_INTEGRATOR_IMPLICIT, 0.01, seed * 7919);
            bool back = e.elastic < UNSCRAMBLED && e.kinetic < UNSCRAMBLED;
            TEST_ASSERT_EQUAL_MESSAGE(kind != PL_MATERIAL_STVK, back, material_names[kind]);
        }
    }
}

static void test_scrambled_cubes_return_semi_implicitly(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        if (kind == PL_MATERIAL_STVK) continue;
        pl_energy e = unscramble(kind, PL_INTEGRATOR_SEMI_IMPLICIT, 2e-3, 104729);
        TEST_ASSERT_TRUE_MESSAGE(e.elastic < UNSCRAMBLED, material_names[kind]);
        TEST_ASSERT_TRUE_MESSAGE(e.kinetic < UNSCRAMBLED, material_names[kind]);
    }
}

// Whatever it starts from, Newton's method must arrive: long steps, nearly incompressible. Through
// inverted tets there is a way only where energies are continued some way from zero volume.
static void test_newton_from_anywhere(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (int k = 0; k < 2; k++) {
            pl_world_options options = weightless(PL_INTEGRATOR_IMPLICIT, k == 0 ? 0.1 : 0.01);
            pl_world *world = make_world(&options);
            pl_deformable_options body = pl_deformable_options_default();
            body.material.kind = (pl_material_kind)kind;
            body.material.poisson = k == 0 ? 0.3 : 0.45;
            body.material.stretch_limit = 0.05;
            int32_t cube = add_body(world, k == 0 ? "cube:cells=3" : "cube:cells=5", &body);
            int32_t n = 3 * pl_world_vertex_count(world, cube);
            double *x = malloc((size_t)n * sizeof *x);
            for (int32_t i = 0; i < n; i++) x[i] = random_between(-0.5, 0.5);
            TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
            free(x);
            for (int i = 0; i < 5; i++) {
                pl_step_stats stats;
                pl_status status = pl_world_step(world, &stats);
                TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, material_names[kind]);
                // The last correction was below 1e-3; this is about the next one.
                TEST_ASSERT_TRUE(stats.imbalance <= 5e-3);
            }
            pl_world_destroy(world);
        }
    }
}

// The elastic energy of a cube of a material with logarithms that is pressed to a hundredth of its
// height, the material being set anew or not.
static double pressed(pl_integrator integrator, bool vj19, double limit, bool set)
{
    pl_world_options options = weightless(integrator, 0.01);
    options.vj19 = vj19;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    body.material.stretch_limit = set ? 0.5 : limit;
    int32_t cube = add_body(world, "cube:cells=1", &body);
    double x[24];
    body.material.stretch_limit = limit;
    if (set) TEST_ASSERT_EQUAL(PL_OK, pl_world_set_material(world, cube, &body.material));
    memcpy(x, pl_world_positions(world, cube), sizeof x);
    for (int i = 0; i < 8; i++) x[3 * i + 2] *= 0.01;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
    double energy = energy_of(world).elastic;
    pl_world_destroy(world);
    return energy;
}

// A stretch limit that is not named: low where steps iterate, so that no tet inverts.
static void test_stretch_limit_by_default(void)
{
    static const pl_integrator iterating[] = {PL_INTEGRATOR_AUTO, PL_INTEGRATOR_IMPLICIT,
                                              PL_INTEGRATOR_BDF2, PL_INTEGRATOR_STATIC};
    double low = pressed(PL_INTEGRATOR_AUTO, false, 0.001, false);
    double high = pressed(PL_INTEGRATOR_AUTO, false, 0.05, false);
    double unnamed = pl_material_options_default().stretch_limit;
    TEST_ASSERT_TRUE(low > 1.05 * high);
    for (int set = 0; set < 2; set++) {
        for (int i = 0; i < 4; i++) {
            TEST_ASSERT_EQUAL_DOUBLE(low, pressed(iterating[i], false, unnamed, set != 0));
        }
        TEST_ASSERT_EQUAL_DOUBLE(high,
                                 pressed(PL_INTEGRATOR_SEMI_IMPLICIT, false, unnamed, set != 0));
        TEST_ASSERT_EQUAL_DOUBLE(high, pressed(PL_INTEGRATOR_AUTO, true, unnamed, set != 0));
    }
}

// Nothing moves, nothing pulls: there is no scale to converge by but rounding.
static void test_rest_stays_at_rest(void)
{
    for (int integrator = 0; integrator < 3; integrator++) {
        for (int kind = 0; kind < N_MATERIALS; kind++) {
            pl_world_options options = weightless((pl_integrator)integrator, 0.01);
            pl_world *world = make_world(&options);
            pl_deformable_options body = pl_deformable_options_default();
            body.material.kind = (pl_material_kind)kind;
            pl_mesh *mesh = make_mesh("cube:cells=3");
            int32_t n = pl_mesh_vertex_count(mesh), cube;
            const double far[12] = {1, 0, 0, 1000, 0, 1, 0, -300, 0, 0, 1, 77};
            TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, far));
            TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &body, &cube));
            step(world, 20);
            const double *x = pl_world_positions(world, cube), *X = pl_mesh_positions(mesh);
            for (int32_t i = 0; i < 3 * n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-11, X[i], x[i]);
            pl_mesh_destroy(mesh);
            pl_world_destroy(world);
        }
    }
}

// --- Driven vertices ---

static void test_driven_vertices_arrive(void)
{
    for (int integrator = 0; integrator < 3; integrator++) {
        pl_world_options options = no_contact();
        options.integrator = (pl_integrator)integrator;
        options.dt = 0.01;
        pl_world *world = make_world(&options);
        int32_t bar = add_body(world, "box:size=0.2,0.2,1:cells=2,2,5", NULL), *low, *high;
        int32_t n_low = select_vertices(world, bar, 2, -0.5, -0.49, &low);
        int32_t n_high = select_vertices(world, bar, 2, 0.49, 0.5, &high);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, bar, n_low, low, NULL));
        pl_motion motion = pl_motion_default();
        motion.rate = 2;
        motion.velocity[2] = 0.1;
        motion.end = 0.5;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, bar, n_high, high, &motion));
        const double *X = pl_mesh_positions(pl_world_mesh(world, bar));
        for (int i = 1; i <= 60; i++) {
            step(world, 1);
            const double *x = pl_world_positions(world, bar);
            for (int32_t k = 0; k < n_low; k++) {
                for (int c = 0; c < 3; c++) {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-15, X[3 * low[k] + c], x[3 * low[k] + c]);
                }
            }
            double t = 0.01 * i, away = 0;
            for (int32_t k = 0; k < n_high; k++) {
                const double *p = X + 3 * high[k], *q = x + 3 * high[k];
                double turned[3] = {p[0] * cos(2 * t) - p[1] * sin(2 * t),
                                    p[0] * sin(2 * t) + p[1] * cos(2 * t), p[2] + 0.1 * t};
                for (int c = 0; c < 3; c++) away = fmax(away, fabs(q[c] - turned[c]));
            }
            // From 0.5 s on it is let go, and springs back.
            TEST_ASSERT_TRUE(i <= 50 ? away < 1e-14 : i == 51 || away > 1e-6);
        }
        free(low);
        free(high);
        pl_world_destroy(world);
    }
}

// --- Bits and memory ---

static uint64_t run_hash(int threads, pl_integrator integrator, int cells, int steps)
{
    char description[32];
    pl_threads_set(threads);
    pl_world_options options = no_contact();
    options.integrator = integrator;
    options.dt = 5e-3;
    pl_world *world = make_world(&options);
    pl_deformable_options body = pl_deformable_options_default();
    body.angular_velocity[0] = 1;
    snprintf(description, sizeof description, "cube:cells=%d", cells);
    int32_t cube = add_body(world, description, &body), *list;
    body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    add_body(world, "ring", &body);
    int32_t n = select_vertices(world, cube, 2, 0.49, 0.5, &list);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, cube, n, list, NULL));
    free(list);
    pl_step_stats stats = {0};
    for (int i = 0; i < steps; i++) TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
    uint64_t hash = pl_world_hash(world);
    TEST_ASSERT_EQUAL_HEX64(hash, stats.hash);
    pl_world_destroy(world);
    return hash;
}

static void test_same_bits_for_any_number_of_threads(void)
{
    // The larger one has enough rows for the solvers to work in parallel.
    for (int k = 0; k < 4; k++) {
        const pl_integrator integrator = k == 1   ? PL_INTEGRATOR_IMPLICIT
                                         : k == 3 ? PL_INTEGRATOR_BDF2
                                                  : PL_INTEGRATOR_SEMI_IMPLICIT;
        int cells = k >= 2 ? 21 : 6, steps = k >= 2 ? k : 10;
        uint64_t hash = run_hash(1, integrator, cells, steps);
        TEST_ASSERT_EQUAL_HEX64(hash, run_hash(2, integrator, cells, steps));
        TEST_ASSERT_EQUAL_HEX64(hash, run_hash(4, integrator, cells, steps));
    }
}

// Every call of the C library's allocator, whoever makes it, in this program.
static int64_t heap_calls;

#if !defined(PL_OWN_HEAP) && defined(__GLIBC__)
#define COUNTS_HEAP 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    __atomic_fetch_add(&heap_calls, 1, __ATOMIC_RELAXED);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    __atomic_fetch_add(&heap_calls, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    __atomic_fetch_add(&heap_calls, 1, __ATOMIC_RELAXED);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    __atomic_fetch_add(&heap_calls, 1, __ATOMIC_RELAXED);
    return __libc_memalign(alignment, size);
}
#else
#define COUNTS_HEAP 0
#endif

static void test_no_heap_call_in_a_step(void)
{
    for (int k = 0; k < 6; k++) {
        pl_threads_set(k < 3 ? 1 : 2);
        pl_world_options options = no_contact();
        options.integrator = (pl_integrator)(k % 3);
        options.dt = 5e-3;
        fail_nth(-1); // none fails; all are counted
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
        body.material.stiffness_damping = 1e-3;
        int32_t cube = add_body(world, "cube:cells=4", &body), *list;
        int32_t n = select_vertices(world, cube, 2, 0.49, 0.5, &list);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, cube, n, list, NULL));
        free(list);
        step(world, 2); // the first builds the system, and makes threads
        int64_t ours = allocations, all = heap_calls;
        step(world, 5);
        TEST_ASSERT_EQUAL_INT64(ours, allocations);
        if (COUNTS_HEAP) TEST_ASSERT_EQUAL_INT64(all, heap_calls);
        pl_world_destroy(world);
        fail_never();
    }
}

static pl_status build_and_step(pl_integrator integrator)
{
    pl_world_options options = no_contact();
    options.integrator = integrator;
    pl_world *world = NULL;
    pl_mesh *mesh = NULL;
    int32_t body;
    const int32_t vertex[2] = {5, 1};
    pl_status status = pl_mesh_make("ring", &mesh);
    if (status == PL_OK) status = pl_world_create(&options, &world);
    if (status == PL_OK) status = pl_world_add_deformable(world, mesh, NULL, &body);
    if (status == PL_OK) status = pl_world_add_deformable(world, mesh, NULL, &body);
    if (status == PL_OK) status = pl_world_drive(world, body, 2, vertex, NULL);
    if (status == PL_OK) status = pl_world_step(world, NULL);
    pl_world_destroy(world);
    pl_mesh_destroy(mesh);
    return status;
}

static void test_allocation_failures(void)
{
    for (int integrator = 0; integrator < 3; integrator++) {
        live_blocks = 0;
        int64_t n = 0;
        for (;; n++) {
            fail_nth(n);
            pl_status status = build_and_step((pl_integrator)integrator);
            TEST_ASSERT_EQUAL_INT64(0, live_blocks);
            if (status == PL_OK) break;
            TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, status);
        }
        TEST_ASSERT_TRUE(n > 30);
    }
}

// --- Failures ---

static void expect_unchanged(pl_world *world, pl_status expected)
{
    uint64_t hash = pl_world_hash(world);
    int64_t steps = pl_world_steps(world);
    double time = pl_world_time(world);
    TEST_ASSERT_EQUAL_MESSAGE(expected, pl_world_step(world, NULL), pl_error_text());
    TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
    TEST_ASSERT_EQUAL_INT64(steps, pl_world_steps(world));
    TEST_ASSERT_EQUAL_DOUBLE(time, pl_world_time(world));
}

static void test_failed_solves_change_nothing(void)
{
    for (int integrator = 0; integrator < 3; integrator++) {
        pl_world_options options = no_contact();
        options.integrator = (pl_integrator)integrator;
        options.max_iterations = 1;
        options.max_newton = 1;
        options.tolerance = options.newton_tolerance = 1e-12;
        pl_world *world = make_world(&options);
        int32_t cube = add_body(world, "cube:cells=3", NULL);
        step(world, 3); // free fall needs no iteration
        int32_t n = 3 * pl_world_vertex_count(world, cube);
        double *x = malloc((size_t)n * sizeof *x);
        for (int32_t i = 0; i < n; i++) x[i] = random_between(-0.5, 0.5);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
        expect_unchanged(world, PL_ERROR_NUMERICS);
        // Numbers that overflow.
        for (int32_t i = 0; i < n; i++) x[i] = i % 2 == 0 ? 1e200 : -1e200;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, x, NULL));
        expect_unchanged(world, PL_ERROR_NUMERICS);
        // And back again.
        TEST_ASSERT_EQUAL(
            PL_OK,
            pl_world_set_state(world, cube, pl_mesh_positions(pl_world_mesh(world, cube)), NULL));
        step(world, 1);
        free(x);
        pl_world_destroy(world);
    }
}

// From one state, once with what was gained in the last step and once without: set_state forgets
// it. The cube hangs and has come to rest, which free fall is far from.
static void test_a_step_starts_where_the_last_one_leads(void)
{
    int32_t iterations[2];
    for (int forgets = 0; forgets < 2; forgets++) {
        pl_world_options options = no_contact();
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.material.stiffness_damping = 0.1;
        int32_t cube = add_body(world, "cube:cells=3", &body);
        for (int32_t i = 0; i < 4; i++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, cube, 1, &i, NULL));
        }
        step(world, 100);
        if (forgets) TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, cube, NULL, NULL));
        pl_step_stats stats;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
        iterations[forgets] = stats.iterations;
        pl_world_destroy(world);
    }
    TEST_ASSERT_TRUE(iterations[0] < iterations[1]);
}

#define REFUSE_WORLD(field, value)                                                                 \
    do {                                                                                           \
        pl_world_options options = no_contact();                                                   \
        options.field = value;                                                                     \
        pl_world *world = (pl_world *)1;                                                           \
        expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), #field);              \
        TEST_ASSERT_NULL(world);                                                                   \
    } while (0)

static void test_world_options(void)
{
    REFUSE_WORLD(dt, 0);
    REFUSE_WORLD(dt, -1);
    REFUSE_WORLD(dt, NAN);
    REFUSE_WORLD(dt, INFINITY);
    REFUSE_WORLD(integrator, (pl_integrator)7);
    REFUSE_WORLD(tolerance, 0);
    REFUSE_WORLD(tolerance, 1);
    REFUSE_WORLD(tolerance, NAN);
    REFUSE_WORLD(max_iterations, 0);
    REFUSE_WORLD(newton_tolerance, -1);
    REFUSE_WORLD(max_newton, 0);
    pl_world_options options = no_contact();
    options.gravity[1] = NAN;
    pl_world *world;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), "gravity");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_create(NULL, &world));
    step(world, 1); // a world may be empty
    pl_world_destroy(world);
    pl_world_destroy(NULL);
}

static void test_bad_calls(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *mesh = make_mesh("ring");
    pl_deformable_options options = pl_deformable_options_default();
    int32_t body, vertex = 72;
    options.velocity[1] = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, mesh, &options, &body),
                   "velocity");
    options = pl_deformable_options_default();
    options.angular_velocity[1] = INFINITY;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, mesh, &options, &body),
                   "angular_velocity");
    options = pl_deformable_options_default();
    options.material.density = 0;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, mesh, &options, &body),
                   "density");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, NULL, &body));
    expect_failure(PL_ERROR_ARGUMENT, pl_world_drive(world, 1, 1, &vertex, NULL), "body 1");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_drive(world, 0, 1, &vertex, NULL), "vertex 72");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_drive(world, 0, 1, NULL, NULL), "vertex");
    double bad[3 * 72] = {0};
    bad[100] = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_state(world, 0, bad, NULL), "finite");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_state(world, 0, NULL, bad), "finite");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_forces(world, 0, bad), "force: not finite");
    bad[100] = INFINITY;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_forces(world, 0, bad), "force: not finite");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_forces(world, -1, NULL), "body -1");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_stress(world, 9, NULL, NULL), "body 9");
    TEST_ASSERT_EQUAL_INT(1, pl_world_body_count(world));
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_uniaxial_stretch);
    RUN_TEST(test_cantilever);
    RUN_TEST(test_momentum);
    RUN_TEST(test_momentum_of_loads);
    RUN_TEST(test_free_fall);
    RUN_TEST(test_energy_falls);
    RUN_TEST(test_scrambled_cubes_return);
    RUN_TEST(test_scrambled_cubes_return_semi_implicitly);
    RUN_TEST(test_newton_from_anywhere);
    RUN_TEST(test_stretch_limit_by_default);
    RUN_TEST(test_rest_stays_at_rest);
    RUN_TEST(test_driven_vertices_arrive);
    RUN_TEST(test_same_bits_for_any_number_of_threads);
    RUN_TEST(test_no_heap_call_in_a_step);
    RUN_TEST(test_allocation_failures);
    RUN_TEST(test_failed_solves_change_nothing);
    RUN_TEST(test_a_step_starts_where_the_last_one_leads);
    RUN_TEST(test_world_options);
    RUN_TEST(test_bad_calls);
    return UNITY_END();
}
