package dev.weir.bench.statistics;

/**
 * Student's t distribution for whole degrees of freedom. Probabilities are computed by the finite series in Abramowitz
 * and Stegun, 26.7.3 and 26.7.4, and quantiles by bisection. Stateless, thread-safe.
 */
final class StudentT {

    private StudentT() {}

    /** The probability that |t| is at least this large by chance alone. */
    static double twoSidedP(double t, int degrees) {
        double angle = Math.atan(Math.abs(t) / Math.sqrt(degrees));
        double cos = Math.cos(angle);
        boolean odd = degrees % 2 == 1;
        // Odd: cos + 2/3 cos^3 + 2/3 4/5 cos^5 ...; even: 1 + 1/2 cos^2 + 1/2 3/4 cos^4 ...; up to cos^(degrees - 2).
        double term = odd ? cos : 1;
        double sum = degrees == 1 ? 0 : term;
        for (int power = odd ? 3 : 2; power <= degrees - 2; power += 2) {
            term *= (power - 1.0) / power * cos * cos;
            sum += term;
        }
        double inside = Math.sin(angle) * sum;
        return Math.max(0, 1 - (odd ? 2 / Math.PI * (angle + inside) : inside));
    }

    /** The value below which |t| stays with this probability, for example 0.95. */
    static double twoSidedQuantile(double confidence, int degrees) {
        double low = 0;
        double high = 1;
        while (twoSidedP(high, degrees) > 1 - confidence) {
            high *= 2;
        }
        while (true) {
            double middle = (low + high) / 2;
            if (middle == low || middle == high) {
                return middle; // There is no other number between them.
            }
            if (twoSidedP(middle, degrees) > 1 - confidence) {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}
