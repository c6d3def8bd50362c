// SPDX-License-Identifier: Apache-2.0
// Constructors of the routing functions, for the registry.
#pragma once

#include <memory>

#include "router/routing/routing_function.h"

namespace weft::router {

std::unique_ptr<RoutingFunction> make_xy(const Grid& grid);
std::unique_ptr<RoutingFunction> make_yx(const Grid& grid);
std::unique_ptr<RoutingFunction> make_o1turn(const Grid& grid);
std::unique_ptr<RoutingFunction> make_odd_even(const Grid& grid);
std::unique_ptr<RoutingFunction> make_valiant(const Grid& grid);
std::unique_ptr<RoutingFunction> make_dimension_order(const Grid& grid);

}  // namespace weft::router
