# SPDX-License-Identifier: Apache-2.0
"""This module counts operations, parameters and activations of the FRED paper's four workloads, from public descriptions.

One multiply-accumulate counts as two operations. A backward pass has twice the operations of a forward pass, since each
matrix is used once for the gradient of the input and once for that of the weights. Numbers have 2 bytes (FP16).
"""
import dataclasses

from fred_fabric import Strategy

BYTES = 2  # The paper trains with FP16 gradients and weights.


@dataclasses.dataclass(frozen=True)
class Convolution:
    inputs: int
    outputs: int
    kernel: int
    pixels: int  # This is the side of the square output.

    @property
    def macs(self):
        return self.kernel ** 2 * self.inputs * self.outputs * self.pixels ** 2

    @property
    def parameters(self):
        """There are weights without a bias, and scale and shift of the batch normalisation that follows each convolution."""
        return self.kernel ** 2 * self.inputs * self.outputs + 2 * self.outputs


def resnet_convolutions(blocks=(3, 8, 36, 3), side=224, stride_in=3):
    """It lists the convolutions of a ResNet of bottlenecks (He et al., "Deep Residual Learning for Image Recognition", CVPR
    2016, table 1). A 7x7 one with stride 2 and pooling with stride 2 come first, then four stages of blocks 1x1, 3x3, 1x1
    of 64 to 512 channels with four times as many behind each block. The first block of the last three stages has stride 2
    in its 3x3 convolution, as in widespread programs (11.5 GMAC), or with `stride_in` 1 in its first one, as in the paper
    of He et al. (11.3 GMAC)."""
    layers = [Convolution(3, 64, 7, side // 2)]
    inputs, pixels = 64, side // 4
    for stage, count in enumerate(blocks):
        width = 64 << stage
        for block in range(count):
            before = pixels
            if block == 0 and stage > 0:
                pixels //= 2
            layers += [Convolution(inputs, width, 1, before if stride_in == 3 else pixels),
                       Convolution(width, width, 3, pixels), Convolution(width, 4 * width, 1, pixels)]
            if block == 0:
                layers.append(Convolution(inputs, 4 * width, 1, pixels))  # The shortcut projects where shapes change.
            inputs = 4 * width
    return layers


@dataclasses.dataclass(frozen=True)
class Resnet:
    """This is ResNet-152 on 224x224 pixels, with a classifier of 2048 x 1000 weights and 1000 biases."""
    stride_in: int = 3
    layers = 1  # It is never split, so that its parts count as one layer.
    sample_bytes = 3 * 224 * 224 * BYTES

    @property
    def macs(self):
        return sum(layer.macs for layer in resnet_convolutions(stride_in=self.stride_in)) + 2048 * 1000

    @property
    def layer_parameters(self):
        return sum(layer.parameters for layer in resnet_convolutions(stride_in=self.stride_in)) + 2048 * 1000 + 1000

    @property
    def outer_parameters(self):
        return 0

    def layer_forward(self):
        """A multiply-accumulate of the forward pass of one sample is two operations."""
        return 2 * self.macs

    def outer_forward(self):
        return 0

    def activation_bytes(self):
        return 0  # Neither MP nor PP sends anything, since all is split over samples.


@dataclasses.dataclass(frozen=True)
class Transformer:
    """This is a decoder as in Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using
    Megatron-LM" (SC 2021, arXiv 2104.04473), whose layers have an attention of 4 h^2 and a perceptron of 8 h^2 weights."""
    layers: int
    width: int
    sequence: int
    vocabulary: int = 0  # With 0 the table of tokens and the logits do not count.
    attention: bool = True  # Without it only products with weights count, as in the rule of 6 operations per weight and token.

    @property
    def layer_parameters(self):
        """A layer has 12 h^2 weights; biases and normalisation (13 h) are left out, since they are less than 0.03 % here."""
        return 12 * self.width ** 2

    @property
    def outer_parameters(self):
        """The table of the tokens' vectors also makes the logits."""
        return self.vocabulary * self.width

    @property
    def sample_bytes(self):
        return 4 * self.sequence  # A token is a number of four bytes.

    def layer_forward(self):
        """The matrices take 24 s h^2 operations, scores and sums of the attention 4 s^2 h (same source, appendix)."""
        return 24 * self.sequence * self.width ** 2 + (4 * self.sequence ** 2 * self.width if self.attention else 0)

    def weight_gradients(self):
        """A layer has two all-reduces in its backward pass. The gradients of the weights that are ready at the same time are those of the
        perceptron's first matrix, h x 4h, and those of Q, K and V, h x 3h."""
        return 8 * self.sequence * self.width ** 2, 6 * self.sequence * self.width ** 2

    def outer_forward(self):
        """The logits take 2 s h V operations (same source)."""
        return 2 * self.sequence * self.width * self.vocabulary

    def activation_bytes(self):
        """A layer hands on s h numbers of a sample, and each all-reduce of MP sums as many."""
        return self.sequence * self.width * BYTES


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    model: object
    strategy: Strategy
    microbatches: int
    streaming: bool = False  # Weights lie outside the wafer.
    samples: int = 16  # The minibatch is DP x 16 samples (paper, methodology).

    @property
    def parameters(self):
        return self.model.layers * self.model.layer_parameters + self.model.outer_parameters


# The strategies and microbatches are those of the paper. It does not give the shape of Transformer-17B, for which
# Turing-NLG stands (78 layers, width 4256, 28 heads), nor the sequences: 1024 is that of Turing-NLG and 2048 that of GPT-3 and
# of the model of 1T parameters in Narayanan et al. (128 layers, width 25600).
WORKLOADS = {workload.name: workload for workload in (
    Workload("ResNet-152", Resnet(), Strategy(1, 20, 1), 1),
    Workload("Transformer-17B", Transformer(78, 4256, 1024), Strategy(3, 3, 2), 8),
    Workload("GPT-3", Transformer(96, 12288, 2048), Strategy(2, 5, 2), 2, True),
    Workload("Transformer-1T", Transformer(128, 25600, 2048), Strategy(1, 20, 1), 1, True))}

SWEEP_SAMPLES = 40  # The minibatch of the paper's sweep of strategies is DP x 40 samples.
SWEEP_MICROBATCHES_17B = {1: 1, 2: 10, 4: 20, 5: 20, 10: 20, 20: 40}  # The paper gives microbatches for each PP.


def strategies(ranks=20):
    """It lists all ordered factorisations MP x DP x PP."""
    divisors = [n for n in range(1, ranks + 1) if ranks % n == 0]
    return [Strategy(mp, dp, ranks // mp // dp) for mp in divisors for dp in divisors if ranks // mp % dp == 0]


def sweep_workload(workload, strategy):
    """In the paper's sweep a workload whose weights are streamed has as many microbatches as stages."""
    microbatches = strategy.pp if workload.streaming else SWEEP_MICROBATCHES_17B[strategy.pp]
    return dataclasses.replace(workload, strategy=strategy, microbatches=microbatches, samples=SWEEP_SAMPLES)
