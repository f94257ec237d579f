"""Weights that training goes on from: as torch wrote them, or those of a net that is bundled.

An ONNX file holds each convolution with the evening after it folded in, and training cannot go on from that: what is
evened is put back by what examples make of each layer, so that the net says just what the file does.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import torch
from torch import Tensor, nn

WEIGHED = ("Convolution", "Deconvolution")
BATCHES = 6
"""How many batches of examples are looked at."""


def begin(net: nn.Module, file: Path, batch: Callable[[], Tensor]) -> None:
    """Give a net the weights in a file; `batch` makes examples of what the net is shown."""
    if file.suffix != ".onnx":
        net.load_state_dict(torch.load(file))
        return
    biases = iter(_loaded(net, file))
    layers = [one for one in net.modules() if isinstance(one, nn.BatchNorm2d)]
    hooks = [layer.register_forward_hook(_evened(next(biases))) for layer in layers]
    net.eval()
    with torch.no_grad():
        net(torch.cat([batch() for _ in range(BATCHES)]))
    for hook in hooks:
        hook.remove()
    net.train()


def _loaded(net: nn.Module, file: Path) -> list[Tensor]:
    """Give all convolutions of a net their weights, and tell the biases of those that have none of their own."""
    read = cv2.dnn.readNetFromONNX(str(file))
    numbers = [n for n in range(1, len(read.getLayerNames()) + 1) if read.getLayer(n).type in WEIGHED]
    folded = []
    convolutions = [one for one in net.modules() if isinstance(one, (nn.Conv2d, nn.ConvTranspose2d))]
    for one, number in zip(convolutions, numbers, strict=True):
        weights, bias = (torch.from_numpy(read.getParam(number, i).copy()) for i in (0, 1))
        one.weight.data.copy_(weights)
        if one.bias is None:
            folded.append(bias.flatten())
        else:
            one.bias.data.copy_(bias.flatten())
    return folded


def _evened(bias: Tensor) -> Callable[[nn.BatchNorm2d, tuple[Tensor], Tensor], Tensor]:
    """What sets a layer by the first examples that come, so that it adds the bias and else leaves things alone."""

    def set_by(layer: nn.BatchNorm2d, shown: tuple[Tensor], _: Tensor) -> Tensor:
        (given,) = shown
        mean, spread = given.mean(dim=(0, 2, 3)), given.var(dim=(0, 2, 3), unbiased=False)
        layer.running_mean.copy_(mean)
        layer.running_var.copy_(spread)
        layer.weight.data.copy_(torch.sqrt(spread + layer.eps))
        layer.bias.data.copy_(mean + bias)
        return given + bias[:, None, None]

    return set_by
