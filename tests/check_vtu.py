"""VTK's own view of the files that Pliant writes, and files of VTK's own for Pliant to read.

    check_vtu.py probe                    exits with 0 if VTK is there
    check_vtu.py compare FILE REFERENCE   opens FILE (.vtu) with VTK and compares it with REFERENCE
    check_vtu.py write FILE DIRECTORY     writes the grid of FILE (.vtu) in every encoding of VTU
                                          and legacy VTK, and some more, into DIRECTORY
    check_vtu.py mixed DIRECTORY          writes grids and surfaces with cells of many types
    check_vtu.py series FILE TIME...      opens the frames of a run that FILE (.pvd) lists, and looks
                                          at their times and fields
    check_vtu.py contacts FILE TIME...    the same for the contacts between bodies: none at 0 s

REFERENCE is text: "points N", "cells N CORNERS" for each kind of cells, then "field NAME point|cell
COMPONENTS", each followed by its numbers, doubles in hexadecimal.
"""

import os
import sys
import xml.etree.ElementTree

try:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkUnstructuredGrid, vtkCellArray
    from vtkmodules.vtkIOLegacy import vtkPolyDataWriter, vtkUnstructuredGridWriter
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter
    import numpy as np
except ImportError as error:
    print("VTK is not there:", error)
    sys.exit(77)


def read(path):
    reader = vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    if reader.GetErrorCode() != 0:
        sys.exit(f"{path}: VTK's reader fails with error {reader.GetErrorCode()}")
    return reader.GetOutput()


def require(condition, what):
    if not condition:
        sys.exit(f"VTK sees a difference: {what}")


def compare(path, reference):
    grid = read(path)
    tokens = iter(open(reference).read().split())
    word = lambda: next(tokens)
    require(word() == "points", "reference")
    n = int(word())
    points = np.array([float.fromhex(word()) for _ in range(3 * n)])
    require(grid.GetNumberOfPoints() == n, "number of points")
    if n > 0:
        found = vtk_to_numpy(grid.GetPoints().GetData())
        require(found.dtype == np.float64, "type of points")
        require(found.tobytes() == points.tobytes(), "points")
    m, token = 0, word()
    while token == "cells":
        count, corners = int(word()), int(word())
        cells = [int(word()) for _ in range(count * corners)]
        require(grid.GetNumberOfCells() >= m + count, "number of cells")
        for i in range(count):
            kind = {1: 1, 3: 5, 4: 10}[corners]
            require(grid.GetCellType(m + i) == kind, f"type of cell {m + i}")
            ids = grid.GetCell(m + i).GetPointIds()
            found = [ids.GetId(k) for k in range(ids.GetNumberOfIds())]
            require(found == cells[corners * i : corners * (i + 1)], f"cell {m + i}")
        m += count
        token = next(tokens, None)
    require(grid.GetNumberOfCells() == m, "number of cells")
    counts = {"point": 0, "cell": 0}
    while token is not None:
        require(token == "field", "reference")
        name, where, components = word(), word(), int(word())
        size = components * (n if where == "point" else m)
        values = np.array([float.fromhex(word()) for _ in range(size)])
        data = grid.GetPointData() if where == "point" else grid.GetCellData()
        array = data.GetArray(name)
        require(array is not None, f"{name} is missing")
        require(array.GetNumberOfComponents() == components, f"components of {name}")
        require(vtk_to_numpy(array).tobytes() == values.tobytes(), f"values of {name}")
        counts[where] += 1
        token = next(tokens, None)
    require(grid.GetPointData().GetNumberOfArrays() == counts["point"], "number of point fields")
    require(grid.GetCellData().GetNumberOfArrays() == counts["cell"], "number of cell fields")


def write_legacy(grid, path, version, binary):
    writer = vtkPolyDataWriter() if grid.IsA("vtkPolyData") else vtkUnstructuredGridWriter()
    writer.SetFileVersion(version)
    writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
    writer.SetInputData(grid)
    writer.SetFileName(path)
    require(writer.Write() == 1, path)


def write_all(path, directory):
    grid = read(path)
    for version in (42, 51):
        for binary in (False, True):
            name = f"legacy-{version}-{'binary' if binary else 'ascii'}.vtk"
            write_legacy(grid, os.path.join(directory, name), version, binary)
    modes = {
        "ascii": lambda w: w.SetDataModeToAscii(),
        "inline": lambda w: w.SetDataModeToBinary(),
        "raw": lambda w: (w.SetDataModeToAppended(), w.EncodeAppendedDataOff()),
        "base64": lambda w: (w.SetDataModeToAppended(), w.EncodeAppendedDataOn()),
    }
    for mode, set_mode in modes.items():
        for compressed in (False, True):
            for header in ("32", "64"):
                for order in ("little", "big"):
                    writer = vtkXMLUnstructuredGridWriter()
                    writer.SetInputData(grid)
                    set_mode(writer)
                    if compressed:
                        writer.SetCompressorTypeToZLib()
                        writer.SetBlockSize(1024)  # so that there are several blocks
                    else:
                        writer.SetCompressorTypeToNone()
                    writer.SetHeaderTypeToUInt32() if header == "32" else writer.SetHeaderTypeToUInt64()
                    if order == "little":
                        writer.SetByteOrderToLittleEndian()
                    else:
                        writer.SetByteOrderToBigEndian()
                    name = f"{mode}-{'zlib' if compressed else 'plain'}-{header}-{order}.vtu"
                    writer.SetFileName(os.path.join(directory, name))
                    require(writer.Write() == 1, name)
    pieces = vtkXMLUnstructuredGridWriter()
    pieces.SetInputData(grid)
    pieces.SetNumberOfPieces(3)
    pieces.SetFileName(os.path.join(directory, "pieces.vtu"))
    require(pieces.Write() == 1, "pieces")


