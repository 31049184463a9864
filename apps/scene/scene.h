// A scene file: what there is, how it moves and how it is looked at. The keys are listed in
// apps/scenes/README.md.

#ifndef PL_SCENE_H
#define PL_SCENE_H

#include "embedding.h"
#include "scene_find.h"
#include "shot.h"

typedef struct pl_scene_cut {
    bool on;
    double normal[3]; // tets whose centre lies beyond the plane normal . x = offset are not drawn
    double offset;    // [m] for a normal of unit length
    double shrink;    // the others are drawn smaller by this part, to tell them apart
} pl_scene_cut;

// Vertices that follow a motion.
typedef struct pl_scene_drive {
    int32_t *vertex; // (n) ascending
    int32_t n;
    pl_motion motion; // its arrays belong to the scene
} pl_scene_drive;

typedef struct pl_scene_body {
    pl_mesh *mesh; // placed: scaled, rotated and moved
    int32_t entry; // of the scene: what made it
    // What is drawn in place of the mesh's surface, or NULL. It is the scene's: copies share one.
    const pl_embedding *embedding;

    bool simulated; // else it is only drawn
    pl_body_kind kind;
    pl_deformable_options deformable; // the one of its kind counts
    pl_rigid_options rigid;
    pl_kinematic_options kinematic; // its motion's arrays belong to the scene
    pl_shape *shapes;               // of the two before, or NULL
    int32_t *fixed;                 // (n_fixed) ascending
    int32_t n_fixed;
    pl_scene_drive *driven; // (n_driven)
    int32_t n_driven;
    double *force; // (3*n_vert) [N], of a rigid body (6) force and torque [N, N m]; or NULL
    struct pl_scene_load *load; // (n_load) forces that change in time, see scene_forces.h
    int32_t n_load;

    bool has_color; // else the program chooses
    double color[3];
    double opacity;
    bool edges; // draw the element edges
    pl_scene_cut cut;
} pl_scene_body;

// What made a body, or several: one of the bodies of a file or an assembly, with its copies; a
// cable.
typedef struct pl_scene_entry {
    char *place;      // for complaints: "gallery.json: bodies[3]"
    char *label;      // what messages call it: "bodies[3]", or "truck1.wheel"
    char *name;       // "wheel", "truck1.wheel"; NULL: none
    int32_t first, n; // its bodies
} pl_scene_entry;

typedef struct pl_scene_joint {
    char *place;              // for complaints: "robot.json: joints[3]"
    char *name;               // "knee", "robot1.knee"; NULL: none
    int32_t a, b;             // bodies of the scene; -1: the world
    pl_joint_options options; // all but the bodies; the curves belong to the scene
} pl_scene_joint;

typedef struct pl_scene_coupling {
    char *place;
    pl_coupling_options options; // joints by their places in the scene
} pl_scene_coupling;

// The bodies that a name means: one, all of an entry, all of some groups.
typedef struct pl_scene_side {
    int32_t body, entry; // -1: none
    uint32_t category;   // bits of groups
} pl_scene_side;

typedef struct pl_scene_friction {
    char *place;
    pl_scene_side a, b;
    double friction;
} pl_scene_friction;

enum { PL_SHOT_NAME = 64 };

typedef struct pl_scene_shot {
    char name[PL_SHOT_NAME]; // "" for that of the key "camera"
    pl_shot shot;            // its keys belong to the scene
} pl_scene_shot;

// Bodies on a grid in place of a world of meshes, see scene_grid.h.
typedef struct pl_scene_grid {
    bool on;
    pl_euler_options options; // spacing and parts; all else comes from the world's
    int32_t refine;           // of the surfaces that are drawn
} pl_scene_grid;

typedef struct pl_scene {
    const char *file;      // the path as it was given; borrowed
    bool unseen;           // surfaces that bodies carry are left out
    pl_scene_body *bodies; // (n_bodies) with all copies
    int32_t n_bodies;
    int64_t body_capacity;
    pl_scene_entry *entries; // (n_entries) those of the file's bodies first, in their order
    int32_t n_entries;
    int64_t entry_capacity;
    pl_scene_joint *joints; // (n_joints) the world has them under the same numbers
    int32_t n_joints;
    int64_t joint_capacity;
    pl_scene_coupling *couplings; // (n_couplings)
    int32_t n_couplings;
    int64_t coupling_capacity;
    pl_scene_friction *friction_pairs; // (n_friction_pairs) later ones count
    int32_t n_friction_pairs;
    int64_t friction_pair_capacity;
    struct pl_scene_motor *motors; // (n_motors) that change in time, see scene_motors.h
    int32_t n_motors;
    int64_t motor_capacity;
    pl_embedding **embeddings; // (n_embeddings)
    int32_t n_embeddings;
    int64_t embedding_capacity;
    pl_mesh **meshes; // (n_meshes) that shapes are made of
    int32_t n_meshes;
    int64_t mesh_capacity;
    pl_world_options world;
    pl_scene_grid grid;
    double duration;    // of a run, if nobody says otherwise [s]
    bool ground;        // draw a floor; if bodies touch, it carries them
    double ground_z;    // its height [m]: 0 in a scene file; NAN for the lowest point of the bodies
    double ground_size; // edge of the square around the origin that carries [m]
    pl_surface_options ground_surface;
    pl_scene_shot *shots; // (n_shots) its cameras, the one to use first; none: the program's
    int32_t n_shots;
    int64_t shot_capacity;
} pl_scene;

// Loads a scene and its meshes, which pl_scene_find_mesh finds. Fails with the key's path. Give
// back with pl_scene_free.
pl_status pl_scene_load(const char *path, pl_scene *out);
// The same without the surfaces that bodies carry, for who draws and exports none.
pl_status pl_scene_load_unseen(const char *path, pl_scene *out);
// The same for the text of a file; `name` (borrowed) stands for its path.
pl_status pl_scene_parse(const char *text, const char *name, pl_scene *out);
void pl_scene_free(pl_scene *scene);

// By the names that scenes have for them: PL_ERROR_ARGUMENT if it is none.
pl_status pl_integrator_find(const char *name, pl_integrator *out);
const char *pl_integrator_name(int32_t integrator); // NULL if there is no such number

// What the world's messages call the ground; bodies are "bodies[3]", or "bodies[3] copy 5"; of an
// assembly "truck1.wheel".
#define PL_GROUND_NAME "the ground"

// The world that a scene describes: its bodies in order, those left out that are only drawn, and
// then the ground, if it carries anything; joints and couplings. Fails with the key's path where a
// value is out of range or a mesh cannot be simulated.
pl_status pl_scene_world(const pl_scene *scene, pl_world **out);

// Moves the scene's bodies to where they are in a world made by pl_scene_world.
void pl_scene_pose(pl_scene *scene, const pl_world *world);

// What is to be drawn of a body, where its mesh is now: its surface, or the one that it carries.
pl_status pl_scene_body_surface(const pl_scene_body *body, pl_mesh **out);

#endif
