// The gpu dialect itself: registration, the layout attribute's checks, and helpers over laid-out
// types.
#include "target/gpu/Gpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

#include "target/gpu/GpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "target/gpu/GpuAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "target/gpu/GpuTypes.cpp.inc"
#define GET_OP_CLASSES
#include "target/gpu/GpuOps.cpp.inc"

using namespace mlir;

namespace tilewise::gpu {

namespace {

/// `#layout` at the head of the file instead of the whole attribute in every type.
struct GpuAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
  AliasResult getAlias(Type type, raw_ostream &os) const override {
    if (!isa<TileType>(type))
      return AliasResult::NoAlias;
    os << "tile";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void GpuDialect::initialize() {
  addInterfaces<GpuAsmInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "target/gpu/GpuAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "target/gpu/GpuTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "target/gpu/GpuOps.cpp.inc"
      >();
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  return get(context, layout.shape(), layout.bases(Level::Register), layout.bases(Level::Lane),
             layout.bases(Level::Warp), layout.bases(Level::Block));
}

LinearLayout LayoutAttr::layout() const {
  return LinearLayout(getShape(), getRegisters(), getLanes(), getWarps(), getBlocks());
}

static constexpr const char *kLevelNames[] = {"register", "lane", "warp", "block"};

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape;
  SmallVector<uint32_t> levels[kLevels];
  auto parseList = [&](auto &list) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parser.parseInteger(list.emplace_back()); });
  };
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() || parseList(shape))
    return {};
  unsigned next = 0;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return {};
    while (next < kLevels && name != kLevelNames[next])
      ++next;
    if (next == kLevels)
      return parser.emitError(at, "expected register, lane, warp or block, in this order"), Attribute();
    if (parser.parseEqual() || parseList(levels[next++]))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return LayoutAttr::getChecked([&] { return parser.emitError(where); }, parser.getContext(), shape, levels[0],
                                levels[1], levels[2], levels[3]);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<";
  layout().print(printer.getStream());
  printer << ">";
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                 ArrayRef<uint32_t> registers, ArrayRef<uint32_t> lanes, ArrayRef<uint32_t> warps,
                                 ArrayRef<uint32_t> blocks) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent <= 0 || !llvm::isPowerOf2_64(extent))
      return emitError() << "a layout needs extents that are powers of two, got " << extent;
    elements *= extent;
  }
  for (ArrayRef<uint32_t> level : {registers, lanes, warps, blocks})
    for (uint32_t basis : level)
      if (basis >= elements)
        return emitError() << "basis " << basis << " is outside a block of " << elements << " elements";
  // LinearLayout's own assertions hold from here on.
  if (!LinearLayout(shape, registers, lanes, warps, blocks).isSurjective())
    return emitError() << "a layout must give every element a place";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getShape())
    return success();
  return emitError() << "the layout is of another shape than its block";
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return {};
}

LogicalResult MmaOp::verify() {
  auto shape = [](Value operand) {
    auto tile = dyn_cast<TileType>(operand.getType());
    return tile ? tile.getShape() : cast<RankedTensorType>(operand.getType()).getShape();
  };
  ArrayRef<int64_t> a = shape(getA()), b = shape(getB()), c = shape(getAcc());
  if (a.size() != 2 || c.size() != 2 || a[0] != c[0] || b[1] != c[1] || a[1] != b[0])
    return emitOpError("multiplies matrices of shapes that do not fit");
  return success();
}

LayoutAttr layoutAttrOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? dyn_cast_if_present<LayoutAttr>(block.getEncoding()) : LayoutAttr();
}

LinearLayout layoutOf(Type type) { return layoutAttrOf(type).layout(); }

Type withLayout(Type type, LayoutAttr layout) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? RankedTensorType::get(block.getShape(), block.getElementType(), layout) : type;
}

static unsigned numberOn(ModuleOp module, StringRef name, unsigned fallback) {
  auto number = module->getAttrOfType<IntegerAttr>(name);
  return number ? unsigned(number.getInt()) : fallback;
}

unsigned numWarpsOf(ModuleOp module) { return numberOn(module, GpuDialect::kNumWarpsAttr, 4); }
unsigned allWarpsOf(ModuleOp module) { return numWarpsOf(module) + numberOn(module, GpuDialect::kBesideWarpsAttr, 0); }
unsigned minProgramsOf(ModuleOp module) { return numberOn(module, GpuDialect::kMinProgramsAttr, 0); }
ArrayRef<int32_t> checkedArgumentsOf(ModuleOp module) {
  auto arguments = module->getAttrOfType<DenseI32ArrayAttr>(GpuDialect::kCheckedAttr);
  return arguments ? arguments.asArrayRef() : ArrayRef<int32_t>();
}
std::vector<TensorMapPlan> tensorMapsOf(ModuleOp module) {
  std::vector<TensorMapPlan> plans;
  if (auto maps = module->getAttrOfType<ArrayAttr>(GpuDialect::kTensorMapsAttr))
    for (auto numbers : maps.getAsRange<DenseI64ArrayAttr>())
      plans.push_back(TensorMapPlan::decode({numbers.asArrayRef().data(), size_t(numbers.size())}));
  return plans;
}
bool repeatsPrograms(ModuleOp module) { return module->hasAttr(GpuDialect::kRepeatsAttr); }
unsigned sharedBytesOf(ModuleOp module) { return numberOn(module, GpuDialect::kSharedBytesAttr, 0); }

unsigned elementBytes(Type element) {
  if (isa<tile::PtrType>(element))
    return 8;
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

} // namespace tilewise::gpu
