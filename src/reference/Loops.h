// The loops over buffers that elementwise instructions are made of.
#pragma once

#include "reference/Code.h"

namespace tilewise::reference {

/// out[k] = Op::apply(a[k])
template <typename Out, typename A, typename Op> void unaryLoop(const Instruction &i, Frame &frame) {
  const A *__restrict a = frame.at<A>(i.in[0]);
  Out *__restrict out = frame.at<Out>(i.out[0]);
  for (size_t k = 0, n = i.count; k < n; ++k)
    out[k] = Op::apply(a[k]);
}

/// out[k] = Op::apply(a[k], b[k])
template <typename Out, typename A, typename Op> void binaryLoop(const Instruction &i, Frame &frame) {
  const A *__restrict a = frame.at<A>(i.in[0]);
  const A *__restrict b = frame.at<A>(i.in[1]);
  Out *__restrict out = frame.at<Out>(i.out[0]);
  for (size_t k = 0, n = i.count; k < n; ++k)
    out[k] = Op::apply(a[k], b[k]);
}

} // namespace tilewise::reference