def mixed(directory):
    points = vtkPoints()
    for i in range(9):
        points.InsertNextPoint(i % 3, i // 3, 0)
    points.InsertNextPoint(0, 0, 1)
    grid = vtkUnstructuredGrid()
    grid.SetPoints(points)
    cells = [
        (1, [0]), (3, [0, 1]), (5, [0, 1, 3]), (9, [0, 1, 4, 3]), (8, [0, 1, 3, 4]),
        (7, [0, 1, 4, 7, 3]), (6, [0, 3, 1, 4, 2]), (10, [0, 1, 3, 9]), (14, [0, 1, 4, 3, 9]),
        (10, [1, 4, 3, 9]),
    ]
    for kind, corners in cells:
        grid.InsertNextCell(kind, len(corners), corners)
    surface = vtkPolyData()
    surface.SetPoints(points)
    for add, chosen in (("SetVerts", [[0]]), ("SetLines", [[0, 1, 2]]),
                        ("SetPolys", [[0, 1, 4, 3], [1, 2, 5]]), ("SetStrips", [[3, 4, 6, 7]])):
        array = vtkCellArray()
        for corners in chosen:
            array.InsertNextCell(len(corners), corners)
        getattr(surface, add)(array)
    for version in (42, 51):
        for binary in (False, True):
            suffix = f"{version}-{'binary' if binary else 'ascii'}.vtk"
            write_legacy(grid, os.path.join(directory, "grid-" + suffix), version, binary)
            write_legacy(surface, os.path.join(directory, "surface-" + suffix), version, binary)
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetInputData(grid)
    writer.SetFileName(os.path.join(directory, "grid.vtu"))
    require(writer.Write() == 1, "grid.vtu")


def series(path, times):
    sets = xml.etree.ElementTree.parse(path).getroot().findall("Collection/DataSet")
    require([float(s.get("timestep")) for s in sets] == times, "times")
    for item in sets:
        grid = read(os.path.join(os.path.dirname(path), item.get("file")))
        point, cell = grid.GetPointData(), grid.GetCellData()
        for data, name, components in ((point, "velocity", 3), (point, "contact_force", 3),
                                       (cell, "body", 1),
                                       (cell, "von_mises", 1), (cell, "principal_stress", 3)):
            require(data.GetArray(name) is not None, f"{name} is missing")
            require(data.GetArray(name).GetNumberOfComponents() == components, name)
            require(np.isfinite(vtk_to_numpy(data.GetArray(name))).all(), name)
        bodies = set(vtk_to_numpy(cell.GetArray("body")))
        require(len(bodies) > 1 and bodies == set(range(len(bodies))), "bodies")
        a, b, c = vtk_to_numpy(cell.GetArray("principal_stress")).T
        require((a >= b).all() and (b >= c).all(), "order of principal stresses")
        mises = np.sqrt(0.5 * ((a - b) ** 2 + (b - c) ** 2 + (c - a) ** 2))
        require(np.allclose(mises, vtk_to_numpy(cell.GetArray("von_mises"))), "von Mises")
        push = vtk_to_numpy(point.GetArray("contact_force"))  # as much one way as the other
        require((abs(push.sum(axis=0)) <= 1e-9 * abs(push).sum()).all(), "sum of contact forces")
        moving = np.abs(vtk_to_numpy(point.GetArray("velocity"))).max() > 0
        require(moving == (float(item.get("timestep")) > 0), "velocity")


def contacts(path, times):
    sets = xml.etree.ElementTree.parse(path).getroot().findall("Collection/DataSet")
    require([float(s.get("timestep")) for s in sets] == times, "times")
    for item in sets:
        grid = read(os.path.join(os.path.dirname(path), item.get("file")))
        n = grid.GetNumberOfPoints()
        require(grid.GetNumberOfCells() == n, "number of cells")
        require(all(grid.GetCellType(i) == 1 for i in range(n)), "types of cells")
        require((n > 0) == (float(item.get("timestep")) > 0), "number of contacts")
        if n == 0:
            continue
        field = {}
        for name, components in (("normal", 3), ("gap", 1), ("force", 1), ("friction", 3),
                                 ("slips", 1), ("body_a", 1), ("body_b", 1)):
            array = grid.GetPointData().GetArray(name)
            require(array is not None, f"{name} is missing")
            require(array.GetNumberOfComponents() == components, name)
            field[name] = vtk_to_numpy(array)
            require(np.isfinite(field[name]).all(), name)
        require(grid.GetPointData().GetNumberOfArrays() == 7, "number of fields")
        require(np.allclose((field["normal"] ** 2).sum(axis=1), 1), "normal")
        require((field["force"] > 0).all() and (field["gap"] > 0).all(), "force or gap")
        across = (field["friction"] * field["normal"]).sum(axis=1)
        require((abs(across) <= 1e-9 * field["force"]).all(), "direction of friction")
        require(set(field["slips"]) <= {0, 1}, "slips")
        require((field["body_a"] != field["body_b"]).all(), "bodies")


if sys.argv[1] == "compare":
    compare(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "write":
    write_all(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "mixed":
    mixed(sys.argv[2])
elif sys.argv[1] == "series":
    series(sys.argv[2], [float(t) for t in sys.argv[3:]])
elif sys.argv[1] == "contacts":
    contacts(sys.argv[2], [float(t) for t in sys.argv[3:]])
elif sys.argv[1] != "probe":
    sys.exit(__doc__)
