# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""acc.linear beside torch.nn.functional.linear on a GPU: a weight of N x K in half precision, batches of
rows from 1 on. Prints a table of microseconds, and whether a row's result depends on its batch.

usage: bench_linear.py [--weights 4096x4096 ...] [--batches 1 16 ...] [--dtype bfloat16] [--seconds 0.2]

torch's times are those of half precision in and out, and of float32 in and out without TF32. A time is
the least of several runs, each of as many calls as fill its part of the seconds, by CUDA's events on
torch's stream.
"""

import argparse

import acc
import torch

METHODS = [("widened", {"method": "widened"}), ("exact", {"method": "exact"})] + [
    (f"fixed_point {bits}", {"method": "fixed_point", "bits": bits}) for bits in (8, 12, 16, 24)]
RUNS = 5


def microseconds(call, seconds):
    def run(count):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e3 / count

    run(2)  # allocates
    count = max(1, int(seconds * 1e6 / RUNS / run(3)))
    return min(run(count) for _ in range(RUNS))


def depends_on_batch(call, x):
    """Whether a row's bits differ between the whole batch and smaller ones."""
    whole = call(x)
    return any(not torch.equal(call(x[:count]), whole[:count]) for count in (1, 7, 64) if count < len(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", nargs="+", default=["4096x4096"], metavar="NxK")
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 16, 64, 256, 1024, 4096])
    parser.add_argument("--dtype", default="bfloat16", choices=["bfloat16", "float16"])
    parser.add_argument("--seconds", type=float, default=0.2, help="for each time")
    arguments = parser.parse_args()
    dtype = getattr(torch, arguments.dtype)
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, acc {acc.__version__}, {arguments.dtype}, "
          "microseconds")
    for weights in arguments.weights:
        n, k = map(int, weights.split("x"))
        torch.manual_seed(1)
        w = torch.randn(n, k, device="cuda").to(dtype)
        wide = w.float()
        peer = torch.nn.functional.linear
        names = [f"torch {arguments.dtype}", "torch float32"] + [name for name, _ in METHODS]
        print(f"\nweight {n} x {k}\n| batch | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
        largest = torch.randn(max(arguments.batches), k, device="cuda").to(dtype)
        for batch in arguments.batches:
            x = largest[:batch]
            calls = [lambda: peer(x, w), lambda x=x.float(): peer(x, wide)] + [
                lambda options=options: acc.linear(x, w, **options) for _, options in METHODS]
            times = [microseconds(call, arguments.seconds) for call in calls]
            print(f"| {batch} | " + " | ".join(f"{time:.4g}" for time in times) + " |", flush=True)
        calls = [lambda x: peer(x, w), lambda x: peer(x.float(), wide)] + [
            lambda x, options=options: acc.linear(x, w, **options) for _, options in METHODS]
        print("| a row depends on its batch | " + " | ".join(
            "yes" if depends_on_batch(call, largest) else "no" for call in calls) + " |")
        rows = largest[:64]
        exact = rows.double() @ w.double().T
        scale = exact.abs().max()
        print("| largest error of 64 rows, to the largest number | " + " | ".join(
            f"{float((call(rows).double() - exact).abs().max() / scale):.1e}" for call in calls) + " |", flush=True)


if __name__ == "__main__":
    main()
