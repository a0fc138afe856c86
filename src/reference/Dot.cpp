// tile.dot: floats in double, products in order of k, rounded once to the accumulator's type;
// integers modulo 2^width.
//
// A product of two f32 is exact in double and the sum loses at most K * 2^-53 of the sum of
// magnitudes, far below any bound that engines are held to, whatever precision their operands may
// be rounded to. An f64 dot has plain double products and sums.
#include "reference/Code.h"

#include "ir/Tile.h"

using namespace mlir;

namespace tilewise::reference {
namespace {

struct DotDetails : Details {
  size_t batch = 1, m = 0, n = 0, k = 0;
};

template <typename T, typename Wide> Wide wideOf(T x) {
  if constexpr (std::is_same_v<Wide, double>)
    return double(Float<T>::widen(x));
  else
    return Wide(int64_t(Int<T>::sext(x)));
}

template <typename Acc, typename Wide> Acc narrowTo(Wide x) {
  if constexpr (std::is_same_v<Wide, double>)
    return Float<Acc>::narrow(x);
  else
    return Int<Acc>::make(typename Int<Acc>::Unsigned(x));
}

/// `Wide` is double or uint64_t. The operands differ only where both are 8-bit floats.
template <typename A, typename B, typename Acc, typename Wide> void dot(const Instruction &i, Frame &frame) {
  const auto &size = i.as<DotDetails>();
  const A *a = frame.at<A>(i.in[0]);
  const B *b = frame.at<B>(i.in[1]);
  const Acc *acc = frame.at<Acc>(i.in[2]);
  Acc *out = frame.at<Acc>(i.out[0]);
  std::vector<Wide> wideB(size.k * size.n), row(size.n);
  for (size_t batch = 0; batch < size.batch; ++batch) {
    for (size_t at = 0; at < wideB.size(); ++at)
      wideB[at] = wideOf<B, Wide>(b[at]);
    for (size_t m = 0; m < size.m; ++m) {
      for (size_t n = 0; n < size.n; ++n)
        row[n] = wideOf<Acc, Wide>(acc[m * size.n + n]);
      for (size_t k = 0; k < size.k; ++k) {
        Wide left = wideOf<A, Wide>(a[m * size.k + k]);
        const Wide *__restrict right = wideB.data() + k * size.n;
        Wide *__restrict sum = row.data();
        for (size_t n = 0; n < size.n; ++n)
          sum[n] += left * right[n];
      }
      for (size_t n = 0; n < size.n; ++n)
        out[m * size.n + n] = narrowTo<Acc, Wide>(row[n]);
    }
    a += size.m * size.k;
    b += size.k * size.n;
    acc += size.m * size.n;
    out += size.m * size.n;
  }
}

} // namespace

bool decodeDot(Operation *op, Decoder &decoder) {
  auto dotOp = dyn_cast<tile::DotOp>(op);
  if (!dotOp)
    return false;
  Kind left = *kindOf(dotOp.getA().getType()), right = *kindOf(dotOp.getB().getType());
  Kind accumulator = *kindOf(dotOp.getType());
  auto details = std::make_unique<DotDetails>();
  ArrayRef<int64_t> a = tile::shapeOf(dotOp.getA().getType()), b = tile::shapeOf(dotOp.getB().getType());
  for (int64_t extent : a.drop_back(2))
    details->batch *= size_t(extent);
  details->m = size_t(a[a.size() - 2]);
  details->k = size_t(a.back());
  details->n = size_t(b.back());
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  bool known = false;
  visitFloat(left, [&](auto a) {
    using A = typename decltype(a)::Type;
    visitFloat(right, [&](auto b) {
      using B = typename decltype(b)::Type;
      known = visitFloat(accumulator, [&](auto to) {
        // Only what the verifier lets pass: every other pair would be compiled for nothing.
        if constexpr (std::is_same_v<A, B> || (sizeof(A) == 1 && sizeof(B) == 1))
          instruction.execute = dot<A, B, typename decltype(to)::Type, double>;
      });
    });
  });
  visitInt(left, [&](auto from) {
    using T = typename decltype(from)::Type;
    known =
        visitInt(accumulator, [&](auto to) { instruction.execute = dot<T, T, typename decltype(to)::Type, uint64_t>; });
  });
  return known;
}

} // namespace tilewise::reference
