// SPDX-License-Identifier: Apache-2.0
// The layers of ResNet-152.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::npu {

/// A convolution and the batch normalisation behind it, or the classifier at the end. Images are square; everything is
/// that of one sample.
struct ResnetLayer {
  std::string name;
  std::uint64_t inputs;       ///< channels
  std::uint64_t outputs;      ///< channels
  std::uint64_t kernel;       ///< side, in pixels
  std::uint64_t input_side;   ///< pixels
  std::uint64_t output_side;  ///< pixels
  std::uint64_t per_output;   ///< parameters beside the weights: 2 of a batch normalisation, or 1 bias

  /// Multiply-adds of a forward pass.
  std::uint64_t multiply_adds() const { return kernel * kernel * inputs * outputs * output_side * output_side; }
  std::uint64_t parameters() const { return (kernel * kernel * inputs + per_output) * outputs; }
  /// Elements that go in and come out.
  std::uint64_t activations() const { return inputs * input_side * input_side + outputs * output_side * output_side; }
};

/// All layers in the order of a forward pass, for images of 224 x 224 pixels and 1000 classes (He et al., "Deep
/// Residual Learning for Image Recognition", CVPR 2016, table 1): conv1, then conv2_1 to conv5_3, blocks of a 1x1, a
/// 3x3 and a 1x1 convolution. The shortcut of a stage's first block has a 1x1 convolution of its own, which stands
/// behind the other three. Stages 3 to 5 halve the image in the 3x3 convolution of their first block, as widespread
/// programs do (11.5e9 multiply-adds), not in the 1x1 one before it (11.3e9).
std::vector<ResnetLayer> resnet_152_layers();

}  // namespace weft::npu
