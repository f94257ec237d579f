"""The painter: a table's triangles as two cameras see them under many small lights, and what each pixel shows.

OpenGL without a window (Mesa's software driver will do): every light casts its shadows through a depth picture of
its own, so that thirty of them together make soft shadows and dark corners. No light bounces; a tint from below
stands in for that.
"""

from __future__ import annotations

from dataclasses import dataclass

import moderngl
import numpy as np
from numpy.typing import NDArray

from .shapes import Bodies, Floats

SHADOW_PX = 1024
SAMPLES = 2
"""Pixels of the painter to a pixel of the picture, each way."""

_SEEN = """
#version 330
in vec3 place; in vec3 normal; in vec3 paint; in float shine; in float grain; in float instance; in float kind;
uniform mat4 camera;
out vec3 at; out vec3 facing; out vec3 colour; flat out vec4 facts; flat out vec2 what;
void main() {
    at = place; facing = normal; colour = paint; facts = vec4(shine, grain, 0.0, 0.0); what = vec2(instance, kind);
    gl_Position = camera * vec4(place, 1.0);
}
"""
_KEPT = """
#version 330
in vec3 at; in vec3 facing; in vec3 colour; flat in vec4 facts; flat in vec2 what;
uniform sampler2D top; uniform vec4 extent; uniform float table_shine; uniform float repeats;
layout(location=0) out vec4 o_place; layout(location=1) out vec4 o_normal;
layout(location=2) out vec4 o_colour; layout(location=3) out vec2 o_what;
float hash(vec3 p) { return fract(sin(dot(p, vec3(12.9898, 78.233, 37.719))) * 43758.5453); }
float noise(vec3 p) {
    vec3 i = floor(p), f = fract(p); f = f * f * (3.0 - 2.0 * f);
    return mix(mix(mix(hash(i), hash(i + vec3(1,0,0)), f.x),
                   mix(hash(i + vec3(0,1,0)), hash(i + vec3(1,1,0)), f.x), f.y),
               mix(mix(hash(i + vec3(0,0,1)), hash(i + vec3(1,0,1)), f.x),
                   mix(hash(i + vec3(0,1,1)), hash(i + vec3(1,1,1)), f.x), f.y), f.z);
}
void main() {
    vec3 c = colour; float s = facts.x;
    if (what.y < -0.5) { c = texture(top, (at.xy - extent.xy) / extent.zw * repeats).rgb; s = table_shine; }
    float n = noise(at * vec3(0.35, 2.2, 2.2) + what.x * 17.0) + 0.5 * noise(at * 1.3 + what.x * 5.0) - 0.75;
    c *= 1.0 + facts.y * n;
    o_place = vec4(at, s); o_normal = vec4(normalize(facing), 1.0); o_colour = vec4(c, 1.0);
    o_what = vec2(what.x, max(what.y, 0.0));
}
"""
_SHADE = """
#version 330
in vec3 place; uniform mat4 camera;
void main() { gl_Position = camera * vec4(place, 1.0); }
"""
_NOTHING = """
#version 330
void main() {}
"""
_WHOLE = """
#version 330
in vec2 spot; out vec2 uv;
void main() { uv = spot * 0.5 + 0.5; gl_Position = vec4(spot, 0.0, 1.0); }
"""
_LIT = """
#version 330
in vec2 uv; out vec4 light;
uniform sampler2D places; uniform sampler2D normals; uniform sampler2D colours; uniform sampler2DShadow shadow;
uniform mat4 lamp; uniform vec3 towards; uniform vec3 power; uniform vec3 eye; uniform float gloss; uniform vec3 spot;
uniform float falloff;
void main() {
    vec4 p = texture(places, uv), n = texture(normals, uv);
    if (n.w < 0.5) { light = vec4(0.0); return; }
    vec3 c = texture(colours, uv).rgb;
    float facing = dot(n.xyz, towards);
    vec4 q = lamp * vec4(p.xyz + n.xyz * 0.6, 1.0);
    vec3 s = q.xyz * 0.5 + 0.5;
    float lit = 0.0;
    for (int i = 0; i < 4; i++) {
        vec2 off = (vec2(i & 1, i >> 1) - 0.5) / 1024.0;
        lit += 0.25 * texture(shadow, vec3(s.xy + off, s.z - 0.0008));
    }
    if (any(lessThan(s.xy, vec2(0.0))) || any(greaterThan(s.xy, vec2(1.0)))) lit = 1.0;
    vec3 view = normalize(eye - p.xyz), half_way = normalize(view + towards);
    float fade = 1.0 / (1.0 + falloff * dot(p.xyz - spot, p.xyz - spot));
    float shiny = p.w * gloss * pow(max(dot(n.xyz, half_way), 0.0), 60.0) * 3.0;
    light = vec4(power * fade * lit * (c * max(facing, 0.0) + shiny * step(0.0, facing)), 0.0);
}
"""


