// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_MPI_KEPT_HPP
#define ACC_MPI_KEPT_HPP

/// \file
/// Memory that calls of acc::mpi leave to later ones on the same execution space instance, until
/// Kokkos::finalize. Backends' workspaces are locked while kernels are launched; what waits for
/// other ranks must not lock them.

#include <acc/backends/until_finalize.hpp>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace acc::mpi::impl {

/// An object that an earlier call on exec has left, or a new one, and left to later calls at the
/// end, when its user has fenced exec. What an exception ends is not left.
template <class Exec, class T>
class kept {
 public:
  /// fits(object): whether an object that was left will do; less(a, b): whether a is to be taken
  /// before b; make(): a new one.
  template <class Fits, class Less, class Make>
  kept(const Exec& exec, const Fits& fits, const Less& less, const Make& make) {
    {
      const std::lock_guard lock(guard());
      auto& all = left();
      auto best = all.end();
      for (auto one = all.begin(); one != all.end(); ++one)
        if (one->exec == exec && fits(one->object) &&
            (best == all.end() || less(one->object, best->object)))
          best = one;
      if (best != all.end()) {
        mine_ = std::move(*best);
        all.erase(best);
        return;
      }
    }
    mine_ = {exec, make()};
    is_new_ = true;
  }
  ~kept() {
    if (std::uncaught_exceptions() > exceptions_) return;
    const std::lock_guard lock(guard());
    auto& all = left();
    if (all.size() == most_left) all.erase(all.begin());  // the oldest
    all.push_back(std::move(mine_));
  }
  kept(const kept&) = delete;
  kept& operator=(const kept&) = delete;

  const T& operator*() const { return mine_.object; }
  const T* operator->() const { return &mine_.object; }
  bool is_new() const { return is_new_; }

 private:
  struct owned {
    Exec exec;
    T object;
  };
  /// Calls of so many sizes take turns without an allocation.
  static constexpr std::size_t most_left = 4;

  static std::mutex& guard() {
    static std::mutex one;
    return one;
  }
  /// It has room for all, so that nothing is allocated later.
  static std::vector<owned>& left() {
    auto& all = backends::until_finalize<std::vector<owned>>();
    all.reserve(most_left);
    return all;
  }

  owned mine_;
  bool is_new_ = false;
  const int exceptions_ = std::uncaught_exceptions();
};

/// Bytes in a memory space, not initialized.
template <class Exec, class Space = typename Exec::memory_space>
class kept_memory {
  using bytes = Kokkos::View<std::byte*, Space>;

 public:
  kept_memory(const char* label, const Exec& exec, std::size_t size)
      : memory_(
            exec, [=](const bytes& b) { return b.extent(0) >= size; },
            [](const bytes& a, const bytes& b) { return a.extent(0) < b.extent(0); },
            [&] {
              return bytes(
                  Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)), size);
            }) {}
  template <class T>
  auto as(std::size_t count) const {
    return Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<T*>(memory_->data()), count);
  }

 private:
  kept<Exec, bytes> memory_;
};
using kept_host_memory = kept_memory<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;

}  // namespace acc::mpi::impl

#endif
