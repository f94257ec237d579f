"""A camera on loopback, for tests and the bench: MJPEG over HTTP as phone apps send it, with troubles on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

import cv2
import numpy as np

from vision.view import Picture


class MjpegServer:
    """Sends pictures round and round at a pace; can hold one picture, fall silent, or hang up on everybody."""

    def __init__(
        self,
        pictures: Sequence[Picture],
        fps: float = 20.0,
        jitter: float = 0.0,
        seed: int = 0,
        drops: float = 0.0,
        port: int = 0,
    ) -> None:
        """`jitter` is how far off its time a picture may come, in intervals; `drops` the share that never comes.

        Port 0 is any that is free.
        """
        self._jpegs: Sequence[bytes] = jpegs(pictures)
        self._every_s, self._jitter, self._drops = 1 / fps, jitter, drops
        self._rng = np.random.default_rng(seed)
        self._over = threading.Event()
        self.sent = 0
        self.holding = threading.Event()
        """The same picture again and again."""
        self.silent = threading.Event()
        self.hung_up = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server._serve(self)

            def log_message(self, format: str, *args: object) -> None:
                return

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return self._http.server_port

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def show(self, pictures: Sequence[Picture]) -> None:
        """Other pictures from here on."""
        self.show_jpegs(jpegs(pictures))

    def show_jpegs(self, pictures: Sequence[bytes]) -> None:
        """Other pictures, as they are sent."""
        self._jpegs = pictures

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        if self.hung_up.is_set():
            request.send_error(503)
            return
        request.send_response(200)
        request.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        request.end_headers()
        number, due_s = 0, time.monotonic()
        try:
            while not self._over.is_set() and not self.hung_up.is_set():
                if not self.silent.is_set() and self._rng.uniform() >= self._drops:
                    data = self._jpegs[number % len(self._jpegs)]
                    head = b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data)
                    request.wfile.write(head + data + b"\r\n")
                    request.wfile.flush()
                    number += 0 if self.holding.is_set() else 1
                    self.sent += 1
                due_s = max(due_s + self._every_s, time.monotonic() - self._every_s)
                late_s = self._every_s * self._jitter * float(self._rng.uniform(-1, 1))
                self._over.wait(max(0.0, due_s + late_s - time.monotonic()))
        except (BrokenPipeError, ConnectionResetError):
            return

    def __enter__(self) -> MjpegServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def jpegs(pictures: Sequence[Picture]) -> list[bytes]:
    """Pictures as a camera sends them."""
    return [cv2.imencode(".jpg", picture)[1].tobytes() for picture in pictures]
