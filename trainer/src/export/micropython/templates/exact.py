

def _number(bits):
    # Returns the number of single precision with these bits in units of 2 ** -149; None for NaN.
    exponent = bits >> 23 & 255
    number = bits & 0x7fffff
    if exponent == 255 and number:
        return None
    if exponent:
        number = (number | 0x800000) << (exponent - 1)
    return -number if bits >> 31 else number


def _exact(reading):
    # Returns a reading, rounded to single precision, in units of 2 ** -149; None for a missing one.
    if reading is None:
        return None
    try:
        return _number(unpack("<I", pack("<f", reading))[0])
    except OverflowError:
        return 1 << 277 if reading > 0 else -(1 << 277)