@dataclass(frozen=True, eq=False)
class Eye:
    """A camera without distortion: world to camera (4, 4), focal length and size in px."""

    pose: np.ndarray
    focal_px: float
    size: tuple[int, int]

    @property
    def centre(self) -> np.ndarray:
        centre: np.ndarray = -self.pose[:3, :3].T @ self.pose[:3, 3]
        return centre

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Where points (..., 3) are seen, in px from the picture's upper left corner."""
        seen = points @ self.pose[:3, :3].T + self.pose[:3, 3]
        flat: np.ndarray = self.focal_px * seen[..., :2] / seen[..., 2:] + np.array(self.size) / 2
        return flat


@dataclass(frozen=True, eq=False)
class Light:
    """A small far light: where it is (unit vector), its power (RGB), how much of it is mirrored."""

    towards: np.ndarray
    power: np.ndarray
    gloss: float
    spot: np.ndarray
    """What it lights most."""
    falloff: float


@dataclass(frozen=True, eq=False)
class Painted:
    """Light (h, w, 3), instances and classes (h, w) at SAMPLES times the size, and where nothing is."""

    light: Floats
    instances: NDArray[np.int32]
    classes: NDArray[np.int32]
    bare: NDArray[np.bool_]


class Painter:
    """One OpenGL context with its programs."""

    def __init__(self) -> None:
        self.gl = moderngl.create_context(standalone=True, backend="egl")
        self.gl.enable(moderngl.DEPTH_TEST)
        self.keep = self.gl.program(_SEEN, _KEPT)
        self.shade = self.gl.program(_SHADE, _NOTHING)
        self.lit = self.gl.program(_WHOLE, _LIT)
        whole = self.gl.buffer(np.array([-1, -1, 3, -1, -1, 3], np.float32).tobytes())
        self.screen = self.gl.vertex_array(self.lit, [(whole, "2f", "spot")])
        self.shadow = self.gl.depth_texture((SHADOW_PX, SHADOW_PX))
        self.shadow.compare_func = "<="
        self.shadow_buffer = self.gl.framebuffer(depth_attachment=self.shadow)

    def painted(
        self, bodies: Bodies, top: Floats, extent_mm: tuple[float, float, float, float], repeats: float,
        table_shine: float, eyes: list[Eye], lights: list[Light], ambient: np.ndarray, below: np.ndarray,
    ) -> list[Painted]:  # fmt: skip
        """The table as each eye sees it; `top` (h, w, 3) lies over the extent (left, bottom, width, height)."""
        left, bottom, width, height = extent_mm
        rows = np.concatenate([_ground(left, bottom, width, height), bodies.table()])
        vertices = self.gl.buffer(rows.tobytes())
        form = [(vertices, "3f 3f 3f 1f 1f 1f 1f", "place", "normal", "paint", "shine", "grain", "instance", "kind")]
        seen = self.gl.vertex_array(self.keep, form)
        cast = self.gl.vertex_array(self.shade, [(vertices, "3f 40x", "place")])
        texture = self.gl.texture(top.shape[1::-1], 3, top.astype(np.float32).tobytes(), dtype="f4")
        texture.build_mipmaps()
        texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        self.keep["extent"], self.keep["table_shine"] = (left, bottom, width, height), table_shine
        self.keep["repeats"] = repeats
        kept = [self._kept(eye, seen, texture) for eye in eyes]
        low, high = rows[6:, :3].min(axis=0), rows[6:, :3].max(axis=0)
        corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        for light in lights:
            lamp = _ortho(light.towards, corners)
            self.shadow_buffer.use()
            self.shadow_buffer.clear(depth=1.0)
            self.shade["camera"].write(_bytes(lamp))
            self.gl.enable(moderngl.DEPTH_TEST)
            cast.render()
            self.gl.disable(moderngl.DEPTH_TEST)
            self.gl.enable(moderngl.BLEND)
            self.gl.blend_func = moderngl.ONE, moderngl.ONE
            for eye, (_, targets, _, total) in zip(eyes, kept, strict=True):
                total.use()
                for unit, target in enumerate(targets[:3]):
                    target.use(unit)
                self.shadow.use(3)
                for unit, name in enumerate(("places", "normals", "colours", "shadow")):
                    self.lit[name] = unit
                self.lit["lamp"].write(_bytes(lamp))
                self.lit["towards"], self.lit["power"] = tuple(light.towards), tuple(light.power)
                self.lit["eye"], self.lit["gloss"] = tuple(eye.centre), light.gloss
                self.lit["spot"], self.lit["falloff"] = tuple(light.spot), light.falloff
                self.screen.render()
            self.gl.disable(moderngl.BLEND)
            self.gl.enable(moderngl.DEPTH_TEST)
        found = [_read(eye, one, ambient, below) for eye, one in zip(eyes, kept, strict=True)]
        for buffer, targets, sums, total in kept:
            for thing in (buffer, *targets, sums, total):
                thing.release()
        for thing in (vertices, seen, cast, texture):
            thing.release()
        return found

    def _kept(self, eye: Eye, seen: moderngl.VertexArray, texture: moderngl.Texture) -> tuple:  # type: ignore[type-arg]
        size = eye.size[0] * SAMPLES, eye.size[1] * SAMPLES
        targets = [self.gl.texture(size, n, dtype="f4") for n in (4, 4, 4, 2)]
        for target in targets:
            target.filter = (moderngl.NEAREST, moderngl.NEAREST)
        buffer = self.gl.framebuffer(targets, self.gl.depth_renderbuffer(size))
        buffer.use()
        buffer.clear()
        texture.use(0)
        self.keep["top"] = 0
        self.keep["camera"].write(_bytes(_perspective(eye)))
        seen.render()
        sums = self.gl.texture(size, 4, dtype="f4")
        total = self.gl.framebuffer([sums])
        total.clear()
        return buffer, targets, sums, total


