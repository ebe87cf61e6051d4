// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <acc/accumulate.hpp>
#include <acc/core/numbers/kokkos_scalar.hpp>
#include <fmt/format.h>

#include "job.hpp"

namespace acc_tool {

struct BatchSum::State {
  virtual ~State() = default;
  /// Adds x and returns the time of that.
  virtual double add(const Views& batch, int repeats) = 0;
  virtual std::complex<double> value() const = 0;

  template <class Tag, class T>
  class Of;
};

template <class Tag, class T>
class BatchSum::State::Of final : public State {
  using Sum = typename BatchAccumulator<Tag, acc::impl::kokkos_scalar_t<T>>::type;

 public:
  double add(const Views& batch, int repeats) override {
    const auto& x = std::get<Typed<T>>(batch).x;
    const Kokkos::DefaultExecutionSpace exec;
    acc::accumulate(exec, sum_, x);  // also the warm-up
    exec.fence("acc sum --batch");
    return median_seconds(repeats, [&] {
      acc::accumulate(exec, discarded_, x);
      exec.fence("acc sum --batch");
    });
  }

  std::complex<double> value() const override {
    return widen(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum_)().value());
  }

 private:
  Kokkos::View<Sum> sum_{"sum"}, discarded_{"discarded"};
};

BatchSum::BatchSum(std::string_view method) : method_(method) {
  bool answer = false;
  with_method(method, [&]<class Tag>(Tag) { answer = takes_batches<Tag>; });
  if (!answer) throw Error(fmt::format("method {} does not take batches", method));
}

BatchSum::~BatchSum() = default;

void BatchSum::add(const Job& batch, int repeats) {
  const Views& views = batch.operands_->views;
  if (!state_) {
    with_method(method_, [&]<class Tag>(Tag) {
      if constexpr (takes_batches<Tag>) {
        std::visit(
            [&]<class T>(const Typed<T>&) { state_ = std::make_unique<State::Of<Tag, T>>(); },
            views);
      }
    });
  }
  seconds_ += state_->add(views, repeats);
}

Measurement BatchSum::result() const { return {state_ ? state_->value() : 0, seconds_}; }

}  // namespace acc_tool
