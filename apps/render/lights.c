#include "lights.h"

static const double GOLDEN_ANGLE = 2.39996322972865332; // [rad]

static const double KEY_RADIUS = 0.11; // angular radius of the key light [rad]
static const double KEY_COLOR[3] = {1.12, 1.08, 1.01};
static const double KEY_GLOSS = 26;
static const double SKY_GLOSS = 7;
static const double ZENITH[3] = {0.44, 0.48, 0.54};
static const double HORIZON[3] = {0.22, 0.24, 0.28};
static const double FILL_COLOR[3] = {0.34, 0.40, 0.50}; // from the side opposite the key
static const double RIM_COLOR[3] = {0.75, 0.70, 0.64};  // from behind, to lift the outline
static const double FLOOR_COLOR[3] = {0.26, 0.245, 0.23};
static const double FILL_TURN = 1.9, RIM_TURN = 2.9; // azimuth from the key [rad]
static const double LOBE_ELEVATION = 0.5;            // of fill and rim [rad]
static const double LOBE_SHARPNESS = 5;

// A point of a sunflower's head: i of n, evenly over the unit disc.
static void disc_point(int i, int n, double *x, double *y)
{
    double r = sqrt((i + 0.5) / n), angle = i * GOLDEN_ANGLE;
    *x = r * cos(angle);
    *y = r * sin(angle);
}

// Direction i of n, evenly over the upper hemisphere.
static vec3 hemisphere_point(int i, int n)
{
    double z = (i + 0.5) / n, r = sqrt(1 - z * z), angle = i * GOLDEN_ANGLE;
    return (vec3){r * cos(angle), r * sin(angle), z};
}

// A soft light in the sky, turned from the key's azimuth.
static double lobe(vec3 direction, vec3 key, double turn)
{
    double azimuth = atan2(key.y, key.x) + turn;
    vec3 centre = {cos(LOBE_ELEVATION) * cos(azimuth), cos(LOBE_ELEVATION) * sin(azimuth),
                   sin(LOBE_ELEVATION)};
    return exp(LOBE_SHARPNESS * (vec3_dot(direction, centre) - 1));
}

void pl_lights_of_pass(vec3 key, int pass, int n_pass, pl_light out[PL_LIGHTS_PER_PASS])
{
    pl_light *light = out;
    vec3 u, v;
    vec3_frame(key, &u, &v);
    for (int k = 0; k < PL_KEY_LIGHTS; k++, light++) {
        double x, y;
        disc_point(pass * PL_KEY_LIGHTS + k, n_pass * PL_KEY_LIGHTS, &x, &y);
        vec3 shift = vec3_add(vec3_scale(u, x), vec3_scale(v, y));
        light->direction = vec3_unit(vec3_add(key, vec3_scale(shift, tan(KEY_RADIUS))));
        for (int c = 0; c < 3; c++) light->radiance[c] = KEY_COLOR[c] / PL_KEY_LIGHTS;
        light->spread = tan(KEY_RADIUS) / sqrt(n_pass * PL_KEY_LIGHTS);
        light->gloss = KEY_GLOSS;
    }
    // The mean cosine over a hemisphere is 1/2: with the factor 2, a sky of radiance 1 lights a
    // floor with 1.
    for (int k = 0; k < PL_SKY_LIGHTS; k++, light++) {
        vec3 d = hemisphere_point(pass + k * n_pass, n_pass * PL_SKY_LIGHTS);
        double fill = lobe(d, key, FILL_TURN), rim = lobe(d, key, RIM_TURN);
        light->direction = d;
        for (int c = 0; c < 3; c++) {
            double sky = HORIZON[c] + (ZENITH[c] - HORIZON[c]) * d.z;
            light->radiance[c] =
                (sky + fill * FILL_COLOR[c] + rim * RIM_COLOR[c]) * 2 / PL_SKY_LIGHTS;
        }
        light->spread = 0.6 * sqrt(2.0 / (n_pass * PL_SKY_LIGHTS));
        light->gloss = SKY_GLOSS;
    }
    for (int k = 0; k < PL_FLOOR_LIGHTS; k++, light++) {
        vec3 d = hemisphere_point(pass + k * n_pass, n_pass * PL_FLOOR_LIGHTS);
        light->direction = (vec3){d.x, d.y, -d.z};
        for (int c = 0; c < 3; c++) light->radiance[c] = FLOOR_COLOR[c] * 2 / PL_FLOOR_LIGHTS;
        light->spread = 0.6 * sqrt(2.0 / (n_pass * PL_FLOOR_LIGHTS));
        light->gloss = SKY_GLOSS;
    }
}

void pl_lights_on_floor(vec3 key, int n_pass, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int pass = 0; pass < n_pass; pass++) {
        pl_light light[PL_LIGHTS_PER_PASS];
        pl_lights_of_pass(key, pass, n_pass, light);
        for (int i = 0; i < PL_LIGHTS_PER_PASS; i++) {
            for (int c = 0; c < 3; c++) {
                out[c] += light[i].radiance[c] * fmax(light[i].direction.z, 0) / n_pass;
            }
        }
    }
}

// A light in direction d gives r max(n.d, 0). In Legendre's polynomials of n.d this is
//   r (1/4 + P1 / 2 + 5/16 P2 + ...) = r (3/32 + n.d / 2 + 15/32 (n.d)^2) + ...,
// and what is left out hardly shows under a whole sky [Ramamoorthi & Hanrahan, An efficient
// representation for irradiance environment maps, SIGGRAPH 2001].
void pl_lights_ambient(vec3 key, int n_pass, mat4 out[3])
{
    for (int c = 0; c < 3; c++) out[c] = (mat4){{0}};
    for (int pass = 0; pass < n_pass; pass++) {
        pl_light light[PL_LIGHTS_PER_PASS];
        pl_lights_of_pass(key, pass, n_pass, light);
        for (int i = PL_KEY_LIGHTS; i < PL_LIGHTS_PER_PASS; i++) {
            vec3 at = light[i].direction;
            double d[3] = {at.x, at.y, at.z};
            for (int c = 0; c < 3; c++) {
                double r = light[i].radiance[c] / n_pass, *m = out[c].m;
                for (int k = 0; k < 9; k++)
                    m[4 * (k / 3) + k % 3] += 15.0 / 32 * r * d[k / 3] * d[k % 3];
                for (int k = 0; k < 3; k++) {
                    m[4 * k + 3] += r * d[k] / 4;
                    m[12 + k] += r * d[k] / 4;
                }
                m[15] += 3.0 / 32 * r;
            }
        }
    }
}
