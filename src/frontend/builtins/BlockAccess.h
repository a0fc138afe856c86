// Block pointers and tensor descriptors: a tensor's base, shape and strides with the shape of the
// blocks it is read by.
//
// Neither has an op. Both are records of the front end, and an access through one becomes pointer
// arithmetic with a mask, as a kernel's author would write it, so that engines and access inference
// need to know nothing of them:
//
//     d = tl.make_tensor_descriptor(p, [M, N], [N, 1], [16, 32])      rows = i + arange(0, 16)[:, None]   (64 bits)
//     x = d.load([i, j])                                       ==>    cols = j + arange(0, 32)[None, :]
//                                                                     x = load(p + rows * N + cols, mask=(0 <= rows < M) & (0 <= cols < N))
//
// What lies outside the tensor reads as the padding and is not written. A block pointer carries its
// offsets along and checks only the dimensions that the access names in boundary_check; a
// descriptor takes offsets at each access and checks all.
#pragma once

#include "frontend/sema/Sema.h"

namespace tilewise::frontend {

const std::shared_ptr<const RecordClass> &blockPointerClass();
const std::shared_ptr<const RecordClass> &tensorDescriptorClass();

/// What lies outside a tensor reads as.
enum class Padding { Zero, NaN };
/// Of a padding_option's text: '' and 'zero' are zero.
Result<Padding> paddingOf(const Operand &option, DType element, llvm::StringRef what);

/// A descriptor as kernels see it; `shape` and `strides` are numbers or scalar ints, the last
/// stride is 1.
Result<Operand> makeDescriptor(Sema &sema, const Operand &base, const Operand &shape, const Operand &strides,
                               const Operand &blockShape, const Operand &padding);

Result<Operand> makeBlockPointer(Sema &sema, const Operand &base, const Operand &shape, const Operand &strides,
                                 const Operand &offsets, const Operand &blockShape, const Operand &order);
Result<Operand> advance(Sema &sema, const Operand &blockPointer, const Operand &offsets);

/// The addresses of a block's elements, and which of them may be touched: None when all may.
struct BlockLanes {
  Operand pointers, mask;
  DType element;
  llvm::SmallVector<int64_t, 4> shape;
};
Result<BlockLanes> blockPointerLanes(Sema &sema, const Record &blockPointer, const Operand &boundaryCheck);
Result<BlockLanes> descriptorLanes(Sema &sema, const Record &descriptor, const Operand &offsets);
/// The rows that `rows` names, from column `column` on.
Result<BlockLanes> descriptorRows(Sema &sema, const Record &descriptor, const Operand &rows, const Operand &column,
                                  llvm::StringRef what);

/// The `other` of a load with this padding: None for zero, which a load gives anyway.
Operand paddingValue(Padding padding);
Padding descriptorPadding(const Record &descriptor);

} // namespace tilewise::frontend
