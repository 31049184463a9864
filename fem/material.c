#include "material.h"

// The strain from which on Ogden's energy is continued is made of a bound of its kernel.
#define PL_LANES 1
#include "ogden.h"

#include <math.h>

pl_material_options pl_material_options_default(void)
{
    return (pl_material_options){.kind = PL_MATERIAL_COROTATIONAL,
                                 .young = 5e5,
                                 .poisson = 0.2,
                                 .density = 1000,
                                 .stretch_limit = NAN,
                                 .mooney_share = 0.2,
                                 .ogden_exponent = 8};
}

// With more, a thin fibre has less energy than the body at rest.
static const double MOONEY_SHARE_MAX = 0.8;

// Fat has 20 to 25; with more, a stretch of 3/2 already makes Y the parabola that continues it.
static const double OGDEN_EXPONENT_MAX = 50;

// The default of stretch_limit; fem/README.md has what was measured. One linear step next to a flat
// tet inverts it again where the limit is low, which Newton's method does not.
static const double LIMIT = 0.05, LOW_LIMIT = 0.001;

// Below this principal stretch a material with a barrier counts as flat. Its square's inverse,
// times any modulus, is a number of single precision still.
static const double FLAT = 1e-9;

// Is rest the only state that an element falls back to? Energies with (J - 1)^2 or (log J)^2 take a
// positive factor for that: lambda, or Mooney-Rivlin's l = lambda - 4 c2.
static pl_status check_minimum(const pl_material_options *o)
{
    bool quadratic = o->kind == PL_MATERIAL_COROTATIONAL || o->kind == PL_MATERIAL_STVK;
    if (o->poisson < 0 && !quadratic) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "poisson: %g is below 0, which only the co-rotational material and "
                       "St. Venant-Kirchhoff's allow",
                       o->poisson);
    }
    double share = o->poisson / (1 - 2 * o->poisson); // lambda / 2 mu
    if (o->kind == PL_MATERIAL_MOONEY_RIVLIN && o->mooney_share > share) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "mooney_share: %g is above nu / (1 - 2 nu) = %g: rest would not be the only "
                       "state without forces",
                       o->mooney_share, share);
    }
    return PL_OK;
}

bool pl_material_has_logarithm(pl_material_kind kind)
{
    return kind == PL_MATERIAL_NEO_HOOKEAN || kind == PL_MATERIAL_MOONEY_RIVLIN ||
           kind == PL_MATERIAL_OGDEN;
}

static pl_status check(const pl_material_options *o)
{
    // Negated, so that a NaN is refused too.
    if ((int)o->kind < 0 || o->kind > PL_MATERIAL_OGDEN) {
        return pl_fail(PL_ERROR_ARGUMENT, "kind: %d is not a material", (int)o->kind);
    }
    if (!(o->young > 0 && isfinite(o->young))) {
        return pl_fail(PL_ERROR_ARGUMENT, "young: %g is not above 0 Pa", o->young);
    }
    if (!(o->poisson > -1 && o->poisson < 0.5)) {
        return pl_fail(PL_ERROR_ARGUMENT, "poisson: %g is not between -1 and 0.5", o->poisson);
    }
    if (!(o->density > 0 && isfinite(o->density))) {
        return pl_fail(PL_ERROR_ARGUMENT, "density: %g is not above 0 kg/m^3", o->density);
    }
    if (!(o->mass_damping >= 0 && isfinite(o->mass_damping))) {
        return pl_fail(PL_ERROR_ARGUMENT, "mass_damping: %g is below 0", o->mass_damping);
    }
    if (!(o->stiffness_damping >= 0 && isfinite(o->stiffness_damping))) {
        return pl_fail(PL_ERROR_ARGUMENT, "stiffness_damping: %g is below 0", o->stiffness_damping);
    }
    if (!isnan(o->stretch_limit) && !(o->stretch_limit >= 0 && o->stretch_limit < 1)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "stretch_limit: %g is not 0, for none, nor between 0 and 1",
                       o->stretch_limit);
    }
    if (!(o->mooney_share >= 0 && o->mooney_share <= MOONEY_SHARE_MAX)) {
        return pl_fail(PL_ERROR_ARGUMENT, "mooney_share: %g is not from 0 to %g", o->mooney_share,
                       MOONEY_SHARE_MAX);
    }
    if (!(fabs(o->ogden_exponent) <= OGDEN_EXPONENT_MAX)) {
        return pl_fail(PL_ERROR_ARGUMENT, "ogden_exponent: %g is not from %g to %g",
                       o->ogden_exponent, -OGDEN_EXPONENT_MAX, OGDEN_EXPONENT_MAX);
    }
    return check_minimum(o);
}

double pl_material_stretch_limit(const pl_material_options *options, bool iterates)
{
    if (!isnan(options->stretch_limit)) return options->stretch_limit;
    return iterates && pl_material_has_logarithm(options->kind) ? LOW_LIMIT : LIMIT;
}

pl_status pl_material_setup(const pl_material_options *options, pl_material *out)
{
    PL_TRY(check(options));
    double e = options->young, nu = options->poisson;
    double mu = 0.5 * e / (1 + nu), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
    double share = options->kind == PL_MATERIAL_MOONEY_RIVLIN ? options->mooney_share : 0;
    // Free of stress at rest: k = 2 c1 + 4 c2. Linear elasticity for small strains: mu = 2 (c1 +
    // c2) and lambda = 4 c2 + l.
    double c1 = 0.5 * mu * (1 - share), c2 = 0.5 * mu * share;
    double k = 2 * c1 + 4 * c2, l = lambda - 4 * c2;
    double limit = pl_material_stretch_limit(options, false);
    bool barrier = pl_material_has_logarithm(options->kind) && limit == 0;
    *out = (pl_material){.kind = options->kind,
                         .mu = mu,
                         .lambda = lambda,
                         .c1 = c1,
                         .c2 = c2,
                         .k = k,
                         .l = l,
                         .snh_mu = 4 * mu / 3,
                         .snh_lambda = lambda + 5 * mu / 6,
                         .alpha = options->ogden_exponent,
                         .b = PL_OGDEN_MOST / options->ogden_exponent,
                         .s0 = PL_MAX(limit, FLAT),
                         .barrier = barrier};
    return PL_OK;
}
