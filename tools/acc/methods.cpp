// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "methods.hpp"

#include <array>
#include <sstream>
#include <tuple>

#include <Kokkos_Core.hpp>
#include <acc/dot.hpp>
#include <acc/print_configuration.hpp>
#include <acc/sum.hpp>
#include <fmt/format.h>

#include "job.hpp"
#include "method_table.hpp"

namespace acc_tool {

std::span<const MethodInfo> methods() {
  static constexpr auto infos =
      std::apply([](const auto&... e) { return std::array{e.info...}; }, table);
  return infos;
}

std::string configuration() {
  std::ostringstream text;
  acc::print_configuration(text);
  text << fmt::format("Kokkos {}.{}.{}, {}", KOKKOS_VERSION_MAJOR, KOKKOS_VERSION_MINOR,
                      KOKKOS_VERSION_PATCH, Kokkos::DefaultExecutionSpace::name());
  return text.str();
}

Machine::Machine(int threads) {
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);  // advice on OMP_PROC_BIND would stand in every report
  if (threads > 0) settings.set_num_threads(threads);
  Kokkos::initialize(settings);
}

Machine::~Machine() { Kokkos::finalize(); }

std::string Machine::description() const {
  using Space = Kokkos::DefaultExecutionSpace;
  if (!Kokkos::SpaceAccessibility<Space, Kokkos::HostSpace>::accessible) return Space::name();
  const int threads = Space().concurrency();
  return fmt::format("{}, {} thread{}", Space::name(), threads, threads == 1 ? "" : "s");
}

Job::Job(const Vector& x)
    : operands_(std::visit(
          [&]<class T>(const std::vector<T>& values) {
            return std::make_unique<Operands>(
                Operands{Operation::sum, type_name<T>(), Typed<T>{to_device(values, "x"), {}}});
          },
          x.values)) {}

Job::Job(const Vector& x, const Vector& y) {
  if (type_name(x) != type_name(y)) {
    throw Error(
        fmt::format("dot: {} is {} but {} is {}", x.name, type_name(x), y.name, type_name(y)));
  }
  if (x.size() != y.size()) {
    throw Error(
        fmt::format("dot: {} has {} elements but {} has {}", x.name, x.size(), y.name, y.size()));
  }
  operands_ = std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const auto& other = std::get<std::vector<T>>(y.values);
        return std::make_unique<Operands>(
            Operands{Operation::dot, type_name<T>(),
                     Typed<T>{to_device(values, "x"), to_device(other, "y")}});
      },
      x.values);
}

Job::~Job() = default;

bool Job::takes(std::string_view method) const {
  bool answer = false;
  with_method(method, [&]<class Tag>(Tag) {
    answer = acc_tool::takes<Tag>(operands_->operation, operands_->type);
  });
  return answer;
}

Measurement Job::run(std::string_view method, int repeats) const {
  if (!takes(method)) {
    const char* const what = operands_->operation == Operation::sum ? "sum" : "dot product";
    throw Error(fmt::format("method {} does not take a {} of {}", method, what, operands_->type));
  }
  const Kokkos::DefaultExecutionSpace exec;
  Measurement measurement;
  const auto measure = [&](auto call) {
    measurement.value = widen(call());  // also the warm-up
    measurement.seconds = median_seconds(repeats, call);
  };
  with_method(method, [&]<class Tag>(Tag tag) {
    std::visit(
        [&]<class T>(const Typed<T>& v) {
          constexpr auto type = type_name<T>();
          if constexpr (acc_tool::takes<Tag>(Operation::sum, type)) {
            if (operands_->operation == Operation::sum) {
              measure([&] { return acc::sum(exec, v.x, tag); });
            }
          }
          if constexpr (acc_tool::takes<Tag>(Operation::dot, type)) {
            if (operands_->operation == Operation::dot) {
              measure([&] { return acc::dot(exec, v.x, v.y, tag); });
            }
          }
        },
        operands_->views);
  });
  return measurement;
}

}  // namespace acc_tool
