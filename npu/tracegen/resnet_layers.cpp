// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/resnet_layers.h"

#include <fmt/format.h>

namespace weft::npu {
namespace {

struct Stage {
  std::uint64_t number;  ///< as in conv2_x
  std::uint64_t blocks;
  std::uint64_t width;    ///< channels inside a block
  std::uint64_t outputs;  ///< channels behind a block
  std::uint64_t side;     ///< of the image behind it, pixels
};

constexpr Stage kStages[] = {{2, 3, 64, 256, 56}, {3, 8, 128, 512, 28}, {4, 36, 256, 1024, 14}, {5, 3, 512, 2048, 7}};

constexpr std::uint64_t kImageSide = 224;
constexpr std::uint64_t kColours = 3;
constexpr std::uint64_t kClasses = 1000;
constexpr std::uint64_t kNormalisation = 2;  // scale and shift
constexpr std::uint64_t kBias = 1;

}  // namespace

std::vector<ResnetLayer> resnet_152_layers() {
  std::vector<ResnetLayer> layers = {{"conv1", kColours, 64, 7, kImageSide, 112, kNormalisation}};
  std::uint64_t inputs = 64;
  std::uint64_t input_side = 56;  // pooling halves the image behind conv1
  for (const Stage& stage : kStages) {
    for (std::uint64_t block = 1; block <= stage.blocks; ++block) {
      const std::string name = fmt::format("conv{}_{}", stage.number, block);
      const auto add = [&](const char* part, std::uint64_t from, std::uint64_t to, std::uint64_t kernel,
                           std::uint64_t before, std::uint64_t after) {
        layers.push_back({fmt::format("{}_{}", name, part), from, to, kernel, before, after, kNormalisation});
      };
      add("1x1a", inputs, stage.width, 1, input_side, input_side);
      add("3x3", stage.width, stage.width, 3, input_side, stage.side);
      add("1x1b", stage.width, stage.outputs, 1, stage.side, stage.side);
      if (block == 1) add("shortcut", inputs, stage.outputs, 1, input_side, stage.side);
      inputs = stage.outputs;
      input_side = stage.side;
    }
  }
  layers.push_back({"fc", inputs, kClasses, 1, 1, 1, kBias});  // behind an average over the image
  return layers;
}

}  // namespace weft::npu
