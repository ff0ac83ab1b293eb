"""Models in the format ONNX, for programs on larger computers.

The graph computes in ``float32`` what the device computes, but for rounding: sums have another order, and cosines are
those of the library that runs the graph.
"""

import json

import numpy as np

#: Operators of this version do all that a model needs; runtimes of 2020 and later read it.
OPSET = 13
FILE_VERSION = 7

#: The operators of trees.
TREES = "ai.onnx.ml"
TREES_OPSET = 1


def model_of(model, outputs, classes):
    """Returns a model as an ``onnx.ModelProto``; with classes, the graph gives the number of the class as well."""
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs the package onnx: pip install onnx") from None
    parts = json.loads(model.parts())
    inputs = model.shape()[2]
    graph = _Graph(onnx)
    z = _prepared(graph, parts, inputs)
    y = graph.constant([parts["intercepts"]])
    for part in _sums(graph, parts, z, len(parts["prepared"]) or inputs):
        y = graph.node("Add", y, part)
    if parts["limits"]:
        low, high = np.array(parts["limits"]).T
        y = graph.node("Min", graph.node("Max", y, graph.constant(low)), graph.constant(high))
    value = onnx.helper.make_tensor_value_info
    name = "scores" if classes else "prediction"
    graph.node("Identity", y, to=name)
    results = [value(name, onnx.TensorProto.FLOAT, ["rows", outputs])]
    if classes == 2:
        above = graph.node("Greater", y, graph.constant([[0.5]]))
        flat = graph.node("Reshape", above, graph.constant([-1], np.int64))
        graph.node("Cast", flat, to="class", attributes={"to": onnx.TensorProto.INT64})
    elif classes:
        graph.node("ArgMax", y, to="class", attributes={"axis": 1, "keepdims": 0})
    if classes:
        results.append(value("class", onnx.TensorProto.INT64, ["rows"]))
    readings = value("readings", onnx.TensorProto.FLOAT, ["rows", inputs])
    made = onnx.helper.make_graph(graph.nodes, "srfm", [readings], results, graph.constants)
    opset = [onnx.helper.make_opsetid("", OPSET)]
    if parts["conditions"]:
        opset.append(onnx.helper.make_opsetid(TREES, TREES_OPSET))
    made = onnx.helper.make_model(made, producer_name="srfm", opset_imports=opset, ir_version=FILE_VERSION)
    onnx.checker.check_model(made)
    return made


class _Graph:
    """Nodes and constants, with names of their own."""

    def __init__(self, onnx):
        self.onnx, self.nodes, self.constants = onnx, [], []

    def constant(self, values, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(values, dtype=dtype), name))
        return name

    def node(self, operator, *inputs, to=None, attributes=None, domain=None):
        to = to or f"n{len(self.nodes)}"
        made = self.onnx.helper.make_node(operator, list(inputs), [to], domain=domain, **(attributes or {}))
        self.nodes.append(made)
        return to


def _prepared(graph, parts, inputs):
    """Adds the inputs of features: readings that are replaced, limited, warped and centred."""
    x, prepared = "readings", parts["prepared"]
    if not prepared:
        return x
    of = [entry["input"] for entry in prepared]
    if of != list(range(inputs)):
        x = graph.node("Gather", x, graph.constant(of, np.int64), attributes={"axis": 1})
    replacements = [entry["replacement"] for entry in prepared]
    if any(value is not None for value in replacements):
        # A gap without a replacement stays one.
        stand_in = graph.constant([np.nan if value is None else value for value in replacements])
        x = graph.node("Where", graph.node("IsNaN", x), stand_in, x)
    if any(entry["limits"] for entry in prepared):
        low, high = zip(*(entry["limits"] or (-np.inf, np.inf) for entry in prepared))
        x = graph.node("Min", graph.node("Max", x, graph.constant(low)), graph.constant(high))
    x = _warped(graph, x, [entry["warp"] for entry in prepared])
    return graph.node("Sub", x, graph.constant([entry["centre"] for entry in prepared]))


