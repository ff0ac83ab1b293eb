# Runs all models of cases.json on their rows, and writes results.json: for each row the integers, the outputs, and as
# the model has them the class and the probabilities, the outputs of a sample, or the number of integers outside of
# their ranges.
import json
import struct


def reading(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def listed(y):
    return y if y is None or isinstance(y, list) else [y]


def results(module, x, z, history):
    several = module.OUTPUTS > 1
    if z is None:
        z = module.prepare(x)
    given = list(z)
    y = module.predict_integers(z, [7] * module.OUTPUTS) if several else module.predict_integers(z)
    row = [given, listed(y)]
    if hasattr(module, "classify_integers"):
        row.append(module.classify_integers(z))
        row.append(None if y is None else module.probabilities_of_integers(y, [7] * len(module.CLASSES)))
    if history is not None:
        of_counts = hasattr(history, "predict_integers")
        readings = given if of_counts else x
        sample = [readings[i % len(readings)] for i in range(module.CHANNELS)]
        function = history.predict_integers if of_counts else history.predict
        row.append(listed(function(sample, [7] * module.OUTPUTS) if several else function(sample)))
    elif hasattr(module, "outside_integers"):
        row.append(module.outside_integers(z))
    return row


def run(case):
    module = __import__(case["module"])
    history = module.History() if hasattr(module, "History") else None
    counts = case["counts"]
    rows = enumerate(case["rows"])
    return [results(module, [reading(b) for b in x], counts[i] if counts else None, history) for i, x in rows]


with open("cases.json") as file:
    cases = json.load(file)
with open("results.json", "w") as file:
    json.dump([run(case) for case in cases], file)
