"""The speed-ups as a picture: horizontal bars in a PNG, drawn here, since nothing but numpy is asked for."""

import struct
import zlib

# Letters of 5 x 7 dots: seven digits of base 32, one for each row.
GLYPHS = {
    "0": "ehjlphe", "1": "4c4444e", "2": "eh1248v", "3": "v2421he", "4": "26aiv22", "5": "vgu11he", "6": "68guhhe", "7": "v124888", "8": "ehhehhe", "9": "ehhf12c",
    "a": "00e1fhf", "b": "ggmphhu", "c": "00egghe", "d": "11djhhf", "e": "00ehvge", "f": "698s888", "g": "0fhhf1e", "h": "ggmphhh", "i": "40c444e", "j": "20622ic",
    "k": "ggikoki", "l": "c44444e", "m": "00qllhh", "n": "00mphhh", "o": "00ehhhe", "p": "00uhugg", "q": "00djf11", "r": "00mpggg", "s": "00ege1u", "t": "88s8896",
    "u": "00hhhjd", "v": "00hhha4", "w": "00hhlla", "x": "00ha4ah", "y": "00hhf1e", "z": "00v248v", ".": "00000cc", ",": "0000c48", "-": "000v000", "_": "000000v",
    "/": "01248g0", ":": "0cc0cc0", "(": "2488842", ")": "8422248", "%": "op248j3", "'": "4400000",
}
COLOURS = {"tilewise": (63, 81, 181), "torch": (238, 110, 70), "triton": (100, 150, 100), "ink": (30, 30, 40), "line": (215, 215, 220)}
SCALE, ROW, LEFT, RIGHT, TOP = 2, 44, 380, 150, 90


class Canvas:

    def __init__(self, width, height):
        import numpy
        self.pixels = numpy.full((height, width, 3), 255, numpy.uint8)

    def box(self, left, top, right, bottom, colour):
        self.pixels[int(top):int(bottom), int(left):int(right)] = colour

    def write(self, left, top, text, scale=SCALE, colour=COLOURS["ink"]):
        for letter in text.lower():
            for row, digit in enumerate(GLYPHS.get(letter, "0000000")):
                bits = int(digit, 32)
                for column in range(5):
                    if bits >> (4 - column) & 1:
                        self.box(left + column * scale, top + row * scale, left + (column + 1) * scale, top + (row + 1) * scale, colour)
            left += 6 * scale

    def png(self):
        height, width, _ = self.pixels.shape
        lines = b"".join(b"\0" + self.pixels[row].tobytes() for row in range(height))
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(lines, 9))
                + chunk(b"IEND", b""))


def _step(most):
    """A round distance between lines, for some five of them."""
    power = 1
    while True:
        for first in (1, 2, 5):
            if most / (first * power) <= 6:
                return first * power
        power *= 10


def speedups(results, title):
    """How many times as fast as the separate operations each competitor is, as the bytes of a PNG."""
    names = [name for name in ("torch", "triton", "tilewise") if any(name in each.milliseconds for each in results)]
    values = [{name: each.milliseconds["unfused"] / each.milliseconds[name] for name in names if name in each.milliseconds} for each in results]
    most = max(max(each.values()) for each in values)
    width, height = 1280, TOP + ROW * len(results) + 50
    canvas = Canvas(width, height)
    canvas.write(20, 16, f"times as fast as separate operations ({title})")
    left = 20
    for name in names:
        canvas.box(left, 52, left + 20, 66, COLOURS[name])
        label = {"torch": "PyTorch's own operator", "triton": "Triton", "tilewise": "Tilewise"}[name]
        canvas.write(left + 28, 52, label)
        left += 60 + 12 * len(label)
    place = lambda value: LEFT + (width - LEFT - RIGHT) * value / most
    mark = 0
    while mark <= most:
        canvas.box(place(mark), TOP, place(mark) + 1, height - 40, COLOURS["line"])
        canvas.write(place(mark) - 4, height - 32, f"{mark}x")
        mark += _step(most)
    for number, (each, bars) in enumerate(zip(results, values)):
        top = TOP + number * ROW
        canvas.write(20, top + 8, each.name)
        thick = (ROW - 12) / max(1, len(bars))
        for index, (name, value) in enumerate(bars.items()):
            canvas.box(LEFT, top + index * thick, max(place(value), LEFT + 2), top + (index + 1) * thick - 1, COLOURS[name])
            if name == "tilewise":
                canvas.write(place(value) + 8, top + index * thick + (thick - 14) / 2, f"{value:.1f}x")
    return canvas.png()
