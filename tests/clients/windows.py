"""Run with an interpreter that has python-xlib: prints Bottega's windows, and gives an order.

`close` asks as a title bar's button does; `resize WIDTH HEIGHT` drags the corner.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from Xlib import X, display
from Xlib.protocol import event

screen = display.Display()


def all_windows(window: Any) -> Iterator[Any]:
    for child in window.query_tree().children:
        yield child
        yield from all_windows(child)


def close(window: Any) -> None:
    ask = [screen.intern_atom("WM_DELETE_WINDOW"), X.CurrentTime, 0, 0, 0]
    protocols = screen.intern_atom("WM_PROTOCOLS")
    window.send_event(event.ClientMessage(window=window, client_type=protocols, data=(32, ask)))


found = []
for each in all_windows(screen.screen().root):
    if each.get_wm_name() != "Bottega":
        continue
    place = each.get_geometry()
    icon = each.get_full_property(screen.intern_atom("_NET_WM_ICON"), X.AnyPropertyType)
    found.append(
        {
            "size": [place.width, place.height],
            "class": each.get_wm_class()[0],
            "has_icon": icon is not None,
        }
    )
    if sys.argv[1:2] == ["close"]:
        close(each)
    elif sys.argv[1:2] == ["resize"]:
        each.configure(width=int(sys.argv[2]), height=int(sys.argv[3]))
screen.sync()
sys.stdout.write(json.dumps(found))
