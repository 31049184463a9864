// The work of what moves by itself: kinematic bodies and driven vertices, which keep to their
// motion whatever it takes.
//
// What is solved balances impulses, A v = b + L^T f + J, with J those that keep the driven vertices
// on their way and f those of contacts. Over the step, J does the work J . v; a contact with the
// impulse F on its first feature does -F . sum w_i (x1_i - x0_i) / dt on others by those of its
// points i that belong to kinematic bodies. This is what can make the energy of a world rise, apart
// from outer forces that are not gravity.

#include "step.h"
#include "contact_step.h"
#include "joint_step.h"

// (A v - b) . v of one vertex.
static double balance(const pl_world *world, int64_t i)
{
    const pl_bsr *A = &world->system.A;
    double sum[3] = {0};
    for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
        const double *block = A->val + 9 * k, *v = world->system.v_new + 3 * (int64_t)A->col[k];
        for (int r = 0; r < 3; r++) {
            sum[r] += block[r] * v[0] + block[3 + r] * v[1] + block[6 + r] * v[2];
        }
    }
    for (int r = 0; r < 3; r++) sum[r] -= world->system.b[3 * i + r];
    return pl_dot(sum, world->system.v_new + 3 * i);
}

// What the surface of a body on a path moves farther than the point that carries it.
static void add_turning(const pl_boundary *boundary, const pl_row *row, int32_t p, double by[3])
{
    double arm[3], turning[3];
    pl_subtract(row->middle, boundary->x0 + 3 * (int64_t)p, arm);
    pl_cross(boundary->turn + 3 * (int64_t)boundary->body[p], arm, turning);
    for (int k = 0; k < 3; k++) by[k] += turning[k];
}

// What one contact takes from, or as work of kinematic bodies adds to, the bodies that move freely.
static double work_of_contact(const pl_world *world, int32_t i)
{
    const pl_contact_step *contact = world->contact;
    const pl_boundary *boundary = &contact->boundary;
    const pl_row *row = &contact->contacts.row[i];
    double f[3], F[3], work = 0;
    pl_contacts_total(&contact->contacts, i, f, F);
    if (f[0] == 0 && f[1] == 0 && f[2] == 0) return 0;
    for (int k = 0; k < 4 && row->point[k] >= 0; k++) {
        int32_t p = row->point[k];
        if (!pl_boundary_is_given(boundary, world->system.prescribed, p)) continue;
        double by[3];
        pl_subtract(boundary->x1 + 3 * (int64_t)p, boundary->x0 + 3 * (int64_t)p, by);
        if (row->round) add_turning(boundary, row, p, by);
        work -= row->weight[k] * pl_dot(F, by) / world->dt;
    }
    return work;
}

double pl_step_work(const pl_world *world)
{
    double work = 0;
    for (int64_t i = 0; i < world->bodies.n_driven; i++) {
        int64_t vertex = world->bodies.driven[i].vertex;
        if (world->system.prescribed[vertex] != 0) work += balance(world, vertex);
    }
    int32_t n = world->contact != NULL ? pl_contacts_count(&world->contact->contacts) : 0;
    for (int32_t i = 0; i < n; i++) work += work_of_contact(world, i);
    return work + pl_joint_step_work(world);
}
