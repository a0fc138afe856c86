// Bessel functions of integer order, in double: within 1e-14 of the value or of 1, whichever is
// more.
//
// Beyond 25 by Hankel's asymptotic series, whose terms fall below 1e-16 there before they grow
// again. Below it by Miller's backward recurrence: from an order well beyond x downward, J[k-1] =
// 2k/x J[k] - J[k+1] is stable, whatever it starts from, and J[0] + 2 (J[2] + J[4] + ..) = 1 gives
// the scale. The same sum, weighted, gives Y[0] and Y[1] (Neumann's series, Abramowitz and Stegun
// 9.1.88); upward recurrence is stable for Y, and for J as long as the order is below x.
#include <cmath>

namespace {

constexpr double kPi = 3.14159265358979323846, kGamma = 0.57721566490153286061;
constexpr double kInfinity = __builtin_inf();

struct Pair {
  double j, y;
};

/// J and Y of order 0 or 1 for x > 25.
Pair asymptotic(int order, double x) {
  double mu = 4.0 * order * order, term = 1, p = 1, q = 0;
  for (int k = 1; k < 40; ++k) {
    double next = term * (mu - double(2 * k - 1) * (2 * k - 1)) / (8 * k * x);
    if (std::fabs(next) >= std::fabs(term) || std::fabs(next) < 1e-18)
      break;
    term = next;
    // Terms alternate between cosine and sine, with signs + + - - .
    double sign = k & 2 ? -1 : 1;
    if (k & 1)
      q += sign * term;
    else
      p += sign * term;
  }
  // Of x - pi/4, or x - 3 pi/4: by the sum of angles, since the difference itself would round away
  // the digits of a large x.
  double scale = std::sqrt(1 / (kPi * x)), sine = sin(x), cosine = cos(x);
  double s = order == 0 ? sine - cosine : -sine - cosine, c = order == 0 ? sine + cosine : sine - cosine;
  return {scale * (p * c - q * s), scale * (p * s + q * c)};
}

struct Low {
  double j0, j1, y0, y1, jn;
};

/// For 0 < x <= 1e-4, by the first two terms of their series, which are exact to 1e-17 there; the
/// recurrence below would overflow, 2k/x in one step.
Low tiny(int order, double x) {
  // Not log(x / 2): half of the least numbers is rounded.
  const double half = x / 2, square = half * half, logarithm = log(x) - 0.69314718055994530942 + kGamma;
  Low low;
  low.j0 = 1 - square;
  low.j1 = half * (1 - square / 2);
  low.y0 = 2 / kPi * (logarithm * low.j0 + square);
  low.y1 = -2 / kPi / x + 2 / kPi * half * (logarithm - 0.5);
  low.jn = 1 - square / (order + 1);
  for (int k = 1; k <= order && low.jn != 0; ++k)
    low.jn *= half / k;
  return low;
}

/// For 0 < x <= 25, and J of one order more.
Low backward(int order, double x) {
  if (x <= 1e-4)
    return tiny(order, x);
  int start = int(x) + 40 + (order > int(x) ? order - int(x) : 0);
  start += start & 1;
  double after = 0, now = 1e-300, norm = 0, even = 0, odd = 0, j1 = 0, jn = 0;
  for (int k = start; k > 0; --k) {
    // `now` is J[k] up to the scale.
    if (k == order)
      jn = now;
    if (k == 1)
      j1 = now;
    double half = k / 2, turned = k / 2 % 2 ? -now : now;
    if (k % 2 == 0) {
      norm += 2 * now;
      even += turned / half;
    } else if (k > 1) {
      odd += turned * k / (half * (half + 1));
    }
    double before = 2 * k / x * now - after;
    after = now;
    now = before;
    if (std::fabs(now) > 1e250) {
      now *= 1e-250, after *= 1e-250, norm *= 1e-250, even *= 1e-250, odd *= 1e-250, j1 *= 1e-250, jn *= 1e-250;
    }
  }
  norm += now;
  Low low;
  low.j0 = now / norm;
  low.j1 = j1 / norm;
  low.jn = order == 0 ? low.j0 : jn / norm;
  double logarithm = log(x / 2) + kGamma;
  low.y0 = 2 / kPi * logarithm * low.j0 - 4 / kPi * (even / norm);
  low.y1 = -2 / (kPi * x) * low.j0 + 2 / kPi * (logarithm - 1) * low.j1 - 2 / kPi * (odd / norm);
  return low;
}

} // namespace

double jn(int order, double x) {
  double sign = x < 0 && order % 2 ? -1 : 1;
  x = std::fabs(x);
  if (x == 0)
    return order == 0 ? 1 : sign * 0.0;
  if (x == kInfinity)
    return 0;
  if (x <= 25 || order > x)
    return sign * backward(order, x).jn;
  double before = asymptotic(0, x).j, now = asymptotic(1, x).j;
  if (order == 0)
    return before;
  for (int k = 1; k < order; ++k) {
    double next = 2 * k / x * now - before;
    before = now;
    now = next;
  }
  return sign * now;
}

double yn(int order, double x) {
  if (x == kInfinity)
    return 0;
  double before, now;
  if (x <= 25) {
    Low low = backward(0, x);
    before = low.y0, now = low.y1;
  } else {
    before = asymptotic(0, x).y, now = asymptotic(1, x).y;
  }
  if (order == 0)
    return before;
  for (int k = 1; k < order && now > -kInfinity; ++k) {
    double next = 2 * k / x * now - before;
    before = now;
    now = next;
  }
  return now;
}
