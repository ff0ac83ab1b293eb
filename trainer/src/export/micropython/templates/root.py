

def _root(count):
    # Returns the square root of 32768 times a count, rounded.
    rest = count << 15 if count > 0 else 0
    root = 0
    bit = 1 << 28
    while bit:
        trial = root + bit
        root >>= 1
        if rest >= trial:
            rest -= trial
            root += bit
        bit >>= 2
    return root + 1 if rest > root else root
