"""The results as one HTML page: the picture, the table, how it was measured, and the history of each operation. No scripts, nothing loaded from elsewhere."""

import base64
import html

from . import table

_STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 85em; padding: 0 1em; } :root { color-scheme: light dark; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; } th { vertical-align: bottom; } td, th { padding: 0.2em 0.5em; text-align: right; white-space: nowrap; border-bottom: 1px solid #8884; }
th { white-space: normal; } td:nth-child(-n+2), th:nth-child(-n+2), td:last-child { text-align: left; } img { max-width: 100%; height: auto; background: white; }
.slower { color: #d33; font-weight: bold; } .faster { color: #2a2; } svg { width: 6em; height: 1.5em; } polyline { fill: none; stroke: currentColor; stroke-width: 1.5; }"""


def _line(times):
    """A small curve of milliseconds, oldest first."""
    if len(times) < 2:
        return ""
    most = max(times)
    points = " ".join(f"{100 * i / (len(times) - 1):.1f},{29 - 27 * time / most:.1f}" for i, time in enumerate(times))
    return f'<svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label="milliseconds of earlier runs"><polyline points="{points}"/></svg>'


def page(results, title, method, picture, past):
    """`past`: name -> milliseconds of earlier runs and of this one, oldest first."""
    cells = table.rows(results, title)
    parts = ['<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tilewise: comparisons</title>'
             f"<style>{_STYLE}</style></head><body><h1>Fused kernels beside separate operations</h1><p>{html.escape(method)}</p>",
             f'<p><img alt="times as fast as separate operations" src="data:image/png;base64,{base64.b64encode(picture).decode()}"></p><div class="wide"><table>']
    parts.append("<tr>" + "".join(f"<th>{html.escape(cell)}</th>" for cell in [*cells[0][:-1], "history", ""]) + "</tr>")
    for each, row in zip(results, cells[1:]):
        kind = each.mark.partition(" ")[0]
        parts.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row[:-1]) + f"<td>{_line(past.get(each.name, []))}</td>"
                     f'<td class="{kind}">{html.escape(each.mark)}</td></tr>')
    parts.append("</table></div><p><b>speed-up</b>: of Tilewise over the separate operations. <b>launches</b> and <b>MB moved</b>: of the separate operations, and of one fused kernel that reads its "
                 "inputs once and writes its result once. <b>of peak</b>: share of this machine's measured bandwidth or arithmetic, whichever bounds. <b>difference</b>: the largest, from "
                 "double precision.</p></body></html>\n")
    return "".join(parts)
