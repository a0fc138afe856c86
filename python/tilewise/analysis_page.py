"""An analysis as one HTML page: its table, the roofline of a machine with the kernel on it, and pictures of which program touches what. No scripts."""

import html
import math

_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; }
:root { color-scheme: light dark; } .all { display: flex; flex-wrap: wrap; gap: 2em; }
pre { overflow-x: auto; } svg { max-width: 100%; height: auto; } text { fill: currentColor; font-size: 12px; }
.roof { fill: none; stroke: currentColor; stroke-width: 2; } .grid { stroke: currentColor; opacity: 0.15; }"""
_MOST = 64  # cells of a picture each way


def _roofline(found, bandwidth, peak):
    """Operations per second over operations per byte, both by powers of ten."""
    left, right, top, bottom = 60, 620, 20, 300
    corner = peak / bandwidth
    low, high = math.floor(math.log10(min(found.intensity or 0.01, corner, 0.1))) - 0.2, math.ceil(math.log10(max(found.intensity or 1, corner))) + 1
    roof = math.log10(peak) + 0.4
    floor = min(math.log10(bandwidth) + low, roof - 2)
    x = lambda intensity: left + (math.log10(intensity) - low) / (high - low) * (right - left)
    y = lambda rate: bottom - (math.log10(rate) - floor) / (roof - floor) * (bottom - top)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 340" role="img" aria-label="roofline">']
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = x(10.0**power)
        parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}"/><text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g}</text>')
    for power in range(math.ceil(floor), math.floor(roof) + 1):
        at = y(10.0**power)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}"/><text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    start = 10.0**low
    parts.append(f'<polyline class="roof" points="{x(start):.1f},{y(max(bandwidth * start, 10.0**floor)):.1f} {x(corner):.1f},{y(peak):.1f} {right},{y(peak):.1f}"/>')
    parts.append(f'<text x="{right}" y="{y(peak) - 6:.1f}" text-anchor="end">{peak:.0f} GFLOPS</text><text x="{x(corner / 2) - 8:.1f}" y="{y(peak / 2) - 4:.1f}" text-anchor="end">'
                 f'{bandwidth:.0f} GB/s</text>')  # beside the slope, above it
    if found.intensity > 0:
        reach = min(peak, bandwidth * found.intensity)
        at = x(found.intensity)
        # To the side that has room.
        place = f'x="{at + 10:.1f}"' if at < (left + right) / 2 else f'x="{right}" text-anchor="end"'
        rate = f"{reach:.0f}" if reach >= 100 else f"{reach:.3g}"
        parts.append(f'<circle cx="{at:.1f}" cy="{y(reach):.1f}" r="6" fill="#d62728"/><text {place} y="{y(reach) + 20:.1f}">{html.escape(found.name)}: at most {rate} GFLOPS</text>')
    parts.append(f'<text x="{(left + right) / 2}" y="{bottom + 34}" text-anchor="middle">operations per byte</text></svg>')
    return "".join(parts)


def _owners(argument, programs):
    """A cell for each element, or for every so many of a large tensor: the colour is the program that wrote it, or else read it first. Leading dimensions are rows."""
    import numpy
    owner = numpy.where(argument.writer >= 0, argument.writer, argument.reader)
    columns = argument.shape[-1] if argument.shape else 1
    rows = math.prod(argument.shape[:-1])
    if rows == 1 and columns > _MOST:  # a vector: as many rows as fill a square
        columns = max(_MOST // 2, math.isqrt(columns))
        rows = -(-argument.shape[-1] // columns)
    count = min(math.prod(argument.shape), owner.size)
    grid = numpy.full(rows * columns, -2, numpy.int64)
    grid[:count] = owner[:count]
    some = lambda extent: numpy.arange(min(_MOST, extent)) * extent // max(1, min(_MOST, extent))
    cells = grid.reshape(rows, columns)[numpy.ix_(some(rows), some(columns))]
    high, wide = cells.shape
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {max(wide, 1)} {max(high, 1)}" width="{256 if wide >= high else 256 * wide // high}" role="img" '
             f'aria-label="{html.escape(argument.name)}" shape-rendering="crispEdges">']
    for (y, x), program in numpy.ndenumerate(cells):
        if program >= -1:
            colour = "#888" if program < 0 else f"hsl({program * 360 / max(programs, 1) * 7 % 360:.0f} 65% 55%)"
            parts.append(f'<rect x="{x}" y="{y}" width="1" height="1" fill="{colour}"/>')
    return "".join(parts) + "</svg>"


def page(found, bandwidth, peak):
    bound, least = found.against(bandwidth, peak)
    parts = [f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(found.name)}</title>'
             f"<style>{_STYLE}</style></head><body><h1>{html.escape(found.name)}</h1><pre>{html.escape(str(found))}</pre>",
             f"<p>On a machine of {bandwidth:.0f} GB/s and {peak:.0f} GFLOPS it is bound by {bound}, and takes at least {least * 1e3:.3g} µs.</p>",
             _roofline(found, bandwidth, peak), "<h2>Which program touches what</h2><p>Each colour is a program: the one that wrote the element or, where none did, the first one that read it. Grey elements were not touched.</p><div class=\"all\">"]
    for argument in found.trace.arguments.values():
        kind = "written" if argument.stored else "read"
        parts.append(f"<div><h3>{html.escape(argument.name)}, {kind}</h3>{_owners(argument, found.programs)}</div>")
    return "".join(parts) + "</div></body></html>\n"
