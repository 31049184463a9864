"""Newton on rigid and soft bodies that are held by friction, on the CPU.

trial_newton.py "SOLVER PARTS ITERATIONS": xpbd, vbd or steel; into how many parts a step is cut.
Obeys apps/bench/trial_child.c. README.md says why each setting is what it is.
"""

import os
import struct
import sys
import time

os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what Warp says; standard output has the table

import numpy as np
import warp as wp
import newton

SOCKET = 3
BOX, CAPSULE, SOFT = 0, 1, 2
BALL, SLIDER = 0, 1
STIFFNESS = 1e6  # of contacts, where the solver wants one [N/m]


def read_trial(orders):
    trial = {"body": [], "joint": [], "plane": [], "mesh": {}}
    for line in orders:
        word, *numbers = line.split()
        if word == "end":
            return trial
        x = [float(n) for n in numbers]
        if word == "physics":
            trial.update(dt=x[0], gravity=x[1:4], friction=x[4])
        elif word == "body":
            trial["body"].append(x)
        elif word == "plane":
            trial["plane"].append(x)
        elif word == "joint":
            trial["joint"].append(x)
        elif word == "mesh":
            n_vert = int(x[1])
            at = 3 + 3 * n_vert
            trial["mesh"][int(x[0])] = (x[3:at], [int(i) for i in x[at:]])
    raise EOFError


class World:
    def __init__(self, trial, solver, parts, iterations):
        self.trial = trial
        self.parts = parts
        self.kind = solver
        self.number = {}  # of a rigid body in Newton
        builder = newton.ModelBuilder()
        builder.default_particle_radius = 1e-4
        self.config = newton.ModelBuilder.ShapeConfig(
            density=0.0, mu=trial["friction"], ke=STIFFNESS, kd=1e-4 * STIFFNESS, margin=0.0, gap=5e-3)
        for plane in trial["plane"]:
            builder.add_shape_plane(plane=(*plane[:3], -plane[3]), width=0.0, length=0.0, body=-1,
                                    cfg=self.config)
        for i, body in enumerate(trial["body"]):
            self.add_body(builder, i, body)
        if solver == "vbd":
            builder.color()
        self.model = builder.finalize(device="cpu")
        self.model.set_gravity(tuple(trial["gravity"]))
        self.model.soft_contact_mu = trial["friction"]
        self.model.soft_contact_ke = STIFFNESS
        self.model.soft_contact_kd = 1e-4
        self.pipeline = newton.CollisionPipeline(self.model, soft_contact_gap=5e-3)
        self.contacts = self.pipeline.contacts()
        self.solver = self.make_solver(solver, iterations)
        self.state, self.next = self.model.state(), self.model.state()
        newton.eval_fk(self.model, self.model.joint_q, self.model.joint_qd, self.state)
        self.control = self.model.control()
        force = np.zeros((self.model.body_count, 6), dtype=np.float32)
        for i, number in self.number.items():
            force[number, :3] = trial["body"][i][5:8]
        self.force = wp.array(force, dtype=wp.spatial_vector, device="cpu")

    def add_body(self, builder, i, body):
        half, mass, young = body[1:4], body[4], body[8]
        at = wp.vec3(*body[9:12])
        if int(body[0]) == SOFT:
            x, tet = self.trial["mesh"][i]
            nu = 0.2
            builder.add_soft_mesh(
                pos=wp.vec3(0.0), rot=wp.quat_identity(), scale=1.0, vel=wp.vec3(0.0),
                vertices=np.reshape(x, (-1, 3)), indices=tet,
                density=mass / (8 * half[0] * half[1] * half[2]), k_mu=young / (2 * (1 + nu)),
                k_lambda=young * nu / ((1 + nu) * (1 - 2 * nu)), k_damp=0.0)
            return
        a, b, c = (h * h for h in half)
        inertia = wp.mat33(np.diag([b + c, a + c, a + b]) * mass / 3)
        place = wp.transform(at, wp.quat_identity())
        joints = [j for j in self.trial["joint"] if int(j[2]) == i]
        options = dict(xform=place, mass=mass, inertia=inertia, lock_inertia=True)
        if joints:  # from the world
            number = builder.add_link(**options)
            joint = builder.add_joint_prismatic(parent=-1, child=number, axis=wp.vec3(*joints[0][6:9]),
                                                parent_xform=place)
            builder.add_articulation([joint])
        else:
            number = builder.add_body(**options)
        builder.add_shape_box(number, hx=half[0], hy=half[1], hz=half[2], cfg=self.config)
        self.number[i] = number

    def make_solver(self, solver, iterations):
        if solver == "xpbd":
            return newton.solvers.SolverXPBD(self.model, iterations=iterations)
        if solver == "steel":
            return newton.solvers.SolverSteel(self.model)
        return newton.solvers.SolverVBD(self.model, iterations=iterations,
                                        particle_enable_tile_solve=False, friction_epsilon=1e-4)

    def step(self):
        dt = self.trial["dt"] / self.parts
        for _ in range(self.parts):
            self.state.clear_forces()
            if self.model.body_count:
                wp.copy(self.state.body_f, self.force)
            self.pipeline.collide(self.state, self.contacts)
            self.solver.step(self.state, self.next, self.control, self.contacts, dt)
            self.state, self.next = self.next, self.state

    def poses(self):
        out = np.zeros((len(self.trial["body"]), 13))
        out[:, 3] = 1
        if self.trial["mesh"]:
            soft = next(iter(self.trial["mesh"]))
            out[soft, :3] = self.state.particle_q.numpy().astype(float).mean(axis=0)
            out[soft, 7:10] = self.state.particle_qd.numpy().astype(float).mean(axis=0)
        if self.number:
            q, qd = self.state.body_q.numpy(), self.state.body_qd.numpy()
            for i, number in self.number.items():
                out[i, :3] = q[number, :3]
                turn = q[number, 3:7].astype(float)
                out[i, 3:7] = np.roll(turn, 1) / np.linalg.norm(turn)
                out[i, 7:13] = qd[number]
        return out


def send(data):
    while data:
        data = data[os.write(SOCKET, data):]


def main():
    solver, parts, iterations = sys.argv[1].split()
    orders = os.fdopen(os.dup(SOCKET), "r", buffering=1)
    trial = read_trial(orders)
    world = World(trial, solver, int(parts), int(iterations))
    world.step()  # once to compile; then anew
    world = World(trial, solver, int(parts), int(iterations))
    send(struct.pack("d", 0.0) + world.poses().tobytes())
    while os.read(SOCKET, 1):
        before = time.process_time()
        world.step()
        took = time.process_time() - before
        send(struct.pack("d", took) + world.poses().tobytes())


main()
