"""What requests took, and how that grows."""


class Figures:
    """What one request took."""

    def __init__(self, size, status, seconds, slice, loop):
        self.size, self.status, self.seconds, self.slice, self.loop = size, status, seconds, slice, loop


class Suspect:
    """Two sizes between which the processor time grows by more than it may."""

    def __init__(self, act_of, small_size, large_size, ratio, text):
        self.act_of, self.small_size, self.large_size, self.ratio, self.text = act_of, small_size, large_size, ratio, text


def ratio_of_bytes(small, large, small_size, large_size):
    """The growth for twice the bytes, when the two sizes are about that far apart."""
    return large / small * 2 / max(large_size / small_size, 1.2) if large_size < small_size * 3 else 0


def ratio_of_numbers(small, large, small_size, large_size):
    """The growth for twice the number, which may be more than twice the bytes."""
    return large / small * 2 / max(2, large_size / small_size)