def _read(eye: Eye, kept: tuple, ambient: np.ndarray, below: np.ndarray) -> Painted:  # type: ignore[type-arg]
    _, targets, sums, _ = kept
    width, height = sums.size

    def pixels(texture: moderngl.Texture) -> Floats:
        # Rows of OpenGL begin at the bottom.
        return np.frombuffer(texture.read(), np.float32).reshape(height, width, -1)[::-1]

    normal, colour, what = (pixels(targets[i]) for i in (1, 2, 3))
    up = 0.5 + 0.5 * normal[..., 2:3]
    light = pixels(sums)[..., :3] + colour[..., :3] * (ambient * up + below * (1 - up))
    return Painted(
        light, np.rint(what[..., 0]).astype(np.int32), np.rint(what[..., 1]).astype(np.int32), normal[..., 3] < 0.5
    )


def _ground(left: float, bottom: float, width: float, height: float) -> Floats:
    right, top = left + width, bottom + height
    corners = np.array([(left, bottom), (right, bottom), (right, top), (left, bottom), (right, top), (left, top)])
    rows = np.zeros((6, 13), np.float32)
    rows[:, :2], rows[:, 5], rows[:, 12] = corners, 1.0, -1.0
    return rows


def _bytes(matrix: np.ndarray) -> bytes:
    return np.ascontiguousarray(matrix.T, np.float32).tobytes()


def _perspective(eye: Eye, near: float = 50.0, far: float = 6000.0) -> np.ndarray:
    width, height = eye.size
    clip = np.zeros((4, 4))
    clip[0, 0], clip[1, 1] = 2 * eye.focal_px / width, -2 * eye.focal_px / height
    clip[2, 2], clip[2, 3], clip[3, 2] = (far + near) / (far - near), -2 * far * near / (far - near), 1.0
    projected: np.ndarray = clip @ eye.pose
    return projected


def _ortho(towards: np.ndarray, points: np.ndarray) -> np.ndarray:
    """A far light's view of all points."""
    side = np.cross(towards, [0.0, 1.0, 0.1])
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(towards, side), -towards])
    seen = points @ axes.T
    low, high = seen.min(axis=0) - 2.0, seen.max(axis=0) + 2.0
    low[2] -= 20.0
    scale = 2.0 / (high - low)
    matrix = np.eye(4)
    matrix[:3, :3] = scale[:, None] * axes
    matrix[:3, 3] = -scale * (low + high) / 2
    return matrix
