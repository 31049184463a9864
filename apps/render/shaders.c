#include "shaders.h"

// Positions are relative to the renderer's origin; colours are linear unless a name says sRGB.

// Transparency is stochastic: a pass draws a fragment or drops it, and the mean over the passes is
// its opacity, in any order of drawing [Enderton et al., Stochastic transparency, I3D 2010]. The
// passes step through [0, 1) by the fractional part of a square root, one per layer, so that they
// share it out evenly and layers do not march in step. Pixels differ by the width of one pass only,
// which smooths the steps of the mean: were they to draw in other passes, each would see other
// lights. The lights turn by the golden section: a step akin to it would draw a layer by lights
// from one side only, however many passes there are.
const char PL_SHADER_COMMON[] =
    "uniform int pass, passes;\n"
    "uniform int layer;\n" // two per body: front and back
    "const float steps[8] = float[](0.54950976, 0.87082869, 0.48074070, 0.84057287,\n"
    "                               0.78232998, 0.34846923, 0.29128785, 0.80788655);\n"
    "uint noise(int which)\n" // the same in all passes
    "{\n"
    "    uvec2 at = uvec2(gl_FragCoord.xy);\n"
    "    uint h = at.x * 0x9e3779b1u + at.y * 0x85ebca77u + uint(which) * 0xc2b2ae3du;\n"
    "    h = (h ^ (h >> 16)) * 0x7feb352du;\n"
    "    h = (h ^ (h >> 15)) * 0x846ca68bu;\n"
    "    return h ^ (h >> 16);\n"
    "}\n"
    "float threshold(int which)\n"
    "{\n"
    "    vec2 at = floor(gl_FragCoord.xy);\n"
    "    float pixel = fract(0.75487767 * at.x + 0.56984029 * at.y) / float(passes);\n"
    "    return fract(pixel + 0.41421356 * float(which) + float(pass) * steps[which & 7]);\n"
    "}\n"
    // Bodies (alpha) bend softly towards white instead of clipping; the background stays as asked
    // for.
    "vec3 finish(vec4 c)\n"
    "{\n"
    "    const float knee = 0.7;\n"
    "    vec3 over = max(c.rgb - knee, 0.0) / (1.0 - knee);\n"
    "    vec3 bent = min(c.rgb, knee) + (1.0 - knee) * (1.0 - exp(-over));\n"
    "    vec3 x = clamp(mix(c.rgb, bent, c.a), 0.0, 1.0);\n"
    "    return mix(12.92 * x, 1.055 * pow(x, vec3(1.0 / 2.4)) - 0.055,\n"
    "               greaterThan(x, vec3(0.0031308)));\n"
    "}\n";

// A light of a pass stands for its neighbourhood in the sky or in the key light, `light_spread`
// (the tangent of an angle) wide. What hangs at height t above the receiver throws an edge t *
// light_spread wide, so the shadow map is read at a random place in that range, after a first look
// for t: edges of single lights dissolve in the mean. The receiver is moved along its normal by a
// little more than a texel, so that a lit surface does not shade itself.
const char PL_SHADER_LIGHTS[] =
    "uniform mat4 light_matrix[LIGHTS];\n" // to the shadow map: [0, 1]^3
    "uniform vec3 light_direction[LIGHTS];\n"
    "uniform vec3 light_radiance[LIGHTS];\n"
    "uniform float light_gloss[LIGHTS];\n"
    "uniform float light_spread[LIGHTS];\n" // in units of the shadow map: width per depth
    "uniform float light_texel[LIGHTS];\n"  // size of a texel [m]
    "uniform float texel;\n"                // the same in units of the shadow map
    "uniform sampler2DArray shadow_map;\n"
    "vec2 scatter;\n" // a random point of the square (-1, 1)^2, for this pixel and pass
    "void choose_scatter()\n"
    "{\n"
    "    uint h = noise(-1);\n"
    "    vec2 start = vec2(float(h >> 16), float(h & 65535u)) / 65536.0;\n"
    "    scatter = 2.0 * fract(start + float(pass) * vec2(steps[0], steps[1])) - 1.0;\n"
    "}\n"
    "float visible(int i, vec3 p, vec3 n)\n"
    "{\n"
    "    vec3 q = (light_matrix[i] * vec4(p + 2.5 * light_texel[i] * n, 1.0)).xyz;\n"
    "    float blocker = texture(shadow_map, vec3(q.xy, float(i))).r;\n"
    "    float radius = texel + light_spread[i] * max(q.z - blocker, 0.0);\n"
    "    float nearest = texture(shadow_map, vec3(q.xy + radius * scatter, float(i))).r;\n"
    "    return min(q.z, 1.0) <= nearest ? 1.0 : 0.0;\n"
    "}\n";

