// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_PERF_TESTS_REDUCTIONS_HPP
#define ACC_PERF_TESTS_REDUCTIONS_HPP

/// \file
/// The rows that sums and dot products share.
///
/// An Operation<T> (bench_sum.cpp, bench_dot.cpp) holds its operands. It has
///   name                        the first word of its rows' names
///   Operation(n, of)            takes the first n elements of data of a family
///   size(), bytes()             the number of elements, and what one call reads
///   by_method(exec, r, method)  calls acc
///   by_loop()                   returns what the hand-vectorised loop gives
///   by_libraries()              lists the serial libraries that promise what acc promises
///   operator()(i, s)            is the body of a plain Kokkos::parallel_reduce

#include "harness.hpp"

#include <acc/core/method.hpp>

#include <string>
#include <vector>

namespace perf {

template <class T>
using result = Kokkos::View<T, Exec>;

/// A peer that runs on one thread of the host: Google Benchmark's label of its rows says so.
template <class Operation, class T>
struct serial_peer {
  std::string name;
  T (*call)(const Operation&);
};

/// Registers rows of an operation on elements of type T.
template <template <class> class Operation, class T>
class reduction_rows {
 public:
  using operation = Operation<T>;

  explicit reduction_rows(const std::string& type)
      : begin_(std::string(operation::name) + "/" + type + "/") {}

  template <class Method>
  void add_method(const std::string& name, const Method& method) const {
    add(begin_ + "acc " + name, of_method(method, family::uniform));
  }

  /// call(exec, operation, r) leaves the result in r, asynchronously.
  template <class Call>
  void add_peer(const std::string& name, const Call& call) const {
    add(begin_ + name, row(family::uniform, call));
  }

  /// call(operation) returns the result.
  template <class Call>
  void add_sequential(const std::string& name, const Call& call) const {
    add(begin_ + "sequential " + name, of_serial(call, family::uniform));
  }

  /// The hand-vectorised loop, and Kokkos::parallel_reduce as most write it, with int indices; and
  /// with 64-bit ones, which unroll better on GPUs.
  void add_plain_peers() const {
    if constexpr (!on_gpu) add(begin_ + "vectorised loop", of_loop(family::uniform));
    add_peer("Kokkos::parallel_reduce", [](const Exec&, const operation& o, const result<T>& r) {
      Kokkos::parallel_reduce(int(o.size()), o, r);
    });
    add_peer("Kokkos::parallel_reduce int64", [](const Exec& exec, const operation& o,
                                                 const result<T>& r) {
      const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> range(exec, 0, o.size());
      Kokkos::parallel_reduce(range, o, r);
    });
  }

  /// The order-free methods and the libraries that promise the same. Their time may depend on the
  /// numbers, so each family of data has rows of its own.
  void add_order_free() const {
    add_method("reproducible<2>", acc::reproducible<2>{});
    add_method("reproducible<3>", acc::reproducible<3>{});
    add_method("exact", acc::exact{});
    const auto libraries = operation::by_libraries();
    for (const auto& peer : libraries) add_sequential(peer.name, peer.call);
    for_each_family([&](family of, const std::string& name, std::initializer_list<int> sizes) {
      const std::string begin = begin_ + name + "/";
      if constexpr (!on_gpu) add(begin + "vectorised loop", of_loop(of), sizes);
      add(begin + "acc reproducible<2>", of_method(acc::reproducible<2>{}, of), sizes);
      add(begin + "acc reproducible<3>", of_method(acc::reproducible<3>{}, of), sizes);
      add(begin + "acc exact", of_method(acc::exact{}, of), sizes);
      for (const auto& peer : libraries)
        add(begin + "sequential " + peer.name, of_serial(peer.call, of), sizes);
    });
  }

 private:
  std::string begin_;

  /// The body of a row: call(exec, operation, r) on data of a family.
  template <class Call>
  static auto row(family of, const Call& call) {
    return [=](benchmark::State& state, std::int64_t n) {
      const operation o(n, of);
      const result<T> r("r");
      const Exec exec;
      measure(state, o.bytes(), [&] { call(exec, o, r); });
    };
  }
  template <class Method>
  static auto of_method(const Method& method, family of) {
    return row(of, [=](const Exec& exec, const operation& o, const result<T>& r) {
      o.by_method(exec, r, method);
    });
  }
  static auto of_loop(family of) {
    return row(of, [](const Exec&, const operation& o, const result<T>&) {
      benchmark::DoNotOptimize(o.by_loop());
    });
  }
  template <class Call>
  static auto of_serial(const Call& call, family of) {
    return [=](benchmark::State& state, std::int64_t n) {
      row(of, [=](const Exec&, const operation& o, const result<T>&) {
        benchmark::DoNotOptimize(call(o));
      })(state, n);
      state.SetLabel("1 thread");
    };
  }
};

}  // namespace perf

#endif
