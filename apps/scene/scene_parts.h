// The parts of a scene: bodies, cables, joints, couplings and motors; those of the file, and those
// of the assemblies that it has instances of. Used by what reads a scene.

#ifndef PL_SCENE_PARTS_H
#define PL_SCENE_PARTS_H

#include "scene_place.h"
#include "scene_surface.h"

enum { PL_PREFIX = 128 };

// What is read, and from where.
typedef struct pl_reader {
    pl_scene *scene;
    pl_groups groups;
    struct pl_assembly_file *file; // (n_file) of assemblies that have files of their own
    int32_t n_file;
    int64_t file_capacity;
    struct pl_watch *watch; // (n_watch) conditions that name bodies, see scene_motion.h
    int32_t n_watch;
    int64_t watch_capacity;
} pl_reader;

// What the names in a part of a file mean, and where it stands.
typedef struct pl_scope {
    pl_json root;           // the file's own object, whose "assemblies" are known here
    char prefix[PL_PREFIX]; // of names: "", or "truck1."
    pl_scene_place place;
    int32_t depth; // of instances in instances
} pl_scope;

// All parts of the root. The reader's trees are freed.
pl_status pl_scene_read_parts(const pl_json *root, pl_scene *scene);

// --- Parts: each has a file scene_*.c. `at` is an object with such keys ---

pl_status pl_scene_read_bodies(pl_reader *reader, const pl_json *at, const pl_scope *scope);
pl_status pl_scene_read_instances(pl_reader *reader, const pl_json *at, const pl_scope *scope);
pl_status pl_scene_read_cables(pl_reader *reader, const pl_json *at, const pl_scope *scope);
pl_status pl_scene_read_joints(pl_reader *reader, const pl_json *at, const pl_scope *scope);
pl_status pl_scene_read_couplings(pl_reader *reader, const pl_json *at, const pl_scope *scope);
pl_status pl_scene_read_motors(pl_reader *reader, const pl_json *at, const pl_scope *scope);

// All of them.
pl_status pl_scene_read_part(pl_reader *reader, const pl_json *at, const pl_scope *scope);

#endif
