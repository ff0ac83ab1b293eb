

def _logarithm(count):
    # Returns 4096 times the logarithm to base 2 of a count, less 8.
    f = count if count > 1 else 1
    exponent = 7
    while f < 32768:
        f <<= 1
        exponent -= 1
    f -= 32768
    p = (1483 * f >> 15) - 6348
    p = (p * f >> 15) + 13624
    p = (p * f >> 15) - 23237
    p = (p * f >> 15) + 47249
    return (exponent << 12) + (p * f + 131072 >> 18)
