package dev.weir.bench.statistics;

/**
 * Student's t distribution for whole degrees of freedom. Probabilities are computed with the finite series in
 * Abramowitz and Stegun, 26.7.3 and 26.7.4, and quantiles by bisection. Stateless, thread-safe.
 */
final class StudentT {

    private StudentT() {}

    /** The probability of an absolute value of at least |t|. */
    static double twoSidedP(double t, int degrees) {
        double angle = Math.atan(Math.abs(t) / Math.sqrt(degrees));
        double cos = Math.cos(angle);
        boolean odd = degrees % 2 == 1;
        // The sum for odd degrees is cos + 2/3 cos^3 + 2/3 4/5 cos^5 ..., and for even degrees 1 + 1/2 cos^2 + 1/2 3/4
        // cos^4 ..., in both cases up to cos^(degrees - 2).
        double term = odd ? cos : 1;
        double sum = degrees == 1 ? 0 : term;
        for (int power = odd ? 3 : 2; power <= degrees - 2; power += 2) {
            term *= (power - 1.0) / power * cos * cos;
            sum += term;
        }
        double inside = Math.sin(angle) * sum;
        return Math.max(0, 1 - (odd ? 2 / Math.PI * (angle + inside) : inside));
    }

    /** The value that |t| does not exceed with the given probability, for example 0.95. */
    static double twoSidedQuantile(double confidence, int degrees) {
        double low = 0;
        double high = 1;
        while (twoSidedP(high, degrees) > 1 - confidence) {
            high *= 2;
        }
        while (true) {
            double middle = (low + high) / 2;
            if (middle == low || middle == high) {
                return middle; // No double is between low and high.
            }
            if (twoSidedP(middle, degrees) > 1 - confidence) {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}
