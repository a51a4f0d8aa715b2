package dev.weir.bench.statistics;

/**
 * Student's t distribution for whole degrees of freedom, by its finite series (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4); quantiles by bisection. Stateless, thread-safe.
 */
final class StudentT {

    private StudentT() {}

    /** The chance that |t| is at least as large as this, by luck alone. */
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

    /** The t that |t| stays under with this chance, e.g. 0.95. */
    static double twoSidedQuantile(double confidence, int degrees) {
        double low = 0;
        double high = 1;
        while (twoSidedP(high, degrees) > 1 - confidence) {
            high *= 2;
        }
        while (true) {
            double middle = (low + high) / 2;
            if (middle == low || middle == high) {
                return middle; // No number lies between them.
            }
            if (twoSidedP(middle, degrees) > 1 - confidence) {
                low = middle;
            } else {
                high = middle;
            }
        }
    }
}
