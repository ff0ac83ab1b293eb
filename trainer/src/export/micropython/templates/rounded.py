

def _nearest(size, shift):
    # Returns a number of at least 0 divided by 2 ** shift, to the nearest whole number, of two to the even one.
    whole = size >> shift
    rest = (size & ((1 << shift) - 1)) << 1
    half = 1 << shift
    return whole + 1 if rest > half or (rest == half and whole & 1) else whole


def _rounded(number):
    # Returns a number with the 24 bits of single precision.
    size = abs(number)
    shift = len(bin(size)) - 26
    if shift <= 0:
        return number
    size = _nearest(size, shift) << shift
    return -size if number < 0 else size