const char PL_SHADER_BODY_VERTEX[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 normal;\n"
    "layout(location = 2) in vec4 srgb;\n"
    "uniform mat4 view_projection;\n"
    "out vec3 p, n, albedo, corner;\n"
    "void main()\n"
    "{\n"
    "    p = position;\n"
    "    n = normal.xyz;\n"
    "    albedo = mix(srgb.rgb / 12.92, pow((srgb.rgb + 0.055) / 1.055, vec3(2.4)),\n"
    "                 greaterThan(srgb.rgb, vec3(0.04045)));\n"
    "    corner = vec3(equal(ivec3(gl_VertexID % 3), ivec3(0, 1, 2)));\n"
    "    gl_Position = view_projection * vec4(position, 1.0);\n"
    "}\n";

// `corner` holds barycentric coordinates: divided by its gradient it is the distance to the three
// edges in pixels, and the inverse gradient is the triangle's height, by which lines that would
// drown a small triangle are faded; not in a wireframe, of which nothing would be left.
#define EDGE                                                                                       \
    "uniform float edge_width;\n" /* [pixels] */                                                   \
    "uniform bool wireframe;\n"                                                                    \
    "float edge(vec3 corner)\n"                                                                    \
    "{\n"                                                                                          \
    "    vec3 dx = dFdx(corner), dy = dFdy(corner);\n"                                             \
    "    vec3 gradient = max(sqrt(dx * dx + dy * dy), vec3(1e-12));\n"                             \
    "    vec3 line = clamp(0.5 * edge_width + 0.5 - corner / gradient, 0.0, 1.0);\n"               \
    "    vec3 fade = clamp(1.0 / (gradient * 6.0 * edge_width) - 0.25, 0.0, 1.0);\n"               \
    "    if (!wireframe) line *= min(fade.x, min(fade.y, fade.z));\n"                              \
    "    return max(line.x, max(line.y, line.z));\n"                                               \
    "}\n"

const char PL_SHADER_BODY_FRAGMENT[] =
    EDGE "in vec3 p, n, albedo, corner;\n"
         "uniform vec3 eye;\n"
         "uniform float opacity;\n"
         "out vec4 color;\n"
         "void main()\n"
         "{\n"
         "    vec3 normal = (gl_FrontFacing ? n : -n) * inversesqrt(max(dot(n, n), 1e-12));\n"
         "    vec3 view = normalize(eye - p);\n"
         "    float facing = dot(normal, view);\n"
         "#ifdef STOCHASTIC\n" // seen at a slant, a wall is thicker
         "    float covered = 1.0 - pow(1.0 - opacity, 1.0 / max(abs(facing), 0.12));\n"
         "    if (wireframe) covered = edge(corner);\n"
         "    if (threshold(layer + int(gl_FrontFacing)) >= covered) discard;\n"
         "    color = vec4((gl_FrontFacing ? 0.8 : 0.95) * albedo, 1.0);\n"
         "    if (wireframe) return;\n"
         "#endif\n"
         "    choose_scatter();\n"
         "    float line = edge_width > 0.0 ? edge(corner) : 0.0;\n"
         "    vec3 base = albedo * (1.0 - 0.88 * line);\n"
         "    float shine = 1.0 - line;\n"
         "    vec3 sum = vec3(0.0);\n"
         "    for (int i = 0; i < LIGHTS; i++) {\n"
         "        float cosine = dot(normal, light_direction[i]);\n"
         "        if (cosine <= 0.0) continue;\n"
         "        vec3 h = light_direction[i] + view;\n"
         "        h *= inversesqrt(max(dot(h, h), 1e-6));\n"
         "        float slant = clamp(1.0 - dot(h, view), 0.0, 1.0);\n"
         "        float fresnel = 0.04 + 0.96 * pow(slant, 5.0);\n"
         "        float lobe = pow(max(dot(normal, h), 0.0), light_gloss[i]);\n"
         "        float highlight = shine * fresnel * lobe * (light_gloss[i] + 8.0) / 8.0;\n"
         "        sum += visible(i, p, normal) * cosine * light_radiance[i] * (base + highlight);\n"
         "    }\n"
         "    color = vec4(sum, 1.0);\n"
         "}\n";

const char PL_SHADER_MARKS[] = "in vec3 p, n, albedo, corner;\n"
                               "uniform vec3 eye;\n"
                               "out vec4 color;\n"
                               "void main()\n"
                               "{\n"
                               "    float facing = abs(dot(normalize(n), normalize(eye - p)));\n"
                               "    color = vec4(albedo * (0.45 + 0.55 * facing), 1.0);\n"
                               "#ifdef QUICK\n"
                               "    color.rgb = finish(color);\n"
                               "#endif\n"
                               "}\n";

const char PL_SHADER_DEPTH_VERTEX[] = "layout(location = 0) in vec3 position;\n"
                                      "uniform mat4 view_projection;\n"
                                      "void main()\n"
                                      "{\n"
                                      "    gl_Position = view_projection * vec4(position, 1.0);\n"
                                      "}\n";

const char PL_SHADER_DEPTH_FRAGMENT[] = "void main()\n"
                                        "{\n"
                                        "}\n";

const char PL_SHADER_SCREEN_VERTEX[] =
    "uniform mat4 from_clip;\n" // clip space to positions
    "out vec3 far_point;\n"     // on the far plane, where it is linear in the pixel
    "void main()\n"
    "{\n"
    "    vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);\n"
    "    vec4 q = from_clip * vec4(at, 1.0, 1.0);\n"
    "    far_point = q.xyz / q.w;\n"
    "    gl_Position = vec4(at, 0.0, 1.0);\n"
    "}\n";

// The floor has the background's colour where nothing shades it, so that it has no horizon: it only
// catches shadows, and those fade out far from the bodies.
const char PL_SHADER_FLOOR[] =
    "in vec3 far_point;\n"
    "uniform mat4 view_projection;\n"
    "uniform vec3 eye;\n"
    "uniform vec3 background;\n"
    "uniform float vignette;\n"
    "uniform vec2 size;\n" // [pixels]
    "uniform bool has_floor;\n"
    "uniform float floor_z;\n"
    "uniform vec3 floor_light;\n" // what an unshadowed floor gets, the mean over the passes
    "uniform vec4 middle;\n"      // of the bodies, and their radius
    "out vec4 color;\n"
    "vec3 light_on_floor(vec3 at)\n"
    "{\n"
    "    vec3 sum = vec3(0.0);\n"
    "    for (int i = 0; i < UPPER_LIGHTS; i++) {\n"
    "        float cosine = max(light_direction[i].z, 0.0);\n"
    "        sum += visible(i, at, vec3(0.0, 0.0, 1.0)) * cosine * light_radiance[i];\n"
    "    }\n"
    "    return sum / floor_light;\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    vec2 off = gl_FragCoord.xy / size - 0.5;\n"
    "    color = vec4(background * (1.0 - vignette * 2.0 * dot(off, off)), 0.0);\n"
    "    gl_FragDepth = 1.0;\n"
    "    vec3 ray = far_point - eye;\n"
    "    float t = (floor_z - eye.z) / ray.z;\n"
    "    if (!has_floor || eye.z <= floor_z || !(t > 0.0)) return;\n"
    "    choose_scatter();\n"
    "    vec3 at = eye + t * ray;\n"
    "    float fade = smoothstep(4.0, 10.0, distance(at, middle.xyz) / middle.w);\n"
    "    color.rgb *= mix(light_on_floor(at), vec3(1.0), fade);\n"
    "    vec4 q = view_projection * vec4(at, 1.0);\n"
    "    gl_FragDepth = clamp(0.5 + 0.5 * q.z / q.w, 0.0, 1.0);\n"
    "}\n";

const char PL_SHADER_ADD[] = "uniform sampler2D picture;\n"
                             "out vec4 color;\n"
                             "void main()\n"
                             "{\n"
                             "    color = texelFetch(picture, ivec2(gl_FragCoord.xy), 0);\n"
                             "}\n";

const char PL_SHADER_FINISH[] =
    "uniform sampler2D picture;\n"
    "uniform float scale;\n"
    "out vec4 color;\n"
    "void main()\n"
    "{\n"
    "    vec4 mean = texelFetch(picture, ivec2(gl_FragCoord.xy), 0) * scale;\n"
    "    color = vec4(finish(mean), 1.0);\n"
    "}\n";

// --- Quick ---

const char PL_SHADER_QUICK_VERTEX[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 normal;\n"
    "layout(location = 2) in vec4 srgb;\n"
    "uniform mat4 view_projection;\n"
    "uniform mat4 ambient[3];\n"
    "uniform float cut_z;\n" // bodies end here if the floor hides them
    "out vec3 p, n, albedo, corner, sky;\n"
    "void main()\n"
    "{\n"
    "    p = position;\n"
    "    n = normal.xyz;\n"
    "    albedo = mix(srgb.rgb / 12.92, pow((srgb.rgb + 0.055) / 1.055, vec3(2.4)),\n"
    "                 greaterThan(srgb.rgb, vec3(0.04045)));\n"
    "    corner = vec3(equal(ivec3(gl_VertexID % 3), ivec3(0, 1, 2)));\n"
    "    vec4 m = vec4(n, 1.0);\n"
    "    sky = vec3(dot(m, ambient[0] * m), dot(m, ambient[1] * m), dot(m, ambient[2] * m));\n"
    "    gl_Position = view_projection * vec4(position, 1.0);\n"
    "    gl_ClipDistance[0] = position.z - cut_z;\n"
    "}\n";

// Map 0 is the key light's, map 1 looks straight up from below.
const char PL_SHADER_QUICK_FRAGMENT[] = EDGE
    "in vec3 p, n, albedo, corner, sky;\n"
    "uniform vec3 eye;\n"
    "uniform float opacity;\n"
    "uniform vec3 key_direction, key_radiance;\n"
    "uniform mat4 key_matrix;\n"
    "uniform float key_texel;\n"
    "uniform float floor_z, height;\n"
    "out vec4 color;\n"
    "float lit(vec3 normal)\n"
    "{\n"
    "    vec3 q = (key_matrix * vec4(p + 2.5 * key_texel * normal, 1.0)).xyz;\n"
    "    float z = min(q.z, 1.0), sum = 0.0;\n"
    "    vec2 a = 1.3 * texel * vec2(0.92, 0.38), b = vec2(-a.y, a.x);\n"
    "    sum += z <= texture(shadow_map, vec3(q.xy + a, 0.0)).r ? 0.25 : 0.0;\n"
    "    sum += z <= texture(shadow_map, vec3(q.xy + b, 0.0)).r ? 0.25 : 0.0;\n"
    "    sum += z <= texture(shadow_map, vec3(q.xy - a, 0.0)).r ? 0.25 : 0.0;\n"
    "    sum += z <= texture(shadow_map, vec3(q.xy - b, 0.0)).r ? 0.25 : 0.0;\n"
    "    return sum;\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    float side = gl_FrontFacing ? 1.0 : -1.0;\n"
    "    vec3 normal = n * side * inversesqrt(max(dot(n, n), 1e-12));\n"
    "    vec3 view = normalize(eye - p);\n"
    "    float facing = clamp(dot(normal, view), 0.0, 1.0);\n"
    "    float line = edge_width > 0.0 ? edge(corner) : 0.0;\n"
    "    vec3 base = albedo * (1.0 - 0.88 * line);\n"
    "    float cosine = max(dot(normal, key_direction), 0.0);\n"
    "    vec3 h = normalize(key_direction + view);\n"
    "    float rim = 1.0 - facing;\n"
    "    float gloss = pow(max(dot(normal, h), 0.0), 26.0) * (0.17 + 1.5 * rim * rim * rim);\n"
    "    float shine = (1.0 - line) * gloss;\n"
    "    float open = 1.0 - 0.35 * exp(-4.0 * max(p.z - floor_z, 0.0) / height);\n"
    "    vec3 sheen = vec3(0.05 + 0.25 * rim * rim * rim) * (1.0 - line);\n"
    "    vec3 sum = sky * open * (base + sheen);\n"
    "    sum += cosine * key_radiance * lit(normal) * (base + shine);\n"
    "    float covered = opacity < 1.0 ? 1.0 - pow(1.0 - opacity, 1.0 / max(facing, 0.12)) : 1.0;\n"
    "    if (wireframe) {\n"
    "        sum = (gl_FrontFacing ? 0.8 : 0.95) * albedo;\n"
    "        covered = line;\n"
    "    }\n"
    "    color = vec4(finish(vec4(sum, 1.0)), covered);\n"
    "}\n";

const char PL_SHADER_QUICK_BACKGROUND[] = "uniform vec3 background;\n"
                                          "uniform float vignette;\n"
                                          "uniform vec2 size;\n"
                                          "out vec4 color;\n"
                                          "void main()\n"
                                          "{\n"
                                          "    vec2 off = gl_FragCoord.xy / size - 0.5;\n"
                                          "    color = vec4(finish(vec4(background * (1.0 - "
                                          "vignette * 2.0 * dot(off, off)), 0.0)), 1.0);\n"
                                          "}\n";

// The part of the floor on which something falls: a rectangle.
const char PL_SHADER_QUICK_FLOOR_VERTEX[] =
    "uniform mat4 view_projection;\n"
    "uniform vec4 ground;\n" // x and y, low and high
    "uniform float floor_z;\n"
    "out vec3 p;\n"
    "void main()\n"
    "{\n"
    "    p = vec3((gl_VertexID & 1) == 0 ? ground.x : ground.z,\n"
    "             (gl_VertexID & 2) == 0 ? ground.y : ground.w, floor_z);\n"
    "    gl_Position = view_projection * vec4(p, 1.0);\n"
    "}\n";

const char PL_SHADER_QUICK_FLOOR[] =
    "in vec3 p;\n"
    "uniform vec3 background;\n"
    "uniform float vignette;\n"
    "uniform vec2 size;\n"
    "uniform vec3 key_share;\n" // of the light on the floor
    "uniform mat4 key_matrix, below_matrix;\n"
    "uniform float key_texel;\n"
    "uniform float below_depth, height;\n" // [m]
    "uniform vec2 spread;\n"               // of the taps, in units of the maps
    "out vec4 color;\n"
    "void main()\n"
    "{\n"
    "    const vec2 at[6] = vec2[](vec2(0.1, 0.3), vec2(-0.4, 0.2), vec2(0.5, -0.2),\n"
    "                              vec2(-0.1, -0.6), vec2(-0.6, -0.5), vec2(0.5, 0.8));\n"
    "    vec3 q = (key_matrix * vec4(p.xy, p.z + 2.5 * key_texel, 1.0)).xyz;\n"
    "    vec2 below = (below_matrix * vec4(p, 1.0)).xy;\n"
    "    float z = min(q.z, 1.0), lit = 0.0, closed = 0.0;\n"
    "    for (int i = 0; i < 6; i++) {\n"
    "        lit += z <= texture(shadow_map, vec3(q.xy + spread.x * at[i], 0.0)).r ? 1.0 / 6.0 : "
    "0.0;\n"
    "        float free = texture(shadow_map, vec3(below + spread.y * at[i], 1.0)).r * below_depth "
    "/ height;\n"
    "        closed += 1.0 / 6.0 / (1.0 + 30.0 * free * free);\n"
    "    }\n"
    "    vec2 off = gl_FragCoord.xy / size - 0.5;\n"
    "    vec3 light = key_share * lit + (1.0 - key_share) * (1.0 - 0.7 * closed);\n"
    "    vec3 c = background * (1.0 - vignette * 2.0 * dot(off, off)) * light;\n"
    "    color = vec4(finish(vec4(c, 0.0)), 1.0);\n"
    "}\n";

const char PL_SHADER_SHOW[] = "uniform sampler2D picture;\n"
                              "uniform float scale;\n" // height of what is drawn to [pixels]
                              "out vec4 color;\n"
                              "void main()\n"
                              "{\n"
                              "    ivec2 at = ivec2(gl_FragCoord.x, scale - gl_FragCoord.y), size "
                              "= textureSize(picture, 0);\n"
                              "    if (at.x >= size.x || at.y >= size.y) discard;\n"
                              "    color = texelFetch(picture, at, 0);\n"
                              "}\n";
