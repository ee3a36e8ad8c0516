"""Telling the service manager that the server answers: systemd's `Type=notify`."""

import os
import socket


def tell_service_manager() -> None:
    """Nobody is told where no manager asks; systemd names its socket in `NOTIFY_SOCKET`."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading @ stands for the zero byte of a socket that has no file.
    path = f"\0{address[1:]}" if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.sendto(b"READY=1", path)
