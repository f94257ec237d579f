"""A network camera on loopback: an RTSP server by GStreamer, run by the system's Python, which brings its bindings.

python3 tests/rtsp_server.py VIDEO.mp4 tcp|udp PORT [NAME PASSWORD]     # prints its port (0: any), serves /video
"""

from __future__ import annotations

import sys
from typing import Any

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

LAUNCH = "( filesrc location={} ! qtdemux ! h264parse config-interval=1 ! rtph264pay name=pay0 pt=96 )"


def main(video: str, carried_by: str, port: str, *account: str) -> None:
    Gst.init(None)
    server: Any = GstRtspServer.RTSPServer.new()
    server.set_address("127.0.0.1")
    server.set_service(port)
    factory = GstRtspServer.RTSPMediaFactory.new()
    factory.set_launch(LAUNCH.format(video))
    factory.set_shared(True)
    factory.set_protocols(GstRtsp.RTSPLowerTrans.TCP if carried_by == "tcp" else GstRtsp.RTSPLowerTrans.UDP)
    if account:
        _lock(server, factory, *account)
    server.get_mount_points().add_factory("/video", factory)
    server.attach(None)
    print(server.get_bound_port(), flush=True)
    GLib.MainLoop().run()


def _lock(server: Any, factory: Any, name: str, password: str) -> None:
    role = GstRtspServer.RTSPToken.new()
    role.set_string("media.factory.role", "guest")
    auth = GstRtspServer.RTSPAuth.new()
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic(name, password), role)
    server.set_auth(auth)
    factory.add_role_from_structure(
        Gst.Structure.from_string("guest, media.factory.access=(boolean)true, media.factory.construct=(boolean)true")[0]
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
