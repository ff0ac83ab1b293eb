try:
    from micropython import const
except ImportError:
    def const(number):
        return number
