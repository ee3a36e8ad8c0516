from tests.server.http.conftest import serve

__all__ = ["serve"]
