"""Opens what `pliant run --format vtu,usda,obj,ply,pc2` has written with programs of others: Pixar's
USD library, trimesh, meshio and plyfile; the point caches with what is below.

    check_exports.py probe               exits with 0 if the readers are there
    check_exports.py FOLDER FPS STEP...  opens all files in FOLDER, which holds frames of these steps

All files must tell the same: OBJ, PLY and VTU the same doubles, USD and the caches the same floats.
"""
import csv
import os
import struct
import sys
import warnings

import meshio
import numpy as np
import plyfile
import trimesh
from pxr import Gf, Usd, UsdGeom, UsdShade, UsdValidation

warnings.filterwarnings("ignore", category=DeprecationWarning)


def require(condition, what):
    if not condition:
        sys.exit(f"check_exports.py: {what}")


def read_list(folder, steps):
    with open(os.path.join(folder, "frames.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    require([int(r["step"]) for r in rows] == steps, "frames.csv: steps")
    return [float(r["time"]) for r in rows]


def read_obj(folder, step):
    """The bodies of a frame, by name: vertices, and faces that count from 0."""
    path = os.path.join(folder, f"frame-{step:06d}.obj")
    names = [line.split()[1] for line in open(path) if line.startswith("o ")]
    parts = trimesh.load(path, process=False, maintain_order=True, split_objects=True)
    parts = parts.geometry if isinstance(parts, trimesh.Scene) else {names[0]: parts}
    require(sorted(parts) == sorted(names), f"{path}: objects {sorted(parts)}")
    whole = meshio.read(path)
    points, faces = whole.points, np.vstack([c.data for c in whole.cells])
    bodies, first_face = {}, 0
    for name in names:
        require(parts[name].is_watertight and parts[name].volume > 0, f"{path}: {name} is not closed")
        part = faces[first_face:first_face + len(parts[name].faces)]
        first, last = part.min(), part.max()
        bodies[name] = points[first:last + 1], part - first
        first_face += len(part)
    require(first_face == len(faces), f"{path}: faces without an object")
    return bodies


def check_ply(folder, step, bodies):
    path = os.path.join(folder, f"frame-{step:06d}.ply")
    data = plyfile.PlyData.read(path)
    require(not data.text, f"{path}: not binary")
    vertex, face = data["vertex"], data["face"]
    x = np.column_stack([vertex[k] for k in "xyz"])
    corners = np.vstack(face["vertex_indices"])
    first = first_face = 0
    colors = []
    for number, (points, faces) in enumerate(bodies.values()):
        n, m = len(points), len(faces)
        require((x[first:first + n] == points).all(), f"{path}: points of {number}")
        require((corners[first_face:first_face + m] - first == faces).all(), f"{path}: faces")
        require((face["body"][first_face:first_face + m] == number).all(), f"{path}: bodies")
        rgb = np.column_stack([vertex[k][first:first + n] for k in ("red", "green", "blue")])
        require((rgb == rgb[0]).all(), f"{path}: colour of {number}")
        colors.append(rgb[0] / 255)
        first += n
        first_face += m
    require(first == len(x) and first_face == len(corners), f"{path}: too much")
    require(len(trimesh.load(path, process=False).faces) == len(corners), f"{path}: by trimesh")
    return colors


def check_vtu(folder, step, bodies):
    """Every vertex of a simulated body is one of the frame for ParaView."""
    frame = meshio.read(os.path.join(folder, f"frame-{step:06d}.vtu"))
    points = {tuple(p) for p in frame.points}
    inside = [all(tuple(p) in points for p in x) for x, _ in bodies.values()]
    return inside


def read_pc2(path):
    data = open(path, "rb").read()
    signature, version, n, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    require(signature == b"POINTCACHE2\0" and version == 1 and rate == 1, f"{path}: header")
    require(len(data) == 32 + 12 * n * samples, f"{path}: {len(data)} bytes")
    return start, np.frombuffer(data, "<f4", offset=32).reshape(samples, n, 3)


def check_pc2(folder, name, fps, times, frames):
    start, x = read_pc2(os.path.join(folder, name + ".pc2"))
    require(abs(start - fps * times[0]) < 1e-5 * max(1, start), f"{name}.pc2: first frame {start}")
    require(len(x) == len(frames), f"{name}.pc2: {len(x)} samples")
    for sample, frame in zip(x, frames):
        require((sample == frame[name][0].astype("f4")).all(), f"{name}.pc2: points")
    rest = meshio.read(os.path.join(folder, name + ".obj"))
    require(rest.points.shape == x.shape[1:], f"{name}.obj: number of vertices")
    require((rest.cells[0].data == frames[0][name][1]).all(), f"{name}.obj: faces")
    if times[0] == 0:  # a rigid body rounds on its way through the world
        require(np.allclose(rest.points, frames[0][name][0], rtol=0, atol=1e-14),
                f"{name}.obj: not as at the start")


def linear(srgb):
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def check_mesh(prim, codes, frames, color):
    name = prim.GetName()
    mesh = UsdGeom.Mesh(prim)
    counts, corners = mesh.GetFaceVertexCountsAttr().Get(), mesh.GetFaceVertexIndicesAttr().Get()
    n = len(mesh.GetPointsAttr().Get(codes[0]))
    require(UsdGeom.Mesh.ValidateTopology(corners, counts, n)[0], f"{name}: topology")
    require(set(counts) == {3}, f"{name}: not triangles")
    require((np.reshape(corners, (-1, 3)) == frames[0][name][1]).all(), f"{name}: faces")
    require(mesh.GetSubdivisionSchemeAttr().Get() == "none", f"{name}: subdivision")
    samples = mesh.GetPointsAttr().GetTimeSamples()
    moved = any((f[name][0] != frames[0][name][0]).any() for f in frames)
    require(np.allclose(samples, codes) if moved else samples == [], f"{name}: times {samples}")
    for code, frame in zip(codes, frames):
        x = mesh.GetPointsAttr().Get(code)
        require((np.array(x) == frame[name][0].astype("f4")).all(), f"{name}: points at {code}")
        extent = mesh.GetExtentAttr().Get(code)
        require(np.array_equal(extent, UsdGeom.PointBased.ComputeExtent(x)), f"{name}: extent")
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    shader = material.ComputeSurfaceSource()[0]
    require(shader.GetIdAttr().Get() == "UsdPreviewSurface", f"{name}: material")
    diffuse = shader.GetInput("diffuseColor").Get()
    require(np.allclose(diffuse, linear(color), atol=0.01), f"{name}: colour {diffuse}")
    require(np.allclose(mesh.GetDisplayColorAttr().Get()[0], diffuse), f"{name}: displayColor")
    opacity = shader.GetInput("opacity").Get()
    require(mesh.GetDisplayOpacityAttr().Get()[0] == opacity, f"{name}: opacity")


def check_camera(stage, frames):
    """It sees the middle of all bodies at the start, the right way up."""
    camera = UsdGeom.Camera(stage.GetPrimAtPath("/World/camera")).GetCamera(stage.GetStartTimeCode())
    frustum = camera.frustum
    x = np.vstack([points for points, _ in frames[0].values()])
    middle = (x.min(axis=0) + x.max(axis=0)) / 2
    require(frustum.Intersects(Gf.Vec3d(*middle)), "camera: does not see the bodies")
    up = frustum.ComputeUpVector()
    require(up[2] > 0.5, f"camera: up is {up}")
    require(1 < camera.GetFieldOfView(Gf.Camera.FOVVertical) < 179, "camera: angle")


def check_usd(folder, fps, times, frames, colors):
    path = os.path.join(folder, "scene.usda")
    stage = Usd.Stage.Open(path)
    codes = [float(f"{fps * t:.12g}") for t in times]  # as the file has them
    require(UsdGeom.GetStageUpAxis(stage) == "Z", "upAxis")
    require(UsdGeom.GetStageMetersPerUnit(stage) == 1, "metersPerUnit")
    require(abs(stage.GetTimeCodesPerSecond() - fps) < 1e-9 * fps, "timeCodesPerSecond")
    require(np.allclose([stage.GetStartTimeCode(), stage.GetEndTimeCode()], [codes[0], codes[-1]]),
            "times")
    require(stage.GetDefaultPrim().GetPath() == "/World", "defaultPrim")
    names = [p.GetName() for p in stage.GetPrimAtPath("/World/bodies").GetChildren()]
    require([n for n in names if n != "ground"] == list(frames[0]), f"bodies {names}")
    for name, color in zip(frames[0], colors):
        check_mesh(stage.GetPrimAtPath("/World/bodies/" + name), codes, frames, color)
    check_camera(stage, frames)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    faults = UsdValidation.ValidationContext(validators).Validate(stage)
    require(not faults, "\n".join(fault.GetErrorAsString() for fault in faults))


def check(folder, fps, steps):
    times = read_list(folder, steps)
    frames = [read_obj(folder, step) for step in steps]
    colors = [check_ply(folder, step, frame) for step, frame in zip(steps, frames)]
    inside = [check_vtu(folder, step, frame) for step, frame in zip(steps, frames)]
    require(inside[0].count(True) > 0 and inside.count(inside[0]) == len(inside), "VTU: points")
    for name in frames[0]:
        check_pc2(folder, name, fps, times, frames)
    check_usd(folder, fps, times, frames, colors[0])


if sys.argv[1] != "probe":
    check(sys.argv[1], float(sys.argv[2]), [int(s) for s in sys.argv[3:]])