def _warped(graph, x, warps):
    """Adds logarithms to base 2 and roots of some columns."""
    least = np.finfo(np.float32).tiny
    if "log" in warps:
        of = graph.constant([warp == "log" for warp in warps], bool)
        logarithm = graph.node("Log", graph.node("Max", x, graph.constant(least)))
        x = graph.node("Where", of, graph.node("Mul", logarithm, graph.constant(1 / np.log(2))), x)
    if "sqrt" in warps:
        of = graph.constant([warp == "sqrt" for warp in warps], bool)
        root = graph.node("Sqrt", graph.node("Max", x, graph.constant(0)))
        x = graph.node("Where", of, root, x)
    return x


def _sums(graph, parts, z, width):
    """Adds linear terms, blocks of features and trees, and returns the sum of each."""
    outputs = len(parts["intercepts"])
    sums = []
    if parts["linear"] or not (parts["blocks"] or parts["conditions"]):
        linear = np.zeros((width, outputs))
        for place, weights in parts["linear"]:
            linear[place] += weights
        sums.append(graph.node("MatMul", z, graph.constant(linear)))
    for block in parts["blocks"]:
        features = block["features"]
        weights = np.zeros((width, len(features)))
        for column, feature in enumerate(features):
            np.add.at(weights[:, column], feature["inputs"], feature["weights"])
        t = graph.node("MatMul", z, graph.constant(weights))
        t = graph.node("Add", t, graph.constant([feature["bias"] for feature in features]))
        amplitudes = np.array([feature["amplitudes"] for feature in features])  # features, outputs, values
        for value, phi in enumerate(_kernel(graph, block["kernel"], t)):
            sums.append(graph.node("MatMul", phi, graph.constant(amplitudes[:, :, value])))
    if parts["conditions"]:
        sums.append(_trees(graph, parts["conditions"], outputs))
    return sums


def _kernel(graph, kernel, t):
    """Adds the values of a kernel."""
    if kernel == "sigmoid":
        return [graph.node("Sigmoid", t)]
    if kernel == "ReLU":
        return [graph.node("Relu", t)]
    if kernel == "square":
        return [graph.node("Mul", t, t)]
    # Whole turns are taken off first, which is exact: large angles in radians would lose digits.
    turns = graph.node("Sub", t, graph.node("Round", t))
    angle = graph.node("Mul", turns, graph.constant(2 * np.pi))
    names = {"cosine": ["Cos"], "sine and cosine": ["Sin", "Cos"]}
    if kernel not in names:
        raise ValueError(f"the kernel {kernel} has no form in ONNX")
    return [graph.node(name, angle) for name in names[kernel]]


def _trees(graph, conditions, outputs):
    """Adds the trees. In ONNX leaves alone have weights: those of all branches that lead there."""
    nodes = []  # Tree, place, mode, reading, threshold, places of the lower and the upper branch, missing is lower.
    weights = []  # Tree, place, output, weight.
    rest = iter(conditions)
    tree = -1

    def add(condition, total):
        place = len([node for node in nodes if node[0] == tree])
        threshold = np.inf if condition["threshold"] is None else condition["threshold"]
        node = [tree, place, "BRANCH_LEQ", condition["input"], threshold, 0, 0, int(not condition["missing_upper"])]
        nodes.append(node)
        for side in (0, 1):
            below = total + np.array(condition["added"][side] or np.zeros(outputs))
            node[5 + side] = add(next(rest), below) if condition["leads_on"][side] else leaf(below)
        return place

    def leaf(total):
        place = len([node for node in nodes if node[0] == tree])
        nodes.append([tree, place, "LEAF", 0, 0.0, 0, 0, 0])
        weights.extend([tree, place, output, weight] for output, weight in enumerate(total))
        return place

    for condition in rest:
        tree += 1
        add(condition, np.zeros(outputs))
    names = ["treeids", "nodeids", "modes", "featureids", "values", "truenodeids", "falsenodeids",
             "missing_value_tracks_true"]
    attributes = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*nodes))}
    names = ["treeids", "nodeids", "ids", "weights"]
    attributes |= {f"target_{name}": list(column) for name, column in zip(names, zip(*weights))}
    attributes["nodes_values"] = [float(value) for value in attributes["nodes_values"]]
    attributes["target_weights"] = [float(value) for value in attributes["target_weights"]]
    attributes["n_targets"] = outputs
    return graph.node("TreeEnsembleRegressor", "readings", attributes=attributes, domain=TREES)
