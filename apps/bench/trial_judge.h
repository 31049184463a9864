// What a state of rigid bodies is worth, whichever simulator it comes from: from poses alone.

#ifndef PL_TRIAL_JUDGE_H
#define PL_TRIAL_JUDGE_H

#include "trial.h"

typedef struct pl_trial_verdict {
    bool finite;    // all numbers are; else the rest is 0
    double overlap; // the deepest of any pair, or of a body and a plane [m]; 0 if there is none
    double stretch; // gaps of all ball joints together [m]
    double energy;  // kinetic and of gravity [J]
} pl_trial_verdict;

// pose (n_body). Overlap of boxes is the shortest translation that separates them, by their
// separating axes; soft bodies are left out of it, and count as points for energy.
pl_trial_verdict pl_trial_judge(const pl_trial *trial, const pl_trial_pose *pose);

// The farthest that a body whose drift counts has come from pose `from` to pose `to` [m].
double pl_trial_drift(const pl_trial *trial, const pl_trial_pose *from, const pl_trial_pose *to);

#endif
