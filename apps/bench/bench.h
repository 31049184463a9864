// The benchmarks behind `pliant bench NAME`. Each prints time and a hash of its result, so that
// fast-but-wrong shows, and states its claims as ratios measured in the same run.

#ifndef PL_BENCH_H
#define PL_BENCH_H

#include "../../base/base.h"

typedef struct pl_bench_options {
    bool quick;       // small sizes: to see that it runs, not to measure
    bool simple;      // of `rigid`: bodies that fall, stand and swing, not slopes and grippers
    const char *only; // of `rigid`, `steps`, `impact`, `ho22`, `lef20`: one scene, or NULL
    const char *ball, *bunny; // of `impact`: files of their meshes, or NULL
    const char *problems;     // of `lcp`: a folder of recorded problems; NULL: bands and a grid. Of
                              // `siconos`: a file or folder; NULL: walls
    const char *out;          // the folder of tables and figures
    int32_t stretch;          // of `table1`: so many steps of each method by itself; 0: problems
    bool beside_papers;       // of `rigid`: the tables of papers in place of other simulators
    struct pl_papers *papers; // where benchmarks of papers leave their numbers too; NULL: nowhere
} pl_bench_options;

pl_status pl_bench_mesh(const pl_bench_options *options);
pl_status pl_bench_fem(const pl_bench_options *options);
pl_status pl_bench_gpu_fem(const pl_bench_options *options);
pl_status pl_bench_collision(const pl_bench_options *options);
pl_status pl_bench_spmv(const pl_bench_options *options);
pl_status pl_bench_gpu_model(const pl_bench_options *options);
pl_status pl_bench_lcp(const pl_bench_options *options);
pl_status pl_bench_classes(const pl_bench_options *options);
pl_status pl_bench_ensemble(const pl_bench_options *options); // writes OUT/ensemble.csv
// Of whole scenes; each writes OUT/NAME.csv, and `figures` pictures.
pl_status pl_bench_table1(const pl_bench_options *options);
pl_status pl_bench_stretch(const pl_bench_options *options); // OUT/stretch.csv
pl_status pl_bench_growth(const pl_bench_options *options);
pl_status pl_bench_threads(const pl_bench_options *options);
pl_status pl_bench_busy(const pl_bench_options *options);
pl_status pl_bench_stiffness(const pl_bench_options *options);
pl_status pl_bench_steps_of_time(const pl_bench_options *options);
pl_status pl_bench_memory(const pl_bench_options *options);
pl_status pl_bench_impact(const pl_bench_options *options);
pl_status pl_bench_figures(const pl_bench_options *options);
pl_status pl_bench_peers(const pl_bench_options *options);
pl_status pl_bench_siconos(const pl_bench_options *options);
pl_status pl_bench_schurpa(const pl_bench_options *options); // writes OUT/schurpa.csv
pl_status pl_bench_lit13(const pl_bench_options *options);   // writes OUT/lit13.csv
pl_status pl_bench_rigid(const pl_bench_options *options);
pl_status pl_bench_friction(const pl_bench_options *options); // writes OUT/friction.csv
pl_status pl_bench_ho22(const pl_bench_options *options);     // writes OUT/ho22.csv, figures
pl_status pl_bench_lef20(const pl_bench_options *options);    // writes OUT/lef20.csv, figures

// Where `make peers` builds other simulators: beside this program. Room for `size` bytes.
pl_status pl_bench_peers_folder(char *folder, size_t size);

// The formats that Pliant reads and does not write, for benchmarks and tests.
typedef enum pl_sample_format {
    PL_SAMPLE_PLY_BIG_ENDIAN,
    PL_SAMPLE_STL_ASCII,
    PL_SAMPLE_STL_BINARY,
    PL_SAMPLE_GMSH2_ASCII,
    PL_SAMPLE_GMSH2_BINARY,
    PL_SAMPLE_VTK_ASCII,
    PL_SAMPLE_VTK_BINARY,
    PL_SAMPLE_TETGEN_NODE,
    PL_SAMPLE_TETGEN_ELE,
} pl_sample_format;

pl_status pl_sample_write(const pl_mesh *mesh, pl_sample_format format, const char *path);

#endif
