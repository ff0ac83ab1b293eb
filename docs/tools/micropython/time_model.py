# Prints the microseconds of a prediction of model.py, the least of forty runs, the bytes of memory that a prediction
# allocates, and those that the imported model takes.
import gc
import time


def memory():
    gc.collect()
    return gc.mem_alloc() if hasattr(gc, "mem_alloc") else 0


empty = memory()
import model

taken = memory() - empty
REPEATS = 2000


def now():
    return time.ticks_us() if hasattr(time, "ticks_us") else int(time.perf_counter() * 1e6)


def seconds(z):
    predict = model.predict_integers
    start = now()
    for i in range(REPEATS):
        z[0] = 500 + (i & 2047)
        predict(z)
    return (now() - start) / REPEATS


def allocated(z):
    if not hasattr(gc, "mem_alloc"):
        return 0
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    for _ in range(REPEATS):
        model.predict_integers(z)
    after = gc.mem_alloc()
    gc.enable()
    return (after - before) / REPEATS


z = [2289, 2048]
print(min([seconds(z) for _ in range(40)]), allocated(z), taken)
