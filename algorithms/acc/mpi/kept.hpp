// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ACC_MPI_KEPT_HPP
#define ACC_MPI_KEPT_HPP

/// \file
/// Memory that calls of acc::mpi leave to later ones, until Kokkos::finalize. Backends' workspaces
/// are locked while kernels are launched; what waits for other ranks must not lock them.

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace acc::mpi::impl {

/// An object that an earlier call has left, or a new one. T() is empty. Its last user has fenced
/// whoever works on it.
template <class T>
class kept {
 public:
  /// fits(object): whether an object that was left will do; less(a, b): whether a is to be taken
  /// before b; make(): a new one. Where none will do, all that were left are freed first, so that
  /// calls of several sizes do not keep memory for each.
  template <class Fits, class Less, class Make>
  kept(const Fits& fits, const Less& less, const Make& make) {
    {
      const std::lock_guard lock(guard());
      auto& all = left();
      T* best = nullptr;
      for (T& object : all)
        if (fits(object) && (best == nullptr || less(object, *best))) best = &object;
      if (best != nullptr) {
        std::swap(*best, all.back());
        object_ = std::move(all.back());
        all.pop_back();
        return;
      }
      all.clear();
    }
    object_ = make();
    is_new_ = true;
  }
  ~kept() {
    const std::lock_guard lock(guard());
    left().push_back(std::move(object_));
  }
  kept(const kept&) = delete;
  kept& operator=(const kept&) = delete;

  const T& operator*() const { return object_; }
  const T* operator->() const { return &object_; }
  bool is_new() const { return is_new_; }

 private:
  static std::mutex& guard() {
    static std::mutex one;
    return one;
  }
  /// Of this Kokkos::initialize.
  static std::vector<T>& left() {
    static std::vector<T>* all = nullptr;
    if (!all) {
      all = new std::vector<T>;
      Kokkos::push_finalize_hook([] {
        delete all;
        all = nullptr;
      });
    }
    return *all;
  }

  T object_;
  bool is_new_ = false;
};

/// Bytes in a memory space, not initialized.
template <class Space>
class kept_memory {
  using bytes = Kokkos::View<std::byte*, Space>;

 public:
  template <class Exec>
  kept_memory(const char* label, const Exec& exec, std::size_t size)
      : memory_([=](const bytes& b) { return b.extent(0) >= size; },
                [](const bytes& a, const bytes& b) { return a.extent(0) < b.extent(0); },
                [&] {
                  return bytes(
                      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                      size);
                }) {}
  template <class T>
  auto as(std::size_t count) const {
    return Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        reinterpret_cast<T*>(memory_->data()), count);
  }

 private:
  kept<bytes> memory_;
};

}  // namespace acc::mpi::impl

#endif
