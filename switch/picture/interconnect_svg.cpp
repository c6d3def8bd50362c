// SPDX-License-Identifier: Apache-2.0
#include "switch/picture/interconnect_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "switch/picture/carried_flows.h"
#include "switch/picture/layout.h"
#include "switch/picture/setting_text.h"

namespace weft::fred {
namespace {

// In pixels.
constexpr double kRow = 28;
constexpr double kColumn = 110;
constexpr double kBoxWidth = 34;
constexpr double kBoxHeight = 20;
constexpr double kMargin = 90;  // left and right, for the ports' names
constexpr double kTitle = 30;
constexpr double kLegendRow = 16;

constexpr const char* kColours[] = {"#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#17a2a2",
                                    "#8c564b", "#e377c2", "#7f8c00", "#003f88", "#b5651d", "#556b2f"};

std::string colour_of(int flow) { return kColours[static_cast<std::size_t>(flow) % std::size(kColours)]; }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

struct Point {
  double x = 0;
  double y = 0;
};

class Drawing {
 public:
  Drawing(const InterconnectPicture& picture, double top)
      : picture_(picture),
        net_(picture.net),
        layout_(lay_out(picture.net)),
        carried_(carried_flows(picture.net, picture.flows, picture.setting)),
        top_(top + kTitle) {}

  double width() const { return 2 * kMargin + (layout_.columns - 1) * kColumn + kBoxWidth; }
  double height() const {
    const double ports = net_.ports * kBoxHeight / 2;
    return kTitle + std::max(layout_.rows * kRow, ports) + static_cast<double>(picture_.flows.size() + 1) * kLegendRow;
  }

  std::string draw() {
    text_ = fmt::format("<text class=\"title\" x=\"10\" y=\"{:.1f}\">{}</text>\n", top_ - kTitle / 2,
                        escaped(picture_.title + ": " + net_.name()));
    for (std::uint32_t port = 0; port < net_.inputs.size(); ++port) draw_input(port);
    for (std::uint32_t e = 0; e < net_.elements.size(); ++e) draw_wires(e);
    for (std::uint32_t e = 0; e < net_.elements.size(); ++e) draw_element(e);
    draw_legend();
    return std::move(text_);
  }

 private:
  Point middle(std::uint32_t element) const {
    const LayoutPoint& at = layout_.elements[element];
    return {kMargin + at.column * kColumn + kBoxWidth / 2, top_ + at.row * kRow};
  }
  /// Pins are spread over the side of a box.
  Point pin(std::uint32_t element, std::uint32_t number, std::size_t pins, bool right) const {
    const Point at = middle(element);
    const double share = (static_cast<double>(number) + 0.5) / static_cast<double>(pins) - 0.5;
    return {at.x + (right ? kBoxWidth / 2 : -kBoxWidth / 2), at.y + share * kBoxHeight};
  }
  Point input_pin(Terminal end) const {
    return pin(end.element, end.pin, net_.elements[end.element].sources.size(), false);
  }
  Point output_pin(Terminal end) const {
    return pin(end.element, end.pin, net_.elements[end.element].sinks.size(), true);
  }

  void line(Point from, Point to, int flow) {
    const bool idle = flow == kNoCarriedFlow;
    text_ += fmt::format("<line class=\"wire{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"",
                         idle ? " idle" : "", from.x, from.y, to.x, to.y);
    if (!idle) text_ += fmt::format(" stroke=\"{}\"", colour_of(flow));
    text_ += idle ? "/>\n" : fmt::format("><title>{}</title></line>\n", escaped(name_of_flow(flow)));
  }

  void port_name(Point at, const char* anchor, std::uint32_t port) {
    text_ += fmt::format("<text class=\"port\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", anchor, at.x,
                         at.y + 3, port);
  }

  void draw_input(std::uint32_t port) {
    const Point to = input_pin(net_.inputs[port]);
    const Point from{kMargin / 2, to.y};
    line(from, to, carried_.inputs[port]);
    port_name({from.x - 6, from.y}, "end", port);
  }

  void draw_wires(std::uint32_t element) {
    const Element& each = net_.elements[element];
    for (std::uint32_t out = 0; out < each.sinks.size(); ++out) {
      const Terminal sink = each.sinks[out];
      const Point from = output_pin({element, out});
      const Point to = sink.outside() ? Point{width() - kMargin / 2, from.y} : input_pin(sink);
      line(from, to, carried_.outputs[element][out]);
      if (sink.outside()) port_name({to.x + 6, to.y}, "start", sink.pin);
    }
  }

  void draw_element(std::uint32_t element) {
    const Element& each = net_.elements[element];
    const UswitchSetting& uswitch_setting = picture_.setting[element];
    const Point at = middle(element);
    const std::string what = setting_text(each.kind, uswitch_setting);
    text_ += fmt::format(
        "<rect class=\"{}{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>\n",
        is_uswitch(each.kind) ? "uswitch" : "joint", what.empty() ? " idle" : "", at.x - kBoxWidth / 2,
        at.y - kBoxHeight / 2, kBoxWidth, kBoxHeight,
        escaped(fmt::format("{} {}: {}", name_of(each.kind), each.path, what.empty() ? "idle" : what)));
    const std::string label = is_uswitch(each.kind)
                                  ? fmt::format("{}{}{}", name_of(each.kind), uswitch_setting.reduce ? "+" : "",
                                                uswitch_setting.distribute ? "*" : "")
                                  : std::string(name_of(each.kind));
    text_ += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", at.x, at.y + 3, label);
  }

  std::string name_of_flow(int flow) const { return picture_.flows[static_cast<std::size_t>(flow)].name; }

  void draw_legend() {
    double y = top_ + height() - kTitle - static_cast<double>(picture_.flows.size()) * kLegendRow;
    for (std::size_t f = 0; f < picture_.flows.size(); ++f, y += kLegendRow)
      text_ += fmt::format("<text class=\"legend\" x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">flow {}</text>\n", kMargin, y,
                           colour_of(static_cast<int>(f)), escaped(picture_.flows[f].name));
  }

  const InterconnectPicture& picture_;
  const Interconnect& net_;
  Layout layout_;
  CarriedFlows carried_;
  double top_;
  std::string text_;
};

constexpr const char* kStyle =
    "<style>\n"
    "text { font-family: sans-serif; font-size: 10px; }\n"
    ".title { font-size: 14px; font-weight: bold; }\n"
    ".legend { font-size: 12px; }\n"
    ".label { text-anchor: middle; pointer-events: none; }\n"
    ".uswitch, .joint { fill: white; stroke: black; }\n"
    ".joint { stroke-dasharray: 3 2; }\n"
    ".uswitch.idle, .joint.idle { stroke: #bbbbbb; }\n"
    ".wire { stroke-width: 2; }\n"
    ".wire.idle { stroke: #dddddd; stroke-width: 0.7; }\n"
    "</style>\n";

}  // namespace

std::string svg_of(const std::vector<InterconnectPicture>& pictures) {
  std::string body;
  double width = 0;
  double top = 10;
  for (const InterconnectPicture& picture : pictures) {
    Drawing drawing(picture, top);
    width = std::max(width, drawing.width());
    top += drawing.height() + kTitle;
    body += drawing.draw();
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
             "{:.0f}\">\n",
             width, top, width, top) +
         kStyle + "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + body + "</svg>\n";
}

}  // namespace weft::fred
